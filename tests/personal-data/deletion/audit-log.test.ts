import { afterAll, beforeAll, expect, test } from "bun:test";
import {
  countsDiffer,
  find,
  insertEvents,
  report,
  reportsOf,
  type StoredEvent,
  storedEvents,
} from "../../identity/audit-log/support";
import { done, eventually } from "../../support/expectations";
import { newUser } from "../../support/people";
import { filesWith } from "../../support/rows";
import { TestServer } from "../../support/server";

/** A scrubbed account's events and reports stay, without address, agent and place (rule A10). */
let server: TestServer;
beforeAll(async () => {
  server = await TestServer.start();
});
afterAll(() => server.stop());

/** The traces in an event: address, agent and place, in words that stand in no other test's event. */
const traces = (word: string) => ({
  ip_address: "81.2.69.160",
  user_agent: `Agent of ${word}`,
  country_code: "GB",
  country_name: `Country of ${word}`,
  city: `City of ${word}`,
  region: `Region of ${word}`,
});
const NO_TRACES = Object.fromEntries(Object.keys(traces("")).map((name) => [name, null]));

const forceDelete = async (id: string) =>
  done(await server.post(`/v1/admin/users/${id}/force-delete`, { token: server.systemKey }));

test("a force-deleted user's events lose address, agent and place, and nothing else; others' keep theirs", async () => {
  const [leaver, other] = [await newUser(server), await newUser(server)];
  // More than one step of the work, with the same times.
  const about = insertEvents(
    server,
    Array.from({ length: 1_100 }, (_, n) => ({
      user_id: leaver.id,
      created_at: Date.UTC(2026, 4, 4) + (n % 3),
      status: n % 2 === 0 ? "success" : "failure",
      metadata: '{"name":"kept","n":1}',
      resource_type: "session",
      ...traces("a leaver"),
    })),
  );
  const by = insertEvents(server, [
    { user_id: other.id, actor_id: leaver.id, ...traces("a leaver") },
    { user_id: null, actor_id: leaver.id, ...traces("a leaver") },
  ]);
  const foreign = insertEvents(server, [
    { user_id: other.id, ...traces("another") },
    { user_id: null, ...traces("another") },
    { user_id: `${leaver.id}x`, ...traces("another") },
  ]);
  await forceDelete(leaver.id);

  const stored = new Map(storedEvents(server).map((event) => [event.id, event]));
  const without = (event: StoredEvent) => ({ ...event, ...NO_TRACES });
  const after = (events: StoredEvent[]) => events.map(({ id }) => stored.get(id));
  expect(after(about)).toEqual(about.map(without));
  expect(after(by)).toEqual(by.map(without));
  expect(after(foreign)).toEqual(foreign);
  expect(countsDiffer(server)).toEqual([]);
  await eventually(() => filesWith(server, "Agent of a leaver").length === 0);
  for (const what of ["Country", "City", "Region"])
    expect(filesWith(server, `${what} of a leaver`)).toEqual([]);
  const page = await find(server, { user_id: leaver.id, limit: 100 });
  expect(page.events.every((event) => event.ip_address === null && event.city === null)).toBe(true);
});

test("its reports stay, without their words and what was answered to them; others' keep theirs", async () => {
  const [leaver, other] = [await newUser(server), await newUser(server)];
  const file = async (user: typeof leaver, word: string) => {
    const [event] = insertEvents(server, [{ user_id: user.id }]);
    const body = { reason: "suspicious", description: `Question of ${word}` };
    const { id } = done(await report(server, user.token, event?.id as string, body)).report;
    const change = { status: "resolved", resolution_notes: `Answer to ${word}` };
    const path = `/v1/admin/audit/reports/${id}`;
    return done(await server.patch(path, { token: await server.admin(), body: change })).data;
  };
  const [gone, kept] = [await file(leaver, "a leaver"), await file(other, "another")];
  await forceDelete(leaver.id);
  const listed = done(await server.get("/v1/admin/audit/reports", { token: server.systemKey }));
  expect(listed).toContainEqual({ ...gone, description: null, resolution_notes: null });
  expect(listed).toContainEqual(kept);
  expect(reportsOf(server)).toHaveLength(listed.length);
  await eventually(() => filesWith(server, "Question of a leaver").length === 0);
});

test("an account that is deleted softly keeps both", async () => {
  const leaver = await newUser(server);
  const [event] = insertEvents(server, [{ user_id: leaver.id, ...traces("a soft leaver") }]);
  const body = { reason: "other", description: "Words" };
  const made = done(await report(server, leaver.token, event?.id as string, body)).report;
  expect((await server.delete(`/v1/users/${leaver.id}`, { token: server.systemKey })).status).toBeLessThan(
    300,
  );
  expect(storedEvents(server)).toContainEqual({ ...(event as StoredEvent), is_reported: 1 });
  const listed = done(await server.get("/v1/admin/audit/reports", { token: server.systemKey }));
  expect(listed).toContainEqual(made);
});
