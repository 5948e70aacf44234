import { deleteAged } from "../../kernel/ageing";
import { afterCommit, sqlite, statement } from "../../kernel/db";
import { systemValue } from "../../operations/system-config/service";
import { forgetAllCurrent } from "./current-cache";
import { ALL, countAt, devicePoints } from "./places";

const deleteOldest = statement(() =>
  sqlite.prepare<{ timestamp: number; device: string | null }, [number, number]>(
    // A device that is gone has no list any more.
    `DELETE FROM gps_points WHERE rowid IN
       (SELECT rowid FROM gps_points WHERE trip_id IS NULL AND timestamp < ? ORDER BY timestamp LIMIT +?)
     RETURNING timestamp, (SELECT id FROM devices WHERE id = device_id) AS device`,
  ),
);

/**
 * The job: deletes positions older than `gps.retention_days`; 0 keeps all. A position that is linked to a
 * trip stays until the trip goes (rule T6).
 */
export const deleteOldPoints = (): Promise<void> =>
  deleteAged(() => systemValue("gps.retention_days"), deleteStep);

function deleteStep(before: number, limit: number): number {
  const deleted = deleteOldest().all(before, limit);
  if (deleted.length === 0) return 0;
  for (const { timestamp, device } of deleted) {
    countAt(ALL, timestamp, -1);
    if (device !== null) countAt(devicePoints(device), timestamp, -1);
  }
  afterCommit(forgetAllCurrent);
  return deleted.length;
}
