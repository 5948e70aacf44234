import { readTrack, toGpsBody, underWay } from "../../src/demo/track";
import { sqlite } from "../../src/kernel/db/connection";
import { transact } from "../../src/kernel/db/transactions";
import { DAY, SECOND } from "../../src/kernel/time/clock";
import { END_OF_TIME, widenSpan } from "../../src/tracking/timeline/spans";
import type { Place } from "./prepare";
import { startFairlead } from "./processes";
import { progress } from "./progress";

/** The timeline of a year: the time that it takes to compute, meanwhile to read, and then to ask for its figures. */

const YEAR = 365 * DAY;
const BEGIN = Date.UTC(2025, 0, 1);
const PER_COMMIT = 50_000;
const TIMES = 20;

/** Stores positions of a device, evenly over a year, as those of an older version: without a timeline. */
export async function growYear(deviceId: string, points: number): Promise<void> {
  const fixes = underWay(await readTrack()).map((fix) => toGpsBody(fix, 0));
  const insert = sqlite.prepare<unknown, (string | number | null)[]>(
    `INSERT INTO gps_points (id, device_id, timestamp, created_at, latitude, longitude, speed_kmh) VALUES (?1, ?2, ?3, ?3, ?4, ?5, ?6)`,
  );
  for (let from = 0; from < points; from += PER_COMMIT) {
    progress(`preparing ${points.toLocaleString("en")} points: ${Math.floor((100 * from) / points)} %`);
    await transact(() => {
      for (let at = from; at < Math.min(points, from + PER_COMMIT); at++) {
        const time = BEGIN + Math.floor(((at / points) * YEAR) / SECOND) * SECOND;
        const { latitude, longitude, speed_kmh = null } = fixes[at % fixes.length] as (typeof fixes)[number];
        insert.run(Bun.randomUUIDv7("hex", time), deviceId, time, latitude, longitude, speed_kmh);
      }
    });
  }
  await transact(() => widenSpan(deviceId, BEGIN, END_OF_TIME));
}

export interface TimelineFigures {
  points: number;
  /** Positions a second by the job, and the longest wait of a read beside it (milliseconds). */
  computedPerSecond: number;
  longestWait: number;
  /** Medians, in milliseconds. */
  answers: { name: string; milliseconds: number }[];
}

export async function measureTimeline(place: Place, points: number): Promise<TimelineFigures> {
  const { port, fixture } = await startFairlead(place);
  const device = `http://127.0.0.1:${port}/v1/devices/${fixture.deviceId}`;
  const headers = { authorization: `Bearer ${fixture.key}` };
  const ask = async (url: string) => {
    const began = performance.now();
    const answer = await fetch(url, { headers });
    const body = (await answer.json()) as { recomputing_from: string | null };
    if (!answer.ok) throw new Error(`${url} answered ${answer.status}`);
    return { body, milliseconds: performance.now() - began };
  };
  const span = "from=2025-01-01&to=2025-12-31";
  const began = performance.now();
  let longestWait = 0;
  for (let isDone = false; !isDone; ) {
    const { body, milliseconds } = await ask(`${device}/timeline?from=2025-06-01&to=2025-06-02`);
    longestWait = Math.max(longestWait, milliseconds);
    isDone = body.recomputing_from === null;
    progress(`computing: up to ${((performance.now() - began) / 1_000).toFixed()} s`);
    await Bun.sleep(100);
    if (!isDone) isDone = (await ask(`${device}/timeline?${span}&limit=1`)).body.recomputing_from === null;
  }
  const seconds = (performance.now() - began) / 1_000;
  const answers = [];
  for (const [name, url] of [
    ["statistics of a year by day", `${device}/statistics?${span}&timezone=Europe/Berlin`],
    ["statistics of a year by month", `${device}/statistics?${span}&by=month`],
    ["statistics of a day", `${device}/statistics?from=2025-06-01&to=2025-06-01`],
    ["the first page of a year's timeline", `${device}/timeline?${span}`],
  ] as const) {
    const times: number[] = [];
    for (let n = 0; n < TIMES; n++) times.push((await ask(url)).milliseconds);
    times.sort((a, b) => a - b);
    answers.push({ name, milliseconds: times[TIMES / 2] as number });
  }
  return { points, computedPerSecond: points / seconds, longestWait, answers };
}

export function describeTimeline({
  points,
  computedPerSecond,
  longestWait,
  answers,
}: TimelineFigures): string {
  const lines = [
    `The timeline of a year with ${points.toLocaleString("en")} positions of one device`,
    `computed from stored positions: ${Math.round(computedPerSecond).toLocaleString("en")}/s, a read beside it waits ${longestWait.toFixed(1)} ms at most`,
    ...answers.map(({ name, milliseconds }) => `${name}: ${milliseconds.toFixed(1)} ms`),
  ];
  return `${lines.join("\n")}\n`;
}
