import { readFileSync } from "node:fs";
import { mintToken } from "../../src/kernel/crypto/crypto";
import { newId } from "../../src/kernel/crypto/id";
import { db } from "../../src/kernel/db/connection";
import { transact } from "../../src/kernel/db/transactions";
import { madeNow } from "../../src/kernel/time/clock";
import { type Chunk, joinBody, NO_HASH, type Section, writeRows } from "../../src/sync/batch/batch";
import { LANES, type Lane } from "../../src/sync/batch/lanes";
import type { SentPosition } from "../../src/sync/batch/positions";
import { atOnce } from "../../src/sync/batch/steps";
import { boxes } from "../../src/sync/boxes/table";
import { randomFrom } from "../support/random";
import type { Place } from "./prepare";
import { processorSeconds, type Server, startFairlead } from "./processes";
import { progress } from "./progress";

/** Many boxes that push to one shore: what a push and a row cost it, and how long a push waits. */

/** Seconds between two fixes of a box's device, and between two of its pushes, by its clock. */
const FIX_SECONDS = 10;
const PUSH_SECONDS = 30;
/** Minutes of the boxes' clocks, which run so many times as fast as the real one. */
const MINUTES = 10;
const COMPRESSED = 10;
/** Boxes that push without a pause at the end, to find out what the shore takes at most, and seconds of it. */
const AT_ONCE = 32;
const SECONDS_AT_MOST = 15;
/** The share of a processor that a shore should use at most in the mean. */
const SHARE = 0.7;

export interface FleetFigures {
  boxes: number;
  pushes: number;
  rows: number;
  seconds: number;
  /** Processor time of the shore in microseconds; null where the system doesn't say. */
  perPush: number | null;
  perRow: number | null;
  /** The share of one processor that it used. */
  used: number | null;
  /** Milliseconds from the time at which a push was due to its answer. */
  wait: { median: number; p99: number; longest: number };
  /** Resident memory of the shore in MB. */
  memory: { before: number; after: number };
  bytesPerPush: number;
  refused: number;
  /** As fast as the shore takes them, one push of three rows after another. */
  most: { pushesPerSecond: number; rowsPerSecond: number };
  /** Pushes as large as they may be. */
  backlog: { rowsPerSecond: number; perRow: number | null };
}

/** Adds boxes to a prepared database; returns their tokens. */
export async function addBoxes(count: number): Promise<string[]> {
  const made = Array.from({ length: count }, (_, at) => ({ ...mintToken("flb_"), at }));
  await transact(() => {
    for (const { hash, token, at } of made)
      db.insert(boxes)
        .values({
          id: newId(),
          name: `Box ${at}`,
          token_hash: hash,
          token_prefix: token.slice(0, 12),
          ...madeNow(),
        })
        .run();
  });
  return made.map(({ token }) => token);
}

const random = randomFrom(3);
const hex = (digits: number) =>
  Array.from({ length: digits }, () => Math.floor(random() * 16).toString(16)).join("");

function uuid(time: number): string {
  const stamp = time.toString(16).padStart(12, "0");
  return `${stamp.slice(0, 8)}-${stamp.slice(8)}-7${hex(3)}-8${hex(3)}-${hex(12)}`;
}

/** A box of the bench: one device that sails. */
export class Box {
  readonly #url: string;
  readonly #headers: Record<string, string>;
  readonly #epoch = hex(16);
  readonly #device = uuid(Date.now());
  #sequence = 0;
  #number = 0;
  #hash = NO_HASH;
  #begins = true;
  #latitude = 54 + random();
  #longitude = 13 + random();
  refused = 0;
  bytes = 0;

  constructor({ port }: Server, token: string) {
    this.#url = `http://127.0.0.1:${port}/v1/sync/push`;
    this.#headers = { authorization: `Bearer ${token}`, "content-type": "application/octet-stream" };
  }

  /** Tells of its device. */
  async begin(): Promise<void> {
    const row = {
      ...{ name: "Boat", is_active: true, stop_radius_m: 50, stop_minutes: 5, gap_minutes: 10 },
      ...{ created_at: Date.now(), updated_at: Date.now() },
    };
    const records = [{ number: null, kind: "device" as const, id: this.#device, row }];
    await this.#push("backlog", [{ records, positions: [], skipped: [], upTo: 1, hash: hex(12) }]);
  }

  /** Tells of fixes, the last one at a time (epoch milliseconds). */
  async tell(fixes: number, until: number): Promise<void> {
    const chunks: Chunk[] = [];
    for (let left = fixes; left > 0; left -= 2_000) {
      const count = Math.min(left, 2_000);
      const first = this.#number + (fixes - left) + 1;
      const positions = Array.from({ length: count }, (_, at) =>
        this.#position(first + at, until - (left - 1 - at) * FIX_SECONDS * 1_000),
      );
      chunks.push({ records: [], positions, skipped: [], upTo: first + count - 1, hash: hex(12) });
    }
    await this.#push("backlog", chunks);
  }

  #position(number: number, time: number): SentPosition {
    this.#latitude += (random() - 0.4) / 2_000;
    this.#longitude += (random() - 0.4) / 2_000;
    const timestamp = Math.floor(time / 1_000) * 1_000;
    return {
      ...{ number, id: uuid(time), device_id: this.#device, trip_id: null, timestamp, created_at: time },
      ...{ latitude: round(this.#latitude, 7), longitude: round(this.#longitude, 7) },
      ...{ speed_mps: round(2 + random(), 2), speed_kmh: null, speed_knots: null, speed_mph: null },
      ...{
        source: "gpsd",
        judgement: null,
        altitude: round(3 + random(), 1),
        heading: round(random() * 360, 1),
      },
      ...{ pdop: null, hdop: 0.9, vdop: null, accuracy_m: null, battery_percent: null },
    };
  }

  async #push(lane: Lane, chunks: Chunk[]): Promise<void> {
    const [from, hash, begins] = [this.#number, this.#hash, this.#begins];
    const others = begins ? LANES.filter((other) => other !== lane) : [];
    const sections: Section[] = [
      ...others.slice(0, 5).map((other) => ({ lane: other, begins, from: 0, hash: NO_HASH, chunks: [] })),
      { lane, begins, from, hash, chunks },
    ];
    const batch = {
      ...{
        epoch: this.#epoch,
        parent: null,
        sequence: ++this.#sequence,
        clock: Date.now(),
        version: "bench",
      },
      ...{ backlog: { rows: 0, bytes: 0, ageSeconds: 0 }, sections, remarks: {} },
    };
    const { plain, random: bits } = atOnce(writeRows(batch));
    const { body } = joinBody(batch, Bun.zstdCompressSync(plain), plain.length, bits);
    this.bytes += body.length;
    const answer = await fetch(this.#url, {
      method: "POST",
      headers: this.#headers,
      body: Uint8Array.from(body),
    });
    if (!answer.ok) throw new Error(`a push was answered ${answer.status}: ${await answer.text()}`);
    const { acknowledged, refused } = (await answer.json()) as {
      acknowledged: Record<string, number>;
      refused: number;
    };
    const last = chunks.at(-1) as Chunk;
    if (acknowledged[lane] !== last.upTo) throw new Error("a push was not stored whole");
    this.refused += refused;
    this.#number = last.upTo;
    this.#hash = last.hash;
    this.#begins = false;
  }
}

const round = (value: number, places: number): number => Math.round(value * 10 ** places) / 10 ** places;

function residentMegabytes(pid: number): number {
  const pages = Number(readFileSync(`/proc/${pid}/statm`, "utf8").split(" ")[1]);
  return (pages * 4_096) / 1_048_576;
}

/** Lets so many boxes push. */
export async function measureFleet(place: Place, tokens: readonly string[]): Promise<FleetFigures> {
  Bun.spawnSync(["sync"]);
  const server = await startFairlead(place);
  const fleet = tokens.map((token) => new Box(server, token));
  for (const box of fleet) await box.begin();
  const before = residentMegabytes(server.pid);
  const sum = (of: (box: Box) => number) => fleet.reduce((total, box) => total + of(box), 0);
  const bytesBefore = sum(({ bytes }) => bytes);
  const rowsOfPush = PUSH_SECONDS / FIX_SECONDS;
  const interval = (PUSH_SECONDS / COMPRESSED) * 1_000;
  const rounds = (MINUTES * 60) / PUSH_SECONDS;
  const waits: number[] = [];
  const usedBefore = processorSeconds(server.pid);
  const since = performance.now();
  const clock = Date.now() - MINUTES * 60_000;
  await Promise.all(
    fleet.map(async (box, at) => {
      // They don't all call at the same moment.
      const first = since + (interval * at) / fleet.length;
      for (let turn = 0; turn < rounds; turn++) {
        const due = first + turn * interval;
        await Bun.sleep(Math.max(0, due - performance.now()));
        await box.tell(rowsOfPush, clock + (performance.now() - since) * COMPRESSED);
        waits.push(performance.now() - due);
        if (at === 0) progress(`minute ${Math.round(((turn + 1) * PUSH_SECONDS) / 60)} of ${MINUTES}`);
      }
    }),
  );
  const seconds = (performance.now() - since) / 1_000;
  const processor = difference(processorSeconds(server.pid), usedBefore);
  const pushes = fleet.length * rounds;
  const rows = pushes * rowsOfPush;
  const after = residentMegabytes(server.pid);
  const bytesPerPush = (sum(({ bytes }) => bytes) - bytesBefore) / pushes;
  waits.sort((a, b) => a - b);
  const at = (part: number) => waits[Math.min(waits.length - 1, Math.floor(part * waits.length))] ?? 0;
  return {
    ...{ boxes: fleet.length, pushes, rows, seconds, bytesPerPush },
    perPush: processor === null ? null : (processor / pushes) * 1e6,
    perRow: processor === null ? null : (processor / rows) * 1e6,
    used: processor === null ? null : processor / seconds,
    wait: { median: at(0.5), p99: at(0.99), longest: at(1) },
    memory: { before, after },
    most: await measureMost(fleet),
    backlog: await measureBacklog(server, fleet),
    refused: sum(({ refused }) => refused),
  };
}

const difference = (after: number | null, before: number | null): number | null =>
  after === null || before === null ? null : after - before;

async function measureMost(fleet: readonly Box[]): Promise<FleetFigures["most"]> {
  progress("as fast as the shore takes it");
  const rowsOfPush = PUSH_SECONDS / FIX_SECONDS;
  const since = performance.now();
  const end = since + SECONDS_AT_MOST * 1_000;
  let pushes = 0;
  await Promise.all(
    fleet.slice(0, AT_ONCE).map(async (box) => {
      for (let turn = 1; performance.now() < end; turn++) {
        await box.tell(rowsOfPush, Date.now() + turn * PUSH_SECONDS * 1_000);
        pushes++;
      }
    }),
  );
  const seconds = (performance.now() - since) / 1_000;
  return { pushesPerSecond: pushes / seconds, rowsPerSecond: (pushes * rowsOfPush) / seconds };
}

/** A backlog of a day from each of some boxes at once. */
async function measureBacklog({ pid }: Server, fleet: readonly Box[]): Promise<FleetFigures["backlog"]> {
  progress("backlogs");
  const some = fleet.slice(AT_ONCE, AT_ONCE + 8);
  const rows = 8_640;
  const before = processorSeconds(pid);
  const since = performance.now();
  await Promise.all(some.map((box) => box.tell(rows, Date.now() + 2 * 86_400_000)));
  const seconds = (performance.now() - since) / 1_000;
  const processor = difference(processorSeconds(pid), before);
  const all = rows * some.length;
  return { rowsPerSecond: all / seconds, perRow: processor === null ? null : (processor / all) * 1e6 };
}

const whole = (value: number): string => Math.round(value).toLocaleString("en");

export function describeFleet({ machine, ...figures }: FleetFigures & { machine: string }): string {
  const { boxes: count, pushes, rows, seconds, perPush, perRow, used, wait, memory, most, backlog } = figures;
  const lines = [
    `${whole(count)} boxes that push to one shore (${machine})`,
    `a device each with a fix in ${FIX_SECONDS} s, a push in ${PUSH_SECONDS} s; ${MINUTES} minutes of their clocks in ${whole(seconds)} s`,
    "",
    `${whole(pushes)} pushes, ${whole(rows)} rows: ${whole(rows / seconds)} rows/s, ${whole(figures.bytesPerPush)} bytes a push, ${figures.refused} refused`,
    `wait of a push: ${whole(wait.median)} ms as a rule, ${whole(wait.p99)} ms for 99 %, ${whole(wait.longest)} ms at most`,
    `resident memory: ${whole(memory.before)} MB before, ${whole(memory.after)} MB after`,
    `as fast as it takes them: ${whole(most.pushesPerSecond)} pushes/s, ${whole(most.rowsPerSecond)} rows/s`,
    `backlogs of a day, eight at once: ${whole(backlog.rowsPerSecond)} rows/s${backlog.perRow === null ? "" : `, ${whole(backlog.perRow)} µs of a processor a row`}`,
  ];
  if (perPush !== null && perRow !== null && used !== null)
    lines.push(
      `processor: ${whole(perPush)} µs a push, ${whole(perRow)} µs a row, ${whole(used * 100)} % of one`,
      "",
      `the largest fleet: ${PUSH_SECONDS} s x ${SHARE} of a processor / ${whole(perPush)} µs a push = ${whole((PUSH_SECONDS * SHARE) / (perPush / 1e6))} boxes with a device each`,
    );
  return `${lines.join("\n")}\n`;
}
