import { sqlite, statement } from "../../kernel/db/connection";
import type { TargetRow } from "../targets/service";
import type { DeliveryRow } from "./settle";

/** The outbox as alerts write to it. Raw SQL: a storm of alerts comes here a thousand times in a second. */

type Recipient = Pick<TargetRow, "id" | "locale" | "quiet">;

const active = statement(() =>
  sqlite.prepare<Omit<Recipient, "quiet"> & { quiet: string | null }, [string]>(
    "SELECT id, locale, quiet FROM notification_targets WHERE id = ? AND is_active = 1",
  ),
);

/** A target that is switched on; null for any other. */
export function recipient(id: string): Recipient | null {
  const row = active().get(id);
  return row && { ...row, quiet: row.quiet === null ? null : JSON.parse(row.quiet) };
}

const insert = statement(() =>
  sqlite.prepare<unknown, (string | number | null)[]>(
    `INSERT INTO notification_deliveries
       (id, target_id, alert_id, type, severity, urgency, title, body, payload, status, next_attempt_at, created_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 'waiting', ?, ?)`,
  ),
);

type New = Pick<
  DeliveryRow,
  | "id"
  | "target_id"
  | "alert_id"
  | "type"
  | "severity"
  | "urgency"
  | "title"
  | "body"
  | "next_attempt_at"
  | "created_at"
> & {
  /** JSON. */
  payload: string;
};

/** Puts a delivery into the outbox, in the current transaction. */
export function putDelivery(row: New): void {
  const { id, target_id, alert_id, type, severity, urgency, title, body } = row;
  const { payload, next_attempt_at, created_at } = row;
  insert().run(
    ...[id, target_id, alert_id, type, severity, urgency, title, body],
    ...[payload, next_attempt_at, created_at],
  );
}

const supersedeOf = statement(() =>
  sqlite.prepare<unknown, [number, string]>(
    `UPDATE notification_deliveries
     SET status = 'superseded', next_attempt_at = NULL, payload = NULL, finished_at = ?
     WHERE alert_id = ? AND status = 'waiting' AND type <> 'alert.test'`,
  ),
);

/** Gives up what of an alert still waits, in the current transaction. */
export const supersedeWaiting = (alertId: string, time: number): void => {
  supersedeOf().run(time, alertId);
};
