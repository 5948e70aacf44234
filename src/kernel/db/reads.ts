import { sqlite, statement } from "./connection";

/** Transactions that many reads share. */

const beginReading = statement(() => sqlite.prepare("BEGIN"));
const endRead = statement(() => sqlite.prepare("COMMIT"));
let isReading = false;

/**
 * Reads until the end of this turn of the event loop see one state of the database: SQLite then locks and
 * looks for the newest state once, not for each statement. Many requests share a turn; a commit ends it.
 */
export function shareReadTransaction(): void {
  if (isReading || sqlite.inTransaction) return;
  beginReading().run();
  isReading = true;
  setImmediate(endSharedRead);
}

/** Ends the shared transaction: before a write, and before the state of the file matters. */
export function endSharedRead(): void {
  if (!isReading) return;
  isReading = false;
  // An error of the disk ends a transaction by itself.
  if (!sqlite.inTransaction) return;
  try {
    endRead().run();
  } catch {
    // A page that could not be read fails the commit as well, which ends the transaction. The reader was told.
    if (sqlite.inTransaction) sqlite.run("ROLLBACK");
  }
}
