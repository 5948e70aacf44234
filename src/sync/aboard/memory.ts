import type { Lane } from "../batch/lanes";
import { allDevices, movedBetween, newestNumber } from "./feed";
import type { State } from "./state";

/** For each device (null for none) a span of time, by its number. */
export type Spans = Map<string | null, number>;

/** The part of a transfer that a restart may lose: it only saves work and bytes. */
export class Memory {
  /** Numbers up to which a lane has nothing to tell that isn't acknowledged. */
  readonly #read = new Map<Lane, number>();
  /** Devices whose newest position the shore may not have. */
  readonly moved: Set<string>;
  #movesUpTo: number;
  /** The times of the newest positions that were told, by device (epoch milliseconds). */
  readonly newestTold = new Map<string, number>();
  /** Lanes whose hash the shore should tell. */
  unsure = new Set<Lane>();
  /** The spans of time from which the last positions of the lane `thinned` were. */
  chosen: Spans = new Map();

  constructor() {
    this.#movesUpTo = newestNumber();
    this.moved = new Set(allDevices());
  }

  /** The number from which a lane is read on. */
  readFrom(lane: Lane, { lanes, released }: State): number {
    const known = Math.max(lanes[lane].acknowledged, this.#read.get(lane) ?? 0);
    if (lane === "history") return lanes.history.acknowledged;
    // All positions up to there are ashore, or on their way in the other lane.
    const others = lane === "thinned" ? this.readFrom("backlog", { lanes, released } as State) : 0;
    return Math.max(known, others, released);
  }

  /** Notes that a lane has nothing to tell up to a number. */
  noteRead(lane: Lane, number: number): void {
    this.#read.set(lane, Math.max(number, this.#read.get(lane) ?? 0));
  }

  /** Forgets how far a lane was read: it goes back. */
  forgetRead(lane: Lane): void {
    this.#read.delete(lane);
  }

  /** Notes the devices that have moved up to a number. */
  noteMoves(upTo: number): void {
    if (upTo <= this.#movesUpTo) return;
    for (const deviceId of movedBetween(this.#movesUpTo, upTo)) this.moved.add(deviceId);
    this.#movesUpTo = upTo;
  }

  /** Notes that all positions up to a number are ashore. */
  noteDrained(upTo: number): void {
    if (upTo < this.#movesUpTo) return;
    this.moved.clear();
    this.#movesUpTo = upTo;
  }

  /** Notes that the newest position of a device is ashore, unless it has moved since. */
  noteNewest(deviceId: string, timestamp: number): void {
    this.moved.delete(deviceId);
    this.newestTold.set(deviceId, timestamp);
  }
}
