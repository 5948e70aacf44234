import { getTableColumns } from "drizzle-orm";
import { sqlite, statement } from "../../kernel/db/connection";
import { TransactionCache } from "../../kernel/db/transaction-cache";
import { anchorWatches, type WatchRow } from "./table";

/** The rows of anchor watches. Raw SQL: each position looks here. */

type Stored = Omit<WatchRow, "state" | "target_ids"> & { state: string; target_ids: string | null };

const toRow = ({ state, target_ids, ...row }: Stored): WatchRow => ({
  ...row,
  state: JSON.parse(state),
  target_ids: target_ids === null ? null : JSON.parse(target_ids),
});

const ofDevice = statement(() =>
  sqlite.prepare<Stored, [string]>("SELECT * FROM anchor_watches WHERE device_id = ?"),
);
const all = statement(() => sqlite.prepare<Stored, []>("SELECT * FROM anchor_watches"));

const watches = new TransactionCache<string, WatchRow | null>(10_000);

/** The watch of a device, inside a transaction or outside; null if there is none. */
export const watchOf = (deviceId: string): WatchRow | null =>
  watches.get(deviceId, () => {
    const row = ofDevice().get(deviceId);
    return row && toRow(row);
  });

/** All watches. */
export const allWatches = (): WatchRow[] => all().all().map(toRow);

const NAMES = Object.keys(getTableColumns(anchorWatches)) as (keyof WatchRow)[];
const put = statement(() =>
  sqlite.prepare<unknown, (string | number | null)[]>(
    `INSERT OR REPLACE INTO anchor_watches (${NAMES.join(", ")}) VALUES (${NAMES.map(() => "?").join(", ")})`,
  ),
);
const remove = statement(() =>
  sqlite.prepare<unknown, [string]>("DELETE FROM anchor_watches WHERE device_id = ?"),
);

/** Stores a watch in the current transaction. */
export function storeWatch(row: WatchRow): void {
  const stored: Stored = {
    ...row,
    state: JSON.stringify(row.state),
    target_ids: row.target_ids && JSON.stringify(row.target_ids),
  };
  put().run(...NAMES.map((name) => stored[name]));
  watches.set(row.device_id, row);
}

/** Deletes the watch of a device in the current transaction. */
export const deleteWatch = (deviceId: string): void => {
  remove().run(deviceId);
};

const newestPosition = statement(() =>
  sqlite.prepare<{ latitude: number; longitude: number; time: number }, [string]>(
    `SELECT latitude, longitude, timestamp AS time FROM gps_points
     WHERE device_id = ? AND (judgement IS NULL OR judgement = 'cleared') ORDER BY timestamp DESC, rowid DESC LIMIT 1`,
  ),
);

/** The newest stored position of a device; null if there is none. */
export const newestPlaceOf = (deviceId: string) => newestPosition().get(deviceId);
