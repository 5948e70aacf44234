import { sqlite, statement } from "../../kernel/db/connection";
import { transact } from "../../kernel/db/transactions";
import { MINUTE, now, SECOND, steadyNow } from "../../kernel/time/clock";

/**
 * The times at which positions of devices last arrived, by this server's clock, whatever their own time. They are in memory,
 * and written down now and then: a write for each position would cost more than the position. Raw SQL: positions come here.
 */

// --- Devices that are watched -------------------------------------------------------------------------------

const watched = new Map<string, { devices: "all" | ReadonlySet<string>; isUrgent: boolean }>();

/**
 * Watches the devices that somebody needs, in place of those named before. What is urgent is written down more often, so
 * that a restart knows it to about two seconds.
 */
export function watchArrivals(by: string, devices: "all" | Iterable<string>, isUrgent = false): void {
  watched.set(by, { devices: devices === "all" ? "all" : new Set(devices), isUrgent });
}

function isWatched(deviceId: string): boolean {
  for (const { devices } of watched.values()) if (devices === "all" || devices.has(deviceId)) return true;
  return false;
}

// --- Arrivals ------------------------------------------------------------------------------------------------

const arrivals = new Map<string, number>();
/** Devices whose newest arrival is not written down yet. */
const unwritten = new Set<string>();

/** Notes that a position of a device has arrived. */
export function noteArrival(deviceId: string): void {
  if (!isWatched(deviceId)) return;
  heedClock();
  arrivals.set(deviceId, now());
  unwritten.add(deviceId);
}

const written = statement(() =>
  sqlite.prepare<{ arrived_at: number | null }, [string]>(
    `SELECT max(arrived_at) AS arrived_at FROM (
       SELECT arrived_at FROM device_arrivals WHERE device_id = ?1
       UNION ALL SELECT * FROM (SELECT created_at FROM gps_points WHERE device_id = ?1 ORDER BY timestamp DESC, rowid DESC LIMIT 1))`,
  ),
);

/** The time at which a position of a device last arrived (epoch milliseconds); null before the first. */
export function lastArrival(deviceId: string): number | null {
  heedClock();
  const known = arrivals.get(deviceId) ?? written().get(deviceId)?.arrived_at ?? null;
  if (known === null) return null;
  // A clock that was set back since: the silence begins now.
  const arrival = Math.min(known, now());
  if (isWatched(deviceId)) arrivals.set(deviceId, arrival);
  return arrival;
}

/**
 * The time at which a device will have been silent for a while, in milliseconds; null before its first position. Time in which
 * this server was down doesn't count, but adds no more than `longestGrace` after its start.
 */
export function silentAt(
  deviceId: string,
  milliseconds: number,
  longestGrace = Number.POSITIVE_INFINITY,
): number | null {
  const arrival = lastArrival(deviceId);
  if (arrival === null) return null;
  const due = arrival + milliseconds;
  const down = downFor();
  if (arrival >= life.startedAt || down === 0) return due;
  return Math.max(due, Math.min(due + down, life.startedAt + longestGrace));
}

// --- The life of this server ---------------------------------------------------------------------------------

/** By the clock as it is now, epoch milliseconds. */
const life = {
  startedAt: 0,
  /** The last time at which the server before was seen to run. */
  ranUntil: 0,
};

/** A restart that takes less than this is none: the time until which the server ran is known no better. */
const SHORT = 15 * SECOND;

/** Milliseconds before the start in which nothing could arrive. */
function downFor(): number {
  const milliseconds = life.startedAt - life.ranUntil;
  return milliseconds < SHORT ? 0 : milliseconds;
}

const aliveAt = statement(() =>
  sqlite.prepare<{ alive_at: number }, []>("SELECT alive_at FROM server_life WHERE id = 1"),
);

/** Begins to count: call it once the database is open. */
export function startArrivals(): void {
  arrivals.clear();
  unwritten.clear();
  const time = now();
  writtenAt = time;
  life.startedAt = time;
  life.ranUntil = aliveAt().get()?.alive_at ?? time;
  steadyAhead = steadyNow() - time;
}

let writtenAt = 0;

/** Milliseconds by which steady time is ahead of the clock: another number once the clock was set. */
let steadyAhead = 0;
/** Less is how a clock is held to the right time. */
const LEAST_LEAP = SECOND;

/**
 * A clock that was set is no silence: a box without a battery boots in 1970, or goes on with the time of its end, and is set
 * right later. What has happened since the start moves along with the clock.
 */
function heedClock(): void {
  const ahead = steadyNow() - now();
  const leap = steadyAhead - ahead;
  if (Math.abs(leap) < LEAST_LEAP) return;
  steadyAhead = ahead;
  for (const [id, arrival] of arrivals) {
    if (arrival < life.startedAt) continue;
    arrivals.set(id, arrival + leap);
    unwritten.add(id);
  }
  life.startedAt += leap;
}

const writeArrival = statement(() =>
  sqlite.prepare<unknown, [string, number]>(
    "INSERT INTO device_arrivals (device_id, arrived_at) VALUES (?1, ?2) ON CONFLICT (device_id) DO UPDATE SET arrived_at = ?2",
  ),
);
const writeLife = statement(() =>
  sqlite.prepare<unknown, [number]>(
    "INSERT INTO server_life (id, alive_at) VALUES (1, ?1) ON CONFLICT (id) DO UPDATE SET alive_at = ?1",
  ),
);
const forget = statement(() =>
  sqlite.prepare<unknown, [string]>("DELETE FROM device_arrivals WHERE device_id = ?"),
);

const WRITE_EVERY = 10 * SECOND;
const WRITE_URGENT_EVERY = 2 * SECOND;
/** While nobody is watched, it only matters to know roughly when the server ran last. */
const WRITE_IDLE_EVERY = MINUTE;

/** Writes down what has arrived. Called each second. */
export async function tickArrivals(): Promise<void> {
  heedClock();
  if (Math.abs(now() - writtenAt) >= writePause()) await writeDown();
}

function writePause(): number {
  const busy = [...watched.values()].filter(({ devices }) => devices === "all" || devices.size > 0);
  if (busy.length === 0) return WRITE_IDLE_EVERY;
  return busy.some(({ isUrgent }) => isUrgent) ? WRITE_URGENT_EVERY : WRITE_EVERY;
}

/** Writes down what has arrived, and that the server runs. */
export async function writeDown(): Promise<void> {
  const ids = [...unwritten];
  unwritten.clear();
  writtenAt = now();
  await transact(() => {
    for (const id of ids) writeArrival().run(id, arrivals.get(id) ?? now());
    writeLife().run(now());
  });
}

/** Forgets a device that is deleted, in the current transaction. */
export function forgetArrivals(deviceId: string): void {
  forget().run(deviceId);
  arrivals.delete(deviceId);
  unwritten.delete(deviceId);
}
