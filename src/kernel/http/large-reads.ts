import { config } from "../../configuration/config";
import { AppError } from "../errors/errors";
import { now, SECOND } from "../time/clock";

/**
 * Bounds the large answers of one credential in a second. Reading and writing a megabyte takes the server some
 * milliseconds, during which nobody else is served.
 */

/** Bytes of large answers for one credential and second: half a dozen of the largest lists. */
const MOST = 4 * 1024 * 1024;

/** By credential; emptied each second, so that it holds no more than one second's credentials. */
const taken = new Map<string, number>();
let since = 0;

function isSameSecond(): boolean {
  if (Math.abs(now() - since) < SECOND) return true;
  taken.clear();
  since = now();
  return false;
}

/** Notes a large answer of so many bytes, unless rate limits are switched off. */
export function noteLargeRead(credentialId: string, bytes: number): void {
  if (!config["rate_limit.enabled"]) return;
  isSameSecond();
  taken.set(credentialId, (taken.get(credentialId) ?? 0) + bytes);
}

/** Throws 503 for a credential that was answered so much already. */
export function requireReadable(credentialId: string): void {
  if (taken.size === 0 || (taken.get(credentialId) ?? 0) < MOST || !isSameSecond()) return;
  throw new AppError("ServiceUnavailable", "Too many large answers in a second; try again in a moment", {
    headers: { "retry-after": "1" },
  });
}
