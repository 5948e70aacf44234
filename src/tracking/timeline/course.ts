import { MINUTE } from "../../kernel/time/clock";
import { type Leg, Machine, type Measures, type Resumption, type TrackFix } from "./machine";
import { addLeg, addTally, copyOf, type Tally, tallyOf } from "./tally";

/** A timeline as it grows with the fixes of a track: decided legs become parts, and these segments. */

/** Parts end with each quarter of an hour in UTC: the days of all time zones begin with one. */
export const QUARTER = 15 * MINUTE;

/** Some legs in a row, of one segment and one quarter of an hour. */
export interface Part {
  sums: Tally;
  isLast: boolean;
  /** The first fix of a stop; 0 for other kinds. */
  begunTime: number;
  /** The newest fix when it was decided. */
  decidedTime: number;
}

/** A part with the sums of its segment up to its end. */
export interface Closed {
  part: Part;
  segment: Tally;
}

/** The place at which a course goes on: behind a part, whose segment has these sums unless it was its last one. */
export interface Beginning {
  resumption: Resumption;
  segment: Tally | null;
}

/** The sums of what is decided and goes on. */
interface Open {
  /** The closed parts of the segment. */
  segment: Tally | null;
  part: Tally | null;
}

export class Course {
  readonly #machine: Machine;
  readonly #open: Open;

  constructor(measures: Measures, beginning: Beginning | null) {
    this.#machine = new Machine(measures, beginning?.resumption);
    this.#open = { segment: beginning?.segment ?? null, part: null };
  }

  /** The time of the newest fix that it has taken; null before the first. */
  get time(): number | null {
    return this.#machine.last?.time ?? null;
  }

  /** The memory that it takes, in fixes. */
  get size(): number {
    return this.#machine.size;
  }

  /** Takes the next fix of the track, and returns the parts that it closed. One of a second that it has seen is skipped. */
  take(fix: TrackFix): readonly Closed[] {
    if (this.time !== null && fix.time <= this.time) return NONE;
    const legs = this.#machine.take(fix);
    return legs.length === 0 ? NONE : add(this.#open, legs, fix.time);
  }

  /**
   * The parts that aren't closed, as they are if no further fix comes; or those of decided legs alone, without fixes that may
   * become a stop. It changes nothing.
   */
  tail(which: "all" | "decided" = "all"): Closed[] {
    const { segment, part } = this.#open;
    const open = { segment: segment && copyOf(segment), part: part && copyOf(part) };
    const time = this.time ?? 0;
    const closed = which === "all" ? [...add(open, this.#machine.pending(), time)] : [];
    if (open.part) closed.push(close(open, open.part, true, time));
    return closed;
  }
}

const NONE: readonly Closed[] = [];

/** Adds decided legs, and returns the parts that they close. */
function add(open: Open, legs: readonly Leg[], decidedTime: number): readonly Closed[] {
  let closed: Closed[] | null = null;
  for (const leg of legs) {
    const { part } = open;
    const goesOn = leg.kind !== "gap" && (part ?? open.segment)?.kind === leg.kind;
    if (part && goesOn && quarterOf(leg.to.time) === quarterOf(part.until.time)) {
      addLeg(part, leg);
      continue;
    }
    if (part) {
      closed ??= [];
      closed.push(close(open, part, !goesOn, decidedTime));
    }
    if (!goesOn) open.segment = null;
    open.part = tallyOf(leg);
  }
  return closed ?? NONE;
}

function close(open: Open, part: Tally, isLast: boolean, decidedTime: number): Closed {
  if (open.segment) addTally(open.segment, part);
  else open.segment = copyOf(part);
  const begunTime = part.kind === "stop" ? open.segment.from.time : 0;
  return { part: { sums: part, isLast, begunTime, decidedTime }, segment: copyOf(open.segment) };
}

/** A leg that ends with a quarter of an hour belongs to it. */
const quarterOf = (time: number): number => Math.ceil(time / QUARTER);
