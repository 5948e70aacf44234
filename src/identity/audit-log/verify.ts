import { sqlite, statement } from "../../kernel/db/connection";
import { inTurns } from "../../kernel/limits/turns";
import { type ChainedFields, eventHash, NO_HASH, personalHash, storedHead } from "../audit/chain";
import type { BREAKS } from "../audit/words";

/**
 * Verifying the audit log's chain. Raw SQL: every event is read, in the order in which it was written. The walk goes in steps with
 * requests in between, and may take minutes: meanwhile events are added at one end and age out at the other.
 */

type Reason = (typeof BREAKS)[number];

export interface Break {
  /** The event's identifier; null where events are missing at the end. */
  event_id: string | null;
  /** The place in the chain from which on it isn't proved. */
  number: number;
  reason: Reason;
}

export interface Verdict {
  /** Events that were looked at. */
  entries: number;
  /** Those of them that were scrubbed: what was personal of them isn't proved any more. */
  scrubbed: number;
  /** Runs of events that have aged out. */
  gaps: number;
  /** Place and hash of the last event that was looked at, or of the place to go on from. */
  last: { number: number; hash: Uint8Array };
  first_break: Break | null;
  isAtEnd: boolean;
}

export type StoredLink = ChainedFields & {
  at: number;
  number: number | null;
  hash: Uint8Array | null;
  personal_hash: Uint8Array | null;
  salt: Uint8Array | null;
};

const readNext = statement(() =>
  sqlite.prepare<StoredLink, [number, number]>(
    "SELECT rowid AS at, * FROM audit_events WHERE rowid > ? ORDER BY rowid LIMIT +?",
  ),
);
const readAnchor = statement(() =>
  sqlite.prepare<{ hash: Uint8Array }, [number]>("SELECT hash FROM audit_anchors WHERE number = ?"),
);
const rowidBounds = statement(() =>
  sqlite.prepare<{ first: number | null; last: number | null }, []>(
    "SELECT (SELECT min(rowid) FROM audit_events) AS first, (SELECT max(rowid) FROM audit_events) AS last",
  ),
);
const firstFrom = statement(() =>
  sqlite.prepare<Pick<StoredLink, "at" | "number" | "hash">, [number]>(
    "SELECT rowid AS at, number, hash FROM audit_events WHERE rowid >= ? ORDER BY rowid LIMIT 1",
  ),
);

/** The hash of the last event of a run that has aged out, by its place; null if none ends there. */
export const anchorAt = (number: number): Uint8Array | null => readAnchor().get(number)?.hash ?? null;

/** Events of a step: some milliseconds. */
export const STEP = 500;

/** Walks of several callers take turns. */
export const turn = inTurns();

/** The events after a row, in the order in which they were written. */
export const eventsAfter = (rowid: number): StoredLink[] => readNext().all(rowid, STEP);

/** The row before the first event whose place is at least `number`: places rise with the rows. */
export function rowBefore(number: number): number {
  const { first, last } = rowidBounds().get() ?? { first: null, last: null };
  if (first === null || last === null) return 0;
  let [low, high] = [first, last + 1];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const found = firstFrom().get(middle);
    if (!found || (found.number ?? Number.MAX_SAFE_INTEGER) >= number) high = middle;
    else low = found.at + 1;
  }
  return low - 1;
}

/** The hash of an event by its place; null if there is none. */
export function hashAt(number: number): Uint8Array | null {
  const found = firstFrom().get(rowBefore(number) + 1);
  return found?.number === number ? found.hash : anchorAt(number);
}

const same = (a: Uint8Array, b: Uint8Array | null): boolean => b !== null && Buffer.compare(a, b) === 0;

/** All that a scrubbed event must have lost. */
const isScrubbed = (event: StoredLink): boolean =>
  [
    ...[event.ip_address, event.user_agent, event.description],
    ...[event.country_code, event.country_name, event.city, event.region],
  ].every((value) => value === null);

/** A walk along the chain, event by event. */
export class ChainWalk {
  entries = 0;
  scrubbed = 0;
  gaps = 0;
  number: number;
  hash: Uint8Array;

  /** Begins after an event whose hash is believed, or before the first one. */
  constructor(after: { number: number; hash: Uint8Array } = { number: 0, hash: NO_HASH }) {
    this.number = after.number;
    this.hash = after.hash;
  }

  /** Looks at the next event. Returns the reason if it doesn't follow, or isn't what was hashed. */
  next(event: StoredLink): Reason | null {
    const { number, personal_hash, salt } = event;
    if (number === null || event.hash === null || personal_hash === null) return "unchained";
    if (number !== this.number + 1) {
      const anchor = number > this.number ? anchorAt(number - 1) : null;
      if (!anchor) return "missing";
      this.gaps++;
      this.hash = anchor;
    }
    if (!same(eventHash(event, number, this.hash, personal_hash), event.hash)) return "changed";
    if (salt === null) {
      if (!isScrubbed(event)) return "changed";
      this.scrubbed++;
    } else if (!same(personalHash(event, salt), personal_hash)) return "changed";
    this.entries++;
    this.number = number;
    this.hash = event.hash;
    return null;
  }
}

/**
 * Verifies the chain after a place, up to `most` events; 0 begins with the first. Null if there is no such place: its event has
 * aged out, or is still to come.
 */
export async function verifyChain(
  after: number,
  most: number,
  progress: (entries: number) => void = () => {},
): Promise<Verdict | null> {
  const from = after === 0 ? NO_HASH : hashAt(after);
  if (!from) return null;
  const walk = new ChainWalk({ number: after, hash: from });
  let at = after === 0 ? 0 : rowBefore(after + 1);
  for (;;) {
    await turn();
    const events = eventsAfter(at);
    for (const event of events) {
      const reason = walk.next(event);
      if (reason)
        return verdict(walk, false, { event_id: event.id, number: event.number ?? walk.number + 1, reason });
    }
    progress(walk.entries);
    // In the same turn as the last events were read: none can have been added since.
    if (events.length < STEP) return verdict(walk, true, missingEnd(walk));
    at = events.at(-1)?.at ?? at;
    if (walk.entries >= most) return verdict(walk, false, null);
  }
}

/** The break where the newest events are missing; those that have aged out have left an anchor. */
function missingEnd(walk: ChainWalk): Break | null {
  const head = storedHead();
  if (head?.number === walk.number && same(head.hash, walk.hash)) return null;
  const anchor = head && anchorAt(head.number);
  if (anchor && same(head.hash, anchor)) {
    walk.gaps++;
    walk.number = head.number;
    walk.hash = head.hash;
    return null;
  }
  return { event_id: null, number: walk.number + 1, reason: "missing" };
}

const verdict = (
  { entries, scrubbed, gaps, number, hash }: ChainWalk,
  isAtEnd: boolean,
  first_break: Break | null,
): Verdict => ({ entries, scrubbed, gaps, last: { number, hash }, first_break, isAtEnd });

/** The head of the chain as it is shown; the hash is null before the first event, and if the head is gone. */
export function headNow(): { number: number; hash: string | null } {
  const head = storedHead();
  return { number: head?.number ?? 0, hash: head && head.number > 0 ? head.hash.toHex() : null };
}
