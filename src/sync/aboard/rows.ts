import { desc, eq, placeholder } from "drizzle-orm";
import { alerts } from "../../alerts/alerts/table";
import { db, statement } from "../../kernel/db/connection";
import { devices } from "../../tracking/devices/table";
import { SHOWN_EVENTS, type ShownEvent } from "../../tracking/geofences/kinds";
import { geofenceEvents } from "../../tracking/geofences/table";
import type { Row as PositionRow } from "../../tracking/ingest/columns";
import { isDetached } from "../../tracking/ingest/detach";
import { logEntries } from "../../tracking/log/table";
import { tripSpans, tripStatusHistory, trips } from "../../tracking/trips/table";
import type { SentPosition } from "../batch/positions";
import { MOST_OF_TRIP, type RowKind } from "../batch/rows";

/** Records as batches carry them, as they are now. Accounts, keys and their secrets are never among them. */

const find = <
  T extends typeof devices | typeof trips | typeof logEntries | typeof geofenceEvents | typeof alerts,
>(
  table: T,
) =>
  statement(() =>
    db
      .select()
      .from(table as typeof devices)
      .where(eq((table as typeof devices).id, placeholder("id")))
      .prepare(),
  ) as unknown as () => { get: (values: { id: string }) => T["$inferSelect"] | undefined };

const device = find(devices);
const trip = find(trips);
const entry = find(logEntries);
const crossing = find(geofenceEvents);
const alert = find(alerts);

const historyOf = statement(() =>
  db
    .select()
    .from(tripStatusHistory)
    .where(eq(tripStatusHistory.trip_id, placeholder("id")))
    .orderBy(desc(tripStatusHistory.changed_at), desc(tripStatusHistory.id))
    .limit(MOST_OF_TRIP)
    .prepare(),
);
const spansOf = statement(() =>
  db
    .select()
    .from(tripSpans)
    .where(eq(tripSpans.trip_id, placeholder("id")))
    .orderBy(desc(tripSpans.from_time))
    .limit(MOST_OF_TRIP)
    .prepare(),
);

/** A record without the fields that are null, and without some. */
function shown<T extends object>(row: T, ...without: (keyof T)[]): Record<string, unknown> {
  const left = Object.entries(row).filter(
    ([key, value]) => value !== null && !(without as string[]).includes(key),
  );
  return Object.fromEntries(left);
}

/** A record's row; null for one that is gone, undefined for one of which the shore is told nothing. */
export type FoundRow = Record<string, unknown> | null | undefined;

const READERS: Record<RowKind, (id: string) => FoundRow> = {
  device(id) {
    const row = device().get({ id });
    return row ? shown(row, "id", "box_id") : null;
  },
  trip(id) {
    const row = trip().get({ id });
    if (!row) return null;
    return {
      // Places and categories stay aboard.
      ...shown(row, "id", "box_id", "category_id", "origin_id", "destination_id"),
      history: historyOf()
        .all({ id })
        .reverse()
        .map((each) => shown(each, "trip_id")),
      spans: spansOf()
        .all({ id })
        .reverse()
        .map((each) => shown(each, "trip_id")),
    };
  },
  entry(id) {
    const row = entry().get({ id });
    return row ? shown(row, "id") : undefined;
  },
  crossing(id) {
    const row = crossing().get({ id });
    // One that is gone has aged out. Those that begin and end stays of zones are of no use elsewhere.
    if (!row || !SHOWN_EVENTS.includes(row.event as ShownEvent)) return undefined;
    return shown(row, "id", "watch_from", "shown_at", "shown_row", "box_id");
  },
  alert(id) {
    const row = alert().get({ id });
    return row ? shown(row, "id", "box_id", "told", "is_told", "escalate_at", "acknowledged_by") : undefined;
  },
};

/** A record as it is now. */
export const readRow = (kind: RowKind, id: string): FoundRow => READERS[kind](id);

/** A position as it is sent. */
export function toSent(number: number, { box_id: _, ...row }: PositionRow, withTrip: boolean): SentPosition {
  const isGone = (id: string | null) => id === null || isDetached(id);
  return {
    ...row,
    number,
    device_id: isGone(row.device_id) ? null : row.device_id,
    trip_id: !withTrip || isGone(row.trip_id) ? null : row.trip_id,
  };
}
