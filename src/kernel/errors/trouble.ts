import { describeError, type LogFields, log } from "../logs/log";
import { MINUTE } from "../time/clock";
import { isStoreTrouble } from "./errors";

/** Logs lasting trouble without a line for each request that it hits. */

const writtenAt = new Map<string, number>();

/**
 * True if a line about a trouble may be written again: once a minute for each. `trouble` must have few
 * values.
 */
export function mayLog(trouble: string): boolean {
  const time = performance.now();
  const last = writtenAt.get(trouble);
  if (last !== undefined && time - last < MINUTE) return false;
  writtenAt.set(trouble, time);
  return true;
}

/**
 * Logs a failure with its stack. On a full disk every write fails: these get one line a minute, beside the
 * lines of kernel/db/transactions.ts when that begins and ends.
 */
export function logFailure(message: string, error: unknown, fields: LogFields = {}): void {
  const cause = error instanceof Error && isStoreTrouble(error.cause) ? error.cause : error;
  if (!isStoreTrouble(cause)) log.error(message, { ...fields, ...describeError(error) });
  else if (mayLog("store")) log.error(message, { ...fields, cause: `${cause.code}: ${cause.message}` });
}
