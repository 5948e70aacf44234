import { sqlite, statement } from "../../kernel/db/connection";
import { HOUR, now } from "../../kernel/time/clock";
import { BoundedMap } from "../../kernel/values/bounded-map";
import { zoneEpoch } from "../geofences/epoch";
import { type Fix, isRejected, type Reading } from "../ingest/fix";
import type { Reporter } from "../trackers/authenticate";

/** The zones that OwnTracks shows and watches, as an answer to a position. */

/** Zones of an answer: Android watches as many regions of an app. The nearest ones, where there are more. */
const MOST = 100;

interface Zone {
  seq: number;
  id: string;
  name: string;
  latitude: number;
  longitude: number;
  radius_km: number;
}

// Raw SQL: Drizzle has no such order. Degrees of longitude shrink towards the poles, as ?3 says.
const nearest = statement(() =>
  sqlite.prepare<Zone, [number, number, number, number]>(
    `SELECT seq, id, name, latitude, longitude, radius_km FROM geofences WHERE is_active = 1
     ORDER BY (latitude - ?1) * (latitude - ?1) + (longitude - ?2) * (longitude - ?2) * ?3, seq LIMIT +?4`,
  ),
);

/** The state of the zones that each tracker was told last. Its answer may have got lost, so that it is told anew in time. */
const told = new BoundedMap<string, { epoch: number; at: number }>(10_000);
const TOLD_AGAIN = HOUR;

/**
 * The messages of an answer: the active zones (`cmd`, `setWaypoints`) where the app is to know them and they have changed
 * since it was told, or an hour has passed; else none.
 */
export function messagesFor(reporter: Reporter, readings: readonly Reading[]): object[] {
  const fix = readings.find((reading): reading is Fix => !isRejected(reading));
  if (!reporter.sendsZones || !fix) return [];
  const [epoch, at] = [zoneEpoch(), now()];
  const last = told.get(reporter.id);
  if (last?.epoch === epoch && Math.abs(at - last.at) < TOLD_AGAIN) return [];
  told.set(reporter.id, { epoch, at });
  const shrink = Math.cos((fix.latitude * Math.PI) / 180) ** 2;
  const zones = nearest().all(fix.latitude, fix.longitude, shrink, MOST);
  if (zones.length === 0) return [];
  return [
    {
      _type: "cmd",
      action: "setWaypoints",
      waypoints: { _type: "waypoints", waypoints: zones.map(toWaypoint) },
    },
  ];
}

/** Unix seconds: the app knows a waypoint by `tst`, so that it must be another for each zone, and always the same. */
const FIRST = 1_500_000_000;

const toWaypoint = ({ seq, id, name, latitude, longitude, radius_km }: Zone) => ({
  _type: "waypoint",
  desc: name,
  lat: latitude,
  lon: longitude,
  rad: Math.max(1, Math.round(radius_km * 1_000)),
  tst: FIRST + seq,
  rid: id,
});
