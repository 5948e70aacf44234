import { and, asc, count, desc, eq, gt, inArray, lte } from "drizzle-orm";
import { note } from "../../feed/journal";
import { newId } from "../../kernel/crypto/id";
import { db } from "../../kernel/db/connection";
import { iso, now } from "../../kernel/time/clock";
import { canonicalJson } from "../../kernel/values/canonical-json";
import { hashOf } from "./chain";
import type { LogEntry, Strike } from "./schema";
import { logEntries } from "./table";

/** The rows of logs, and the entries that they are. */

type Row = typeof logEntries.$inferSelect;

export const toEntry = (row: Row): LogEntry => ({
  ...row,
  occurred_at: iso(row.occurred_at),
  recorded_at: iso(row.recorded_at),
  data: dataOf(row.data),
});

/** An edited database may hold anything here: then the hash doesn't hold, and nothing else fails. */
function dataOf(text: string | null): LogEntry["data"] {
  try {
    return text === null ? null : JSON.parse(text);
  } catch {
    return null;
  }
}

/** The last entry of a log; undefined while it is empty. */
const lastRow = (tripId: string) =>
  db
    .select({ number: logEntries.number, hash: logEntries.hash })
    .from(logEntries)
    .where(eq(logEntries.trip_id, tripId))
    .orderBy(desc(logEntries.number))
    .limit(1)
    .get();

/** Number of entries of a log, which is the number of the last one. */
export const countEntries = (tripId: string): number => lastRow(tripId)?.number ?? 0;

/** `hash` of the last entry of a log; null while it is empty. */
export const headOf = (tripId: string): string | null => lastRow(tripId)?.hash ?? null;

export type NewRow = Pick<Row, "trip_id" | "kind" | "occurred_at" | "text"> &
  Partial<Pick<Row, "user_id" | "api_key_id" | "strikes_id">> & { data: LogEntry["data"] };

/**
 * Adds an entry to the end of a log, in the current transaction: the head is read inside of it, so that parallel requests
 * make one chain. One that names neither user nor key is the server's own. Throws NotCanonical.
 */
export function append({ data, ...fields }: NewRow): LogEntry {
  const last = lastRow(fields.trip_id);
  const row = {
    id: newId(),
    user_id: null,
    api_key_id: null,
    strikes_id: null,
    ...fields,
    number: (last?.number ?? 0) + 1,
    recorded_at: now(),
    is_automatic: !fields.user_id && !fields.api_key_id,
    data: data === null ? null : canonicalJson(data),
    previous_hash: last?.hash ?? null,
  };
  const hash = hashOf(toEntry({ ...row, hash: "" }));
  note("logEntry", row.id, null);
  return toEntry(
    db
      .insert(logEntries)
      .values({ ...row, hash })
      .returning()
      .get(),
  );
}

/** Entries of a log behind the first `skip` ones, oldest first, at most `limit`. */
export const readEntries = (tripId: string, skip: number, limit: number): LogEntry[] =>
  db
    .select()
    .from(logEntries)
    .where(and(eq(logEntries.trip_id, tripId), gt(logEntries.number, skip)))
    .orderBy(asc(logEntries.number))
    .limit(limit)
    .all()
    .map(toEntry);

/** Entries read at once of a long log: some milliseconds with the largest data. */
const PART = 50;

/**
 * A log up to an entry's number, in parts with requests in between. Entries that come meanwhile are not read.
 */
export async function* entriesInTurns(tripId: string, upTo: number): AsyncGenerator<LogEntry[]> {
  for (let skip = 0; skip < upTo; ) {
    const part = readEntries(tripId, skip, PART).filter(({ number }) => number <= upTo);
    const last = part.at(-1);
    if (!last) return;
    skip = last.number;
    yield part;
    await new Promise((resume) => setImmediate(resume));
  }
}

/** An entry of a log; undefined if there is none. */
export function findEntry(tripId: string, id: string): LogEntry | undefined {
  const row = db
    .select()
    .from(logEntries)
    .where(and(eq(logEntries.id, id), eq(logEntries.trip_id, tripId)))
    .get();
  return row && toEntry(row);
}

/** The strikes of those among some entries that are struck out. */
export const strikesOf = (entryIds: string[]): Strike[] =>
  db
    .select()
    .from(logEntries)
    .where(inArray(logEntries.strikes_id, entryIds))
    .all()
    .map((row) => ({
      entry_id: row.strikes_id ?? "",
      strike_id: row.id,
      strike_number: row.number,
      struck_at: iso(row.occurred_at),
      reason: row.text ?? "",
    }));

/** The newest `position` of a log that the server wrote up to now; undefined if there is none. */
export const lastAutomatic = (tripId: string): Row | undefined =>
  db
    .select()
    .from(logEntries)
    .where(and(eq(logEntries.trip_id, tripId), eq(logEntries.is_automatic, true)))
    .orderBy(desc(logEntries.number))
    .limit(1)
    .get();

/** Entries that a user wrote, oldest first, in parts of `size`, without those that have come since. */
export function* entriesBy(userId: string, size: number): Generator<LogEntry[]> {
  const newest = lastBy(userId);
  for (let after = ""; after < newest; ) {
    const part = db
      .select()
      .from(logEntries)
      .where(and(eq(logEntries.user_id, userId), gt(logEntries.id, after), lte(logEntries.id, newest)))
      .orderBy(asc(logEntries.id))
      .limit(size)
      .all();
    if (part.length === 0) return;
    after = part.at(-1)?.id ?? newest;
    yield part.map(toEntry);
  }
}

const lastBy = (userId: string): string =>
  db
    .select({ id: logEntries.id })
    .from(logEntries)
    .where(eq(logEntries.user_id, userId))
    .orderBy(desc(logEntries.id))
    .limit(1)
    .get()?.id ?? "";

/** Number of entries that a user wrote. */
export const countEntriesBy = (userId: string): number =>
  db.select({ n: count() }).from(logEntries).where(eq(logEntries.user_id, userId)).get()?.n ?? 0;
