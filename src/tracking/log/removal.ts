import { eq, inArray } from "drizzle-orm";
import { recordAudit } from "../../identity/audit/service";
import { db } from "../../kernel/db/connection";
import { rowid } from "../../kernel/db/table";
import { transact } from "../../kernel/db/transactions";
import { countEntries, headOf } from "./stored";
import { logEntries, logRemovals } from "./table";

/** The end of a log, with its trip. A long one goes in steps. */

/** Entries deleted in one transaction: some milliseconds. */
const STEP = 500;

function removeSome(tripId: string): number {
  const some = db.select({ rowid }).from(logEntries).where(eq(logEntries.trip_id, tripId)).limit(STEP);
  return db.delete(logEntries).where(inArray(rowid, some)).returning({ rowid }).all().length;
}

/**
 * Removes the log of a trip that a user, or nobody, deletes in the current transaction. The audit log keeps its length and its head, which still
 * prove an export that was made before.
 */
export function removeLog(tripId: string, userId: string | null): void {
  const entries = countEntries(tripId);
  if (entries === 0) return;
  recordAudit({
    event_type: "trip_log_deleted",
    user_id: userId,
    resource_type: "trip",
    resource_id: tripId,
    metadata: { entries, head: headOf(tripId) },
  });
  if (removeSome(tripId) === STEP) db.insert(logRemovals).values({ trip_id: tripId }).run();
}

/** Removes what is left of logs whose trips are gone. */
export async function finishRemovals(): Promise<void> {
  for (const { trip_id } of db.select().from(logRemovals).all()) {
    while ((await transact(() => removeSome(trip_id))) === STEP);
    await transact(() => {
      db.delete(logRemovals).where(eq(logRemovals.trip_id, trip_id)).run();
    });
  }
}
