import { note } from "../../feed/journal";
import { changedOnly, isEmpty } from "../../kernel/values/changes";
import { alertById, insertAlert, updateAlert } from "./stored";
import type { AlertRow } from "./table";

/**
 * Alerts that boxes raised aboard, which are shown here as their box has them. Nobody is notified of them here: the box tells its
 * own targets, and rules of this server tell theirs.
 */

/** The columns that are this server's business, and those that name its accounts. */
type Own = "box_id" | "told" | "is_told" | "escalate_at" | "acknowledged_by";
export type MirroredAlert = Omit<AlertRow, Own>;

/** Stores an alert of a box in the current transaction. False if nothing has changed. */
export function mirrorAlert(boxId: string, alert: MirroredAlert): boolean {
  const before = alertById(alert.id);
  if (!before) {
    const own = { box_id: boxId, told: [], is_told: true, escalate_at: null, acknowledged_by: null };
    insertAlert({ ...alert, ...own });
    note("alertRaised", alert.id, alert.device_id);
    return true;
  }
  const change = changedOnly(before, alert);
  if (isEmpty(change)) return false;
  updateAlert(before, change);
  note(kindOf(before, alert), alert.id, alert.device_id);
  return true;
}

function kindOf(before: AlertRow, { cleared_at, acknowledged_at }: MirroredAlert) {
  if (before.cleared_at === null && cleared_at !== null) return "alertCleared";
  if (before.acknowledged_at === null && acknowledged_at !== null) return "alertAcknowledged";
  return "alertUpdated";
}
