import { asc, desc, eq } from "drizzle-orm";
import { iso, madeNow, now } from "../../kernel/clock";
import { adjustCounter, counter, db, sqlite, statement, transact } from "../../kernel/db";
import { notFound } from "../../kernel/errors";
import { newId } from "../../kernel/id";
import { type PageOf, type PageRequest, readPage } from "../../kernel/paging";
import { checkChanged, checkMetadata } from "../../kernel/validation";
import { boundingBox } from "./geometry";
import type { Geofence, GeofenceChange, NewGeofence } from "./schema";
import { geofencePresence, geofences } from "./table";

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

export function createGeofence(input: NewGeofence): Promise<Geofence> {
  checkMetadata(input.metadata);
  return transact(() => {
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

/** Changes the fields that are given. Evaluates no device: the next position does (decisions 7.9). */
export function updateGeofence(id: string, input: GeofenceChange): Promise<Geofence> {
  checkChanged(input);
  checkMetadata(input.metadata);
  return transact(() => {
    const row = db
      .update(geofences)
      .set({ ...input, updated_at: now() })
      .where(eq(geofences.id, id))
      .returning()
      .get();
    if (!row) throw notFound("Geofence");
    index(row);
    return toGeofence(row);
  });
}

/** Removes a zone. Who was inside is forgotten silently. */
export function deleteGeofence(id: string): Promise<void> {
  return transact(() => {
    const row = db.delete(geofences).where(eq(geofences.id, id)).returning().get();
    if (!row) throw notFound("Geofence");
    removeFromIndex().run(row.seq);
    adjustCounter("geofences", -1);
  });
}

const putIntoIndex = statement(() =>
  sqlite.prepare<unknown, number[]>("INSERT OR REPLACE INTO geofence_index VALUES (?, ?, ?, ?, ?, ?, ?)"),
);
const removeFromIndex = statement(() =>
  sqlite.prepare<unknown, [number]>("DELETE FROM geofence_index WHERE seq = ?"),
);

/** Keeps the R-Tree equal to the active zones. A zone that is switched off forgets who was inside. */
function index(row: Row): void {
  if (row.is_active) {
    putIntoIndex().run(row.seq, ...boundingBox(row, row.radius_km));
    return;
  }
  removeFromIndex().run(row.seq);
  db.delete(geofencePresence).where(eq(geofencePresence.geofence_seq, row.seq)).run();
}
