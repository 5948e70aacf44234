import { asc, desc, eq } from "drizzle-orm";
import { type Actor, transactAs } from "../../identity/access/actor";
import { newId } from "../../kernel/crypto/id";
import { db } from "../../kernel/db/connection";
import { adjustCounter, counter, counterNow } from "../../kernel/db/counters";
import { conflict, notFound } from "../../kernel/errors/errors";
import { type PageOf, type PageRequest, readPage } from "../../kernel/http/paging";
import { checkChanged, checkMetadata } from "../../kernel/http/validation";
import { iso, madeNow, now } from "../../kernel/time/clock";
import { changedOnly, isEmpty } from "../../kernel/values/changes";
import { zonesChanged } from "./epoch";
import type { Geofence, GeofenceChange, NewGeofence } from "./schema";
import { geofencePresence, geofences } from "./table";
import { putZone, removeZone } from "./zone-index";

type Row = typeof geofences.$inferSelect;

const toGeofence = ({ seq: _, ...row }: Row): Geofence => ({
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

/** Most zones of an installation: a position may lie in all of them. */
const MAX_ZONES = 10_000;

/** Throws 409 if there are too many zones. */
export function createGeofence(actor: Actor, input: NewGeofence): Promise<Geofence> {
  checkMetadata(input.metadata);
  return transactAs(actor, () => {
    if (counterNow("geofences") >= MAX_ZONES)
      throw conflict(`There can be at most ${MAX_ZONES.toLocaleString("en")} zones; delete one first`);
    const row = db
      .insert(geofences)
      .values({ id: newId(), ...input, ...madeNow() })
      .returning()
      .get();
    index(row);
    adjustCounter("geofences", 1);
    return toGeofence(row);
  });
}

/** Changes the given fields. Evaluates no device: the next position does (rule T3). */
export function updateGeofence(actor: Actor, id: string, input: GeofenceChange): Promise<Geofence> {
  checkChanged(input);
  checkMetadata(input.metadata);
  return transactAs(actor, () => {
    const before = db.select().from(geofences).where(eq(geofences.id, id)).get();
    if (!before) throw notFound("Geofence");
    const change = changedOnly(before, input);
    if (isEmpty(change)) return toGeofence(before);
    const row = db
      .update(geofences)
      .set({ ...change, updated_at: now() })
      .where(eq(geofences.id, id))
      .returning()
      .get();
    index(row);
    return toGeofence(row);
  });
}

/** Deletes a zone. The devices inside are forgotten silently (rule T3). */
export function deleteGeofence(actor: Actor, id: string): Promise<void> {
  return transactAs(actor, () => {
    const row = db.delete(geofences).where(eq(geofences.id, id)).returning().get();
    if (!row) throw notFound("Geofence");
    removeZone(row.seq);
    zonesChanged();
    adjustCounter("geofences", -1);
  });
}

/** Keeps the index equal to the active zones. A zone that is switched off forgets the devices inside. */
function index(row: Row): void {
  zonesChanged();
  if (row.is_active) {
    putZone(row);
    return;
  }
  removeZone(row.seq);
  db.delete(geofencePresence).where(eq(geofencePresence.geofence_seq, row.seq)).run();
}
