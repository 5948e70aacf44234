import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { EventFilters, EventOrder } from "../../../src/identity/audit-log/conditions";
import { countEventsOf } from "../../../src/identity/audit-log/counts";
import { findEvents } from "../../../src/identity/audit-log/search";
import { openDatabase, sqlite } from "../../../src/kernel/db/connection";
import { migrate } from "../../../src/kernel/db/migrate";
import { migrations } from "../../../src/kernel/db/migrations.gen";
import { closeDatabase } from "../../../src/kernel/db/transactions";
import { randomFrom } from "../../support/random";
import { DAY } from "../../support/time";
import { idsFromScratch } from "./from-scratch";
import { type StoredEvent, storedEvent, writeEvents } from "./support";

/**
 * One user's events are counted by `audit_user_days`, which triggers maintain, and deep pages are found by
 * these counts. With many events on each day, every list must equal the one made by sorting and counting all
 * of them.
 */

const START = Date.UTC(2025, 0, 1);
const DAYS = 120;
const EVENTS = 24_000;
/** The migration that makes the counts. */
const COUNTS = migrations.findIndex(({ sql }) => sql.includes("CREATE TABLE `audit_user_days`"));

const random = randomFrom(19);
const oneOf = <T>(...values: T[]): T => values[Math.floor(random() * values.length)] as T;

const someEvent = (user_id: string | null): StoredEvent =>
  storedEvent({
    user_id,
    event_type: oneOf("login", "login", "user_updated", "session_created"),
    resource_type: oneOf("user", "session", null),
    source_service: oneOf("api", "id"),
    status: random() < 0.1 ? "failure" : "success",
    is_reported: random() < 0.01 ? 1 : 0,
    created_at: START + Math.floor(random() * DAYS * DAY),
  });

beforeAll(() => {
  openDatabase(":memory:", "normal");
  // Half of the events are older than the migration, which must count them.
  const [before, after] = [migrations.slice(0, COUNTS), migrations.slice(COUNTS)];
  migrations.splice(0, migrations.length, ...before);
  migrate();
  const write = (count: number) =>
    sqlite.transaction(() => {
      writeEvents(
        sqlite,
        Array.from({ length: count }, () => someEvent("anna")),
      );
      writeEvents(
        sqlite,
        Array.from({ length: count / 100 }, () => someEvent(oneOf("bert", null))),
      );
    })();
  write(EVENTS / 2);
  migrations.push(...after);
  migrate();
  write(EVENTS / 2);
});
afterAll(() => closeDatabase());

function expectSame(
  filters: EventFilters,
  order: EventOrder = { field: "created_at", direction: "desc" },
): void {
  const limit = 20;
  const all = idsFromScratch(filters, order);
  const last = Math.max(1, Math.ceil(all.length / limit));
  for (const page of new Set([1, 2, Math.ceil(last / 3), Math.ceil(last * 0.7), last, last + 1])) {
    const found = findEvents(filters, order, { page, limit });
    expect({ filters, page, ids: found.rows.map(({ id }) => id), total: found.total }).toEqual({
      filters,
      page,
      ids: all.slice((page - 1) * limit, page * limit),
      total: all.length,
    });
  }
}

const FILTERS: Omit<EventFilters, "userIds">[] = [
  {},
  { event_type: "login" },
  { resource_type: "session", status: "failure" },
  { is_reported: true },
  { source_service: "id", event_type: "user_updated" },
  { from: START + 17.4 * DAY, to: START + 90.7 * DAY },
  { from: START + 17.4 * DAY, to: START + 17.5 * DAY, status: "success" },
  { from: START + 17.4 * DAY + 12_345, to: START + 90.7 * DAY + 54_321 },
  { from: START + 17.4 * DAY + 12_345, to: START + 17.6 * DAY + 43_210, event_type: "login" },
  { from: START + 17.9999 * DAY, to: START + 18.0001 * DAY },
  { from: START + 18 * DAY + 5_000, to: START + 18 * DAY + 5_000 },
  { event_type: "never" },
];

describe("one user's events", () => {
  test("are those that going through all of them finds, page by page, by every filter", () => {
    for (const filters of FILTERS) expectSame({ userIds: ["anna"], ...filters });
    expectSame({ userIds: ["bert"] });
    expectSame({ userIds: ["nobody"] });
  });

  test("also in every other order", () => {
    for (const field of ["created_at", "event_type", "status"] as const)
      for (const direction of ["asc", "desc"] as const)
        expectSame(
          { userIds: ["anna"], from: START + 100.3 * DAY, to: START + 103.8 * DAY },
          { field, direction },
        );
  });

  test("stay counted when events are reported and deleted, to the last one", () => {
    sqlite.run(
      "UPDATE audit_events SET is_reported = 1 - is_reported WHERE user_id = 'anna' AND rowid % 7 = 0",
    );
    sqlite.run("DELETE FROM audit_events WHERE rowid % 3 = 0");
    for (const filters of FILTERS) expectSame({ userIds: ["anna"], ...filters });
    sqlite.run("DELETE FROM audit_events WHERE user_id = 'bert'");
    expect(sqlite.query("SELECT * FROM audit_user_days WHERE user_id = 'bert'").all()).toEqual([]);
    expect(
      findEvents({ userIds: ["bert"] }, { field: "created_at", direction: "desc" }, { page: 1, limit: 1 }),
    ).toEqual({
      rows: [],
      total: 0,
    });
    expect(countEventsOf(["anna"])).toBe(
      idsFromScratch({ userIds: ["anna"] }, { field: "created_at", direction: "asc" }).length,
    );
  });
});
