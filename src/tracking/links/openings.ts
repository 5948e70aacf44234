import { eq, sql } from "drizzle-orm";
import { db } from "../../kernel/db/connection";
import { transact } from "../../kernel/db/transactions";
import { logFailure } from "../../kernel/errors/trouble";
import { now, SECOND } from "../../kernel/time/clock";
import type { Row } from "./standing";
import { shareLinks } from "./table";

/** Openings of links, written together: whoever opens one waits for no write. */

interface Opened {
  times: number;
  /** Epoch milliseconds. */
  last: number;
}

/** Openings that are not written yet, by link. A crash loses them. */
const pending = new Map<string, Opened>();

const PACE = 5 * SECOND;
let writing: ReturnType<typeof setTimeout> | undefined;

/** Counts that a link was opened. */
export const noteOpening = (id: string): void => count(id, { times: 1, last: now() });

function count(id: string, { times, last }: Opened): void {
  pending.set(id, { times: (pending.get(id)?.times ?? 0) + times, last });
  writeLater();
}

function writeLater(): void {
  writing ??= setTimeout(writeOpenings, PACE);
  writing.unref();
}

/** Writes what was counted; when the server stops, too. */
export function writeOpenings(): void {
  clearTimeout(writing);
  writing = undefined;
  if (pending.size === 0) return;
  const counted: [string, Opened][] = [];
  transact(() => {
    // Taken only now: a transaction may wait, and links are opened meanwhile.
    counted.push(...pending);
    pending.clear();
    for (const [id, { times, last }] of counted) {
      const opened_count = sql`${shareLinks.opened_count} + ${times}`;
      db.update(shareLinks).set({ opened_count, last_opened_at: last }).where(eq(shareLinks.id, id)).run();
    }
  }).catch((error) => {
    for (const [id, opened] of counted) count(id, opened);
    // Also where the transaction could not even begin, and took nothing.
    writeLater();
    logFailure("openings of links could not be noted", error);
  });
}

/** The number of times that a link was opened and the last one, with those that aren't written yet. */
export function openingsOf({ id, opened_count, last_opened_at }: Row): {
  openedCount: number;
  lastOpenedAt: number | null;
} {
  const more = pending.get(id);
  return {
    openedCount: opened_count + (more?.times ?? 0),
    lastOpenedAt: more?.last ?? last_opened_at,
  };
}
