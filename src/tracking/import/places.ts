import { profile } from "../../configuration/profile";
import type { Caller } from "../../identity/access/caller";
import { AppError } from "../../kernel/errors/errors";

/**
 * The places of imports: each takes memory and time of the event loop, for as long as its client sends. One user may not take all,
 * so that others find a place.
 */

const RETRY_SECONDS = 10;

const running = new Map<string, number>();
let inAll = 0;

/** Runs an import, if there is a place for it. Throws 503 otherwise. */
export async function inPlace<T>(caller: Caller, work: () => Promise<T>): Promise<T> {
  const who = caller.userId ?? caller.id;
  const own = running.get(who) ?? 0;
  if (inAll >= profile.importsAtOnce || own >= profile.importsOfUser)
    throw new AppError("ServiceUnavailable", "Too many imports are under way; try again in a moment", {
      headers: { "retry-after": String(RETRY_SECONDS) },
    });
  inAll++;
  running.set(who, own + 1);
  try {
    return await work();
  } finally {
    inAll--;
    const left = (running.get(who) ?? 1) - 1;
    if (left === 0) running.delete(who);
    else running.set(who, left);
  }
}
