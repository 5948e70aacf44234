import { sqlite, statement } from "../kernel/db/connection";
import { currentEpoch, newestNumber, oldestKept, oldestStart } from "./journal";

/**
 * Readers of the feed that keep their place over restarts. Each acknowledges what it needs no more, and the rest outlives the
 * retention: see retention.ts. Raw SQL: a place is written again and again while changes come, and the size of rows is sampled
 * by numbers.
 */

/** The way in which a reader began. */
export type Beginning =
  /** It goes on from its place. */
  | "resumed"
  /** It is new. */
  | "first"
  /** The database was restored: its place was one of other numbers. */
  | "epoch"
  /** More changes waited for it than are kept. */
  | "expired";

const placeOf = statement(() =>
  sqlite.prepare<{ epoch: string; number: number }, [string]>(
    "SELECT epoch, number FROM feed_readers WHERE name = ?",
  ),
);
const place = statement(() =>
  sqlite.prepare<unknown, [string, string, number]>(
    `INSERT INTO feed_readers (name, epoch, number) VALUES (?, ?, ?)
     ON CONFLICT (name) DO UPDATE SET epoch = excluded.epoch, number = excluded.number`,
  ),
);
const remove = statement(() => sqlite.prepare<unknown, [string]>("DELETE FROM feed_readers WHERE name = ?"));

/**
 * Begins a reader in the current transaction, and returns the number from which it reads on. Unless it is `resumed`, that is
 * the newest one: whoever reads knows the state of now by other ways.
 */
export function beginReader(name: string): { number: number; how: Beginning } {
  const known = placeOf().get(name);
  const newest = newestNumber();
  const how = howToBegin(known, newest);
  if (known && how === "resumed") return { number: known.number, how };
  acknowledge(name, newest);
  return { number: newest, how };
}

function howToBegin(known: { epoch: string; number: number } | null, newest: number): Beginning {
  if (!known) return "first";
  // A number beyond the newest one is of a database that this one is an older copy of.
  if (known.epoch !== currentEpoch() || known.number > newest) return "epoch";
  return known.number < oldestStart() ? "expired" : "resumed";
}

/** Notes, in the current transaction, that a reader needs nothing up to a number any more. */
export function acknowledge(name: string, number: number): void {
  place().run(name, currentEpoch(), number);
}

/** Forgets a reader, in the current transaction: nothing is kept for it. */
export function endReader(name: string): void {
  remove().run(name);
}

/** A reader that is told of every alert, trip and log entry, however long it was away: of what waits for it, positions alone are given up. */
export const PATIENT = "sync";

const places = statement(() =>
  sqlite.prepare<{ name: string; number: number }, [string]>(
    "SELECT name, number FROM feed_readers WHERE epoch = ?",
  ),
);

/**
 * The number up to which nobody needs the changes; null where there is no reader. Of what waits for a reader the newest
 * `mostWaiting` are kept, and for a patient one all.
 */
export function neededByNobody(mostWaiting: () => number): number | null {
  const readers = places().all(currentEpoch());
  if (readers.length === 0) return null;
  const least = readers.some(({ name }) => name !== PATIENT) ? newestNumber() - mostWaiting() : 0;
  return Math.min(
    ...readers.map(({ name, number }) => (name === PATIENT ? number : Math.max(number, least))),
  );
}

/** Rows whose size is looked at. */
const SAMPLES = 500;
/** Bytes of a row beside its texts, with what the page of the database needs. */
const ROW_ITSELF = 40;

const sizeOf = statement(() =>
  sqlite.prepare<{ bytes: number | null }, [string]>(
    `SELECT avg(coalesce(length(record), 0) + coalesce(length(device_id), 0) + coalesce(length(detail), 0)) AS bytes
     FROM changes WHERE number IN (SELECT value FROM json_each(?))`,
  ),
);

/** Bytes that a kept change takes on average: a sample, since a look at millions of them would hold everything up. */
export function averageSize(): number {
  const [from, to] = [oldestKept() + 1, newestNumber()];
  const step = Math.max(1, Math.floor((to - from + 1) / SAMPLES));
  const numbers = Array.from({ length: Math.min(SAMPLES, to - from + 1) }, (_, at) => from + at * step);
  return ROW_ITSELF + (sizeOf().get(JSON.stringify(numbers))?.bytes ?? 0);
}
