import { VERSION } from "../../configuration/version";
import { transact } from "../../kernel/db/transactions";
import { now, SECOND } from "../../kernel/time/clock";
import {
  type Batch,
  type Chunk,
  joinBody,
  MOST_BYTES,
  MOST_PLAIN,
  type Remarks,
  type Section,
  writeRows,
} from "../batch/batch";
import { LANES, type Lane } from "../batch/lanes";
import { inSteps } from "../batch/steps";
import { build } from "./build";
import { type Answer, type LaneStates, type Milestone, settle } from "./cursors";
import {
  changesOf,
  countOf,
  countPositions,
  laneHash,
  newestNumber,
  oldestKept,
  type RecordLane,
  timeAfter,
} from "./feed";
import { type Built, Filling, type Mode, type Sizes } from "./filling";
import type { Waiting } from "./machine";
import { Memory } from "./memory";
import { forkEpoch, keepLanes, noteTraffic, openState, release, type State, wholeEpoch } from "./state";
import type { Walk } from "./table";
import { lengthOfWalks, oldestLeft } from "./walks";

/** The transfer aboard: requests are made of the feed, and answers move its lanes. It knows neither the network nor the time of day. */

/** A request that is ready to be sent. */
export interface Prepared {
  body: Uint8Array;
  /** Bytes of its header. */
  header: number;
  /** True if it tells something. */
  hasRows: boolean;
  /** True if it tells an alert. */
  hasAlert: boolean;
  sections: readonly Section[];
  built: Built;
}

/** All that waits of a lane. */
export interface LaneBacklog {
  lane: Lane;
  rows: number;
  bytes: number;
  /** Of the oldest row; 0 where none waits. */
  ageSeconds: number;
}

/** The result of an answer. */
export type Result =
  | "went on"
  /** No lane has moved. */
  | "stood still"
  /** The shore was restored: it holds less than before. */
  | "went back"
  /** Another life of these numbers was known ashore, or nothing of what was told: another epoch has begun. */
  | "forked"
  | "begun anew";

const RECORD_LANES: readonly RecordLane[] = ["alerts", "trips", "zones"];
/** A step for each start, so that requests of an epoch are numbered without a write for each. */
const REQUESTS_A_START = 2 ** 24;
/** A sequence of requests that no box reaches by itself. */
const MOST_SEQUENCE = 2 ** 52;
/** Sections for which a header has room, and with the name of a parent. */
const MOST_SECTIONS = { alone: 6, withParent: 5 };
const LEVEL = 9;

const FIRST_SIZES: Sizes = { position: 20, character: 0.4 };
/** Characters of a record whose size isn't known yet. */
const USUAL_RECORD = 400;

const isNews = ({ records, positions, skipped }: Chunk): boolean =>
  records.length + positions.length + skipped.length > 0;

/** Lanes whose rows are not read from the feed. */
const isByItself = (lane: Lane): boolean => lane === "history" || lane === "newest";

export class Transfer {
  readonly #include: readonly Walk["kind"][];
  #state: State;
  #memory = new Memory();
  #requests = 0;
  readonly #sizes: Sizes = { ...FIRST_SIZES };
  #hasMore = false;

  constructor(state: State, include: readonly Walk["kind"][]) {
    this.#state = state;
    this.#include = include;
  }

  /** Opens the transfer of some kinds of records. Once for each start of the program. */
  static async open(include: readonly Walk["kind"][]): Promise<Transfer> {
    return new Transfer(await transact(() => openState(include)), include);
  }

  get epoch(): string {
    return this.#state.epoch;
  }

  /** For each lane the highest number that the shore holds without a gap. */
  acknowledged(): Record<Lane, number> {
    const { lanes } = this.#state;
    return Object.fromEntries(LANES.map((lane) => [lane, lanes[lane].acknowledged])) as Record<Lane, number>;
  }

  /** Says what waits, at the cost of some looks at indexes. */
  waiting({ isMetered, alertsOnly }: Pick<Mode, "isMetered" | "alertsOnly">): Waiting {
    const from = (lane: Lane) => this.#memory.readFrom(lane, this.#state);
    const hasAlert = this.#has("alert") && changesOf("alerts", from("alerts"), 1).length > 0;
    if (alertsOnly) return { alert: hasAlert, some: hasAlert, much: false };
    const head = newestNumber();
    const hasRecords = RECORD_LANES.some(
      (lane) => head > from(lane) && changesOf(lane, from(lane), 1).length > 0,
    );
    const hasPositions = this.#has("position") && head > from(isMetered ? "thinned" : "backlog");
    const hasHistory = this.#historyLeft(isMetered) > 0;
    // The shore is to tell of these where they are.
    const isOpen = this.#memory.unsure.size > 0 || LANES.some((lane) => this.#state.lanes[lane].begins);
    const some = hasAlert || hasRecords || hasPositions || hasHistory || isOpen;
    return { alert: hasAlert, some, much: some && this.#hasMore };
  }

  #has(kind: Walk["kind"]): boolean {
    return this.#include.includes(kind);
  }

  /** Rows of before the epoch that are to be told: older positions wait for a line that costs nothing. */
  #historyLeft(isMetered = false): number {
    const { walks, lanes } = this.#state;
    const told = isMetered ? walks.filter(({ kind }) => kind !== "position") : walks;
    return Math.max(0, lengthOfWalks(told) - lanes.history.acknowledged);
  }

  /** All that waits, by lane. */
  backlog(): LaneBacklog[] {
    const time = now();
    const of = (lane: Lane, rows: number, size: number, oldest: number | null): LaneBacklog => {
      const age = rows === 0 || oldest === null ? 0 : Math.max(0, time - oldest);
      return { lane, rows, bytes: Math.round(rows * size), ageSeconds: Math.floor(age / SECOND) };
    };
    const record = USUAL_RECORD * this.#sizes.character;
    const lanes = RECORD_LANES.map((lane) => {
      const after = this.#memory.readFrom(lane, this.#state);
      const first = changesOf(lane, after, 1)[0]?.number ?? after + 1;
      return of(lane, countOf(lane, after), record, timeAfter(first - 1));
    });
    const { position } = this.#sizes;
    const after = this.#memory.readFrom("backlog", this.#state);
    const { walks, lanes: held } = this.#state;
    return [
      ...lanes,
      of("backlog", this.#has("position") ? countPositions(after) : 0, position, timeAfter(after)),
      of("history", this.#historyLeft(), position, oldestLeft(walks, held.history.acknowledged)),
    ];
  }

  // --- A request ------------------------------------------------------------------------------------------

  /** Makes a request of about so many bytes. */
  async prepare(limit: number, mode: Mode, remarks: Remarks = {}): Promise<Prepared> {
    for (let room = limit; ; room = Math.floor(room / 2)) {
      const prepared = await this.#prepare(room, mode, remarks);
      if (prepared) return prepared;
    }
  }

  /** Null if more came out than a request may hold. */
  async #prepare(limit: number, mode: Mode, remarks: Remarks): Promise<Prepared | null> {
    const { epoch, parent, starts, lanes } = this.#state;
    const isBeginning = LANES.some((lane) => lanes[lane].begins);
    const named = isBeginning ? parent : null;
    const most = named === null ? MOST_SECTIONS.alone : MOST_SECTIONS.withParent;
    const built = await build(
      new Filling(this.#state, this.#memory, this.#include, limit, mode, this.#sizes, most),
    );
    const { sections } = built;
    const batch: Batch = {
      ...{ epoch, parent: named, version: VERSION, sections, remarks },
      sequence: starts * REQUESTS_A_START + ++this.#requests,
      clock: now(),
      backlog: this.#told(),
    };
    const { plain, random } = await inSteps(writeRows(batch));
    const frame = await Bun.zstdCompress(plain, { level: LEVEL });
    const isTooLarge = frame.length + random.length > MOST_BYTES || plain.length > MOST_PLAIN;
    if (isTooLarge && limit > 1) return null;
    this.#learn(built, frame.length + random.length);
    return {
      ...joinBody(batch, frame, plain.length, random),
      hasRows: sections.some(({ lane, chunks }) =>
        chunks.some((chunk) => lane === "history" || isNews(chunk)),
      ),
      hasAlert: sections.some(({ lane, chunks }) => lane === "alerts" && chunks.some(isNews)),
      sections,
      built,
    };
  }

  #told(): Batch["backlog"] {
    const all = this.backlog();
    const sum = (of: (lane: LaneBacklog) => number) => all.reduce((total, lane) => total + of(lane), 0);
    return {
      rows: sum(({ rows }) => rows),
      bytes: sum(({ bytes }) => bytes),
      ageSeconds: Math.max(...all.map(({ ageSeconds }) => ageSeconds)),
    };
  }

  /** Learns how much rows take, from a request that holds enough of one sort. */
  #learn({ positions, characters }: Built, bytes: number): void {
    const ofRecords = characters * this.#sizes.character;
    const blend = (known: number, measured: number) => (3 * known + measured) / 4;
    if (positions >= 50)
      this.#sizes.position = Math.min(
        60,
        Math.max(10, blend(this.#sizes.position, (bytes - ofRecords) / positions)),
      );
    else if (characters >= 5_000 && positions === 0)
      this.#sizes.character = Math.min(1, Math.max(0.05, blend(this.#sizes.character, bytes / characters)));
  }

  // --- An answer ------------------------------------------------------------------------------------------

  /** Moves the lanes by the answer to a request. `bytes` went to and fro. */
  async settle({ sections, built }: Prepared, answer: Answer, bytes: number): Promise<Result> {
    const state = this.#state;
    const sent: Partial<Record<Lane, Milestone[]>> = Object.fromEntries(
      sections.map(({ lane, chunks }) => [lane, chunks.map(({ upTo, hash }) => ({ number: upTo, hash }))]),
    );
    const settled = settle(state.lanes, sent, answer, {
      hashOf: (lane, number) => laneHash(lane, number, state.epoch),
      isKeptAfter: (lane, number) => isByItself(lane) || number >= oldestKept(),
    });
    const isBeyondReach = !this.#overtake(answer.overtaken_by ?? 0);
    if (settled === "fork" || settled === "whole" || isBeyondReach) {
      const begin = settled === "whole" ? wholeEpoch : forkEpoch;
      this.#state = await transact(() => {
        noteTraffic(bytes, true);
        return begin(state, this.#include);
      });
      this.#memory = new Memory();
      this.#hasMore = true;
      return settled === "whole" ? "begun anew" : "forked";
    }
    this.#memory.unsure = new Set(settled.unsure);
    const back = this.#move(settled.lanes, sent, built);
    await transact(() => {
      keepLanes(settled.lanes);
      const { released } = this.#state;
      // Lanes may go back one after the other, as the shore tells their hashes.
      this.#state.released = back === null ? Math.max(released, this.#needless()) : Math.min(released, back);
      release(this.#state.released);
      noteTraffic(bytes, true);
    });
    this.#hasMore = built.hasMore || back !== null;
    if (back !== null) return "went back";
    return Object.keys(settled.lanes).length > 0 ? "went on" : "stood still";
  }

  /**
   * Goes on behind the sequence of a request that the shore heard before, as one of a copy of this box, or of this one before its
   * disk was replaced. False if no sequence is behind it.
   */
  #overtake(sequence: number): boolean {
    if (sequence >= MOST_SEQUENCE) return false;
    this.#requests = Math.max(this.#requests, sequence - this.#state.starts * REQUESTS_A_START);
    return true;
  }

  /** Moves lanes in memory. Returns the lowest number to which one of the feed goes back; null if none does. */
  #move(lanes: Partial<LaneStates>, sent: Partial<Record<Lane, Milestone[]>>, built: Built): number | null {
    let back: number | null = null;
    const states = { ...this.#state.lanes };
    const isWhole = (lane: Lane) => lanes[lane]?.acknowledged === sent[lane]?.at(-1)?.number;
    for (const [lane, next] of Object.entries(lanes) as [Lane, LaneStates[Lane]][]) {
      if (next.acknowledged < states[lane].acknowledged) {
        this.#memory.forgetRead(lane);
        if (!isByItself(lane)) back = Math.min(back ?? Number.POSITIVE_INFINITY, next.acknowledged);
      } else if (isWhole(lane)) this.#memory.noteRead(lane, built.readUpTo[lane] ?? next.acknowledged);
      states[lane] = next;
    }
    this.#state = { ...this.#state, lanes: states };
    if (sent.newest?.length && isWhole("newest"))
      for (const [deviceId, timestamp] of built.newest) this.#memory.noteNewest(deviceId, timestamp);
    if (sent.thinned?.length) this.#memory.chosen = isWhole("thinned") ? built.chosen : new Map();
    if (built.drainedTo !== null && (!sent.backlog?.length || isWhole("backlog")))
      this.#memory.noteDrained(built.drainedTo);
    return back;
  }

  /** The number of the feed up to which no lane needs anything. */
  #needless(): number {
    const head = newestNumber();
    const numbers = RECORD_LANES.map((lane) => {
      const [first] = changesOf(lane, this.#memory.readFrom(lane, this.#state), 1);
      return first ? first.number - 1 : head;
    });
    if (this.#has("position")) numbers.push(this.#memory.readFrom("backlog", this.#state));
    return Math.min(...numbers);
  }
}
