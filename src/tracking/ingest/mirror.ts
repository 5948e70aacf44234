import { note } from "../../feed/journal";
import { sqlite, statement } from "../../kernel/db/connection";
import { TransactionCache } from "../../kernel/db/transaction-cache";
import { afterCommit } from "../../kernel/db/transactions";
import { noteFirst } from "../geofences/tracks";
import { counts, type Row, toGpsPoint } from "./columns";
import { forgetCurrent, renewCurrent } from "./current-cache";
import { lengthenTrip, redraw, refreshLast } from "./distance";
import { type JoinedTrip, journeyOf, noteNewest } from "./journeys";
import { type Numbered, numberedPoint, setJudged } from "./judge";
import { ALL, countAt, devicePoints, tripPoints } from "./places";
import { insert, notePast, tellOf, tellOfLate, watch } from "./record";
import { noteSpan } from "./spans";

/**
 * Positions that a box has settled: they keep their identifiers, their trips and their judgements, and are no more asked about the
 * second they are of. All else that a position does, it does here too: it moves its device, crosses zones, lengthens its trip, and
 * wakes nobody if it is old. Raw SQL: a backlog brings a hundred thousand.
 */

/** The fate of a position. */
export type Mirrored =
  | "stored"
  | "changed"
  | "same"
  /** Its identifier, or its device, is this server's or another box's. */
  | "not_own"
  /** Its device isn't here. */
  | "no_device";

interface KnownTrip {
  id: string;
  isCompleted: 0 | 1;
  box_id: string | null;
}

const tripBy = statement(() =>
  sqlite.prepare<KnownTrip, [string]>(
    "SELECT id, status = 'completed' AS isCompleted, box_id FROM trips WHERE id = ?",
  ),
);
const trips = new TransactionCache<string, KnownTrip | null>(10_000);

/** A trip that is a box's own; null if it isn't here. */
function tripOf(boxId: string, id: string | null): JoinedTrip | null {
  const trip = id === null ? null : trips.get(id, () => tripBy().get(id));
  return trip?.box_id === boxId ? { id: trip.id, isCompleted: trip.isCompleted === 1 } : null;
}

const exists = statement(() =>
  sqlite.prepare<{ one: 1 }, [string]>("SELECT 1 AS one FROM gps_points WHERE id = ?"),
);
const setTrip = statement(() =>
  sqlite.prepare<unknown, [string | null, number]>("UPDATE gps_points SET trip_id = ? WHERE rowid = ?"),
);
const removeRow = statement(() =>
  sqlite.prepare<unknown, [number]>("DELETE FROM gps_points WHERE rowid = ?"),
);

/** The positions of one transaction, which are told of together at its end. */
export class Mirror {
  readonly #boxId: string;
  readonly #late = new Map<string, Row[]>();
  readonly #past = new Map<string, Row[]>();
  readonly #newest = new Map<string, Row>();

  constructor(boxId: string) {
    this.#boxId = boxId;
  }

  /** Takes a position in the current transaction. `isTold`: by itself, if it moves its device. */
  take(position: Omit<Row, "box_id">, isTold: boolean): Mirrored {
    if (exists().get(position.id)) return this.#change(position);
    const { device_id } = position;
    const journey = device_id === null ? null : journeyOf(device_id);
    if (device_id !== null && journey === null) return "no_device";
    if (journey && journey.box_id !== this.#boxId) return "not_own";
    const trip = tripOf(this.#boxId, position.trip_id);
    const row: Row = { ...position, trip_id: trip?.id ?? null, box_id: this.#boxId };
    const isCounted = counts(row.judgement);
    if (trip && isCounted) lengthenTrip(trip, row);
    const number = insert(row);
    if (!journey) {
      note("position", row.id, null);
      return "stored";
    }
    const front = journey.newest ?? Number.NEGATIVE_INFINITY;
    noteNewest(journey, row.timestamp);
    if (journey.newest === null) noteFirst(journey.id, number);
    const isLate = row.timestamp < front;
    const moving = isCounted && !isLate ? [Object.assign(row, { row: number })] : [];
    if (isLate) add(this.#late, journey.id, row);
    if (isLate && isCounted) add(this.#past, journey.id, row);
    if (moving.length > 0) this.#newest.set(journey.id, row);
    if (isTold && moving.length > 0) tellOf(row);
    else note("position", row.id, journey.id);
    // The receiver aboard is held against the clock here: what was on its way for long wakes nobody.
    watch(journey.id, row, moving, () => false);
    return "stored";
  }

  /** A position that is here already: its trip and its judgement may be others. */
  #change({ id, trip_id, judgement }: Omit<Row, "box_id">): Mirrored {
    const known = numberedPoint(id);
    if (known?.box_id !== this.#boxId) return "not_own";
    const trip = tripOf(this.#boxId, trip_id);
    const isElsewhere = (trip?.id ?? null) !== known.trip_id;
    if (!isElsewhere && judgement === known.judgement) return "same";
    if (isElsewhere) moveTo(this.#boxId, known, trip);
    if (judgement !== known.judgement) judge(known, judgement);
    else note("position", id, known.device_id);
    return "changed";
  }

  /** Removes a position that its box has deleted, in the current transaction. */
  remove(id: string): Mirrored {
    const known = numberedPoint(id);
    if (!known) return "same";
    if (known.box_id !== this.#boxId) return "not_own";
    moveTo(this.#boxId, known, null);
    removeRow().run(known.row);
    const { device_id, timestamp } = known;
    note("gpsUpdate", id, device_id, { is_deleted: true });
    countAt(ALL, timestamp, -1);
    if (device_id !== null && journeyOf(device_id)) {
      countAt(devicePoints(device_id), timestamp, -1);
      noteSpan(device_id, timestamp, timestamp);
    }
    afterCommit(() => forgetCurrent(device_id));
    return "changed";
  }

  /** Tells of all that was taken: once, at the end of the transaction. */
  end(): void {
    for (const [deviceId, rows] of this.#past) notePast(deviceId, rows);
    const byTime = (a: Row, b: Row) => a.timestamp - b.timestamp;
    for (const [deviceId, rows] of this.#late) tellOfLate(deviceId, rows.sort(byTime));
    for (const row of this.#newest.values()) {
      const point = toGpsPoint(row);
      afterCommit(() => renewCurrent(point));
    }
  }
}

function add(to: Map<string, Row[]>, deviceId: string, row: Row): void {
  const rows = to.get(deviceId);
  if (rows) rows.push(row);
  else to.set(deviceId, [row]);
}

/** Moves a stored position from the trip that it is in to another, or to none. */
function moveTo(boxId: string, fix: Numbered, trip: JoinedTrip | null): void {
  const isCounted = counts(fix.judgement);
  const former = fix.trip_id;
  if (former !== null) {
    setTrip().run(null, fix.row);
    const known = tripOf(boxId, former);
    if (known) {
      if (isCounted) redraw(known, fix, -1);
      countAt(tripPoints(former), fix.timestamp, -1);
      refreshLast(former);
    }
  }
  fix.trip_id = trip?.id ?? null;
  if (!trip) return;
  if (isCounted) lengthenTrip(trip, fix);
  setTrip().run(trip.id, fix.row);
  countAt(tripPoints(trip.id), fix.timestamp, 1);
}

function judge(fix: Numbered, judgement: Row["judgement"]): void {
  setJudged(fix, judgement);
  const { device_id, timestamp } = fix;
  if (device_id !== null) noteSpan(device_id, timestamp, timestamp);
  afterCommit(() => forgetCurrent(device_id));
}
