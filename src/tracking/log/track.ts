import { sqlite, statement } from "../../kernel/db/connection";
import { MINUTE } from "../../kernel/time/clock";
import type { Position } from "../../kernel/values/great-circle";
import { COUNTS } from "../gps/table";

/** The way of a trip for a picture of a page's width. Raw SQL: a trip may have millions of positions. */

export interface TrackPoint extends Position {
  /** True after a pause: nobody knows the way to this point. */
  isAfterGap: boolean;
}

/** Points of a picture: on a page, one in each twentieth of a millimetre. */
const MOST = 4_000;

const GAP = 10 * MINUTE;

/** Positions read at once: some milliseconds. */
const PART = 2_000;

interface Fix extends Position {
  timestamp: number;
  row: number;
}

const after = statement(() =>
  sqlite.prepare<Fix, [string, number, number]>(
    `SELECT latitude, longitude, timestamp, rowid AS row FROM gps_points
     WHERE trip_id = +?1 AND timestamp >= +?2 AND (timestamp > ?2 OR rowid > ?3) AND ${COUNTS}
     ORDER BY timestamp, rowid LIMIT ${PART}`,
  ),
);

/** The way of a trip, thinned out evenly to some thousand points, read in turns with requests in between. */
export async function trackOf(tripId: string): Promise<TrackPoint[]> {
  const thinning = new Thinning();
  for (let last: Fix | undefined; ; ) {
    const part = after().all(tripId, last?.timestamp ?? Number.MIN_SAFE_INTEGER, last?.row ?? 0);
    for (const fix of part) thinning.add(fix);
    last = part.at(-1);
    if (part.length < PART) return thinning.points();
    await new Promise((resume) => setImmediate(resume));
  }
}

/** Keeps each `stride`th of the points that it gets, and doubles the stride when it has too many. */
export class Thinning {
  #kept: TrackPoint[] = [];
  #stride = 1;
  #seen = 0;
  #last: (Position & { timestamp: number }) | undefined;
  /** A pause since the last point that was kept. */
  #isGap = false;

  add(fix: Position & { timestamp: number }): void {
    if (this.#last && fix.timestamp - this.#last.timestamp > GAP) this.#isGap = true;
    if (this.#seen++ % this.#stride === 0) this.#keep(fix);
    this.#last = fix;
  }

  #keep({ latitude, longitude }: Position): void {
    this.#kept.push({ latitude, longitude, isAfterGap: this.#isGap });
    this.#isGap = false;
    if (this.#kept.length < 2 * MOST) return;
    // The last one goes too: a pause before it is one before the next.
    this.#isGap = this.#kept.at(-1)?.isAfterGap ?? false;
    this.#kept = this.#kept.flatMap((point, at, all) =>
      at % 2 === 1 ? [] : [{ ...point, isAfterGap: point.isAfterGap || (all[at - 1]?.isAfterGap ?? false) }],
    );
    this.#stride *= 2;
  }

  /** The points that were kept, and the last one of all. */
  points(): TrackPoint[] {
    const end = this.#last;
    const isKept = end === undefined || (this.#seen - 1) % this.#stride === 0;
    if (isKept) return this.#kept;
    const { latitude, longitude } = end;
    return [...this.#kept, { latitude, longitude, isAfterGap: this.#isGap }];
  }
}
