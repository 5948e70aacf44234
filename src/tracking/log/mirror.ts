import { and, eq } from "drizzle-orm";
import { note } from "../../feed/journal";
import { db } from "../../kernel/db/connection";
import { logEntries } from "./table";

/** Entries of the logs of boxes' trips, which are stored as their box wrote them: the hashes cover them letter by letter. */

type Row = typeof logEntries.$inferSelect;

/** The fate of an entry. `not_own`: its identifier, or the entry that it strikes out, is of another log. */
export type MirroredEntry = "stored" | "same" | "not_own";

/**
 * Stores an entry of a box's trip in the current transaction. A box that was restored goes on from an earlier entry: then one of
 * another life stands in the place of this one, and makes room, with those that are chained to it. Entries may come in any order.
 */
export function mirrorEntry(row: Row): MirroredEntry {
  const known = entryBy(eq(logEntries.id, row.id));
  if (known) return known.trip_id === row.trip_id ? "same" : "not_own";
  if (row.strikes_id !== null) {
    const struck = entryBy(eq(logEntries.id, row.strikes_id));
    const striking = entryBy(eq(logEntries.strikes_id, row.strikes_id));
    if ([struck, striking].some((entry) => entry && entry.trip_id !== row.trip_id)) return "not_own";
    if (striking) remove(striking);
  }
  const former = entryAt(row.trip_id, row.number);
  if (former) remove(former);
  db.insert(logEntries).values(row).run();
  removeOthersAfter(row);
  note("logEntry", row.id, null);
  return "stored";
}

const entryBy = (which: ReturnType<typeof eq>): Row | undefined =>
  db.select().from(logEntries).where(which).get();

const entryAt = (tripId: string, number: number): Row | undefined =>
  db
    .select()
    .from(logEntries)
    .where(and(eq(logEntries.trip_id, tripId), eq(logEntries.number, number)))
    .get();

function remove({ id }: Row): void {
  db.delete(logEntries).where(eq(logEntries.id, id)).run();
}

/** Entries of another life that go with one entry: some milliseconds. */
const MOST_REMOVED = 500;

/** Removes the entries behind one that go on from another in its place, up to the first that doesn't. */
function removeOthersAfter({ trip_id, number, hash }: Row): void {
  let next = entryAt(trip_id, number + 1);
  if (!next || next.previous_hash === hash) return;
  for (let left = MOST_REMOVED; next && left > 0; left--) {
    remove(next);
    const after: Row | undefined = entryAt(trip_id, next.number + 1);
    next = after?.previous_hash === next.hash ? after : undefined;
  }
}
