import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { exported } from "../../personal-data/export/support";
import type { RequestOptions } from "../../support/api";
import { createKey } from "../../support/credentials";
import { done } from "../../support/expectations";
import { newUser, staff, type User } from "../../support/people";
import { frame, read } from "../../support/protobuf";
import { rows } from "../../support/rows";
import { APP_KEY, TestServer } from "../../support/server";
import { Client } from "../../support/socket";
import { type EventPage, find } from "./support";

/** An event from outside names its writer, whatever it says of itself. */
const AS_APP = { headers: { "x-id-app-key": APP_KEY } };
const APP = { kind: "app", id: "id-app" };

let server: TestServer;
let user: User;
beforeAll(async () => {
  server = await TestServer.start({ settings: { "security.id_app_key": APP_KEY } });
  user = await newUser(server);
});
afterAll(() => server.stop());

/** Writes an event about the user, and returns it as it is answered. */
async function write(as: RequestOptions, overrides: object = {}) {
  const event = {
    ...{ user_id: user.id, event_type: "consent_granted", resource_type: "client", status: "success" },
    ...{ source_service: "id", metadata: null },
    ...overrides,
  };
  return done(await server.post("/v1/internal/audit", { body: event, ...as })).data;
}

/** Identifier of the system key that every test server has. */
const systemKeyId = () =>
  rows<{ id: string }>(
    server,
    "SELECT id FROM api_keys WHERE key_prefix = ?",
    server.systemKey.slice(0, 12),
  )[0]?.id;

describe("an event that comes by POST /v1/internal/audit names", () => {
  test("the app whose key was sent", async () => {
    expect((await write(AS_APP)).recorded_by).toEqual(APP);
  });

  test("the API key, a system key too", async () => {
    const { id, key } = await server.createKey("audit:write");
    expect((await write({ token: key })).recorded_by).toEqual({ kind: "key", id });
    const bySystem = await write({ token: server.systemKey });
    expect(bySystem.recorded_by).toEqual({ kind: "key", id: systemKeyId() });
  });

  test("the user whose session it was", async () => {
    const writer = await staff(server, "audit:write");
    expect((await write({ token: writer.token })).recorded_by).toEqual({ kind: "user", id: writer.id });
  });

  test("the app where both credentials are sent, since that one was admitted", async () => {
    const { key } = await server.createKey("audit:write");
    expect((await write({ ...AS_APP, token: key })).recorded_by).toEqual(APP);
  });

  test("nobody else, whatever it says", async () => {
    const forged = { kind: "user", id: user.id };
    const written = await write(AS_APP, {
      ...{ recorded_by: forged, recorded_by_kind: "user", recorded_by_id: user.id, recordedBy: forged },
      ...{ metadata: { recorded_by: forged, api_key: "another" }, actor_id: user.id, source_service: "api" },
    });
    expect(written.recorded_by).toEqual(APP);
    expect(written.metadata).toEqual({ recorded_by: forged, api_key: "another" });
  });
});

describe("an event that comes by the socket names the key", () => {
  test("of CreateAuditEventRequest and of ModerationEvent", async () => {
    const { id, key } = await server.createKey("audit:write", "community:sync");
    const client = await Client.open(server, { bearer: key });
    const about = { eventType: "bot_command_executed", userId: user.id, sourceService: "community_bot" };
    const metadataJson = '{"recorded_by":{"kind":"app","id":"id-app"}}';
    const created = read(await client.ask(frame("createAuditEvent", { ...about, metadataJson })));
    const warning = { requestId: "r", guildId: "1", userId: "2", moderatorId: "3", action: "warn" };
    const moderated = read(await client.ask(frame("moderationEvent", warning)));
    await client.close();
    const { events } = await find(server, { source_service: "community_bot", limit: 100 });
    for (const answer of [created.createAuditEventResponse, moderated.moderationEventResponse]) {
      const { auditEventId } = answer as { auditEventId: string };
      expect(events.find((event) => event.id === auditEventId)?.recorded_by).toEqual({ kind: "key", id });
    }
  });
});

describe("who wrote an event is shown", () => {
  test("in every list, and in the export; null for what Fairlead wrote itself", async () => {
    const [admin, owner] = [await server.admin(), await newUser(server)];
    const written = await write(AS_APP, { user_id: owner.id });
    const recordedBy = new Map([[written.id, APP]]);
    for (const [path, token] of [
      ["/v1/users/me/audit", owner.token],
      [`/v1/users/${owner.id}/audit`, admin],
      [`/v1/admin/audit?user_id=${owner.id}`, admin],
    ] as const) {
      const { events }: EventPage = done(await server.get(path, { token }));
      expect(events.length).toBeGreaterThan(1);
      for (const event of events) expect(event.recorded_by).toEqual(recordedBy.get(event.id) ?? null);
    }
    const { auditEvents } = JSON.parse((await exported(server, owner.token)).files["data.json"].toString());
    expect(auditEvents.length).toBeGreaterThan(1);
    for (const event of auditEvents) expect(event.recordedBy).toEqual(recordedBy.get(event.id) ?? null);
  });

  test("also where a key acts through an operation of Fairlead's: then the metadata names it, as ever", async () => {
    const someone = await newUser(server);
    done(await server.post(`/v1/users/${someone.id}/ban`, { token: server.systemKey, body: {} }));
    const { events } = await find(server, { user_id: someone.id, event_type: "user_banned" });
    expect(events).toHaveLength(1);
    expect(events[0]).toMatchObject({ recorded_by: null, metadata: { api_key: systemKeyId() } });
  });

  test("to its subject without the writer's key, name or address", async () => {
    const owner = await staff(server, "api_keys:write", "audit:write");
    const key = await createKey(server, owner.token, ["audit:write"]);
    await write({ token: key.key }, { actor_id: owner.id, ip_address: "203.0.113.7" });
    const { events }: EventPage = done(await server.get("/v1/users/me/audit", { token: user.token }));
    expect(events[0]).toMatchObject({ recorded_by: { kind: "key", id: key.id }, ip_address: null });
    for (const secret of [key.key.slice(0, 12), owner.username, "203.0.113.7"])
      expect(JSON.stringify(events[0])).not.toContain(secret);
  });
});
