import { and, eq, inArray, isNull } from "drizzle-orm";
import { db } from "../../kernel/db/connection";
import { subscribe } from "../../kernel/db/events";
import { afterCommit, transact } from "../../kernel/db/transactions";
import { logFailure } from "../../kernel/errors/trouble";
import { iso, MINUTE } from "../../kernel/time/clock";
import type { Position } from "../../kernel/values/great-circle";
import type { StoredAutoTrip } from "../devices/auto-trip";
import { devices } from "../devices/table";
import { newestPositionOf } from "../gps/service";
import { forgetAllCurrent } from "../ingest/current-cache";
import { tripDistanceKm } from "../ingest/distance";
import { nearestLocation } from "../locations/nearest";
import { tailOf } from "../timeline/live";
import { firstLasting, type SegmentRow, toSegmentRow } from "../timeline/stored";
import { changeTrip, insertTrip, removeTrip } from "../trips/service";
import { trips } from "../trips/table";
import { joinTrip, leaveTrip } from "./points";
import { autoTrips } from "./table";

/**
 * Trips that devices make by themselves. Each look at a device's timeline goes on where the last one ended, so that a buffer
 * that comes at once makes the trips that it would have made fix by fix.
 */

type State = typeof autoTrips.$inferSelect;

interface Maker {
  id: string;
  name: string;
  rules: StoredAutoTrip;
}

/** Does the next thing that a device's timeline asks for, in a transaction. True if there may be more. */
export function makeTrips(deviceId: string): boolean {
  const maker = findMaker(deviceId);
  if (!maker) return false;
  const tail = decidedTail(deviceId);
  const newest = tail.at(-1);
  const state = findState(deviceId) ?? beginState(deviceId, newest);
  if (!newest) return false;
  if (state.trip_id !== null) return endTrip(maker, state, state.trip_id, tail);
  const underWay = and(eq(trips.device_id, deviceId), inArray(trips.status, ["active", "paused"]));
  const byHand = db.select({ id: trips.id }).from(trips).where(underWay).limit(1).get();
  if (!byHand) return beginTrip(maker, state, tail);
  settle(state, { settled_to: Math.max(state.settled_to, newest.until_time) });
  return false;
}

function findMaker(id: string): Maker | null {
  const device = db
    .select({ name: devices.name, rules: devices.auto_trip })
    .from(devices)
    // A box makes the trips of its devices itself.
    .where(and(eq(devices.id, id), isNull(devices.box_id)))
    .get();
  return device?.rules?.is_enabled ? { id, name: device.name, rules: device.rules } : null;
}

/** The segments at the end of a timeline, without fixes that may become a stop. */
function decidedTail(deviceId: string): SegmentRow[] {
  const segments = new Map<number, SegmentRow>();
  for (const { segment } of tailOf(deviceId, "decided"))
    segments.set(segment.from.time, toSegmentRow(deviceId, segment));
  return [...segments.values()];
}

const findState = (deviceId: string): State | undefined =>
  db.select().from(autoTrips).where(eq(autoTrips.device_id, deviceId)).get();

/** A device that begins to make trips while it moves makes one of that move; nothing before that makes any. */
function beginState(device_id: string, newest: SegmentRow | undefined): State {
  const position = newestPositionOf(device_id);
  const settled_to =
    newest?.kind === "move" ? newest.from_time : position ? Date.parse(position.timestamp) : 0;
  const state = { device_id, trip_id: null, settled_to };
  db.insert(autoTrips).values(state).run();
  return state;
}

function settle({ device_id }: State, change: Partial<State>): void {
  db.update(autoTrips).set(change).where(eq(autoTrips.device_id, device_id)).run();
}

/** The first segment from a time on that lasts long enough, stored or at the end. */
function lasting(
  deviceId: string,
  tail: readonly SegmentRow[],
  from: number,
  which: "move" | "rest",
  minutes: number,
): SegmentRow | null {
  // A stored row may be the beginning of one at the end: that has the same beginning, and lasts longer.
  const stored = firstLasting(deviceId, from, which, minutes * MINUTE);
  if (stored && !tail.some(({ from_time }) => from_time === stored.from_time)) return stored;
  const isAsked = ({ from_time, until_time, kind }: SegmentRow) =>
    from_time >= from &&
    (kind === "move") === (which === "move") &&
    until_time - from_time >= minutes * MINUTE;
  return tail.find(isAsked) ?? null;
}

const startOf = ({ start_latitude, start_longitude }: SegmentRow): Position => ({
  latitude: start_latitude,
  longitude: start_longitude,
});

// --- The beginning ----------------------------------------------------------------------------------------

function beginTrip(maker: Maker, state: State, tail: readonly SegmentRow[]): boolean {
  const move = lasting(maker.id, tail, state.settled_to, "move", maker.rules.start_after_minutes);
  if (!move) return false;
  const origin = nearestLocation(startOf(move));
  const { id } = insertTrip({
    name: nameOf(maker, move, origin?.name ?? null),
    device_id: maker.id,
    gps_logging_enabled: true,
    origin_id: origin?.id ?? null,
  });
  changeTrip(id, { status: "active" }, move.from_time, null);
  joining.add(id);
  settle(state, { trip_id: id, settled_to: move.from_time });
  afterCommit(forgetAllCurrent);
  return true;
}

/** Trips that positions from before their beginning are still joining. */
const joining = new Set<string>();

const MOST_CHARACTERS = 200;

/** The name of a trip by the device's template. */
function nameOf({ name, rules }: Maker, move: SegmentRow, origin: string | null): string {
  const began = iso(move.from_time);
  const { latitude, longitude } = startOf(move);
  const values: Record<string, string> = {
    date: began.slice(0, 10),
    time: began.slice(11, 16),
    origin: origin ?? `${latitude.toFixed(4)}, ${longitude.toFixed(4)}`,
    device: name,
  };
  const filled = rules.name_template.replace(/\{(date|time|origin|device)\}/g, (_, key) => values[key] ?? "");
  return [...filled].slice(0, MOST_CHARACTERS).join("");
}

// --- The end ----------------------------------------------------------------------------------------------

function endTrip(maker: Maker, state: State, tripId: string, tail: readonly SegmentRow[]): boolean {
  const trip = db.select({ status: trips.status }).from(trips).where(eq(trips.id, tripId)).get();
  if (trip?.status !== "active") {
    joining.delete(tripId);
    // Someone has ended it by hand, or has paused it: it is theirs now.
    const { until_time = state.settled_to } = tail.at(-1) ?? {};
    settle(state, { trip_id: null, settled_to: until_time });
    return true;
  }
  const joined = { id: tripId, isCompleted: false };
  if (joining.has(tripId)) {
    if (!joinTrip(joined, maker.id, state.settled_to)) joining.delete(tripId);
    return true;
  }
  const rest = lasting(maker.id, tail, state.settled_to, "rest", maker.rules.end_after_minutes);
  if (!rest) return false;
  if (leaveTrip(joined, maker.id, rest.from_time)) return true;
  const destination_id = nearestLocation(startOf(rest))?.id ?? null;
  changeTrip(tripId, { status: "completed", destination_id }, rest.from_time, null);
  if (tripDistanceKm(tripId) < maker.rules.min_distance_km) removeTrip(tripId, null);
  settle(state, { trip_id: null, settled_to: rest.until_time });
  afterCommit(forgetAllCurrent);
  return true;
}

// --- The work ---------------------------------------------------------------------------------------------

const due = new Set<string>();
let isAtWork = false;

async function makeAllTrips(): Promise<void> {
  if (isAtWork) return;
  isAtWork = true;
  try {
    for (const deviceId of due) {
      due.delete(deviceId);
      try {
        while (await transact(() => makeTrips(deviceId)));
      } catch (error) {
        logFailure(
          "the automatic trips of a device could not be made; its next position tries again",
          error,
          {
            device: deviceId,
          },
        );
      }
    }
  } finally {
    isAtWork = false;
  }
}

/** Lets devices make trips as they move. */
export function startAutoTrips(): void {
  subscribe("device.moved", ({ device_id }) => {
    due.add(device_id);
    makeAllTrips();
  });
}
