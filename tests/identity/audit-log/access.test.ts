import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Token } from "../../support/api";
import { commandLineKey, createKey } from "../../support/credentials";
import { done, expectInvalid, expectPermission, expectRefused, UNKNOWN } from "../../support/expectations";
import { newUser, staff, type User } from "../../support/people";
import { TestServer } from "../../support/server";
import { type EventPage, insertEvents, report, reportsOf, storedEvents } from "./support";

/** Access to events and reports (rules C4 and C5). */
let server: TestServer;
let user: User;
let other: User;
beforeAll(async () => {
  server = await TestServer.start();
  user = await newUser(server);
  other = await newUser(server);
});
afterAll(() => server.stop());

const OWN = "/v1/users/me/audit";
const ownEvents = async (token: Token): Promise<EventPage["events"]> =>
  done(await server.get(`${OWN}?limit=100`, { token })).events;
const ownReports = async (token: Token): Promise<{ user_id: string; audit_event_id: string }[]> =>
  done(await server.get(`${OWN}/reports`, { token }));
const newEvent = (userId: string): string => insertEvents(server, [{ user_id: userId }])[0]?.id as string;

describe("a session", () => {
  test("sees its user's own events and reports, and may report, with no permission at all", async () => {
    const eventId = newEvent(user.id);
    expect((await ownEvents(user.token)).map(({ id }) => id)).toContain(eventId);
    expect((await report(server, user.token, eventId)).status).toBe(201);
    expect((await ownReports(user.token)).map((each) => each.audit_event_id)).toContain(eventId);
  });

  test("sees nothing of another user: neither events about them, nor those that it caused, nor reports", async () => {
    const foreign = insertEvents(server, [
      { user_id: other.id },
      { user_id: other.id, actor_id: user.id },
      { user_id: null, actor_id: user.id },
      { user_id: "discord-1", source_service: "community_bot" },
    ]);
    done(await report(server, other.token, newEvent(other.id)));
    const events = await ownEvents(user.token);
    expect(events.length).toBeGreaterThan(0);
    expect(new Set(events.map(({ user_id }) => user_id))).toEqual(new Set([user.id]));
    for (const { id } of foreign) expect(events.map((event) => event.id)).not.toContain(id);
    expect(new Set((await ownReports(user.token)).map(({ user_id }) => user_id))).toEqual(new Set([user.id]));
  });

  test("without audit:read gets 403 for what is about others, and for its user by identifier", async () => {
    for (const path of [
      `/v1/users/${other.id}/audit`,
      `/v1/users/${user.id}/audit`,
      `/v1/users/${UNKNOWN}/audit`,
      "/v1/admin/audit",
      "/v1/admin/audit/reports",
    ])
      expectRefused(await server.get(path, { token: user.token }), 403, "Forbidden");
  });

  test("with audit:read sees everybody's events and reports, and handles none", async () => {
    const auditor = await staff(server, "audit:read");
    const eventId = newEvent(other.id);
    const made = done(await report(server, other.token, eventId)).report;
    for (const path of [`/v1/users/${other.id}/audit?limit=100`, "/v1/admin/audit?limit=100"]) {
      const { events }: EventPage = done(await server.get(path, { token: auditor.token }));
      expect(events.map(({ id }) => id)).toContain(eventId);
    }
    expect(done(await server.get("/v1/admin/audit/reports", { token: auditor.token }))).toContainEqual(made);
    const change = { token: auditor.token, body: { status: "resolved" } };
    expectRefused(await server.patch(`/v1/admin/audit/reports/${made.id}`, change), 403, "Forbidden");
    expect(done(await server.get("/v1/admin/audit/reports", { token: auditor.token }))).toContainEqual(made);
  });
});

describe("a key of a user", () => {
  test("needs audit:read for its owner's events and reports", async () => {
    const owner = await staff(server, "audit:read", "audit:write", "gps:read", "api_keys:write");
    const eventId = newEvent(owner.id);
    const reader = await createKey(server, owner.token, ["audit:read"]);
    expect(await ownEvents(reader.key)).toEqual(await ownEvents(owner.token));
    done(await report(server, owner.token, eventId));
    expect((await ownReports(reader.key)).map((each) => each.audit_event_id)).toEqual([eventId]);
    for (const scopes of [["audit:write", "gps:read"], []]) {
      const { key } = await createKey(server, owner.token, scopes);
      for (const path of [OWN, `${OWN}/reports`])
        expectRefused(await server.get(path, { token: key }), 403, "Forbidden");
    }
  });

  test("needs audit:write to report", async () => {
    const owner = await staff(server, "audit:read", "audit:write", "api_keys:write");
    const eventId = newEvent(owner.id);
    const reader = await createKey(server, owner.token, ["audit:read"]);
    expectRefused(await report(server, reader.key, eventId), 403, "Forbidden");
    expect(await ownReports(owner.token)).toEqual([]);
    const writer = await createKey(server, owner.token, ["audit:write"]);
    expect((await report(server, writer.key, eventId)).body.report.user_id).toBe(owner.id);
  });

  test("has no more than its owner: one without the permission gets 403 whatever the key's scopes say", async () => {
    const { key } = await commandLineKey(server, {
      owner: user.username,
      scopes: ["audit:read", "audit:write"],
    });
    const eventId = newEvent(user.id);
    expectRefused(await server.get(OWN, { token: key }), 403, "Forbidden");
    expectRefused(await report(server, key, eventId), 403, "Forbidden");
    expect(reportsOf(server).filter((each) => each.audit_event_id === eventId)).toEqual([]);
  });
});

describe("a system key", () => {
  test("without owner has no events or reports of its own: 400", async () => {
    const before = reportsOf(server);
    const token = server.systemKey;
    expectRefused(await server.get(OWN, { token }), 400, "BadRequest");
    expectRefused(await server.get(`${OWN}/reports`, { token }), 400, "BadRequest");
    expectRefused(await report(server, token, newEvent(user.id)), 400, "BadRequest");
    expect(reportsOf(server)).toEqual(before);
  });

  test("with an owner has its owner's", async () => {
    const { key } = await commandLineKey(server, { owner: other.username, system: true });
    expect(await ownEvents(key)).toEqual(await ownEvents(other.token));
    const eventId = newEvent(other.id);
    expect((await report(server, key, eventId)).body.report).toMatchObject({ user_id: other.id });
    expect(await ownReports(key)).toEqual(await ownReports(other.token));
    expectRefused(await report(server, key, newEvent(user.id)), 404, "NotFound");
  });
});

test("every list but the own ones needs audit:read, and handling a report audit:write", async () => {
  const made = done(await report(server, user.token, newEvent(user.id))).report;
  for (const path of [`/v1/users/${user.id}/audit`, "/v1/admin/audit", "/v1/admin/audit/reports"])
    await expectPermission(server, "audit:read", 200, (token) =>
      server.get(path, { ...(token && { token }) }),
    );
  await expectPermission(server, "audit:write", 200, (token) =>
    server.patch(`/v1/admin/audit/reports/${made.id}`, {
      ...(token && { token }),
      body: { status: "reviewed" },
    }),
  );
});

test("nothing is shown or taken without a credential, or for an X-ID-App-Key", async () => {
  const eventId = newEvent(user.id);
  const body = { reason: "other" };
  const before = reportsOf(server);
  for (const headers of [{}, { "x-id-app-key": "anything" }] as Record<string, string>[]) {
    for (const path of [OWN, `${OWN}/reports`, "/v1/admin/audit", `/v1/users/${user.id}/audit`])
      expectRefused(await server.get(path, { headers }), 401, "Unauthorized");
    expectRefused(await server.post(`${OWN}/${eventId}/report`, { headers, body }), 401, "Unauthorized");
  }
  expect(reportsOf(server)).toEqual(before);
});

test("a user's list needs a user: 404 for one that nobody has, 400 for no identifier", async () => {
  const token = server.systemKey;
  expectRefused(await server.get(`/v1/users/${UNKNOWN}/audit`, { token }), 404, "NotFound");
  expectInvalid(await server.get("/v1/users/discord-1/audit", { token }), "/id");
});

test("keeps the events of a user who was deleted", async () => {
  const leaver = await newUser(server);
  const eventId = newEvent(leaver.id);
  const token = server.systemKey;
  expect((await server.delete(`/v1/users/${leaver.id}`, { token })).status).toBeLessThan(300);
  const { events }: EventPage = done(await server.get(`/v1/users/${leaver.id}/audit?limit=100`, { token }));
  expect(events.map(({ id }) => id)).toContain(eventId);
});

/** Events are never changed or deleted by the API (rule E1). */
test("nobody changes or deletes an event, whatever the method: not even a super admin", async () => {
  const token = await server.admin();
  const id = newEvent(user.id);
  const before = storedEvents(server);
  for (const path of [
    OWN,
    `${OWN}/${id}`,
    "/v1/admin/audit",
    `/v1/admin/audit/${id}`,
    `/v1/internal/audit/${id}`,
  ])
    for (const method of ["PUT", "PATCH", "DELETE"]) {
      const { status } = await server.request(method, path, { token, body: { event_type: "login" } });
      expect([404, 405]).toContain(status);
    }
  expect(storedEvents(server)).toEqual(before);
});
