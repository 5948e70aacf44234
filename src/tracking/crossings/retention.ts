import { sqlite, statement } from "../../kernel/db/connection";
import { deleteOlderThan } from "../../kernel/db/delete-older-than";
import { systemValue } from "../../runtime-settings/service";
import type { EventRow } from "../geofences/events";
import { countCrossing } from "../ingest/crossings";

/**
 * Ageing of crossings. Raw SQL: a condition must be that of the partial index, word by word. The enter of a stay that goes
 * on, or that ended later, is kept: without it the device would have been outside.
 */
const deleteOldest = statement(() =>
  sqlite.prepare<EventRow, [number, number]>(
    `DELETE FROM geofence_events WHERE rowid IN (
       SELECT rowid FROM geofence_events e WHERE e.occurred_at < ?1 AND (
         e.event NOT IN ('enter', 'begin') OR e.superseded_at IS NOT NULL
         OR EXISTS (
           SELECT 1 FROM geofence_events n WHERE n.device_id = e.device_id AND n.geofence_id = e.geofence_id AND n.box_id IS e.box_id
             AND n.superseded_at IS NULL AND n.event IN ('enter', 'exit', 'begin', 'end')
             AND (n.shown_at, n.shown_row) > (e.shown_at, e.shown_row) AND n.occurred_at < ?1
         )
       ) ORDER BY e.occurred_at LIMIT ?2
     ) RETURNING *`,
  ),
);

/** The job: deletes crossings older than `geofence.event_retention_days`; 0 keeps all. */
export const deleteOldCrossings = (): Promise<void> =>
  deleteOlderThan(() => systemValue("geofence.event_retention_days"), deleteStep);

function deleteStep(before: number, limit: number): number {
  const deleted = deleteOldest().all(before, limit);
  for (const row of deleted) if (row.superseded_at === null) countCrossing(row, -1);
  return deleted.length;
}
