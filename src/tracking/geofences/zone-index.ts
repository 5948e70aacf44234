import { sqlite, statement } from "../../kernel/db/connection";
import type { Position } from "../../kernel/values/great-circle";
import { boundingBox } from "./geometry";

/**
 * The R-Tree of the active zones, by the boxes around them. Raw SQL: Drizzle can't describe a virtual table.
 * `evaluate.ts` searches it.
 */

const put = statement(() =>
  sqlite.prepare<unknown, number[]>("INSERT OR REPLACE INTO geofence_index VALUES (?, ?, ?, ?, ?, ?, ?)"),
);
const remove = statement(() => sqlite.prepare<unknown, [number]>("DELETE FROM geofence_index WHERE seq = ?"));

/** Puts a zone into the index, or moves it there, in the current transaction. */
export function putZone(zone: Position & { seq: number; radius_km: number }): void {
  put().run(zone.seq, ...boundingBox(zone, zone.radius_km));
}

/** Takes a zone out of the index, in the current transaction; no error if it isn't there. */
export function removeZone(seq: number): void {
  remove().run(seq);
}
