import { DAY, now } from "../../kernel/clock";
import { adjustCounter, afterCommit, sqlite, statement, transact } from "../../kernel/db";
import { systemValue } from "../../operations/system-config/service";
import { forgetAllCurrent } from "./current-cache";

/** Points deleted in one transaction: some milliseconds. */
const STEP = 500;

const deleteOldest = statement(() =>
  sqlite.prepare<unknown, [number, number]>(
    `DELETE FROM gps_points WHERE rowid IN
       (SELECT rowid FROM gps_points WHERE trip_id IS NULL AND timestamp < ? ORDER BY timestamp LIMIT +?) RETURNING 1`,
  ),
);

/**
 * The job: deletes positions older than `gps.retention_days`; 0 keeps all. A position that is linked to a trip can't be
 * deleted (Part 1): it stays until the trip goes. Requests get in between the steps.
 */
export async function deleteOldPoints(): Promise<void> {
  for (let deleted = STEP; deleted === STEP; ) deleted = await transact(deleteStep);
}

/** One step, by the days that are in force now: they may be changed while the job runs. */
function deleteStep(): number {
  const days = systemValue("gps.retention_days");
  if (days === 0) return 0;
  const { length } = deleteOldest().all(now() - days * DAY, STEP);
  if (length === 0) return 0;
  adjustCounter("gps_points", -length);
  afterCommit(forgetAllCurrent);
  return length;
}
