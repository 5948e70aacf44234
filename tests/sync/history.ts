import { type Answer, type LaneStates, type Milestone, settle } from "../../src/sync/aboard/cursors";
import { answered, asks, failed, type Machine, next, START } from "../../src/sync/aboard/machine";
import { hear, type Known, NOTHING_KNOWN } from "../../src/sync/ashore/hear";
import { NO_HASH, type SectionHead } from "../../src/sync/batch/batch";
import { LANES, type Lane } from "../../src/sync/batch/lanes";
import { randomFrom } from "../support/random";

/**
 * A boat and its shore as models around the pure halves of the protocol: the machine, the places of lanes aboard (`settle`) and the
 * decision ashore (`hear`). A history is what happens to them, drawn from a seed. At its end everything that the boat holds has to
 * be ashore, and no number of an epoch may have been stored twice.
 */

type Kind = "alert" | "trip" | "position";
const LANE_OF: Record<Kind, Lane> = { alert: "alerts", trip: "trips", position: "backlog" };

interface FeedRow {
  number: number;
  kind: Kind;
  id: string;
  hash: string;
}

interface Chunk {
  rows: { number: number; id: string; version: number }[];
  upTo: number;
  hash: string;
}

interface Request {
  epoch: string;
  parent: string | null;
  sequence: number;
  sections: (SectionHead & { chunks: Chunk[] })[];
}

/** All of a boat that a kill leaves. */
interface Disk {
  feed: FeedRow[];
  /** The feed keeps what is above this number. */
  keptFrom: number;
  /** Names a life of the feed: a restore makes another one. */
  feedEpoch: number;
  epoch: string;
  parent: string | null;
  ofFeedEpoch: number;
  starts: number;
  lanes: LaneStates;
  /** Records of the lane `history`, by their numbers from 1 on. */
  walk: string[];
  records: Map<string, { kind: Kind; version: number }>;
}

export interface Figures {
  steps: number;
  requests: number;
  lost: number;
  torn: number;
  unanswered: number;
  doubled: number;
  overtaken: number;
  killed: number;
  jumped: number;
  marked: number;
  restored: number;
  copied: number;
  forked: number;
  whole: number;
  rows: number;
}

/**
 * One of them may meet a history, beside what the line and kills do: a restore by the program, which notices; a disk that is set back
 * by other means; a copy, which goes on beside the boat. Two at once are too many: see docs/sync.md, "Epochs".
 */
const MISFORTUNES = ["none", "boat restored", "disk set back", "shore restored", "copy"] as const;

const MOST_SECTIONS = { alone: 6, withParent: 5 };
const REQUESTS_A_START = 2 ** 24;
const INTERVAL = 30_000;

export class History {
  readonly figures: Figures = {
    ...{ steps: 0, requests: 0, lost: 0, torn: 0, unanswered: 0, doubled: 0, overtaken: 0, killed: 0 },
    ...{ jumped: 0, marked: 0, restored: 0, copied: 0, forked: 0, whole: 0, rows: 0 },
  };
  readonly log: string[] = [];
  readonly random: () => number;
  readonly #shore = new Shore();
  readonly #boats: Boat[];
  #late: Request[] = [];
  #made = 0;
  readonly #misfortune: (typeof MISFORTUNES)[number];

  constructor(seed: number) {
    this.random = randomFrom(seed);
    this.#boats = [new Boat(this)];
    this.#misfortune = MISFORTUNES[this.below(MISFORTUNES.length)] ?? "none";
  }

  name(prefix: string): string {
    return `${prefix}${++this.#made}`;
  }

  hash(): string {
    return (++this.#made).toString(16).padStart(12, "0");
  }

  below(limit: number): number {
    return Math.floor(this.random() * limit);
  }

  /** Lets a history happen. Throws if something is lost, doubled, or stuck. */
  run(): void {
    const steps = 20 + this.below(60);
    for (let step = 0; step < steps; step++) this.#step();
    this.#calm();
    for (const boat of this.#boats) this.#check(boat);
  }

  #step(): void {
    this.figures.steps++;
    const boat = this.#boats[this.below(this.#boats.length)] as Boat;
    const draw = this.random();
    if (draw < 0.3) boat.live(1 + this.below(6));
    else if (draw < 0.8) this.#exchange(boat);
    else if (draw < 0.84) {
      this.figures.killed++;
      boat.start();
    } else if (draw < 0.86) boat.keep();
    else if (draw < 0.88) this.#shore.keep();
    else if (draw < 0.93) this.#meetMisfortune(boat);
    else if (draw < 0.95) boat.forget();
    else if (draw < 0.96) {
      this.figures.jumped++;
      boat.sleep();
    } else this.#arriveLate();
  }

  #meetMisfortune(boat: Boat): void {
    const kind = this.#misfortune;
    const isFirst = this.figures.restored + this.figures.copied === 0;
    if (kind === "none" || (!isFirst && (kind === "disk set back" || kind === "copy"))) return;
    this.#note(kind);
    if (kind === "copy") {
      this.figures.copied++;
      this.#boats.push(boat.copy());
      return;
    }
    this.figures.restored++;
    if (kind === "shore restored") this.#shore.restore();
    else {
      boat.restore(kind === "boat restored");
      // A restore takes longer than a line keeps a request.
      this.#late = [];
    }
  }

  #note(text: string): void {
    this.log.push(text);
  }

  /** Lets a boat do what its machine says. */
  #exchange(boat: Boat): void {
    if (!boat.mayAsk()) return;
    const request = boat.prepare();
    this.figures.requests++;
    const draw = this.random();
    if (draw < 0.15) {
      this.figures.lost++;
      boat.fail();
      return;
    }
    if (draw < 0.25) {
      // It stays on its way, and arrives when the boat has given it up.
      this.figures.overtaken++;
      this.#late.push(request);
      boat.fail();
      return;
    }
    if (draw < 0.35) {
      // The shore is killed in the middle.
      this.figures.torn++;
      this.#shore.take(request, this.below(5));
      boat.fail();
      return;
    }
    const answer = this.#shore.take(request);
    if (draw < 0.5) {
      this.figures.unanswered++;
      boat.fail();
      return;
    }
    if (draw < 0.6) {
      this.figures.doubled++;
      this.#late.push(request);
    }
    const result = boat.settle(request, answer);
    this.#note(`${boat.name} ${request.epoch}.${request.sequence} ${JSON.stringify(answer)}: ${result}`);
    if (result === "forked") this.figures.forked++;
    if (result === "whole") this.figures.whole++;
  }

  #arriveLate(): void {
    const [request] = this.#late.splice(this.below(this.#late.length), 1);
    if (request) this.#shore.take(request);
  }

  /** Lets all that waits go over a good line. */
  #calm(): void {
    while (this.#late.length > 0) this.#arriveLate();
    for (let turn = 0; turn < 400; turn++) {
      // Without news a boat calls too, and hears whether the shore was restored.
      const waiting = this.#boats.filter((boat) => turn < 2 || boat.waits());
      if (waiting.length === 0) return;
      for (const boat of waiting) {
        boat.rest();
        const request = boat.prepare();
        const result = boat.settle(request, this.#shore.take(request));
        this.#note(`calm ${boat.name} ${request.epoch}.${request.sequence}: ${result}`);
      }
    }
    throw new Error("a boat is stuck");
  }

  #check(boat: Boat): void {
    if (this.#shore.doubled > 0) throw new Error("a number was stored twice");
    // Two copies tell the same record in turn; one of a life that nobody noticed the end of stays until it changes again.
    const isExact = this.#misfortune !== "copy" && this.#misfortune !== "disk set back";
    for (const [id, { version }] of boat.disk.records) {
      const stored = this.#shore.disk.rows.get(id);
      if (stored === undefined) throw new Error(`${id} of ${boat.name} is lost`);
      if (isExact && stored !== version) throw new Error(`${id} is ${stored} ashore and ${version} aboard`);
      this.figures.rows++;
    }
  }
}

// --- The shore --------------------------------------------------------------------------------------------

interface ShoreDisk {
  epochs: Map<string, Known>;
  rows: Map<string, number>;
  /** Numbers of lanes of epochs that were stored. */
  seen: Set<string>;
}

class Shore {
  disk: ShoreDisk = { epochs: new Map(), rows: new Map(), seen: new Set() };
  doubled = 0;
  #kept: ShoreDisk = structuredClone(this.disk);

  keep(): void {
    this.#kept = structuredClone(this.disk);
  }

  restore(): void {
    this.disk = structuredClone(this.#kept);
  }

  /** Takes a request; only its first stretches, if the shore is killed then. */
  take({ epoch, parent, sequence, sections }: Request, stretches = Number.POSITIVE_INFINITY): Answer {
    const lanesKnown = this.disk.epochs.get(epoch)?.lanes ?? {};
    const newest = Math.max(
      ...[...this.disk.epochs.values()].map((each) => each.sequence),
      NOTHING_KNOWN.sequence,
    );
    const known: Known = { lanes: lanesKnown, sequence: newest };
    const parentLanes = parent === null ? null : (this.disk.epochs.get(parent)?.lanes ?? null);
    const heard = hear({ parent, sequence }, sections, known, parentLanes);
    const lanes = { ...heard.lanes };
    const stored = new Set<Lane>();
    let left = stretches;
    for (const [at, { lane, chunks }] of sections.entries()) {
      if (!heard.follows[at]) continue;
      for (const { rows, upTo, hash } of chunks) {
        if (left-- <= 0) break;
        for (const row of rows) this.#store(`${epoch} ${lane} ${row.number}`, row);
        lanes[lane] = { number: upTo, hash };
        stored.add(lane);
      }
    }
    this.disk.epochs.set(epoch, { lanes, sequence: heard.sequence });
    const hashes = sections.flatMap(({ lane }) => {
      const held = lanes[lane];
      return held && !stored.has(lane) ? [[lane, held.hash]] : [];
    });
    return {
      acknowledged: Object.fromEntries(Object.entries(lanes).map(([lane, { number }]) => [lane, number])),
      hashes: Object.fromEntries(hashes),
      unknown: heard.unknown,
      ...(heard.isStale && { overtaken_by: heard.sequence }),
    };
  }

  #store(place: string, { id, version }: { id: string; version: number }): void {
    if (this.disk.seen.has(place)) this.doubled++;
    this.disk.seen.add(place);
    this.disk.rows.set(id, version);
  }
}

// --- The boat ---------------------------------------------------------------------------------------------

class Boat {
  readonly name: string;
  readonly #history: History;
  disk: Disk;
  #kept: Disk;
  // All that follows is lost with a kill.
  #requests = 0;
  #unsure = new Set<Lane>();
  #machine: Machine = START;
  #time = 0;

  constructor(history: History, disk?: Disk) {
    this.#history = history;
    this.name = history.name("boat");
    this.disk = disk ?? {
      ...{ feed: [], keptFrom: 0, feedEpoch: 0, epoch: history.name("e"), parent: null, ofFeedEpoch: 0 },
      ...{ starts: 1, walk: [], records: new Map(), lanes: placesAt(0, NO_HASH) },
    };
    this.#kept = structuredClone(this.disk);
  }

  // --- Its life ---

  /** Records change and come. */
  live(count: number): void {
    for (let at = 0; at < count; at++) {
      const kind = (["alert", "trip", "position", "position", "position"] as const)[
        this.#history.below(5)
      ] as Kind;
      const old = [...this.disk.records].filter(([, record]) => record.kind === kind && kind !== "position");
      const again = this.#history.random() < 0.4 ? old[this.#history.below(old.length)] : undefined;
      const id = again?.[0] ?? this.#history.name(kind);
      const version = this.#history.below(1_000_000);
      this.disk.records.set(id, { kind, version });
      const number = (this.disk.feed.at(-1)?.number ?? this.disk.keptFrom) + 1;
      this.disk.feed.push({ number, kind, id, hash: this.#history.hash() });
    }
  }

  keep(): void {
    this.#kept = structuredClone(this.disk);
  }

  /** A restore of the database: by the program, which names another life of the feed, or of the disk, which doesn't. */
  restore(byProgram: boolean): void {
    const { feedEpoch } = this.disk;
    this.disk = structuredClone(this.#kept);
    if (byProgram) this.disk.feedEpoch = feedEpoch + 1_000 + this.#history.below(1_000_000);
    this.start();
  }

  copy(): Boat {
    const copy = new Boat(this.#history, structuredClone(this.disk));
    copy.start();
    return copy;
  }

  /** The feed forgets what nobody needs. */
  forget(): void {
    const pending = Object.values(LANE_OF).map((lane) => this.#after(lane)[0]?.number ?? this.#head + 1);
    const released = Math.min(this.#head, ...pending.map((number) => number - 1));
    // The newest one is never forgotten, since the next number follows from it.
    const upTo = Math.min(released, this.#head - 1);
    if (upTo <= this.disk.keptFrom) return;
    this.disk.keptFrom = this.disk.keptFrom + 1 + this.#history.below(upTo - this.disk.keptFrom);
    this.disk.feed = this.disk.feed.filter(({ number }) => number > this.disk.keptFrom);
  }

  /** A start of the program, as `openState` in src/sync/aboard/state.ts. */
  start(): void {
    this.#requests = 0;
    this.#unsure = new Set();
    this.#machine = START;
    this.disk.starts++;
    if (this.disk.ofFeedEpoch !== this.disk.feedEpoch) this.#fork();
  }

  /** The steady clock goes on by days, as after a sleep of the machine. The clock that may be set back decides on `#marks` alone. */
  sleep(): void {
    this.#time += this.#history.below(40 * 86_400_000);
  }

  // --- Its machine ---

  /** True if the machine asks; time goes by until it does. */
  mayAsk(): boolean {
    const step = next(this.#machine, this.#waiting(), { interval: INTERVAL, isSparing: false }, this.#time);
    if (step.do === "wait") {
      this.#time = Math.min(step.until, this.#time + 3_600_000);
      return false;
    }
    return true;
  }

  /** Lets any pause go by. */
  rest(): void {
    for (let left = 10; left > 0 && !this.mayAsk(); left--);
  }

  #waiting() {
    const alert = this.#after("alerts").length > 0;
    const some = this.waits();
    return { alert, some, much: some };
  }

  /** True while anything is to be told, or a lane's place is open. */
  waits(): boolean {
    const { lanes, walk } = this.disk;
    return (
      Object.values(LANE_OF).some((lane) => this.#after(lane).length > 0) ||
      walk.length > lanes.history.acknowledged ||
      this.#unsure.size > 0 ||
      LANES.some((lane) => lanes[lane].begins)
    );
  }

  // --- A request, as src/sync/aboard/transfer.ts ---

  get #head(): number {
    return this.disk.feed.at(-1)?.number ?? this.disk.keptFrom;
  }

  #after(lane: Lane): FeedRow[] {
    const { acknowledged } = this.disk.lanes[lane];
    return this.disk.feed.filter(({ number, kind }) => LANE_OF[kind] === lane && number > acknowledged);
  }

  #hashOf(lane: Lane, number: number): string | null {
    if (number === 0) return NO_HASH;
    if (lane === "history") return `${this.disk.epoch}#${number}`;
    return this.disk.feed.find((row) => row.number === number)?.hash ?? null;
  }

  prepare(): Request {
    const { epoch, parent, starts, lanes, walk } = this.disk;
    const isBeginning = LANES.some((lane) => lanes[lane].begins);
    const named = isBeginning ? parent : null;
    const most = named === null ? MOST_SECTIONS.alone : MOST_SECTIONS.withParent;
    const sections: Request["sections"] = [];
    const has = (lane: Lane) => sections.some((section) => section.lane === lane);
    const add = (lane: Lane, chunks: Chunk[]) => {
      const { acknowledged: from, hash, begins } = lanes[lane];
      if (sections.length < most && !has(lane)) sections.push({ lane, begins, from, hash, chunks });
    };
    const ofFeed = Object.values(LANE_OF);
    for (const lane of ofFeed) {
      const chunks = this.#chunks(this.#after(lane).map((row) => ({ ...row, hash: row.hash })));
      if (chunks.length > 0) add(lane, chunks);
    }
    const older = walk
      .map((id, at) => ({ number: at + 1, id, hash: this.#hashOf("history", at + 1) as string }))
      .slice(lanes.history.acknowledged);
    const chunks = this.#chunks(older);
    if (chunks.length > 0) add("history", chunks);
    for (const lane of ofFeed) {
      const chunks = has(lane) ? [] : this.#marks(lane);
      if (chunks.length > 0) add(lane, chunks);
    }
    for (const lane of LANES) if (lanes[lane].begins || this.#unsure.has(lane)) add(lane, []);
    if (sections.length === 0) add("backlog", []);
    this.#machine = asks(
      this.#machine,
      1_000,
      sections.some(({ lane, chunks }) => lane === "alerts" && chunks.length > 0),
      this.#time,
    );
    return { epoch, parent: named, sequence: starts * REQUESTS_A_START + ++this.#requests, sections };
  }

  /** A lane without news is moved on at times: the age of the feed's rows says when, by a clock that may be wrong. */
  #marks(lane: Lane): Chunk[] {
    const { acknowledged, begins } = this.disk.lanes[lane];
    const upTo = this.#head;
    const hash = this.#hashOf(lane, upTo);
    if (begins || hash === null || upTo <= acknowledged || this.#after(lane).length > 0) return [];
    if (this.#history.random() < 0.7) return [];
    this.#history.figures.marked++;
    return [{ rows: [], upTo, hash }];
  }

  #chunks(rows: { number: number; id: string; hash: string }[]): Chunk[] {
    const chunks: Chunk[] = [];
    const taken = rows.slice(0, this.#history.below(12));
    while (taken.length > 0) {
      const some = taken.splice(0, 1 + this.#history.below(4));
      const last = some.at(-1) as (typeof some)[0];
      chunks.push({
        rows: some.map(({ number, id }) => ({
          number,
          id,
          version: this.disk.records.get(id)?.version ?? 0,
        })),
        ...{ upTo: last.number, hash: last.hash },
      });
    }
    return chunks;
  }

  fail(): void {
    this.#machine = failed(
      this.#machine,
      { wait: null, isRefused: false },
      this.#time,
      this.#history.random(),
    );
  }

  settle({ sections }: Request, answer: Answer): "went on" | "forked" | "whole" {
    const hadRows = sections.some(({ chunks }) => chunks.length > 0);
    this.#machine = answered(this.#machine, hadRows, this.#time);
    const sent: Partial<Record<Lane, Milestone[]>> = Object.fromEntries(
      sections.map(({ lane, chunks }) => [lane, chunks.map(({ upTo, hash }) => ({ number: upTo, hash }))]),
    );
    const settled = settle(this.disk.lanes, sent, answer, {
      hashOf: (lane, number) => this.#hashOf(lane, number),
      isKeptAfter: (lane, number) => lane === "history" || lane === "newest" || number >= this.disk.keptFrom,
    });
    const { overtaken_by = 0 } = answer;
    this.#requests = Math.max(this.#requests, overtaken_by - this.disk.starts * REQUESTS_A_START);
    if (settled === "fork") {
      this.#fork();
      return "forked";
    }
    if (settled === "whole") {
      this.#whole();
      return "whole";
    }
    this.#unsure = new Set(settled.unsure);
    Object.assign(this.disk.lanes, settled.lanes);
    return "went on";
  }

  #fork(): void {
    const { epoch, lanes, walk, records } = this.disk;
    const left = walk.slice(lanes.history.acknowledged).filter((id) => records.get(id)?.kind === "position");
    const rare = [...records].filter(([, { kind }]) => kind !== "position").map(([id]) => id);
    this.#begin(epoch, [...rare, ...left]);
    for (const lane of LANES) lanes[lane] = { ...lanes[lane], begins: true };
    lanes.history = { acknowledged: 0, hash: NO_HASH, begins: true };
  }

  #whole(): void {
    this.#begin(null, [...this.disk.records.keys()]);
    this.disk.lanes = placesAt(this.#head, this.#hashOf("backlog", this.#head) ?? NO_HASH);
  }

  #begin(parent: string | null, walk: string[]): void {
    Object.assign(this.disk, {
      parent,
      walk,
      epoch: this.#history.name("e"),
      ofFeedEpoch: this.disk.feedEpoch,
    });
    this.#unsure = new Set();
  }
}

function placesAt(number: number, hash: string): LaneStates {
  const place = { acknowledged: number, hash, begins: true };
  const lanes = Object.fromEntries(LANES.map((lane) => [lane, { ...place }])) as LaneStates;
  const beginning = { acknowledged: 0, hash: NO_HASH, begins: true };
  return { ...lanes, newest: { ...beginning }, history: { ...beginning } };
}
