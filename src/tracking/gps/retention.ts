import { DAY, now } from "../../kernel/clock";
import { adjustCounter, afterCommit, sqlite, statement, transact } from "../../kernel/db";
import { systemValue } from "../../operations/system-config/service";
import { forgetAllCurrent } from "./current-cache";
import { isDetached } from "./detach";
import { tripPoints } from "./service";

/** Points deleted in one transaction: some milliseconds. */
const STEP = 500;

const deleteOldest = statement(() =>
  sqlite.prepare<{ trip_id: string | null }, [number, number]>(
    `DELETE FROM gps_points WHERE rowid IN
       (SELECT rowid FROM gps_points WHERE timestamp < ? ORDER BY timestamp LIMIT +?) RETURNING trip_id`,
  ),
);

/**
 * The job: deletes positions older than `gps.retention_days`, those of trips too; 0 keeps all. What a trip measured
 * stays. Requests get in between the steps.
 */
export async function deleteOldPoints(): Promise<void> {
  for (let deleted = STEP; deleted === STEP; ) deleted = await transact(deleteStep);
}

/** One step, by the days that are in force now: they may be changed while the job runs. */
function deleteStep(): number {
  const days = systemValue("gps.retention_days");
  if (days === 0) return 0;
  const gone = deleteOldest().all(now() - days * DAY, STEP);
  if (gone.length === 0) return 0;
  adjustCounter("gps_points", -gone.length);
  for (const { trip_id } of gone)
    if (trip_id !== null && !isDetached(trip_id)) adjustCounter(tripPoints(trip_id), -1);
  afterCommit(forgetAllCurrent);
  return gone.length;
}
