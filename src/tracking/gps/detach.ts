import { and, eq, inArray, placeholder } from "drizzle-orm";
import { db, statement } from "../../kernel/db/connection";
import { rowid } from "../../kernel/db/table";
import { afterCommit, transact } from "../../kernel/db/transactions";
import { forgetAllCurrent } from "./current-cache";
import { forgetPlaces, tripPoints } from "./places";
import { gpsDetachments, gpsPoints } from "./table";

/**
 * A deleted device or trip leaves its points, which then belong to none (rule T6); the counters of a trip's
 * places go. Rewriting millions of rows would block the server, so a small step is taken at once and the rest
 * by a job. Until that is done, the identifiers in the rows are dangling, and every reader of points must
 * call `isDetached` for them.
 */
type Kind = "device" | "trip";

/** Points rewritten in one transaction: some milliseconds. */
const STEP = 500;

const detached = new Set<string>();

const clearing = (field: "device_id" | "trip_id") =>
  statement(() => {
    const some = db
      .select({ rowid })
      .from(gpsPoints)
      .where(eq(gpsPoints[field], placeholder("id")))
      .limit(STEP);
    return db
      .update(gpsPoints)
      .set({ [field]: null })
      .where(inArray(rowid, some))
      .returning({ rowid })
      .prepare();
  });
const clearDevice = clearing("device_id");
const clearTrip = clearing("trip_id");

/**
 * Takes a step, in which a trip loses at least as many of its counters as those points have; returns the
 * number of points.
 */
function step(kind: Kind, id: string): number {
  if (kind === "device") return clearDevice().all({ id }).length;
  forgetPlaces(tripPoints(id), STEP);
  return clearTrip().all({ id }).length;
}

/** True for a device or trip that is gone although points still name it. */
export function isDetached(id: string): boolean {
  return detached.size > 0 && detached.has(id);
}

/** Number of devices and trips that are gone although points still name them. */
export const detachmentCount = (): number => detached.size;

/** Takes the points from a device or trip that the current transaction deletes. */
export function detach(kind: Kind, id: string): void {
  afterCommit(forgetAllCurrent);
  if (step(kind, id) < STEP) return;
  db.insert(gpsDetachments).values({ kind, reference: id }).run();
  afterCommit(() => detached.add(id));
}

/** Loads the unfinished detachments from before a restart. */
export function loadDetachments(): void {
  detached.clear();
  for (const row of db.select().from(gpsDetachments).all()) detached.add(row.reference);
}

/** The job: rewrites the remaining points, step by step, with requests in between. */
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
