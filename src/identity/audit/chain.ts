import { randomBytes } from "node:crypto";
import { sqlite, statement } from "../../kernel/db/connection";
import { beforeEachCommit, undoneSince } from "../../kernel/db/transactions";
import { iso } from "../../kernel/time/clock";

/**
 * The hash chain of the audit log (rule E8): each event's hash covers that of the event before it, so that nothing can be
 * changed, added or left out in between without a break. What goes when an account is scrubbed is covered by a salted hash of
 * its own, which stays. Raw SQL: nearly every change appends an event.
 */

/** The columns that never change. */
interface FixedFields {
  id: string;
  user_id: string | null;
  event_type: string;
  actor_id: string | null;
  status: string;
  source_service: string;
  recorded_by_kind: string | null;
  recorded_by_id: string | null;
  created_at: number;
}

/** The columns that go, in whole or in part, when an account is scrubbed. */
interface PersonalFields {
  resource_type: string | null;
  resource_id: string | null;
  ip_address: string | null;
  user_agent: string | null;
  description: string | null;
  /** As stored: the text of a JSON object. */
  metadata: string | null;
  error_message: string | null;
  country_code: string | null;
  country_name: string | null;
  city: string | null;
  region: string | null;
}

export type ChainedFields = FixedFields & PersonalFields;

/** An event's place in the chain, as it is stored. Hashes have 32 bytes. */
export interface Link {
  number: number;
  hash: Uint8Array;
  personal_hash: Uint8Array;
  /** 16 bytes; null once the event is scrubbed. */
  salt: Uint8Array | null;
}

/** The hash before the first event. */
export const NO_HASH = new Uint8Array(32);

/** Hashes into bytes that are there already: the runtime takes half a microsecond longer to make them. */
function sha256(text: string): Uint8Array {
  const hash = new Uint8Array(32);
  Bun.SHA256.hash(text, hash);
  return hash;
}

/** The part of an event that `personal_hash` covers, as canonical JSON has it (RFC 8785, section 3.2.3): by names in order. */
export const personalPart = (event: PersonalFields, salt: string) => ({
  city: event.city,
  country_code: event.country_code,
  country_name: event.country_name,
  description: event.description,
  error_message: event.error_message,
  ip_address: event.ip_address,
  metadata: event.metadata,
  region: event.region,
  resource_id: event.resource_id,
  resource_type: event.resource_type,
  salt,
  user_agent: event.user_agent,
});

/** The last time that a date can have; the first one lies as far before 1970 (milliseconds). */
const LAST_TIME = 8_640_000_000_000_000;

/** The part that `hash` covers, in the same form. A time beyond all dates, which the server never writes, is null. */
export const fixedPart = (event: FixedFields, number: number, previous: string, personal: string) => ({
  actor_id: event.actor_id,
  created_at: Math.abs(event.created_at) <= LAST_TIME ? iso(event.created_at) : null,
  event_type: event.event_type,
  id: event.id,
  number,
  personal_hash: personal,
  previous_hash: previous,
  recorded_by_id: event.recorded_by_id,
  recorded_by_kind: event.recorded_by_kind,
  source_service: event.source_service,
  status: event.status,
  user_id: event.user_id,
});

// Strings, null and a whole number alone, by names in order: this is the canonical form.
export const personalHash = (event: PersonalFields, salt: Uint8Array): Uint8Array =>
  sha256(JSON.stringify(personalPart(event, salt.toHex())));
export const eventHash = (
  event: FixedFields,
  number: number,
  previous: Uint8Array,
  personal: Uint8Array,
): Uint8Array => sha256(JSON.stringify(fixedPart(event, number, previous.toHex(), personal.toHex())));

const SALT_BYTES = 16;
/** Random bytes are drawn for many salts at once. */
let salts = Buffer.alloc(0);

function newSalt(): Uint8Array {
  if (salts.length < SALT_BYTES) salts = randomBytes(SALT_BYTES * 256);
  const salt = salts.subarray(0, SALT_BYTES);
  salts = salts.subarray(SALT_BYTES);
  return salt;
}

/** The link of an event that follows another. */
export function linkAfter(event: ChainedFields, number: number, previous: Uint8Array): Link {
  const salt = newSalt();
  const personal_hash = personalHash(event, salt);
  return {
    number: number + 1,
    hash: eventHash(event, number + 1, previous, personal_hash),
    personal_hash,
    salt,
  };
}

export interface ChainState {
  /** The newest event's; 0 and zeros before the first. */
  number: number;
  hash: Uint8Array;
  /** While events of an earlier version are chained, the newest one that is; else null. */
  chained_to: string | null;
}

const readHead = statement(() =>
  sqlite.prepare<ChainState, []>("SELECT number, hash, chained_to FROM audit_chain"),
);
const writeHead = statement(() =>
  sqlite.prepare<unknown, [number, Uint8Array]>("UPDATE audit_chain SET number = ?, hash = ?"),
);

/** The head of the chain; null if somebody has deleted it past the server. */
export const storedHead = (): ChainState | null => readHead().get();

/** The head of the chain, which events are appended to. */
export function chainState(): ChainState {
  const state = storedHead();
  if (!state) throw new Error("the audit log has lost the head of its chain");
  return state;
}

const readLast = statement(() =>
  sqlite.prepare<Pick<ChainState, "number" | "hash">, []>(
    "SELECT number, hash FROM (SELECT number, hash FROM audit_events ORDER BY rowid DESC LIMIT 1) WHERE number IS NOT NULL",
  ),
);

/** The head as the open transaction has it: it is stored once, before the commit. */
let head: Pick<ChainState, "number" | "hash"> | null = null;
let headSince = -1;
let isStored = true;

/** The head within the current transaction; null while events of an earlier version are chained. */
function headNow(): Pick<ChainState, "number" | "hash"> | null {
  if (head && headSince === undoneSince()) return head;
  const stored = chainState();
  const last = readLast().get();
  headSince = undoneSince();
  head = stored.chained_to !== null ? null : last && last.number > stored.number ? last : stored;
  return head;
}

/**
 * Appends an event to the chain, in the current transaction, and returns its link. Null while events of an earlier version are
 * chained: those come first.
 */
export function appendToChain(event: ChainedFields): Link | null {
  const before = headNow();
  if (!before) return null;
  const link = linkAfter(event, before.number, before.hash);
  head = link;
  isStored = false;
  return link;
}

beforeEachCommit(() => {
  if (isStored) return;
  isStored = true;
  const newest = headNow();
  if (newest) writeHead().run(newest.number, newest.hash);
});

const dropAnchor = statement(() => sqlite.prepare<unknown, []>("DELETE FROM audit_anchors"));
const addAnchor = statement(() =>
  sqlite.prepare<unknown, [number, Uint8Array]>("INSERT INTO audit_anchors VALUES (?, ?)"),
);

/**
 * Keeps place and hash of the last event that has aged out, in the transaction that deletes it: the oldest that is left goes on
 * from there. All before it must be gone too: a gap in between would cut the chain, and anything before it could be made up.
 */
export function anchorChain({ number, hash }: Pick<Link, "number" | "hash">): void {
  dropAnchor().run();
  addAnchor().run(number, hash);
}

const readToldDay = statement(() =>
  sqlite.prepare<{ told_day: number | null }, []>("SELECT told_day FROM audit_chain"),
);
const writeToldDay = statement(() =>
  sqlite.prepare<unknown, [number]>("UPDATE audit_chain SET told_day = ?"),
);

/** The head, and the last day (counted from 1970-01-01) whose head was told. */
export function headOfDay(): { number: number; hash: string; told_day: number | null } {
  const { number, hash } = chainState();
  return { number, hash: hash.toHex(), told_day: readToldDay().get()?.told_day ?? null };
}

/** Notes a day whose head is told, in the current transaction. */
export function noteToldDay(day: number): void {
  writeToldDay().run(day);
}
