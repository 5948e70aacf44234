import { eq } from "drizzle-orm";
import { note } from "../../feed/journal";
import { db } from "../../kernel/db/connection";
import { publish } from "../../kernel/db/events";
import { geofenceEvents, geofences } from "../geofences/table";
import { newestPositionOf } from "../gps/service";
import { countCrossing, type ZoneCrossing } from "../ingest/crossings";

/** Crossings that boxes saw aboard, which stand beside those that this server computes: nothing is computed anew of them. */

type Row = typeof geofenceEvents.$inferSelect;

export type MirroredCrossing = Omit<Row, "box_id" | "watch_from" | "shown_at" | "shown_row">;

/** No stretch of watching begins then: whatever reads the crossings of a zone of this server passes them over. */
const NEVER_WATCHED = -1;

/** Stores a crossing of a box in the current transaction. False if nothing has changed. */
export function mirrorCrossing(boxId: string, crossing: MirroredCrossing): boolean {
  const { id, device_id, superseded_at } = crossing;
  const before = db.select().from(geofenceEvents).where(eq(geofenceEvents.id, id)).get();
  if (before && before.superseded_at === superseded_at) return false;
  if (before) db.update(geofenceEvents).set({ superseded_at }).where(eq(geofenceEvents.id, id)).run();
  else {
    const shown = { watch_from: NEVER_WATCHED, shown_at: crossing.occurred_at, shown_row: 0 };
    db.insert(geofenceEvents)
      .values({ ...crossing, ...shown, box_id: boxId })
      .run();
  }
  const countable = { ...crossing, event: crossing.event } as Parameters<typeof countCrossing>[0];
  const [held, holds] = [before?.superseded_at === null, superseded_at === null];
  if (holds !== held) countCrossing(countable, holds ? 1 : -1);
  if (before || superseded_at !== null || !isNews(crossing)) note("crossing", id, device_id);
  else tell(crossing);
  return true;
}

/**
 * True for a crossing that is not late: of a zone that this server has too it tells itself. A device that is here already where it
 * came later isn't told to have crossed anything.
 */
function isNews({ device_id, geofence_id, occurred_at, is_late }: MirroredCrossing): boolean {
  if (is_late) return false;
  const zone = db.select({ id: geofences.id }).from(geofences).where(eq(geofences.id, geofence_id)).get();
  if (zone) return false;
  const newest = newestPositionOf(device_id);
  return newest === null || Date.parse(newest.timestamp) <= occurred_at;
}

function tell({ id, geofence_id, geofence_name, event, device_id, distance_km }: MirroredCrossing): void {
  if (event !== "enter" && event !== "exit") {
    note("crossing", id, device_id);
    return;
  }
  const crossing: ZoneCrossing = {
    geofence_id,
    geofence_name,
    event,
    device_id,
    distance_km,
    metadata: null,
  };
  note("geofenceEvent", id, device_id, crossing);
  publish("geofence.crossed", crossing);
}
