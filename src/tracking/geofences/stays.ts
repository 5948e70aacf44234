import { sqlite, statement } from "../../kernel/db/connection";

/** The times that devices have spent in zones, by the crossings that hold. Raw SQL: the conditions must be those of partial indexes. */

/** A time in a zone, in epoch milliseconds; one that goes on has no end. A zone that was passed has a moment. */
export interface Stay {
  zoneId: string;
  from: number;
  until: number;
}

// Those that a box saw aboard stand beside those of this server's own zones.
const SIDES = "superseded_at IS NULL AND event IN ('enter', 'exit', 'begin', 'end') AND box_id IS NULL";

interface Crossing {
  geofence_id: string;
  event: string;
  occurred_at: number;
}

const zonesOf = statement(() =>
  sqlite.prepare<{ id: string }, [string]>(
    `WITH RECURSIVE crossed (id) AS (
       SELECT min(geofence_id) FROM geofence_events WHERE device_id = ?1 AND ${SIDES}
       UNION ALL
       SELECT (SELECT min(geofence_id) FROM geofence_events WHERE device_id = ?1 AND geofence_id > crossed.id AND ${SIDES})
       FROM crossed WHERE crossed.id IS NOT NULL
     )
     SELECT id FROM crossed WHERE id IS NOT NULL`,
  ),
);
const sideBefore = statement(() =>
  sqlite.prepare<Crossing, [string, string, number]>(
    `SELECT geofence_id, event, occurred_at FROM geofence_events
     WHERE device_id = +?1 AND geofence_id = ?2 AND ${SIDES} AND occurred_at < ?3
     ORDER BY shown_at DESC, shown_row DESC LIMIT 1`,
  ),
);
const between = statement(() =>
  sqlite.prepare<Crossing, [string, number, number]>(
    `SELECT geofence_id, event, occurred_at FROM geofence_events
     WHERE device_id = +?1 AND occurred_at >= ?2 AND occurred_at <= ?3 AND superseded_at IS NULL AND box_id IS NULL
     ORDER BY occurred_at, shown_at, shown_row`,
  ),
);

/** The stays of a device that touch a span of fix times (epoch milliseconds), in order of their beginnings. */
export function staysOf(deviceId: string, from: number, to: number): Stay[] {
  const stays: Stay[] = [];
  const open = new Map<string, Stay>();
  const enter = ({ geofence_id, occurred_at }: Crossing): void => {
    const stay = { zoneId: geofence_id, from: occurred_at, until: Number.POSITIVE_INFINITY };
    stays.push(stay);
    open.set(geofence_id, stay);
  };
  for (const { id } of zonesOf().all(deviceId)) {
    const side = sideBefore().get(deviceId, id, from);
    if (side && (side.event === "enter" || side.event === "begin")) enter(side);
  }
  for (const crossing of between().all(deviceId, from, to)) {
    const { geofence_id, event, occurred_at } = crossing;
    const stay = open.get(geofence_id);
    if (event === "passed") stays.push({ zoneId: geofence_id, from: occurred_at, until: occurred_at });
    else if (event === "enter" || event === "begin") {
      if (!stay) enter(crossing);
    } else if (stay && event !== "dwell") {
      stay.until = occurred_at;
      open.delete(geofence_id);
    }
  }
  return stays.sort((a, b) => a.from - b.from);
}

/** The zones of the stays that touch a span, each once, in order of their identifiers. */
export function zonesBetween(stays: readonly Stay[], from: number, to: number): string[] {
  const touching = stays.filter((stay) => stay.from <= to && stay.until >= from);
  return [...new Set(touching.map(({ zoneId }) => zoneId))].sort();
}
