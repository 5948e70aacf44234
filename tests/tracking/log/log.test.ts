import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Token } from "../../support/api";
import { eventually, expectPermission, expectRefused, expectStatus } from "../../support/expectations";
import { onDatabase, rows } from "../../support/rows";
import { TestServer } from "../../support/server";
import { createTrip, moveTrip } from "../support";
import { type Entry, hashByHand, readLog, strike, verify, write } from "./support";

/** The log of a trip: entries that are added, struck out, and proven by their chain. */
let server: TestServer;
let token: Token;
beforeAll(async () => {
  server = await TestServer.start();
  token = await server.admin();
});
afterAll(() => server.stop());

const NOTHING = "0192f3a1-5c00-7d1e-9a55-3f1f6c1f0a01";
const newTrip = async () => (await createTrip(server)).id as string;

/** Holds the chain of a log against hashes computed here. */
function expectChain(entries: Entry[]): void {
  for (const [at, entry] of entries.entries()) {
    expect(entry.number).toBe(at + 1);
    expect(entry.previous_hash).toBe(entries[at - 1]?.hash ?? null);
    expect(entry.hash).toBe(hashByHand(entry));
  }
}

test("an entry comes back as it was sent, under its address, with its author and both times", async () => {
  const trip = await newTrip();
  const me = (await server.get("/v1/users/me", { token })).body.data;
  const data = { wind_bft: 5, engine_hours: 1204.5, ü: { list: [1, null, "\u0000\u2028😀"] } };
  const body = { kind: "weather", text: "Böig aus West", occurred_at: "2026-05-04T11:30:00+02:00", data };
  const answer = expectStatus(await server.post(`/v1/trips/${trip}/log`, { token, body }), 201);
  const entry = answer.body.data;
  expect(entry).toMatchObject({
    ...body,
    occurred_at: "2026-05-04T09:30:00.000Z",
    user_id: me.id,
    api_key_id: null,
    is_automatic: false,
    strikes_id: null,
  });
  expect(Math.abs(Date.parse(entry.recorded_at) - Date.now())).toBeLessThan(60_000);
  expect(answer.headers.get("location")).toBe(`/v1/trips/${trip}/log/${entry.id}`);
  expect((await server.get(answer.headers.get("location") ?? "", { token })).body.data).toEqual(entry);
  expect(await readLog(server, trip)).toEqual([entry]);
  expectChain([entry]);
});

test("an entry by a key names the key and its owner; without a kind it is a note of now", async () => {
  const trip = await newTrip();
  const { id, key } = await server.createKey("trips:write");
  const entry = await write(server, trip, { text: "Cast off" }, key);
  const me = (await server.get("/v1/users/me", { token })).body.data;
  expect(entry).toMatchObject({ kind: "note", user_id: me.id, api_key_id: id, data: null });
  expect(Math.abs(Date.parse(entry.occurred_at) - Date.now())).toBeLessThan(60_000);
  const bySystem = await write(server, trip, { data: { a: 1 } }, server.systemKey);
  expect(bySystem).toMatchObject({ user_id: null, is_automatic: false, text: null });
  expectChain(await readLog(server, trip));
});

test("parallel entries make one chain", async () => {
  const trip = await newTrip();
  await Promise.all(Array.from({ length: 40 }, (_, at) => write(server, trip, { text: `entry ${at}` })));
  const entries = await readLog(server, trip);
  expect(new Set(entries.map(({ text }) => text)).size).toBe(40);
  expectChain(entries);
  expect(await verify(server, trip)).toEqual({
    is_intact: true,
    entries: 40,
    head: entries.at(-1).hash,
    first_break: null,
  });
});

test("the pages hold each entry once, oldest first", async () => {
  const trip = await newTrip();
  for (let at = 0; at < 25; at++) await write(server, trip, { text: String(at) });
  const path = `/v1/trips/${trip}/log`;
  const first = expectStatus(await server.get(path, { token }), 200).body;
  expect(first.pagination).toEqual({ page: 1, limit: 20, total: 25, total_pages: 2 });
  const second = expectStatus(await server.get(first._links.next, { token }), 200).body;
  expect([...first.data, ...second.data].map(({ text }: Entry) => Number(text))).toEqual(
    Array.from({ length: 25 }, (_, at) => at),
  );
  expect((await server.get(`${path}?page=3`, { token })).body.data).toEqual([]);
  expect((await server.get(`${path}?page=9007199254740991&limit=100`, { token })).body.data).toEqual([]);
});

describe("a strike", () => {
  test("leaves the entry as it was, and is told beside it", async () => {
    const trip = await newTrip();
    const entry = await write(server, trip, { text: "Wind 50 Bft" });
    const kept = await write(server, trip, { text: "Wind 5 Bft" });
    const struck = await strike(server, trip, entry.id, "typing error");
    expect(struck).toMatchObject({ kind: "strike", strikes_id: entry.id, text: "typing error", number: 3 });
    const { data, strikes } = (await server.get(`/v1/trips/${trip}/log`, { token })).body;
    expect(data).toEqual([entry, kept, struck]);
    expect(strikes).toEqual([
      {
        entry_id: entry.id,
        strike_id: struck.id,
        strike_number: 3,
        struck_at: struck.occurred_at,
        reason: "typing error",
      },
    ]);
    expectChain(data);
  });

  test("is refused a second time, of a strike, and of another trip's entry", async () => {
    const trip = await newTrip();
    const entry = await write(server, trip, { text: "once" });
    const struck = await strike(server, trip, entry.id);
    const again = (tripId: string, id: string) =>
      server.post(`/v1/trips/${tripId}/log/${id}/strike`, { token, body: { reason: "again" } });
    expectRefused(await again(trip, entry.id), 409, "Conflict");
    expectRefused(await again(trip, struck.id), 409, "Conflict");
    expectRefused(await again(await newTrip(), entry.id), 404, "NotFound");
    expectRefused(await again(trip, NOTHING), 404, "NotFound");
    expect(await readLog(server, trip)).toHaveLength(2);
  });

  test("is made once by parallel requests", async () => {
    const trip = await newTrip();
    const { id } = await write(server, trip, { text: "once" });
    const body = { reason: "wrong" };
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => server.post(`/v1/trips/${trip}/log/${id}/strike`, { token, body })),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, ...Array(7).fill(409)]);
  });
});

describe("refuses, and writes nothing:", () => {
  let trip: string;
  beforeAll(async () => {
    trip = await newTrip();
  });
  const deep = (levels: number): object => (levels === 1 ? {} : { a: deep(levels - 1) });
  const inMinutes = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString();
  const raw = (text: string) => ({ raw: text, headers: { "content-type": "application/json" } });
  test.each<[string, object]>([
    ["neither text nor data", { body: { kind: "note" } }],
    ["an empty text alone", { body: { text: " " } }],
    ["a strike by hand", { body: { kind: "strike", text: "x" } }],
    ["an unknown kind", { body: { kind: "gossip", text: "x" } }],
    ["a text that is too long", { body: { text: "x".repeat(10_001) } }],
    ["data that is no object", { body: { data: [1] } }],
    ["too much data", { body: { data: { text: "x".repeat(16_384) } } }],
    ["data nested too deeply", { body: { data: deep(17) } }],
    ["a number that no double holds", raw('{"data":{"a":1e400}}')],
    ["a time that is none", { body: { text: "x", occurred_at: "yesterday" } }],
    ["a time in the future", { body: { text: "x", occurred_at: inMinutes(60) } }],
  ])("%s", async (_, request) => {
    expectRefused(await server.post(`/v1/trips/${trip}/log`, { token, ...request }), 400, "ValidationError");
    expect(await readLog(server, trip)).toEqual([]);
  });

  test.each(['{"text":"\\ud800"}', '{"data":{"\\udc00":1}}'])(
    "half of a surrogate pair: %s",
    async (body) => {
      expectRefused(await server.post(`/v1/trips/${trip}/log`, { token, ...raw(body) }), 400, "BadRequest");
      expect(await readLog(server, trip)).toEqual([]);
    },
  );

  test("a strike without a reason", async () => {
    const other = await newTrip();
    const { id } = await write(server, other, { text: "x" });
    for (const reason of ["", "x".repeat(1_001), null]) {
      const answer = await server.post(`/v1/trips/${other}/log/${id}/strike`, { token, body: { reason } });
      expectRefused(answer, 400, "ValidationError");
    }
  });
});

test("data and times at their bounds are taken", async () => {
  const trip = await newTrip();
  const deep = (levels: number): object => (levels === 1 ? {} : { a: deep(levels - 1) });
  const soon = new Date(Date.now() + 290_000).toISOString();
  await write(server, trip, { data: { text: "x".repeat(16_384 - '{"text":""}'.length) } });
  await write(server, trip, { data: deep(16), occurred_at: soon });
  await write(server, trip, { data: JSON.parse('{"__proto__":{"b":1},"constructor":0,"-0":-0}') });
  await write(server, trip, { text: "a".repeat(10_000) });
  const entries = await readLog(server, trip);
  expect(JSON.stringify(entries[2].data)).toBe('{"-0":0,"__proto__":{"b":1},"constructor":0}');
  expect((await verify(server, trip)).is_intact).toBe(true);
});

describe("an altered database is found out:", () => {
  async function logOfFive() {
    const trip = await newTrip();
    for (let at = 0; at < 5; at++) await write(server, trip, { text: `entry ${at}`, data: { at } });
    return { trip, entries: await readLog(server, trip) };
  }
  test.each([
    ["a changed text", "UPDATE log_entries SET text = 'other' WHERE id = ?", 2],
    ["a changed time", "UPDATE log_entries SET occurred_at = occurred_at + 1 WHERE id = ?", 2],
    ["another author", "UPDATE log_entries SET user_id = NULL WHERE id = ?", 2],
    ["changed data", "UPDATE log_entries SET data = '{}' WHERE id = ?", 2],
    ["data that is no JSON", "UPDATE log_entries SET data = '{' WHERE id = ?", 2],
    ["a deleted entry", "DELETE FROM log_entries WHERE id = ?", 3],
  ])("%s", async (_, sql, broken) => {
    const { trip, entries } = await logOfFive();
    onDatabase(server, (database) => database.run(sql, [entries[2].id]));
    expect(await verify(server, trip)).toMatchObject({
      is_intact: false,
      first_break: entries[broken].id,
    });
  });

  test("an entry that was changed together with its hash", async () => {
    const { trip, entries } = await logOfFive();
    const forged = { ...entries[2], text: "other" };
    onDatabase(server, (database) =>
      database.run("UPDATE log_entries SET text = 'other', hash = ? WHERE id = ?", [
        hashByHand(forged),
        forged.id,
      ]),
    );
    expect(await verify(server, trip)).toMatchObject({ is_intact: false, first_break: entries[3].id });
  });
});

test("the empty log of a trip is intact, and that of no trip is 404", async () => {
  const trip = await newTrip();
  expect(await verify(server, trip)).toEqual({ is_intact: true, entries: 0, head: null, first_break: null });
  for (const path of ["", "/verify", `/${NOTHING}`, "?format=json", "?format=csv", "?format=pdf"])
    expectRefused(await server.get(`/v1/trips/${NOTHING}/log${path}`, { token }), 404, "NotFound");
  expectRefused(
    await server.post(`/v1/trips/${NOTHING}/log`, { token, body: { text: "x" } }),
    404,
    "NotFound",
  );
  expectRefused(await server.get(`/v1/trips/${trip}/log/${NOTHING}`, { token }), 404, "NotFound");
});

test("reading needs trips:read, writing trips:write", async () => {
  const trip = await newTrip();
  const { id } = await write(server, trip, { text: "x" });
  const path = `/v1/trips/${trip}/log`;
  await expectPermission(server, "trips:read", 200, (by) => server.get(path, { token: by }));
  await expectPermission(server, "trips:write", 201, (by) =>
    server.post(path, { token: by, body: { text: "y" } }),
  );
  await expectPermission(server, "trips:write", 201, (by) =>
    server.post(`${path}/${id}/strike`, { token: by, body: { reason: "z" } }),
  );
});

describe("with its trip", () => {
  test("the log goes, and the audit log keeps its head", async () => {
    const trip = await newTrip();
    await write(server, trip, { text: "first" });
    const { hash } = await write(server, trip, { text: "last" });
    expectStatus(await server.delete(`/v1/trips/${trip}`, { token }), 204);
    expectRefused(await server.get(`/v1/trips/${trip}/log`, { token }), 404, "NotFound");
    expect(rows(server, "SELECT 1 FROM log_entries WHERE trip_id = ?", trip)).toEqual([]);
    const { events } = (await server.get("/v1/admin/audit?event_type=trip_log_deleted", { token })).body;
    expect(events[0]).toMatchObject({ resource_id: trip, metadata: { entries: 2, head: hash } });
  });

  test("a long log goes in steps, also those that are left after a restart", async () => {
    const trip = await newTrip();
    const { id } = await write(server, trip, { text: "x" });
    onDatabase(server, (database) =>
      database.run(
        `WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < 1200)
         INSERT INTO log_entries (id, trip_id, number, kind, occurred_at, recorded_at, is_automatic, hash)
         SELECT ?1 || i, ?2, i, 'note', 0, 0, 0, '' FROM n`,
        [id, trip],
      ),
    );
    expectStatus(await server.delete(`/v1/trips/${trip}`, { token }), 204);
    const left = () =>
      rows<{ n: number }>(server, "SELECT count(*) AS n FROM log_entries WHERE trip_id = ?", trip)[0]?.n;
    expect(left()).toBe(700);
    expectRefused(await server.get(`/v1/trips/${trip}/log/${id}`, { token }), 404, "NotFound");
    await server.stop();
    server = await TestServer.start({ dataDir: server.dataDir });
    await eventually(() => rows(server, "SELECT 1 FROM log_removals").length === 0);
    expect(left()).toBe(0);
  });
});

test("a completed trip's log takes entries", async () => {
  const trip = await newTrip();
  await moveTrip(server, trip, "active", "completed");
  await write(server, trip, { text: "Signed off" });
  expect(await readLog(server, trip)).toHaveLength(1);
});

describe("the interval of a trip", () => {
  test("is 60 minutes, and back at that with null", async () => {
    const trip = await createTrip(server);
    expect(trip.log_interval_minutes).toBe(60);
    const set = async (log_interval_minutes: unknown) =>
      await server.patch(`/v1/trips/${trip.id}`, { token, body: { log_interval_minutes } });
    expect((await set(0)).body.data.log_interval_minutes).toBe(0);
    expect((await set(1_440)).body.data.log_interval_minutes).toBe(1_440);
    expect((await set(null)).body.data.log_interval_minutes).toBe(60);
    for (const wrong of [-1, 1_441, 1.5, "60"]) expectRefused(await set(wrong), 400, "ValidationError");
    expect((await createTrip(server, { log_interval_minutes: 5 })).log_interval_minutes).toBe(5);
  });
});
