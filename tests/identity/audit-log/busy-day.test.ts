import type { SQLQueryBindings } from "bun:sqlite";
import { afterAll, beforeAll, expect, spyOn, test } from "bun:test";
import { SORT_FIELDS } from "../../../src/identity/audit/words";
import type { EventFilters, EventOrder } from "../../../src/identity/audit-log/conditions";
import { findEvents } from "../../../src/identity/audit-log/search";
import { openDatabase, sqlite } from "../../../src/kernel/db/connection";
import { migrate } from "../../../src/kernel/db/migrate";
import { closeDatabase } from "../../../src/kernel/db/transactions";
import { randomFrom } from "../../support/random";
import { DAY, HOUR, MINUTE, SECOND } from "../../support/time";
import { idsFromScratch } from "./from-scratch";
import { type StoredEvent, storedEvent, writeEvents } from "./support";

/**
 * A user who makes as many events in one day as the limits allow: 600 a minute. Every page of every list must
 * equal the one that going through all events finds, at a cost that doesn't grow with their number. Other
 * users and nobody have some of that day, too.
 */

const START = Date.UTC(2026, 2, 3, 8, 20);
const MINUTES = 50;
/** Of the busy user, 600 a minute. */
const EVENTS = 600 * MINUTES;

const random = randomFrom(19);

/** Each minute has one login; its other events are of two types. Some share their millisecond. */
const busyEvent = (_: unknown, at: number): StoredEvent =>
  storedEvent({
    user_id: "busy",
    event_type: at % 600 === 333 ? "login" : at % 5 === 0 ? "trip_updated" : "user_updated",
    resource_type: at % 5 === 0 ? "trip" : at % 7 === 0 ? null : "user",
    status: at % 997 === 0 ? "failure" : "success",
    source_service: at % 5 === 1 ? "id" : "api",
    is_reported: at % 1_501 === 0 ? 1 : 0,
    created_at: START + Math.floor(at / 3) * 300,
  });

const otherEvent = (_: unknown, at: number): StoredEvent =>
  storedEvent({
    user_id: [null, "other", "third"][at % 3] ?? null,
    event_type: at % 4 === 0 ? "login" : "logout",
    created_at: START - DAY + Math.floor(random() * 3 * DAY),
  });

beforeAll(() => {
  openDatabase(":memory:", "normal");
  migrate();
  const events = [
    ...Array.from({ length: EVENTS }, busyEvent),
    ...Array.from({ length: 1_800 }, otherEvent),
  ].sort((a, b) => a.created_at - b.created_at);
  sqlite.transaction(() => writeEvents(sqlite, events))();
});
afterAll(() => closeDatabase());

const ORDERS: EventOrder[] = SORT_FIELDS.flatMap((field) =>
  (["asc", "desc"] as const).map((direction) => ({ field, direction })),
);

const USERS: EventFilters[] = [{ userIds: ["busy"] }, { userIds: ["busy", "other", "nobody"] }, {}];

const KINDS: EventFilters[] = [
  {},
  { event_type: "login" },
  { event_type: "trip_updated", status: "success" },
  { resource_type: "user", source_service: "id" },
  { status: "failure" },
  { is_reported: true },
  { is_reported: false, status: "success" },
];

const PERIODS: EventFilters[] = [
  {},
  { from: START + 3 * MINUTE + 1_234, to: START + 41 * MINUTE + 4_321 },
  { from: START + 20 * SECOND, to: START + 50 * SECOND },
  { from: START - 20 * HOUR, to: START + 30 * MINUTE },
];

const LIMIT = 100;

const depths = (total: number): number[] => {
  const last = Math.max(1, Math.ceil(total / LIMIT));
  return [
    ...new Set([1, 2, Math.ceil(last / 3), Math.ceil(last / 2), Math.ceil(last * 0.7), last, last + 1]),
  ];
};

test("every list's pages are those that going through all events finds, at any depth", () => {
  for (const users of USERS)
    for (const kinds of KINDS)
      for (const [at, period] of PERIODS.entries())
        for (const order of at === 0 ? ORDERS : ORDERS.slice(-2)) {
          const filters = { ...users, ...kinds, ...period };
          const expected = idsFromScratch(filters, order);
          for (const page of depths(expected.length)) {
            const found = findEvents(filters, order, { page, limit: LIMIT });
            const ids = found.rows.map(({ id }) => id);
            expect({ filters, order, page, ids, total: found.total }).toEqual({
              filters,
              order,
              page,
              ids: expected.slice((page - 1) * LIMIT, page * LIMIT),
              total: expected.length,
            });
          }
        }
});

/** The rows within the bounds of the statements that `act` runs: no more of them are walked over or sorted. */
function rowsWithin(act: () => void): number {
  const run: { sql: string; values: SQLQueryBindings[] }[] = [];
  const query = sqlite.query.bind(sqlite);
  const spy = spyOn(sqlite, "query").mockImplementation(((sql: string) => {
    const prepared = query(sql);
    return {
      all: (...values: SQLQueryBindings[]) => {
        run.push({ sql, values });
        return prepared.all(...values);
      },
    };
  }) as unknown as typeof sqlite.query);
  try {
    act();
  } finally {
    spy.mockRestore();
  }
  return run.reduce((sum, { sql, values }) => {
    const page = /\(SELECT audit_events\.rowid AS at (FROM .*?) ORDER BY/s.exec(sql)?.[1];
    const counts = /^SELECT .*?(FROM .*?)(?: GROUP BY .*)?$/s.exec(sql)?.[1];
    const bound = page === undefined ? values : values.slice(0, -2);
    const rows = query<{ n: number }, SQLQueryBindings[]>(`SELECT count(*) AS n ${page ?? counts}`);
    return sum + (rows.get(...bound)?.n ?? 0);
  }, 0);
}

/**
 * A page, what lies beside it in the spans at both ends, and the counts of a day. plans.test.ts tells that the
 * indexes lead to these rows alone.
 */
const MOST_OF_USERS = LIMIT + 2 * 600 + 6 * MINUTES + 2_000;
const MOST_OF_ALL = LIMIT + 2 * 15 * 600 + 6 * MINUTES + 2_000;

test.each([
  ["a user's", { userIds: ["busy"] }, MOST_OF_USERS],
  ["several users'", { userIds: ["busy", "other"] }, MOST_OF_USERS],
  ["everybody's", {}, MOST_OF_ALL],
] as [string, EventFilters, number][])(
  "a page of %s events costs no more than its spans hold",
  (_, users, most) => {
    for (const kinds of KINDS)
      for (const period of PERIODS)
        for (const field of ["created_at", "event_type", "status"] as const) {
          const filters = { ...users, ...kinds, ...period };
          const order: EventOrder = { field, direction: "desc" };
          const { total } = findEvents(filters, order, { page: 1, limit: LIMIT });
          for (const page of depths(total)) {
            const rows = rowsWithin(() => findEvents(filters, order, { page, limit: LIMIT }));
            expect({ filters, order, page, isBounded: rows <= most, rows }).toMatchObject({
              isBounded: true,
            });
          }
        }
  },
);
