import { watchAnchor } from "../../alerts/anchor/watch";
import { endSilence, watchFix } from "../../alerts/conditions/fix";
import { note } from "../../feed/journal";
import type { Caller } from "../../identity/access/caller";
import { newId } from "../../kernel/crypto/id";
import { sqlite, statement } from "../../kernel/db/connection";
import { publish } from "../../kernel/db/events";
import { afterCommit, transact, writeLater } from "../../kernel/db/transactions";
import { invalid, notFound } from "../../kernel/errors/errors";
import { isUuid } from "../../kernel/http/schema";
import { iso, now, SECOND } from "../../kernel/time/clock";
import { systemValue } from "../../runtime-settings/service";
import { requireOwn } from "../../sync/owner/owner";
import { evaluateZones } from "../geofences/evaluate";
import { sidesOf } from "../geofences/presence";
import { noteFirst } from "../geofences/tracks";
import { advance } from "../timeline/live";
import {
  COLUMNS,
  type Measures,
  PLACEHOLDERS,
  RecordedPoint,
  type Row,
  rowOf,
  toGpsPoint,
  valuesOf,
} from "./columns";
import { keepCrossings } from "./crossings";
import { forgetCurrent, renewCurrent } from "./current-cache";
import { lengthenTrip } from "./distance";
import { type Fix, isRejected, type Outcome, type Reading, type Rejection } from "./fix";
import { type Idempotency, rememberAnswer, rememberedAnswer } from "./idempotency";
import { isDevice, type JoinedTrip, type Journey, journeyOf, noteNewest, tripAt } from "./journeys";
import { judgeAround, type Numbered } from "./judge";
import { isFile, isOwn, type Source } from "./kinds";
import { ALL, countAt, devicePoints, tripPoints } from "./places";
import { nextNumber } from "./row-numbers";
import type { NewGpsPoint } from "./schema";
import { noteSpan } from "./spans";
import { withAllSpeeds } from "./speeds";
import { whileTurnLasts } from "./turn";

/** Words for health while nothing can be stored. */
export const UNSTORABLE = { en: "positions cannot be stored", de: "Positionen lassen sich nicht speichern" };

/** Fixes that came after a newer one of their device, told of together. */
export interface LateFixes {
  device_id: string;
  count: number;
  /** ISO 8601. */
  from: string;
  to: string;
  trip_ids: string[];
}

declare module "../../kernel/db/events" {
  interface EventMap {
    /** A position was stored that the world is told of by itself. */
    "gps.recorded": RecordedPoint;
    /** A device that makes trips by itself has a new position, not from a file. */
    "device.moved": { device_id: string };
    /** Positions were stored that belong into the past. */
    "gps.late": LateFixes;
    /** The fates of the fixes of one request, by any way but POST /v1/gps. */
    "gps.taken": { source: Source; outcomes: readonly Outcome[] };
  }
}

// --- A fix, from the device to the zones -------------------------------------------------------------------

// Raw SQL: each fix runs these.
const insertPoint = statement(() =>
  sqlite.prepare<unknown, (string | number | null)[]>(
    `INSERT INTO gps_points (rowid, ${COLUMNS}) VALUES (?, ${PLACEHOLDERS})`,
  ),
);
/** The first position of a device in a second, in epoch milliseconds. */
export const ofSecond = statement(() =>
  sqlite.prepare<{ id: string }, [string, number]>(
    "SELECT id FROM gps_points WHERE device_id = +? AND timestamp = ? ORDER BY rowid LIMIT 1",
  ),
);

interface Taken {
  row: Row;
  isLate: boolean;
  /** The fixes that move the device, oldest first: this one, or an earlier one that has just been cleared of a doubt. */
  moving: Numbered[];
  /** The others that count from now on. */
  past: Numbered[];
}

/**
 * Takes a fix at a time in epoch milliseconds, in the current transaction. It joins its trip, is stored, lengthens the
 * trip and moves the device. One that is late lengthens its trip alone, and one that counts for nothing does neither.
 */
function take(
  journey: Journey | null,
  trip: JoinedTrip | null,
  fix: Measures,
  time: number,
  source: Source,
): Taken {
  const own = {
    id: newId(),
    device_id: journey?.id ?? null,
    trip_id: trip?.id ?? null,
    timestamp: time,
    created_at: now(),
    source,
    judgement: null,
    box_id: null,
  };
  const row = rowOf(own, fix);
  const front = journey?.newest ?? Number.NEGATIVE_INFINITY;
  const { number, counted } =
    journey === null || journey.maxSpeedKmh === null ? store(row, trip) : storeJudged(row, journey);
  if (journey) noteNewest(journey, time);
  if (journey?.newest === null) noteFirst(journey.id, number);
  return {
    row,
    isLate: time < front,
    moving: counted.filter(({ timestamp }) => timestamp >= front),
    past: counted.filter(({ timestamp }) => timestamp < front),
  };
}

/**
 * Lets zones, alerts and the timeline see a fix, and each place that its device moved to, in the current transaction. `isHeard`:
 * it comes from this box's own receiver, which was heard before.
 */
export function watch(
  deviceId: string,
  { source }: Row,
  places: Numbered[],
  isHeard = (place: Numbered) => isOwn(place.source),
): void {
  if (!isFile(source)) endSilence(deviceId);
  for (const place of places) {
    const cross = () => keepCrossings(deviceId, evaluateZones(deviceId, place));
    if (advance(deviceId, place) && !isFile(source)) publish("device.moved", { device_id: deviceId });
    watchFix(deviceId, place, cross, () => sidesOf(deviceId), isHeard(place));
    // Those of the own receiver are heard before they are thinned out.
    if (!isHeard(place)) watchAnchor(deviceId, place);
  }
}

/** Notes fixes that count from now on, and move nothing, in the current transaction. */
export function notePast(deviceId: string, fixes: Row[]): void {
  if (fixes.length === 0) return;
  const times = fixes.map(({ timestamp }) => timestamp);
  noteSpan(
    deviceId,
    times.reduce((a, b) => Math.min(a, b)),
    times.reduce((a, b) => Math.max(a, b)),
  );
}

/** A fix that was stored, and those that count from now on. */
interface Stored {
  /** Its row number. */
  number: number;
  counted: Numbered[];
}

/** Stores a fix that counts. */
function store(row: Row, trip: JoinedTrip | null): Stored {
  if (trip) lengthenTrip(trip, row);
  const stored = row as Numbered;
  stored.row = insert(row);
  return { number: stored.row, counted: [stored] };
}

/** Stores a fix, judges it with its neighbours, and finds those that count from now on. */
function storeJudged(row: Row, { id, maxSpeedKmh }: Journey): Stored {
  // Until it is judged it counts for nothing.
  row.judgement = "held";
  const number = insert(row);
  afterCommit(() => forgetCurrent(id));
  const counted = judgeAround(id, { timestamp: row.timestamp, row: number }, maxSpeedKmh as number);
  row.judgement = counted.find((each) => each.id === row.id)?.judgement ?? row.judgement;
  return { number, counted };
}

/** Stores a row, and counts it in its lists, in the current transaction. Returns its number. */
export function insert(row: Row): number {
  const number = nextNumber();
  const values = valuesOf(row);
  writeLater(() => insertPoint().run(number, ...values));
  countAt(ALL, row.timestamp, 1);
  if (row.device_id !== null) countAt(devicePoints(row.device_id), row.timestamp, 1);
  if (row.trip_id !== null) countAt(tripPoints(row.trip_id), row.timestamp, 1);
  return number;
}

const activeTrip = (journey: Journey | null): JoinedTrip | null =>
  journey === null || journey.activeTrip === null ? null : { id: journey.activeTrip, isCompleted: false };

// --- One position by hand ----------------------------------------------------------------------------------

/**
 * Records a position: stores it, joins it to the device's active logging trip, and, unless the device has a
 * newer position already, publishes the zones that the device entered or left (rules T1 to T3). The device is
 * the one that a holder of `devices:write` names, else the one linked to the caller's key. Throws 400 for a
 * time too far ahead, and for a name of no device, and 409 for a box's own. Not `transactAs`: that would read the key anew for each
 * fix, and one that comes in the commit that ends its key may stay.
 */
export function recordPosition(
  caller: Caller,
  fix: NewGpsPoint,
  idempotency: Idempotency | null = null,
): Promise<RecordedPoint> {
  const check = () => {
    checkTimestamp(fix.timestamp);
    return deviceOf(caller, fix.device_id);
  };
  // A repeated request gets the first answer, whatever has become of its device.
  const checked = idempotency === null ? { deviceId: check() } : null;
  return transact(() => {
    const first = idempotency && rememberedAnswer(idempotency);
    if (first) return new RecordedPoint(first);
    const deviceId = checked === null ? check() : checked.deviceId;
    const journey = deviceId === null ? null : journeyOf(deviceId);
    if (journey) requireOwn(journey);
    const { row, moving, past } = take(journey, activeTrip(journey), fix, fix.timestamp * SECOND, "api");
    const point = toGpsPoint(row);
    const recorded = new RecordedPoint(point);
    note("gpsUpdate", row.id, row.device_id);
    publish("gps.recorded", recorded);
    if (row.judgement === null) afterCommit(() => renewCurrent(point));
    if (journey) watch(journey.id, row, moving);
    if (journey) notePast(journey.id, past);
    if (idempotency) rememberAnswer(idempotency, point);
    return recorded;
  }, "retryable");
}

function checkTimestamp(seconds: number): void {
  const ahead = systemValue("gps.max_future_seconds");
  if (seconds * SECOND > now() + ahead * SECOND)
    throw invalid("/timestamp", `must be Unix time in seconds, at most ${ahead} s ahead of the server`);
}

/**
 * The device whose positions a request brings: the one that a holder of `devices:write` names, else the one linked to the
 * caller's key (rule T1); null without either. Throws 400 for a name of no device.
 */
export function deviceOf(caller: Caller, named: unknown): string | null {
  const own = caller.kind === "key" ? caller.deviceId : null;
  const isAllowed = caller.isSuperAdmin || caller.permissions.has("devices:write");
  if (named === undefined || named === null || !isAllowed) return own;
  if (typeof named !== "string" || !isUuid(named)) throw invalid("/device_id", "must be a UUID, or null");
  if (!isDevice(named)) throw invalid("/device_id", "names no device");
  return named;
}

// --- Many positions of a device ----------------------------------------------------------------------------

/** Receivers that have lost their clock tell times from before; whoever sends a batch knows what it holds. */
const YEAR_1990 = Date.UTC(1990, 0, 1) / SECOND;

/**
 * Records what a source sent of a device, in order of fix time, and resolves after the commit with the fate of each reading,
 * in the order given. A fix joins the trip for which the device logged at its time; a second for which there is one already
 * is a duplicate. Requests that would take long go in several transactions, with others in between: one that breaks off is
 * sent again, and finds duplicates. Throws 404 for a device that is gone, and 409 for a box's own.
 */
export function recordPositions(
  source: Source,
  deviceId: string,
  readings: readonly Reading[],
): Promise<Outcome[]> {
  return recordAll(source, deviceId, readings, latestOf(source), "trip of its time");
}

/** The latest time that a source may tell, in Unix seconds. */
export const latestOf = (source: Source): number =>
  now() / SECOND + systemValue(source === "batch" ? "gps.max_future_seconds" : "ingest.max_future_seconds");

/**
 * Records a fix of the box's own receiver, which is not held against the server's clock: a box without a battery for its
 * clock boots in 1970. It joins the trip that is active now. Throws 404 for a device that is gone.
 */
export async function recordOwnPosition(
  source: Source,
  deviceId: string,
  reading: Reading,
): Promise<Outcome> {
  const [outcome] = await recordAll(source, deviceId, [reading], Number.POSITIVE_INFINITY, "active trip");
  return outcome as Outcome;
}

type Joining = "trip of its time" | "active trip";

/** A fix that may be stored, with its place in the request. */
interface Due {
  at: number;
  fix: Fix;
  /** Epoch milliseconds, whole seconds. */
  time: number;
}

async function recordAll(
  source: Source,
  deviceId: string,
  readings: readonly Reading[],
  latest: number,
  joining: Joining,
): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  const due: Due[] = [];
  const oldest = source === "batch" ? 0 : YEAR_1990;
  for (const [at, reading] of readings.entries()) {
    const reason = isRejected(reading) ? reading.rejected : objection(reading, latest, oldest);
    if (reason !== null) outcomes[at] = { status: "rejected", reason };
    else due.push({ at, fix: reading as Fix, time: Math.floor((reading as Fix).time as number) * SECOND });
  }
  due.sort((a, b) => a.time - b.time || a.at - b.at);
  for (let done = 0; done < due.length; ) {
    const piece = await transact(() => takePiece(source, deviceId, due, done, joining), "retryable");
    for (const [at, outcome] of piece.outcomes) outcomes[at] = outcome;
    done += piece.outcomes.length;
  }
  publish("gps.taken", { source, outcomes });
  return outcomes;
}

/** The reason why a fix is rejected; null if there is none. `oldest` and `latest` are in Unix seconds. */
export function objection(
  { latitude, longitude, time }: Fix,
  latest: number,
  oldest = YEAR_1990,
): Rejection | null {
  if (!(Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180)) return "no_fix";
  if (time === null || !Number.isFinite(time)) return "no_time";
  if (time < oldest) return "implausible_time";
  return Math.floor(time) > latest ? "in_the_future" : null;
}

/** At most so many positions of one request are told of one by one. */
export const MOST_TOLD = 100;

/** Takes as many fixes as this turn of the event loop has time for, in the current transaction. */
function takePiece(source: Source, deviceId: string, due: Due[], from: number, joining: Joining) {
  const device = journeyOf(deviceId);
  if (device === null) throw notFound("Device");
  requireOwn(device);
  const outcomes: [at: number, outcome: Outcome][] = [];
  const late: Row[] = [];
  const changed: Row[] = [];
  let newest: Row | undefined;
  whileTurnLasts(() => {
    const index = from + outcomes.length;
    const { at, fix, time } = due[index] as Due;
    const journey = journeyOf(deviceId) as Journey;
    const first = journey.newest !== null && time <= journey.newest ? ofSecond().get(deviceId, time) : null;
    if (first) outcomes.push([at, { status: "duplicate", id: first.id }]);
    else {
      const trip = joining === "active trip" ? activeTrip(journey) : tripAt(deviceId, time);
      const { row, isLate, moving, past } = take(journey, trip, withAllSpeeds(fix), time, source);
      outcomes.push([at, { status: "stored", id: row.id }]);
      if (isLate) late.push(row);
      changed.push(...past);
      newest = moving.at(-1) ?? newest;
      const told = due.length - index <= MOST_TOLD ? moving : [];
      for (const place of told) tellOf(place);
      if (!told.some(({ id }) => id === row.id)) note("position", row.id, deviceId);
      watch(deviceId, row, moving);
    }
    return from + outcomes.length < due.length;
  });
  const current = newest;
  if (current) afterCommit(() => renewCurrent(toGpsPoint(current)));
  notePast(deviceId, changed);
  if (late.length > 0) tellOfLate(deviceId, late);
  return { outcomes };
}

/** Tells of a position by itself, in the current transaction. */
export function tellOf(row: Row): void {
  note("gpsUpdate", row.id, row.device_id);
  publish("gps.recorded", new RecordedPoint(toGpsPoint(row)));
}

/** Tells of fixes that belong into the past together, in order of fix time, in the current transaction. */
export function tellOfLate(deviceId: string, late: Row[]): void {
  const trips = new Set(late.flatMap(({ trip_id }) => trip_id ?? []));
  const told: LateFixes = {
    device_id: deviceId,
    count: late.length,
    from: iso(late[0]?.timestamp ?? 0),
    to: iso(late.at(-1)?.timestamp ?? 0),
    trip_ids: [...trips],
  };
  note("gpsLate", null, deviceId, told);
  publish("gps.late", told);
}
