import { and, eq, inArray } from "drizzle-orm";
import { db } from "../kernel/db/connection";
import { transact } from "../kernel/db/transactions";
import { now } from "../kernel/time/clock";
import { ALARM_PAUSE, isOver, pauseAt, withJitter } from "./pauses";
import type { Outcome, Way } from "./sender";
import { type OutboxRow, outbox } from "./table";
import type { Status } from "./words";

/** The fate of a row after an attempt. */

/** Stores the end of an attempt that began at a time (epoch milliseconds) and took a while (milliseconds). */
export async function settle(
  way: Way,
  row: OutboxRow,
  outcome: Outcome,
  startedAt: number,
  duration_ms: number,
): Promise<void> {
  const attempt = {
    attempts: row.attempts + 1,
    first_attempt_at: row.first_attempt_at ?? startedAt,
    last_attempt_at: startedAt,
    response_status: outcome.status,
    error: outcome.error,
    duration_ms,
  };
  const { attempts } = attempt;
  if (outcome.result === "delivered") {
    way.report(row, { end: "delivered", outcome, attempts });
    // Even if it was superseded or cancelled on its way: it arrived.
    const values = { ...attempt, ...finished("delivered"), message: null };
    return change(row, ["waiting", "superseded", "cancelled"], values);
  }
  const isAlarm = row.urgency === 0;
  if (outcome.result !== "later" || isOver(row.step, isAlarm, attempt.first_attempt_at, now())) {
    way.report(row, { end: "given_up", outcome, attempts });
    const values = { ...attempt, ...finished("failed"), ...(!way.keepsFailed && { message: null }) };
    return change(row, ["waiting"], values, () => {
      if (outcome.result === "gone") way.close();
    });
  }
  const wait = Math.min(outcome.wait ?? 0, isAlarm ? ALARM_PAUSE : Number.POSITIVE_INFINITY);
  const pause = Math.max(withJitter(pauseAt(row.step, isAlarm)), wait);
  way.report(row, { end: "failed", outcome, attempts, retryIn: pause });
  await change(row, ["waiting"], { ...attempt, step: row.step + 1, next_attempt_at: now() + pause });
}

/** Lets a row wait for the end of a quiet time (epoch milliseconds); that is no attempt. */
export const hold = (row: OutboxRow, until: number): Promise<void> =>
  change(row, ["waiting"], { next_attempt_at: until });

/** The values of a row that waits no longer. */
export const finished = (status: Exclude<Status, "waiting">) => ({
  status,
  next_attempt_at: null,
  finished_at: now(),
});

/**
 * Changes a row, unless its status became another one meanwhile. By its identifier: the number of a row that was deleted
 * meanwhile may be another's by now.
 */
function change(
  { id }: OutboxRow,
  from: Status[],
  values: Partial<OutboxRow>,
  also?: () => void,
): Promise<void> {
  return transact(() => {
    db.update(outbox)
      .set(values)
      .where(and(eq(outbox.id, id), inArray(outbox.status, from)))
      .run();
    also?.();
  });
}
