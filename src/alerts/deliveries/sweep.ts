import { and, gt, inArray, lt, ne, notInArray, sql } from "drizzle-orm";
import { db } from "../../kernel/db/connection";
import { deleteOlderThan } from "../../kernel/db/delete-older-than";
import { DAY, now } from "../../kernel/time/clock";
import { changeWaiting } from "../../outbox/queue";
import { finished } from "../../outbox/settle";
import { outbox } from "../../outbox/table";
import { EMAILS } from "../../outbox/words";
import { systemValue } from "../../runtime-settings/service";
import { notificationTargets } from "../targets/table";

/** Housekeeping of the deliveries to targets. */

const { lane, created_at, status, number } = outbox;
const isDelivery = ne(lane, EMAILS);

/** The job: gives up what waits for targets that are switched off or deleted. */
export const cancelStray = (): Promise<void> => {
  const active = db
    .select({ id: notificationTargets.id })
    .from(notificationTargets)
    .where(sql`${notificationTargets.is_active} = 1`);
  return changeWaiting(and(isDelivery, notInArray(lane, active)), () => ({
    ...finished("cancelled"),
    message: null,
    error: "the target was switched off or deleted",
  }));
};

/** A clock before this year was never set: the age of what was made then isn't known. */
const PLAUSIBLE = Date.UTC(2020, 0, 1);

/** The job: deletes deliveries older than `alerts.delivery_retention_days`, and gives up what has waited that long. */
export async function deleteOldDeliveries(): Promise<void> {
  const days = systemValue("alerts.delivery_retention_days");
  if (days === 0) return;
  const isOld = and(isDelivery, lt(created_at, now() - days * DAY), gt(created_at, PLAUSIBLE));
  await changeWaiting(isOld, () => ({
    ...finished("failed"),
    error: "it has waited for too long",
  }));
  await deleteOlderThan(
    () => systemValue("alerts.delivery_retention_days"),
    (before, limit) => {
      const some = db
        .select({ number })
        .from(outbox)
        .where(and(isDelivery, lt(created_at, before), ne(status, "waiting")))
        .limit(limit);
      return db.delete(outbox).where(inArray(number, some)).returning({ number }).all().length;
    },
  );
}
