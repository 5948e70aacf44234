import { and, count, gt, lte, min, ne, or, type SQL } from "drizzle-orm";
import { db } from "../../kernel/db/connection";
import { MINUTE, now, SECOND } from "../../kernel/time/clock";
import { isWaiting } from "../../outbox/queue";
import { outbox } from "../../outbox/table";
import { EMAILS } from "../../outbox/words";
import { notificationTargets } from "../targets/table";

/** Age from which what failed and still waits is a fault that somebody should look at. */
const FAULT_AGE = 5 * MINUTE;

export interface DeliveriesState {
  /** False if something has failed for a while. */
  isUp: boolean;
  /** Deliveries that are due or failed before; not those that a quiet time holds. */
  waiting: number;
  /** Age of the oldest of them in seconds; null where none waits. */
  oldestSeconds: number | null;
}

/** The state of the deliveries to targets; null while there is no target and nothing waits. */
export function deliveriesState(): DeliveriesState | null {
  const { attempts, next_attempt_at, first_attempt_at, created_at } = outbox;
  const time = now();
  const waiting = waitingSince(created_at, or(gt(attempts, 0), lte(next_attempt_at, time)));
  const failed = waitingSince(first_attempt_at, gt(attempts, 0));
  if (waiting.n === 0 && !hasTargets()) return null;
  return {
    isUp: failed.oldest === null || time - failed.oldest < FAULT_AGE,
    waiting: waiting.n,
    oldestSeconds: waiting.oldest === null ? null : Math.max(0, Math.floor((time - waiting.oldest) / SECOND)),
  };

  function waitingSince(since: typeof created_at | typeof first_attempt_at, which: SQL | undefined) {
    const found = db
      .select({ n: count(), oldest: min(since) })
      .from(outbox)
      .where(and(isWaiting, ne(outbox.lane, EMAILS), which))
      .get();
    return found ?? { n: 0, oldest: null };
  }
}

const hasTargets = (): boolean =>
  db.select({ id: notificationTargets.id }).from(notificationTargets).limit(1).get() !== undefined;
