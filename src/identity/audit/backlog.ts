import { sqlite, statement } from "../../kernel/db/connection";
import { commit, type MigrationProgress } from "../../kernel/db/migrate";
import { type ChainedFields, chainState, type Link, linkAfter } from "./chain";

/**
 * Chaining the events that an earlier version wrote: after the migration and before anything is served, in steps that are
 * committed one by one, so that a start which is killed goes on where it was. Raw SQL: a million rows are read and written.
 */

/** Events of a step: some milliseconds. */
const STEP = 2_000;

const countLeft = statement(() =>
  sqlite.prepare<{ n: number }, [string]>(
    "SELECT count(*) AS n FROM audit_events WHERE rowid > coalesce((SELECT rowid FROM audit_events WHERE id = ?), 0)",
  ),
);
const readNext = statement(() =>
  sqlite.prepare<ChainedFields & { at: number }, [string, number]>(
    `SELECT rowid AS at, * FROM audit_events
     WHERE rowid > coalesce((SELECT rowid FROM audit_events WHERE id = ?), 0) ORDER BY rowid LIMIT ?`,
  ),
);
const storeLink = statement(() =>
  sqlite.prepare<unknown, [number, Uint8Array, Uint8Array, Uint8Array | null, number]>(
    "UPDATE audit_events SET number = ?, hash = ?, personal_hash = ?, salt = ? WHERE rowid = ?",
  ),
);
const storeState = statement(() =>
  sqlite.prepare<unknown, [number, Uint8Array, string | null]>(
    "UPDATE audit_chain SET number = ?, hash = ?, chained_to = ?",
  ),
);

/** Chains all events that aren't yet; returns how many. */
export function chainBacklog(progress: MigrationProgress = () => {}): number {
  const { chained_to, number: before } = chainState();
  if (chained_to === null) return 0;
  const total = before + (countLeft().get(chained_to)?.n ?? 0);
  progress("the hash chain of the audit log", before, total);
  for (;;) {
    const { number, isLast } = commit(step);
    progress("the hash chain of the audit log", number, total);
    if (isLast) return number - before;
  }
}

function step(): { number: number; isLast: boolean } {
  const state = chainState();
  const events = readNext().all(state.chained_to ?? "", STEP);
  let { number, hash }: Pick<Link, "number" | "hash"> = state;
  for (const event of events) {
    const link = linkAfter(event, number, hash);
    ({ number, hash } = link);
    storeLink().run(number, hash, link.personal_hash, link.salt, event.at);
  }
  const isLast = events.length < STEP;
  storeState().run(number, hash, isLast ? null : (events.at(-1)?.id ?? null));
  return { number, isLast };
}
