import { and, asc, eq, gt, lt, lte, notExists, placeholder, type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import { inBatches } from "../kernel/db/batches";
import { db, statement } from "../kernel/db/connection";
import { rowid } from "../kernel/db/table";
import { MINUTE, now, SECOND } from "../kernel/time/clock";
import { type OutboxRow, outbox } from "./table";

/** The part of the outbox that waits, as the worker reads it. */

/** In words, not as a parameter: the indexes hold only rows of which SQLite sees in the statement that they wait. */
export const isWaiting: SQL = sql`${outbox.status} = 'waiting'`;

const lanesWithDue = statement(() =>
  db
    .selectDistinct({ lane: outbox.lane })
    .from(outbox)
    .where(and(isWaiting, lte(outbox.next_attempt_at, placeholder("time"))))
    .prepare(),
);

/** The lanes in which something is due. */
export const dueLanes = (): string[] =>
  lanesWithDue()
    .all({ time: now() })
    .map(({ lane }) => lane);

const dueRows = statement(() => {
  const { lane, alert_id, number, urgency, next_attempt_at } = outbox;
  const earlier = alias(outbox, "earlier");
  const isFirstOfAlert = notExists(
    db
      .select({ number: earlier.number })
      .from(earlier)
      .where(
        and(
          eq(earlier.lane, lane),
          eq(earlier.alert_id, alert_id),
          lt(earlier.number, number),
          sql`${earlier.status} = 'waiting'`,
        ),
      ),
  );
  return db
    .select()
    .from(outbox)
    .where(
      and(
        eq(lane, placeholder("lane")),
        isWaiting,
        lte(next_attempt_at, placeholder("time")),
        isFirstOfAlert,
      ),
    )
    .orderBy(asc(urgency), asc(number))
    .limit(placeholder("limit"))
    .prepare();
});

/** All that is due in a lane and the first of its alert: alarms before the rest, then in order. */
export const dueOf = (lane: string, limit: number): OutboxRow[] =>
  dueRows().all({ lane, time: now(), limit });

/** True if something waits that failed before. */
export const hasFailed = (): boolean =>
  db
    .select({ number: outbox.number })
    .from(outbox)
    .where(and(isWaiting, gt(outbox.attempts, 0)))
    .limit(1)
    .get() !== undefined;

/** Changes the waiting rows that meet a condition, batch by batch. The change must end the condition. */
export const changeWaiting = (
  which: SQL | undefined,
  values: () => Parameters<ReturnType<typeof db.update<typeof outbox>>["set"]>[0],
): Promise<void> =>
  inBatches((limit) => {
    const some = db.select({ number: outbox.number }).from(outbox).where(and(isWaiting, which)).limit(limit);
    return db.update(outbox).set(values()).where(sql`${outbox.number} IN ${some}`).returning({ rowid }).all()
      .length;
  });

/** Shortest time between two attempts out of turn. */
const AT_ONCE = 5 * SECOND;
/** The same for what failed so often that its lane fails by itself: each success of another would bring an attempt. */
const OFTEN = 20;
const AT_ONCE_WHEN_OFTEN = 2 * MINUTE;

/** Makes what failed before due at once, out of turn; what was tried a moment ago, in some seconds. */
export const makeDue = (): Promise<void> => {
  const { attempts, urgency, last_attempt_at, next_attempt_at, step } = outbox;
  const time = now();
  const pause = sql`CASE WHEN ${attempts} < ${OFTEN} OR ${urgency} = 0 THEN ${AT_ONCE} ELSE ${AT_ONCE_WHEN_OFTEN} END`;
  const soon = sql<number>`max(${time}, ${last_attempt_at} + ${pause})`;
  return changeWaiting(and(gt(attempts, 0), gt(next_attempt_at, soon)), () => ({
    next_attempt_at: soon,
    step: sql`max(${step} - 1, 0)`,
  }));
};

/** Makes all that waits in a lane due, held ones too. */
export const makeDueIn = (lane: string): Promise<void> => {
  const time = now();
  return changeWaiting(and(eq(outbox.lane, lane), gt(outbox.next_attempt_at, time)), () => ({
    next_attempt_at: time,
  }));
};

/** Made, or tried, in a future that isn't believed: the clock has been set back since, and the wait would be as long. */
const AHEAD = MINUTE;

/** The job: lets no wait outlast a clock that was set back. */
export async function endImpossibleWaits(): Promise<void> {
  const { last_attempt_at, created_at, next_attempt_at } = outbox;
  const time = now();
  const isAhead = gt(sql`coalesce(${last_attempt_at}, ${created_at})`, time + AHEAD);
  await changeWaiting(and(isAhead, gt(next_attempt_at, time)), () => ({ next_attempt_at: time }));
}
