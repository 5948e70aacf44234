import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { link } from "../identity/accounts/support";
import type { Answer, Token } from "../support/api";
import { signIn } from "../support/credentials";
import { done } from "../support/expectations";
import { newestMail, nextMail } from "../support/mail";
import { externalUser, freshEmail, newUser } from "../support/people";
import { Envelope, frame, milliseconds, read, subscribeInBinary, typeOf } from "../support/protobuf";
import { assign, grant, newRole, unassign } from "../support/roles";
import { TestServer } from "../support/server";
import { Client, type Message } from "../support/socket";
import { createZone, fix, postPoint } from "../tracking/support";

/**
 * Every message type: exactly its fields, to exactly its recipients, in the formats that it has (rule W3).
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
  /** The message for community bots, which is always binary: the payload and its fields. */
  bots?: [payload: string, fields: string];
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

const LINKED: Case["bots"] = ["discordUserLinked", "discordId userId discordUsername avatarUrl timestamp"];
const UNLINKED: Case["bots"] = ["discordUserUnlinked", "discordId userId timestamp"];
const PERMISSION_CHANGED: Case["bots"] = [
  "discordPermissionChanged",
  "discordId userId permissions timestamp",
];

const CASES: Record<string, Case> = {
  "a ban for good": {
    types: ["accountBanned"],
    fields: ["userId reason? expiresAt? isPermanent timestamp"],
    act: ({ id }) => put(server.post(`/v1/users/${id}/ban`, { token: admin, body: {} })),
  },
  "a ban for a time": {
    types: ["accountBanned"],
    fields: ["userId reason? expiresAt? isPermanent timestamp"],
    who: () => externalUser(server),
    act: ({ id }) => {
      const body = { reason: "Spam — σήμερα", duration_seconds: 60 };
      return put(server.post(`/v1/users/${id}/ban`, { token: admin, body }));
    },
  },
  "a deletion": {
    types: ["accountDeleted"],
    fields: ["userId reason? timestamp"],
    // The account stays linked: the deletion can be undone by hand, and the bot still knows whose it is.
    who: () => externalUser(server),
    act: ({ id }) => put(server.delete(`/v1/users/${id}`, { token: admin })),
  },
  "a deletion for good": {
    types: ["accountDeleted"],
    fields: ["userId reason? timestamp"],
    bots: UNLINKED,
    who: () => externalUser(server),
    act: ({ id }) => put(server.post(`/v1/admin/users/${id}/force-delete`, { token: admin, body: {} })),
  },
  "a session that is revoked": {
    types: ["sessionRevoked"],
    fields: ["userId sessionId reason? timestamp"],
    act: async (user) => {
      const { session_id } = done(await signIn(server, user as Awaited<ReturnType<typeof newUser>>));
      await put(server.delete(`/v1/users/me/sessions/${session_id}`, { token: user.token }));
    },
  },
  "a password that is reset": {
    types: ["forceLogout"],
    fields: ["userId reason? timestamp"],
    act: async (user) => {
      const { email } = user as Awaited<ReturnType<typeof newUser>>;
      await put(server.post("/v1/auth/reset-password", { body: { email } }));
      const { token } = await nextMail(server, email, "password_reset");
      const body = { token, new_password: "another long password" };
      await put(server.post("/v1/auth/reset-password/complete", { body }));
    },
  },
  "a consent that is taken back": {
    types: ["oauthConsentRevoked"],
    fields: ["userId clientId timestamp"],
    who: () => externalUser(server),
    act: (user) => consent(user),
  },
  "a role that is given": {
    types: ["rolesUpdated", "permissionsUpdated"],
    fields: ["userId roles roleIds timestamp", "userId permissions"],
    act: ({ id }) => assign(server, id, "role_admin"),
  },
  "a role that is given to somebody on Discord": {
    types: ["rolesUpdated", "permissionsUpdated"],
    fields: ["userId roles roleIds timestamp", "userId permissions"],
    bots: PERMISSION_CHANGED,
    who: () => externalUser(server),
    act: ({ id }) => assign(server, id, "role_admin"),
  },
  "a role that grants nothing": {
    types: ["rolesUpdated"],
    fields: ["userId roles roleIds timestamp"],
    who: () => externalUser(server),
    act: async ({ id }) => assign(server, id, (await newRole(server)).id),
  },
  "a role that grants more": {
    types: ["rolePermissionsChanged", "permissionsUpdated"],
    fields: ["roleId roleName", "userId permissions"],
    bots: PERMISSION_CHANGED,
    who: async () => {
      const user = await externalUser(server);
      await assign(server, user.id, (await newRole(server, "trips:read")).id);
      return user;
    },
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
  "an account on Discord that is linked": {
    types: [],
    fields: [],
    bots: LINKED,
    act: (user) => link(server, user as Awaited<ReturnType<typeof newUser>>, "discord"),
  },
  "an account on Discord that is unlinked": {
    types: [],
    fields: [],
    bots: UNLINKED,
    who: async () => {
      const user = await newUser(server);
      await link(server, user, "discord");
      return user;
    },
    act: async ({ id, token }) => {
      const { data } = done(await server.get(`/v1/users/${id}/accounts`, { token }));
      const linked = data.find((account: { platform_slug: string }) => account.platform_slug === "discord");
      await put(server.delete(`/v1/users/${id}/accounts/${linked.id}`, { token }));
    },
  },
  "an account elsewhere that is linked": {
    types: [],
    fields: [],
    act: (user) => link(server, user as Awaited<ReturnType<typeof newUser>>, "github"),
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

/** Fields that the messages about permissions don't have in JSON. */
const ONLY_BINARY = { permissionsUpdated: ["timestamp"], rolePermissionsChanged: ["timestamp"] } as Record<
  string,
  string[]
>;

/** Takes the expected number of messages, and expects that nothing follows. */
async function take(client: Client, count: number): Promise<Message[]> {
  const messages: Message[] = [];
  while (messages.length < count) messages.push(await client.next());
  return messages;
}

/** Expects that the binary message holds exactly the values of the JSON one. */
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

/** Expects a binary message with exactly these fields about a user. */
function expectToldToBots(message: Message, user: Somebody, [name, fields]: [string, string]): void {
  const { type, ...payloads } = read(message);
  expect(type).toBe(typeOf(name));
  expect(Object.keys(payloads)).toEqual([name]);
  const payload = payloads[name] as { userId: string; timestamp: object };
  expect(Object.keys(payload).sort()).toEqual(fields.split(" ").sort());
  expect(payload.userId).toBe(user.id);
  expect(Math.abs(milliseconds(payload.timestamp) - Date.now())).toBeLessThan(60_000);
}

/** Messages after which a connection of the user is closed, or stays silent until it is. */
const ENDINGS = ["accountBanned", "accountDeleted", "forceLogout"];

/** Every channel that carries neither a user's messages nor those for bots. */
const OTHER_CHANNELS = ["gps", "geofence", "vessels", "public", "public:news", "admin:news"];

describe("is told to the user and to admin:accounts in the format of each, and to nobody else:", () => {
  test.each(Object.entries(CASES))("%s", async (_, { types, fields, bots, who, act }) => {
    const user = await (who ?? (() => newUser(server)))();
    const stranger = await newUser(server);
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
    const [bot, textBot, listener] = await Promise.all(
      [0, 1, 2].map(() => Client.open(server, { bearer: server.systemKey })),
    );
    await subscribeInBinary(bot as Client, "community");
    await textBot?.subscribe("community");
    await listener?.subscribe(...OTHER_CHANNELS);

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
    for (const client of [bot, textBot]) if (bots) expectToldToBots(await client?.next(), user, bots);
    const silent = [watcher, binaryWatcher, bystander, bot, textBot, listener];
    if (!types.some((type) => ENDINGS.includes(type))) silent.push(text, binary, left);
    for (const client of silent) expect(await client?.heard()).toEqual([]);
    const all = [text, binary, left, watcher, binaryWatcher, bystander, bot, textBot, listener];
    await Promise.all(all.map((client) => client?.close()));
  });

  test("a user's own channel changes its format with the newest subscription", async () => {
    const user = await newUser(server);
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
    const user = await newUser(server);
    const client = await Client.open(server, { token: user.token });
    await consent(user, { event_type: "consent_granted" });
    await consent(user, { status: "failure" });
    await consent(user, { user_id: "somebody-elsewhere" });
    await consent(user, { resource_id: "told" });
    expect(await client.heard()).toMatchObject([{ type: "oauthConsentRevoked", clientId: "told" }]);
    await client.close();
  });

  test("that names no client is told with an empty one", async () => {
    const user = await newUser(server);
    const client = await Client.open(server, { token: user.token });
    await consent(user, { resource_id: null });
    expect(await client.heard()).toMatchObject([{ type: "oauthConsentRevoked", clientId: "" }]);
    await client.close();
  });
});

// --- Data -------------------------------------------------------------------------------------------------

/** Data broadcasts: their fields in `data`, and the channels that carry them. */
const DATA: Record<string, { fields: string; channels: (device: string, zone: string) => string[] }> = {
  gpsUpdate: {
    fields:
      "id device_id trip_id latitude longitude altitude heading timestamp speed_kmh speed_mps speed_mph speed_knots pdop hdop vdop created_at",
    channels: (device) => ["gps", `gps:${device}`],
  },
  geofenceEvent: {
    fields: "geofence_id geofence_name event device_id distance_km metadata",
    channels: (_, zone) => ["geofence", `geofence:${zone}`],
  },
};

describe("goes as JSON text to whoever subscribed, in either format, and to nobody else:", () => {
  test.each(Object.entries(DATA))("%s", async (type, { fields, channels }) => {
    const { latitude, longitude } = fix();
    const [device, other] = [await server.device(), await server.device()];
    const zone = await createZone(server, { name: "pier", latitude, longitude });
    const away = await createZone(server, { name: "away", latitude: -latitude, longitude });
    const hearing = channels(device.id, zone.id);
    const silent = [...OTHER_CHANNELS, "admin:accounts", "community"].filter(
      (name) => !hearing.includes(name),
    );
    const another = Object.values(DATA).flatMap((one) => one.channels(other.id, away.id));
    const clients = await Promise.all(
      ["json", "protobuf"].flatMap((format) =>
        [...hearing, [...silent, ...another.filter((name) => name.includes(":"))]].map(async (names) => {
          // A session can't be on `community`, a key on no user's own channel.
          const client = await Client.open(server, { bearer: server.systemKey });
          const list = [names].flat();
          if (format === "json") await client.subscribe(...list);
          else await subscribeInBinary(client, ...list);
          return { client, hears: typeof names === "string" };
        }),
      ),
    );
    const session = await Client.open(server, { token: admin });

    await postPoint(server, device.key);

    for (const { client, hears } of clients) {
      const heard = (await client.heard()).filter((message) => message.type === type);
      expect(heard.map((message) => Object.keys(message).sort())).toEqual(hears ? [["data", "type"]] : []);
      for (const { data } of heard) expect(Object.keys(data).sort()).toEqual(fields.split(" ").sort());
    }
    expect(await session.heard()).toEqual([]);
    for (const { id } of [zone, away]) await server.delete(`/v1/geofences/${id}`, { token: admin });
    await Promise.all([...clients.map(({ client }) => client), session].map((client) => client.close()));
  });
});

// --- Answers ----------------------------------------------------------------------------------------------

/** Requests, and their answers in JSON and in binary, which only the requester hears. */
const ANSWERS: Record<
  string,
  { ask: [json: object, binary: Uint8Array]; json: object; binary: ReturnType<typeof read> }
> = {
  pong: { ask: [{ type: "ping" }, frame("ping")], json: { type: "pong" }, binary: { type: 2, pong: {} } },
  subscribe: {
    ask: [{ type: "subscribe", channel: "gps" }, frame("subscribe", { channel: "gps" })],
    json: { type: "message", channel: "gps", data: "Subscribed to gps" },
    binary: { type: 10, subscribe: { channel: "gps" } },
  },
  unsubscribe: {
    ask: [{ type: "unsubscribe", channel: "gps" }, frame("unsubscribe", { channel: "gps" })],
    json: { type: "message", channel: "gps", data: "Unsubscribed from gps" },
    binary: { type: 11, unsubscribe: { channel: "gps" } },
  },
  error: {
    ask: [{ type: "subscribe", channel: "community" }, frame("subscribe", { channel: "community" })],
    json: { type: "error", message: "Access denied to channel: community" },
    binary: { type: 20, error: { message: "Access denied to channel: community" } },
  },
};

describe("answers whoever asked, in the format of the question:", () => {
  test.each(Object.entries(ANSWERS))("%s", async (_, { ask, json, binary }) => {
    const [client, other] = [
      await Client.open(server, { token: admin }),
      await Client.open(server, { token: admin }),
    ];
    expect(await client.ask(ask[0])).toEqual(json);
    expect(read(await client.ask(ask[1]))).toEqual(binary);
    for (const one of [client, other]) expect(await one.heard()).toEqual([]);
    await Promise.all([client.close(), other.close()]);
  });
});

// --- All types --------------------------------------------------------------------------------------------

describe("every message type", () => {
  const told = Object.values(CASES).flatMap(({ types }) => types);
  const toBots = Object.values(CASES).flatMap(({ bots }) => (bots ? [bots[0]] : []));

  /**
   * Messages with tests of their own: those to one connection alone, and those that no case above can have
   * sent.
   */
  const ELSEWHERE = {
    "create-audit-event.test.ts": ["createAuditEventResponse"],
    "moderation.test.ts": ["moderationEventResponse"],
    "resume.test.ts": ["reset"],
    "the community's tests": ["communitySyncRequest", "communitySettings"],
  };
  const FROM_CLIENTS = ["ping", "createAuditEvent", "moderationEvent", "communitySyncResponse"];
  /** Sent by a client: its answer is `communitySettings`. */
  const ASKED = ["communitySettingsRequest"];
  /** Positions are always JSON text; the message is declared for the control plane. */
  const DECLARED_ONLY = ["gpsUpdate"];

  test("of the Protobuf envelope stands in one of these tables", () => {
    const placed = new Set([
      ...[told, toBots, Object.keys(ANSWERS), Object.values(ELSEWHERE).flat()].flat(),
      ...[FROM_CLIENTS, ASKED, DECLARED_ONLY].flat(),
    ]);
    const { payload } = Envelope.oneofs as Record<string, { oneof: string[] }>;
    expect([...placed].sort()).toEqual([...(payload?.oneof ?? [])].sort());
  });

  test("in JSON stands there too, vessels apart, which have tests of their own", () => {
    // All types that the server sends in JSON.
    const specified = `
      pong message error gpsUpdate vesselsUpdate geofenceEvent accountDeleted accountBanned sessionRevoked forceLogout
      permissionsUpdated rolesUpdated rolePermissionsChanged emailLinkVerified emailChangeVerified oauthConsentRevoked`;
    const answers = Object.values(ANSWERS).map(({ json }) => (json as { type: string }).type);
    const found = new Set([...told, ...Object.keys(DATA), ...answers, "vesselsUpdate"]);
    expect([...found].sort()).toEqual(specified.trim().split(/\s+/).sort());
  });
});
