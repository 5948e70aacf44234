import { config } from "../../configuration/config";
import { profile } from "../../configuration/profile";
import type { AppError } from "../errors/errors";
import { giveSeconds, letStall } from "./client";
import { type Hold, Ledger } from "./held";

/**
 * Bodies that are arriving. The runtime keeps the received part of each until all of it is here, and a
 * stranger may announce many and finish none.
 */

const REFUSED = {
  refusal: "Too many requests with a body are under way; try again in a moment",
  // On a connection that stays open the refused body would still be sent.
  headers: { connection: "close" },
};

/** Bytes that a body costs beside its own: its request and its connection. */
const OVERHEAD = 4 * 1024;

/** Bytes. Nearly all bodies are far smaller, and larger ones take no room from them. */
const SMALL = 64 * 1024;

const small = new Ledger(() => ({ ...profile.smallBodies, ...REFUSED }));
const large = new Ledger(() => ({ ...profile.largeBodies, ...REFUSED }));

/**
 * Part of the bytes of small bodies that are not charged to an address yet: finding a request's address takes longer than
 * reading it, and nearly all bodies are here as soon as they are announced.
 */
const UNASKED_SHARE = 1 / 4;
const unasked = new Set<Hold>();
let unaskedBytes = 0;

/** Slowest rate of a large upload, in bytes a second, on top of the idle time-out. */
const SLOWEST_UPLOAD = 8 * 1024;

/** Ends a body that has to make room, with the answer to its client. */
type End = (refusal: AppError) => void;

/**
 * Counts a body of `length` bytes until the returned function is called. Throws 503 if there is no room for
 * it, and calls `end` if it has to make room for others.
 */
export function expectBody(request: Request, length: number, end: End): () => void {
  const bytes = length + OVERHEAD;
  if (length <= SMALL) return expectSmall(request, bytes, end);
  const hold = large.take(request, bytes, end);
  // The runtime would cut a client that sends less than 16 kB a second over its idle time-out.
  giveSeconds(request, config["server.idle_seconds"] + length / SLOWEST_UPLOAD);
  return () => {
    large.release(hold);
    letStall(request);
  };
}

/** Refuses none: those that are not here by the time that room runs out are charged, and may be cut. */
function expectSmall(request: Request, bytes: number, end: End): () => void {
  if (unaskedBytes + bytes > profile.smallBodies.inAll * UNASKED_SHARE) {
    small.adopt(unasked);
    unasked.clear();
    unaskedBytes = 0;
  }
  const hold: Hold = { request, block: "", bytes, since: performance.now(), end };
  unasked.add(hold);
  unaskedBytes += bytes;
  return () => {
    if (unasked.delete(hold)) unaskedBytes -= bytes;
    else small.release(hold);
  };
}

/** Bytes of pieces that the runtime holds ready of a body that is read and dropped. */
const READY = 2 * 1024 * 1024;

/** `expectBody` for one that is read and dropped piece by piece. */
export function expectAway(request: Request, length: number, end: End): () => void {
  const hold = large.take(request, OVERHEAD + READY, end);
  giveSeconds(request, config["server.idle_seconds"] + length / SLOWEST_UPLOAD);
  return () => {
    large.release(hold);
    letStall(request);
  };
}

/** `expectBody` for a body in chunks, for which `grow` counts the memory. */
export function expectChunks(
  request: Request,
  end: End,
): { grow: (bytes: number) => void; arrived: () => void } {
  const hold = large.take(request, OVERHEAD, end);
  return { grow: (bytes) => large.grow(hold, bytes), arrived: () => large.release(hold) };
}
