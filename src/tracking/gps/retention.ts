import { and, asc, inArray, isNull, lt } from "drizzle-orm";
import { db } from "../../kernel/db/connection";
import { deleteOlderThan } from "../../kernel/db/delete-older-than";
import { rowid } from "../../kernel/db/table";
import { afterCommit } from "../../kernel/db/transactions";
import { systemValue } from "../../runtime-settings/service";
import { forgetAllCurrent } from "./current-cache";
import { ALL, countPoint } from "./places";
import { gpsPoints } from "./table";

/**
 * The job: deletes positions older than `gps.retention_days`; 0 keeps all. A position that is linked to a
 * trip stays until the trip goes (rule T6).
 */
export const deleteOldPoints = (): Promise<void> =>
  deleteOlderThan(() => systemValue("gps.retention_days"), deleteStep);

function deleteStep(before: number, limit: number): number {
  const oldest = db
    .select({ rowid })
    .from(gpsPoints)
    .where(and(isNull(gpsPoints.trip_id), lt(gpsPoints.timestamp, before)))
    .orderBy(asc(gpsPoints.timestamp))
    .limit(limit);
  const deleted = db
    .delete(gpsPoints)
    .where(inArray(rowid, oldest))
    .returning({ timestamp: gpsPoints.timestamp })
    .all();
  if (deleted.length === 0) return 0;
  for (const { timestamp } of deleted) countPoint(ALL, timestamp, -1);
  afterCommit(forgetAllCurrent);
  return deleted.length;
}
