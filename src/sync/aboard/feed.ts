import { currentEpoch, newestNumber, oldestKept } from "../../feed/journal";
import { type ChangeKind, numberOfKind } from "../../feed/kinds";
import { IS_RARE } from "../../feed/table";
import { sqlite, statement } from "../../kernel/db/connection";
import { COUNTS as COUNTING } from "../../tracking/gps/table";
import { COLUMNS, type Row } from "../../tracking/ingest/columns";
import { HASH_BYTES, NO_HASH, type Skipped } from "../batch/batch";
import type { Lane } from "../batch/lanes";

/** The feed as the lanes read it. Raw SQL: a week of positions is read here, and the rarer kinds by an index of their own. */

export { currentEpoch, newestNumber, oldestKept };

/** Lanes of the rarer kinds. */
export type RecordLane = "alerts" | "trips" | "zones";

const KINDS: Record<RecordLane, readonly ChangeKind[]> = {
  alerts: ["alertRaised", "alertUpdated", "alertAcknowledged", "alertCleared"],
  trips: ["deviceUpdate", "tripUpdate", "logEntry"],
  zones: ["geofenceEvent", "crossing"],
};
const POSITIONS: readonly ChangeKind[] = ["gpsUpdate", "position"];

const numbers = (kinds: readonly ChangeKind[]): string => kinds.map(numberOfKind).join(", ");

/** A change as a lane reads it. */
export interface LaneChange {
  number: number;
  kind: number;
  record: string;
}

const rareRows = (lane: RecordLane) =>
  statement(() =>
    sqlite.prepare<LaneChange, [number, number]>(
      `SELECT number, kind, record FROM changes INDEXED BY changes_rare
       WHERE number > ? AND ${IS_RARE} AND kind IN (${numbers(KINDS[lane])}) ORDER BY number LIMIT +?`,
    ),
  );
const RARE = { alerts: rareRows("alerts"), trips: rareRows("trips"), zones: rareRows("zones") };

/** The changes of a lane after a number, at most `limit`. */
export const changesOf = (lane: RecordLane, after: number, limit: number): LaneChange[] =>
  RARE[lane]().all(after, limit);

const rareCount = statement(() =>
  sqlite.prepare<{ n: number }, [number]>(
    `SELECT count(*) AS n FROM changes INDEXED BY changes_rare WHERE number > ? AND ${IS_RARE}`,
  ),
);
const laneCount = (lane: RecordLane) =>
  statement(() =>
    sqlite.prepare<{ n: number }, [number]>(
      `SELECT count(*) AS n FROM changes INDEXED BY changes_rare
       WHERE number > ? AND ${IS_RARE} AND kind IN (${numbers(KINDS[lane])})`,
    ),
  );
const COUNTS = { alerts: laneCount("alerts"), trips: laneCount("trips"), zones: laneCount("zones") };

/** Number of the changes of a lane after a number. */
export const countOf = (lane: RecordLane, after: number): number => COUNTS[lane]().get(after)?.n ?? 0;

const givenUp = statement(() =>
  sqlite.prepare<{ n: number | null }, [number]>(
    "SELECT sum(rows) AS n FROM feed_thinned WHERE to_number > ?",
  ),
);

/** About the number of changes after a number: of those of the stretch that it lies in too many may count as given up. */
export const countAll = (after: number): number =>
  Math.max(0, newestNumber() - after - (givenUp().get(after)?.n ?? 0));

/** About the number of changes of positions after a number: those that are told of together are among them. */
export const countPositions = (after: number): number =>
  Math.max(0, countAll(after) - (rareCount().get(after)?.n ?? 0));

const pendingRecords = statement(() =>
  sqlite.prepare<{ record: string }, [number]>(
    `SELECT DISTINCT record FROM changes INDEXED BY changes_rare
     WHERE number > ? AND ${IS_RARE} AND kind IN (${numbers(["deviceUpdate", "tripUpdate"])})`,
  ),
);

/** Devices and trips that have changed after a number. */
export const changedAfter = (after: number): Set<string> =>
  new Set(
    pendingRecords()
      .all(after)
      .map(({ record }) => record),
  );

// --- Positions --------------------------------------------------------------------------------------------

/** A change of a position, with the position as it is now; without one it is gone. */
export type PositionChange = { number: number; record: string; isDeletion: 0 | 1 } & (
  | Row
  | { [K in keyof Row]: null }
);

const named = (alias: string): string =>
  COLUMNS.split(", ")
    .map((column) => `${alias}.${column}`)
    .join(", ");

const positions = statement(() =>
  sqlite.prepare<PositionChange, [number, number]>(
    `SELECT c.number, c.record, c.detail IS NOT NULL AS isDeletion, ${named("p")}
     FROM changes c LEFT JOIN gps_points p ON p.id = c.record
     WHERE c.number > ? AND c.number <= ? AND c.kind IN (${numbers(POSITIONS)}) ORDER BY c.number`,
  ),
);

/** The changes of positions after a number up to another. */
export const positionsBetween = (after: number, upTo: number): PositionChange[] =>
  positions().all(after, upTo);

const stretchEnd = statement(() =>
  sqlite.prepare<{ number: number | null }, [number, number]>(
    "SELECT max(number) AS number FROM (SELECT number FROM changes WHERE number > ? ORDER BY number LIMIT +?)",
  ),
);

/** The number of the last of so many changes after a number; null if there are none. */
export const endOfStretch = (after: number, changes: number): number | null =>
  stretchEnd().get(after, changes)?.number ?? null;

const moved = statement(() =>
  sqlite.prepare<{ device_id: string }, [number, number]>(
    `SELECT DISTINCT device_id FROM changes
     WHERE number > ? AND number <= ? AND kind IN (${numbers(POSITIONS)}) AND device_id IS NOT NULL`,
  ),
);

/** The devices of which positions have changed after a number up to another. */
export const movedBetween = (after: number, upTo: number): string[] =>
  moved()
    .all(after, upTo)
    .map(({ device_id }) => device_id);

const madeAt = statement(() =>
  sqlite.prepare<{ made_at: number }, [number]>(
    "SELECT made_at FROM changes WHERE number > ? ORDER BY number LIMIT 1",
  ),
);

/** The time at which the first change after a number was made (epoch milliseconds); null if there is none. */
export const timeAfter = (after: number): number | null => madeAt().get(after)?.made_at ?? null;

const newest = statement(() =>
  sqlite.prepare<Row, [string]>(
    `SELECT ${COLUMNS} FROM gps_points WHERE device_id = +? AND ${COUNTING} ORDER BY timestamp DESC, rowid DESC LIMIT 1`,
  ),
);

/** The newest position of a device that counts; null if there is none. */
export const newestOf = (deviceId: string): Row | null => newest().get(deviceId);

const devices = statement(() => sqlite.prepare<{ id: string }, []>("SELECT id FROM devices"));

export const allDevices = (): string[] =>
  devices()
    .all()
    .map(({ id }) => id);

const thinned = statement(() =>
  sqlite.prepare<Skipped, [number, number]>(
    `SELECT from_number AS "from", to_number AS "to", rows FROM feed_thinned
     WHERE from_number > ? AND from_number <= ? ORDER BY from_number`,
  ),
);

/** The stretches that begin after a number up to another of which positions were given up. */
export const thinnedBetween = (after: number, upTo: number): Skipped[] => thinned().all(after, upTo);

// --- Hashes -----------------------------------------------------------------------------------------------

const identity = statement(() =>
  sqlite.prepare<
    { kind: number; record: string | null; device_id: string | null; made_at: number },
    [number]
  >("SELECT kind, record, device_id, made_at FROM changes WHERE number = ?"),
);

const hashOfText = (text: string): string => Bun.SHA256.hash(text, "hex").slice(0, 2 * HASH_BYTES);

/** The hash of a row of the feed, which tells two runs of the same numbers apart; null for one that isn't kept. */
export function hashOf(number: number): string | null {
  if (number === 0) return NO_HASH;
  const row = identity().get(number);
  return row && hashOfText(`${number} ${row.kind} ${row.record} ${row.device_id} ${row.made_at}`);
}

/** The hash of a number of the lane `history`, whose rows have no place in the feed. */
export const hashOfHistory = (epoch: string, number: number): string =>
  number === 0 ? NO_HASH : hashOfText(`${epoch} history ${number}`);

/** The hash of a number of a lane. */
export const laneHash = (lane: Lane, number: number, epoch: string): string | null =>
  lane === "history" ? hashOfHistory(epoch, number) : hashOf(number);
