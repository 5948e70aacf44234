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
  const events = Array.from({ length: 8_000 }, () =>
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
  const few = events.slice(0, 200).map((event) => ({ ...event, id: Bun.randomUUIDv7(), user_id: "few" }));
  sqlite.transaction(() => writeEvents(sqlite, [...events, ...few]))();
});
afterAll(() => closeDatabase());

// --- Queries ------------------------------------------------------------------------------------------------

const ORDERS: EventOrder[] = SORT_FIELDS.flatMap((field) =>
  (["asc", "desc"] as const).map((direction) => ({ field, direction })),
);
const BY_USER = ORDERS.filter(({ field }) => field === "user_id");
const BY_OTHER = ORDERS.filter(({ field }) => field !== "user_id");

/** In the middle of minutes, so that parts of every span are counted too; the last within one day. */
const [from, to] = [START + 3.4 * DAY + 12_345, START + 20.7 * DAY + 54_321];
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

/** A plan without the lists that values are looked up in. */
const planOf = ({ plan }: Read): string[] =>
  plan.filter((line) => !/^(?:(?:REUSE )?LIST SUBQUERY|SCAN json_each|CREATE BLOOM FILTER)/.test(line));

const GROUPS = "USE TEMP B-TREE FOR GROUP BY";

const tablesOf = (counts: Read[]) =>
  [...new Set(counts.map(({ sql }) => /FROM (\w+)/.exec(sql)?.[1] ?? ""))].sort();

describe("everybody's events by time, type or status", () => {
  const COUNTED = {
    audit_days: /^SEARCH audit_days USING INDEX \w+ \(day/,
    audit_quarters: /^SEARCH audit_quarters USING PRIMARY KEY \(quarter>\? AND quarter<\?/,
    audit_events:
      /^SEARCH audit_events USING COVERING INDEX audit_events_time \(created_at>\? AND created_at<\?\)/,
  };

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
          const { counts } = readsOf({ ...filters, ...time }, order);
          const isBounded = Object.keys(time).length > 0;
          for (const read of counts) {
            const [search = "", ...others] = planOf(read);
            const table = /FROM (\w+)/.exec(read.sql)?.[1] as keyof typeof COUNTED;
            const isWhole = table === "audit_days" && !isBounded;
            const plan = isWhole ? /^SCAN audit_days/ : COUNTED[table];
            must(plan.test(search) && others.every((line) => line === GROUPS), read);
          }
          const whole = time.to === from + DAY / 2 ? [] : ["audit_days"];
          const edges = isBounded ? ["audit_events"] : [];
          expect(tablesOf(counts)).toEqual([...whole, ...edges, "audit_quarters"]);
        }
  });
});

describe("the events of users", () => {
  const COUNTED = {
    audit_user_days:
      /^SEARCH audit_user_days USING PRIMARY KEY \(user_id=\?(?: AND day>\?)?(?: AND day<\?)?\)$/,
    audit_user_minutes:
      /^SEARCH audit_user_minutes USING PRIMARY KEY \(user_id=\? AND minute>\? AND minute<\?\)$/,
    audit_events:
      /^SEARCH audit_events USING COVERING INDEX audit_events_user \(user_id=\? AND created_at>\? AND created_at<\?\)$/,
  };

  /** Each kind of a minute's events, and of its events only those within the bounds. */
  const OF_KIND = [
    "SCAN part VIRTUAL TABLE INDEX 1:",
    /^SEARCH kind USING PRIMARY KEY \(user_id=\? AND minute=\?/,
    "SEARCH audit_events USING COVERING INDEX audit_events_user_kind (user_id=? AND event_type=? AND status=? AND source_service=? AND is_reported=? AND created_at>? AND created_at<?)",
    "USE TEMP B-TREE FOR ORDER BY",
  ];

  test.each([
    ["one", ["a"]],
    ["several", ["a", "b", "nobody"]],
  ])("of %s are counted by spans, and found by the kinds that the counts name", (_, userIds) => {
    for (const { filters } of COMBINATIONS)
      for (const order of ORDERS)
        for (const time of [{}, { from, to }]) {
          const { counts, pages } = readsOf({ userIds, ...filters, ...time }, order);
          for (const read of counts) {
            const table = /FROM (\w+)/.exec(read.sql)?.[1] as keyof typeof COUNTED;
            const [search = "", ...others] = planOf(read);
            must(COUNTED[table].test(search) && others.every((line) => line === GROUPS), read);
          }
          for (const read of pages) {
            const plan = planOf(read);
            const isAsExpected = OF_KIND.every((line, at) =>
              typeof line === "string" ? line === plan[at] : line.test(plan[at] ?? ""),
            );
            must(isAsExpected && plan.length === OF_KIND.length, read);
          }
          expect(pages.length).toBeGreaterThan(0);
        }
  });

  test("of one who has few are walked over by their index alone; at most ties are sorted in the order of time", () => {
    const walk = /^SEARCH audit_events USING COVERING INDEX audit_events_user \(user_id=\?/;
    for (const { filters } of COMBINATIONS)
      for (const order of ORDERS) {
        const { counts, pages } = readsOf({ userIds: ["few"], ...filters }, order);
        const [, counted] = counts as [Read, Read];
        must(walk.test(counted.plan[0] ?? "") && counted.plan.length === 1, counted);
        for (const read of pages) {
          const [search = "", ...others] = read.plan;
          const sorts = order.field === "created_at" ? [ONLY_TIES] : others.slice(0, 1);
          must(walk.test(search) && others.join() === sorts.join(), read);
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
