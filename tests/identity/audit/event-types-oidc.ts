import { type Account, OidcStandIn } from "../../stand-ins/oidc";
import { done } from "../../support/expectations";
import { newUser } from "../../support/people";
import { newRole } from "../../support/roles";
import { Browser, newAccount, signInThrough } from "../oidc/support";
import { guarded } from "../two-factor/support";
import { type Case, event, failure, type World } from "./event-types-support";

/** The cases of sign-ins through an OpenID provider. */

export const provider = await OidcStandIn.start();

/** The role of the crew is made by the first case that needs it. */
export const providerSettings = provider.settings("harbour", {
  allow_registration: "true",
  trust_email: "true",
  role_map: "crew=Crew of the provider",
});

const callBack = "the call-back of a provider";
const page = { "x-fairlead-page": "1" };

/** Goes to the provider as somebody whom no server knows, and returns the browser with the address of its way back. */
async function onTheWay({ server }: World, account: Account = newAccount()) {
  provider.wrongs = {};
  provider.account = account;
  const browser = new Browser(server);
  return { browser, callback: await browser.callbackOf("harbour"), account };
}

/** Signs somebody in, and returns who it is. */
async function signedIn({ server }: World, more: Record<string, unknown> = {}) {
  provider.wrongs = {};
  provider.account = newAccount(more);
  const { session, token } = await signInThrough(server, "harbour");
  return { id: session.user_id as string, token, account: provider.account };
}

/** The role that the provider gives. */
async function crewRole({ server, admin }: World): Promise<void> {
  const { data } = done(await server.get("/v1/roles", { token: admin.token }));
  if (data.some(({ name }: { name: string }) => name === "Crew of the provider")) return;
  const { id } = await newRole(server, "gps:read");
  done(await server.patch(`/v1/roles/${id}`, { token: admin.token, body: { name: "Crew of the provider" } }));
}

/** The code of somebody who came back, and the browser that has it. */
async function codeOf(world: World, account: Account) {
  const { browser, callback } = await onTheWay(world, account);
  const step = await browser.open(callback);
  const code = /([\w-]{43})$/.exec(step.to ?? "")?.[1] ?? "";
  return { code, cookie: browser.cookie };
}

/** The code with which a user comes back who links an identity. */
async function linkCode({ server }: World, token: string): Promise<string> {
  provider.wrongs = {};
  provider.account = newAccount({ email: null });
  const begun = done(await server.post("/v1/users/me/identities/begin/harbour", { token, body: {} }));
  const browser = new Browser(server);
  const step = await browser.open(await browser.atProvider(begun.authorization_url));
  return /([\w-]{43})$/.exec(step.to ?? "")?.[1] ?? "";
}

export const OIDC_CASES: Case[] = [
  {
    operation: callBack,
    which: "of a new user",
    writes: [
      event("user_created", "user", { byItself: true }),
      event("account_linked", "oidc_identity", { byItself: true }),
    ],
    prepare: async (world) => {
      const { browser, callback, account } = await onTheWay(world);
      const name = (account.preferred_username ?? "").toLowerCase().replace(".", "_");
      const run = async () => {
        await browser.open(callback);
        return idOf(world, name);
      };
      return { user: (found: { id: string }) => found.id, run };
    },
  },
  {
    operation: callBack,
    which: "with a group that gives a role",
    writes: [event("role_assigned", "role", { byItself: true })],
    prepare: async (world) => {
      await crewRole(world);
      const { id, account } = await signedIn(world);
      const { browser, callback } = await onTheWay(world, { ...account, groups: ["crew"] });
      return { user: id, run: () => browser.open(callback) };
    },
  },
  {
    operation: callBack,
    which: "without it",
    writes: [event("role_removed", "role", { byItself: true })],
    prepare: async (world) => {
      await crewRole(world);
      const { id, account } = await signedIn(world, { groups: ["crew"] });
      const { browser, callback } = await onTheWay(world, { ...account, groups: [] });
      return { user: id, run: () => browser.open(callback) };
    },
  },
  {
    operation: callBack,
    which: "that the provider denied",
    writes: [failure("login_failed")],
    prepare: async (world) => {
      const browser = new Browser(world.server);
      provider.account = newAccount();
      provider.wrongs = { error: "access_denied" };
      const callback = await browser.callbackOf("harbour");
      return { user: null, run: () => browser.open(callback) };
    },
  },
  {
    operation: "POST /bridge/session/oidc",
    writes: [event("session_created", "session"), event("login", "session")],
    prepare: async (world) => {
      const { id, account } = await signedIn(world);
      const { code, cookie } = await codeOf(world, account);
      return { user: id, headers: { ...page, cookie }, body: { code } };
    },
  },
  {
    operation: "POST /v1/auth/oidc/session",
    writes: [event("session_created", "session"), event("login", "session")],
    prepare: async (world) => {
      const { id, account } = await signedIn(world);
      const { code, cookie } = await codeOf(world, account);
      return { user: id, headers: { cookie }, body: { code } };
    },
  },
  {
    operation: "POST /v1/users/me/identities",
    writes: [event("account_linked", "oidc_identity")],
    prepare: async (world) => {
      const { id, token } = await newUser(world.server);
      return { user: id, token, body: { code: await linkCode(world, token) } };
    },
  },
  {
    operation: "DELETE /v1/users/me/identities/{id}",
    writes: [event("account_unlinked", "oidc_identity")],
    prepare: async (world) => {
      const user = await guarded(world.server);
      const { token } = user;
      const code = await linkCode(world, token);
      const made = done(await world.server.post("/v1/users/me/identities", { token, body: { code } }));
      return { user: user.id, token, params: { id: made.data.id } };
    },
  },
];

/** Identifier of the user with a name. */
async function idOf({ server, admin }: World, username: string): Promise<{ id: string }> {
  const { data } = done(await server.get("/v1/users?limit=100", { token: admin.token }));
  const found = data.find((user: { username: string }) => user.username === username);
  return { id: found?.id ?? "" };
}
