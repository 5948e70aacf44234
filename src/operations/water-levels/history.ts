import { inBatches } from "../../kernel/db/batches";
import { sqlite, statement } from "../../kernel/db/connection";
import { deleteOlderThan } from "../../kernel/db/delete-older-than";
import { transact } from "../../kernel/db/transactions";
import { DAY, MINUTE, now } from "../../kernel/time/clock";
import { systemValue } from "../../runtime-settings/service";
import { isNameable, type Measured, type SourceStation } from "./stations";

/**
 * The levels that are kept: the last one of each quarter of an hour and station, since most stations measure no more often.
 * Raw SQL: rows by the hundred with each answer of the source, and by the thousand in a graph.
 */

export const QUARTER = 15 * MINUTE;

/** Stations of which levels are kept: six times as many as PEGELONLINE has. */
const MOST_STATIONS = 5_000;
/** Levels that are written in one transaction. */
const AT_ONCE = 500;
/** A level that is further ahead of the server's clock would never age. */
const MOST_AHEAD = DAY;

const countStations = statement(() =>
  sqlite.prepare<{ n: number }, []>("SELECT count(*) AS n FROM water_level_stations"),
);
const findStation = statement(() =>
  sqlite.prepare<{ number: number }, [string]>(
    "SELECT number FROM water_level_stations WHERE station_id = ?",
  ),
);
const putStation = statement(() =>
  sqlite.prepare<{ number: number }, [string, number]>(
    `INSERT INTO water_level_stations (station_id, newest) VALUES (?, ?)
     ON CONFLICT (station_id) DO UPDATE SET newest = max(newest, excluded.newest) RETURNING number`,
  ),
);
const putLevel = statement(() =>
  sqlite.prepare<unknown, [number, number, number]>(
    `INSERT INTO water_levels (quarter, station, level_cm) VALUES (?, ?, ?)
     ON CONFLICT (quarter, station) DO UPDATE SET level_cm = excluded.level_cm WHERE level_cm <> excluded.level_cm`,
  ),
);

/** Epoch milliseconds before which no level is kept. */
export function oldestKept(): number {
  const days = systemValue("pegel.history_days");
  return days === 0 ? Number.NEGATIVE_INFINITY : now() - days * DAY;
}

/** Keeps the present levels of stations. */
export const keepLevels = (stations: readonly SourceStation[]): Promise<void> =>
  keep(
    stations.flatMap(({ station_id, measured_at, level_cm }) =>
      measured_at === null || level_cm === null
        ? []
        : [{ station_id, at: Date.parse(measured_at), level_cm }],
    ),
  );

/** A span in epoch milliseconds. */
export interface Span {
  from: number;
  until: number;
}

/** Keeps what a station measured in a span, and that these are all levels of it. */
export async function keepMeasurements(
  station_id: string,
  measured: readonly Measured[],
  asked: Span,
): Promise<void> {
  const ofQuarters = new Map(measured.map((one) => [Math.floor(one.at / QUARTER), one]));
  await keep([...ofQuarters.values()].map((one) => ({ ...one, station_id })));
  await transact(() => {
    const known = coverageOf(station_id);
    const { from, until } = known && isJoined(known, asked) ? joined(known, asked) : asked;
    cover().run(from, until, station_id);
  });
}

/** False for one that ends ahead of a clock that was set back. Another answer may have come first, and end later than this one. */
const isJoined = (known: Span, asked: Span): boolean =>
  known.until <= now() && asked.from <= known.until && known.from <= asked.until;

const joined = (one: Span, other: Span): Span => ({
  from: Math.min(one.from, other.from),
  until: Math.max(one.until, other.until),
});

const cover = statement(() =>
  sqlite.prepare<unknown, [number, number, string]>(
    "UPDATE water_level_stations SET complete_from = ?, complete_until = ? WHERE station_id = ?",
  ),
);
const readCoverage = statement(() =>
  sqlite.prepare<{ from: number | null; until: number | null }, [string]>(
    'SELECT complete_from AS "from", complete_until AS until FROM water_level_stations WHERE station_id = ?',
  ),
);

/** The span of which all levels of a station are kept, as far as they are young enough; null without one. */
export function coverageOf(station_id: string): Span | null {
  const { from, until } = readCoverage().get(station_id) ?? { from: null, until: null };
  return from === null || until === null ? null : { from, until };
}

interface Level extends Measured {
  station_id: string;
}

async function keep(levels: readonly Level[]): Promise<void> {
  const [oldest, newest] = [oldestKept(), now() + MOST_AHEAD];
  const kept = levels.filter(({ station_id, at }) => isNameable(station_id) && oldest <= at && at <= newest);
  for (let at = 0; at < kept.length; at += AT_ONCE)
    await transact(() => keepSome(kept.slice(at, at + AT_ONCE)));
}

function keepSome(levels: readonly Level[]): void {
  let room = MOST_STATIONS - (countStations().get()?.n ?? 0);
  for (const { station_id, at, level_cm } of levels) {
    const quarter = Math.floor(at / QUARTER);
    const isNew = findStation().get(station_id) === null;
    if (isNew && room-- <= 0) continue;
    const station = putStation().get(station_id, quarter);
    if (station) putLevel().run(quarter, station.number, level_cm);
  }
}

// --- Reading --------------------------------------------------------------------------------------------

const readLevels = statement(() =>
  sqlite.prepare<[quarter: number, level_cm: number], [number, number, number]>(
    // CROSS JOIN holds SQLite to the order: one look for each quarter, whatever other stations have.
    `WITH RECURSIVE quarters (quarter) AS (SELECT ?1 UNION ALL SELECT quarter + 1 FROM quarters WHERE quarter < ?2)
     SELECT l.quarter, l.level_cm FROM quarters q CROSS JOIN water_levels l ON l.quarter = q.quarter AND l.station = ?3`,
  ),
);

/** The levels of a station from one quarter of an hour to another, both of them included, by time. */
export function levelsOf(
  station_id: string,
  from: number,
  to: number,
): [quarter: number, level_cm: number][] {
  const station = findStation().get(station_id);
  return station ? (readLevels().values(from, to, station.number) as [number, number][]) : [];
}

// --- Ageing ---------------------------------------------------------------------------------------------

const deleteOldest = statement(() =>
  sqlite.prepare<unknown, [number, number]>(
    `DELETE FROM water_levels WHERE (quarter, station) IN
       (SELECT quarter, station FROM water_levels WHERE quarter < ? ORDER BY quarter, station LIMIT ?)`,
  ),
);
const deleteStations = statement(() =>
  sqlite.prepare<unknown, [number]>(
    // None of its levels is left then, so that whoever gets its number finds none.
    `DELETE FROM water_level_stations WHERE number IN
       (SELECT number FROM water_level_stations
        WHERE newest < coalesce((SELECT min(quarter) FROM water_levels), newest + 1) LIMIT ?)`,
  ),
);
const uncover = statement(() =>
  sqlite.prepare<unknown, [number]>(
    "UPDATE water_level_stations SET complete_from = ?1 WHERE complete_from < ?1",
  ),
);

/** The job: deletes levels older than `pegel.history_days`, and stations without any; 0 keeps all. */
export async function deleteOldLevels(): Promise<void> {
  await deleteOlderThan(
    () => systemValue("pegel.history_days"),
    (before, limit) => {
      uncover().run(before);
      return deleteOldest().run(Math.floor(before / QUARTER), limit).changes;
    },
  );
  await inBatches((limit) => deleteStations().run(limit).changes);
}
