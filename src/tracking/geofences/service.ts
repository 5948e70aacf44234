import { asc, desc, eq } from "drizzle-orm";
import { unique } from "../../alerts/rules/fields";
import { clearZone, forgetZone } from "../../alerts/rules/service";
import { type Actor, transactAs } from "../../identity/access/actor";
import { newId } from "../../kernel/crypto/id";
import { db } from "../../kernel/db/connection";
import { adjustCounter, counter, counterNow } from "../../kernel/db/counters";
import { conflict, notFound } from "../../kernel/errors/errors";
import { type PageOf, type PageRequest, readPage } from "../../kernel/http/paging";
import { checkChanged, checkMetadata } from "../../kernel/http/validation";
import { iso, madeNow, now } from "../../kernel/time/clock";
import { changedOnly, isEmpty } from "../../kernel/values/changes";
import { boxesOfZones, handedZoneChanged, handZone, requireMayHand } from "../../sync/owner/handed";
import { requireNotFromShore } from "../../sync/owner/owner";
import { endLinksHiding } from "../links/service";
import { zonesChanged } from "./epoch";
import type { Geofence, GeofenceChange, NewGeofence } from "./schema";
import { shapeOf } from "./shape";
import { geofences } from "./table";
import { beginMoment } from "./tracks";
import { ceaseToWatch, watchAnew } from "./watch";
import { putZone, removeZone } from "./zone-index";

type Row = typeof geofences.$inferSelect;

const toGeofence = (
  { seq: _seq, watch_from: _from, watch_row: _row, ...row }: Row,
  boxIds = boxesOfZones([row.id]),
): Geofence => ({
  ...row,
  box_ids: boxIds.get(row.id) ?? [],
  created_at: iso(row.created_at),
  updated_at: iso(row.updated_at),
});

/** A page of zones, newest first. */
export function listGeofences(request: PageRequest): PageOf<Geofence> {
  return readPage(request, counter("geofences"), (fromEnd, offset, limit) => {
    const rows = db
      .select()
      .from(geofences)
      .orderBy(fromEnd ? asc(geofences.seq) : desc(geofences.seq))
      .limit(limit)
      .offset(offset)
      .all();
    const boxIds = boxesOfZones(rows.map(({ id }) => id));
    return rows.map((row) => toGeofence(row, boxIds));
  });
}

export function getGeofence(id: string): Geofence {
  const row = db.select().from(geofences).where(eq(geofences.id, id)).get();
  if (!row) throw notFound("Geofence");
  return toGeofence(row);
}

/** Most zones of an installation. */
const MAX_ZONES = 200_000;

/**
 * Throws 400 for a geometry that is none or a box that there isn't, 403 for a caller who may not hand it to boxes, and 409 if
 * there are too many zones.
 */
export function createGeofence(actor: Actor, { box_ids, ...input }: NewGeofence): Promise<Geofence> {
  checkMetadata(input.metadata);
  const shape = shapeOf(input, null);
  if (box_ids?.length) requireMayHand(actor.caller);
  return transactAs(actor, () => {
    const row = insertZone({ id: newId(), ...input, ...shape });
    if (box_ids) handZone(row.id, unique(box_ids));
    return toGeofence(row);
  });
}

type ZoneValues = Omit<
  typeof geofences.$inferInsert,
  "seq" | "watch_from" | "watch_row" | "created_at" | "updated_at"
>;

/** Stores a zone that begins to watch, in the current transaction. Throws 409 if there are too many. */
export function insertZone(values: ZoneValues): Row {
  if (counterNow("geofences") >= MAX_ZONES)
    throw conflict(`There can be at most ${MAX_ZONES.toLocaleString("en")} zones; delete one first`);
  // It watches from the moment on that it names as that of its creation.
  const made = madeNow();
  const row = db
    .insert(geofences)
    .values({ ...values, ...beginMoment(made.created_at), ...made })
    .returning()
    .get();
  adjustCounter("geofences", 1);
  beginToWatch(row);
  return row;
}

const SHAPED = ["kind", "geometry", "width_m", "latitude", "longitude", "radius_km"] as const;

/** The fields whose change makes a zone begin to watch anew. */
const WATCHED = [
  ...SHAPED,
  "is_active",
  ...["enter_after_s", "exit_after_s", "confirm_fixes", "exit_margin_m", "max_accuracy_m", "dwell_seconds"],
  "color",
] as const satisfies readonly (keyof Row)[];

/**
 * Changes the given fields. A zone with another shape, colour or other rules begins to watch anew, and so does one that is
 * switched on. Throws 400 for a geometry that is none or a box that there isn't, 403 for a caller who may not hand it to boxes,
 * and 409 for a zone that the shore handed down.
 */
export function updateGeofence(
  actor: Actor,
  id: string,
  { box_ids, ...input }: GeofenceChange,
): Promise<Geofence> {
  checkChanged({ box_ids, ...input });
  checkMetadata(input.metadata);
  if (box_ids !== undefined) requireMayHand(actor.caller);
  return transactAs(actor, () => {
    const before = zoneRow(id);
    requireNotFromShore(before);
    const isShaped = SHAPED.some((field) => input[field] !== undefined);
    const { geometry: _, ...fields } = input;
    const row = changeZone(before, { ...fields, ...(isShaped && shapeOf(input, before)) });
    if (box_ids === undefined || !handZone(id, unique(box_ids))) return toGeofence(row);
    db.update(geofences).set({ updated_at: now() }).where(eq(geofences.id, id)).run();
    return getGeofence(id);
  });
}

/** The row of a zone. Throws 404. */
function zoneRow(id: string): Row {
  const row = db.select().from(geofences).where(eq(geofences.id, id)).get();
  if (!row) throw notFound("Geofence");
  return row;
}

/** Changes a zone, of which it watches anew what it must, in the current transaction. */
export function changeZone(before: Row, fields: Partial<ZoneValues>): Row {
  const change = changedOnly(before, fields);
  if (isEmpty(change)) return before;
  const isAnew = WATCHED.some((field) => field in change);
  if (isAnew) ceaseToWatch(before.seq);
  const updated_at = now();
  const row = db
    .update(geofences)
    .set({
      ...change,
      // Two beginnings differ, even in one millisecond and where the clock was set back.
      ...(isAnew && beginMoment(Math.max(updated_at, before.watch_from + 1))),
      updated_at,
    })
    .where(eq(geofences.id, before.id))
    .returning()
    .get();
  if (isAnew) {
    beginToWatch(row);
    clearZone(row.id);
  } else zonesChanged();
  handedZoneChanged(row.id);
  return row;
}

/**
 * Deletes a zone. The devices inside are forgotten silently (rule T3); its crossings stay. Throws 404, and 409 for one that the
 * shore handed down.
 */
export function deleteGeofence(actor: Actor, id: string): Promise<void> {
  return transactAs(actor, () => {
    const row = zoneRow(id);
    requireNotFromShore(row);
    deleteZone(row);
  });
}

/** Deletes a zone in the current transaction. */
export function deleteZone({ id, seq }: Pick<Row, "id" | "seq">): void {
  handedZoneChanged(id);
  forgetZone(id);
  endLinksHiding(id);
  ceaseToWatch(seq);
  db.delete(geofences).where(eq(geofences.id, id)).run();
  removeZone(seq);
  zonesChanged();
  adjustCounter("geofences", -1);
}

/** Keeps the index equal to the active zones, and finds the devices that are inside already. */
function beginToWatch(row: Row): void {
  zonesChanged();
  if (row.is_active) {
    putZone(row);
    watchAnew(row.seq);
  } else removeZone(row.seq);
}
