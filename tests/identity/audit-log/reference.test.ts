import { afterAll, beforeAll, expect, test } from "bun:test";
import { newUser, type User } from "../../support/people";
import { randomFrom } from "../../support/random";
import { TestServer } from "../../support/server";
import { DAY } from "../../support/time";
import { countsDiffer, find, insertEvents, type StoredEvent, storedEvents } from "./support";

/**
 * Compares the list of everybody's events with a plain filter and sort over all stored ones, for many queries
 * that a seed chooses: totals, and all pages or, in long lists, some at both ends and in the middle.
 */
let server: TestServer;
let users: User[];
let admin: { id: string; username: string };
beforeAll(async () => {
  server = await TestServer.start();
  users = [await newUser(server), await newUser(server), await newUser(server)];
  admin = (await server.get("/v1/users/me", { token: await server.admin() })).body.data;
});
afterAll(() => server.stop());

const random = randomFrom(4_711);
const below = (n: number) => Math.floor(random() * n);
const oneOf = <T>(values: readonly T[]): T => values[below(values.length)] as T;
/** One of these values in `percent` of a hundred calls, else undefined. */
const sometimes = <T>(percent: number, values: readonly T[]): T | undefined =>
  random() * 100 < percent ? oneOf(values) : undefined;

const FIRST_DAY = Date.UTC(2026, 0, 1);
const DAYS = 40;
const TYPES = ["login", "login_failed", "logout", "user_updated", "bot_command_executed"];
const RESOURCES = ["user", "session", "guild"];
const SOURCES = ["api", "id", "community_bot"];

/** Times that many events share, and bounds of days among them. Some days have no event. */
function randomTime(): number {
  const day = FIRST_DAY + below(DAYS) * DAY;
  if (day % (7 * DAY) === 0) return day + DAY;
  return oneOf([day, day + DAY - 1, day + below(24) * 3_600_000, day + below(DAY)]);
}

const randomEvent = (): Partial<StoredEvent> => ({
  user_id: sometimes(85, [...users.map(({ id }) => id), "discord-1", "discord-2"]) ?? null,
  event_type: oneOf(TYPES),
  resource_type: sometimes(80, RESOURCES) ?? null,
  status: sometimes(15, ["failure"]) ?? "success",
  source_service: sometimes(30, SOURCES) ?? "api",
  is_reported: sometimes(5, [1]) ?? 0,
  created_at: randomTime(),
});

/** A bound that is a day, a time on an event's own millisecond, or any time. */
function randomBound(times: number[]): string {
  const iso = new Date(oneOf([oneOf(times), randomTime(), FIRST_DAY + below(DAYS * DAY)])).toISOString();
  return random() < 0.3 ? iso.slice(0, 10) : iso;
}

type Query = Record<string, string>;

function randomQuery(times: number[]): Query {
  const query: Record<string, string | undefined> = {
    event_type: sometimes(25, TYPES),
    resource_type: sometimes(25, RESOURCES),
    status: sometimes(25, ["success", "failure"]),
    source_service: sometimes(25, SOURCES),
    is_reported: sometimes(15, ["true", "false"]),
    user_id: sometimes(15, [...users.map(({ id }) => id), "discord-1"]),
    user_search: sometimes(15, ["sailor", users[0]?.username, "discord-2", "example.org"]),
    start_date: sometimes(45, [randomBound(times)]),
    end_date: sometimes(45, [randomBound(times)]),
    sort_field: sometimes(75, ["created_at", "event_type", "user_id", "status"]),
    sort_direction: sometimes(70, ["asc", "desc"]),
    limit: sometimes(90, ["1", "7", "20", "50", "100"]),
  };
  return Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined)) as Query;
}

/** True if the search matches the user: every user here has the admin's or a sailor's name and address. */
function isMeant(search: string, userId: string | null, all: { id: string; username: string }[]): boolean {
  if (userId === search) return true;
  const user = all.find(({ id }) => id === userId);
  return user?.username.includes(search) === true || (user !== undefined && search === "example.org");
}

const dayLong = (bound: string) => (bound.length === 10 ? DAY - 1 : 0);

/** The identifiers that a query must find, by looking at every event. */
function reference(all: StoredEvent[], query: Query, people: { id: string; username: string }[]): string[] {
  const { sort_field = "created_at", sort_direction = "desc" } = query;
  const field = sort_field as "created_at" | "event_type" | "user_id" | "status";
  const sign = sort_direction === "asc" ? 1 : -1;
  const compare = (a: string | number | null, b: string | number | null) =>
    a === b ? 0 : a === null || (b !== null && a < b) ? -1 : 1;
  return all
    .map((event, at) => ({ ...event, at }))
    .filter(
      (event) =>
        (!query.event_type || event.event_type === query.event_type) &&
        (!query.resource_type || event.resource_type === query.resource_type) &&
        (!query.status || event.status === query.status) &&
        (!query.source_service || event.source_service === query.source_service) &&
        (!query.is_reported || event.is_reported === Number(query.is_reported === "true")) &&
        (!query.user_id || event.user_id === query.user_id) &&
        (!query.user_search || isMeant(query.user_search, event.user_id, people)) &&
        (!query.start_date || event.created_at >= Date.parse(query.start_date)) &&
        (!query.end_date || event.created_at <= Date.parse(query.end_date) + dayLong(query.end_date)),
    )
    .sort((a, b) => sign * (compare(a[field], b[field]) || a.created_at - b.created_at || a.at - b.at))
    .map(({ id }) => id);
}

/**
 * The pages to read: all of a few; of many the two at either end, some in between and the one past the end.
 */
function pagesToRead(count: number): number[] {
  if (count <= 8) return Array.from({ length: count + 1 }, (_, n) => n + 1);
  return [
    1,
    2,
    2 + below(count - 2),
    2 + below(count - 2),
    Math.ceil(count / 2),
    count - 1,
    count,
    count + 1,
  ];
}

test("is what a plain filter and sort of all events finds, whatever is asked", async () => {
  insertEvents(server, Array.from({ length: 3_000 }, randomEvent));
  expect(countsDiffer(server)).toEqual([]);
  const stored = storedEvents(server);
  const times = stored.map(({ created_at }) => created_at);
  let found = 0;
  let deep = 0;
  for (let n = 0; n < 200; n++) {
    const query = randomQuery(times);
    const expected = reference(stored, query, [...users, admin]);
    const limit = Number(query.limit ?? 20);
    const pages = Math.ceil(expected.length / limit);
    for (const page of pagesToRead(pages)) {
      const answer = await find(server, { ...query, page });
      const got = {
        ids: answer.events.map(({ id }) => id),
        total: answer.total_count,
        pages: answer.total_pages,
      };
      const want = { ids: expected.slice((page - 1) * limit, page * limit), total: expected.length, pages };
      if (!Bun.deepEquals(got, want)) expect({ query, page, ...got }).toEqual({ query, page, ...want });
    }
    found += Number(expected.length > 0);
    deep += Number(pages > 20);
  }
  // The queries are meaningful: most find something, and many of them pages far from both ends.
  expect(found).toBeGreaterThan(100);
  expect(deep).toBeGreaterThan(20);
});
