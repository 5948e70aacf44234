import { afterAll, beforeAll, expect, test } from "bun:test";
import { readTrack } from "../../../src/demo/track";
import { sqlite } from "../../../src/kernel/db/connection";
import { closeDatabase } from "../../../src/kernel/db/transactions";
import { setClock } from "../../../src/kernel/time/clock";
import { currentPosition } from "../../../src/tracking/gps/service";
import { completedDistanceKm } from "../../../src/tracking/ingest/distance";
import type { Fix } from "../../../src/tracking/ingest/fix";
import { recordPositions } from "../../../src/tracking/ingest/record";
import { createTrip } from "../../../src/tracking/trips/service";
import { storedCounter } from "../../support/in-process";
import { randomFrom } from "../../support/random";
import { move, newDevice, openTracking, SERVICE } from "../in-process";
import { greatCircleKm } from "../support";

/**
 * The order in which fixes come, cut into requests and repeated as apps do, changes nothing of the end: it is the same as if
 * each had come at its time.
 */

let track: Fix[];
beforeAll(async () => {
  await openTracking();
  track = (await readTrack()).map(({ speed, ...fix }) => ({ ...fix, speed_mps: speed }));
});
afterAll(() => {
  setClock();
  closeDatabase();
});

type Random = () => number;
const below = (random: Random, bound: number): number => Math.floor(random() * bound);

/** Something that happens at a time of the server's clock, in seconds. */
interface Happening {
  at: number;
  act: () => Promise<unknown>;
}

/** One voyage: fixes, and what happens to the trips of its device meanwhile. */
interface Story {
  fixes: Fix[];
  /** Times in seconds at which the first trip begins, pauses, goes on and ends, and a second one begins. */
  turns: number[];
  maxSpeedKmh: number | null;
}

function plan(random: Random): Story {
  const length = 30 + below(random, 50);
  const from = below(random, track.length - 20 * length);
  const fixes = Array.from({ length }, (_, n) => ({ ...(track[from + n * (1 + below(random, 19))] as Fix) }))
    .toSorted((a, b) => Number(a.time) - Number(b.time))
    .filter((fix, at, all) => fix.time !== all[at - 1]?.time);
  const maxSpeedKmh = random() < 0.5 ? null : 120;
  // Wrong fixes, as between high walls: single ones, and two or three in a row.
  for (const fix of fixes) if (random() < 0.12) fix.latitude += (random() - 0.5) * 2;
  const first = Number(fixes[0]?.time);
  const span = Number(fixes.at(-1)?.time) - first;
  const turns = Array.from({ length: 5 }, () => first + below(random, span)).toSorted((a, b) => a - b);
  return { fixes, turns, maxSpeedKmh };
}

/** Lives through a story with its fixes in these requests, and tells the end. */
async function live({ fixes, turns, maxSpeedKmh }: Story, requests: { at: number; fixes: Fix[] }[]) {
  const start = Number(fixes[0]?.time) - 10;
  setClock(() => start * 1_000);
  const completedBefore = completedDistanceKm();
  const device = newDevice();
  sqlite.run("UPDATE devices SET max_speed_kmh = ? WHERE id = ?", [maxSpeedKmh, device]);
  const made = { name: "trip", device_id: device, gps_logging_enabled: true };
  const [one, two] = [(await createTrip(SERVICE, made)).id, (await createTrip(SERVICE, made)).id];
  const steps = [
    () => move(one, "active"),
    () => move(one, "paused"),
    () => move(one, "active"),
    () => move(one, "completed"),
    () => move(two, "active"),
  ];
  const happenings: Happening[] = [
    ...steps.map((act, n) => ({ at: turns[n] as number, act })),
    ...requests.map(({ at, fixes }) => ({ at, act: () => recordPositions("batch", device, fixes) })),
  ].toSorted((a, b) => a.at - b.at);
  for (const { at, act } of happenings) {
    setClock(() => Math.round(at * 1_000));
    await act();
  }
  const rows = sqlite
    .query<{ trip_id: string | null; judgement: string | null; timestamp: number }, [string]>(
      `SELECT trip_id, latitude, longitude, heading, timestamp, speed_mps, speed_knots, judgement FROM gps_points
       WHERE device_id = ? ORDER BY timestamp`,
    )
    .all(device)
    .map((row) => ({
      ...row,
      trip_id: row.trip_id === one ? "one" : row.trip_id === two ? "two" : row.trip_id,
    }));
  const { timestamp, latitude } = currentPosition(device);
  return {
    rows,
    current: { timestamp, latitude },
    counted: [device, one, two].map((id) => [
      storedCounter(`device_points ${id}`),
      storedCounter(`trip_points ${id}`),
      storedCounter(`trip_mm ${id}`),
    ]),
    completed: Math.round((completedDistanceKm() - completedBefore) * 1e6),
  };
}

/** Each fix comes late by as much as an app's buffer holds, in requests of any size, some of them twice. */
function shuffle({ fixes }: Story, random: Random): { at: number; fixes: Fix[] }[] {
  const delay = 10 ** (random() * 4);
  const arrivals = fixes
    .map((fix) => ({ fix, at: Number(fix.time) + random() * delay }))
    .toSorted((a, b) => a.at - b.at);
  const requests: { at: number; fixes: Fix[] }[] = [];
  while (arrivals.length > 0) {
    const some = arrivals.splice(0, 1 + below(random, 12));
    const at = some.at(-1)?.at as number;
    const sent = some.map(({ fix }) => fix).toSorted(() => random() - 0.5);
    requests.push({ at, fixes: sent });
    // Sent again, whole or in part, since the answer was lost.
    if (random() < 0.4)
      requests.push({ at: at + random() * delay, fixes: sent.slice(below(random, sent.length)) });
  }
  return requests;
}

const inTime = ({ fixes }: Story) => fixes.map((fix) => ({ at: Number(fix.time), fixes: [fix] }));

/** The judgement of each fix by the definition, from all fixes at once. */
function judgedFromScratch({ fixes, maxSpeedKmh }: Story): (string | null)[] {
  const fast = (a?: Fix, b?: Fix) =>
    a !== undefined &&
    b !== undefined &&
    maxSpeedKmh !== null &&
    (greatCircleKm(a, b) / (Number(b.time) - Number(a.time))) * 3_600 > maxSpeedKmh;
  return fixes.map((fix, at) => {
    if (!fast(fixes[at - 1], fix)) return null;
    if (at === fixes.length - 1) return "held";
    return fast(fix, fixes[at + 1]) ? "speed" : null;
  });
}

/** Those of a usual run; `STORIES=250` goes through more. */
const STORIES = Number(process.env.STORIES ?? 125);

test(`${STORIES} voyages end the same, however their fixes came`, async () => {
  const seen = { marked: 0, joined: 0, loose: 0 };
  for (let seed = 1; seed <= STORIES; seed++) {
    const random = randomFrom(seed);
    const story = plan(random);
    const orderly = await live(story, inTime(story));
    const shuffled = await live(story, shuffle(story, random));
    expect({ seed, ...shuffled }).toEqual({ seed, ...orderly });
    expect(orderly.rows.length).toBe(story.fixes.length);
    expect(orderly.rows.map(({ judgement }) => judgement)).toEqual(judgedFromScratch(story));
    for (const row of orderly.rows) {
      seen.marked += Number(row.judgement !== null);
      seen[row.trip_id === null ? "loose" : "joined"]++;
    }
  }
  // Stories in which nothing happens prove nothing.
  expect(Math.min(seen.marked, seen.joined, seen.loose)).toBeGreaterThan(STORIES * 2);
});
