import { and, eq, inArray, placeholder } from "drizzle-orm";
import { db, statement } from "../../kernel/db/connection";
import { removeCounter, removeParts } from "../../kernel/db/counters";
import { rowid } from "../../kernel/db/table";
import { afterCommit, transact } from "../../kernel/db/transactions";
import { gpsDetachments, gpsPoints } from "../gps/table";
import { timelineParts, timelineSegments } from "../timeline/table";
import { forgetAllCurrent } from "./current-cache";
import { categoryListsOf, devicePoints, deviceTrips, tripPoints } from "./places";

/**
 * A deleted device or trip leaves its points, which then belong to none (rule T6); the counters of the lists
 * that it had go, and so do those of a deleted category. Rewriting millions of rows would block the server, so
 * a small step is taken at once and the rest by a job. Until that is done, the identifiers in the rows are
 * dangling, and every reader of points must call `isDetached` for them.
 */
type Kind = "device" | "trip";

/** Points rewritten in one transaction: some milliseconds. */
const STEP = 500;
/** Parts of counters removed in one transaction. */
const PARTS = 1_500;

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

const clear = (kind: Kind, id: string): number =>
  (kind === "device" ? clearDevice() : clearTrip()).all({ id }).length;

/** True for a device or trip that is gone although points still name it. */
export function isDetached(id: string): boolean {
  return detached.size > 0 && detached.has(id);
}

/** Number of devices and trips that are gone although points still name them. */
export const detachmentCount = (): number => detached.size;

/** Takes the points and the lists from a device or trip that the current transaction deletes. */
export function detach(kind: Kind, id: string): void {
  afterCommit(forgetAllCurrent);
  if (kind === "trip") dropList(tripPoints(id));
  else {
    for (const list of [devicePoints(id), deviceTrips(id), ...categoryListsOf(id)]) dropList(list);
    dropTimeline(id);
  }
  if (clear(kind, id) < STEP) return;
  db.insert(gpsDetachments).values({ kind, reference: id }).run();
  afterCommit(() => detached.add(id));
}

/** Removes the counters of a list that is gone, in the current transaction; many of them are left to the job. */
export function dropList(list: string): void {
  removeCounter(list);
  if (removeParts(list, PARTS) === PARTS)
    db.insert(gpsDetachments).values({ kind: "list", reference: list }).run();
}

/** Removes the timeline of a device that is gone, in the current transaction; much of it is left to the job. */
function dropTimeline(deviceId: string): void {
  if (clearTimeline(deviceId))
    db.insert(gpsDetachments).values({ kind: "timeline", reference: deviceId }).run();
}

/** Removes some of the timeline of a device. True if there may be more. */
function clearTimeline(deviceId: string): boolean {
  const cleared = [timelineParts, timelineSegments].map((table) => {
    const some = db.select({ rowid }).from(table).where(eq(table.device_id, deviceId)).limit(STEP);
    return db.delete(table).where(inArray(rowid, some)).returning({ rowid }).all().length;
  });
  return cleared.includes(STEP);
}

/** Loads the unfinished detachments from before a restart. */
export function loadDetachments(): void {
  detached.clear();
  const unfinished = db
    .select()
    .from(gpsDetachments)
    .where(inArray(gpsDetachments.kind, ["device", "trip"]));
  for (const row of unfinished.all()) detached.add(row.reference);
}

/** The job: rewrites the remaining points and removes the remaining counters, with requests in between. */
export async function finishDetachments(): Promise<void> {
  for (const { kind, reference } of db.select().from(gpsDetachments).all()) {
    const step = (): boolean => {
      if (kind === "list") return removeParts(reference, PARTS) === PARTS;
      return kind === "timeline" ? clearTimeline(reference) : clear(kind, reference) === STEP;
    };
    for (let more = true; more; ) {
      more = await transact(() => {
        if (step()) return true;
        db.delete(gpsDetachments)
          .where(and(eq(gpsDetachments.kind, kind), eq(gpsDetachments.reference, reference)))
          .run();
        if (kind === "device" || kind === "trip") afterCommit(() => detached.delete(reference));
        return false;
      });
    }
  }
}
