import { sqlite, statement } from "../../kernel/db/connection";
import { deleteOlderThan } from "../../kernel/db/delete-older-than";
import { afterCommit } from "../../kernel/db/transactions";
import { systemValue } from "../../runtime-settings/service";
import { forgetAllCurrent } from "./current-cache";
import { ALL, countPoint } from "./places";

const deleteOldest = statement(() =>
  sqlite.prepare<{ timestamp: number }, [number, number]>(
    `DELETE FROM gps_points WHERE rowid IN
       (SELECT rowid FROM gps_points WHERE trip_id IS NULL AND timestamp < ? ORDER BY timestamp LIMIT +?) RETURNING timestamp`,
  ),
);

/**
 * The job: deletes positions older than `gps.retention_days`; 0 keeps all. A position that is linked to a
 * trip stays until the trip goes (rule T6).
 */
export const deleteOldPoints = (): Promise<void> =>
  deleteOlderThan(() => systemValue("gps.retention_days"), deleteStep);

function deleteStep(before: number, limit: number): number {
  const deleted = deleteOldest().all(before, limit);
  if (deleted.length === 0) return 0;
  for (const { timestamp } of deleted) countPoint(ALL, timestamp, -1);
  afterCommit(forgetAllCurrent);
  return deleted.length;
}
