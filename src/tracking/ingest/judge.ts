import { note } from "../../feed/journal";
import { sqlite, statement } from "../../kernel/db/connection";
import { publish } from "../../kernel/db/events";
import { SECOND } from "../../kernel/time/clock";
import { distanceKm } from "../../kernel/values/great-circle";
import { COLUMNS, counts, type Row } from "./columns";
import { redraw, refreshLast } from "./distance";
import type { Judgement } from "./kinds";
import { noteSpan } from "./spans";

declare module "../../kernel/db/events" {
  interface EventMap {
    /** A position counts from now on, or doesn't any more. */
    "position.judged": { device_id: string | null };
  }
}

/**
 * Judges fixes by the speed that they imply. The judgement of a fix depends on its stored neighbours alone, marked or not,
 * so that it is the same in whatever order they came. Raw SQL: each fix of a device with a highest speed runs these.
 */

export type Numbered = Row & { row: number };

const ofDevice = (rest: string) =>
  statement(() =>
    sqlite.prepare<Numbered, (string | number)[]>(
      `SELECT rowid AS row, ${COLUMNS} FROM gps_points WHERE device_id = +?1 AND ${rest}`,
    ),
  );
/** Positions on each side of a fix that its coming or going may concern: its neighbour's judgement needs the next but one. */
const REACH = 2;
const before = ofDevice(
  `timestamp <= ?2 AND (timestamp < ?2 OR rowid < ?3) ORDER BY timestamp DESC, rowid DESC LIMIT ${REACH}`,
);
const from = ofDevice(
  `timestamp >= ?2 AND (timestamp > ?2 OR rowid >= ?3) ORDER BY timestamp, rowid LIMIT ${REACH + 1}`,
);
const setJudgement = statement(() =>
  sqlite.prepare<unknown, [Judgement | null, number]>("UPDATE gps_points SET judgement = ? WHERE rowid = ?"),
);
const byId = statement(() =>
  sqlite.prepare<Numbered, [string]>(`SELECT rowid AS row, ${COLUMNS} FROM gps_points WHERE id = ?`),
);
const newestOf = statement(() =>
  sqlite.prepare<Numbered, [string]>(
    `SELECT rowid AS row, ${COLUMNS} FROM gps_points WHERE device_id = +? ORDER BY timestamp DESC, rowid DESC LIMIT 1`,
  ),
);
const isCompleted = statement(() =>
  sqlite.prepare<{ isCompleted: 0 | 1 }, [string]>(
    "SELECT status = 'completed' AS isCompleted FROM trips WHERE id = ?",
  ),
);

/** True if the way from one fix to the next would take a higher speed. Times are whole seconds: less is one. */
function isTooFast(from: Row, to: Row, maxSpeedKmh: number): boolean {
  const seconds = Math.max(1, (to.timestamp - from.timestamp) / SECOND);
  return (distanceKm(from, to) / seconds) * 3_600 > maxSpeedKmh;
}

/** The judgement of a fix between its neighbours; those of people stay. */
export function judgementOf(
  fix: Row,
  previous: Row | undefined,
  next: Row | undefined,
  maxSpeedKmh: number,
): Judgement | null {
  if (fix.judgement === "hand" || fix.judgement === "cleared") return fix.judgement;
  if (!previous || !isTooFast(previous, fix, maxSpeedKmh)) return null;
  if (!next) return "held";
  return isTooFast(fix, next, maxSpeedKmh) ? "speed" : null;
}

/** Stores a judgement in the current transaction, and draws the fix's trip anew where it counts or not from now on. */
export function setJudged(fix: Numbered, judgement: Judgement | null): void {
  const by = Number(counts(judgement)) - Number(counts(fix.judgement));
  const found = fix.trip_id === null || by === 0 ? null : isCompleted().get(fix.trip_id);
  const trip = found && { id: fix.trip_id as string, isCompleted: found.isCompleted === 1 };
  if (trip && by === 1) redraw(trip, fix, 1);
  setJudgement().run(judgement, fix.row);
  publish("position.judged", { device_id: fix.device_id });
  note("position", fix.id, fix.device_id);
  if (trip && by === -1) redraw(trip, fix, -1);
  if (trip) refreshLast(trip.id);
}

/**
 * Judges a fix that was just stored, or that has just gone, and its neighbours, in the current transaction. Returns those
 * that count from now on, oldest first.
 */
export function judgeAround(
  deviceId: string,
  fix: Pick<Numbered, "timestamp" | "row">,
  maxSpeedKmh: number,
): Numbered[] {
  const earlier = before().all(deviceId, fix.timestamp, fix.row).reverse();
  const later = from().all(deviceId, fix.timestamp, fix.row);
  const stored = [...earlier, ...later];
  const released: Numbered[] = [];
  for (const [index, candidate] of stored.entries()) {
    // The outermost ones are there for their neighbours' sake, unless nothing lies beyond them.
    if ((index === 0 && earlier.length === REACH) || index === earlier.length + REACH) continue;
    const judgement = judgementOf(candidate, stored[index - 1], stored[index + 1], maxSpeedKmh);
    if (judgement === candidate.judgement) continue;
    setJudged(candidate, judgement);
    if (counts(candidate.judgement) && !counts(judgement))
      noteSpan(deviceId, candidate.timestamp, candidate.timestamp);
    if (counts(judgement) && !counts(candidate.judgement)) released.push({ ...candidate, judgement });
  }
  return released;
}

/**
 * Lets the newest fix of a device count, which waited for the next one, in the current transaction: nothing is checked any
 * more.
 */
export function releaseHeld(deviceId: string): void {
  const fix = newestOf().get(deviceId);
  if (fix?.judgement !== "held") return;
  setJudged(fix, null);
  noteSpan(deviceId, fix.timestamp, fix.timestamp);
}

/** A stored position with its row number; null if there is none. */
export const numberedPoint = (id: string): Numbered | null => byId().get(id);
