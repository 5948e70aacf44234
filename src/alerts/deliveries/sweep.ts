import { and, gt, inArray, lt, ne, notInArray, sql } from "drizzle-orm";
import { db } from "../../kernel/db/connection";
import { deleteOlderThan } from "../../kernel/db/delete-older-than";
import { DAY, MINUTE, now } from "../../kernel/time/clock";
import { systemValue } from "../../runtime-settings/service";
import { notificationTargets } from "../targets/table";
import { changeWaiting } from "./queue";
import { notificationDeliveries } from "./table";

/** Housekeeping of the outbox. */

const { target_id, next_attempt_at, last_attempt_at, created_at, status, number } = notificationDeliveries;

/** Gives up what waits for targets that are switched off or deleted. */
export const cancelStray = (): Promise<void> => {
  const active = db
    .select({ id: notificationTargets.id })
    .from(notificationTargets)
    .where(sql`${notificationTargets.is_active} = 1`);
  return changeWaiting(notInArray(target_id, active), () => ({
    ...{ status: "cancelled" as const, next_attempt_at: null, payload: null, finished_at: now() },
    error: "the target was switched off or deleted",
  }));
};

/** Made, or tried, in a future that isn't believed: the clock has been set back since, and the wait would be as long. */
const AHEAD = MINUTE;

/** The job: gives up what can't go out any more, and lets no wait outlast a clock that was set back. */
export async function sweepDeliveries(): Promise<void> {
  await cancelStray();
  const time = now();
  const isAhead = gt(sql`coalesce(${last_attempt_at}, ${created_at})`, time + AHEAD);
  await changeWaiting(and(isAhead, gt(next_attempt_at, time)), () => ({ next_attempt_at: time }));
}

/** A clock before this year was never set: the age of what was made then isn't known. */
const PLAUSIBLE = Date.UTC(2020, 0, 1);

/** The job: deletes deliveries older than `alerts.delivery_retention_days`, and gives up what has waited that long. */
export async function deleteOldDeliveries(): Promise<void> {
  const days = systemValue("alerts.delivery_retention_days");
  if (days === 0) return;
  const isOld = and(lt(created_at, now() - days * DAY), gt(created_at, PLAUSIBLE));
  await changeWaiting(isOld, () => ({
    ...{ status: "failed" as const, next_attempt_at: null, finished_at: now() },
    error: "it has waited for too long",
  }));
  await deleteOlderThan(
    () => systemValue("alerts.delivery_retention_days"),
    (before, limit) => {
      const some = db
        .select({ number })
        .from(notificationDeliveries)
        .where(and(lt(created_at, before), ne(status, "waiting")))
        .limit(limit);
      return db.delete(notificationDeliveries).where(inArray(number, some)).returning({ number }).all()
        .length;
    },
  );
}
