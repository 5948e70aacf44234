import { asc, count, eq, placeholder } from "drizzle-orm";
import { note } from "../../feed/journal";
import { type Actor, transactAs } from "../../identity/access/actor";
import type { VisibleDevices } from "../../identity/access/visible-devices";
import { newId } from "../../kernel/crypto/id";
import { db, statement } from "../../kernel/db/connection";
import { AppError, conflict, invalid, isUniqueViolation, notFound } from "../../kernel/errors/errors";
import type { Records } from "../../kernel/http/lists";
import type { PageOf, PageRequest } from "../../kernel/http/paging";
import { iso, isoOrNull, now } from "../../kernel/time/clock";
import { changedOnly, isEmpty } from "../../kernel/values/changes";
import { systemValue } from "../../runtime-settings/service";
import { requireOwn, requireOwnDevice } from "../../sync/owner/owner";
import { tripCategories } from "../categories/table";
import { devices } from "../devices/table";
import { listTripPoints, recentPosition } from "../gps/service";
import { detach } from "../ingest/detach";
import {
  countCompleted,
  firstPosition,
  forgetDistance,
  lastPosition,
  tripDistanceKm,
} from "../ingest/distance";
import type { GpsPoint } from "../ingest/schema";
import { endLinksOfTrip } from "../links/service";
import { locations } from "../locations/table";
import { removeLog } from "../log/removal";
import { requireTrip } from "../shares/trips";
import { listRows, listShown, type TripRow as Row, recount } from "./lists";
import type { NewTrip, StatusChange, Trip, TripChange, TripFilter } from "./schema";
import { noteSpan } from "./spans";
import { tripStatusHistory, trips } from "./table";
import { isDeletable, type TripStatus, transition } from "./trip-state";

/** The ends that nobody set are those of the way: its first position, and its last one so far. */
const toTrip = (row: Row): Trip => ({
  ...row,
  ...endsOf(row),
  distance_km: tripDistanceKm(row.id),
  started_at: isoOrNull(row.started_at),
  ended_at: isoOrNull(row.ended_at),
  created_at: iso(row.created_at),
  updated_at: iso(row.updated_at),
});

function endsOf(row: Row) {
  const [start, end] = [row.start_latitude ?? row.start_longitude, row.end_latitude ?? row.end_longitude];
  const first = start === null ? firstPosition(row.id) : null;
  const last = end === null ? lastPosition(row.id) : null;
  return {
    ...(first && { start_latitude: first.latitude, start_longitude: first.longitude }),
    ...(last && { end_latitude: last.latitude, end_longitude: last.longitude }),
  };
}

/** A page of trips: see `listRows`. */
export function listTrips(
  request: PageRequest,
  filter?: TripFilter,
  visible: VisibleDevices = "all",
): PageOf<Trip> {
  const { rows, total } =
    visible === "all" ? listRows(request, filter) : listShown(request, filter ?? {}, visible);
  return { rows: rows.map(toTrip), total };
}

/** A trip that a caller sees. Throws 404. */
export function getTrip(id: string, visible: VisibleDevices = "all"): Trip {
  return toTrip(shownTrip(id, visible));
}

/** The row of a trip that a caller sees. Throws 404. */
export function shownTrip(id: string, visible: VisibleDevices): Row {
  const row = tripRow(id);
  requireTrip(id, visible);
  return row;
}

/** A trip; null if there is none. */
export function findTrip(id: string): Trip | null {
  const row = tripById().get({ id });
  return row ? toTrip(row) : null;
}

const tripById = statement(() =>
  db
    .select()
    .from(trips)
    .where(eq(trips.id, placeholder("id")))
    .prepare(),
);

function tripRow(id: string): Row {
  const row = tripById().get({ id });
  if (!row) throw notFound("Trip");
  return row;
}

/** Minutes between two positions in a trip's log, where nobody says otherwise. */
const DEFAULT_LOG_INTERVAL = 60;

/** Creates a trip. It starts as a draft. Throws 400, and 409 for a device that is a box's own: its trips begin aboard. */
export function createTrip(actor: Actor, input: NewTrip): Promise<Trip> {
  return transactAs(actor, () => insertTrip(input));
}

/** Stores a new draft in the current transaction. */
export function insertTrip(input: NewTrip): Trip {
  checkReferences(input);
  requireOwnDevice(input.device_id);
  const time = now();
  const row = db
    .insert(trips)
    .values({
      id: newId(),
      ...input,
      status: "draft",
      gps_logging_enabled: input.gps_logging_enabled ?? false,
      tags: input.tags ?? [],
      log_interval_minutes: input.log_interval_minutes ?? DEFAULT_LOG_INTERVAL,
      created_at: time,
      updated_at: time,
    })
    .returning()
    .get();
  recount(null, row);
  note("tripUpdate", row.id, row.device_id);
  return toTrip(row);
}

/**
 * Changes the given fields, the status among them. Throws 400 for a transition that rule T7 doesn't permit,
 * and 409 if the trip would be the second active one with GPS logging on its device (rule T8), or it or the device is a box's own.
 */
export function updateTrip(actor: Actor, id: string, change: TripChange): Promise<Trip> {
  return transactAs(actor, () => changeTrip(id, change, now(), actor.caller.userId));
}

/**
 * Changes a trip in the current transaction, its status as of a time (epoch milliseconds) by a user or, with null, by itself.
 * Throws as `updateTrip` does.
 */
export function changeTrip(
  id: string,
  { status, ...input }: TripChange,
  time: number,
  changedBy: string | null,
): Trip {
  const before = tripRow(id);
  requireOwn(before);
  checkReferences(input);
  requireOwnDevice(input.device_id);
  const change = changedOnly(before, {
    ...input,
    ...(input.gps_logging_enabled === null && { gps_logging_enabled: false }),
    ...(input.tags === null && { tags: [] }),
    ...(input.log_interval_minutes === null && { log_interval_minutes: DEFAULT_LOG_INTERVAL }),
  });
  if (status === undefined && isEmpty(change)) return toTrip(before);
  const moved = status === undefined ? {} : changeStatus(before, status, time);
  const row = keepOneLogger(() =>
    db
      .update(trips)
      .set({
        ...change,
        ...moved,
        updated_at: now(),
      } as Partial<Row>)
      .where(eq(trips.id, id))
      .returning()
      .get(),
  );
  recount(before, row);
  noteSpan(before, row, time);
  // Whoever follows the former device has to hear that its trip is gone.
  const isMoved = before.device_id !== null && before.device_id !== row.device_id;
  note("tripUpdate", id, row.device_id, isMoved ? { former_device_id: before.device_id } : undefined);
  if (status !== undefined) noteStatusChange(changedBy, before, row, time);
  return toTrip(row);
}

function changeStatus(trip: Row, to: TripStatus, time: number): Partial<Row> {
  const allowed = transition(trip.status, to);
  if (!allowed)
    throw new AppError("InvalidStatusTransition", `A trip that is ${trip.status} cannot become ${to}`);
  return {
    status: to,
    ...(allowed.starts && { started_at: time }),
    // Not before its beginning, even if the clock was set back.
    ...(allowed.ends && { ended_at: Math.max(time, trip.started_at ?? time) }),
  };
}

/** The index `trips_one_active_logger` enforces the rule, for every change and in every race (rule T8). */
function keepOneLogger<T>(change: () => T): T {
  try {
    return change();
  } catch (error) {
    if (isUniqueViolation(error))
      throw conflict("Another active trip with GPS logging already runs on this device", error);
    throw error;
  }
}

function noteStatusChange(changedBy: string | null, before: Row, after: Row, time: number): void {
  if (after.status === "completed") countCompleted(after.id);
  const maxAge = systemValue("trip.history_position_max_age_seconds");
  const position = after.device_id === null ? null : recentPosition(after.device_id, maxAge);
  db.insert(tripStatusHistory)
    .values({
      id: newId(),
      trip_id: after.id,
      old_status: before.status,
      new_status: after.status,
      changed_by: changedBy,
      latitude: position?.latitude ?? null,
      longitude: position?.longitude ?? null,
      changed_at: time,
    })
    .run();
}

/** Deletes a draft or completed trip, and its log; 409 otherwise, and for a box's own. Its positions stay, without a trip. */
export function deleteTrip(actor: Actor, id: string): Promise<void> {
  return transactAs(actor, () => removeTrip(id, actor.caller.userId));
}

/** Deletes a trip in the current transaction, by a user or, with null, by itself. Throws as `deleteTrip` does. */
export function removeTrip(id: string, by: string | null): void {
  const trip = tripRow(id);
  requireOwn(trip);
  if (!isDeletable(trip.status)) throw conflict(`A trip that is ${trip.status} cannot be deleted`);
  dropTrip(trip, by);
}

/** Deletes a trip, whatever its status and whose own it is, in the current transaction. */
export function dropTrip(trip: Row, by: string | null): void {
  const { id } = trip;
  removeLog(id, by);
  endLinksOfTrip(id);
  db.delete(trips).where(eq(trips.id, id)).run();
  note("tripUpdate", id, trip.device_id);
  detach("trip", id);
  recount(trip, null);
  forgetDistance(id, trip.status === "completed");
}

/** A page of the positions of a trip, oldest first. */
export function listPointsOfTrip(
  id: string,
  request: PageRequest,
  visible: VisibleDevices = "all",
): PageOf<GpsPoint> {
  shownTrip(id, visible);
  return listTripPoints(id, request);
}

/** The status changes of a trip, oldest first. */
export function statusHistory(id: string, visible: VisibleDevices = "all"): Records<StatusChange> {
  shownTrip(id, visible);
  const whose = eq(tripStatusHistory.trip_id, id);
  return {
    read: (offset, limit) =>
      db
        .select()
        .from(tripStatusHistory)
        .where(whose)
        .orderBy(asc(tripStatusHistory.changed_at), asc(tripStatusHistory.id))
        .limit(limit)
        .offset(offset)
        .all()
        .map((row) => ({ ...row, changed_at: iso(row.changed_at) })),
    count: () => db.select({ n: count() }).from(tripStatusHistory).where(whose).get()?.n ?? 0,
  };
}

type References = Partial<Pick<NewTrip, "device_id" | "category_id" | "origin_id" | "destination_id">>;

/** A reference in a body to nothing gives 400 (rule H8). */
export function checkReferences(input: References): void {
  const check = (
    path: string,
    id: string | null | undefined,
    exists: (id: string) => unknown,
    what: string,
  ) => {
    if (id && !exists(id)) throw invalid(path, `names no ${what}`);
  };
  const location = (id: string) => db.select().from(locations).where(eq(locations.id, id)).get();
  check(
    "/device_id",
    input.device_id,
    (id) => db.select().from(devices).where(eq(devices.id, id)).get(),
    "device",
  );
  check(
    "/category_id",
    input.category_id,
    (id) => db.select().from(tripCategories).where(eq(tripCategories.id, id)).get(),
    "trip category",
  );
  check("/origin_id", input.origin_id, location, "location");
  check("/destination_id", input.destination_id, location, "location");
}
