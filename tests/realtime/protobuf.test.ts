import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { newUser } from "../support/people";
import { Envelope, frame, read, schema, subscribeInBinary, typeOf } from "../support/protobuf";
import { TestServer } from "../support/server";
import { Client } from "../support/socket";
import { fix } from "../tracking/support";

/** Binary frames (rules W3 and W4). */
const MAX_SUBSCRIPTIONS = 3;
const MAX_MESSAGE_BYTES = 65_536;

let server: TestServer;
let session: string;
beforeAll(async () => {
  server = await TestServer.start({
    settings: { "websocket.max_subscriptions": String(MAX_SUBSCRIPTIONS) },
  });
  session = await server.admin();
});
afterAll(() => server.stop());

const connect = () => Client.open(server, { token: session });
const error = (message: unknown = expect.stringMatching(/./)) => ({ type: 20, error: { message } });

describe("proto/fairlead/ws/v1/ws.proto", () => {
  /** Payloads with their number in the envelope and their type, which never change. */
  const PAYLOADS: [payload: string, field: number, type: number][] = [
    ["ping", 10, 1],
    ["pong", 11, 2],
    ["subscribe", 20, 10],
    ["unsubscribe", 21, 11],
    ["error", 30, 20],
    ["accountDeleted", 40, 30],
    ["accountBanned", 41, 31],
    ["sessionRevoked", 42, 32],
    ["forceLogout", 43, 33],
    ["oauthConsentRevoked", 44, 34],
    ["rolesUpdated", 50, 40],
    ["permissionsUpdated", 51, 41],
    ["rolePermissionsChanged", 52, 42],
    ["emailLinkVerified", 60, 50],
    ["emailChangeVerified", 61, 51],
    ["gpsUpdate", 70, 60],
    ["discordUserLinked", 80, 70],
    ["discordUserUnlinked", 81, 71],
    ["discordPermissionChanged", 82, 72],
    ["createAuditEvent", 100, 100],
    ["createAuditEventResponse", 101, 101],
    ["communitySyncRequest", 110, 110],
    ["communitySyncResponse", 111, 111],
    ["communitySettingsRequest", 120, 120],
    ["communitySettings", 121, 121],
    ["moderationEvent", 140, 140],
    ["moderationEventResponse", 141, 141],
  ];

  test("holds every payload and type under its number, and no other", () => {
    expect(Envelope.fields.type?.id).toBe(1);
    const { payload } = Envelope.oneofs as Record<string, { fieldsArray: { name: string; id: number }[] }>;
    const found = payload?.fieldsArray.map(({ name, id }) => [name, id, typeOf(name)]);
    expect(found).toEqual(PAYLOADS);
    const types = Object.values(schema.lookupEnum("WsMessageType").values);
    expect(types.sort((a, b) => a - b)).toEqual(
      [0, ...PAYLOADS.map(([, , type]) => type)].sort((a, b) => a - b),
    );
  });

  /** Fields in the order of their numbers; `?` is proto3's optional, `[]` repeated, a type where it is no string. */
  const MESSAGES: Record<string, string> = {
    Ping: "",
    Pong: "",
    Subscribe: "channel extended?:bool",
    Unsubscribe: "channel",
    Error: "message",
    AccountDeleted: "userId reason? timestamp:ts",
    AccountBanned: "userId reason? expiresAt?:ts isPermanent:bool timestamp:ts",
    SessionRevoked: "userId sessionId reason? timestamp:ts",
    ForceLogout: "userId reason? timestamp:ts",
    OAuthConsentRevoked: "userId clientId timestamp:ts",
    RolesUpdated: "userId roles[] roleIds[] timestamp:ts",
    PermissionsUpdated: "userId permissions[] timestamp:ts",
    RolePermissionsChanged: "roleId roleName timestamp:ts",
    EmailLinkVerified: "userId email platformAccountId timestamp:ts",
    EmailChangeVerified: "userId email timestamp:ts",
    GpsUpdate:
      "trackerId latitude:double longitude:double altitude?:double speed?:double heading?:double timestamp:ts",
    DiscordUserLinked: "discordId userId discordUsername avatarUrl? timestamp:ts",
    DiscordUserUnlinked: "discordId userId timestamp:ts",
    DiscordPermissionChanged: "discordId userId permissions[] timestamp:ts",
    CreateAuditEventRequest:
      "userId eventType resourceType? resourceId? actorId? ipAddress? userAgent? description? metadataJson? status? errorMessage? sourceService?",
    CreateAuditEventResponse: "success:bool auditEventId? error?",
    CommunitySyncRequest: "requestId guildId? scope:Scope",
    CommunitySyncResponse:
      "requestId success:bool error? guilds[]:CommunityGuild channels[]:CommunityChannel roles[]:CommunityRole members[]:CommunityMember more:bool",
    CommunityGuild:
      "guildId name icon? ownerId memberCount:int32 boostCount:int32 premiumTier:int32 botJoinedAt:ts",
    CommunityChannel: "channelId guildId name channelType:int32 parentId? position:int32 topic? nsfw:bool",
    CommunityRole: "roleId guildId name color:int32 position:int32 permissions managed:bool",
    CommunityMember:
      "guildId userId username discriminator? globalName? nickname? avatar? bot:bool system:bool joinedAt:ts premiumSince:ts deaf:bool mute:bool pending:bool communicationDisabledUntil:ts roles[]",
    CommunitySettingsRequest: "guildId?",
    CommunitySettings:
      "guildId? autoSyncEnabled:bool syncIntervalSeconds:int32 initialDelaySeconds:int32 defaultLanguage? notifyOnGuildJoin:bool notifyOnGuildLeave:bool commandCooldownSeconds:int32 updatedAt:ts",
    ModerationEvent:
      "requestId guildId userId moderatorId action reason? durationSeconds?:int64 timestamp:ts",
    ModerationEventResponse: "requestId success:bool auditEventId? error?",
  };

  /** Numbers that leave some out, for fields to come. */
  const NUMBERS: Record<string, number[]> = { Subscribe: [1, 4] };

  test.each(Object.entries(MESSAGES))("gives %s its fields, numbered from 1", (name, expected) => {
    const fields = schema.lookupType(name).fieldsArray.toSorted((a, b) => a.id - b.id);
    expect(fields.map(({ id }) => id)).toEqual(NUMBERS[name] ?? fields.map((_, at) => at + 1));
    const shown = fields.map((field) => {
      const type = field.type === "google.protobuf.Timestamp" ? "ts" : field.type.split(".").at(-1);
      const mark = field.repeated ? "[]" : field.partOf ? "?" : "";
      return field.name + mark + (type === "string" ? "" : `:${type}`);
    });
    expect(shown.join(" ")).toBe(expected);
  });
});

describe("a binary frame", () => {
  test("is what the numbers of the specification say, byte for byte", async () => {
    const client = await connect();
    // type PING, payload field 10, length delimited, empty; then the same with PONG and field 11.
    const pong = await client.ask(new Uint8Array([0x08, 1, (10 << 3) | 2, 0]));
    expect([...pong]).toEqual([0x08, 2, (11 << 3) | 2, 0]);
    await client.close();
  });

  test("is answered in binary, and text in text, on one connection", async () => {
    const client = await connect();
    expect(read(await client.ask(frame("ping")))).toEqual({ type: 2, pong: {} });
    expect(await client.ask({ type: "ping" })).toEqual({ type: "pong" });
    expect(read(await client.ask(frame("subscribe", { channel: "gps" })))).toEqual({
      type: 10,
      subscribe: { channel: "gps" },
    });
    expect((await client.ask({ type: "subscribe", channel: "geofence" })).data).toBe(
      "Subscribed to geofence",
    );
    expect(read(await client.ask(frame("unsubscribe", { channel: "geofence" })))).toEqual({
      type: 11,
      unsubscribe: { channel: "geofence" },
    });
    expect((await client.ask({ type: "unsubscribe", channel: "gps" })).data).toBe("Unsubscribed from gps");
    await client.close();
  });

  test("that subscribes to what is forbidden or too much is refused by an Error that names the channel", async () => {
    const client = await connect();
    const subscribe = async (channel: string) => read(await client.ask(frame("subscribe", { channel })));
    expect(await subscribe("community")).toEqual(error("Access denied to channel: community"));
    await subscribeInBinary(client, "gps", "geofence", "public");
    expect(await subscribe("vessels")).toEqual(error("Too many subscriptions: vessels"));
    // A repeated subscription in the other format isn't an additional one.
    await client.subscribe("gps");
    await client.close();
  });

  test("that is refused is answered in UTF-8, wherever the channel's name was cut", async () => {
    const client = await connect();
    for (const length of [126, 127]) {
      const channel = "x".repeat(length) + "🌊".repeat(3);
      const answer = read(await client.ask(frame("subscribe", { channel }))) as {
        error?: { message: string };
      };
      expect(answer.error?.message).toStartWith(`Access denied to channel: ${"x".repeat(length)}`);
    }
    await client.close();
  });

  test("without a type is accepted: its payload decides", async () => {
    const client = await connect();
    expect(read(await client.ask(frame("ping", {}, 0)))).toEqual({ type: 2, pong: {} });
    await client.close();
  });

  /**
   * A ping, and additions or other encodings that a reader of proto3 must accept (protobuf.dev, "Encoding").
   */
  const PINGS: [what: string, ...bytes: number[]][] = [
    ["a field that the server doesn't know, as a number", ...frame("ping"), 15 << 3, 7],
    ["… as eight bytes", ...frame("ping"), (15 << 3) | 1, 1, 2, 3, 4, 5, 6, 7, 8],
    ["… as four bytes", ...frame("ping"), (15 << 3) | 5, 1, 2, 3, 4],
    ["… as text", ...frame("ping"), (15 << 3) | 2, 2, 0xff, 0xfe],
    ["… as a group", ...frame("ping"), (15 << 3) | 3, 8, 1, (15 << 3) | 4],
    [
      "… as groups in groups",
      ...frame("ping"),
      ...Array(50).fill((15 << 3) | 3),
      ...Array(50).fill((15 << 3) | 4),
    ],
    ["… under the greatest number", ...frame("ping"), 0xf8, 0xff, 0xff, 0xff, 0x0f, 1],
    ["… of a payload of the wrong wire type", ...frame("ping"), 0xa0, 1, 7],
    ["a field of the payload that it doesn't know", 8, 1, (10 << 3) | 2, 2, 15 << 3, 7],
    ["numbers written longer than need be", 8, 0x81, 0x80, 0x00, 0xd2, 0x00, 0x80, 0x00],
    ["the type behind the payload", (10 << 3) | 2, 0, 8, 1],
    ["the type twice, the last of which counts", 8, 99, 8, 1, (10 << 3) | 2, 0],
    ["the payload twice", 8, 1, (10 << 3) | 2, 0, (10 << 3) | 2, 0],
    ["another payload before it", ...frame("subscribe", { channel: "gps" }), ...frame("ping")],
  ];
  test.each(PINGS)("with %s is understood", async (_, ...values) => {
    const client = await connect();
    expect(read(await client.ask(new Uint8Array(values)))).toEqual({ type: 2, pong: {} });
    expect(await client.heard()).toEqual([]);
    await client.close();
  });

  test("with several payloads is the last of them, as Protobuf has it", async () => {
    const client = await connect();
    const join = (...frames: Uint8Array[]) => new Uint8Array(frames.flatMap((one) => [...one]));
    const to = (channel?: string) => frame("subscribe", channel === undefined ? {} : { channel });
    const subscribed = (channel: string) => ({ type: 10, subscribe: { channel } });
    expect(read(await client.ask(join(frame("ping"), to("gps"))))).toEqual(subscribed("gps"));
    // Repetitions of one kind are merged; a payload of another kind between them ends that.
    expect(read(await client.ask(join(to("gps"), to("geofence"))))).toEqual(subscribed("geofence"));
    expect(read(await client.ask(join(to("gps"), to())))).toEqual(subscribed("gps"));
    expect(read(await client.ask(join(to("gps"), frame("ping"), to())))).toEqual(
      error(expect.stringContaining("Access denied to channel:  (there is no such channel")),
    );
    await client.close();
  });

  test("of websocket.max_message_bytes is read, and a larger one closes the connection with 1009", async () => {
    const client = await connect();
    const ofSize = (bytes: number) => frame("subscribe", { channel: "x".repeat(bytes - 11) });
    expect(ofSize(MAX_MESSAGE_BYTES).length).toBe(MAX_MESSAGE_BYTES);
    expect(read(await client.ask(ofSize(MAX_MESSAGE_BYTES)))).toEqual(
      error(
        expect.stringContaining(`Access denied to channel: ${"x".repeat(128)} (there is no such channel`),
      ),
    );
    client.send(ofSize(MAX_MESSAGE_BYTES + 1));
    expect((await client.closed).code).toBe(1009);
  });
});

describe("a connection stays open, with an Error envelope, after", () => {
  const bytes = (...values: number[]) => new Uint8Array(values);
  const mistakes: [name: string, frame: Uint8Array][] = [
    ["a frame of JSON", new TextEncoder().encode('{"type":"ping"}')],
    ["noise", bytes(255, 0, 255, 1)],
    ["an empty frame", bytes()],
    ["a type without a payload", bytes(0x08, 1)],
    ["a truncated frame", frame("subscribe", { channel: "gps" }).slice(0, -1)],
    ["a length beyond the frame's end", bytes(0x08, 10, 0xa2, 1, 0xff, 0xff, 0xff, 0xff, 0x07)],
    ["a length that never ends", bytes(0x08, 10, 0xa2, 1, ...Array(12).fill(0xff))],
    ["a number that never ends", bytes(0x08, ...Array(12).fill(0xff))],
    ["a field number that never ends", bytes(...Array(12).fill(0xff))],
    ["a field number beyond the greatest", bytes(0x88, 0x80, 0x80, 0x80, 0x10, 1, ...frame("ping"))],
    ["a payload that is a number", bytes(0x08, 1, 10 << 3, 1)],
    ["a group that is never closed", bytes((10 << 3) | 3)],
    ["a group that another number closes", bytes((15 << 3) | 3, (14 << 3) | 4)],
    ["the end of a group that never began", bytes(...frame("ping"), (15 << 3) | 4)],
    ["groups nested hundreds deep", bytes(...Array(900).fill((15 << 3) | 3))],
    [
      "groups nested thousands deep, each closed",
      bytes(...frame("ping"), ...Array(30_000).fill((15 << 3) | 3), ...Array(30_000).fill((15 << 3) | 4)),
    ],
    ["a wire type that doesn't exist", bytes((10 << 3) | 7, 0)],
    ["field number zero", bytes(0x00, 0x00)],
    ["a type that contradicts its payload", frame("ping", {}, typeOf("subscribe"))],
    ["a type that doesn't exist", frame("ping", {}, 99)],
    ["a type below zero", frame("ping", {}, -1)],
    ["a payload that doesn't exist", bytes(0x08, 1, 0xfa, 1, 0)],
    ["a subscribe without a channel", frame("subscribe")],
    ["a subscribe to the empty name", frame("subscribe", { channel: "" })],
    ["a channel that ends before its length", bytes(0x08, 10, 0xa2, 1, 3, 0x0a, 2, 0x61)],
    ["a channel longer than its payload", bytes(0x08, 10, 0xa2, 1, 3, 0x0a, 9, 0x61, ...Array(8).fill(0x61))],
    ["a channel that JavaScript knows", frame("subscribe", { channel: "__proto__" })],
    ["a server's message", frame("accountDeleted", { userId: "x" })],
    ["a server's answer", frame("createAuditEventResponse", { success: true })],
    ["a position", frame("gpsUpdate", { trackerId: "x", latitude: 1, longitude: 2 })],
  ];
  /** Bytes that no reader may accept as text (RFC 3629, section 3). */
  const NO_UTF8: [name: string, ...bytes: number[]][] = [
    ["bytes that are none", 0xff, 0xfe],
    ["a rest without a beginning", 0x80],
    ["a beginning without its rest", 0xe2, 0x82],
    ["a character written longer than need be", 0xc0, 0xaf],
    ["half a character (a surrogate)", 0xed, 0xa0, 0x80],
    ["a character beyond the last", 0xf4, 0x90, 0x80, 0x80],
  ];
  for (const [name, ...text] of NO_UTF8)
    mistakes.push([
      `a channel that is no UTF-8: ${name}`,
      bytes(0x08, 10, 0xa2, 1, text.length + 2, 0x0a, text.length, ...text),
    ]);
  for (const [name, mistake] of mistakes)
    test(name, async () => {
      const client = await (await connect()).subscribe("public:kept");
      const answer = read(await client.ask(mistake));
      expect(answer).toEqual(error());
      expect(answer).not.toEqual(error("Something went wrong"));
      expect(await client.heard()).toEqual([]);
      expect(read(await client.ask(frame("ping")))).toEqual({ type: 2, pong: {} });
      await client.close();
    });

  test("tens of thousands of empty messages in one", async () => {
    const client = await connect();
    // Payload 111, of 60,000 bytes: its field 7 again and again, each time empty.
    const members = Array.from({ length: 30_000 }, () => [(7 << 3) | 2, 0]).flat();
    client.send(bytes(0xfa, 6, 0xe0, 0xd4, 3, ...members));
    client.send(frame("ping"));
    let { type } = read(await client.next());
    if (type === typeOf("error")) ({ type } = read(await client.next()));
    expect(type).toBe(typeOf("pong"));
    await client.close();
  });

  test("every cut and every flipped byte of a frame, which never ends the connection", async () => {
    const limitless = await TestServer.start({ settings: { "websocket.max_messages_per_second": "1000" } });
    try {
      const client = await Client.open(limitless, { token: await limitless.admin() });
      const whole = frame("createAuditEvent", { userId: "", eventType: "x", metadataJson: "{}" });
      const broken = [
        ...whole.keys().map((end) => whole.slice(0, end)),
        ...whole
          .keys()
          .flatMap((at) => [0x01, 0x80, 0xff].map((flip) => whole.with(at, (whole[at] ?? 0) ^ flip))),
      ];
      for (const one of broken) expect(await client.ask(one)).toBeInstanceOf(Uint8Array);
      expect(await client.heard()).toEqual([]);
      await client.close();
    } finally {
      await limitless.stop();
    }
  });
});

describe("positions and zones", () => {
  test("come as JSON text to whoever subscribed in binary, once", async () => {
    const device = await server.device();
    const client = await subscribeInBinary(await connect(), "gps", `gps:${device.id}`);
    const { status } = await server.post("/v1/gps", { token: device.key, body: fix() });
    expect(status).toBe(201);
    for (const _ of ["gps", "gps:id"])
      expect(await client.next()).toMatchObject({ type: "gpsUpdate", data: { device_id: device.id } });
    expect(await client.heard()).toEqual([]);
    await client.ask(frame("unsubscribe", { channel: "gps" }));
    await client.ask({ type: "unsubscribe", channel: `gps:${device.id}` });
    await server.post("/v1/gps", { token: device.key, body: fix() });
    expect(await client.heard()).toEqual([]);
    await client.close();
  });
});

describe("the end of access to a channel", () => {
  test("is told in the format in which it was subscribed", async () => {
    const user = await newUser(server, "role_admin");
    const client = await Client.open(server, { token: user.token });
    await subscribeInBinary(client, "admin:accounts");
    await client.subscribe("admin:news");
    const admin = await server.admin();
    await server.delete(`/v1/users/${user.id}/roles/role_admin`, { token: admin });
    expect(read(await client.next())).toEqual(error("Access to channel ended: admin:accounts"));
    expect(await client.next()).toEqual({ type: "error", message: "Access to channel ended: admin:news" });
    expect((await client.heard()).map(({ type }) => type)).toEqual(["rolesUpdated", "permissionsUpdated"]);
    await client.close();
  });
});
