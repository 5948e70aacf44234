import { type Caller, reloadCaller } from "../identity/access/caller";
import { hashToken, mintToken } from "../kernel/crypto/crypto";
import { AppError, badRequest, notFound } from "../kernel/errors/errors";
import { iso, MINUTE, now } from "../kernel/time/clock";
import { BoundedMap } from "../kernel/values/bounded-map";
import type { Download } from "./schema";

/** Addresses that a browser opens by itself, with no header: each is good once, and for a minute. */

const LIFETIME = MINUTE;
/** Addresses that wait to be opened. */
const MOST = 1_000;
const OF_CREDENTIAL = 20;

interface Waiting {
  caller: Pick<Caller, "id" | "kind" | "tokenHash">;
  path: string;
  /** Epoch milliseconds. */
  until: number;
}

/** By the hash of the token in the address. */
const waiting = new BoundedMap<string, Waiting>(MOST);

/** Makes an address for what GET answers a caller at a path. Throws 400, and 503 where too many wait. */
export function newDownload(caller: Caller, path: string): Download {
  // Another host, or a path that leads out of the API, is none of ours.
  const { host, pathname } = new URL(path, "http://here");
  if (host !== "here" || pathname !== path.split("?")[0] || !pathname.startsWith("/v1/"))
    throw badRequest("path must be one of the API, such as /v1/devices");
  const time = now();
  for (const [hash, { until }] of waiting) if (isOver(until, time)) waiting.delete(hash);
  const own = [...waiting.values()].filter(({ caller: { id } }) => id === caller.id).length;
  if (own >= OF_CREDENTIAL)
    throw new AppError("ServiceUnavailable", "Too many downloads wait to be opened; try again in a minute", {
      headers: { "retry-after": "60" },
    });
  const { token, hash } = mintToken("");
  const { id, kind, tokenHash } = caller;
  waiting.set(hash, { caller: { id, kind, tokenHash }, path, until: time + LIFETIME });
  return { url: `bridge/downloads/${token}`, expires_at: iso(time + LIFETIME) };
}

/** Also true if the clock was set back. */
const isOver = (until: number, time: number): boolean => until <= time || until > time + LIFETIME;

/** The download behind a token, which is good no more. Throws 404 for an unknown, used or ended one, and for one whose session ended. */
export function takeDownload(token: string): { caller: Caller; path: string } {
  const hash = hashToken(token);
  const found = waiting.get(hash);
  waiting.delete(hash);
  const caller = found && !isOver(found.until, now()) ? reloadCaller(found.caller) : null;
  if (!found || !caller) throw notFound("Download");
  return { caller, path: found.path };
}
