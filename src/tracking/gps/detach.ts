import { and, eq } from "drizzle-orm";
import { afterCommit, db, sqlite, statement, transact } from "../../kernel/db";
import { forgetAllCurrent } from "./current-cache";
import { forgetPlaces, tripPoints } from "./places";
import { gpsDetachments } from "./table";

/**
 * A deleted device or trip leaves its points, which from then on belong to none; the counters of a trip's places go.
 * Rewriting millions of rows would stop the server, so a small step is taken at once and the rest by a job. Until that
 * is done, the identifiers in the rows are dangling, and every reader of points asks `isDetached` about them.
 */
type Kind = "device" | "trip";

/** Points rewritten in one transaction: some milliseconds. */
const STEP = 500;

const detached = new Set<string>();

const clearDevice = statement(() =>
  sqlite.prepare<unknown, [string, number]>(
    "UPDATE gps_points SET device_id = NULL WHERE rowid IN (SELECT rowid FROM gps_points WHERE device_id = ? LIMIT ?)",
  ),
);
const clearTrip = statement(() =>
  sqlite.prepare<unknown, [string, number]>(
    "UPDATE gps_points SET trip_id = NULL WHERE rowid IN (SELECT rowid FROM gps_points WHERE trip_id = ? LIMIT ?)",
  ),
);

/** Takes a step, in which a trip loses at least as many of its counters as it has for those points; returns their number. */
function step(kind: Kind, id: string): number {
  if (kind === "device") return clearDevice().run(id, STEP).changes;
  forgetPlaces(tripPoints(id), STEP);
  return clearTrip().run(id, STEP).changes;
}

/** Whether a device or trip is gone although points still name it. */
export function isDetached(id: string): boolean {
  return detached.size > 0 && detached.has(id);
}

/** How many devices and trips are gone whose points still name them. */
export const detachmentCount = (): number => detached.size;

/** Takes the points from a device or trip that the current transaction deletes. */
export function detach(kind: Kind, id: string): void {
  afterCommit(forgetAllCurrent);
  if (step(kind, id) < STEP) return;
  db.insert(gpsDetachments).values({ kind, reference: id }).run();
  afterCommit(() => detached.add(id));
}

/** Reads what is left over from before a restart. */
export function loadDetachments(): void {
  detached.clear();
  for (const row of db.select().from(gpsDetachments).all()) detached.add(row.reference);
}

/** The job: rewrites what is left, step by step, letting requests in between. */
export async function finishDetachments(): Promise<void> {
  for (const { kind, reference } of db.select().from(gpsDetachments).all()) {
    for (let more = true; more; ) {
      more = await transact(() => {
        if (step(kind, reference) === STEP) return true;
        db.delete(gpsDetachments)
          .where(and(eq(gpsDetachments.kind, kind), eq(gpsDetachments.reference, reference)))
          .run();
        afterCommit(() => detached.delete(reference));
        return false;
      });
    }
  }
}
