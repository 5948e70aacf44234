import { join } from "node:path";
import { loadConfig } from "../../../src/configuration/config";
import { EVENT_TYPES } from "../../../src/identity/audit/event-types";
import { closeExpiredBans } from "../../../src/identity/bans/service";
import { openDatabase } from "../../../src/kernel/db/connection";
import { closeDatabase } from "../../../src/kernel/db/transactions";
import { deleteDueAccounts } from "../../../src/personal-data/deletion/service";
import { endExpiredLinks } from "../../../src/tracking/links/service";
import { endExpiredShares } from "../../../src/tracking/shares/service";
import { putDeliveries } from "../../alerts/deliveries/support";
import { alertsOf, newRule, type Sender, send } from "../../alerts/support";
import { newTarget as targetOf } from "../../alerts/targets/support";
import { connectBot, GUILD, member, requests, Told } from "../../operations/community/support";
import { TwitchStandIn } from "../../stand-ins/twitch";
import { WebhookStandIn } from "../../stand-ins/webhook";
import { createKey } from "../../support/credentials";
import { done, eventually } from "../../support/expectations";
import { newestMail } from "../../support/mail";
import {
  externalLogin,
  externalUser,
  newPerson,
  newUser,
  openSession,
  pending,
  signInExternally,
} from "../../support/people";
import { frame } from "../../support/protobuf";
import { assign, grant, newRole, permissionId } from "../../support/roles";
import { rows, write } from "../../support/rows";
import { command, type TestServer } from "../../support/server";
import { Client } from "../../support/socket";
import { newTracker as trackerOf } from "../../tracking/doors/support";
import { newLink } from "../../tracking/links/support";
import { share } from "../../tracking/shares/support";
import { createTrip, createZone } from "../../tracking/support";
import { link } from "../accounts/support";
import { requestEmailChange, resetToken } from "../auth/support";
import { BASE, newInvitation } from "../invitations/support";
import { newAuthenticator, register } from "../passkeys/support";
import { challenge, type Guarded, guarded, nextCode, setUp, turnOn, wrongCode } from "../two-factor/support";
import { OAUTH_CASES, withGrants } from "./event-types-oauth";
import { OIDC_CASES } from "./event-types-oidc";
import { PASSKEY_CASES } from "./event-types-passkeys";
import {
  type Case,
  event,
  failure,
  keyOwner,
  newKey,
  type Prepared,
  type World,
} from "./event-types-support";

/** One case or more for every pair of an event type and an operation in `EVENT_TYPES`. */

// --- Signing in and out -----------------------------------------------------------------------------------

const signedIn = [event("session_created", "session"), event("login", "session")];

const SIGN_INS: Case[] = [
  {
    operation: "POST /v1/auth/login",
    writes: signedIn,
    prepare: ({ member: { id, username, password } }) => ({
      user: id,
      body: { identifier: username, password },
    }),
  },
  {
    operation: "POST /v1/auth/login",
    which: "with a wrong password",
    writes: [failure("login_failed")],
    prepare: ({ member: { id, username } }) => ({
      user: id,
      body: { identifier: username, password: "wrong" },
      refused: 401,
    }),
  },
  {
    operation: "POST /v1/auth/login",
    which: "with an unknown name",
    writes: [failure("login_failed")],
    prepare: () => ({ user: null, body: { identifier: "nobody", password: "wrong" }, refused: 401 }),
  },
  {
    operation: "POST /v1/auth/login",
    which: "first step of two",
    writes: [],
    prepare: ({ guarded: { id, username, password } }) => ({
      user: id,
      body: { identifier: username, password },
    }),
  },
  {
    operation: "POST /v1/auth/2fa/verify",
    writes: [event("2fa_verified", "two_factor"), ...signedIn],
    prepare: async ({ server, guarded }) => ({
      user: guarded.id,
      body: {
        temp_token: await challenge(server, guarded),
        code: await nextCode(server, guarded.secret),
      },
    }),
  },
  {
    operation: "POST /v1/auth/2fa/verify",
    which: "with a wrong code",
    writes: [failure("2fa_verified", "two_factor")],
    prepare: async ({ server, guarded }) => ({
      user: guarded.id,
      body: { temp_token: await challenge(server, guarded), code: wrongCode(server, guarded.secret) },
      refused: 401,
    }),
  },
  {
    operation: "POST /v1/auth/2fa/verify",
    which: "with a wrong token",
    writes: [failure("2fa_verified")],
    prepare: () => ({ user: null, body: { temp_token: "2fa_wrong", code: "123456" }, refused: 401 }),
  },
  {
    operation: "POST /v1/auth/register/verify",
    writes: [event("user_created", "user"), event("session_created", "session")],
    prepare: async ({ server }) => ({
      user: ({ user_id }) => user_id,
      body: { token: await pending(server, newPerson()) },
    }),
  },
  {
    operation: "POST /v1/sessions",
    writes: signedIn,
    prepare: ({ server, member }) => ({
      user: member.id,
      token: server.systemKey,
      body: { userId: member.id, expires: "2099-01-01T00:00:00Z" },
    }),
  },
  {
    operation: "POST /v1/auth/logout",
    writes: [event("logout", "session")],
    prepare: async (world) => ({
      user: world.member.id,
      token: (await openSession(world.server, world.member.id)).token,
    }),
  },
  {
    operation: "mutation logout",
    writes: [event("logout", "session"), event("session_revoked", "session")],
    prepare: async (world) => {
      const { id, token } = await externalUser(world.server);
      await openSession(world.server, id);
      const body = { query: "mutation { logout }" };
      return { user: id, run: () => world.server.post("/v1/graphql", { token, body }) };
    },
  },
  ...["", "?reason=revoked"].map((query) => ({
    operation: "DELETE /v1/sessions/{token}",
    which: query,
    writes: [event("logout", "session")],
    prepare: async (world: World) => {
      const { token } = await openSession(world.server, world.member.id);
      return { user: world.member.id, token: world.server.systemKey, params: { token }, query };
    },
  })),
];

const SESSIONS: Case[] = [
  {
    operation: "DELETE /v1/users/me/sessions/{session_id}",
    writes: [event("session_revoked", "session")],
    prepare: async (world) => {
      const { id, token } = await externalUser(world.server);
      return { user: id, token, params: { session_id: (await openSession(world.server, id)).id } };
    },
  },
  {
    operation: "DELETE /v1/users/me/sessions",
    which: "two others",
    writes: [event("session_revoked", "session"), event("session_revoked", "session")],
    prepare: async (world) => {
      const { id, token } = await externalUser(world.server);
      for (const _ of [1, 2]) await openSession(world.server, id);
      return { user: id, token };
    },
  },
  {
    operation: "DELETE /v1/users/{id}/sessions",
    which: "two of them",
    writes: [event("session_revoked", "session"), event("session_revoked", "session")],
    prepare: async (world) => {
      const { id } = await externalUser(world.server);
      await openSession(world.server, id);
      return { user: id, actor: world.admin.id, token: world.admin.token, params: { id } };
    },
  },
];

// --- Passwords and second factors -------------------------------------------------------------------------

/**
 * A super admin with a second factor for each world, who may do everything that needs a proof and has either
 * kind.
 */
const bosses = new WeakMap<World, Promise<Guarded>>();
function bossOf(world: World): Promise<Guarded> {
  const known = bosses.get(world) ?? guarded(world.server, "role_super_admin");
  bosses.set(world, known);
  return known;
}

type Asked = Pick<Prepared, "params"> & { body?: object };

/** Operations that need a recent sign-in, requested without a proof. */
const SENSITIVE: Record<string, (world: World) => Asked | Promise<Asked>> = {
  "POST /v1/api-keys": () => ({ body: { name: "Tracker" } }),
  "PATCH /v1/api-keys/{id}": async (world) => ({
    ...{ params: { id: (await newKey(world)).id }, body: { scopes: [] } },
  }),
  "POST /v1/api-keys/{id}/regenerate": async (world) => ({ params: { id: (await newKey(world)).id } }),
  "POST /v1/api-keys/{id}/roles": async (world) => ({
    ...{ params: { id: (await newKey(world)).id }, body: { role_id: "role_user" } },
  }),
  "PATCH /v1/users/{id}": ({ member }) => ({
    ...{ params: { id: member.id }, body: { email: "another@example.org" } },
  }),
  "POST /v1/users/{id}/email/request-change": ({ member }) => ({
    ...{ params: { id: member.id }, body: { email: "another@example.org" } },
  }),
  "POST /v1/users/{id}/roles": ({ member }) => ({
    ...{ params: { id: member.id }, body: { role_id: "role_moderator" } },
  }),
  "POST /v1/roles/{id}/permissions": ({ server, keyRole }) => ({
    ...{ params: { id: keyRole }, body: { permission_id: permissionId(server, "gps:read") } },
  }),
  "POST /v1/users/me/2fa/setup": () => ({}),
  "POST /v1/users/me/identities/begin/{name}": () => ({ params: { name: "harbour" } }),
  "POST /v1/admin/users/{id}/force-delete": ({ member }) => ({ params: { id: member.id } }),
};

/** A wrong proof leaves its own event and nothing of the operation. */
const PROOFS: Case[] = [
  {
    operation: "POST /v1/auth/reauthenticate",
    writes: [event("reauthenticated", "session")],
    prepare: ({ member: { id, token, password } }) => ({ user: id, token, body: { password } }),
  },
  {
    operation: "POST /v1/auth/reauthenticate",
    which: "with a wrong password",
    writes: [failure("reauthenticated", "session")],
    prepare: ({ member: { id, token } }) => ({ user: id, token, body: { password: "wrong" }, refused: 400 }),
  },
  {
    operation: "POST /v1/auth/reauthenticate",
    which: "with a wrong code",
    writes: [failure("2fa_verified", "two_factor")],
    prepare: ({ server, guarded: { id, token, password, secret } }) => ({
      ...{ user: id, token, body: { password, code: wrongCode(server, secret) }, refused: 400 },
    }),
  },
  ...Object.entries(SENSITIVE).flatMap(([operation, asked]): Case[] => [
    {
      operation,
      which: "with a wrong password as a proof",
      writes: [failure("reauthenticated", "session")],
      prepare: async (world) => {
        const { id: user, token } = await bossOf(world);
        const { body, params = {} } = await asked(world);
        return { user, token, params, body: { ...body, password: "wrong" }, refused: 400 };
      },
    },
    {
      operation,
      which: "with a wrong code as a proof",
      writes: [failure("2fa_verified", "two_factor")],
      prepare: async (world) => {
        const { id: user, token, secret } = await bossOf(world);
        const { body, params = {} } = await asked(world);
        const code = wrongCode(world.server, secret);
        return { user, token, params, body: { ...body, code }, refused: 400 };
      },
    },
  ]),
  {
    operation: "POST /v1/users/me/2fa/verify",
    which: "with a wrong password as a proof",
    writes: [failure("reauthenticated", "session")],
    prepare: ({ member: { id, token } }) => ({
      ...{ user: id, token, body: { code: "123456", password: "wrong" }, refused: 400 },
    }),
  },
  {
    operation: "POST /v1/users/me/password",
    which: "with a wrong password",
    writes: [failure("reauthenticated", "session")],
    prepare: ({ member: { id, token } }) => ({
      ...{ user: id, token, refused: 400 },
      body: { current_password: "wrong", new_password: "another passphrase" },
    }),
  },
  {
    operation: "POST /v1/users/me/deletion",
    which: "with a wrong password",
    writes: [failure("reauthenticated", "session")],
    prepare: ({ member: { id, token } }) => ({ user: id, token, refused: 400, body: { password: "wrong" } }),
  },
  ...[true, false].map(
    (isRight): Case => ({
      operation: "POST /v1/users/{id}/email-link/request",
      which: `with a ${isRight ? "right" : "wrong"} code as a proof`,
      writes: isRight
        ? [event("reauthenticated", "session"), event("user_updated", "user", { aboutAnother: true })]
        : [failure("2fa_verified", "two_factor")],
      prepare: async (world) => {
        const { id: user, token, secret } = await bossOf(world);
        const person = await externalUser(world.server);
        const code = isRight ? await nextCode(world.server, secret) : wrongCode(world.server, secret);
        const body = { email: `proved_${person.username}@example.org`, password: "a long passphrase", code };
        const { id } = person;
        return { user, another: id, token, params: { id }, body, ...(!isRight && { refused: 400 }) };
      },
    }),
  ),
];

const PASSWORDS: Case[] = [
  {
    operation: "POST /v1/users/me/password",
    which: "beside another session",
    writes: [event("password_changed", "user"), event("session_revoked", "session")],
    prepare: async (world) => {
      const { id, token, password } = await newUser(world.server);
      await openSession(world.server, id);
      return { user: id, token, body: { current_password: password, new_password: "another password" } };
    },
  },
  {
    operation: "POST /v1/auth/reset-password",
    writes: [event("password_reset_requested", null)],
    prepare: ({ member: { id, email } }) => ({ user: id, body: { email } }),
  },
  {
    operation: "POST /v1/auth/reset-password",
    which: "for an address of nobody's",
    writes: [failure("password_reset_requested")],
    prepare: () => ({ user: null, body: { email: "nobody@example.org" } }),
  },
  {
    operation: "POST /v1/auth/reset-password/complete",
    which: "of somebody with a session",
    writes: [event("password_changed", "user"), event("session_revoked", "session")],
    prepare: async ({ server }) => {
      const user = await newUser(server);
      const token = await resetToken(server, user);
      return { user: user.id, body: { token, new_password: "another password" } };
    },
  },
  {
    operation: "POST /v1/auth/reset-password/complete",
    which: "of somebody with two keys, which are switched off",
    writes: [
      event("password_changed", "user"),
      event("session_revoked", "session"),
      event("api_key_revoked", "api_key"),
      event("api_key_revoked", "api_key"),
    ],
    prepare: async ({ server, keyRole }) => {
      const user = await newUser(server, keyRole);
      for (const _ of [1, 2]) await createKey(server, user.token, []);
      const token = await resetToken(server, user);
      return { user: user.id, body: { token, new_password: "another password", revoke_api_keys: true } };
    },
  },
];

/** A user after ninety-nine wrong codes, or as many as are named. */
async function almostLocked(server: TestServer, failures = 99) {
  const user = await guarded(server);
  write(server, `UPDATE two_factor SET failures = ${failures} WHERE user_id = '${user.id}'`);
  return user;
}

const TWO_FACTORS: Case[] = [
  {
    operation: "POST /v1/users/me/2fa/verify",
    which: "which ends another session",
    writes: [event("2fa_enabled", "two_factor"), event("session_revoked", "session")],
    prepare: async (world) => {
      const { id, token } = await externalUser(world.server);
      await openSession(world.server, id);
      const { secret } = done(await setUp(world.server, token));
      const code = await nextCode(world.server, secret);
      return { user: id, token, body: { code, end_other_sessions: true } };
    },
  },
  {
    operation: "POST /v1/users/me/2fa/verify",
    writes: [event("2fa_enabled", "two_factor")],
    prepare: async ({ server }) => {
      const { id, token } = await externalUser(server);
      const { secret } = done(await setUp(server, token));
      return { user: id, token, body: { code: await nextCode(server, secret) } };
    },
  },
  {
    operation: "POST /v1/users/me/2fa/verify",
    which: "with a wrong code",
    writes: [failure("2fa_verified", "two_factor")],
    prepare: async ({ server }) => {
      const { id, token } = await externalUser(server);
      const { secret } = done(await setUp(server, token));
      return { user: id, token, body: { code: wrongCode(server, secret) }, refused: 400 };
    },
  },
  {
    operation: "DELETE /v1/users/me/2fa",
    which: "by an administrator",
    writes: [event("2fa_disabled", "two_factor")],
    prepare: async ({ server, admin }) => {
      const { id: user_id, backupCodes } = await turnOn(server, await externalUser(server));
      const [code] = backupCodes;
      return { user: user_id, actor: admin.id, token: admin.token, body: { code, user_id } };
    },
  },
  {
    operation: "POST /v1/users/me/2fa/backup-codes/regenerate",
    writes: [event("2fa_backup_codes_regenerated", "two_factor")],
    prepare: async ({ server, guarded: { id, token, secret } }) => ({
      ...{ user: id, token, body: { code: await nextCode(server, secret) } },
    }),
  },
  ...["DELETE /v1/users/me/2fa", "POST /v1/users/me/2fa/backup-codes/regenerate"].map((operation) => ({
    operation,
    which: "with a wrong code",
    writes: [failure("2fa_verified", "two_factor")],
    prepare: ({ server, guarded: { id, token, secret } }: World) => ({
      ...{ user: id, token, body: { code: wrongCode(server, secret) }, refused: 400 },
    }),
  })),
  {
    operation: "POST /v1/auth/2fa/verify",
    which: "with the hundredth wrong code",
    writes: [event("2fa_locked", "two_factor"), failure("2fa_verified", "two_factor")],
    prepare: async ({ server }) => {
      const user = await almostLocked(server);
      const body = { temp_token: await challenge(server, user), code: wrongCode(server, user.secret) };
      return { user: user.id, body, refused: 401 };
    },
  },
  ...["DELETE /v1/users/me/2fa", "POST /v1/users/me/2fa/backup-codes/regenerate"].map((operation) => ({
    operation,
    which: "with the hundredth wrong code",
    writes: [event("2fa_locked", "two_factor"), failure("2fa_verified", "two_factor")],
    prepare: async ({ server }: World) => {
      const { id, token, secret } = await almostLocked(server);
      return { user: id, token, body: { code: wrongCode(server, secret) }, refused: 400 };
    },
  })),
  {
    operation: "POST /v1/users/me/deletion",
    which: "with the hundredth wrong code",
    writes: [event("2fa_locked", "two_factor"), failure("2fa_verified", "two_factor")],
    prepare: async ({ server }) => {
      const { id, token, password, secret } = await almostLocked(server);
      return { user: id, token, body: { password, code: wrongCode(server, secret) }, refused: 400 };
    },
  },
  {
    operation: "POST /v1/users/{id}/2fa/unlock",
    writes: [event("2fa_unlocked", "two_factor")],
    prepare: async ({ server, admin }) => {
      const { id } = await almostLocked(server);
      return { user: id, actor: admin.id, token: admin.token, params: { id } };
    },
  },
  {
    operation: "POST /v1/auth/reset-password/complete",
    which: "after too many wrong codes",
    writes: [event("2fa_unlocked", "two_factor"), event("password_changed", "user")],
    prepare: async ({ server }) => {
      const user = await almostLocked(server, 100);
      const token = await resetToken(server, user);
      done(await server.post("/v1/auth/logout", { token: user.token }));
      return { user: user.id, body: { token, new_password: "another password" } };
    },
  },
  {
    operation: "POST /v1/users/me/deletion",
    which: "with a wrong code",
    writes: [failure("2fa_verified", "two_factor")],
    prepare: ({ server, guarded: { id, token, password, secret } }) => ({
      ...{ user: id, token, body: { password, code: wrongCode(server, secret) }, refused: 400 },
    }),
  },
];

// --- Accounts ---------------------------------------------------------------------------------------------

/** A user without an own address who waits for the verification of one. */
const verifyLink = async ({ server }: World) => {
  const user = await externalUser(server);
  const email = `linked_${user.username}@example.org`;
  const body = { email, password: "a long passphrase" };
  done(await server.post(`/v1/users/${user.id}/email-link/request`, { token: user.token, body }));
  return { ...user, proof: (await newestMail(server, email)).token };
};

let addresses = 0;

/** A user who waits for the verification of another address. */
const verifyChange = async ({ server }: World) => {
  const user = await newUser(server);
  const proof = await requestEmailChange(server, user, `changed${++addresses}@example.org`);
  return { ...user, proof };
};

const CREATED: Case[] = [
  {
    operation: "POST /v1/auth/verify-email",
    which: "with the token of a registration",
    writes: [event("user_created", "user")],
    prepare: async ({ server }) => ({
      user: ({ user_id }) => user_id,
      body: { token: await pending(server, newPerson()) },
    }),
  },
  {
    operation: "POST /v1/users/oauth",
    which: "for somebody new",
    writes: [event("user_created", "user")],
    prepare: ({ server }) => ({
      user: ({ data }) => data.id,
      token: server.systemKey,
      body: externalLogin(),
    }),
  },
  {
    operation: "user create",
    writes: [event("user_created", "user")],
    prepare: ({ server }) => ({
      user: (output) => JSON.parse(output).id,
      run: () => commandOutput(server, "user", "create", "--username", "made", "--email", "made@example.org"),
    }),
  },
];

async function commandOutput(server: TestServer, ...args: string[]): Promise<string> {
  const { stdout, stderr, status } = await command([...args, "--json", "--data-dir", server.dataDir]);
  if (status !== 0) throw new Error(stderr);
  return stdout;
}

const UPDATED: Case[] = [
  {
    operation: "PATCH /v1/users/{id}",
    writes: [event("user_updated", "user")],
    prepare: async ({ server }) => {
      const { id, token } = await externalUser(server);
      return { user: id, token, params: { id }, body: { privacy_mode: true, avatars_enabled: false } };
    },
  },
  {
    operation: "PATCH /v1/users/{id}",
    which: "a name and an address at once",
    writes: [event("user_updated", "user")],
    prepare: async ({ server, admin }) => {
      const { id } = await newUser(server);
      const body = { username: "renamed_too", email: "renamed@example.org" };
      return { user: id, actor: admin.id, token: admin.token, params: { id }, body };
    },
  },
  {
    operation: "PATCH /v1/users/{id}",
    which: "an address that must be verified",
    writes: [event("user_updated", "user")],
    prepare: ({ member: { id, token } }) => ({
      ...{ user: id, token, params: { id }, body: { email: "wanted@example.org" } },
    }),
  },
  {
    operation: "PATCH /v1/users/{id}/locale",
    writes: [event("user_updated", "user")],
    prepare: async ({ server, admin }) => {
      const { id } = await externalUser(server);
      return { user: id, actor: admin.id, token: admin.token, params: { id }, body: { locale: "de" } };
    },
  },
  {
    operation: "PATCH /v1/users/{id}/username",
    writes: [event("user_updated", "user")],
    prepare: async ({ server }) => {
      const { id, token } = await externalUser(server);
      return { user: id, token, params: { id }, body: { username: "renamed" } };
    },
  },
  {
    operation: "POST /v1/users/email/verify",
    which: "by an administrator",
    writes: [event("user_updated", "user")],
    prepare: async (world) => {
      const { id, proof } = await verifyChange(world);
      return { user: id, actor: world.admin.id, token: world.admin.token, body: { token: proof } };
    },
  },
  {
    operation: "POST /v1/auth/verify-email",
    which: "with the token of a change",
    writes: [event("user_updated", "user")],
    prepare: async (world) => {
      const { id, proof } = await verifyChange(world);
      return { user: id, body: { token: proof } };
    },
  },
  {
    operation: "POST /v1/users/{id}/email/request-change",
    writes: [event("user_updated", "user")],
    prepare: async ({ server }) => {
      const { id, token, username } = await newUser(server);
      return { user: id, token, params: { id }, body: { email: `asked_${username}@example.org` } };
    },
  },
  {
    operation: "POST /v1/users/{id}/email-link/request",
    writes: [event("user_updated", "user")],
    prepare: async ({ server }) => {
      const { id, token, username } = await externalUser(server);
      const body = { email: `asked_${username}@example.org`, password: "a long passphrase" };
      return { user: id, token, params: { id }, body };
    },
  },
  {
    operation: "DELETE /v1/users/{id}/email/pending",
    writes: [event("user_updated", "user")],
    prepare: async ({ server, member }) => {
      await requestEmailChange(server, member, "other@example.org");
      return { user: member.id, token: member.token, params: { id: member.id } };
    },
  },
  {
    operation: "DELETE /v1/users/{id}/email-link/pending",
    writes: [event("user_updated", "user")],
    prepare: async (world) => {
      const { id, token } = await verifyLink(world);
      return { user: id, token, params: { id } };
    },
  },
  {
    operation: "PUT /v1/users/{id}/accounts/{account_id}/primary",
    writes: [event("user_updated", "user")],
    prepare: async ({ server }) => {
      const user = await externalUser(server);
      const params = { id: user.id, account_id: await link(server, user, "github") };
      return { user: user.id, token: user.token, params };
    },
  },
  {
    operation: "POST /v1/users/oauth",
    which: "another name of somebody known",
    writes: [event("user_updated", "platform_account")],
    prepare: async ({ server }) => {
      const body = externalLogin();
      const { id } = await signInExternally(server, body);
      return { user: id, token: server.systemKey, body: { ...body, name: "Another name" } };
    },
  },
  {
    operation: "POST /v1/users/oauth",
    which: "nothing new of somebody known",
    writes: [],
    prepare: async ({ server }) => {
      const body = externalLogin();
      const { id } = await signInExternally(server, body);
      return { user: id, token: server.systemKey, body };
    },
  },
];

const LINKED: Case[] = [
  {
    operation: "POST /v1/users/oauth",
    which: "another platform of somebody known",
    writes: [event("account_linked", "platform_account")],
    prepare: async ({ server }) => {
      const { id, email } = await externalUser(server);
      const body = externalLogin({ email, oauthProvider: "github" });
      return { user: id, token: server.systemKey, body };
    },
  },
  {
    operation: "POST /v1/users/email-link/verify",
    writes: [event("account_linked", "platform_account")],
    prepare: async (world) => {
      const { id, token, proof } = await verifyLink(world);
      return { user: id, token, body: { token: proof } };
    },
  },
  {
    operation: "POST /v1/auth/verify-email",
    which: "with the token of a link",
    writes: [event("account_linked", "platform_account")],
    prepare: async (world) => {
      const { id, proof } = await verifyLink(world);
      return { user: id, body: { token: proof } };
    },
  },
  {
    operation: "DELETE /v1/users/{id}/accounts/{account_id}",
    writes: [event("account_unlinked", "platform_account")],
    prepare: async ({ server, admin }) => {
      const user = await externalUser(server);
      const params = { id: user.id, account_id: await link(server, user, "github") };
      return { user: user.id, actor: admin.id, token: admin.token, params };
    },
  },
];

// --- Bans and deletions -----------------------------------------------------------------------------------

/** A ban that ran out long ago, and that no job has closed yet: written with no audit event. */
const insertPastBan = (server: TestServer, userId: string) =>
  write(
    server,
    `INSERT INTO bans (id, user_id, banned_at, expires_at) VALUES ('${Bun.randomUUIDv7()}', '${userId}', 1, 2)`,
  );

/** Runs a job on the server's database from this process, rather than wait for the server's own. */
async function runJob(server: TestServer, job: () => Promise<void>): Promise<void> {
  loadConfig({ environment: {}, dataDir: server.dataDir });
  openDatabase(join(server.dataDir, "fairlead.db"), "normal");
  try {
    await job();
  } finally {
    closeDatabase();
  }
}

const BANS: Case[] = [
  {
    operation: "POST /v1/users/{id}/ban",
    which: "of somebody with a session",
    writes: [event("session_revoked", "session"), event("user_banned", "ban")],
    prepare: async ({ server, admin }) => {
      const { id } = await externalUser(server);
      return { user: id, actor: admin.id, token: admin.token, params: { id }, body: {} };
    },
  },
  {
    operation: "POST /v1/users/{id}/ban",
    which: "after one that ran out",
    writes: [event("user_unbanned", "ban", { byItself: true }), event("user_banned", "ban")],
    prepare: async ({ server, admin }) => {
      const { id } = await signInExternally(server, externalLogin());
      const run = () => insertPastBan(server, id);
      return { user: id, actor: admin.id, token: admin.token, params: { id }, body: {}, run };
    },
  },
  {
    operation: "DELETE /v1/users/{id}/ban",
    writes: [event("user_unbanned", "ban")],
    prepare: async ({ server, admin }) => {
      const { id } = await externalUser(server);
      done(await server.post(`/v1/users/${id}/ban`, { token: admin.token, body: {} }));
      return { user: id, actor: admin.id, token: admin.token, params: { id } };
    },
  },
  {
    operation: "close bans that ran out",
    writes: [event("user_unbanned", "ban")],
    prepare: async ({ server }) => {
      const { id } = await externalUser(server);
      const run = () => {
        insertPastBan(server, id);
        return runJob(server, closeExpiredBans);
      };
      return { user: id, run };
    },
  },
];

const byItself = { byItself: true } as const;

/** The events of the final deletion of a user with one session, two keys, a tracker, a share, an invitation, a link, a notification target and a client. */
const scrubbed = [
  event("session_revoked", "session", byItself),
  event("api_key_revoked", "api_key", byItself),
  event("api_key_revoked", "api_key", byItself),
  event("tracker_deleted", "tracker", byItself),
  event("device_unshared", "device", byItself),
  event("invitation_revoked", "invitation", byItself),
  event("share_link_ended", "share_link", byItself),
  event("notification_target_deleted", "notification_target", byItself),
  event("client_deleted", "oauth_client", byItself),
  event("passkey_removed", "passkey", byItself),
  event("user_deleted", "user"),
];

async function keyAndClientOwner(world: World) {
  const owner = await keyOwner(world);
  await newClient(world, owner.token);
  await register(world.server, owner.token, newAuthenticator(world.server));
  const { id } = await newTracker(world);
  const target = await newTarget(world);
  const shared = await world.server.device();
  await share(world.server, shared.id, owner.id, "now");
  const invitation = await newInvitation(world.server, {}, world.admin.token);
  const link = await newLink(world.server, { device_ids: [shared.id] }, world.admin.token);
  write(
    world.server,
    `UPDATE trackers SET user_id = '${owner.id}' WHERE id = '${id}'`,
    `UPDATE notification_targets SET user_id = '${owner.id}' WHERE id = '${target.id}'`,
    `UPDATE share_links SET made_by = '${owner.id}' WHERE id = '${link.id}'`,
    `UPDATE invitations SET made_by = '${owner.id}' WHERE id = '${invitation.id}'`,
  );
  return owner;
}

const DELETIONS: Case[] = [
  {
    operation: "POST /v1/users/me/deletion",
    writes: [event("user_deletion_scheduled", "user")],
    prepare: async ({ server, member: { id, token, password } }) => {
      await server.delete("/v1/users/me/deletion", { token });
      return { user: id, token, body: { password } };
    },
  },
  {
    operation: "DELETE /v1/users/me/deletion",
    writes: [event("user_deletion_cancelled", "user")],
    prepare: async ({ server, member: { id, token, password } }) => {
      await server.post("/v1/users/me/deletion", { token, body: { password } });
      return { user: id, token };
    },
  },
  {
    operation: "POST /v1/admin/users/{id}/cancel-deletion",
    writes: [event("user_deletion_cancelled", "user")],
    prepare: async ({ server, admin, member: { id, token, password } }) => {
      await server.post("/v1/users/me/deletion", { token, body: { password } });
      return { user: id, actor: admin.id, token: admin.token, params: { id } };
    },
  },
  {
    operation: "DELETE /v1/users/{id}",
    which: "of somebody with a session and two keys",
    writes: [
      event("session_revoked", "session"),
      event("api_key_revoked", "api_key"),
      event("api_key_revoked", "api_key"),
      event("user_deleted", "user"),
    ],
    prepare: async (world) => {
      const { id } = await keyOwner(world);
      return { user: id, actor: world.admin.id, token: world.admin.token, params: { id } };
    },
  },
  {
    operation: "POST /v1/admin/users/{id}/force-delete",
    which:
      "of somebody with a session, two keys, a tracker, a share, an invitation, a link, a notification target, a client and a passkey",
    writes: scrubbed,
    prepare: async (world) => {
      const { id } = await keyAndClientOwner(world);
      return { user: id, actor: world.admin.id, token: world.admin.token, params: { id }, body: {} };
    },
  },
  {
    operation: "delete accounts whose time has come",
    which:
      "of somebody with a session, two keys, a tracker, a share, an invitation, a link, a notification target, a client and a passkey",
    writes: scrubbed,
    prepare: async (world) => {
      const { id } = await keyAndClientOwner(world);
      const run = () => {
        write(world.server, `UPDATE users SET scheduled_deletion_at = 1 WHERE id = '${id}'`);
        return runJob(world.server, deleteDueAccounts);
      };
      return { user: id, run };
    },
  },
];

// --- Keys and clients -------------------------------------------------------------------------------------

/** An administrator's request about a key of the keeper. */
const aboutKey = async (world: World) => {
  const { id } = await newKey(world);
  return { user: world.keeper.id, actor: world.admin.id, token: world.admin.token, params: { id } };
};

/** The same about a key with a role. */
const withRole = async (world: World) => {
  const prepared = await aboutKey(world);
  const { id } = prepared.params;
  const body = { role_id: "role_user" };
  done(await world.server.post(`/v1/api-keys/${id}/roles`, { token: world.admin.token, body }));
  return { ...prepared, params: { id, role_id: "role_user" } };
};

/** A device, and the key of the keeper that posts for it. */
async function newDevice(world: World): Promise<string> {
  const body = { name: "linked", api_key_id: (await newKey(world)).id };
  return done(await world.server.post("/v1/devices", { token: world.admin.token, body })).data.id;
}

/** A tracker of the administrator's. */
const newTracker = ({ server, admin }: World) => trackerOf(server, "generic", { token: admin.token });

const linked = event("api_key_updated", "api_key");

const KEYS: Case[] = [
  {
    operation: "POST /v1/api-keys",
    writes: [event("api_key_created", "api_key")],
    prepare: ({ keeper: { id, token } }) => ({ user: id, token, body: { name: "test" } }),
  },
  {
    operation: "POST /v1/api-keys/{id}/regenerate",
    writes: [event("api_key_revoked", "api_key"), event("api_key_created", "api_key")],
    prepare: aboutKey,
  },
  {
    operation: "key create",
    writes: [event("api_key_created", "api_key")],
    prepare: ({ server, keeper: { id, username } }) => ({
      user: id,
      run: () => commandOutput(server, "key", "create", "--name", "made", "--owner", username),
    }),
  },
  {
    operation: "PATCH /v1/api-keys/{id}",
    writes: [event("api_key_updated", "api_key")],
    prepare: async (world) => ({
      ...(await aboutKey(world)),
      body: { name: "changed", is_active: false, scopes: [] },
    }),
  },
  {
    operation: "POST /v1/api-keys/{id}/roles",
    writes: [event("api_key_updated", "api_key")],
    prepare: async (world) => ({ ...(await aboutKey(world)), body: { role_id: "role_user" } }),
  },
  {
    operation: "DELETE /v1/api-keys/{id}/roles/{role_id}",
    writes: [event("api_key_updated", "api_key")],
    prepare: withRole,
  },
  {
    operation: "DELETE /v1/api-keys/{id}",
    writes: [event("api_key_revoked", "api_key")],
    prepare: aboutKey,
  },
  {
    operation: "POST /v1/devices",
    which: "with a key",
    writes: [linked],
    prepare: async (world) => ({
      ...{ user: world.keeper.id, actor: world.admin.id, token: world.admin.token },
      body: { name: "linked", api_key_id: (await newKey(world)).id },
    }),
  },
  {
    operation: "POST /v1/devices",
    which: "without a key",
    writes: [],
    prepare: ({ admin: { id, token } }) => ({ user: id, token, body: { name: "of its own" } }),
  },
  {
    operation: "PATCH /v1/devices/{id}",
    which: "another key",
    writes: [linked, linked],
    prepare: async (world) => ({
      ...{ user: world.keeper.id, actor: world.admin.id, token: world.admin.token },
      params: { id: await newDevice(world) },
      body: { api_key_id: (await newKey(world)).id },
    }),
  },
  {
    operation: "PATCH /v1/devices/{id}",
    which: "another name",
    writes: [],
    prepare: async (world) => ({
      ...{ user: world.keeper.id, token: world.admin.token, params: { id: await newDevice(world) } },
      body: { name: "renamed" },
    }),
  },
  {
    operation: "DELETE /v1/devices/{id}",
    which: "that a key posts for",
    writes: [linked],
    prepare: async (world) => ({
      ...{ user: world.keeper.id, actor: world.admin.id, token: world.admin.token },
      params: { id: await newDevice(world) },
    }),
  },
];

/** An administrator's request about a tracker of its own. */
const aboutTracker = async (world: World) => {
  const { deviceId, id } = await newTracker(world);
  const { admin } = world;
  return { user: admin.id, token: admin.token, params: { id: deviceId, tracker_id: id } };
};

const TRACKERS: Case[] = [
  {
    operation: "POST /v1/devices/{id}/trackers",
    writes: [event("tracker_created", "tracker")],
    prepare: async (world) => {
      const { user, token, params } = await aboutTracker(world);
      const body = { name: "phone", format: "generic", base_url: "https://boat.example.org" };
      return { user, token, params: { id: params.id }, body };
    },
  },
  {
    operation: "PATCH /v1/devices/{id}/trackers/{tracker_id}",
    writes: [event("tracker_updated", "tracker")],
    prepare: async (world) => ({ ...(await aboutTracker(world)), body: { name: "tablet" } }),
  },
  {
    operation: "DELETE /v1/devices/{id}/trackers/{tracker_id}",
    writes: [event("tracker_deleted", "tracker")],
    prepare: aboutTracker,
  },
  {
    operation: "DELETE /v1/devices/{id}",
    which: "that a tracker posts for",
    writes: [event("tracker_deleted", "tracker")],
    prepare: async (world) => {
      const { user, token, params } = await aboutTracker(world);
      return { user, token, params: { id: params.id } };
    },
  },
];

// --- Boxes ------------------------------------------------------------------------------------------------

const SHORE = { base_url: "https://shore.example.org" };

/** An administrator's request about a box of its own. */
const aboutBox = async ({ server, admin }: World) => {
  const made = await server.post("/v1/sync/boxes", { token: admin.token, body: { name: "Greif", ...SHORE } });
  return { user: admin.id, token: admin.token, params: { id: done(made).data.id } };
};

const BOXES: Case[] = [
  {
    operation: "POST /v1/sync/boxes",
    writes: [event("box_created", "box")],
    prepare: ({ admin: { id, token } }) => ({ user: id, token, body: { name: "Greif", ...SHORE } }),
  },
  {
    operation: "PATCH /v1/sync/boxes/{id}",
    writes: [event("box_updated", "box")],
    prepare: async (world) => ({ ...(await aboutBox(world)), body: { name: "Möwe" } }),
  },
  {
    operation: "POST /v1/sync/boxes/{id}/rotate-token",
    writes: [event("box_token_rotated", "box")],
    prepare: async (world) => ({ ...(await aboutBox(world)), body: SHORE }),
  },
  {
    operation: "POST /v1/sync/boxes/{id}/resync",
    writes: [event("box_resync_requested", "box")],
    prepare: aboutBox,
  },
  {
    operation: "DELETE /v1/sync/boxes/{id}",
    writes: [event("box_deleted", "box")],
    prepare: aboutBox,
  },
];

// --- Shares -----------------------------------------------------------------------------------------------

/** A device that is shared with somebody. */
export async function newShare(world: World): Promise<{ id: string; user_id: string }> {
  const { admin, server } = world;
  const device = await server.post("/v1/devices", { token: admin.token, body: { name: "shared" } });
  const [{ id }, user] = [done(device).data, await externalUser(server)];
  await share(server, id, user.id, "now");
  return { id, user_id: user.id };
}

const aboutShare = async (world: World) => {
  const params = await newShare(world);
  return { user: params.user_id, actor: world.admin.id, token: world.admin.token, params };
};

const SHARES: Case[] = [
  {
    operation: "PUT /v1/devices/{id}/shares/{user_id}",
    writes: [event("device_shared", "device")],
    prepare: async (world) => ({ ...(await aboutShare(world)), body: { level: "history" } }),
  },
  {
    operation: "DELETE /v1/devices/{id}/shares/{user_id}",
    writes: [event("device_unshared", "device")],
    prepare: aboutShare,
  },
  {
    operation: "DELETE /v1/devices/{id}",
    which: "that is shared",
    writes: [event("device_unshared", "device")],
    prepare: async (world) => {
      const { user, actor, token, params } = await aboutShare(world);
      return { user, actor, token, params: { id: params.id } };
    },
  },
  {
    operation: "end shares that ran out",
    writes: [event("device_unshared", "device", byItself)],
    prepare: async (world) => {
      const { id, user_id } = await newShare(world);
      const run = () => {
        write(world.server, `UPDATE device_shares SET expires_at = 1 WHERE device_id = '${id}'`);
        return runJob(world.server, endExpiredShares);
      };
      return { user: user_id, run };
    },
  },
];

// --- Links ------------------------------------------------------------------------------------------------

/** A link of the administrator's to what these fields say, as a case about its end takes it. */
const aboutLink = async ({ server, admin }: World, fields: object) => ({
  ...{ user: admin.id, token: admin.token },
  params: { id: (await newLink(server, fields, admin.token)).id as string },
});

const shownDevice = async ({ server, admin }: World): Promise<string> =>
  done(await server.post("/v1/devices", { token: admin.token, body: { name: "shown" } })).data.id;

const linkEnded = event("share_link_ended", "share_link");

const LINKS: Case[] = [
  {
    operation: "POST /v1/share-links",
    writes: [event("share_link_created", "share_link")],
    prepare: async (world) => {
      const body = { level: "live", device_ids: [await shownDevice(world)], base_url: BASE };
      const expires_at = new Date(world.server.time + 3_600_000).toISOString();
      return { user: world.admin.id, token: world.admin.token, body: { ...body, expires_at } };
    },
  },
  {
    operation: "DELETE /v1/share-links/{id}",
    writes: [linkEnded],
    prepare: async (world) => aboutLink(world, { device_ids: [await shownDevice(world)] }),
  },
  {
    operation: "DELETE /v1/devices/{id}",
    which: "that a link shows",
    writes: [linkEnded],
    prepare: async (world) => {
      const id = await shownDevice(world);
      return { ...(await aboutLink(world, { device_ids: [id] })), params: { id } };
    },
  },
  {
    operation: "DELETE /v1/trips/{id}",
    which: "that a link shows",
    writes: [linkEnded],
    prepare: async (world) => {
      const { id } = await createTrip(world.server);
      return { ...(await aboutLink(world, { trip_id: id })), params: { id } };
    },
  },
  {
    operation: "DELETE /v1/geofences/{id}",
    which: "that a link hides",
    writes: [linkEnded],
    prepare: async (world) => {
      const { id } = await createZone(world.server);
      const device_ids = [await shownDevice(world)];
      return { ...(await aboutLink(world, { device_ids, hide_zone_ids: [id] })), params: { id } };
    },
  },
  {
    operation: "end links that ran out",
    writes: [event("share_link_ended", "share_link", byItself)],
    prepare: async (world) => {
      const { user, params } = await aboutLink(world, { device_ids: [await shownDevice(world)] });
      const run = () => {
        write(world.server, `UPDATE share_links SET expires_at = 1 WHERE id = '${params.id}'`);
        return runJob(world.server, endExpiredLinks);
      };
      return { user, run };
    },
  },
];

// --- Invitations ------------------------------------------------------------------------------------------

const INVITATIONS: Case[] = [
  {
    operation: "POST /v1/invitations",
    writes: [event("invitation_created", "invitation")],
    prepare: ({ admin }) => ({ user: admin.id, token: admin.token, body: { base_url: BASE } }),
  },
  {
    operation: "DELETE /v1/invitations/{id}",
    writes: [event("invitation_revoked", "invitation")],
    prepare: async ({ server, admin }) => {
      const { id } = await newInvitation(server, {}, admin.token);
      return { user: admin.id, token: admin.token, params: { id } };
    },
  },
  {
    operation: "POST /v1/invitations/{token}/accept",
    which: "to a role and a device",
    writes: [
      event("user_created", "user"),
      event("role_assigned", "role"),
      event("device_shared", "device"),
      event("invitation_accepted", "invitation"),
      event("session_created", "session"),
    ],
    prepare: async ({ server, admin, keyRole }) => {
      const device = done(await server.post("/v1/devices", { token: admin.token, body: { name: "lent" } }));
      const device_shares = [{ device_id: device.data.id, level: "now" }];
      const { token } = await newInvitation(server, { role_ids: [keyRole], device_shares }, admin.token);
      return { user: ({ user_id }) => user_id, params: { token }, body: newPerson() };
    },
  },
];

/** A file with one position, and a device to which it is imported. */
const importable = async (world: World) => ({
  id: await newDevice(world),
  file: "latitude,longitude,timestamp\n54.1,13.4,1372578069\n",
});

const IMPORTS: Case[] = [
  {
    operation: "POST /v1/devices/{id}/import",
    writes: [event("positions_imported", "device")],
    prepare: async (world) => {
      const { id, file } = await importable(world);
      const { admin } = world;
      return {
        ...{ user: admin.id, token: admin.token, params: { id } },
        ...{ raw: file, headers: { "content-type": "text/csv" } },
      };
    },
  },
  {
    operation: "POST /v1/devices/{id}/import",
    which: "of a file that breaks off",
    writes: [failure("positions_imported", "device")],
    prepare: async (world) => {
      const { id, file } = await importable(world);
      const { admin } = world;
      return {
        ...{ user: admin.id, token: admin.token, params: { id }, refused: 400 },
        ...{ raw: `${file}54.1`, headers: { "content-type": "text/csv" } },
      };
    },
  },
  {
    operation: "import",
    writes: [event("positions_imported", "device")],
    prepare: async (world) => {
      const { id, file } = await importable(world);
      const path = join(world.server.dataDir, "import.csv");
      await Bun.write(path, file);
      return { user: null, run: () => commandOutput(world.server, "import", path, "--device", id) };
    },
  },
];

// --- Alerts -----------------------------------------------------------------------------------------------

/** A rule of the administrator's. */
const newAlertRule = async ({ server }: World, condition: object, fields: object = {}): Promise<string> =>
  (await newRule(server, condition, fields)).id;

/** A device in a zone, and a rule that mentions both and nothing else. */
async function ruleOnZone(world: World): Promise<{ device: Sender; zone: string }> {
  const device = await world.server.device();
  const { id: zone } = await createZone(world.server);
  const condition = { type: "zone", event: "enter", geofence_ids: [zone] };
  await newAlertRule(world, condition, { device_ids: [device.id] });
  return { device, zone };
}

const ruleUpdated = event("alert_rule_updated", "alert_rule");

const ALERT_CASES: Case[] = [
  {
    operation: "POST /v1/alert-rules",
    writes: [event("alert_rule_created", "alert_rule")],
    prepare: ({ admin }) => ({
      ...{ user: admin.id, token: admin.token },
      body: { name: "fast", severity: "info", condition: { type: "speed", above_knots: 12 } },
    }),
  },
  {
    operation: "PATCH /v1/alert-rules/{id}",
    writes: [ruleUpdated],
    prepare: async (world) => {
      const { admin } = world;
      const id = await newAlertRule(world, { type: "anchor" });
      return { user: admin.id, token: admin.token, params: { id }, body: { name: "anchor" } };
    },
  },
  {
    operation: "DELETE /v1/alert-rules/{id}",
    writes: [event("alert_rule_deleted", "alert_rule")],
    prepare: async (world) => {
      const { admin } = world;
      return {
        user: admin.id,
        token: admin.token,
        params: { id: await newAlertRule(world, { type: "anchor" }) },
      };
    },
  },
  {
    operation: "DELETE /v1/geofences/{id}",
    writes: [ruleUpdated],
    prepare: async (world) => {
      const { admin } = world;
      return { user: admin.id, token: admin.token, params: { id: (await ruleOnZone(world)).zone } };
    },
  },
  {
    operation: "DELETE /v1/devices/{id}",
    which: "that a rule mentions",
    writes: [event("api_key_updated", "api_key"), ruleUpdated],
    prepare: async (world) => {
      const { admin } = world;
      return { user: admin.id, token: admin.token, params: { id: (await ruleOnZone(world)).device.id } };
    },
  },
  {
    operation: "POST /v1/alerts/{id}/acknowledge",
    writes: [event("alert_acknowledged", "alert")],
    prepare: async (world) => {
      const { admin, server } = world;
      const { device } = await ruleOnZone(world);
      await send(server, device);
      const [alert] = await alertsOf(server, `&device_id=${device.id}`);
      return { user: admin.id, token: admin.token, params: { id: alert.id } };
    },
  },
  {
    operation: "PUT /v1/devices/{id}/anchor",
    writes: [event("anchor_watch_set", "device")],
    prepare: async ({ admin, server }) => {
      const { id } = await server.device();
      const body = { latitude: 54, longitude: 13, radius_m: 50 };
      return { user: admin.id, token: admin.token, params: { id }, body };
    },
  },
  {
    operation: "DELETE /v1/trips/{id}",
    writes: [event("trip_log_deleted", "trip")],
    prepare: async ({ admin, server }) => {
      const { token } = admin;
      const { id } = done(await server.post("/v1/trips", { token, body: { name: "trip" } })).data;
      done(await server.post(`/v1/trips/${id}/log`, { token, body: { text: "Cast off" } }));
      return { user: admin.id, token, params: { id } };
    },
  },
  {
    operation: "DELETE /v1/devices/{id}/anchor",
    writes: [event("anchor_watch_ended", "device")],
    prepare: async ({ admin, server }) => {
      const { id } = await server.device();
      const { token } = admin;
      done(
        await server.put(`/v1/devices/${id}/anchor`, {
          token,
          body: { latitude: 54, longitude: 13, radius_m: 50 },
        }),
      );
      return { user: admin.id, token, params: { id } };
    },
  },
];

// --- Notification targets ----------------------------------------------------------------------------------

/** A receiver that wants no more webhooks. */
export const gone = new WebhookStandIn();
gone.answer(() => new Response(null, { status: 410 }));

/** A target of the administrator's, by default one that leads nowhere. */
export const newTarget = ({ server, admin }: World, url = "https://no.such.host.invalid/") =>
  targetOf(server, { kind: "webhook", url }, { token: admin.token });

/** An administrator's request about a target of its own. */
const aboutTarget = async (world: World, url?: string) => {
  const { admin } = world;
  return { user: admin.id, token: admin.token, params: { id: (await newTarget(world, url)).id as string } };
};

const targetUpdated = event("notification_target_updated", "notification_target");

const TARGETS: Case[] = [
  {
    operation: "POST /v1/notification-targets",
    writes: [event("notification_target_created", "notification_target")],
    prepare: ({ admin }) => ({
      ...{ user: admin.id, token: admin.token },
      body: { name: "crew", kind: "email", to: "crew@example.org" },
    }),
  },
  {
    operation: "PATCH /v1/notification-targets/{id}",
    writes: [targetUpdated],
    prepare: async (world) => ({ ...(await aboutTarget(world)), body: { name: "bridge" } }),
  },
  {
    operation: "POST /v1/notification-targets/{id}/rotate-secret",
    writes: [event("notification_target_secret_rotated", "notification_target")],
    prepare: (world) => aboutTarget(world),
  },
  {
    operation: "POST /v1/notification-targets/{id}/test",
    which: "that is answered by 410",
    writes: [targetUpdated],
    prepare: (world) => aboutTarget(world, gone.url),
  },
  {
    operation: "POST /v1/notification-targets/{id}/test",
    which: "that fails",
    writes: [],
    prepare: (world) => aboutTarget(world),
  },
  {
    operation: "deliver notifications",
    which: "of which one is answered by 410",
    writes: [targetUpdated],
    prepare: async ({ server, admin, ...world }) => {
      const { user, params } = await aboutTarget({ server, admin, ...world }, gone.url);
      const run = async () => {
        putDeliveries(server, params.id);
        const waiting = `SELECT id FROM outbox WHERE lane = ? AND status = 'waiting'`;
        await eventually(() => rows(server, waiting, params.id).length === 0);
      };
      return { user, run };
    },
  },
  {
    operation: "DELETE /v1/notification-targets/{id}",
    writes: [event("notification_target_deleted", "notification_target")],
    prepare: (world) => aboutTarget(world),
  },
];

async function newClient({ server }: World, token: string): Promise<string> {
  const body = { name: "app", redirect_uris: ["https://app.example/callback"] };
  return done(await server.post("/v1/oauth/clients", { token, body })).client.id;
}

/** An administrator's request about a client of the member. */
const aboutClient = async (world: World) => ({
  ...{ user: world.member.id, actor: world.admin.id, token: world.admin.token },
  params: { id: await newClient(world, world.member.token) },
});

const CLIENTS: Case[] = [
  {
    operation: "POST /v1/oauth/clients",
    writes: [event("client_created", "oauth_client")],
    prepare: ({ member: { id, token } }) => ({
      ...{ user: id, token, body: { name: "app", redirect_uris: ["https://app.example/callback"] } },
    }),
  },
  {
    operation: "PATCH /v1/oauth/clients/{id}",
    writes: [event("client_updated", "oauth_client")],
    prepare: async (world) => ({
      ...(await aboutClient(world)),
      body: { name: "another", client_type: "public" },
    }),
  },
  {
    operation: "POST /v1/oauth/clients/{id}/regenerate-secret",
    writes: [event("client_secret_regenerated", "oauth_client")],
    prepare: aboutClient,
  },
  {
    operation: "DELETE /v1/oauth/clients/{id}",
    writes: [event("client_deleted", "oauth_client")],
    prepare: aboutClient,
  },
];

// --- Roles, platforms, the audit log itself ---------------------------------------------------------------

const roleUpdated = event("role_updated", "role");

const ROLES: Case[] = [
  {
    operation: "POST /v1/roles",
    writes: [event("role_created", "role")],
    prepare: ({ admin: { id, token } }) => ({ user: id, token, body: { name: "Pilots" } }),
  },
  {
    operation: "POST /v1/roles",
    which: "by a system key",
    writes: [event("role_created", "role")],
    prepare: ({ server }) => ({ user: null, token: server.systemKey, body: { name: "Machines" } }),
  },
  {
    operation: "PATCH /v1/roles/{id}",
    writes: [roleUpdated],
    prepare: async ({ server, admin }) => ({
      ...{ user: admin.id, token: admin.token, params: { id: (await newRole(server)).id } },
      body: { name: "Stewards", description: "Cook, too", requires_two_factor: true },
    }),
  },
  {
    operation: "POST /v1/roles/{id}/permissions",
    writes: [roleUpdated],
    prepare: async ({ server, admin }) => ({
      ...{ user: admin.id, token: admin.token, params: { id: (await newRole(server)).id } },
      body: { permission_id: permissionId(server, "gps:read") },
    }),
  },
  {
    operation: "DELETE /v1/roles/{id}/permissions/{permission_id}",
    writes: [roleUpdated],
    prepare: async ({ server, admin }) => {
      const { id } = await newRole(server);
      done(await grant(server, id, "gps:read"));
      const params = { id, permission_id: permissionId(server, "gps:read") };
      return { user: admin.id, token: admin.token, params };
    },
  },
  {
    operation: "DELETE /v1/roles/{id}",
    which: "that somebody holds",
    writes: [event("role_deleted", "role")],
    prepare: async ({ server, admin, member }) => {
      const { id } = await newRole(server);
      await assign(server, member.id, id);
      return { user: admin.id, token: admin.token, params: { id } };
    },
  },
  {
    operation: "POST /v1/users/{id}/roles",
    writes: [event("role_assigned", "role")],
    prepare: async ({ server, admin, member: { id } }) => ({
      ...{ user: id, actor: admin.id, token: admin.token, params: { id } },
      body: { role_id: (await newRole(server)).id },
    }),
  },
  {
    operation: "DELETE /v1/users/{id}/roles/{role_id}",
    writes: [event("role_removed", "role")],
    prepare: async ({ server, admin, member }) => {
      const { id: role_id } = await newRole(server);
      await assign(server, member.id, role_id);
      return { user: member.id, actor: admin.id, token: admin.token, params: { id: member.id, role_id } };
    },
  },
  {
    operation: "POST /v1/permissions",
    writes: [event("permission_created", "permission")],
    prepare: ({ admin: { id, token } }) => ({ user: id, token, body: { resource: "cargo", action: "read" } }),
  },
];

const updated = event("platform_updated", "platform");

const PLATFORMS: Case[] = [
  {
    operation: "PATCH /v1/platforms/{id_or_slug}/enabled",
    writes: [updated],
    prepare: ({ admin: { id, token } }) => ({
      ...{ user: id, token, params: { id_or_slug: "twitch" }, body: { enabled: false } },
    }),
  },
  {
    operation: "PATCH /v1/platforms/{id_or_slug}/settings",
    which: "three settings",
    writes: [updated, updated, updated],
    prepare: ({ admin: { id, token } }) => ({
      ...{ user: id, token, params: { id_or_slug: "youtube" } },
      body: { enabled: false, two_factor_required: true, registration_enabled: false },
    }),
  },
  {
    operation: "PATCH /v1/platforms/{id_or_slug}/settings",
    which: "one setting anew, two as they are",
    writes: [updated],
    prepare: ({ admin: { id, token } }) => ({
      ...{ user: id, token, params: { id_or_slug: "google" } },
      body: { enabled: true, two_factor_required: true, registration_enabled: true },
    }),
  },
];

const settingUpdated = event("setting_updated", "setting");

/** A setting's key; the setting is there when the case begins. */
async function newSetting({ server, admin: { token } }: World): Promise<string> {
  const key = `case.${Bun.randomUUIDv7()}`;
  done(await server.post("/v1/settings", { token, body: { key, value: 1 } }));
  return key;
}

/** Has a bot tell of a guild with a member. */
export async function syncGuild(server: TestServer): Promise<void> {
  const told = new Told();
  told.memberList = [member("1")];
  const bot = await connectBot(server, told);
  const { sync, syncMembers } = requests(server);
  for (const answer of [await sync(), await syncMembers()]) done(answer);
  await bot.close();
}

const SETTINGS: Case[] = [
  {
    operation: "POST /v1/settings",
    writes: [settingUpdated],
    prepare: ({ admin: { id, token } }) => ({ user: id, token, body: { key: "case", value: null } }),
  },
  {
    operation: "POST /v1/settings",
    which: "by a system key",
    writes: [settingUpdated],
    prepare: ({ server }) => ({ user: null, token: server.systemKey, body: { key: "case.2", value: 1 } }),
  },
  {
    operation: "PUT /v1/settings/{key}",
    writes: [settingUpdated],
    prepare: async (world) => ({
      ...{ user: world.admin.id, token: world.admin.token },
      ...{ params: { key: await newSetting(world) }, body: { value: 2 } },
    }),
  },
  {
    operation: "DELETE /v1/settings/{key}",
    writes: [settingUpdated],
    prepare: async (world) => ({
      ...{ user: world.admin.id, token: world.admin.token, params: { key: await newSetting(world) } },
    }),
  },
  {
    operation: "PATCH /v1/system-config/{key}",
    writes: [event("setting_updated", "system_config")],
    prepare: ({ admin: { id, token } }) => ({
      ...{ user: id, token, params: { key: "vessels.radius_km" }, body: { value: 30 } },
    }),
  },
  {
    operation: "PUT /v1/community/settings",
    writes: [event("setting_updated", "community_settings")],
    prepare: ({ admin: { id, token } }) => ({ user: id, token, body: { command_cooldown_seconds: 5 } }),
  },
  {
    operation: "PUT /v1/community/guilds/{guild_id}/settings",
    writes: [event("setting_updated", "community_settings")],
    prepare: async ({ server, admin: { id, token } }) => {
      await syncGuild(server);
      return { user: id, token, params: { guild_id: GUILD }, body: { default_language: "de" } };
    },
  },
];

/**
 * Twitch, where the world's server is registered as an application: its settings are those of `startWorld`.
 */
export const twitch = new TwitchStandIn();

/**
 * Consents to a connection that a user starts; returns the query with which Twitch sends the browser back.
 */
async function consentOnTwitch({ server }: World, token: string): Promise<string> {
  const origin = `http://localhost:${new URL(server.url).port}`;
  twitch.redirectUri = `${origin}/v1/integrations/callback/twitch`;
  const body = { redirect_uri: `${origin}/docs` };
  const started = done(await server.post("/v1/integrations/platform/twitch/connect", { token, body }));
  const { headers } = await fetch(started.authorization_url, { redirect: "manual" });
  return new URL(headers.get("location") ?? "").search;
}

/** Connects an account on Twitch, and returns the integration's identifier. */
export async function connectTwitch(world: World, token: string): Promise<string> {
  await world.server.get(`/v1/integrations/callback/twitch${await consentOnTwitch(world, token)}`);
  return done(await world.server.get("/v1/integrations", { token }))[0].id;
}

const removal = "DELETE /v1/integrations/{id}";
const callBack = "GET /v1/integrations/callback/{platform}";
/** A call-back always answers a redirect, whatever its result. */
const onward = { params: { platform: "twitch" }, refused: 302 };

const INTEGRATIONS: Case[] = [
  {
    operation: callBack,
    writes: [event("account_linked", "integration")],
    prepare: async (world) => {
      const { id, token } = await externalUser(world.server);
      return { ...onward, user: id, query: await consentOnTwitch(world, token) };
    },
  },
  {
    operation: callBack,
    which: "of an account that was removed",
    writes: [event("account_reconnected", "integration")],
    prepare: async (world) => {
      const { id, token } = await externalUser(world.server);
      done(await world.server.delete(`/v1/integrations/${await connectTwitch(world, token)}`, { token }));
      return { ...onward, user: id, query: await consentOnTwitch(world, token) };
    },
  },
  {
    operation: callBack,
    which: "with an error",
    writes: [],
    prepare: async (world) => {
      const { id, token } = await externalUser(world.server);
      const query = `${await consentOnTwitch(world, token)}&error=access_denied`;
      return { ...onward, user: id, query };
    },
  },
  {
    operation: removal,
    writes: [event("account_unlinked", "integration")],
    prepare: async (world) => {
      const { id, token } = await externalUser(world.server);
      return { user: id, token, params: { id: await connectTwitch(world, token) } };
    },
  },
];

/** The types that only other services write. */
const foreign = Object.entries(EVENT_TYPES)
  .filter(([, { by }]) => (by as readonly string[]).includes("POST /v1/internal/audit"))
  .map(([type]) => type as keyof typeof EVENT_TYPES);

const AUDIT: Case[] = [
  {
    operation: "GET /v1/user/export",
    writes: [event("data_exported", "export")],
    prepare: ({ member: { id, token } }) => ({ user: id, token, isFile: true }),
  },
  {
    operation: "POST /v1/users/me/audit/{event_id}/report",
    writes: [event("audit_reported", "audit_event")],
    prepare: async ({ server, member: { id, token } }) => {
      const [newest] = done(await server.get("/v1/users/me/audit?limit=1", { token })).events;
      return { user: id, token, params: { event_id: newest.id }, body: { reason: "not_me" } };
    },
  },
  ...foreign.map((event_type) => ({
    operation: "POST /v1/internal/audit",
    which: event_type,
    writes: [event(event_type, "thing")],
    prepare: ({ server, member, admin }: World) => {
      const common = { resource_type: "thing", status: "success", source_service: "id", metadata: {} };
      const body = { ...common, event_type, user_id: member.id, actor_id: admin.id };
      return { user: member.id, actor: admin.id, token: server.systemKey, body };
    },
  })),
  ...foreign.map((event_type) => ({
    operation: "CreateAuditEventRequest",
    which: event_type,
    writes: [event(event_type, "thing")],
    prepare: ({ server, member, admin }: World) => {
      const payload = { eventType: event_type, resourceType: "thing", userId: member.id, actorId: admin.id };
      const run = () => overSocket(server, "createAuditEvent", payload);
      return { user: member.id, actor: admin.id, run };
    },
  })),
  {
    operation: "ModerationEvent",
    writes: [event("moderation_action", "community_member")],
    prepare: async ({ server }) => {
      const [user, actor] = [await externalUser(server), await externalUser(server)];
      const who = { guildId: "1", userId: user.providerId, moderatorId: actor.providerId };
      const run = () => overSocket(server, "moderationEvent", { ...who, action: "warn" });
      return { user: user.id, actor: actor.id, run };
    },
  },
];

/** Sends a message of the socket and waits for its answer. */
async function overSocket(server: TestServer, payload: string, fields: object): Promise<void> {
  const client = await Client.open(server, { bearer: server.systemKey });
  await client.ask(frame(payload, fields));
  await client.close();
}

/** Sign-ins and sign-outs of pages: as those of programs, by other doors. */
const ON_PAGES: Record<string, string> = {
  "POST /v1/auth/login": "POST /bridge/session",
  "POST /v1/auth/2fa/verify": "POST /bridge/session/2fa",
  "POST /v1/auth/logout": "DELETE /bridge/session",
  "POST /v1/auth/passkeys/verify": "POST /bridge/session/passkey",
  "POST /v1/auth/2fa/passkey/verify": "POST /bridge/session/2fa/passkey",
};

const withPages = (cases: Case[]): Case[] =>
  cases.flatMap((one): Case[] => {
    const operation = ON_PAGES[one.operation];
    if (operation === undefined) return [one];
    const prepare: Case["prepare"] = async (world) => ({
      ...(await one.prepare(world)),
      headers: { "x-fairlead-page": "1" },
    });
    return [one, { ...one, operation, prepare }];
  });

export const CASES: Case[] = withPages([
  ...withGrants(SIGN_INS),
  ...withGrants(SESSIONS),
  ...PROOFS,
  ...withGrants(PASSWORDS),
  ...withGrants(TWO_FACTORS),
  ...OAUTH_CASES,
  ...OIDC_CASES,
  ...PASSKEY_CASES,
  ...CREATED,
  ...UPDATED,
  ...LINKED,
  ...withGrants(BANS),
  ...withGrants(DELETIONS),
  ...KEYS,
  ...TRACKERS,
  ...BOXES,
  ...SHARES,
  ...INVITATIONS,
  ...LINKS,
  ...IMPORTS,
  ...ALERT_CASES,
  ...TARGETS,
  ...CLIENTS,
  ...ROLES,
  ...PLATFORMS,
  ...INTEGRATIONS,
  ...SETTINGS,
  ...AUDIT,
]);
