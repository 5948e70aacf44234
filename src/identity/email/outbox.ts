import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { iso, now } from "../../kernel/clock";
import { dataPath, writeWhole } from "../../kernel/data-dir";
import { newId } from "../../kernel/id";

export type EmailKind =
  | "registration"
  | "two_factor_enabled"
  | "two_factor_disabled"
  | "backup_codes_regenerated"
  | "backup_codes_low"
  | "password_reset"
  | "email_change"
  | "email_link"
  | "audit_report_updated"
  | "deletion_scheduled";

/** A message to one person, in both forms. `token` and `link` are what the reader acts with, where there is one. */
export interface Email {
  kind: EmailKind;
  to: string;
  locale: string;
  subject: string;
  text: string;
  html: string;
  token: string | null;
  link: string | null;
}

/**
 * The transport of a machine without mail: one JSON file per message in `outbox/` of the data directory. Files
 * sort by time, appear whole, and are readable by the operator alone, since they hold tokens. Returns the id.
 */
export function deliverToOutbox(email: Email): string {
  const directory = dataPath.outbox();
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const id = newId();
  const message = { id, ...email, created_at: iso(now()) };
  writeWhole(join(directory, `${id}.json`), `${JSON.stringify(message, null, 2)}\n`, 0o600);
  return id;
}
