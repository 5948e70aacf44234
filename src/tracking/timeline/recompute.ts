import { subscribe } from "../../kernel/db/events";
import { inSteps } from "../../kernel/db/steps";
import { logFailure, mayLog } from "../../kernel/errors/trouble";
import { log } from "../../kernel/logs/log";
import { DAY, iso } from "../../kernel/time/clock";
import { purgedTo } from "../geofences/tracks";
import { type Behind, behind, sumOf } from "./beginning";
import { type Closed, Course } from "./course";
import { adopt, forgetLive } from "./live";
import type { Measures } from "./machine";
import { END_OF_TIME, endSpan, moveSpan, type Span, spanOf, spans } from "./spans";
import {
  deleteParts,
  deleteSegments,
  partDecidedBefore,
  partEndingAt,
  partsBehind,
  store,
  storeSegment,
  toSegmentRow,
} from "./stored";
import { addTally } from "./tally";
import { fixAt, fixesAfter, measuresOf } from "./track";

/**
 * Computes timelines anew where tracks have changed in the past: from the last part that still holds, along the fixes, until a
 * part comes out as it is stored.
 */

/** Milliseconds of work in one turn of the event loop. */
const STEP = 8;

/** Fixes between two looks at the clock. */
const LOOK = 32;

/** Does a step of the work for a device, in a transaction. True if more is left. */
export function recomputeStep(deviceId: string, milliseconds = STEP): boolean {
  const span = spanOf(deviceId);
  const measures = measuresOf(deviceId);
  if (!span || !measures) return false;
  const from = beginningOf(deviceId, span);
  const { segment = null } = from.beginning ?? {};
  const begun = segment && toSegmentRow(deviceId, segment);
  const way = walk(deviceId, from, measures, span, milliseconds);
  deleteParts(deviceId, from.after, way.upTo);
  deleteSegments(deviceId, begun?.from_time ?? from.after, way.upTo);
  if (begun) storeSegment(deviceId, begun);
  for (const closed of way.closed) store(deviceId, closed);
  if (way.end === null) {
    moveSpan(deviceId, way.upTo);
    if (way.upTo - span.begun_from > DAY) tellProgress(deviceId, way.upTo);
    return true;
  }
  if (way.end === "as stored") joinSegment(deviceId, way.closed.at(-1) as Closed);
  endSpan(deviceId);
  forgetLive(deviceId);
  if (way.end === "newest fix") adopt(deviceId, way.course);
  return false;
}

/** The place from which on the track is followed. Parts of fixes that were deleted by age are left alone. */
function beginningOf(deviceId: string, { from_time }: Span): Behind {
  const purged = purgedTo(deviceId) ?? 0;
  const part = partDecidedBefore(deviceId, Math.max(from_time, purged + 1));
  const isPurged = purged > (part?.until_time ?? 0);
  return isPurged ? { after: purged, beginning: null } : behind(deviceId, part);
}

interface Way {
  course: Course;
  closed: Closed[];
  /** Why it ended: the last part is as it is stored, or there are no more fixes. Null if its time was up. */
  end: "as stored" | "newest fix" | null;
  /** The fix time up to which nothing that was stored holds. */
  upTo: number;
}

/** Follows the track for some milliseconds. It reads, and changes nothing. */
function walk(
  deviceId: string,
  { after, beginning }: Behind,
  measures: Measures,
  span: Span,
  milliseconds: number,
): Way {
  const course = new Course(measures, beginning);
  const until = performance.now() + milliseconds;
  const closed: Closed[] = [];
  const way = (end: Way["end"], upTo: number): Way => ({ course, closed, end, upTo });
  let count = 0;
  for (const fix of fixesAfter(deviceId, after)) {
    for (const each of course.take(fix)) {
      closed.push(each);
      if (isAsStored(deviceId, each, span)) return way("as stored", each.part.sums.until.time);
    }
    // A step gets beyond the part behind which it began, else the next one would begin there too.
    const first = closed[0];
    const isBeyond = first !== undefined && first.part.decidedTime < fix.time && fix.time > span.from_time;
    if (++count % LOOK === 0 && isBeyond && performance.now() > until) return way(null, fix.time);
  }
  return way("newest fix", END_OF_TIME);
}

/** True if from here on everything comes out as it is stored, since the same fixes follow the same state. */
function isAsStored(deviceId: string, { part: { sums, isLast, begunTime } }: Closed, span: Span): boolean {
  const { time } = sums.until;
  if (time <= span.to_time) return false;
  const stored = partEndingAt(deviceId, time);
  return (
    stored !== null &&
    stored.kind === sums.kind &&
    stored.is_last === Number(isLast) &&
    stored.begun_time === begunTime
  );
}

/** Stores the whole of a segment whose parts up to one are new, and whose others are as they were. */
function joinSegment(deviceId: string, { part, segment }: Closed): void {
  if (part.isLast) return;
  const parts = partsBehind(deviceId, part.sums.until.time);
  const last = parts.at(-1);
  if (!last) return;
  const end = fixAt(deviceId, last.until_time);
  if (!end) return;
  addTally(segment, sumOf(parts, segment.until, end));
  storeSegment(deviceId, toSegmentRow(deviceId, segment));
}

// --- The job ----------------------------------------------------------------------------------------------

/** Logs now and then how far a long computation has come. */
function tellProgress(deviceId: string, time: number): void {
  if (mayLog("timelines")) log.info("a timeline is being computed", { device: deviceId, up_to: iso(time) });
}

const job = inSteps({
  due: spans,
  step: recomputeStep,
  complaint: "the timeline of a device could not be computed anew; it is tried again",
});

/** The job: does all the work there is, in steps with requests in between. */
export const recomputeTimelines = job.run;

/** Lets the work begin as soon as there is some. Returns the stop. */
export function startTimelines(): () => void {
  subscribe("timeline.changed", () => {
    job.run().catch((error) => logFailure("timelines could not be computed anew; it is tried again", error));
  });
  return job.stop;
}
