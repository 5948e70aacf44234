import { now, SECOND } from "../time/clock";
import { BoundedMap } from "../values/bounded-map";

/** At most `requests` in `seconds`. */
export interface Rate {
  requests: number;
  seconds: number;
}

/** A limit's verdict on one request; the numbers of the RateLimit headers. */
export interface RateVerdict {
  allowed: boolean;
  limit: number;
  remaining: number;
  /** Whole seconds until the window ends and a new count starts. */
  resetSeconds: number;
}

interface Window {
  count: number;
  endsAt: number;
}

/** Bounded, so that a flood of addresses costs no memory. */
const windows = new BoundedMap<string, Window>(100_000);

/**
 * Counts one request against `key` in a fixed window that starts with the key's first request, or one that weighs as many
 * as `weight`, which passes while the window is fresh however heavy it is. A refused request isn't counted, so a client
 * that keeps trying gets in as soon as the window ends.
 */
export function takeToken(key: string, rate: Rate, weight = 1): RateVerdict {
  const time = now();
  let window = windows.get(key);
  // A window can't last longer than the rate says: the limit may have been shortened or the clock set back.
  if (window === undefined || window.endsAt <= time || window.endsAt > time + rate.seconds * SECOND) {
    window = { count: 0, endsAt: time + rate.seconds * SECOND };
    windows.renew(key, window);
  }
  const allowed = window.count + weight <= rate.requests || window.count === 0;
  if (allowed) window.count += weight;
  return {
    allowed,
    limit: rate.requests,
    remaining: Math.max(0, rate.requests - window.count),
    resetSeconds: Math.ceil((window.endsAt - time) / SECOND),
  };
}

/** Forgets windows that have ended. */
export function sweepRateLimits(): void {
  const time = now();
  for (const [key, window] of windows) if (window.endsAt <= time) windows.delete(key);
}
