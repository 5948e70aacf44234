import { Database } from "bun:sqlite";
import { flushToDisk, reason } from "../../kernel/process/disk";
import { checkSoundness, UnsoundDatabase } from "./soundness";

/**
 * Copies a database and reads the copy through, in a thread of its own: SQLite does each in one call, which
 * would block the server. Loads next to nothing.
 */

/** `partial` is an empty file. */
export interface CopyOrder {
  source: string;
  partial: string;
}

/** Null if the copy is whole, on the disk and sound, else the reason why not. */
export type CopyVerdict = string | null;

declare const self: {
  onmessage: ((event: MessageEvent<CopyOrder>) => void) | null;
  postMessage: (verdict: CopyVerdict) => void;
};

/** Milliseconds; other writers wait for a lock no longer than this either. */
const LONGEST_LOCK = 5_000;

function copy({ source, partial }: CopyOrder): void {
  // Not read-only: the last connection to close a database in WAL mode tidies up, which needs write access.
  const database = new Database(source, { readwrite: true, create: false });
  try {
    database.run(`PRAGMA busy_timeout = ${LONGEST_LOCK}`);
    // A consistent copy: SQLite reads one snapshot while others write on.
    database.run("VACUUM INTO ?", [partial]);
  } finally {
    database.close();
  }
  flushToDisk(partial);
  const made = new Database(partial, { readonly: true });
  try {
    checkSoundness(made, "whole");
  } finally {
    made.close();
  }
}

self.onmessage = ({ data }) => {
  try {
    copy(data);
    self.postMessage(null);
  } catch (error) {
    self.postMessage(error instanceof UnsoundDatabase ? `the copy ${error.message}` : reason(error));
  }
};
