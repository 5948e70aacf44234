import { and, eq, inArray, type SQL } from "drizzle-orm";
import { db } from "../../kernel/db/connection";
import { transact } from "../../kernel/db/transactions";
import { log } from "../../kernel/logs/log";
import { counters } from "../../kernel/logs/metrics";
import { now, SECOND } from "../../kernel/time/clock";
import { switchOff, type TargetRow } from "../targets/service";
import type { Outcome } from "./kinds/outcome";
import { isOver, pauseAt, withJitter } from "./pauses";
import { notificationDeliveries } from "./table";

/** The fate of a delivery after an attempt. */

export type DeliveryRow = typeof notificationDeliveries.$inferSelect;

const ended = counters<string>(
  "fairlead_notifications_total",
  "Attempts to reach notification targets, by their end",
  "outcome",
);
// Created at the start, so that the first one shows as a rise.
for (const outcome of ["delivered", "failed", "given_up"]) ended.of(outcome);

/** Counts an attempt, and one that was the last. */
export function countEnd(outcome: "delivered" | "failed" | "given_up"): void {
  ended.of(outcome).add();
}

/** Stores the end of an attempt that began at a time (epoch milliseconds) and took a while (milliseconds). */
export async function settle(
  target: TargetRow,
  row: DeliveryRow,
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
  const facts = { delivery: row.id, target: target.id, kind: target.kind, attempts: attempt.attempts };
  if (outcome.result === "delivered") {
    countEnd("delivered");
    // Even if it was superseded on its way: it arrived.
    return finish(row, ["waiting", "superseded", "cancelled"], { ...attempt, status: "delivered" });
  }
  countEnd("failed");
  if (isLast(row, outcome, attempt.first_attempt_at)) {
    countEnd("given_up");
    log.error("a notification is given up", { ...facts, reason: outcome.error ?? "" });
    return finish(row, ["waiting"], { ...attempt, status: "failed" }, () => {
      if (outcome.result === "gone") switchOff(target.id, "the receiver answered 410 Gone");
    });
  }
  const pause = Math.max(withJitter(pauseAt(row.step, row.severity)), outcome.wait ?? 0);
  log.warn("a notification could not be delivered yet", {
    ...facts,
    reason: outcome.error ?? "",
    retry_seconds: Math.round(pause / SECOND),
  });
  const step = row.step + 1;
  await change(row, ["waiting"], { ...attempt, step, next_attempt_at: now() + pause });
}

/** A test tells at once what became of it; everything else is tried for days. */
const isLast = (row: DeliveryRow, { result }: Outcome, firstAttemptAt: number): boolean =>
  result !== "later" || row.type === "alert.test" || isOver(row.step, row.severity, firstAttemptAt, now());

type Values = Partial<typeof notificationDeliveries.$inferInsert>;

/** A failed one keeps its payload, for whoever has it tried again. */
const finish = (
  row: DeliveryRow,
  from: DeliveryRow["status"][],
  values: Values,
  also?: () => void,
): Promise<void> =>
  change(
    row,
    from,
    {
      ...values,
      next_attempt_at: null,
      finished_at: now(),
      ...(values.status === "delivered" && { payload: null }),
    },
    also,
  );

function change(
  { number }: DeliveryRow,
  from: DeliveryRow["status"][],
  values: Values,
  also?: () => void,
): Promise<void> {
  return transact(() => {
    db.update(notificationDeliveries).set(values).where(those(number, from)).run();
    also?.();
  });
}

const those = (number: number, from: DeliveryRow["status"][]): SQL | undefined =>
  and(eq(notificationDeliveries.number, number), inArray(notificationDeliveries.status, from));

/** Lets a delivery wait for the end of a quiet time (epoch milliseconds); that is no attempt. */
export const hold = (row: DeliveryRow, until: number): Promise<void> =>
  change(row, ["waiting"], { next_attempt_at: until });
