import { and, asc, count, desc, eq, inArray, lt, type SQL } from "drizzle-orm";
import { type Actor, transactAs } from "../../identity/access/actor";
import { isSystemKey } from "../../identity/access/caller";
import { recordAudit } from "../../identity/audit/service";
import { db } from "../../kernel/db/connection";
import { deleteOlderThan } from "../../kernel/db/delete-older-than";
import { notFound } from "../../kernel/errors/errors";
import { type PageOf, type PageRequest, readPage } from "../../kernel/http/paging";
import { systemValue } from "../../runtime-settings/service";
import { requireOwn } from "../../sync/owner/owner";
import { deliveriesOf } from "../deliveries/outbox";
import { toAlert } from "./alert";
import { acknowledge } from "./register";
import type { Alert, AlertFilter, AlertWithDeliveries } from "./schema";
import { alertById } from "./stored";
import { alerts } from "./table";

/** A page of alerts, newest first. */
export function listAlerts(
  request: PageRequest,
  { status, device_id, severity }: AlertFilter,
): PageOf<Alert> {
  const which = and(
    status === undefined ? undefined : eq(alerts.status, status),
    device_id === undefined ? undefined : eq(alerts.device_id, device_id),
    severity === undefined ? undefined : eq(alerts.severity, severity),
  );
  return readPage(request, countWhere(which), (fromEnd, offset, limit) =>
    db
      .select()
      .from(alerts)
      .where(which)
      .orderBy(fromEnd ? asc(alerts.id) : desc(alerts.id))
      .limit(limit)
      .offset(offset)
      .all()
      .map(toAlert),
  );
}

const countWhere = (which: SQL | undefined): number =>
  db.select({ n: count() }).from(alerts).where(which).get()?.n ?? 0;

/** An alert; null if there is none. */
export function findAlert(id: string): Alert | null {
  const row = alertById(id);
  return row && toAlert(row);
}

/** An alert with what became of its deliveries. Throws 404. */
export function getAlert(id: string): AlertWithDeliveries {
  const alert = findAlert(id);
  if (!alert) throw notFound("Alert");
  return { ...alert, deliveries: deliveriesOf(id) };
}

/**
 * Acknowledges an alert: targets that know of it are told, and no further ones will be. Of two who acknowledge it the first
 * one stays. Throws 404, and 409 for one that a box raised.
 */
export function acknowledgeAlert(actor: Actor, id: string, note: string | null): Promise<Alert> {
  return transactAs(actor, () => {
    const row = alertById(id);
    if (!row) throw notFound("Alert");
    requireOwn(row);
    if (row.acknowledged_at !== null) return toAlert(row);
    const { caller } = actor;
    const userId = isSystemKey(caller) ? null : caller.userId;
    recordAudit({
      event_type: "alert_acknowledged",
      user_id: userId,
      resource_type: "alert",
      resource_id: id,
      metadata: { rule_id: row.rule_id, device_id: row.device_id },
    });
    return toAlert(acknowledge(row, userId, note));
  });
}

/** The job: deletes alerts that were cleared more than `alerts.retention_days` ago. */
export const deleteOldAlerts = (): Promise<void> =>
  deleteOlderThan(
    () => systemValue("alerts.retention_days"),
    (before, limit) => {
      const some = db
        .select({ id: alerts.id })
        .from(alerts)
        // The time at which it was raised finds it by an index; one that lasted for long is not old yet.
        .where(and(lt(alerts.raised_at, before), lt(alerts.cleared_at, before)))
        .limit(limit);
      return db.delete(alerts).where(inArray(alerts.id, some)).returning({ id: alerts.id }).all().length;
    },
  );
