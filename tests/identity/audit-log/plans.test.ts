import { afterAll, beforeAll, describe, expect, spyOn, test } from "bun:test";
import { SORT_FIELDS } from "../../../src/identity/audit/words";
import type { EventFilters, EventOrder } from "../../../src/identity/audit-log/conditions";
import { findEvents } from "../../../src/identity/audit-log/search";
import { openDatabase, sqlite } from "../../../src/kernel/db/connection";
import { migrate } from "../../../src/kernel/db/migrate";
import { closeDatabase } from "../../../src/kernel/db/transactions";
import { randomFrom } from "../../support/random";
import { DAY } from "../../support/time";
import { storedEvent, writeEvents } from "./support";

/**
 * SQLite's plan for each list of events, by EXPLAIN QUERY PLAN of every statement that the search runs, in
 * this process: the index it reads, and the rows it sorts. Plans don't depend on the number of events:
 * neither this test nor the server gathers statistics (ANALYZE).
 */
const START = Date.UTC(2026, 0, 1);
const DAYS = 30;

beforeAll(() => {
  openDatabase(":memory:", "normal");
  migrate();
  const random = randomFrom(17);
  const oneOf = <T>(...values: T[]): T => values[Math.floor(random() * values.length)] as T;
  const events = Array.from({ length: 4_000 }, () =>
    storedEvent({
      user_id: oneOf("a", "b", "c", null),
      event_type: oneOf("login", "logout", "user_updated"),
      resource_type: oneOf("user", "session", null),
      source_service: oneOf("api", "id"),
      status: random() < 0.2 ? "failure" : "success",
      is_reported: random() < 0.2 ? 1 : 0,
      created_at: START + Math.floor(random() * DAYS * DAY),
    }),
  );
  sqlite.transaction(() => writeEvents(sqlite, events))();
});
afterAll(() => closeDatabase());

// --- Queries ------------------------------------------------------------------------------------------------

const ORDERS: EventOrder[] = SORT_FIELDS.flatMap((field) =>
  (["asc", "desc"] as const).map((direction) => ({ field, direction })),
);
const BY_USER = ORDERS.filter(({ field }) => field === "user_id");
const BY_OTHER = ORDERS.filter(({ field }) => field !== "user_id");

/** In the middle of days, so that parts of days are read too; the last within one day. */
const [from, to] = [START + 3.4 * DAY, START + 20.7 * DAY];
const TIMES: EventFilters[] = [{}, { from }, { to }, { from, to }, { from, to: from + DAY / 2 }];

/** Filters, each with the index that serves it; null for the index of the order by time. */
const FILTERS: [filter: EventFilters, index: string | null][] = [
  [{ event_type: "login" }, "audit_events_type"],
  [{ resource_type: "user" }, "audit_events_resource"],
  [{ source_service: "api" }, "audit_events_source"],
  [{ status: "failure" }, "audit_events_failures"],
  [{ is_reported: true }, "audit_events_reported"],
  [{ status: "success" }, null],
  [{ is_reported: false }, null],
];

interface Combination {
  filters: EventFilters;
  /** The acceptable indexes. */
  indexes: string[];
}

const combine = (...parts: (typeof FILTERS)[number][]): Combination => {
  const indexes = parts.flatMap(([, index]) => index ?? []);
  return {
    filters: Object.assign({}, ...parts.map(([filter]) => filter)),
    indexes: indexes.length > 0 ? indexes : ["audit_events_time"],
  };
};

/** No filter, each alone, and each pair that doesn't name one thing twice. */
const COMBINATIONS: Combination[] = [
  combine(),
  ...FILTERS.map((one) => combine(one)),
  ...FILTERS.flatMap((one, at) => FILTERS.slice(at + 1).map((other) => combine(one, other))).filter(
    ({ filters }) => Object.keys(filters).length === 2,
  ),
];

// --- Plans --------------------------------------------------------------------------------------------------

interface Read {
  sql: string;
  /** Plan lines, without those about putting a page together from the events that were found. */
  plan: string[];
}

const ASSEMBLY = ["CO-ROUTINE page", "SCAN page", "SEARCH e USING INTEGER PRIMARY KEY (rowid=?)"];
const known = new Map<string, Read>();

function explain(sql: string): Read {
  let read = known.get(sql);
  if (!read) {
    const lines = sqlite.query<{ detail: string }, []>(`EXPLAIN QUERY PLAN ${sql}`).all();
    read = { sql, plan: lines.map(({ detail }) => detail).filter((line) => !ASSEMBLY.includes(line)) };
    known.set(sql, read);
  }
  return read;
}

/** The statements that `act` runs, each once. */
function statementsOf(act: () => void): string[] {
  const spy = spyOn(sqlite, "query");
  try {
    act();
    return [...new Set(spy.mock.calls.map(([sql]) => String(sql)))];
  } finally {
    spy.mockRestore();
  }
}

/**
 * The statements that count a list and that read its first page, one on either side of its middle and its
 * last.
 */
function readsOf(filters: EventFilters, order: EventOrder): { counts: Read[]; pages: Read[] } {
  const limit = 5;
  const reads = statementsOf(() => {
    const last = Math.ceil(findEvents(filters, order, { page: 1, limit }).total / limit);
    for (const page of [Math.floor(last * 0.4), Math.ceil(last * 0.6), last])
      if (page > 1) findEvents(filters, order, { page, limit });
  }).map(explain);
  return {
    counts: reads.filter(({ sql }) => !sql.includes("AS page")),
    pages: reads.filter(({ sql }) => sql.includes("AS page")),
  };
}

/** Fails with the statement and its plan. */
function must(holds: boolean, { sql, plan }: Read): void {
  if (!holds) throw new Error(`${sql}\n${plan.join("\n")}`);
}

/** Events between two times, and the other columns by which an index may search. */
const WITHIN_BOUNDS =
  /^SEARCH audit_events USING (?:COVERING )?INDEX (\w+) \((?:\w+=\? AND )?created_at>\? AND created_at<\?\)$/;

const ONLY_TIES = "USE TEMP B-TREE FOR LAST TERM OF ORDER BY";

describe("everybody's events by time, type or status", () => {
  test("are found within the bounds of a day, by the index of a filter, and are not sorted", () => {
    for (const { filters, indexes } of COMBINATIONS)
      for (const order of BY_OTHER) {
        // Sorting by a field reads its values one after the other, as if it were filtered by each.
        const sorted = {
          event_type: ["audit_events_type"],
          status: ["audit_events_failures", "audit_events_time"],
        };
        const suitable = [...indexes, ...(sorted[order.field as keyof typeof sorted] ?? [])];
        let count = 0;
        for (const time of TIMES)
          for (const read of readsOf({ ...filters, ...time }, order).pages) {
            const [search = "", ...others] = read.plan;
            const [, index = ""] = WITHIN_BOUNDS.exec(search) ?? [];
            // The counted columns come after the time in the index: events of one millisecond need sorting.
            const expected = index === "audit_events_time" ? [ONLY_TIES] : [];
            must(suitable.includes(index) && others.join() === expected.join(), read);
            count++;
          }
        expect(count).toBeGreaterThan(0);
      }
  });

  test("are found by the index of their only filter", () => {
    for (const { filters, indexes } of COMBINATIONS.slice(0, 1 + FILTERS.length)) {
      const { pages } = readsOf(filters, { field: "created_at", direction: "desc" });
      const used = new Set(pages.map(({ plan }) => WITHIN_BOUNDS.exec(plan[0] ?? "")?.[1] ?? ""));
      expect({ filters, used: [...used] }).toEqual({ filters, used: indexes });
    }
  });

  test("are counted without reading events: by day, and those of a cut day by the index of time alone", () => {
    for (const { filters } of COMBINATIONS)
      for (const order of BY_OTHER)
        for (const time of TIMES) {
          const [days, ...edges] = readsOf({ ...filters, ...time }, order).counts as [Read, ...Read[]];
          const isBounded = Object.keys(time).length > 0;
          const plan = isBounded ? /^SEARCH audit_days USING INDEX \w+ \(day/ : /^SCAN audit_days/;
          must(days.sql.includes("FROM audit_days") && plan.test(days.plan[0] ?? ""), days);
          expect(edges.length > 0).toBe(isBounded);
          for (const read of edges) {
            const [search = "", ...others] = read.plan;
            const onlyGroups = others.every((line) => line === "USE TEMP B-TREE FOR GROUP BY");
            const byTime = /^SEARCH audit_events USING COVERING INDEX audit_events_time \(created_at>/;
            must(byTime.test(search) && onlyGroups, read);
          }
        }
  });
});

describe("the events of users", () => {
  const OF_USER =
    /^SEARCH audit_events USING COVERING INDEX audit_events_user \(user_id=\?(?: AND created_at>\?)?(?: AND created_at<\?)?\)$/;

  const DAYS_OF_USER =
    /^SEARCH audit_user_days USING PRIMARY KEY \(user_id=\?(?: AND day>\?)?(?: AND day<\?)?\)$/;
  const GROUPS = "USE TEMP B-TREE FOR GROUP BY";

  test("are counted by the user's days, those of a cut day and of a page found by their index alone, and never sorted", () => {
    for (const { filters } of COMBINATIONS)
      for (const order of ORDERS)
        for (const time of TIMES) {
          const { counts, pages } = readsOf({ userIds: ["a"], ...filters, ...time }, order);
          const [days, ...edges] = counts as [Read, ...Read[]];
          must(DAYS_OF_USER.test(days.plan[0] ?? ""), days);
          expect(edges.length > 0).toBe(Object.keys(time).length > 0);
          for (const read of edges) {
            const [search = "", ...others] = read.plan;
            must(OF_USER.test(search) && others.every((line) => line === GROUPS), read);
          }
          for (const read of pages) {
            const [search = "", ...others] = read.plan;
            must(OF_USER.test(search) && others.join() === ONLY_TIES, read);
          }
          expect(pages.length).toBeGreaterThan(0);
        }
  });

  test("are found by that index for several users too, whose events are sorted together", () => {
    for (const { filters } of COMBINATIONS)
      for (const order of ORDERS) {
        const { counts, pages } = readsOf({ userIds: ["a", "b", "nobody"], ...filters, from, to }, order);
        for (const read of [...counts, ...pages]) {
          const [search = "", ...others] = read.plan.filter((line) => line !== GROUPS);
          const rest = others.filter((line) => !/^LIST SUBQUERY|^SCAN json_each/.test(line));
          const sortsAtMost = counts.includes(read) ? 0 : 1;
          const isSort = rest.every((line) => line.startsWith("USE TEMP B-TREE FOR"));
          const isCountOfDays = counts.includes(read) && DAYS_OF_USER.test(search);
          must((OF_USER.test(search) || isCountOfDays) && isSort && rest.length <= sortsAtMost, read);
        }
        expect(pages.length).toBeGreaterThan(0);
      }
  });

  test("of everybody, in the order of users, are walked over by that index alone; only ties are sorted", () => {
    for (const { filters } of COMBINATIONS)
      for (const order of BY_USER)
        for (const time of TIMES)
          for (const read of readsOf({ ...filters, ...time }, order).pages)
            must(
              read.plan.join() === `SCAN audit_events USING COVERING INDEX audit_events_user,${ONLY_TIES}`,
              read,
            );
    expect(readsOf({}, BY_USER[0] as EventOrder).pages.length).toBeGreaterThan(0);
  });
});
