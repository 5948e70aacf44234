import { afterAll, beforeAll, expect, test } from "bun:test";
import { sqlite } from "../../../src/kernel/db/connection";
import { closeDatabase, transact } from "../../../src/kernel/db/transactions";
import { setClock } from "../../../src/kernel/time/clock";
import { recomputeCrossings, recomputeStep } from "../../../src/tracking/crossings/recompute";
import { deleteGeofence, updateGeofence } from "../../../src/tracking/geofences/service";
import { deletePoint, markPoint } from "../../../src/tracking/gps/service";
import { recordPositions } from "../../../src/tracking/ingest/record";
import { randomFrom } from "../../support/random";
import { newDevice, openTracking, SERVICE } from "../in-process";
import { expectedOf, type ReferenceZone, type TrackFix } from "./reference";
import { below, expectStored, makeZones, movedTracks, type Random, recordedTracks, shuffle } from "./support";

/**
 * The crossings that hold are those of an orderly pass, in whatever order fixes come, cut into whatever requests, repeated and
 * late.
 */

let tracks: TrackFix[][];
let zones: ReferenceZone[];
beforeAll(async () => {
  await openTracking();
  tracks = [...(await recordedTracks()), ...(await movedTracks())];
  setClock(() => 0);
  zones = await makeZones(randomFrom(21), tracks, 200);
});
afterAll(() => {
  setClock();
  closeDatabase();
});

/** A piece of a recorded track, thinned out, with poor accuracy here and there. */
function plan(random: Random): TrackFix[] {
  const track = tracks[below(random, tracks.length)] as TrackFix[];
  const every = 1 + below(random, 40);
  const length = Math.min(30 + below(random, 60), Math.floor(track.length / every) - 1);
  const from = below(random, track.length - length * every);
  return Array.from({ length }, (_, n) => ({
    ...(track[from + n * every] as TrackFix),
    accuracy_m: random() < 0.3 ? 100 * random() : null,
  }));
}

/** Those of a usual run; `CASES=220` and `STORIES=30` go through more. */
const CASES = Number(process.env.CASES ?? 110);

/** The number of zones of each form. */
function formsOf(some: ReferenceZone[]): Record<string, number> {
  const forms = { circle: 0, Polygon: 0, MultiPolygon: 0, LineString: 0 };
  for (const { zone } of some) forms[zone.geometry?.type ?? "circle"]++;
  return forms;
}

test(`${CASES} shuffled deliveries at 200 zones of all kinds end as an orderly pass`, async () => {
  expect(zones.length).toBe(200);
  expect(Math.min(...Object.values(formsOf(zones)))).toBeGreaterThan(10);
  const seen = { enter: 0, exit: 0, passed: 0, dwell: 0, superseded: 0 };
  for (let seed = 1; seed <= CASES; seed++) {
    const random = randomFrom(seed);
    const fixes = plan(random);
    setClock(() => Number(fixes.at(-1)?.time) * 1_000 + 1e9);
    const expected = expectedOf(zones, fixes);

    const orderly = newDevice();
    await recordPositions("batch", orderly, fixes);
    expect(sqlite.query("SELECT 1 FROM geofence_spans").all()).toEqual([]);
    expectStored(orderly, expected, { seed, pass: "orderly" });

    const shuffled = newDevice();
    for (const request of shuffle(fixes, random)) {
      await recordPositions("batch", shuffled, request.fixes);
      if (random() < 0.3) await recomputeCrossings();
    }
    await recomputeCrossings();
    expectStored(shuffled, expected, { seed, pass: "shuffled" });
    for (const { event } of expected.crossings) seen[event]++;
  }
  seen.superseded =
    sqlite
      .query<{ n: number }, []>("SELECT count(*) AS n FROM geofence_events WHERE superseded_at IS NOT NULL")
      .get()?.n ?? 0;
  // Tracks on which nothing happens prove nothing.
  expect(Math.min(...Object.values(seen))).toBeGreaterThan(CASES * 0.45);
});

const STORIES = Number(process.env.STORIES ?? 20);

test(`${STORIES} stories in which zones begin anew and fixes are marked, unmarked and deleted end as they must`, async () => {
  const seen = { crossings: 0, inside: 0, begun: 0 };
  for (const { zone } of zones) await deleteGeofence(SERVICE, zone.id);
  for (let seed = 1; seed <= STORIES; seed++) {
    const random = randomFrom(1_000 + seed);
    const fixes = plan(random);
    const [first, ...others] = fixes as [TrackFix, ...TrackFix[]];
    setClock(() => first.time * 1_000);
    const device = newDevice();
    const own = await makeZones(random, [fixes], 12);
    await recordPositions("batch", device, [first]);
    // Zones that change at times between those of the fixes, and begin to watch anew then.
    const times = new Set(fixes.map(({ time }) => time));
    const last = Number(fixes.at(-1)?.time);
    // No two at a time: the later one would begin a moment after it.
    const turns = [
      ...new Set(Array.from({ length: 8 }, () => first.time + 1 + below(random, last - first.time))),
    ]
      .filter((time) => !times.has(time))
      .map((time) => ({ at: time + 0.5, zone: below(random, own.length) }));
    const happenings = [
      ...turns.map((turn) => ({ at: turn.at, turn })),
      ...shuffle(others, random).map((request) => ({ at: request.at, request })),
    ].toSorted((a, b) => a.at - b.at);
    const begun = new Map<string, number>();
    for (const happening of happenings) {
      setClock(() => Math.round(happening.at * 1_000));
      if ("request" in happening) await recordPositions("batch", device, happening.request.fixes);
      else {
        const { zone } = own[happening.turn.zone] as ReferenceZone;
        const change = { confirm_fixes: 1 + (zone.confirm_fixes % 3) };
        Object.assign(zone, change);
        await updateGeofence(SERVICE, zone.id, change);
        begun.set(zone.id, happening.at);
      }
      if (random() < 0.2) while (await transact(() => recomputeStep(device, 0), "retryable"));
    }
    const check = async (pass: string, track: TrackFix[]) => {
      // Sometimes in steps as small as can be.
      const milliseconds = seed % 3 === 0 ? 0 : 8;
      while (await transact(() => recomputeStep(device, milliseconds), "retryable"));
      const expected = expectedOf(own, track, ({ id }) => begun.get(id) ?? null);
      expectStored(device, expected, { seed, pass });
      seen.crossings += expected.crossings.length;
      seen.inside += expected.inside.length;
    };
    await check("late", fixes);
    seen.begun += begun.size;

    const idAt = ({ time }: TrackFix): string =>
      sqlite
        .query<{ id: string }, [string, number]>(
          "SELECT id FROM gps_points WHERE device_id = ? AND timestamp = ?",
        )
        .get(device, time * 1_000)?.id ?? "";
    const marked = new Set(fixes.filter(() => random() < 0.2));
    for (const fix of marked) await markPoint(SERVICE, idAt(fix), true);
    await check(
      "marked",
      fixes.filter((fix) => !marked.has(fix)),
    );
    for (const fix of marked)
      if (random() < 0.5 && marked.delete(fix)) await markPoint(SERVICE, idAt(fix), false);
    await check(
      "unmarked",
      fixes.filter((fix) => !marked.has(fix)),
    );
    for (const fix of fixes.slice(1)) {
      if (random() > 0.1) continue;
      marked.add(fix);
      await deletePoint(SERVICE, idAt(fix));
    }
    await check(
      "deleted",
      fixes.filter((fix) => !marked.has(fix)),
    );
    for (const { zone } of own) await deleteGeofence(SERVICE, zone.id);
  }
  expect(Math.min(...Object.values(seen))).toBeGreaterThan(100);
});
