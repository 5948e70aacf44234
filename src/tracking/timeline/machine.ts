import { distanceKm, EARTH_RADIUS_KM, type Position } from "../../kernel/values/great-circle";
import type { SegmentKind } from "./kinds";

/** Divides a track into moves, stops and gaps, fix by fix. It reads and writes nothing. */

/** A fix as a timeline sees it: the first one of its second that counts. */
export interface TrackFix extends Position {
  /** Fix time, epoch milliseconds. */
  time: number;
  /** The speed that the receiver told; null for none. */
  speedKmh: number | null;
}

/** The way from a fix to the next one, and the kind of segment that it belongs to. */
export interface Leg {
  kind: SegmentKind;
  from: TrackFix;
  to: TrackFix;
}

/** The measures of a device, in metres and milliseconds. */
export interface Measures {
  stopRadiusM: number;
  stopMs: number;
  gapMs: number;
}

/**
 * The place in a track from which a machine goes on: the last fix of which everything before is decided. `stop` is the first
 * fix of the stop that goes on there; `hasStopped` is true where a stop has just ended, so that none begins with that fix.
 */
export interface Resumption {
  last: TrackFix;
  stop: TrackFix | null;
  hasStopped: boolean;
}

const metres = (a: Position, b: Position): number => distanceKm(a, b) * 1_000;

/** Of latitude. */
const METRES_PER_DEGREE = ((EARTH_RADIUS_KM * Math.PI) / 180) * 1_000;

/** Pending fixes are moved to the front of their list when as many before them are done. */
const TIDY = 256;

/**
 * A stop is the longest run of fixes within the radius of its first one that lasts long enough, found from the oldest fix on;
 * the next one begins after it. A leg outside of stops is a gap if it took long and led farther than the radius, else it
 * belongs to a move.
 *
 * A fix may begin a stop as long as all later ones are within its radius. The oldest such fix is the candidate: the legs
 * before it are decided, those behind it pend. Each fix is held against each candidate once at most, and pending fixes are no
 * more than the seconds of a stop's least duration.
 */
export class Machine {
  readonly #measures: Measures;
  #last: TrackFix | null;
  /** The first fix of the stop that goes on. */
  #stop: TrackFix | null;
  /** The candidate at `#head`, and the fixes behind it. */
  #pending: TrackFix[];
  #head = 0;
  /** Fixes before this index are within the candidate's radius. */
  #near = 1;

  constructor(measures: Measures, resumption: Resumption | null = null) {
    this.#measures = measures;
    this.#last = resumption?.last ?? null;
    this.#stop = resumption?.stop ?? null;
    const isCandidate = resumption !== null && !resumption.stop && !resumption.hasStopped;
    this.#pending = isCandidate ? [resumption.last] : [];
  }

  /** The newest fix that it has seen. */
  get last(): TrackFix | null {
    return this.#last;
  }

  /** Fixes that it holds in memory. */
  get size(): number {
    return this.#pending.length;
  }

  /** Takes the next fix, and returns the legs that are decided now, oldest first. */
  take(fix: TrackFix): Leg[] {
    const last = this.#last;
    this.#last = fix;
    if (this.#stop && last) {
      if (this.#isNear(this.#stop, fix)) return [{ kind: "stop", from: last, to: fix }];
      this.#stop = null;
      this.#begin(fix);
      return [this.#way(last, fix)];
    }
    if (this.#pending.length === 0) {
      this.#begin(fix);
      return last ? [this.#way(last, fix)] : [];
    }
    this.#pending.push(fix);
    const decided: Leg[] = [];
    while (!this.#candidateHolds()) {
      const [candidate, next] = [this.#at(this.#head), this.#at(this.#head + 1)];
      decided.push(this.#way(candidate, next));
      this.#head++;
      this.#near = this.#head + 1;
    }
    const first = this.#at(this.#head);
    if (fix.time - first.time >= this.#measures.stopMs) {
      for (let at = this.#head + 1; at < this.#pending.length; at++)
        decided.push({ kind: "stop", from: this.#at(at - 1), to: this.#at(at) });
      this.#stop = first;
      this.#pending = [];
      this.#head = 0;
    } else if (this.#head >= TIDY && this.#head * 2 >= this.#pending.length) {
      this.#pending.splice(0, this.#head);
      this.#near -= this.#head;
      this.#head = 0;
    }
    return decided;
  }

  /** The legs that pend, as they are decided if no further fix comes: too short for a stop. */
  pending(): Leg[] {
    const legs: Leg[] = [];
    for (let at = this.#head + 1; at < this.#pending.length; at++)
      legs.push(this.#way(this.#at(at - 1), this.#at(at)));
    return legs;
  }

  #at(index: number): TrackFix {
    return this.#pending[index] as TrackFix;
  }

  #begin(fix: TrackFix): void {
    this.#pending = [fix];
    this.#head = 0;
    this.#near = 1;
  }

  /** True if all fixes behind the candidate are within its radius. The newest is looked at first: it is the farthest mostly. */
  #candidateHolds(): boolean {
    const candidate = this.#at(this.#head);
    for (let at = this.#pending.length - 1; at >= this.#near; at--)
      if (!this.#isNear(candidate, this.#at(at))) return false;
    this.#near = this.#pending.length;
    return true;
  }

  #isNear(centre: Position, at: Position): boolean {
    const { stopRadiusM } = this.#measures;
    // A difference of latitude alone tells most that are too far.
    if (Math.abs(centre.latitude - at.latitude) * METRES_PER_DEGREE > stopRadiusM * 1.001) return false;
    return metres(centre, at) <= stopRadiusM;
  }

  #way(from: TrackFix, to: TrackFix): Leg {
    const { gapMs, stopRadiusM } = this.#measures;
    const isGap = to.time - from.time >= gapMs && metres(from, to) > stopRadiusM;
    return { kind: isGap ? "gap" : "move", from, to };
  }
}
