import {
  and,
  asc,
  count,
  desc,
  eq,
  inArray,
  isNull,
  notExists,
  notInArray,
  or,
  type SQL,
  sql,
} from "drizzle-orm";
import { db } from "../../kernel/db/connection";
import { counter } from "../../kernel/db/counters";
import { type PageOf, type PageRequest, readPage } from "../../kernel/http/paging";
import {
  categoryTrips,
  categoryTripsOf,
  countAt,
  deviceTrips,
  readTimed,
  type TimedList,
  windowOf,
} from "../ingest/places";
import type { TripFilter } from "./schema";
import { BEGAN, tripSpans, trips } from "./table";
import type { TripStatus } from "./trip-state";

/**
 * Lists of trips. A trip is in one list for each choice of filters, and each counts its trips by the time when
 * they began (a trip that hasn't begun, when it was created). A deleted device's or category's lists go as a
 * whole (gps/detach.ts), so nothing here hears of it.
 */

export type TripRow = typeof trips.$inferSelect;

/** The list of all trips; with a status after it, of those. */
const ALL = "trips";

interface Choice {
  device: string | null;
  category: string | null;
  status: TripStatus | null;
}

function rootOf({ device, category }: Choice): string {
  if (category === null) return device === null ? ALL : deviceTrips(device);
  return device === null ? categoryTrips(category) : categoryTripsOf(category, device);
}

const nameOf = (choice: Choice): string =>
  choice.status === null ? rootOf(choice) : `${rootOf(choice)} ${choice.status}`;

/** Numbers of trips: in all, active and completed. */
export const countTrips = () => ({
  total: counter(ALL),
  active: counter(`${ALL} active`),
  completed: counter(`${ALL} completed`),
});

// --- Counting ---------------------------------------------------------------------------------------------

function listsOf(trip: TripRow): string[] {
  const devices = trip.device_id === null ? [null] : [null, trip.device_id];
  const categories = trip.category_id === null ? [null] : [null, trip.category_id];
  return devices.flatMap((device) =>
    categories.flatMap((category) =>
      [null, trip.status].map((status) => nameOf({ device, category, status })),
    ),
  );
}

/** Moves a trip between its lists in the current transaction; null before it is created or after it is deleted. */
export function recount(before: TripRow | null, after: TripRow | null): void {
  for (const [trip, by] of [[before, -1] as const, [after, 1] as const])
    if (trip) for (const list of listsOf(trip)) countAt(list, trip.started_at ?? trip.created_at, by);
}

// --- Reading ----------------------------------------------------------------------------------------------

/** Lists of a deleted device or category go in steps, and at once that of all its trips. */
function isGone({ device, category }: Choice): boolean {
  const has = (list: string) => counter(list) > 0;
  return (
    (device !== null && !has(deviceTrips(device))) || (category !== null && !has(categoryTrips(category)))
  );
}

const GONE = "no trips";

function listOf(choice: Choice): TimedList<TripRow> {
  const { device, category, status } = choice;
  const inList = (...more: SQL[]) =>
    and(
      ...(category === null ? [] : [eq(trips.category_id, category)]),
      ...(device === null ? [] : [eq(trips.device_id, device)]),
      ...(status === null ? [] : [eq(trips.status, status)]),
      ...more,
    );
  return {
    name: isGone(choice) ? GONE : nameOf(choice),
    count: (from, until) => {
      const between = inList(sql`${BEGAN} >= ${from}`, sql`${BEGAN} < ${until}`);
      return db.select({ n: count() }).from(trips).where(between).get()?.n ?? 0;
    },
    read: (order, { bound, skip }, limit) => {
      const isAscending = order === "oldest first";
      return db
        .select()
        .from(trips)
        .where(inList(isAscending ? sql`${BEGAN} >= ${bound}` : sql`${BEGAN} < ${bound}`))
        .orderBy(...(isAscending ? [asc(BEGAN), asc(sql`rowid`)] : [desc(BEGAN), desc(sql`rowid`)]))
        .limit(limit)
        .offset(skip)
        .all();
    },
  };
}

/**
 * A page of trips. All trips, or those with a status, come newest first; with any other filter those come
 * first that began last.
 */
export function listRows(request: PageRequest, filter: TripFilter = {}): PageOf<TripRow> {
  const { status, device_id, category_id, from, to } = filter;
  const choice = { device: device_id ?? null, category: category_id ?? null, status: status ?? null };
  const window = windowOf({ from, to });
  if (window || device_id || category_id) return readTimed(request, listOf(choice), "newest first", window);
  return readPage(request, counter(nameOf(choice)), (fromEnd, offset, limit) =>
    db
      .select()
      .from(trips)
      .where(status === undefined ? undefined : eq(trips.status, status))
      .orderBy(fromEnd ? asc(trips.id) : desc(trips.id))
      .limit(limit)
      .offset(offset)
      .all(),
  );
}

// --- Trips of shared devices ------------------------------------------------------------------------------

/** A page of the trips that a caller who sees some devices sees; those come first that began last. */
export function listShown(
  request: PageRequest,
  { status, device_id, category_id, from, to }: TripFilter,
  visible: ReadonlySet<string>,
): PageOf<TripRow> {
  const devices = [...visible].filter((id) => device_id === undefined || id === device_id);
  const window = windowOf({ from, to });
  const otherLogger = db
    .select({ trip: tripSpans.trip_id })
    .from(tripSpans)
    .where(
      and(
        eq(tripSpans.trip_id, trips.id),
        or(isNull(tripSpans.device_id), notInArray(tripSpans.device_id, [...visible])),
      ),
    );
  const which = and(
    inArray(trips.device_id, devices),
    notExists(otherLogger),
    ...(status === undefined ? [] : [eq(trips.status, status)]),
    ...(category_id === undefined ? [] : [eq(trips.category_id, category_id)]),
    ...(window === null ? [] : [sql`${BEGAN} >= ${window.from}`, sql`${BEGAN} < ${window.until}`]),
  );
  const total = db.select({ n: count() }).from(trips).where(which).get()?.n ?? 0;
  return readPage(request, total, (fromEnd, offset, limit) => {
    const order = fromEnd ? asc : desc;
    const rows = db.select().from(trips).where(which).orderBy(order(BEGAN), order(sql`rowid`));
    return rows.limit(limit).offset(offset).all();
  });
}
