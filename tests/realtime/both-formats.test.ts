import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { externalUser } from "../identity/accounts-support";
import { done, newcomer, nextMail, signIn } from "../identity/deletion-support";
import { newestMail } from "../identity/registration-support";
import { assign, grant, holder, newRole, unassign } from "../identity/roles-support";
import type { Answer, Token } from "../support/api";
import { TestServer } from "../support/server";
import { milliseconds, read, subscribeInBinary, typeOf } from "./binary";
import { Client, type Message } from "./support";

/**
 * Every message about an account and about rights: exactly its fields, to exactly its recipients, in both formats
 * (Part 3, "JSON messages", "Protobuf envelope", "Events"; decisions 7.3 and 7.4).
 */
let server: TestServer;
let admin: Token;
beforeAll(async () => {
  server = await TestServer.start();
  admin = await server.admin();
});
afterAll(() => server.stop());

interface Somebody {
  id: string;
  token: Token;
}

interface Case {
  /** The messages that are expected, in their order. */
  types: string[];
  /** The fields of each in JSON beside `type`; with `?` those that the binary form leaves out when they are null. */
  fields: string[];
  who?: () => Promise<Somebody>;
  act: (user: Somebody) => Promise<unknown>;
}

const put = async (answer: Promise<Answer>) => done(await answer);
const consent = (user: Somebody, overrides: object = {}) =>
  put(
    server.post("/v1/internal/audit", {
      token: server.systemKey,
      body: {
        user_id: user.id,
        event_type: "consent_revoked",
        resource_type: "oauth_client",
        resource_id: "crew-app",
        source_service: "id",
        status: "success",
        metadata: null,
        ...overrides,
      },
    }),
  );

let addresses = 0;
const freshEmail = () => `told${++addresses}@example.net`;

const CASES: Record<string, Case> = {
  "a ban for good": {
    types: ["accountBanned"],
    fields: ["userId reason? expiresAt? isPermanent timestamp"],
    act: ({ id }) => put(server.post(`/v1/users/${id}/ban`, { token: admin, body: {} })),
  },
  "a ban for a time": {
    types: ["accountBanned"],
    fields: ["userId reason? expiresAt? isPermanent timestamp"],
    act: ({ id }) => {
      const body = { reason: "Spam — σήμερα", duration_seconds: 60 };
      return put(server.post(`/v1/users/${id}/ban`, { token: admin, body }));
    },
  },
  "a deletion": {
    types: ["accountDeleted"],
    fields: ["userId reason? timestamp"],
    act: ({ id }) => put(server.delete(`/v1/users/${id}`, { token: admin })),
  },
  "a session that is revoked": {
    types: ["sessionRevoked"],
    fields: ["userId sessionId reason? timestamp"],
    act: async (user) => {
      const { session_id } = done(await signIn(server, user as Awaited<ReturnType<typeof newcomer>>));
      await put(server.delete(`/v1/users/me/sessions/${session_id}`, { token: user.token }));
    },
  },
  "a password that is reset": {
    types: ["forceLogout"],
    fields: ["userId reason? timestamp"],
    act: async (user) => {
      const { email } = user as Awaited<ReturnType<typeof newcomer>>;
      await put(server.post("/v1/auth/reset-password", { body: { email } }));
      const { token } = await nextMail(server, email, "password_reset");
      const body = { token, new_password: "another long password" };
      await put(server.post("/v1/auth/reset-password/complete", { body }));
    },
  },
  "a consent that is taken back": {
    types: ["oauthConsentRevoked"],
    fields: ["userId clientId timestamp"],
    act: (user) => consent(user),
  },
  "a role that is given": {
    types: ["rolesUpdated", "permissionsUpdated"],
    fields: ["userId roles roleIds timestamp", "userId permissions"],
    act: ({ id }) => assign(server, id, "role_admin"),
  },
  "a role that grants more": {
    types: ["rolePermissionsChanged", "permissionsUpdated"],
    fields: ["roleId roleName", "userId permissions"],
    who: async () => holder(server, (await newRole(server, "trips:read")).id),
    act: async ({ id }) => {
      const { roles } = done(await server.get(`/v1/users/${id}/roles`, { token: admin }));
      const role = roles.find((held: { id: string }) => held.id !== "role_user");
      await put(grant(server, role.id, "gps:read"));
    },
  },
  "the last role, which is taken": {
    types: ["rolesUpdated", "permissionsUpdated"],
    fields: ["userId roles roleIds timestamp", "userId permissions"],
    act: ({ id }) => unassign(server, id, "role_user"),
  },
  "an address that is linked": {
    types: ["emailLinkVerified"],
    fields: ["userId email platformAccountId timestamp"],
    who: () => externalUser(server),
    act: async ({ id, token }) => {
      const email = freshEmail();
      const body = { email, password: "nine tides a day" };
      await put(server.post(`/v1/users/${id}/email-link/request`, { token, body }));
      const mail = await newestMail(server, email);
      await put(server.post("/v1/users/email-link/verify", { token, body: { token: mail.token } }));
    },
  },
  "an address that is changed": {
    types: ["emailChangeVerified"],
    fields: ["userId email timestamp"],
    act: async ({ id, token }) => {
      const email = freshEmail();
      await put(server.post(`/v1/users/${id}/email/request-change`, { token, body: { email } }));
      const mail = await newestMail(server, email);
      await put(server.post("/v1/users/email/verify", { token, body: { token: mail.token } }));
    },
  },
};

/** What decisions leave out of the JSON form of the messages about permissions. */
const ONLY_BINARY = { permissionsUpdated: ["timestamp"], rolePermissionsChanged: ["timestamp"] } as Record<
  string,
  string[]
>;

/** Takes as many messages as there should be, and expects that nothing follows. */
async function take(client: Client, count: number): Promise<Message[]> {
  const messages: Message[] = [];
  while (messages.length < count) messages.push(await client.next());
  return messages;
}

/** Expects that the binary message says exactly what the JSON one says. */
function expectSame(binary: Message, json: Message): void {
  const { type: name, ...fields } = json;
  const { type, ...payloads } = read(binary);
  expect(type).toBe(typeOf(name));
  const said = Object.fromEntries(
    Object.entries(fields).filter(
      ([, value]) => value !== null && !(Array.isArray(value) && value.length === 0),
    ),
  );
  const payload = { ...(payloads[name] as Record<string, unknown>) };
  for (const time of ["timestamp", "expiresAt"])
    if (payload[time]) payload[time] = new Date(milliseconds(payload[time] as object)).toISOString();
  for (const only of ONLY_BINARY[name] ?? []) {
    expect(Math.abs(Date.parse(String(payload[only])) - Date.now())).toBeLessThan(60_000);
    delete payload[only];
  }
  // proto3 doesn't write false.
  if (said.isPermanent === false) delete said.isPermanent;
  expect(payload).toEqual(said);
  expect(Object.keys(payloads)).toEqual([name]);
}

describe("is told to the user and to admin:accounts in the format of each, and to nobody else:", () => {
  test.each(Object.entries(CASES))("%s", async (_, { types, fields, who, act }) => {
    const user = await (who ?? (() => newcomer(server)))();
    const stranger = await newcomer(server);
    const open = (token: Token) => Client.open(server, { token });
    const own = `user:${user.id}`;
    const [text, binary, left, watcher, binaryWatcher, bystander] = await Promise.all([
      open(user.token),
      open(user.token),
      open(user.token),
      open(admin),
      open(admin),
      open(stranger.token),
    ]);
    await subscribeInBinary(binary, own);
    await left.ask({ type: "unsubscribe", channel: own });
    await watcher.subscribe("admin:accounts");
    await subscribeInBinary(binaryWatcher, "admin:accounts");
    await subscribeInBinary(bystander, `user:${stranger.id}`);

    await act(user);

    const told = await take(text, types.length);
    expect(told.map(({ type }) => type)).toEqual(types);
    for (const [at, message] of told.entries()) {
      const names = fields[at]?.replaceAll("?", "").split(" ") ?? [];
      expect(Object.keys(message).sort()).toEqual(["type", ...names].sort());
      if ("timestamp" in message) expect(new Date(message.timestamp).toISOString()).toBe(message.timestamp);
    }
    expect(await take(watcher, types.length)).toEqual(told);
    for (const client of [binary, binaryWatcher])
      for (const [at, message] of (await take(client, types.length)).entries()) expectSame(message, told[at]);
    for (const client of [watcher, binaryWatcher, bystander]) expect(await client.heard()).toEqual([]);
    await Promise.all(
      [text, binary, left, watcher, binaryWatcher, bystander].map((client) => client.close()),
    );
  });

  test("a user's own channel changes its format with the newest subscription", async () => {
    const user = await newcomer(server);
    const client = await Client.open(server, { token: user.token });
    const own = `user:${user.id}`;
    const told = async () => {
      await consent(user);
      return client.next();
    };
    expect((await told()).type).toBe("oauthConsentRevoked");
    await subscribeInBinary(client, own);
    expect(read(await told()).type).toBe(typeOf("oauthConsentRevoked"));
    await client.subscribe(own);
    expect((await told()).type).toBe("oauthConsentRevoked");
    expect(await client.heard()).toEqual([]);
    await client.close();
  });
});

describe("a consent", () => {
  test("that was granted, or could not be taken back, or is about nobody of ours, is told to nobody", async () => {
    const user = await newcomer(server);
    const client = await Client.open(server, { token: user.token });
    await consent(user, { event_type: "consent_granted" });
    await consent(user, { status: "failure" });
    await consent(user, { user_id: "somebody-elsewhere" });
    await consent(user, { resource_id: "told" });
    expect(await client.heard()).toMatchObject([{ type: "oauthConsentRevoked", clientId: "told" }]);
    await client.close();
  });

  test("that names no client is told with an empty one", async () => {
    const user = await newcomer(server);
    const client = await Client.open(server, { token: user.token });
    await consent(user, { resource_id: null });
    expect(await client.heard()).toMatchObject([{ type: "oauthConsentRevoked", clientId: "" }]);
    await client.close();
  });
});
