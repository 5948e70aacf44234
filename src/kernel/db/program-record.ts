import type { Database } from "bun:sqlite";
import { VERSION } from "../../configuration/version";
import { iso, now } from "../time/clock";
import { migrations } from "./migrations.gen";

/**
 * The program's own record in each database, beside that of its migrations: a small table of names and
 * values. It is made on the first write, so that a copy made before a migration is as the former version left
 * it.
 */

type Name =
  | "version"
  | "accepted_key"
  | "started_at"
  | "upgrade"
  | "own_device"
  | "backup_verified"
  | "backup_made";

const TABLE = "__program";

/** A recorded value; null if there is none. */
export function recorded(database: Database, name: Name): string | null {
  const isThere = database.prepare("SELECT 1 FROM sqlite_schema WHERE name = ?");
  const read = () =>
    database.prepare<{ value: string }, [string]>(`SELECT value FROM ${TABLE} WHERE name = ?`);
  try {
    if (isThere.get(TABLE) === null) return null;
    const query = read();
    try {
      return query.get(name)?.value ?? null;
    } finally {
      query.finalize();
    }
  } finally {
    isThere.finalize();
  }
}

/** Records a value; writes nothing if it is the same. */
export function record(database: Database, name: Name, value: string): void {
  if (recorded(database, name) === value) return;
  database.run(
    `CREATE TABLE IF NOT EXISTS ${TABLE} (name TEXT PRIMARY KEY, value TEXT NOT NULL, recorded_at INTEGER NOT NULL) STRICT`,
  );
  database.run(`INSERT OR REPLACE INTO ${TABLE} VALUES (?, ?, ?)`, [name, value, now()]);
}

/** Records the version that uses the database now: an upgrade to it is done. */
export function recordVersion(database: Database): void {
  record(database, "version", VERSION);
  database.run(`DELETE FROM ${TABLE} WHERE name = 'upgrade'`);
}

/** An upgrade that was begun: the database's newest migration before it, and the name of the copy made then. */
export interface Upgrade {
  from: string;
  copy: string;
}

/** The upgrade that was begun and is not done; null if there is none. */
export function begunUpgrade(database: Database): Upgrade | null {
  const [from, copy] = recorded(database, "upgrade")?.split(" ") ?? [];
  return from === undefined || copy === undefined ? null : { from, copy };
}

/** Records that an upgrade begins. */
export const recordUpgrade = (database: Database, { from, copy }: Upgrade): void =>
  record(database, "upgrade", `${from} ${copy}`);

/** Records that a server starts on the database now. */
export const recordStart = (database: Database): void => record(database, "started_at", iso(now()));

/** The time at which a server last started on the database (epoch milliseconds); null if that is unknown. */
export function lastStart(database: Database): number | null {
  const known = recorded(database, "started_at");
  return known === null ? null : Date.parse(known);
}

/** Versions that recorded nothing, oldest first, and the newest migration of each. */
const EARLIER: { version: string; newest: string }[] = [{ version: "0.1.0", newest: "0015_point_seasons" }];

/**
 * The version that used a database last; without a record, the earliest that opens it. Null if neither is
 * known.
 */
export function versionOf(database: Database): string | null {
  const known = recorded(database, "version");
  if (known !== null) return known;
  const newest = database.prepare<{ tag: string | null }, []>("SELECT max(tag) AS tag FROM __migrations");
  try {
    const tag = newest.get()?.tag ?? "";
    const at = orderOf(tag);
    return EARLIER.find(({ newest }) => at <= orderOf(newest))?.version ?? null;
  } finally {
    newest.finalize();
  }
}

const orderOf = (tag: string): number => migrations.findIndex((migration) => migration.tag === tag);
