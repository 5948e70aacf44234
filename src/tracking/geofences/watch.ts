import { sqlite, statement } from "../../kernel/db/connection";
import { COUNTS } from "../gps/table";
import { beginAt } from "./evaluate";
import { endStaysIn, insertEvent } from "./events";
import { boundingBox } from "./geometry";
import { store } from "./presence";
import type { ZoneFix } from "./tracks";
import { ZONE_COLUMNS, type Zone } from "./watched";

/** The moment at which a zone begins to watch. Raw SQL: a row of each device's track is found by its index. */

const zone = statement(() =>
  sqlite.prepare<Zone & { name: string }, [number]>(
    `SELECT ${ZONE_COLUMNS}, g.name FROM geofences g WHERE g.seq = ?`,
  ),
);
const forgetAll = statement(() =>
  sqlite.prepare<unknown, [number]>("DELETE FROM geofence_presence WHERE geofence_seq = ?"),
);

/** The newest positions of all devices between two latitudes. */
const newest = statement(() =>
  sqlite.prepare<ZoneFix & { device_id: string }, [number, number]>(
    `SELECT p.rowid AS row, p.id, p.device_id, p.trip_id, p.timestamp, p.latitude, p.longitude, p.accuracy_m
     FROM devices d CROSS JOIN gps_points p ON p.rowid =
       (SELECT rowid FROM gps_points WHERE device_id = d.id AND ${COUNTS} ORDER BY timestamp DESC, rowid DESC LIMIT 1)
     WHERE p.latitude BETWEEN ? AND ?`,
  ),
);

const DEGREES = 180 / Math.PI;

/**
 * Lets a zone begin to watch anew, in the current transaction, after its row was written: the devices whose newest position
 * lies in it are inside, and nobody is told.
 */
export function watchAnew(seq: number): void {
  const found = zone().get(seq);
  if (!found) return;
  forgetAll().run(seq);
  const [, , , , minZ, maxZ] = boundingBox(found, found.radius_km);
  const latitude = (z: number) => Math.asin(Math.max(-1, Math.min(1, z))) * DEGREES;
  for (const { device_id, ...fix } of newest().all(latitude(minZ) - 0.001, latitude(maxZ) + 0.001)) {
    const { state, shown } = beginAt(found, fix);
    for (const each of shown) insertEvent(device_id, each, found.name, false);
    if (state.isInside) store(device_id, seq, state);
  }
}

/** Lets a zone cease to watch, in the current transaction, while its row is as it was: the devices inside are forgotten. */
export function ceaseToWatch(seq: number): void {
  endStaysIn(seq);
  forgetAll().run(seq);
}
