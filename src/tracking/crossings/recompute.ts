import { leaveUntold } from "../../alerts/conditions/fix";
import { note } from "../../feed/journal";
import { publish, subscribe } from "../../kernel/db/events";
import { inSteps } from "../../kernel/db/steps";
import { logFailure } from "../../kernel/errors/trouble";
import { iso } from "../../kernel/time/clock";
import type { Shown } from "../geofences/events";
import { presencesOf, sidesOf, storePresences } from "../geofences/presence";
import { OUTSIDE } from "../geofences/sides";
import { fixesBefore, type Moment, noteCompared, placed, purgedTo } from "../geofences/tracks";
import { keepLate, supersede } from "../ingest/crossings";
import { Replay } from "./replay";
import { endSpan, moveSpan, type Span, setShown, sidesAfter, spanOf, spans, storedBetween } from "./stored";

/**
 * Computes crossings anew where a device's track has changed in the past: from the last state that still holds, along the
 * fixes in order of their times, until everything is as it was stored.
 */

/** A correction of crossings, told to those who show them. */
export interface ZoneCorrection {
  device_id: string;
  geofence_ids: string[];
  /** The first and the last crossing that came or went, ISO 8601. */
  from: string;
  to: string;
}

declare module "../../kernel/db/events" {
  interface EventMap {
    /** Late positions have changed crossings. */
    "geofences.corrected": ZoneCorrection;
  }
}

/** Milliseconds of work in one turn of the event loop. */
const STEP = 8;

const LAST: Moment = { timestamp: Number.MAX_SAFE_INTEGER, row: Number.MAX_SAFE_INTEGER };

/** Does a step of the work for a device, in a transaction. True if more is left. */
export function recomputeStep(deviceId: string, milliseconds = STEP): boolean {
  const span = spanOf(deviceId);
  if (!span) return false;
  const replay = new Replay(deviceId, beginning(deviceId, span), span.to_time);
  const until = performance.now() + milliseconds;
  while (replay.next())
    // A step gets beyond the time at which it began, else the next one would begin there too.
    if (replay.at.timestamp > span.from_time && performance.now() > until) break;
  correct(deviceId, span, replay);
  if (replay.end === null) {
    moveSpan(deviceId, { ...span, from_time: replay.at.timestamp });
    return true;
  }
  const { position } = replay;
  if (position && replay.end === "newest fix") noteCompared(deviceId, placed(position));
  settle(deviceId, replay);
  endSpan(deviceId);
  tell(deviceId, span);
  return false;
}

/**
 * The fix from which on the track is followed: the one before the change, whose crossings come out as they are stored. Fixes
 * up to those that were deleted by age are left alone.
 */
function beginning(deviceId: string, { from_time }: Span): Moment {
  const purged = purgedTo(deviceId);
  const from = { timestamp: purged === null ? from_time : Math.max(from_time, purged + 1), row: 0 };
  const [before, oneBefore] = fixesBefore(deviceId, from, 2);
  if (!before) return from;
  return purged === null || (oneBefore && oneBefore.timestamp > purged) ? before : from;
}

const keyOf = (zoneId: string, event: string, occurredAt: number, fixId: string | null): string =>
  `${zoneId} ${event} ${occurredAt} ${fixId}`;

/** Makes the stored crossings along the way equal to those that were shown, and notes in the span what changed. */
function correct(deviceId: string, span: Span, replay: Replay): void {
  const shown = new Map<string, Shown>(
    replay.shown.map((each) => [keyOf(each.zone.id, each.event, each.occurredAt, each.fix.id), each]),
  );
  const changed = new Set(span.changed_zones);
  const noteChange = (zoneId: string, time: number): void => {
    changed.add(zoneId);
    span.changed_from = Math.min(span.changed_from ?? time, time);
    span.changed_to = Math.max(span.changed_to ?? time, time);
  };
  const upTo = replay.end === "newest fix" ? LAST : replay.at;
  const stored = [...replay.overtaken, ...storedBetween(deviceId, replay.from, upTo)];
  for (const row of stored) {
    const key = keyOf(row.geofence_id, row.event, row.occurred_at, row.gps_point_id);
    const same = shown.get(key);
    if (same) {
      shown.delete(key);
      // Confirmed by another fix.
      if (same.shownBy.timestamp !== row.shown_at || same.shownBy.row !== row.shown_row)
        setShown(row.id, same.shownBy);
    } else {
      supersede(row);
      noteChange(row.geofence_id, row.occurred_at);
    }
  }
  for (const each of shown.values()) {
    keepLate(deviceId, each);
    noteChange(each.zone.id, each.occurredAt);
  }
  span.changed_zones = [...changed];
}

/** Brings the device's present states up to date, now that its track was followed to the end. */
function settle(deviceId: string, replay: Replay): void {
  const present = presencesOf(deviceId);
  if (replay.end === "newest fix") {
    leaveUntold(deviceId, () => sidesOf(deviceId));
    const gone = [...present.values()].filter(({ zone }) => !replay.states.has(zone.seq));
    storePresences(deviceId, [
      ...gone.map(({ zone }) => ({ zone, state: OUTSIDE })),
      ...replay.states.values(),
    ]);
    return;
  }
  // The stays that go on until now may have begun at another time.
  const begunElsewhen = [...replay.states.values()].filter(({ zone, state }) => {
    const now = present.get(zone.seq)?.state;
    return now?.isInside && now.since !== state.since && !sidesAfter(deviceId, zone, replay.at);
  });
  if (begunElsewhen.length === 0) return;
  storePresences(
    deviceId,
    begunElsewhen.map(({ zone, state: { since, hasDwelled } }) => {
      const now = present.get(zone.seq)?.state ?? OUTSIDE;
      return { zone, state: { ...now, since, hasDwelled: hasDwelled || now.hasDwelled } };
    }),
  );
}

function tell(deviceId: string, { changed_zones, changed_from, changed_to }: Span): void {
  if (changed_from === null || changed_to === null) return;
  const correction: ZoneCorrection = {
    device_id: deviceId,
    geofence_ids: changed_zones,
    from: iso(changed_from),
    to: iso(changed_to),
  };
  note("geofenceCorrection", null, deviceId, correction);
  publish("geofences.corrected", correction);
}

// --- The job ----------------------------------------------------------------------------------------------

const job = inSteps({
  due: spans,
  step: recomputeStep,
  complaint: "crossings of a device could not be computed anew; it is tried again",
});

/** The job: does all the work there is, in steps with requests in between. */
export const recomputeCrossings = job.run;

/** Lets the work begin as soon as there is some. Returns the stop. */
export function startRecomputing(): () => void {
  subscribe("track.changed", () => {
    job.run().catch((error) => logFailure("crossings could not be computed anew; it is tried again", error));
  });
  return job.stop;
}
