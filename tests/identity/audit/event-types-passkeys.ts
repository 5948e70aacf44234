import { done } from "../../support/expectations";
import { newPerson, newUser } from "../../support/people";
import { write } from "../../support/rows";
import type { TestServer } from "../../support/server";
import { resetToken } from "../auth/support";
import { newInvitation } from "../invitations/support";
import { Agent } from "../oauth/agent";
import { authorizationOf, newClient } from "../oauth/support";
import {
  add,
  creationOptions,
  newAuthenticator,
  newHolder,
  requestOptions,
  withPasskey,
} from "../passkeys/support";
import { challenge, guarded } from "../two-factor/support";
import { type Case, event, failure, type Prepared, type World } from "./event-types-support";

/** The cases of passkeys. */

const signedIn = [event("session_created", "session"), event("login", "session")];
const accepted = [...signedIn, event("passkey_login", "passkey")];
const refused = [failure("passkey_refused", "passkey")];

/** A user with two-factor authentication and a passkey, whose sign-in waits for its second step. */
async function waiting(server: TestServer) {
  const user = await withPasskey(server, await guarded(server));
  const temp_token = await challenge(server, user);
  const { public_key } = done(await server.post("/v1/auth/2fa/passkey/options", { body: { temp_token } }));
  return { user, temp_token, options: public_key };
}

/** A passkey that is sent as a form of the page of a sign-in; the page itself has it from a browser's script. */
async function onPage(
  server: TestServer,
  door: "passkey" | "passkey-code",
  credential: object,
  fields: Record<string, string> = {},
): Promise<Prepared["run"]> {
  const agent = new Agent(server);
  await agent.open(authorizationOf(server, await newClient(server)).url);
  const { request = "" } = agent.form.fields;
  const form = { request, credential: JSON.stringify(credential), ...fields };
  return () => agent.ask("POST", `${server.url}/oauth/${door}`, { form });
}

const SIGN_INS: Case[] = [
  {
    operation: "POST /v1/auth/passkeys/verify",
    writes: accepted,
    prepare: async ({ server }) => {
      const { id, authenticator } = await newHolder(server);
      return { user: id, body: { credential: await authenticator.get(await requestOptions(server)) } };
    },
  },
  {
    operation: "POST /v1/auth/passkeys/verify",
    which: "with a wrong signature",
    writes: refused,
    prepare: async ({ server }) => {
      const { id, authenticator } = await newHolder(server);
      const credential = await authenticator.get(await requestOptions(server), { foreignKey: true });
      return { user: id, body: { credential }, refused: 401 };
    },
  },
  {
    operation: "POST /v1/auth/passkeys/verify",
    which: "with an unknown passkey",
    writes: [failure("passkey_refused")],
    prepare: async ({ server }) => {
      const { authenticator } = await newHolder(server);
      const credential = await authenticator.get(await requestOptions(server), { id: "AAAA" });
      return { user: null, body: { credential }, refused: 401 };
    },
  },
  {
    operation: "POST /v1/auth/2fa/passkey/verify",
    writes: [event("2fa_verified", "two_factor"), ...accepted],
    prepare: async ({ server }) => {
      const { user, temp_token, options } = await waiting(server);
      return { user: user.id, body: { temp_token, credential: await user.authenticator.get(options) } };
    },
  },
  {
    operation: "POST /v1/auth/2fa/passkey/verify",
    which: "with a wrong signature",
    writes: refused,
    prepare: async ({ server }) => {
      const { user, temp_token, options } = await waiting(server);
      const credential = await user.authenticator.get(options, { foreignKey: true });
      return { user: user.id, body: { temp_token, credential }, refused: 401 };
    },
  },
  {
    operation: "the sign-in page, by a passkey",
    writes: accepted,
    prepare: async ({ server }) => {
      const { id, authenticator } = await newHolder(server);
      const credential = await authenticator.get(await requestOptions(server));
      return { user: id, run: await onPage(server, "passkey", credential) };
    },
  },
  {
    operation: "the sign-in page, by a passkey",
    which: "with a wrong signature",
    writes: refused,
    prepare: async ({ server }) => {
      const { id, authenticator } = await newHolder(server);
      const credential = await authenticator.get(await requestOptions(server), { foreignKey: true });
      return { user: id, run: await onPage(server, "passkey", credential) };
    },
  },
  {
    operation: "the sign-in page, by a passkey",
    which: "beside a password",
    writes: [event("2fa_verified", "two_factor"), ...accepted],
    prepare: async ({ server }) => {
      const { user, temp_token, options } = await waiting(server);
      const credential = await user.authenticator.get(options);
      return { user: user.id, run: await onPage(server, "passkey-code", credential, { temp_token }) };
    },
  },
  {
    operation: "POST /v1/auth/reauthenticate",
    which: "by a passkey",
    writes: [event("reauthenticated", "session")],
    prepare: async (world) => proof(world),
  },
  {
    operation: "POST /v1/auth/reauthenticate",
    which: "by a wrong passkey",
    writes: refused,
    prepare: async (world) => ({ ...(await proof(world, true)), refused: 400 }),
  },
];

async function proof({ server }: World, foreignKey = false): Promise<Prepared> {
  const { id, token, authenticator } = await newHolder(server);
  const { public_key } = done(await server.post("/v1/auth/reauthenticate/options", { token }));
  return { user: id, token, body: { passkey: await authenticator.get(public_key, { foreignKey }) } };
}

const OWN: Case[] = [
  {
    operation: "POST /v1/users/me/passkeys",
    writes: [event("passkey_added", "passkey")],
    prepare: async ({ server }) => {
      const { id, token } = await newUser(server);
      const credential = await newAuthenticator(server).create(await creationOptions(server, token));
      return { user: id, token, body: { credential } };
    },
  },
  {
    operation: "POST /v1/users/me/passkeys",
    which: "a second time",
    writes: [],
    prepare: async ({ server }) => {
      const { id, token } = await newUser(server);
      const credential = await newAuthenticator(server).create(await creationOptions(server, token));
      done(await add(server, token, { credential }));
      return { user: id, token, body: { credential }, refused: 400 };
    },
  },
  {
    operation: "PATCH /v1/users/me/passkeys/{id}",
    writes: [event("passkey_updated", "passkey")],
    prepare: async ({ server }) => {
      const { id, token, passkey } = await newHolder(server);
      return { user: id, token, params: { id: passkey }, body: { name: "Phone" } };
    },
  },
  {
    operation: "DELETE /v1/users/me/passkeys/{id}",
    writes: [event("passkey_removed", "passkey")],
    prepare: async ({ server }) => {
      const { id, token, passkey } = await newHolder(server);
      return { user: id, token, params: { id: passkey } };
    },
  },
  {
    operation: "POST /v1/auth/reset-password/complete",
    which: "at an unproved address, of somebody with a passkey",
    writes: [
      event("password_changed", "user"),
      event("passkey_removed", "passkey"),
      event("session_revoked", "session"),
    ],
    prepare: async ({ server }) => {
      const user = await newHolder(server);
      write(server, `UPDATE platform_accounts SET email_verified = 0 WHERE user_id = '${user.id}'`);
      return { user: user.id, body: { token: await resetToken(server, user), new_password: "a new one" } };
    },
  },
  {
    operation: "POST /v1/invitations/{token}/accept",
    which: "with a passkey",
    writes: [
      event("user_created", "user"),
      event("passkey_added", "passkey"),
      event("invitation_accepted", "invitation"),
      event("session_created", "session"),
    ],
    prepare: async ({ server, admin }) => {
      const { token } = await newInvitation(server, {}, admin.token);
      const { username, email } = newPerson();
      const path = `/v1/invitations/${token}/passkey/options`;
      const { public_key } = done(await server.post(path, { body: { username } }));
      const passkey = { credential: await newAuthenticator(server).create(public_key) };
      return { user: ({ user_id }) => user_id, params: { token }, body: { username, email, passkey } };
    },
  },
];

export const PASSKEY_CASES: Case[] = [...SIGN_INS, ...OWN];

/** A request of the kind that writes nothing. */
type Silent = Omit<Prepared, "user" | "actor" | "run">;

/** The doors that give challenges, which write nothing. */
export const silentPasskeyDoors = (of: () => World): Record<string, () => Promise<Silent>> => ({
  "POST /v1/auth/2fa/passkey/options": async () => ({
    body: { temp_token: (await waiting(of().server)).temp_token },
  }),
  "POST /v1/auth/reauthenticate/options": async () => ({ token: (await newHolder(of().server)).token }),
  "POST /v1/users/me/passkeys/options": async () => ({ token: (await newUser(of().server)).token }),
  "POST /v1/invitations/{token}/passkey/options": async () => {
    const { token } = await newInvitation(of().server, {}, of().admin.token);
    return { params: { token }, body: { username: newPerson().username } };
  },
});
