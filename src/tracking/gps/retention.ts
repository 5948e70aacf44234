import { and, asc, inArray, isNull, lt, sql } from "drizzle-orm";
import { db } from "../../kernel/db/connection";
import { deleteOlderThan } from "../../kernel/db/delete-older-than";
import { rowid } from "../../kernel/db/table";
import { afterCommit } from "../../kernel/db/transactions";
import { systemValue } from "../../runtime-settings/service";
import { notePurged } from "../geofences/tracks";
import { forgetAllCurrent } from "../ingest/current-cache";
import { ALL, countAt, devicePoints } from "../ingest/places";
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
    // A device that is gone has no list any more.
    .returning({
      timestamp: gpsPoints.timestamp,
      device: sql<string | null>`(SELECT id FROM devices WHERE id = device_id)`,
    })
    .all();
  if (deleted.length === 0) return 0;
  const purged = new Map<string, number>();
  for (const { timestamp, device } of deleted) {
    countAt(ALL, timestamp, -1);
    if (device === null) continue;
    countAt(devicePoints(device), timestamp, -1);
    purged.set(device, Math.max(timestamp, purged.get(device) ?? timestamp));
  }
  for (const [device, upTo] of purged) notePurged(device, upTo);
  afterCommit(forgetAllCurrent);
  return deleted.length;
}
