import { sqlite, statement } from "../../kernel/db/connection";
import type { EventRow } from "../geofences/events";
import type { ZoneEvent } from "../geofences/kinds";
import type { Moment } from "../geofences/tracks";
import { ZONE_COLUMNS, type Zone } from "../geofences/watched";

/**
 * The stored crossings of a device, beside which they are computed anew. Raw SQL: the conditions must be those of the partial
 * indexes, word by word, and row values find their places in these. Crossings of zones that have begun to watch anew since,
 * or don't watch any more, are never found: they stay as they are.
 */

// --- The work ---------------------------------------------------------------------------------------------

/** A stretch of a device's track whose crossings are to be computed anew; see table.ts. */
export interface Span {
  from_time: number;
  to_time: number;
  changed_zones: string[];
  changed_from: number | null;
  changed_to: number | null;
}

const allSpans = statement(() =>
  sqlite.prepare<{ device_id: string }, []>(
    "SELECT device_id FROM geofence_spans ORDER BY begun_from LIMIT 100",
  ),
);
const span = statement(() =>
  sqlite.prepare<Omit<Span, "changed_zones"> & { changed_zones: string }, [string]>(
    "SELECT from_time, to_time, changed_zones, changed_from, changed_to FROM geofence_spans WHERE device_id = ?",
  ),
);
const move = statement(() =>
  sqlite.prepare<unknown, [number, string, number | null, number | null, string]>(
    "UPDATE geofence_spans SET from_time = ?, changed_zones = ?, changed_from = ?, changed_to = ? WHERE device_id = ?",
  ),
);
const remove = statement(() =>
  sqlite.prepare<unknown, [string]>("DELETE FROM geofence_spans WHERE device_id = ?"),
);

/** Devices for which there is work. */
export const spans = (): string[] =>
  allSpans()
    .all()
    .map(({ device_id }) => device_id);

export function spanOf(deviceId: string): Span | null {
  const row = span().get(deviceId);
  return row && { ...row, changed_zones: JSON.parse(row.changed_zones) };
}

/** Notes how far the work has come, in the current transaction. */
export function moveSpan(deviceId: string, done: Span): void {
  const { from_time, changed_zones, changed_from, changed_to } = done;
  move().run(from_time, JSON.stringify(changed_zones), changed_from, changed_to, deviceId);
}

/** Notes that the work for a device is done, in the current transaction. */
export const endSpan = (deviceId: string): void => {
  remove().run(deviceId);
};

// --- Crossings --------------------------------------------------------------------------------------------

export type StoredEvent = EventRow & { seq: number };

const between = statement(() =>
  sqlite.prepare<StoredEvent, (string | number)[]>(
    `SELECT e.*, g.seq FROM geofence_events e JOIN geofences g ON g.id = e.geofence_id AND g.watch_from = e.watch_from
     WHERE e.device_id = +?1 AND e.superseded_at IS NULL AND e.event <> 'end' AND g.is_active = 1
       AND (e.shown_at, e.shown_row) >= (?2, ?3) AND (e.shown_at, e.shown_row) <= (?4, ?5)
     ORDER BY e.shown_at, e.shown_row`,
  ),
);

/** The crossings that hold and were shown from one fix to another, in order. */
export const storedBetween = (deviceId: string, from: Moment, to: Moment): StoredEvent[] =>
  between().all(deviceId, from.timestamp, from.row, to.timestamp, to.row);

const before = statement(() =>
  sqlite.prepare<EventRow, (string | number)[]>(
    `SELECT * FROM geofence_events WHERE device_id = +?1 AND geofence_id = ?2 AND watch_from = ?3
       AND superseded_at IS NULL AND event <> 'end' AND (shown_at, shown_row) < (?4, ?5)`,
  ),
);

/** The crossings of a device at a zone that hold and were shown before a fix. */
export const storedBefore = (deviceId: string, zone: Zone, { timestamp, row }: Moment): StoredEvent[] =>
  before()
    .all(deviceId, zone.id, zone.watch_from, timestamp, row)
    .map((event) => ({ ...event, seq: zone.seq }));

const show = statement(() =>
  sqlite.prepare<unknown, [number, number, string]>(
    "UPDATE geofence_events SET shown_at = ?, shown_row = ? WHERE id = ?",
  ),
);

/** Notes, in the current transaction, that another fix showed a crossing. */
export const setShown = (id: string, { timestamp, row }: Moment): void => {
  show().run(timestamp, row, id);
};

const SIDES = "superseded_at IS NULL AND event IN ('enter', 'exit', 'begin', 'end')";

const crossed = statement(() =>
  sqlite.prepare<Zone, [string]>(
    `WITH RECURSIVE crossed (id) AS (
       SELECT min(geofence_id) FROM geofence_events WHERE device_id = ?1 AND ${SIDES}
       UNION ALL
       SELECT (SELECT min(geofence_id) FROM geofence_events WHERE device_id = ?1 AND geofence_id > crossed.id AND ${SIDES})
       FROM crossed WHERE crossed.id IS NOT NULL
     )
     SELECT ${ZONE_COLUMNS} FROM crossed JOIN geofences g ON g.id = crossed.id WHERE g.is_active = 1`,
  ),
);

/** The zones whose border a device has ever crossed. */
export const crossedBy = (deviceId: string): Zone[] => crossed().all(deviceId);

/** A change of sides. */
export interface Side {
  event: ZoneEvent;
  occurred_at: number;
  is_late: 0 | 1;
  shown_at: number;
  shown_row: number;
}

const side = (relation: "<" | ">=" | ">", order: "DESC" | "ASC") =>
  statement(() =>
    sqlite.prepare<Side, (string | number)[]>(
      `SELECT event, occurred_at, is_late, shown_at, shown_row FROM geofence_events
       WHERE device_id = +?1 AND geofence_id = +?2 AND ${SIDES} AND (shown_at, shown_row) ${relation} (?3, ?4)
         AND watch_from = ?5 AND event <> 'end'
       ORDER BY shown_at ${order}, shown_row ${order} LIMIT 1`,
    ),
  );
const lastBefore = side("<", "DESC");
const firstFrom = side(">=", "ASC");
const firstAfter = side(">", "ASC");

/** The part of a zone by which its crossings are found. */
type Watch = Pick<Zone, "id" | "watch_from">;

const find = (
  query: typeof lastBefore,
  deviceId: string,
  zone: Watch,
  { timestamp, row }: Moment,
): Side | null => query().get(deviceId, zone.id, timestamp, row, zone.watch_from);

/** The last change of sides of a device at a zone that was shown before a fix. */
export const sideBefore = (deviceId: string, zone: Watch, at: Moment): Side | null =>
  find(lastBefore, deviceId, zone, at);

/** The first change of sides of a device at a zone that was shown by a fix or later. */
export const sideFrom = (deviceId: string, zone: Watch, at: Moment): Side | null =>
  find(firstFrom, deviceId, zone, at);

/** True if a device changed sides of a zone after a fix. */
export const sidesAfter = (deviceId: string, zone: Zone, at: Moment): boolean =>
  find(firstAfter, deviceId, zone, at) !== null;

const dwells = statement(() =>
  sqlite.prepare<{ shown_at: number }, (string | number)[]>(
    `SELECT shown_at FROM geofence_events
     WHERE device_id = +?1 AND superseded_at IS NULL AND event = 'dwell' AND geofence_id = ?2 AND watch_from = ?3
       AND (shown_at, shown_row) >= (?4, ?5) AND (shown_at, shown_row) < (?6, ?7) LIMIT 1`,
  ),
);

/** True if a dwelling of a device in a zone was shown from one fix on, and before another. */
export const hasDwelledBetween = (deviceId: string, zone: Zone, from: Moment, to: Moment): boolean =>
  dwells().get(deviceId, zone.id, zone.watch_from, from.timestamp, from.row, to.timestamp, to.row) !== null;
