import { Database } from "bun:sqlite";
import { statSync } from "node:fs";
import { dirname } from "node:path";
import {
  logsOf,
  openImmutable,
  removeEmptyLog,
  troubleAround,
  whyUnwritableBeside,
} from "../../kernel/db/database-file";
import { rows } from "../../kernel/db/rows";
import { flushToDisk, fullDisk, isDiskFull, reasonIn } from "../../kernel/process/disk";
import { type Bilingual, BilingualError } from "../../kernel/values/bilingual";
import { checkSoundness, UnsoundDatabase } from "./soundness";

/**
 * Copies a database and reads the copy through, in a thread of its own: SQLite does each in one call, which
 * would block the server. Loads next to nothing.
 */

/** `partial` is an empty file. */
export interface CopyOrder {
  source: string;
  partial: string;
  /** True to count the rows of each table before and after. */
  isCounted: boolean;
}

/** The rows of a table in the source, before it was copied, and in the copy. */
export interface TableCount {
  table: string;
  before: number;
  copied: number;
}

export interface CopyVerdict {
  /** Null if the copy is whole, on the disk and sound, else the reason why not. */
  trouble: Bilingual | null;
  counts: TableCount[];
}

declare const self: {
  onmessage: ((event: MessageEvent<CopyOrder>) => void) | null;
  postMessage: (verdict: CopyVerdict) => void;
};

/** Milliseconds; other writers wait for a lock no longer than this either. */
const LONGEST_LOCK = 5_000;

function countTables(database: Database): Map<string, number> {
  const tables = rows(
    database,
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND sql NOT LIKE 'CREATE VIRTUAL%'",
  );
  return new Map(
    tables.map(([name]) => [String(name), Number(rows(database, `SELECT count(*) FROM "${name}"`)[0]?.[0])]),
  );
}

/** `isStill`: nobody may write to the source while it is read. */
function open(source: string): { database: Database; isStill: boolean } {
  const isStill = whyUnwritableBeside(source) !== null && logsOf(source).length === 0;
  // Not read-only: the last connection to close a database in WAL mode tidies up, which needs write access.
  const database = isStill ? openImmutable(source) : new Database(source, { readwrite: true, create: false });
  try {
    database.run(`PRAGMA busy_timeout = ${LONGEST_LOCK}`);
    rows(database, "SELECT count(*) FROM sqlite_schema");
    return { database, isStill };
  } catch (error) {
    database.close();
    const around = troubleAround(source, error);
    if (!around) throw error;
    removeEmptyLog(source);
    // A database without a log can be read without a file beside it, also on a full disk.
    if (!isStill && isDiskFull(error) && logsOf(source).length === 0)
      return { database: openImmutable(source), isStill: true };
    throw new BilingualError(around);
  }
}

function copy({ source, partial, isCounted }: CopyOrder): TableCount[] {
  const modified = () => statSync(source).mtimeMs;
  const modifiedBefore = modified();
  const { database, isStill } = open(source);
  let before = new Map<string, number>();
  try {
    if (isCounted) before = database.transaction(() => countTables(database))();
    // A consistent copy: SQLite reads one snapshot while others write on.
    database.run("VACUUM INTO ?", [partial]);
  } finally {
    database.close();
  }
  if (isStill && modified() !== modifiedBefore)
    throw new BilingualError({
      en: "the database was changed while it was copied; run this again",
      de: "die Datenbank wurde geändert, während sie kopiert wurde; versuche es noch einmal",
    });
  flushToDisk(partial);
  const made = new Database(partial, { readonly: true });
  try {
    checkSoundness(made, "whole");
    const copied = isCounted ? countTables(made) : new Map<string, number>();
    return [...before].map(([table, count]) => ({ table, before: count, copied: copied.get(table) ?? 0 }));
  } finally {
    made.close();
  }
}

self.onmessage = ({ data }) => {
  try {
    self.postMessage({ trouble: null, counts: copy(data) });
  } catch (error) {
    self.postMessage({ trouble: troubleIn(error, dirname(data.partial)), counts: [] });
  }
};

function troubleIn(error: unknown, directory: string): Bilingual {
  if (error instanceof UnsoundDatabase)
    return { en: `the copy ${error.words.en}`, de: `die Kopie ${error.words.de}` };
  return isDiskFull(error) ? fullDisk(directory) : reasonIn(error);
}
