import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { find, storedEvents } from "../identity/audit-log/support";
import { done } from "../support/expectations";
import { type ExternalUser, externalUser, newUser } from "../support/people";
import { frame, read } from "../support/protobuf";
import { TestServer } from "../support/server";
import { Client } from "../support/socket";
import { DAY } from "../support/time";

/** `ModerationEvent` over the socket; proto/fairlead/ws/v1/ws.proto. */
/** 2026-05-04T09:30:00.250Z */
const OCCURRED = { seconds: 1_777_887_000, nanos: 250_000_000 };

let server: TestServer;
let bot: Client;
let member: ExternalUser;
let moderator: ExternalUser;
beforeAll(async () => {
  server = await TestServer.start({ settings: { "websocket.max_messages_per_second": "1000" } });
  [member, moderator] = [await externalUser(server), await externalUser(server)];
  bot = await Client.open(server, { bearer: await server.key("community:sync") });
});
afterAll(async () => {
  await bot.close();
  await server.stop();
});

interface Answer {
  requestId?: string;
  success?: boolean;
  auditEventId?: string;
  error?: string;
}

/** A warning to a member who is no user of Fairlead. */
const WARNING = { guildId: "811", userId: "80351110224678912", moderatorId: "4711", action: "warn" };

const request = (fields: object) => frame("moderationEvent", { requestId: "r-1", ...WARNING, ...fields });

async function send(fields: object, client = bot): Promise<Answer> {
  const { type, moderationEventResponse, ...rest } = read(await client.ask(request(fields)));
  expect({ type, rest }).toEqual({ type: 141, rest: {} });
  // proto3 doesn't write false.
  return { success: false, ...(moderationEventResponse as object) };
}

/** The stored event that an answer names, as an administrator sees it. */
async function written(fields: object) {
  const answer = await send(fields);
  expect(answer).toEqual({ requestId: "r-1", success: true, auditEventId: expect.stringMatching(/./) });
  const { events } = await find(server, { event_type: "moderation_action" });
  const event = events.find(({ id }: { id: string }) => id === answer.auditEventId);
  if (!event) throw new Error("the event is not stored");
  return { ...event, metadata: event.metadata as Record<string, unknown> };
}

const timeOf = ({ metadata }: { metadata: Record<string, unknown> }) =>
  Date.parse(String(metadata.occurred_at));

describe("a moderation becomes an audit event", () => {
  test("about the user of the member's account, by the user of the moderator's, with all that was sent", async () => {
    const event = await written({
      userId: member.providerId,
      moderatorId: moderator.providerId,
      action: "timeout",
      reason: "Repeated spam — σήμερα 🌊",
      durationSeconds: 600,
      timestamp: OCCURRED,
    });
    expect(event).toEqual({
      id: expect.any(String),
      created_at: expect.any(String),
      user_id: member.id,
      event_type: "moderation_action",
      resource_type: "community_member",
      resource_id: member.providerId,
      actor_id: moderator.id,
      ip_address: null,
      user_agent: null,
      description: null,
      metadata: {
        guild_id: "811",
        user_id: member.providerId,
        moderator_id: moderator.providerId,
        action: "timeout",
        reason: "Repeated spam — σήμερα 🌊",
        duration_seconds: 600,
        occurred_at: "2026-05-04T09:30:00.250Z",
      },
      status: "success",
      error_message: null,
      country_code: null,
      country_name: null,
      city: null,
      region: null,
      source_service: "community_bot",
      recorded_by: { kind: "key", id: expect.any(String) },
      is_reported: false,
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
  });

  test("of the system, and nobody's doing, where neither account is linked", async () => {
    const before = Date.now();
    const event = await written({});
    expect(event).toMatchObject({
      user_id: null,
      actor_id: null,
      resource_type: "community_member",
      resource_id: WARNING.userId,
      metadata: { guild_id: "811", moderator_id: "4711", reason: null, duration_seconds: null },
    });
    // Without a time it counts as now.
    expect(timeOf(event)).toBeGreaterThanOrEqual(before);
    expect(timeOf(event)).toBeLessThanOrEqual(Date.now());
  });

  test("by the moderator, of a member who is nobody here, and about a member by one who is nobody here", async () => {
    expect(await written({ moderatorId: moderator.providerId })).toMatchObject({
      user_id: null,
      actor_id: moderator.id,
    });
    expect(await written({ userId: member.providerId })).toMatchObject({
      user_id: member.id,
      actor_id: null,
    });
  });

  test("of somebody who is known on another platform alone is the system's", async () => {
    const twitch = await externalUser(server, { oauthProvider: "twitch" });
    expect(await written({ userId: twitch.providerId })).toMatchObject({ user_id: null });
  });

  for (const action of ["warn", "timeout", "untimeout", "kick", "ban", "unban"])
    test(`for ${action}`, async () => {
      expect((await written({ action })).metadata.action).toBe(action);
    });

  const bounds: [what: string, fields: object, metadata: object][] = [
    ["identifiers of 128 characters", { guildId: "g".repeat(128) }, { guild_id: "g".repeat(128) }],
    ["a reason of 1,000 characters", { reason: "ä".repeat(1_000) }, { reason: "ä".repeat(1_000) }],
    ["an empty reason, which is none", { reason: "" }, { reason: null }],
    ["no time at all", { durationSeconds: 0 }, { duration_seconds: 0 }],
    ["a hundred years", { durationSeconds: 3_155_760_000 }, { duration_seconds: 3_155_760_000 }],
    [
      "a moment after the beginning of 1970",
      { timestamp: { nanos: 1_000_000 } },
      { occurred_at: "1970-01-01T00:00:00.001Z" },
    ],
  ];
  test.each(bounds)("with %s", async (_, fields, metadata) => {
    expect((await written(fields)).metadata).toMatchObject(metadata);
  });

  test("at its arrival, when its time is absent or 0", async () => {
    const before = Date.now() - 1_000;
    for (const fields of [{}, { timestamp: {} }])
      expect(timeOf(await written(fields))).toBeGreaterThan(before);
  });

  test("at a time that is a little ahead of the server's", async () => {
    const seconds = Math.floor((Date.now() + DAY) / 1_000) - 60;
    expect(timeOf(await written({ timestamp: { seconds } }))).toBe(seconds * 1_000);
  });

  test("that its user may read", async () => {
    await written({ userId: member.providerId, reason: "for the user" });
    const { events } = done(await server.get("/v1/users/me/audit?limit=1", { token: member.token }));
    expect(events[0]).toMatchObject({
      user_id: member.id,
      metadata: { reason: "for the user" },
    });
  });

  test("each of many that are sent at once, answered by their request_id", async () => {
    const before = storedEvents(server).length;
    const ids = Array.from({ length: 20 }, (_, at) => `many-${at}`);
    for (const requestId of ids) bot.send(request({ requestId }));
    const answers: Answer[] = [];
    for (const _ of ids) answers.push(read(await bot.next()).moderationEventResponse as Answer);
    expect(answers.map(({ requestId }) => requestId)).toEqual(ids);
    expect(new Set(answers.map(({ auditEventId }) => auditEventId)).size).toBe(ids.length);
    expect(storedEvents(server).length).toBe(before + ids.length);
  });
});

describe("a moderation is refused with a reason and its request_id, and nothing stored,", () => {
  const inDays = (days: number) => ({ seconds: Math.floor((Date.now() + days * DAY) / 1_000) });
  const refused: [why: string, fields: object, named: string][] = [
    ["without a guild", { guildId: "" }, "guild_id"],
    ["without a member", { userId: "" }, "user_id"],
    ["without a moderator", { moderatorId: "" }, "moderator_id"],
    ["with a guild of 129 characters", { guildId: "g".repeat(129) }, "guild_id"],
    ["with a member of 10,000 characters", { userId: "u".repeat(10_000) }, "user_id"],
    ["without an action", { action: "" }, "action"],
    ["with an unknown action", { action: "defenestrate" }, "action"],
    ["with an action in capitals", { action: "BAN" }, "action"],
    ["with an action that JavaScript knows", { action: "constructor" }, "action"],
    ["with a reason of 1,001 characters", { reason: "x".repeat(1_001) }, "reason"],
    ["with a duration below nothing", { durationSeconds: -1 }, "duration_seconds"],
    ["with a duration beyond a hundred years", { durationSeconds: 3_155_760_001 }, "duration_seconds"],
    ["with a duration of 63 bits", { durationSeconds: Number.MAX_SAFE_INTEGER }, "duration_seconds"],
    ["before 1970", { timestamp: { seconds: -1 } }, "timestamp"],
    ["two days from now", { timestamp: inDays(2) }, "timestamp"],
    ["in milliseconds by mistake", { timestamp: { seconds: Date.now() } }, "timestamp"],
    ["at a time that no date holds", { timestamp: { seconds: Number.MAX_SAFE_INTEGER } }, "timestamp"],
    ["with nanoseconds below nothing", { timestamp: { ...OCCURRED, nanos: -1 } }, "timestamp"],
    ["with a second of nanoseconds", { timestamp: { ...OCCURRED, nanos: 1_000_000_000 } }, "timestamp"],
  ];
  test.each(refused)("%s", async (_, fields, named) => {
    const before = storedEvents(server);
    const answer = await send({ ...fields, requestId: "r-2" });
    expect(answer).toEqual({
      requestId: "r-2",
      success: false,
      error: expect.stringMatching(new RegExp(`^${named} `)),
    });
    expect(storedEvents(server)).toEqual(before);
    // The connection stays open.
    expect(read(await bot.ask(frame("ping")))).toEqual({ type: 2, pong: {} });
  });

  test("with nothing in it, not even a request_id", async () => {
    const before = storedEvents(server);
    const { moderationEventResponse } = read(await bot.ask(frame("moderationEvent")));
    expect(moderationEventResponse).toEqual({ error: expect.stringContaining("guild_id") });
    expect(storedEvents(server)).toEqual(before);
  });

  test("from a session, a super admin's too, and from a key without community:sync", async () => {
    const user = await newUser(server);
    const keys = [await server.key("audit:write", "community:read"), await server.key()];
    for (const credentials of [
      { token: user.token },
      { token: await server.admin() },
      ...keys.map((bearer) => ({ bearer })),
    ]) {
      const client = await Client.open(server, credentials);
      const before = storedEvents(server);
      expect(await send({ requestId: "mine" }, client)).toEqual({
        requestId: "mine",
        success: false,
        error: expect.stringContaining("community:sync"),
      });
      expect(storedEvents(server)).toEqual(before);
      await client.close();
    }
  });

  test("from a key that lost community:sync after it connected", async () => {
    const { id, key } = await server.createKey("community:sync");
    const client = await Client.open(server, { bearer: key });
    expect((await send({}, client)).success).toBe(true);
    const options = { token: await server.admin(), body: { scopes: ["community:read"] } };
    done(await server.patch(`/v1/api-keys/${id}`, options));
    expect((await send({}, client)).success).toBe(false);
    await client.close();
  });
});

test("a moderator who is scrubbed is nobody's doing any more in what is written later", async () => {
  const gone = await externalUser(server);
  const token = await server.admin();
  done(await server.post(`/v1/admin/users/${gone.id}/force-delete`, { token, body: {} }));
  expect(await written({ moderatorId: gone.providerId })).toMatchObject({ actor_id: null });
});
