import type { Row } from "../../tracking/ingest/columns";
import type { Chunk, Section, SentRecord } from "../batch/batch";
import type { Lane } from "../batch/lanes";
import type { RowKind } from "../batch/rows";
import { changedAfter } from "./feed";
import type { Memory, Spans } from "./memory";
import { readRow } from "./rows";
import type { State } from "./state";
import type { Walk } from "./table";
import { isWalked, rowNumberOf } from "./walks";

/** A request while it is filled, and the records that its rows need ashore. */

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

/** Bytes that a record takes beside its row. */
export const RECORD_ITSELF = 24;

/** Lets other work go on. */
export const nextTurn = () => new Promise<void>((resume) => setImmediate(resume));

export class Filling {
  readonly state: State;
  readonly memory: Memory;
  readonly include: ReadonlySet<Walk["kind"]>;
  readonly mode: Mode;
  readonly sizes: Sizes;
  readonly built: Built = {
    ...{ sections: [], readUpTo: {}, newest: new Map(), chosen: new Map(), drainedTo: null },
    ...{ hasMore: false, positions: 0, characters: 0 },
  };
  /** Bytes for which there is room; below zero once it is full. */
  left: number;
  readonly #mostSections: number;
  /** Devices and trips that this request carries. */
  readonly #carried = new Set<string>();
  #changed: Set<string> | null = null;

  /** A request of about `limit` bytes and so many sections at most. */
  constructor(
    state: State,
    memory: Memory,
    include: readonly Walk["kind"][],
    limit: number,
    mode: Mode,
    sizes: Sizes,
    mostSections: number,
  ) {
    this.state = state;
    this.memory = memory;
    this.include = new Set(include);
    this.left = limit;
    this.built.chosen = new Map(memory.chosen);
    this.mode = mode;
    this.sizes = sizes;
    this.#mostSections = mostSections;
  }

  get isFull(): boolean {
    return this.left <= 0 || this.hasAllSections;
  }

  get hasAllSections(): boolean {
    return this.built.sections.length >= this.#mostSections;
  }

  /** The stretches of a lane, from the place that the shore has acknowledged. */

  add(lane: Lane, chunks: Chunk[]): void {
    if (chunks.length === 0) return;
    const { acknowledged: from, hash, begins } = this.state.lanes[lane];
    this.built.sections.push({ lane, begins, from, hash, chunks });
  }

  /** The places of lanes of which nothing else is told. */
  addEmpty(lanes: readonly Lane[]): void {
    for (const lane of lanes) {
      if (this.hasAllSections) return;
      if (this.built.sections.some((section) => section.lane === lane)) continue;
      const { acknowledged: from, hash, begins } = this.state.lanes[lane];
      this.built.sections.push({ lane, begins, from, hash, chunks: [] });
    }
  }

  /** A record as it is now; null for one of which nothing is told. */
  record(number: number | null, kind: RowKind, id: string): SentRecord[] {
    if (!this.include.has(kind)) return [];
    const row = readRow(kind, id);
    // One that is gone has a number of its own for that.
    if (row === undefined || (row === null && number === null)) return [];
    const characters = row === null ? 0 : JSON.stringify(row).length;
    this.left -= RECORD_ITSELF + characters * this.sizes.character;
    this.built.characters += characters;
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
    this.#changed ??= changedAfter(this.memory.readFrom("trips", this.state));
    if (!this.#changed.has(id) && this.#isWalked(kind, id)) return [];
    this.#carried.add(id);
    return this.record(null, kind, id);
  }

  #isWalked(kind: "device" | "trip", id: string): boolean {
    const { walks, lanes } = this.state;
    const row = rowNumberOf(kind, id);
    return row === null || isWalked(walks, lanes.history.acknowledged, kind, row);
  }

  /** The device and the trip of a position, unless the shore has them as they are. */
  referencesOf({ device_id, trip_id }: Row): SentRecord[] {
    return [...this.#referenceTo("device", device_id), ...this.#referenceTo("trip", trip_id)];
  }
}
