import { expect } from "bun:test";
import { join } from "node:path";
import { readTrack } from "../../../src/demo/track";
import { sqlite } from "../../../src/kernel/db/connection";
import type { NewGeofence } from "../../../src/tracking/geofences/schema";
import { createGeofence } from "../../../src/tracking/geofences/service";
import { SERVICE } from "../in-process";
import type { Place } from "../support";
import { greatCircleKm } from "../support";
import {
  away,
  bearing,
  type Expected,
  type RecordedZone,
  type ReferenceZone,
  referenceZone,
  type TrackFix,
} from "./reference";

export type Random = () => number;
export const below = (random: Random, bound: number): number => Math.floor(random() * bound);
const pick = <T>(random: Random, ...values: T[]): T => values[below(random, values.length)] as T;

const RECORDINGS = join(import.meta.dir, "../../stand-ins/tracks");

async function readRecording(name: string): Promise<TrackFix[]> {
  const csv = new TextDecoder().decode(Bun.gunzipSync(await Bun.file(join(RECORDINGS, name)).bytes()));
  const rows = csv.trim().split("\n").slice(1);
  return rows.map((row) => {
    const [time, latitude, longitude] = row.split(",").map(Number) as [number, number, number];
    return { time, latitude, longitude };
  });
}

/** A voyage along a coast, a training on a river, and ten minutes on the open sea, by three receivers. */
export async function recordedTracks(): Promise<[TrackFix[], TrackFix[], TrackFix[]]> {
  const coast = (await readTrack()).map(({ latitude, longitude, time }) => ({ latitude, longitude, time }));
  const [river, sea] = await Promise.all(
    ["charles-river-2015-10-17.csv.gz", "naissaar-2014-08-15.csv.gz"].map(readRecording),
  );
  return [coast, river as TrackFix[], sea as TrackFix[]];
}

/** Two pieces of a recorded track, turned and moved to the 180th meridian and to the far north. */
export async function movedTracks(): Promise<TrackFix[][]> {
  const [coast] = await recordedTracks();
  const third = Math.floor(coast.length / 3);
  const places: [Place, number][] = [
    [{ latitude: -17.5, longitude: 179.97 }, 2],
    [{ latitude: 78.2, longitude: 15 }, 4],
  ];
  return places.map(([to, turn], n) => {
    const piece = coast.slice((n + 1) * third, (n + 2) * third);
    const middle = piece[Math.floor(piece.length / 2)] as Place;
    return piece.map((fix) => ({
      ...away(to, greatCircleKm(middle, fix), bearing(middle, fix) + turn),
      time: fix.time,
    }));
  });
}

export interface Request {
  /** Unix seconds. */
  at: number;
  fixes: TrackFix[];
}

/** Requests that come late by as much as an app's buffer holds, some of them twice. */
export function shuffle(fixes: TrackFix[], random: Random): Request[] {
  const delay = 10 ** (random() * 5);
  const arrivals = fixes
    .map((fix) => ({ fix, at: fix.time + random() * delay }))
    .toSorted((a, b) => a.at - b.at);
  const requests: Request[] = [];
  while (arrivals.length > 0) {
    const some = arrivals.splice(0, 1 + below(random, 12));
    const at = some.at(-1)?.at as number;
    const sent = some.map(({ fix }) => fix).toSorted(() => random() - 0.5);
    requests.push({ at, fixes: sent });
    if (random() < 0.3) requests.push({ at, fixes: sent.slice(below(random, sent.length)) });
  }
  return requests;
}

const coordinate = ({ latitude, longitude }: Place): [number, number] => [longitude, latitude];

/** A zone of any kind with any rules, near a place. */
export function anyZone(random: Random, near: Place, km: number): NewGeofence {
  const centre = away(near, km * random() * 0.7, 7 * random());
  const rules =
    random() < 0.4
      ? {}
      : {
          confirm_fixes: pick(random, 1, 1, 2, 3, 4),
          enter_after_s: pick(random, 0, 0, 20, 120),
          exit_after_s: pick(random, 0, 0, 30, 300),
          exit_margin_m: pick(random, null, 0, 60),
          max_accuracy_m: pick(random, null, 25, 60),
          dwell_seconds: pick(random, null, 60, 900),
        };
  const kind = pick(random, "circle", "polygon", "corridor");
  const name = `zone ${random()}`;
  if (kind === "circle") return { name, ...rules, ...centre, radius_km: km * (0.2 + random()) };
  if (kind === "corridor") {
    const line = [centre];
    for (let n = 0; n < 1 + below(random, 5); n++)
      line.push(away(line.at(-1) as Place, km * (0.3 + random()), 7 * random()));
    const geometry = { type: "LineString", coordinates: line.map(coordinate) };
    return { name, ...rules, kind, geometry, width_m: Math.max(1, km * 400 * random()) };
  }
  const corners = 3 + below(random, 15);
  const star = (size: number, middle = centre) => {
    const ring = Array.from({ length: corners }, (_, n) =>
      coordinate(away(middle, size * (0.4 + 0.6 * random()), (2 * Math.PI * (n + 0.7 * random())) / corners)),
    );
    return [...ring, ring[0]];
  };
  const rings = corners > 7 && random() < 0.4 ? [star(km), star(km * 0.3)] : [star(km)];
  if (random() < 0.7) return { name, ...rules, kind, geometry: { type: "Polygon", coordinates: rings } };
  const other = star(km * random(), away(centre, km * (1 + random()), 7 * random()));
  return { name, ...rules, kind, geometry: { type: "MultiPolygon", coordinates: [rings, [other]] } };
}

/** Makes zones along tracks, and their references. */
export async function makeZones(
  random: Random,
  tracks: TrackFix[][],
  number: number,
  create: (zone: NewGeofence) => Promise<unknown> = (zone) => createGeofence(SERVICE, zone).catch(() => null),
): Promise<ReferenceZone[]> {
  const made: ReferenceZone[] = [];
  while (made.length < number) {
    const track = tracks[below(random, tracks.length)] as TrackFix[];
    const near = track[below(random, track.length)] as Place;
    const zone = await create(anyZone(random, near, 10 ** (random() * 1.6 - 1.3)));
    // A hole may stick out of its ring.
    if (zone) made.push(referenceZone(zone as RecordedZone));
  }
  return made;
}

/** A crossing as it is stored. */
export interface Row {
  zone: string;
  event: string;
  /** Epoch milliseconds. */
  at: number;
  /** The time of the fix that it names, Unix seconds. */
  fix: number;
  latitude: number;
  longitude: number;
}

/** Compares crossings with those that must be. */
export function expectCrossings(rows: readonly Row[], expected: Expected, context: object): void {
  const short = ({ zone, event, at, fix, latitude, longitude }: Row) =>
    // The two nearest points of a way differ by rounding.
    `${zone} ${event} ${fix} ${Math.round(at / 100)} ${latitude.toFixed(4)} ${longitude.toFixed(4)}`;
  const wanted = expected.crossings.map(({ place, ...rest }) => ({ ...rest, ...place }));
  const close = (a: Row, b: Row) =>
    a.zone === b.zone &&
    a.event === b.event &&
    a.fix === b.fix &&
    Math.abs(a.at - b.at) <= (a.event === "passed" ? 50 : 0) &&
    greatCircleKm(a, b) < 0.001;
  const left = [...rows];
  const missing = wanted.filter((each) => {
    const at = left.findIndex((row) => close(row, each));
    if (at !== -1) left.splice(at, 1);
    return at === -1;
  });
  expect({ ...context, missing: missing.map(short), left: left.map(short) }).toEqual({
    ...context,
    missing: [],
    left: [],
  });
}

/** The zones that a device must be inside of at the end, and since when. */
export const insideOf = (expected: Expected): string[] =>
  expected.inside.map(([zone, since]) => `${zone} ${since}`).sort();

/**
 * Compares the crossings of a device that hold, since their zones last began to watch,
 * and where it is now, with what must be.
 */
export function expectStored(device: string, expected: Expected, context: object): void {
  const rows = sqlite
    .query<Row, [string]>(
      `SELECT e.geofence_id AS zone, e.event, e.occurred_at AS at, p.timestamp / 1000 AS fix, e.latitude, e.longitude
       FROM geofence_events e JOIN geofences g ON g.id = e.geofence_id AND g.watch_from = e.watch_from AND g.is_active = 1
       LEFT JOIN gps_points p ON p.id = e.gps_point_id
       WHERE e.device_id = ? AND e.superseded_at IS NULL AND e.event NOT IN ('begin', 'end')`,
    )
    .all(device);
  expectCrossings(rows, expected, context);
  const inside = sqlite
    .query<{ zone: string; since: number }, [string]>(
      `SELECT g.id AS zone, p.since FROM geofence_presence p JOIN geofences g ON g.seq = p.geofence_seq
       WHERE p.device_id = ? AND p.is_inside = 1`,
    )
    .all(device)
    .map(({ zone, since }) => `${zone} ${since}`)
    .sort();
  expect({ ...context, inside }).toEqual({
    ...context,
    inside: insideOf(expected),
  });
}
