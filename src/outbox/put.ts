import { sqlite, statement } from "../kernel/db/connection";
import { afterCommit } from "../kernel/db/transactions";
import type { OutboxRow } from "./table";
import { wakeOutbox } from "./worker";

/** The outbox as others write to it. Raw SQL: a storm of alerts comes here a thousand times in a second. */

type NewRow = Pick<
  OutboxRow,
  | ("id" | "lane" | "alert_id" | "kind" | "severity" | "urgency" | "user_id")
  | ("message" | "next_attempt_at" | "created_at")
>;

const insert = statement(() =>
  sqlite.prepare<unknown, (string | number | null)[]>(
    `INSERT INTO outbox
       (id, lane, alert_id, kind, severity, urgency, user_id, message, status, next_attempt_at, created_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, 'waiting', ?, ?)`,
  ),
);

/** Puts something into the outbox, in the current transaction; it goes out after the commit. */
export function putIntoOutbox(row: NewRow): void {
  const { id, lane, alert_id, kind, severity, urgency, user_id } = row;
  const { message, next_attempt_at, created_at } = row;
  insert().run(
    ...[id, lane, alert_id, kind, severity, urgency, user_id],
    ...[message, next_attempt_at, created_at],
  );
  afterCommit(wakeOutbox);
}
