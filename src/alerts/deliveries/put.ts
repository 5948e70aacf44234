import { sqlite, statement } from "../../kernel/db/connection";
import type { OutboxRow } from "../../outbox/table";
import type { TargetRow } from "../targets/service";

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
    `INSERT INTO outbox (id, lane, alert_id, kind, severity, message, urgency, next_attempt_at, created_at, status)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 'waiting')`,
  ),
);

type New = Pick<
  OutboxRow,
  "id" | "lane" | "alert_id" | "kind" | "severity" | "message" | "urgency" | "next_attempt_at" | "created_at"
>;

/** Puts a delivery into the outbox, in the current transaction. */
export function putDelivery(row: New): void {
  const { id, lane, alert_id, kind, severity, message, urgency, next_attempt_at, created_at } = row;
  insert().run(id, lane, alert_id, kind, severity, message, urgency, next_attempt_at, created_at);
}

const supersedeOf = statement(() =>
  sqlite.prepare<unknown, [number, string]>(
    `UPDATE outbox SET status = 'superseded', next_attempt_at = NULL, message = NULL, finished_at = ?
     WHERE alert_id = ? AND alert_id IS NOT NULL AND status = 'waiting' AND kind <> 'alert.test'`,
  ),
);

/** Gives up what of an alert still waits, in the current transaction. */
export const supersedeWaiting = (alertId: string, time: number): void => {
  supersedeOf().run(time, alertId);
};
