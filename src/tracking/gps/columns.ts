import { getTableColumns } from "drizzle-orm";
import type { GpsPoint, NewGpsPoint } from "./schema";
import { gpsPoints } from "./table";

/**
 * The columns of a position are listed in table.ts alone: rows, statements and answers follow from that list.
 * A new column that schema.ts doesn't show, or doesn't take, breaks the compilation here.
 */
export type Row = typeof gpsPoints.$inferSelect;

const NAMES = Object.keys(getTableColumns(gpsPoints)) as (keyof Row)[];

/** The columns for a SELECT or an INSERT, and the parameters of an INSERT for `valuesOf`. */
export const COLUMNS = NAMES.join(", ");
export const PLACEHOLDERS = NAMES.map(() => "?").join(", ");

/** The values of a row in the order of `COLUMNS`. */
export const valuesOf = (row: Row): Row[keyof Row][] => NAMES.map((name) => row[name]);

/** Columns that the server fills. */
const OWN = ["id", "device_id", "trip_id", "timestamp", "created_at"] as const;

/** The columns that a fix brings as they are stored. */
type Measured = Omit<Row, (typeof OWN)[number]>;

const MEASURED = NAMES.filter((name) => !(OWN as readonly string[]).includes(name)) as (keyof Measured)[];

/** The measured columns of a fix; null where the fix has none. */
export function measured(fix: NewGpsPoint): Measured {
  const values: Partial<Record<keyof Measured, Measured[keyof Measured]>> = {};
  for (const name of MEASURED) values[name] = fix[name] ?? null;
  return values as Measured;
}

type Nothing<T extends never> = T;
/** Columns that no answer shows. */
export type Unshown = Nothing<Exclude<keyof Row, keyof GpsPoint>>;
/** Columns that are never null, of which a fix may be. */
export type Unfilled = Nothing<
  {
    [K in keyof Measured]: null extends Measured[K] ? never : NewGpsPoint[K] extends Measured[K] ? never : K;
  }[keyof Measured]
>;
