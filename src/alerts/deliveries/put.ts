import { sqlite, statement } from "../../kernel/db/connection";
import type { TargetRow } from "../targets/service";

/** The statements that each alert needs. Raw SQL: a storm of alerts comes here a thousand times in a second. */

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

const endsOf = statement(() =>
  sqlite.prepare<{ id: string; lane: string; attempts: number }, [string]>(
    `SELECT id, lane, attempts FROM outbox
     WHERE alert_id = ? AND alert_id IS NOT NULL AND status = 'waiting' AND kind = 'alert.cleared'`,
  ),
);

/** The ends of an alert that wait: at most one for each target. */
export const waitingEnds = (alertId: string): { id: string; lane: string; attempts: number }[] =>
  endsOf().all(alertId);

const beginOf = statement(() =>
  sqlite.prepare<unknown, [string, string]>(
    `SELECT 1 FROM outbox
     WHERE alert_id = ? AND alert_id IS NOT NULL AND lane = ? AND kind = 'alert.raised' AND status = 'delivered'
     LIMIT 1`,
  ),
);

/** True if a target has been told that an alert was raised. */
export const knowsOf = (alertId: string, lane: string): boolean => beginOf().get(alertId, lane) !== null;
