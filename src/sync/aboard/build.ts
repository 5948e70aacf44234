import { CHANGE_KINDS } from "../../feed/kinds";
import { HOUR, now, SECOND } from "../../kernel/time/clock";
import { counts, type Row } from "../../tracking/ingest/columns";
import {
  type Chunk,
  MOST_OF_CHUNK,
  MOST_OF_PART,
  NO_HASH,
  type RecordKind,
  type Section,
  type SentRecord,
} from "../batch/batch";
import { LANES, type Lane } from "../batch/lanes";
import type { RowKind } from "../batch/rows";
import {
  changedAfter,
  changesOf,
  countPositions,
  endOfStretch,
  hashOf,
  hashOfHistory,
  newestNumber,
  newestOf,
  positionsBetween,
  type RecordLane,
  thinnedBetween,
  timeAfter,
} from "./feed";
import type { Memory, Spans } from "./memory";
import { readRow, toSent } from "./rows";
import type { State } from "./state";
import type { Walk } from "./table";
import {
  isWalked,
  lengthOfWalks,
  nextPositions,
  nextRows,
  placeAfter,
  rowNumberOf,
  walksLeft,
} from "./walks";

/** The way from the feed to a request: all that waits, lane by lane, until the request is full. */

/** The lanes that a request may tell. */
export interface Mode {
  /** One position of a device in `thinSeconds`, the rest when the line costs nothing. */
  isMetered: boolean;
  thinSeconds: number;
  /** The bytes of the day are used up. */
  alertsOnly: boolean;
}

/** Estimates by which a request is filled, in bytes once it is compressed. */
export interface Sizes {
  position: number;
  /** For each character of a record's JSON. */
  character: number;
}

/** The content of a request, and what becomes of the lanes once it is acknowledged. */
export interface Built {
  sections: Section[];
  /** The place from which each lane goes on reading once all of its section is acknowledged. */
  readUpTo: Partial<Record<Lane, number>>;
  /** Devices whose newest position is told, with its time. */
  newest: Map<string, number>;
  /** The spans of the lane `thinned` with it. */
  chosen: Spans;
  /** The lane of positions was read to this number, its end; null if it goes on. */
  drainedTo: number | null;
  /** More waits than there was room for. */
  hasMore: boolean;
  positions: number;
  characters: number;
}

const RECORD_OF: Partial<Record<(typeof CHANGE_KINDS)[number], RowKind>> = {
  deviceUpdate: "device",
  tripUpdate: "trip",
  logEntry: "entry",
  geofenceEvent: "crossing",
  crossing: "crossing",
  alertRaised: "alert",
  alertUpdated: "alert",
  alertAcknowledged: "alert",
  alertCleared: "alert",
};

/** Changes of a lane that are read at once. */
const PAGE = 64;
/** Positions that are read in one turn of the event loop. */
const STEP = 256;
/** Bytes that a record takes beside its row. */
const RECORD_ITSELF = 24;

/** Lanes of the feed, and the age of the first change behind which one is moved on without rows. */
const MARKED = ["alerts", "trips", "zones", "thinned", "backlog"] as const satisfies readonly Lane[];
const MARKED_AFTER = HOUR;

const nextTurn = () => new Promise<void>((resume) => setImmediate(resume));

/** Builds the content of one request of about so many bytes. */
export async function build(
  state: State,
  memory: Memory,
  include: readonly Walk["kind"][],
  limit: number,
  mode: Mode,
  sizes: Sizes,
  mostSections: number,
): Promise<Built> {
  const builder = new Builder(state, memory, include, limit, mode, sizes, mostSections);
  return builder.build();
}

class Builder {
  readonly #state: State;
  readonly #memory: Memory;
  readonly #include: ReadonlySet<Walk["kind"]>;
  readonly #mode: Mode;
  readonly #sizes: Sizes;
  readonly #mostSections: number;
  readonly #built: Built = {
    ...{ sections: [], readUpTo: {}, newest: new Map(), chosen: new Map(), drainedTo: null },
    ...{ hasMore: false, positions: 0, characters: 0 },
  };
  /** Devices and trips that this request carries. */
  readonly #carried = new Set<string>();
  #changed: Set<string> | null = null;
  #left: number;

  constructor(
    state: State,
    memory: Memory,
    include: readonly Walk["kind"][],
    limit: number,
    mode: Mode,
    sizes: Sizes,
    mostSections: number,
  ) {
    this.#state = state;
    this.#memory = memory;
    this.#include = new Set(include);
    this.#left = limit;
    this.#built.chosen = new Map(memory.chosen);
    this.#mode = mode;
    this.#sizes = sizes;
    this.#mostSections = mostSections;
  }

  async build(): Promise<Built> {
    const { alertsOnly, isMetered } = this.#mode;
    this.#addRecords("alerts");
    if (!alertsOnly) {
      const positions: Lane = isMetered ? "thinned" : "backlog";
      this.#addNewest(positions);
      this.#addRecords("trips");
      this.#addRecords("zones");
      await this.#addPositions(positions);
      await this.#addHistory();
    }
    this.#built.hasMore = this.#isFull;
    this.#markRead();
    this.#addEmpty(LANES.filter((lane) => this.#state.lanes[lane].begins || this.#memory.unsure.has(lane)));
    // Each request tells the hash of an acknowledged row.
    if (this.#built.sections.length === 0) this.#addEmpty(["backlog"]);
    return this.#built;
  }

  get #isFull(): boolean {
    return this.#left <= 0 || this.#built.sections.length >= this.#mostSections;
  }

  #add(lane: Lane, chunks: Chunk[]): void {
    if (chunks.length === 0) return;
    const { acknowledged: from, hash, begins } = this.#state.lanes[lane];
    this.#built.sections.push({ lane, begins, from, hash, chunks });
  }

  #addEmpty(lanes: readonly Lane[]): void {
    for (const lane of lanes) {
      if (this.#built.sections.length >= this.#mostSections) return;
      if (this.#built.sections.some((section) => section.lane === lane)) continue;
      const { acknowledged: from, hash, begins } = this.#state.lanes[lane];
      this.#built.sections.push({ lane, begins, from, hash, chunks: [] });
    }
  }

  /**
   * Moves the lanes on in which there was nothing to tell for a while: a shore that is restored later then names numbers that the
   * feed still keeps, and isn't told everything anew.
   */
  #markRead(): void {
    for (const lane of MARKED) {
      if (this.#built.sections.length >= this.#mostSections) return;
      const { acknowledged, begins } = this.#state.lanes[lane];
      const upTo = this.#memory.readFrom(lane, this.#state);
      if (begins || upTo <= acknowledged) continue;
      if (this.#built.sections.some((section) => section.lane === lane)) continue;
      const since = timeAfter(acknowledged);
      const hash = hashOf(upTo);
      if (since === null || now() - since < MARKED_AFTER || hash === null) continue;
      this.#add(lane, [{ records: [], positions: [], skipped: [], upTo, hash }]);
    }
  }

  // --- Records --------------------------------------------------------------------------------------------

  /** A record as it is now; null for one of which nothing is told. */
  #record(number: number | null, kind: RowKind, id: string): SentRecord[] {
    if (!this.#include.has(kind)) return [];
    const row = readRow(kind, id);
    // One that is gone has a number of its own for that.
    if (row === undefined || (row === null && number === null)) return [];
    const characters = row === null ? 0 : JSON.stringify(row).length;
    this.#left -= RECORD_ITSELF + characters * this.#sizes.character;
    this.#built.characters += characters;
    const before = row === null ? [] : this.#references(kind, row);
    if (kind === "device" || kind === "trip") this.#carried.add(id);
    return [...before, { number, kind, id, row }];
  }

  /** The devices and trips that a row names, unless the shore has them as they are. */
  #references(kind: RowKind, row: Record<string, unknown>): SentRecord[] {
    if (kind === "device") return [];
    const trip = kind === "entry" || kind === "crossing" ? row.trip_id : undefined;
    return [...this.#referenceTo("device", row.device_id), ...this.#referenceTo("trip", trip)];
  }

  #referenceTo(kind: "device" | "trip", id: unknown): SentRecord[] {
    if (typeof id !== "string" || this.#carried.has(id)) return [];
    this.#changed ??= changedAfter(this.#memory.readFrom("trips", this.#state));
    if (!this.#changed.has(id) && this.#isWalked(kind, id)) return [];
    this.#carried.add(id);
    return this.#record(null, kind, id);
  }

  #isWalked(kind: "device" | "trip", id: string): boolean {
    const { walks, lanes } = this.#state;
    const row = rowNumberOf(kind, id);
    return row === null || isWalked(walks, lanes.history.acknowledged, kind, row);
  }

  #addRecords(lane: RecordLane): void {
    const chunks: Chunk[] = [];
    const told = new Set<string>();
    const head = newestNumber();
    let after = this.#memory.readFrom(lane, this.#state);
    while (!this.#isFull) {
      const changes = changesOf(lane, after, PAGE);
      const records: SentRecord[] = [];
      let characters = 0;
      let upTo = after;
      for (const { number, kind, record: id } of changes) {
        upTo = number;
        const recordKind = RECORD_OF[CHANGE_KINDS[kind] as (typeof CHANGE_KINDS)[number]] as RowKind;
        if (told.has(id)) continue;
        told.add(id);
        const before = this.#built.characters;
        records.push(...this.#record(number, recordKind, id));
        characters += this.#built.characters - before;
        if (this.#left <= 0 || characters > MOST_OF_PART / 8) break;
      }
      after = upTo === after ? head : upTo;
      if (records.length > 0) chunks.push(this.#chunk(records, upTo));
      else if (chunks.length === 0) this.#memory.noteRead(lane, after);
      if (changes.length < PAGE && upTo === (changes.at(-1)?.number ?? upTo)) {
        after = head;
        break;
      }
    }
    if (chunks.length === 0 && !this.#isFull) this.#memory.noteRead(lane, after);
    this.#built.readUpTo[lane] = after;
    this.#add(lane, chunks);
  }

  #chunk(records: SentRecord[], upTo: number): Chunk {
    return { records, positions: [], skipped: [], upTo, hash: hashOf(upTo) ?? NO_HASH };
  }

  // --- Positions ------------------------------------------------------------------------------------------

  /** The newest position of each device that has moved, if the lane of positions won't be at its end with this request. */
  #addNewest(lane: Lane): void {
    const head = newestNumber();
    const memory = this.#memory;
    memory.noteMoves(head);
    if (memory.moved.size === 0 || !this.#include.has("position") || this.#isFull) return;
    const waiting = countPositions(memory.readFrom(lane, this.#state)) + this.#olderPositions;
    if (waiting * this.#sizes.position < this.#left) return;
    const from = this.#state.lanes.newest.acknowledged;
    const rows: Row[] = [];
    for (const deviceId of memory.moved) {
      if (this.#left <= 0 || rows.length >= head - from) break;
      const row = newestOf(deviceId);
      if (!row) {
        memory.moved.delete(deviceId);
        continue;
      }
      const toldAt = memory.newestTold.get(deviceId);
      const least = this.#mode.isMetered ? this.#mode.thinSeconds * SECOND : 0;
      if (toldAt !== undefined && row.timestamp >= toldAt && row.timestamp < toldAt + least) continue;
      rows.push(row);
      this.#built.newest.set(deviceId, row.timestamp);
      this.#left -= this.#sizes.position;
    }
    if (rows.length === 0) return;
    this.#built.positions += rows.length;
    const records = rows.flatMap((row) => this.#referencesOf(row));
    const first = head - rows.length + 1;
    const positions = rows.map((row, at) => toSent(first + at, row, this.#include.has("trip")));
    this.#add("newest", [{ records, positions, skipped: [], upTo: head, hash: hashOf(head) ?? NO_HASH }]);
  }

  /** Positions of before the epoch that are to be told; Infinity if these wait for another line. */
  get #olderPositions(): number {
    const left = walksLeft(this.#state.walks, this.#state.lanes.history.acknowledged);
    const rows = lengthOfWalks(left.filter(({ kind }) => kind === "position"));
    return rows > 0 && this.#mode.isMetered ? Number.POSITIVE_INFINITY : rows;
  }

  #referencesOf({ device_id, trip_id }: Row): SentRecord[] {
    return [...this.#referenceTo("device", device_id), ...this.#referenceTo("trip", trip_id)];
  }

  async #addPositions(lane: "thinned" | "backlog"): Promise<void> {
    const chunks: Chunk[] = [];
    const head = newestNumber();
    let after = this.#memory.readFrom(lane, this.#state);
    if (!this.#include.has("position")) after = head;
    while (!this.#isFull && after < head) {
      const room = Math.max(1, Math.ceil(this.#left / this.#sizes.position));
      const most = lane === "backlog" ? Math.min(MOST_OF_CHUNK, room) : MOST_OF_CHUNK;
      const end = endOfStretch(after, most);
      if (end === null) break;
      const chunk = await this.#stretch(lane, after, Math.min(end, head), room);
      after = chunk.upTo;
      const { records, positions, skipped } = chunk;
      if (records.length + positions.length + skipped.length > 0) chunks.push(chunk);
      else if (chunks.length === 0) this.#memory.noteRead(lane, after);
    }
    if (chunks.length === 0 && after >= head) this.#memory.noteRead(lane, after);
    if (lane === "backlog" && after >= head && this.#olderPositions === 0) this.#built.drainedTo = head;
    this.#built.readUpTo[lane] = after;
    this.#add(lane, chunks);
  }

  /** A stretch of a lane of positions after a number up to another, or less if it holds more than so many that are told. */
  async #stretch(lane: "thinned" | "backlog", after: number, end: number, most: number): Promise<Chunk> {
    const chunk: Chunk = { records: [], positions: [], skipped: [], upTo: after, hash: NO_HASH };
    const told = new Set<string>();
    for (let from = after; from < end && chunk.positions.length < most; from = chunk.upTo) {
      const to = Math.min(end, endOfStretch(from, STEP) ?? end);
      chunk.upTo = to;
      for (const { number, record: id, isDeletion, ...row } of positionsBetween(from, to)) {
        if (told.has(id)) continue;
        if (row.id === null) {
          if (isDeletion === 1) chunk.records.push(this.#gone(number, id));
          continue;
        }
        if (lane === "thinned" && !this.#isChosen(row)) continue;
        told.add(id);
        chunk.records.push(...this.#referencesOf(row));
        chunk.positions.push(toSent(number, row, this.#include.has("trip")));
        this.#left -= this.#sizes.position;
        this.#built.positions++;
        if (chunk.positions.length >= most) {
          chunk.upTo = number;
          break;
        }
      }
      await nextTurn();
    }
    if (lane === "backlog") chunk.skipped = thinnedBetween(after, chunk.upTo);
    chunk.hash = hashOf(chunk.upTo) ?? NO_HASH;
    return chunk;
  }

  /** True for the first position of its device in each span of time. */
  #isChosen({ device_id, timestamp, judgement }: Row): boolean {
    if (!counts(judgement)) return false;
    const span = Math.floor(timestamp / (this.#mode.thinSeconds * SECOND));
    if (this.#built.chosen.get(device_id) === span) return false;
    this.#built.chosen.set(device_id, span);
    return true;
  }

  #gone(number: number, id: string): SentRecord {
    this.#left -= RECORD_ITSELF;
    return { number, kind: "position" satisfies RecordKind, id, row: null };
  }

  // --- Older rows -----------------------------------------------------------------------------------------

  async #addHistory(): Promise<void> {
    const chunks: Chunk[] = [];
    const { walks, epoch } = this.#state;
    let after = this.#memory.readFrom("history", this.#state);
    for (let place = placeAfter(walks, after); place && !this.#isFull; place = placeAfter(walks, after)) {
      const { walk, base } = place;
      if (walk.kind === "position" && this.#mode.isMetered) break;
      const end = base + walk.to - walk.from;
      const numberOf = (row: number) => base + row - walk.from;
      const chunk: Chunk = { records: [], positions: [], skipped: [], upTo: end, hash: NO_HASH };
      if (walk.kind === "position") {
        const room = Math.max(1, Math.ceil(this.#left / this.#sizes.position));
        const most = Math.min(STEP, room);
        const rows = nextPositions(place, most);
        for (const { row, ...point } of rows) {
          chunk.records.push(...this.#referencesOf(point));
          chunk.positions.push(toSent(numberOf(row), point, this.#include.has("trip")));
        }
        if (rows.length === most) chunk.upTo = numberOf(rows.at(-1)?.row ?? walk.to);
        this.#left -= rows.length * this.#sizes.position;
        this.#built.positions += rows.length;
      } else {
        const rows = nextRows(place, PAGE);
        const kind = walk.kind;
        for (const { row, id } of rows) {
          chunk.records.push(...this.#record(numberOf(row), kind, id));
          chunk.upTo = numberOf(row);
          if (this.#left <= 0) break;
        }
        if (rows.length < PAGE && this.#left > 0) chunk.upTo = end;
      }
      chunk.hash = hashOfHistory(epoch, chunk.upTo);
      after = chunk.upTo;
      chunks.push(chunk);
      await nextTurn();
    }
    this.#built.readUpTo.history = after;
    this.#add("history", chunks);
  }
}
