import { and, asc, eq, gt, lt, lte, notExists, placeholder, type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import { inBatches } from "../../kernel/db/batches";
import { db, statement } from "../../kernel/db/connection";
import { rowid } from "../../kernel/db/table";
import { now, SECOND } from "../../kernel/time/clock";
import type { DeliveryRow } from "./settle";
import { notificationDeliveries } from "./table";

/** The waiting part of the outbox, as the worker reads it. */

/** In words, not as a parameter: the indexes hold only rows of which SQLite sees in the statement that they wait. */
export const isWaiting: SQL = sql`${notificationDeliveries.status} = 'waiting'`;

const targetsWithDue = statement(() =>
  db
    .selectDistinct({ id: notificationDeliveries.target_id })
    .from(notificationDeliveries)
    .where(and(isWaiting, lte(notificationDeliveries.next_attempt_at, placeholder("time"))))
    .prepare(),
);

/** Identifiers of the targets for which something is due. */
export const dueTargets = (): string[] =>
  targetsWithDue()
    .all({ time: now() })
    .map(({ id }) => id);

const dueRows = statement(() => {
  const { target_id, alert_id, number, urgency, next_attempt_at } = notificationDeliveries;
  const earlier = alias(notificationDeliveries, "earlier");
  const isFirstOfAlert = notExists(
    db
      .select({ number: earlier.number })
      .from(earlier)
      .where(
        and(
          eq(earlier.target_id, target_id),
          eq(earlier.alert_id, alert_id),
          lt(earlier.number, number),
          sql`${earlier.status} = 'waiting'`,
        ),
      ),
  );
  return db
    .select()
    .from(notificationDeliveries)
    .where(
      and(
        eq(target_id, placeholder("target")),
        isWaiting,
        lte(next_attempt_at, placeholder("time")),
        isFirstOfAlert,
      ),
    )
    .orderBy(asc(urgency), asc(number))
    .limit(placeholder("limit"))
    .prepare();
});

/** All that is due for a target and the first of its alert: alarms before the rest, then in order. */
export const dueOf = (target: string, limit: number): DeliveryRow[] =>
  dueRows().all({ target, time: now(), limit });

/** Changes the waiting rows that meet a condition, batch by batch. The change must end the condition. */
export const changeWaiting = (
  which: SQL | undefined,
  values: () => Parameters<ReturnType<typeof db.update<typeof notificationDeliveries>>["set"]>[0],
): Promise<void> =>
  inBatches((limit) => {
    const some = db
      .select({ number: notificationDeliveries.number })
      .from(notificationDeliveries)
      .where(and(isWaiting, which))
      .limit(limit);
    return db
      .update(notificationDeliveries)
      .set(values())
      .where(sql`${notificationDeliveries.number} IN ${some}`)
      .returning({ rowid })
      .all().length;
  });

/** Shortest time between two attempts out of turn at one delivery. */
const AT_ONCE = 5 * SECOND;

/**
 * Makes what failed before due at once, out of turn. What was tried some seconds ago is left: where a target fails by
 * itself, each success of another would bring an attempt.
 */
export const makeDue = (): Promise<void> => {
  const { attempts, last_attempt_at, next_attempt_at, step } = notificationDeliveries;
  const time = now();
  const failed = and(gt(attempts, 0), gt(next_attempt_at, time), lte(last_attempt_at, time - AT_ONCE));
  return changeWaiting(failed, () => ({
    next_attempt_at: time,
    step: sql`max(${step} - 1, 0)`,
  }));
};

/** Makes all that waits for a target due, held ones too: the target was changed. */
export const makeDueFor = (target: string): Promise<void> => {
  const { target_id, next_attempt_at } = notificationDeliveries;
  const time = now();
  return changeWaiting(and(eq(target_id, target), gt(next_attempt_at, time)), () => ({
    next_attempt_at: time,
  }));
};
