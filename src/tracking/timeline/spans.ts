import { sqlite, statement } from "../../kernel/db/connection";
import { publish } from "../../kernel/db/events";
import { isoOrNull } from "../../kernel/time/clock";

/** Stretches of tracks whose timelines are to be computed anew. Raw SQL: late positions come by the thousand. */

declare module "../../kernel/db/events" {
  interface EventMap {
    /** A device's timeline is to be computed anew. */
    "timeline.changed": { device_id: string };
  }
}

/** Beyond all fixes: a stretch that ends here is followed to the newest one. */
export const END_OF_TIME = Number.MAX_SAFE_INTEGER;

export interface Span {
  begun_from: number;
  from_time: number;
  to_time: number;
}

const widen = statement(() =>
  sqlite.prepare<unknown, [string, number, number]>(
    `INSERT INTO timeline_spans (device_id, begun_from, from_time, to_time) SELECT id, ?2, ?2, ?3 FROM devices WHERE id = ?1
     ON CONFLICT (device_id) DO UPDATE SET begun_from = min(begun_from, ?2), from_time = min(from_time, ?2), to_time = max(to_time, ?3)`,
  ),
);
const ofDevice = statement(() =>
  sqlite.prepare<Span, [string]>(
    "SELECT begun_from, from_time, to_time FROM timeline_spans WHERE device_id = ?",
  ),
);
const due = statement(() =>
  sqlite.prepare<{ device_id: string }, []>(
    "SELECT device_id FROM timeline_spans ORDER BY begun_from DESC LIMIT 100",
  ),
);
const move = statement(() =>
  sqlite.prepare<unknown, [number, string]>(
    "UPDATE timeline_spans SET from_time = ?1, to_time = max(to_time, ?1) WHERE device_id = ?2",
  ),
);
const remove = statement(() =>
  sqlite.prepare<unknown, [string]>("DELETE FROM timeline_spans WHERE device_id = ?"),
);

/** Widens the stretch of a device by fix times, in the current transaction. */
export function widenSpan(deviceId: string, from: number, to: number): void {
  widen().run(deviceId, from, to);
  publish("timeline.changed", { device_id: deviceId });
}

export const spanOf = (deviceId: string): Span | null => ofDevice().get(deviceId);

/** Devices for which there is work, those first whose tracks have changed in the latest time. */
export const spans = (): string[] =>
  due()
    .all()
    .map(({ device_id }) => device_id);

/**
 * Notes, in the current transaction, that the work has come to a fix time. Parts before it are new already: one that comes out
 * as it is stored says nothing of those behind it.
 */
export const moveSpan = (deviceId: string, from: number): void => {
  move().run(from, deviceId);
};

/** Notes, in the current transaction, that the work for a device is done. */
export const endSpan = (deviceId: string): void => {
  remove().run(deviceId);
};

/** The fix time, ISO 8601, from which a device's timeline is being computed anew, if that is before a time; else null. */
export function recomputingFrom(deviceId: string, before = END_OF_TIME): string | null {
  const begun = spanOf(deviceId)?.begun_from ?? null;
  return begun === null || begun >= before ? null : isoOrNull(begun);
}
