import { distanceKm, type Position } from "../../kernel/values/great-circle";
import type { Fix } from "../ingest/fix";

/** Thins out the fixes of a receiver that has one a second or ten, so that the track keeps its shape. */

/** Fixes are stored at least so often, in seconds. */
export interface Pace {
  moving: number;
  /** While it lies still. */
  still: number;
}

/** A fix whose time is known, Unix seconds. */
export type TimedFix = Fix & { time: number };

/** Metres a second; below, it lies still if it stays in its place too. */
const STILL_SPEED = 0.3;
/** Metres around the stored position. */
const STILL_PLACE = 25;
/** Metres a second: 1 knot. A course below is noise. */
const STEERED_SPEED = 1_852 / 3_600;
/** Degrees by which a course changes before its fix is stored at once. */
const TURN = 15;
/** Seconds for which the speed and the course of a fix serve those after it that have none. */
const SERVES = 5;

interface Stored extends Position {
  /** Whole seconds: as they are stored. */
  time: number;
}

interface Motion {
  time: number;
  speed: number;
  course: number | null;
}

export class Thinner {
  readonly #pace: Pace;
  #stored: Stored | null = null;
  /** The course since the last fix that was stored, or the first one above a knot after it. */
  #course: number | null = null;
  #motion: Motion | null = null;

  constructor(pace: Pace) {
    this.#pace = pace;
  }

  /**
   * True if a fix is to be stored; it is then taken for stored. `isZoneChange` says that it lies in other zones
   * than the last one that was stored. Of each second one fix is stored.
   */
  keeps(fix: TimedFix, isZoneChange = false): boolean {
    this.#note(fix);
    const time = Math.floor(fix.time);
    const last = this.#stored;
    if (last !== null && time === last.time) return false;
    const course = this.#steered(fix.time);
    if (last !== null && !isZoneChange && !this.#isDue(fix, time, last) && !this.#isTurned(course)) {
      this.#course ??= course;
      return false;
    }
    this.#stored = { latitude: fix.latitude, longitude: fix.longitude, time };
    this.#course = course;
    return true;
  }

  /** Forgets the fix that was last taken for stored, since it couldn't be: the next one is kept. */
  forget(): void {
    this.#stored = null;
  }

  #note(fix: TimedFix): void {
    const speed = speedOf(fix);
    if (speed !== null) this.#motion = { time: fix.time, speed, course: fix.heading ?? null };
  }

  /** The motion that a fix has, or that one just before it had. */
  #motionAt(time: number): Motion | null {
    const motion = this.#motion;
    return motion !== null && Math.abs(time - motion.time) <= SERVES ? motion : null;
  }

  /** The course at a time, if it is one and no noise. */
  #steered(time: number): number | null {
    const motion = this.#motionAt(time);
    return motion !== null && motion.speed > STEERED_SPEED ? motion.course : null;
  }

  #isTurned(course: number | null): boolean {
    if (course === null || this.#course === null) return false;
    const turn = Math.abs(course - this.#course) % 360;
    return Math.min(turn, 360 - turn) >= TURN;
  }

  /** A receiver's clock may go back: a span counts in either direction, so that one wrong time stops nothing. */
  #isDue(fix: TimedFix, time: number, last: Stored): boolean {
    const span = Math.abs(time - last.time);
    return span >= (this.#isStill(fix, span, last) ? this.#pace.still : this.#pace.moving);
  }

  #isStill(fix: TimedFix, span: number, last: Stored): boolean {
    const metres = 1_000 * distanceKm(fix, last);
    const speed = this.#motionAt(fix.time)?.speed ?? metres / span;
    return speed < STILL_SPEED && metres <= STILL_PLACE;
  }
}

/** Metres a second; null where the fix has no speed. */
export function speedOf({ speed_mps, speed_knots, speed_kmh, speed_mph }: Fix): number | null {
  if (speed_mps != null) return speed_mps;
  if (speed_knots != null) return (speed_knots * 1_852) / 3_600;
  if (speed_kmh != null) return speed_kmh / 3.6;
  return speed_mph != null ? speed_mph * 0.44704 : null;
}
