import { TransactionCache } from "../../kernel/db/transaction-cache";
import { afterCommit } from "../../kernel/db/transactions";
import { SECOND } from "../../kernel/time/clock";
import { BoundedMap } from "../../kernel/values/bounded-map";
import { BEFORE_ALL, behind } from "./beginning";
import { type Closed, Course, QUARTER } from "./course";
import type { Measures, TrackFix } from "./machine";
import { END_OF_TIME, spanOf, widenSpan } from "./spans";
import { partDecidedBefore, store } from "./stored";
import { fixesAfter, makesTrips, measuresOf, newestIds, speedOf } from "./track";

/**
 * The timelines of devices under way. Closed parts are stored with the fix that closes them; the rest is in memory, and comes
 * from the fixes behind the last part after a restart.
 */

interface Live {
  /** Null while there are too many fixes behind the last part: the job catches up first. */
  course: Course | null;
  /** The newest fix that it has seen. A use case that was undone leaves another one than the database has. */
  newestId: string | null;
  /** True for a device that makes trips by itself. */
  makesTrips: boolean;
  /** Set when the track has changed behind its back. */
  isStale: boolean;
}

/** There are no more devices. */
const MOST = 2_000;
const kept = new BoundedMap<string, Live>(MOST);
const live = new TransactionCache<string, Live>(MOST);

/**
 * Fixes behind the last part that a request follows at most: the seconds of an open part, and those of a run that may become
 * a stop. There are no more unless the job has some to catch up with.
 */
const mostFollowed = ({ stopMs }: Measures): number => (QUARTER + stopMs) / SECOND + 2;

interface Followed {
  course: Course;
  /** Parts that the fixes behind the last stored one have closed. */
  closed: Closed[];
}

/** Follows a device's track behind the last stored part; null if that would take long. */
function follow(deviceId: string): Followed | null {
  const measures = measuresOf(deviceId);
  if (!measures) return null;
  const { after, beginning } = behind(deviceId, partDecidedBefore(deviceId, END_OF_TIME));
  const course = new Course(measures, beginning);
  const closed: Closed[] = [];
  let left = mostFollowed(measures);
  for (const fix of fixesAfter(deviceId, after)) {
    if (--left < 0) return null;
    closed.push(...course.take(fix));
  }
  return { course, closed };
}

/** A fix as it is stored. */
type StoredFix = Parameters<typeof speedOf>[0] & {
  id: string;
  timestamp: number;
  latitude: number;
  longitude: number;
};

const toTrackFix = (fix: StoredFix): TrackFix => ({
  time: fix.timestamp,
  latitude: fix.latitude,
  longitude: fix.longitude,
  speedKmh: speedOf(fix),
});

/**
 * Adds the newest fix of a device that counts to its timeline, in the current transaction. It must be stored already. True for
 * a device that makes trips by itself.
 */
export function advance(deviceId: string, fix: StoredFix): boolean {
  let state = live.get(deviceId, () => recall(deviceId, fix));
  if (state.isStale) {
    state = recall(deviceId, fix);
    live.set(deviceId, state);
  }
  state.newestId = fix.id;
  if (state.course) for (const closed of state.course.take(toTrackFix(fix))) store(deviceId, closed);
  return state.makesTrips;
}

/** The state of a device before a fix, or with it. */
function recall(deviceId: string, { id, timestamp }: StoredFix): Live {
  const known = kept.get(deviceId);
  const [newest, previous = null] = newestIds(deviceId, timestamp);
  const isWaiting = known?.course === null && spanOf(deviceId) !== null;
  if (
    known &&
    !known.isStale &&
    (isWaiting || (known.course && newest === id && previous === known.newestId))
  )
    return known;
  const followed = follow(deviceId);
  if (followed) for (const closed of followed.closed) store(deviceId, closed);
  else catchUp(deviceId);
  const state: Live = {
    course: followed?.course ?? null,
    newestId: id,
    isStale: false,
    makesTrips: makesTrips(deviceId),
  };
  kept.set(deviceId, state);
  return state;
}

/** Leaves the fixes behind the last part to the job. */
function catchUp(deviceId: string): void {
  const last = partDecidedBefore(deviceId, END_OF_TIME);
  widenSpan(deviceId, last ? last.decided_time + 1 : 0, END_OF_TIME);
}

/** Goes on with a course that the job has followed to the newest fix, once the current transaction is committed. */
export function adopt(deviceId: string, course: Course): void {
  const newestId = newestIds(deviceId)[0] ?? null;
  const state: Live = { course, newestId, isStale: false, makesTrips: makesTrips(deviceId) };
  afterCommit(() => kept.set(deviceId, state));
}

/** Forgets what is in memory of a device's timeline. */
export function forgetLive(deviceId: string): void {
  const known = kept.get(deviceId);
  if (known) known.isStale = true;
  kept.delete(deviceId);
}

/**
 * Notes, in the current transaction, that fixes of a device with these times (epoch milliseconds) came late, count from now
 * on, or don't any more.
 */
export function noteTimelineSpan(deviceId: string, from: number, to: number): void {
  forgetLive(deviceId);
  widenSpan(deviceId, from, to);
}

/** Lets a device's timeline be computed anew from its first fix on, in the current transaction. */
export function remeasure(deviceId: string): void {
  const [first] = fixesAfter(deviceId, BEFORE_ALL);
  if (first) noteTimelineSpan(deviceId, first.time, END_OF_TIME);
}

/**
 * The parts of a device's timeline that aren't stored, oldest first, each with the sums of its segment up to its end: as they
 * are if no further fix comes. None while the job catches up.
 */
export function tailOf(deviceId: string, which: "all" | "decided" = "all"): Closed[] {
  const known = kept.get(deviceId);
  const isCurrent = known && !known.isStale && known.newestId === (newestIds(deviceId)[0] ?? null);
  if (isCurrent && known.course) return known.course.tail(which);
  const followed = isCurrent ? null : follow(deviceId);
  return followed ? [...followed.closed, ...followed.course.tail(which)] : [];
}
