import { sqlite, statement } from "../../kernel/db/connection";
import { OperatorError } from "../../kernel/process/operator";
import type { TableCount } from "./copy-worker";

/**
 * Comparing the rows of a scheduled copy with those of the database, which is written to meanwhile. Raw SQL: the connection tells
 * how much was changed.
 */

const readChanges = statement(() => sqlite.prepare<{ n: number }, []>("SELECT total_changes() AS n"));
const readOthers = statement(() => sqlite.prepare<{ data_version: number }, []>("PRAGMA data_version"));

interface Writes {
  /** Rows that this process has changed since it opened the database. */
  own: number;
  /** Changes with the commits of other processes. */
  others: number;
}

export const writesSoFar = (): Writes => ({
  own: readChanges().get()?.n ?? 0,
  others: readOthers().get()?.data_version ?? 0,
});

/**
 * Throws OperatorError for a copy whose rows can't be those of the database. A table has no more and no fewer rows than it had,
 * but for as many as were changed since `began`. Where another process has written as well, nobody knows how many that are.
 */
export function compareCounts(counts: TableCount[], began: Writes): void {
  const now = writesSoFar();
  const changed = now.others === began.others ? now.own - began.own : Number.POSITIVE_INFINITY;
  for (const { table, before, copied } of counts) {
    if (Math.abs(copied - before) > changed)
      throw new OperatorError({
        en: `the copy has ${copied} rows in ${table}, and the database had ${before}`,
        de: `die Kopie hat ${copied} Zeilen in ${table}, die Datenbank hatte ${before}`,
      });
  }
}
