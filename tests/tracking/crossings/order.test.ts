import { afterAll, beforeAll, expect, test } from "bun:test";
import { sqlite } from "../../../src/kernel/db/connection";
import { closeDatabase } from "../../../src/kernel/db/transactions";
import { setClock } from "../../../src/kernel/time/clock";
import { recomputeCrossings } from "../../../src/tracking/crossings/recompute";
import { recordPositions } from "../../../src/tracking/ingest/record";
import { randomFrom } from "../../support/random";
import { newDevice, openTracking } from "../in-process";
import { expectedOf, type ReferenceZone, type TrackFix } from "./reference";
import { below, expectStored, makeZones, type Random, recordedTracks } from "./support";

/**
 * The crossings that hold are those of an orderly pass, in whatever order fixes come, cut into whatever requests, repeated and
 * late.
 */

let tracks: TrackFix[][];
let zones: ReferenceZone[];
beforeAll(async () => {
  await openTracking();
  tracks = await recordedTracks();
  setClock(() => 0);
  zones = await makeZones(randomFrom(21), tracks, 200);
}, 30_000);
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

/** Requests that come late by as much as an app's buffer holds, some of them twice. */
function shuffle(fixes: TrackFix[], random: Random): TrackFix[][] {
  const delay = 10 ** (random() * 5);
  const arrivals = fixes
    .map((fix) => ({ fix, at: fix.time + random() * delay }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ fix }) => fix);
  const requests: TrackFix[][] = [];
  while (arrivals.length > 0) {
    const some = arrivals.splice(0, 1 + below(random, 12)).toSorted(() => random() - 0.5);
    requests.push(some);
    if (random() < 0.3) requests.push(some.slice(below(random, some.length)));
  }
  return requests;
}

const CASES = 220;

test(`${CASES} shuffled deliveries at 200 zones end as an orderly pass`, async () => {
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
      await recordPositions("batch", shuffled, request);
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
  expect(Math.min(...Object.values(seen))).toBeGreaterThan(100);
}, 120_000);
