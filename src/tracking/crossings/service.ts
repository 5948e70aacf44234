import { and, asc, count, desc, eq, gt, gte, inArray, isNull, lt, or, type SQL } from "drizzle-orm";
import { isVisible, type VisibleDevices } from "../../identity/access/visible-devices";
import { db } from "../../kernel/db/connection";
import { rowid } from "../../kernel/db/table";
import { notFound } from "../../kernel/errors/errors";
import { type PageOf, type PageRequest, readPage } from "../../kernel/http/paging";
import { iso, isoOrNull, SECOND } from "../../kernel/time/clock";
import { devices } from "../devices/table";
import { SHOWN_EVENTS } from "../geofences/kinds";
import { getGeofence } from "../geofences/service";
import { geofenceEvents, geofencePresence, geofences } from "../geofences/table";
import { newestPositionOf } from "../gps/service";
import { ALL_CROSSINGS, deviceCrossings, zoneCrossings } from "../ingest/crossings";
import { readTimed, type TimedList, type Window, windowOf } from "../ingest/places";
import type {
  DeviceInside,
  EventFilter,
  GeofenceEvent,
  GeofencePresence,
  PresenceFilter,
  Visit,
} from "./schema";

/** Crossings, and what follows from them: who is inside, and who was when. */

type Row = typeof geofenceEvents.$inferSelect;

const toEvent = ({ watch_from: _watch, shown_at: _shown, shown_row: _row, ...row }: Row): GeofenceEvent => ({
  ...row,
  event: row.event as GeofenceEvent["event"],
  occurred_at: iso(row.occurred_at),
  recorded_at: iso(row.recorded_at),
  superseded_at: isoOrNull(row.superseded_at),
});

const isListed = inArray(geofenceEvents.event, [...SHOWN_EVENTS]);
const holds = isNull(geofenceEvents.superseded_at);

/** A page of the crossings of devices that a caller sees, newest first by the receiver's time. */
export function listEvents(
  request: PageRequest,
  filter: EventFilter,
  visible: VisibleDevices = "all",
): PageOf<GeofenceEvent> {
  const window = windowOf(filter);
  const { device_id, geofence_id, trip_id, event, include_superseded } = filter;
  const which = [
    isListed,
    visible === "all" ? undefined : inArray(geofenceEvents.device_id, [...visible]),
    include_superseded ? undefined : holds,
    device_id === undefined ? undefined : eq(geofenceEvents.device_id, device_id),
    geofence_id === undefined ? undefined : eq(geofenceEvents.geofence_id, geofence_id),
    trip_id === undefined ? undefined : eq(geofenceEvents.trip_id, trip_id),
    event === undefined ? undefined : eq(geofenceEvents.event, event),
  ];
  const isCounted = visible === "all" && !include_superseded && trip_id === undefined && event === undefined;
  if (!isCounted || (device_id !== undefined && geofence_id !== undefined))
    return readWhere(request, and(...which, ...within(window)));
  const name =
    device_id !== undefined
      ? deviceCrossings(device_id)
      : geofence_id !== undefined
        ? zoneCrossings(geofence_id)
        : ALL_CROSSINGS;
  return readTimed(request, countedList(name, which), "newest first", window);
}

const within = (window: Window | null): SQL[] =>
  window === null
    ? []
    : [gte(geofenceEvents.occurred_at, window.from), lt(geofenceEvents.occurred_at, window.until)];

const countWhere = (which: SQL | undefined): number =>
  db.select({ n: count() }).from(geofenceEvents).where(which).get()?.n ?? 0;

const select = (which: SQL | undefined, isNewestFirst: boolean, offset: number, limit: number) => {
  const order = isNewestFirst ? desc : asc;
  return db
    .select()
    .from(geofenceEvents)
    .where(which)
    .orderBy(order(geofenceEvents.occurred_at), order(rowid))
    .limit(limit)
    .offset(offset)
    .all()
    .map(toEvent);
};

/** A list whose crossings are counted as they come: a page costs the same, however many there are. */
const countedList = (name: string, which: (SQL | undefined)[]): TimedList<GeofenceEvent> => ({
  name,
  count: (from, until) => countWhere(and(...which, ...within({ from, until }))),
  read: (order, { bound, skip }, limit) =>
    order === "oldest first"
      ? select(and(...which, gte(geofenceEvents.occurred_at, bound)), false, skip, limit)
      : select(and(...which, lt(geofenceEvents.occurred_at, bound)), true, skip, limit),
});

/** A list of a rarer choice, which an index narrows down and which is counted as it is read. */
const readWhere = (request: PageRequest, which: SQL | undefined): PageOf<GeofenceEvent> =>
  readPage(request, countWhere(which), (fromEnd, offset, limit) => select(which, !fromEnd, offset, limit));

/** A crossing; null if there is none. */
export function findEvent(id: string): GeofenceEvent | null {
  const row = db
    .select()
    .from(geofenceEvents)
    .where(and(eq(geofenceEvents.id, id), isListed))
    .get();
  return row ? toEvent(row) : null;
}

/** A crossing of a device that a caller sees. Throws 404. */
export function getEvent(id: string, visible: VisibleDevices = "all"): GeofenceEvent {
  const event = findEvent(id);
  if (!event || !isVisible(visible, event.device_id)) throw notFound("Geofence event");
  return event;
}

// --- Who is inside ----------------------------------------------------------------------------------------

/** A page of the devices inside a zone, the one that came last first. */
export function listDevicesInside(zoneId: string, request: PageRequest): PageOf<DeviceInside> {
  getGeofence(zoneId);
  const seq = db.select({ seq: geofences.seq }).from(geofences).where(eq(geofences.id, zoneId));
  const which = and(eq(geofencePresence.geofence_seq, seq), eq(geofencePresence.is_inside, true));
  const total = db.select({ n: count() }).from(geofencePresence).where(which).get()?.n ?? 0;
  const { device_id, since } = geofencePresence;
  return readPage(request, total, (fromEnd, offset, limit) => {
    const order = fromEnd ? asc : desc;
    return db
      .select({ device_id, device_name: devices.name, since })
      .from(geofencePresence)
      .innerJoin(devices, eq(devices.id, device_id))
      .where(which)
      .orderBy(order(since), order(device_id))
      .limit(limit)
      .offset(offset)
      .all()
      .map((row) => ({
        ...row,
        since: iso(row.since ?? 0),
        last_position_at: newestPositionOf(row.device_id)?.timestamp ?? null,
      }));
  });
}

/**
 * A page of devices that a caller sees with the zones that they are inside, device by device: in the order of the primary key,
 * which needs no sorting.
 */
export function listPresence(
  request: PageRequest,
  filter: PresenceFilter,
  visible: VisibleDevices = "all",
): PageOf<GeofencePresence> {
  const { device_id, geofence_seq, is_inside, since } = geofencePresence;
  const seq = (id: string) => db.select({ seq: geofences.seq }).from(geofences).where(eq(geofences.id, id));
  const which = and(
    eq(is_inside, true),
    visible === "all" ? undefined : inArray(device_id, [...visible]),
    filter.device_id === undefined ? undefined : eq(device_id, filter.device_id),
    filter.geofence_id === undefined ? undefined : eq(geofence_seq, seq(filter.geofence_id)),
  );
  const total = db.select({ n: count() }).from(geofencePresence).where(which).get()?.n ?? 0;
  return readPage(request, total, (fromEnd, offset, limit) => {
    const order = fromEnd ? desc : asc;
    return db
      .select({
        device_id,
        device_name: devices.name,
        geofence_id: geofences.id,
        geofence_name: geofences.name,
        since,
      })
      .from(geofencePresence)
      .innerJoin(devices, eq(devices.id, device_id))
      .innerJoin(geofences, eq(geofences.seq, geofence_seq))
      .where(which)
      .orderBy(order(device_id), order(geofence_seq))
      .limit(limit)
      .offset(offset)
      .all()
      .map((row) => ({ ...row, since: iso(row.since ?? 0) }));
  });
}

// --- Visits -----------------------------------------------------------------------------------------------

/** A page of the stays in a zone, newest first. */
export function listVisits(zoneId: string, request: PageRequest): PageOf<Visit> {
  getGeofence(zoneId);
  const which = and(
    eq(geofenceEvents.geofence_id, zoneId),
    // Of a zone that boxes watch too, each stay once.
    isNull(geofenceEvents.box_id),
    holds,
    inArray(geofenceEvents.event, ["enter", "begin"]),
  );
  return readPage(request, countWhere(which), (fromEnd, offset, limit) => {
    const order = fromEnd ? asc : desc;
    return db
      .select()
      .from(geofenceEvents)
      .where(which)
      .orderBy(order(geofenceEvents.occurred_at), order(rowid))
      .limit(limit)
      .offset(offset)
      .all()
      .map(toVisit);
  });
}

function toVisit(beginning: Row): Visit {
  const { device_id, device_name, occurred_at } = beginning;
  const end = endOf(beginning);
  return {
    device_id,
    device_name,
    entered_at: iso(occurred_at),
    exited_at: isoOrNull(end),
    duration_seconds: end === null ? null : (end - occurred_at) / SECOND,
  };
}

/** The time at which a stay ended; null while it lasts. */
function endOf({ device_id, geofence_id, watch_from, shown_at, shown_row }: Row): number | null {
  const { shown_at: at, shown_row: row } = geofenceEvents;
  const next = db
    .select({ occurred_at: geofenceEvents.occurred_at })
    .from(geofenceEvents)
    .where(
      and(
        eq(geofenceEvents.device_id, device_id),
        eq(geofenceEvents.geofence_id, geofence_id),
        eq(geofenceEvents.watch_from, watch_from),
        holds,
        inArray(geofenceEvents.event, ["exit", "end"]),
        or(gt(at, shown_at), and(eq(at, shown_at), gt(row, shown_row))),
      ),
    )
    .orderBy(asc(at), asc(row))
    .limit(1)
    .get();
  return next?.occurred_at ?? null;
}
