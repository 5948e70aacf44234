import { and, eq, gte } from "drizzle-orm";
import { note } from "../../feed/journal";
import { db } from "../../kernel/db/connection";
import { logEntries } from "./table";

/** Entries of the logs of boxes' trips, which are stored as their box wrote them: the hashes cover them letter by letter. */

type Row = typeof logEntries.$inferSelect;

/** The fate of an entry: `replaced` tells how many entries of another life of its box made room. */
export type MirroredEntry =
  | { status: "stored" | "same" | "not_own" }
  | { status: "replaced"; entries: number };

/**
 * Stores an entry of a box's trip in the current transaction. Where the log has another one of its number, or later ones, the box
 * was restored and went on from before these: they are no more a part of its chain, and go.
 */
export function mirrorEntry(row: Row): MirroredEntry {
  const known = db.select().from(logEntries).where(eq(logEntries.id, row.id)).get();
  if (known) return { status: known.trip_id === row.trip_id ? "same" : "not_own" };
  const later = and(eq(logEntries.trip_id, row.trip_id), gte(logEntries.number, row.number));
  const gone = db.delete(logEntries).where(later).returning({ id: logEntries.id }).all();
  db.insert(logEntries).values(row).run();
  note("logEntry", row.id, null);
  return gone.length > 0 ? { status: "replaced", entries: gone.length } : { status: "stored" };
}
