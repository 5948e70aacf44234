import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { find, storedEvents } from "../identity/audit-log/support";
import { UNKNOWN } from "../support/expectations";
import { newUser, staff, type User } from "../support/people";
import { frame, read } from "../support/protobuf";
import { TestServer } from "../support/server";
import { Client } from "../support/socket";

/** `CreateAuditEventRequest` over the socket (rules E2 and E4). */
let server: TestServer;
let user: User;
let service: Client;
beforeAll(async () => {
  server = await TestServer.start();
  user = await newUser(server);
  service = await Client.open(server, { bearer: await server.key("audit:write") });
});
afterAll(async () => {
  await service.close();
  await server.stop();
});

interface Answer {
  success?: boolean;
  auditEventId?: string;
  error?: string;
}

const request = (fields: object) =>
  frame("createAuditEvent", { eventType: "bot_command_executed", ...fields });

async function write(fields: object, client = service): Promise<Answer> {
  const { type, createAuditEventResponse } = read(await client.ask(request(fields)));
  expect(type).toBe(101);
  // proto3 doesn't write false.
  return { success: false, ...(createAuditEventResponse as object) };
}

/** The stored event that an answer names. */
async function written(fields: object) {
  const { success, auditEventId, error } = await write(fields);
  expect({ success, error }).toEqual({ success: true, error: undefined });
  const { events } = await find(server, { event_type: "bot_command_executed" });
  return events.find(({ id }: { id: string }) => id === auditEventId);
}

describe("an event over the socket", () => {
  test("is stored with every field that was sent", async () => {
    const actor = await newUser(server);
    const event = await written({
      userId: user.id,
      resourceType: "slash_command",
      resourceId: "tide",
      actorId: actor.id,
      ipAddress: "2001:db8::7",
      userAgent: "Bot/1.0",
      description: "Asked for the tide 🌊",
      metadataJson: JSON.stringify({ external_user_id: "80351110224678912", guild_id: "1", command: "tide" }),
      status: "failure",
      errorMessage: "no station",
      sourceService: "community_bot",
    });
    expect(event).toMatchObject({
      user_id: user.id,
      event_type: "bot_command_executed",
      resource_type: "slash_command",
      resource_id: "tide",
      actor_id: actor.id,
      ip_address: "2001:db8::7",
      user_agent: "Bot/1.0",
      description: "Asked for the tide 🌊",
      metadata: { external_user_id: "80351110224678912", guild_id: "1", command: "tide" },
      status: "failure",
      error_message: "no station",
      source_service: "community_bot",
    });
  });

  test("that says no more than its type is a success of the system from api", async () => {
    expect(await written({ userId: "" })).toMatchObject({
      user_id: null,
      resource_type: null,
      resource_id: null,
      actor_id: null,
      ip_address: null,
      user_agent: null,
      metadata: null,
      status: "success",
      error_message: null,
      source_service: "api",
    });
  });

  test("takes empty optional texts for absent ones", async () => {
    const texts = ["resourceType", "resourceId", "actorId", "ipAddress", "userAgent", "description"];
    const empty = [...texts, "metadataJson", "status", "errorMessage", "sourceService"];
    expect(
      await written({ userId: "", ...Object.fromEntries(empty.map((field) => [field, ""])) }),
    ).toMatchObject({
      resource_type: null,
      resource_id: null,
      description: null,
      metadata: null,
      status: "success",
      source_service: "api",
    });
  });

  for (const sourceService of ["api", "id", "backend", "policies", "community_bot", "stream_bot"])
    test(`may be the system's with source ${sourceService}`, async () => {
      expect(await written({ userId: "", sourceService })).toMatchObject({
        user_id: null,
        source_service: sourceService,
      });
    });

  test("takes an identifier in capitals as the same one", async () => {
    expect(await written({ userId: user.id.toUpperCase() })).toMatchObject({ user_id: user.id });
  });

  test("reaches the user whose consent was taken back", async () => {
    const client = await Client.open(server, { token: user.token });
    const fields = { userId: user.id, resourceType: "oauth_client", resourceId: "crew-app" };
    await write({ ...fields, eventType: "consent_revoked" });
    expect(await client.next()).toMatchObject({ type: "oauthConsentRevoked", clientId: "crew-app" });
    await client.close();
  });

  test("is answered once for each of many that are sent at once, in which none is lost", async () => {
    const before = storedEvents(server).length;
    const count = 20;
    for (let sent = 0; sent < count; sent++) service.send(request({ userId: "", resourceId: String(sent) }));
    const identifiers = new Set<string | undefined>();
    for (let heard = 0; heard < count; heard++) {
      const answer = read(await service.next()).createAuditEventResponse as Answer;
      expect(answer.success).toBe(true);
      identifiers.add(answer.auditEventId);
    }
    expect(identifiers.size).toBe(count);
    expect(storedEvents(server).length).toBe(before + count);
  });
});

describe("an event is refused with a reason, and nothing stored,", () => {
  const refused: [why: string, fields: object][] = [
    ["without a type", { eventType: "", userId: "" }],
    ["with a type of 10,000 characters", { eventType: "x".repeat(10_000), userId: "" }],
    ["of api about nobody we know", { userId: UNKNOWN }],
    ["of api about something that is no identifier", { userId: "me" }],
    ["by an actor whom we don't know", { userId: "", actorId: UNKNOWN }],
    ["by an actor that is no identifier", { userId: "", actorId: "me" }],
    ["with an address that is none", { userId: "", ipAddress: "203.0.113.300" }],
    ["with an unknown status", { userId: "", status: "perhaps" }],
    ["with an unknown source", { userId: "", sourceService: "elsewhere" }],
    ["with metadata that is no JSON", { userId: "", metadataJson: "{" }],
    ["with metadata that is a list", { userId: "", metadataJson: "[]" }],
    ["with metadata that is a number", { userId: "", metadataJson: "5" }],
    [
      "with metadata nested a thousand levels deep",
      { userId: "", metadataJson: `${'{"a":'.repeat(1_000)}1${"}".repeat(1_000)}` },
    ],
    ["with half a character in metadata", { userId: "", metadataJson: '{"a":"\\ud800"}' }],
    ["with 17 KiB of metadata", { userId: "", metadataJson: JSON.stringify({ a: "x".repeat(17_000) }) }],
    ["with a description of 50,000 characters", { userId: "", description: "x".repeat(50_000) }],
  ];
  for (const [why, fields] of refused)
    test(why, async () => {
      const before = storedEvents(server);
      const { success, auditEventId, error } = await write(fields);
      expect({ success, auditEventId }).toEqual({ success: false, auditEventId: undefined });
      expect(error).toMatch(/./);
      expect(error).not.toBe("The event could not be written");
      expect(storedEvents(server)).toEqual(before);
    });

  test("by an Error envelope where a text is no UTF-8", async () => {
    const before = storedEvents(server);
    const sent = request({ userId: "", description: "half a character: __" });
    const at = Buffer.from(sent).indexOf("__");
    for (const broken of [
      [0xc0, 0xaf],
      [0xe2, 0x82],
      [0xff, 0xfe],
    ]) {
      sent.set(broken, at);
      expect(read(await service.ask(sent))).toEqual({ type: 20, error: { message: expect.any(String) } });
    }
    expect(storedEvents(server)).toEqual(before);
  });

  test("from a session, and from a key without audit:write", async () => {
    const writer = await staff(server, "audit:write");
    for (const credentials of [{ token: writer.token }, { bearer: await server.key("audit:read") }]) {
      const client = await Client.open(server, credentials);
      const before = storedEvents(server);
      expect(await write({ userId: "" }, client)).toEqual({
        success: false,
        error: expect.stringContaining("audit:write"),
      });
      expect(storedEvents(server)).toEqual(before);
      await client.close();
    }
  });

  test("from a key that lost audit:write after it connected", async () => {
    const { id, key } = await server.createKey("audit:write");
    const client = await Client.open(server, { bearer: key });
    expect((await write({ userId: "" }, client)).success).toBe(true);
    const admin = await server.admin();
    await server.patch(`/v1/api-keys/${id}`, { token: admin, body: { scopes: ["audit:read"] } });
    expect((await write({ userId: "" }, client)).success).toBe(false);
    await client.close();
  });
});
