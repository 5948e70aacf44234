import { asc, desc, eq } from "drizzle-orm";
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
import { endLinksHiding } from "../links/service";
import { zonesChanged } from "./epoch";
import type { Geofence, GeofenceChange, NewGeofence } from "./schema";
import { shapeOf } from "./shape";
import { geofences } from "./table";
import { beginMoment } from "./tracks";
import { ceaseToWatch, watchAnew } from "./watch";
import { putZone, removeZone } from "./zone-index";

type Row = typeof geofences.$inferSelect;

const toGeofence = ({ seq: _seq, watch_from: _from, watch_row: _row, ...row }: Row): Geofence => ({
  ...row,
  created_at: iso(row.created_at),
  updated_at: iso(row.updated_at),
});

/** A page of zones, newest first. */
export function listGeofences(request: PageRequest): PageOf<Geofence> {
  return readPage(request, counter("geofences"), (fromEnd, offset, limit) =>
    db
      .select()
      .from(geofences)
      .orderBy(fromEnd ? asc(geofences.seq) : desc(geofences.seq))
      .limit(limit)
      .offset(offset)
      .all()
      .map(toGeofence),
  );
}

export function getGeofence(id: string): Geofence {
  const row = db.select().from(geofences).where(eq(geofences.id, id)).get();
  if (!row) throw notFound("Geofence");
  return toGeofence(row);
}

/** Most zones of an installation. */
const MAX_ZONES = 200_000;

/** Throws 409 if there are too many zones, and 400 for a geometry that is none. */
export function createGeofence(actor: Actor, input: NewGeofence): Promise<Geofence> {
  checkMetadata(input.metadata);
  const shape = shapeOf(input, null);
  return transactAs(actor, () => {
    if (counterNow("geofences") >= MAX_ZONES)
      throw conflict(`There can be at most ${MAX_ZONES.toLocaleString("en")} zones; delete one first`);
    // It watches from the moment on that it names as that of its creation.
    const made = madeNow();
    const row = db
      .insert(geofences)
      .values({ id: newId(), ...input, ...shape, ...beginMoment(made.created_at), ...made })
      .returning()
      .get();
    adjustCounter("geofences", 1);
    beginToWatch(row);
    return toGeofence(row);
  });
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
 * switched on. Throws 400 for a geometry that is none.
 */
export function updateGeofence(actor: Actor, id: string, input: GeofenceChange): Promise<Geofence> {
  checkChanged(input);
  checkMetadata(input.metadata);
  return transactAs(actor, () => {
    const before = db.select().from(geofences).where(eq(geofences.id, id)).get();
    if (!before) throw notFound("Geofence");
    const isShaped = SHAPED.some((field) => input[field] !== undefined);
    const { geometry: _, ...fields } = input;
    const change = changedOnly(before, { ...fields, ...(isShaped && shapeOf(input, before)) });
    if (isEmpty(change)) return toGeofence(before);
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
      .where(eq(geofences.id, id))
      .returning()
      .get();
    if (isAnew) {
      beginToWatch(row);
      clearZone(id);
    } else zonesChanged();
    return toGeofence(row);
  });
}

/** Deletes a zone. The devices inside are forgotten silently (rule T3); its crossings stay. */
export function deleteGeofence(actor: Actor, id: string): Promise<void> {
  return transactAs(actor, () => {
    const row = db.select({ seq: geofences.seq }).from(geofences).where(eq(geofences.id, id)).get();
    if (!row) throw notFound("Geofence");
    forgetZone(id);
    endLinksHiding(id);
    ceaseToWatch(row.seq);
    db.delete(geofences).where(eq(geofences.id, id)).run();
    removeZone(row.seq);
    zonesChanged();
    adjustCounter("geofences", -1);
  });
}

/** Keeps the index equal to the active zones, and finds the devices that are inside already. */
function beginToWatch(row: Row): void {
  zonesChanged();
  if (row.is_active) {
    putZone(row);
    watchAnew(row.seq);
  } else removeZone(row.seq);
}
