import { AppError } from "../kernel/errors/errors";

/** Requests that wait for changes, or read them as they come: each keeps a connection and some memory. */

const OF_CREDENTIAL = 100;
const IN_ALL = 2_000;

const held = new Map<string, number>();
let all = 0;

/** Counts a request that is held; returns the function that ends it, which may be called again. Throws 503. */
export function beginHold(credentialId: string): () => void {
  const own = held.get(credentialId) ?? 0;
  if (own >= OF_CREDENTIAL || all >= IN_ALL)
    throw new AppError(
      "ServiceUnavailable",
      "Too many requests wait for changes; end some, or try again later",
      {
        headers: { "retry-after": "5" },
      },
    );
  held.set(credentialId, own + 1);
  all++;
  let isHeld = true;
  return () => {
    if (!isHeld) return;
    isHeld = false;
    all--;
    const left = (held.get(credentialId) ?? 1) - 1;
    if (left === 0) held.delete(credentialId);
    else held.set(credentialId, left);
  };
}
