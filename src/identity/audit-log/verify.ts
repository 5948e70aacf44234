import { getTableColumns } from "drizzle-orm";
import { sqlite, statement } from "../../kernel/db/connection";
import { shareReadTransaction } from "../../kernel/db/reads";
import { inTurns } from "../../kernel/limits/turns";
import { type ChainedFields, eventHash, NO_HASH, personalHash, storedHead } from "../audit/chain";
import { IS_FOREIGN } from "../audit/event-types";
import { auditEvents } from "../audit/table";
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
  /** Events that have aged out: all before the oldest that is left. */
  aged_out: number;
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

/** Longer than any value that the server writes (bytes). */
const TOO_LONG = 16 * 1024 * 1024;

/** A value that is too long is not read: the bytes that stand for it have the hash of no text. */
const readNext = statement(() => {
  const columns = Object.keys(getTableColumns(auditEvents)).map(
    (column) => `iif(octet_length(${column}) > ${TOO_LONG}, x'', ${column}) AS ${column}`,
  );
  return sqlite.prepare<StoredLink, [number, number]>(
    `SELECT rowid AS at, ${columns} FROM audit_events WHERE rowid > ? ORDER BY rowid LIMIT +?`,
  );
});
const readAnchor = statement(() =>
  sqlite.prepare<{ hash: Uint8Array }, [number]>("SELECT hash FROM audit_anchors WHERE number = ?"),
);
const rowidBounds = statement(() =>
  sqlite.prepare<{ first: number | null; last: number | null }, []>(
    "SELECT (SELECT min(rowid) FROM audit_events) AS first, (SELECT max(rowid) FROM audit_events) AS last",
  ),
);
const readExtent = statement(() =>
  sqlite.prepare<{ count: number; oldest: number | null }, []>(
    "SELECT count(*) AS count, (SELECT number FROM audit_events ORDER BY rowid LIMIT 1) AS oldest FROM audit_events",
  ),
);
const firstFrom = statement(() =>
  sqlite.prepare<Pick<StoredLink, "at" | "number" | "hash">, [number]>(
    "SELECT rowid AS at, number, hash FROM audit_events WHERE rowid >= ? ORDER BY rowid LIMIT 1",
  ),
);

/** Events of a step: some milliseconds. */
export const STEP = 500;

const turn = inTurns();

/**
 * Waits until a step may begin: walks of several callers take turns. Up to its next await, a step sees one state of the log, at
 * whose ends another process may be writing.
 */
export async function nextStep(): Promise<void> {
  await turn();
  shareReadTransaction();
}

/** The events after a row, in the order in which they were written. */
export const eventsAfter = (rowid: number): StoredLink[] => readNext().all(rowid, STEP);

/** The row before the first event whose place is at least `number`: places rise with the rows. */
export function rowBefore(number: number): number {
  const { first, last } = rowidBounds().get() ?? { first: null, last: null };
  if (first === null || last === null) return 0;
  // The server writes no rows beyond.
  let low = Math.max(first, Number.MIN_SAFE_INTEGER);
  let high = Math.min(last, Number.MAX_SAFE_INTEGER) + 1;
  while (low < high) {
    const middle = low + Math.floor((high - low) / 2);
    const found = firstFrom().get(middle);
    if (found && found.at < high && (found.number ?? Number.MAX_SAFE_INTEGER) < number) low = found.at + 1;
    else high = middle;
  }
  return low - 1;
}

/** The hash of the last event that has aged out, if it had this place: the oldest that is left has the next one. Null if it hadn't. */
export function anchorAt(number: number): Uint8Array | null {
  const oldest = firstFrom().get(Number.NEGATIVE_INFINITY);
  return !oldest || oldest.number === number + 1 ? (readAnchor().get(number)?.hash ?? null) : null;
}

/** The hash of an event by its place; null if there is none. */
export function hashAt(number: number): Uint8Array | null {
  const found = firstFrom().get(rowBefore(number) + 1);
  return found?.number === number ? found.hash : anchorAt(number);
}

const same = (a: Uint8Array, b: Uint8Array | null): boolean => b !== null && Buffer.compare(a, b) === 0;

const readSubject = statement(() =>
  sqlite.prepare<
    { isForeign: number; isScrubbed: number; isReduced: number | null },
    [number, string | null]
  >(
    `SELECT ${IS_FOREIGN} AS isForeign,
       EXISTS (SELECT 1 FROM users WHERE users.id IN (user_id, actor_id) AND scrubbed_at IS NOT NULL) AS isScrubbed,
       error_message IS NULL AND
         (?2 IS NULL OR CASE WHEN json_valid(?2) THEN json_remove(?2, '$.action') = '{}' END) AS isReduced
     FROM audit_events WHERE rowid = ?1`,
  ),
);

/**
 * True if an event without salt has lost what a scrub takes, and can have been scrubbed: it concerns an account that was, or a
 * service worded it, of which a scrub leaves no text.
 */
function isScrubbed(event: StoredLink): boolean {
  const lost = [
    ...[event.ip_address, event.user_agent, event.description],
    ...[event.country_code, event.country_name, event.city, event.region],
  ];
  if (lost.some((value) => value !== null)) return false;
  const subject = readSubject().get(event.at, event.metadata);
  return subject?.isForeign ? subject.isReduced === 1 : subject?.isScrubbed === 1;
}

/** A walk along the chain, event by event. */
export class ChainWalk {
  entries = 0;
  scrubbed = 0;
  agedOut = 0;
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
    // Its place is another event's, or its row none that the server wrote.
    if (number <= this.number || !Number.isSafeInteger(event.at)) return "unchained";
    if (number !== this.number + 1) {
      const anchor = anchorAt(number - 1);
      if (!anchor) return "missing";
      this.agedOut += number - 1 - this.number;
      this.number = number - 1;
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
 * Verifies the chain after a place, up to `most` events; 0 begins with the first, and so does a walk that finds at the end, or at
 * its beginning, that there are more or fewer events than places. Null if there is no such place: its event has aged out, or is
 * still to come.
 */
export async function verifyChain(
  after: number,
  most: number,
  progress: (entries: number) => void = () => {},
): Promise<Verdict | null> {
  await nextStep();
  const from = after === 0 ? NO_HASH : hashAt(after);
  const verifyWhole = () => verifyChain(0, Number.MAX_SAFE_INTEGER, progress);
  if (!from) return isComplete() ? null : verifyWhole();
  const walk = new ChainWalk({ number: after, hash: from });
  let at = after === 0 ? Number.NEGATIVE_INFINITY : rowBefore(after + 1);
  for (;;) {
    const events = eventsAfter(at);
    for (const event of events) {
      const reason = walk.next(event);
      if (reason) return verdict(walk, false, breakAt(walk, event, reason));
    }
    progress(walk.entries);
    if (events.length < STEP) {
      const missing = missingEnd(walk);
      return missing || after === 0 || isComplete() ? verdict(walk, true, missing) : verifyWhole();
    }
    at = events.at(-1)?.at ?? at;
    if (walk.entries >= most) return verdict(walk, false, null);
    await nextStep();
  }
}

/**
 * True if there are as many events as places, from the oldest event that is left to the newest: somebody who has written past the
 * server may have put others where a walk that began later doesn't look.
 */
function isComplete(): boolean {
  const { count, oldest } = readExtent().get() ?? { count: 0, oldest: null };
  return count === (oldest === null ? 0 : (storedHead()?.number ?? 0) - oldest + 1);
}

/** The break at an event: at its own place where events before it are missing, else at the place where the next one should stand. */
const breakAt = ({ number }: ChainWalk, event: StoredLink, reason: Reason): Break => ({
  event_id: String(event.id),
  number: reason === "missing" && event.number !== null ? event.number : number + 1,
  reason,
});

/** The break where the newest events are missing; null also where all have aged out. */
function missingEnd(walk: ChainWalk): Break | null {
  const head = storedHead();
  if (head?.number === walk.number && same(head.hash, walk.hash)) return null;
  const anchor = head && anchorAt(head.number);
  if (anchor && same(head.hash, anchor)) {
    walk.agedOut += head.number - walk.number;
    walk.number = head.number;
    walk.hash = head.hash;
    return null;
  }
  return { event_id: null, number: walk.number + 1, reason: "missing" };
}

const verdict = (
  { entries, scrubbed, agedOut, number, hash }: ChainWalk,
  isAtEnd: boolean,
  first_break: Break | null,
): Verdict => ({ entries, scrubbed, aged_out: agedOut, last: { number, hash }, first_break, isAtEnd });

/** The head of the chain as it is shown; the hash is null before the first event, and if the head is gone. */
export function headNow(): { number: number; hash: string | null } {
  const head = storedHead();
  return { number: head?.number ?? 0, hash: head && head.number > 0 ? head.hash.toHex() : null };
}
