import { composeEmail, type EmailContent } from "../../../src/identity/email/templates";
import { openDatabase } from "../../../src/kernel/db/connection";
import { migrate } from "../../../src/kernel/db/migrate";
import { dataPath } from "../../../src/kernel/process/data-dir";
import type { Locale } from "../../../src/kernel/values/bilingual";
import { attemptsEnded, deliverDue, isDelivering, startOutbox } from "../../../src/outbox/worker";

/** Delivers all that is due, and waits until it is. */
export async function deliverQueued(): Promise<void> {
  deliverDue();
  while (isDelivering()) await attemptsEnded();
}

/** Opens the database of the configured data directory in this process; returns the function that stops delivering. */
export function openQueue(): () => Promise<void> {
  openDatabase(dataPath.database(), "normal");
  migrate();
  return startOutbox();
}

export const TOKEN = "tok-en_0kq1L9fY6mB4tVhJ2sNcR5dXgUeA7iOwE3q2";
export const ADDRESS = "erika.mustermann@example.org";

/** One message of each kind. */
export const CONTENTS: EmailContent[] = [
  { kind: "registration", token: TOKEN, expiresAt: Date.UTC(2026, 2, 9, 17, 5) },
  { kind: "password_reset", token: TOKEN, expiresAt: Date.UTC(2026, 2, 9, 17, 5) },
  { kind: "email_change", token: TOKEN, expiresAt: Date.UTC(2026, 2, 9, 17, 5) },
  { kind: "email_link", token: TOKEN, expiresAt: Date.UTC(2026, 2, 9, 17, 5) },
  { kind: "deletion_scheduled", deletedAt: Date.UTC(2026, 2, 9, 17, 5) },
  { kind: "two_factor_enabled", platformName: "Discord", at: Date.UTC(2026, 2, 9, 17, 5) },
  { kind: "two_factor_disabled", platformName: "Discord", at: Date.UTC(2026, 2, 9, 17, 5) },
  { kind: "backup_codes_regenerated", at: Date.UTC(2026, 2, 9, 17, 5) },
  { kind: "password_changed", at: Date.UTC(2026, 2, 9, 17, 5) },
  { kind: "passkey_added", name: "Tablet", at: Date.UTC(2026, 2, 9, 17, 5) },
  { kind: "passkey_removed", name: "Tablet", at: Date.UTC(2026, 2, 9, 17, 5) },
  { kind: "email_change_requested", address: "stranger@example.net", at: Date.UTC(2026, 2, 9, 17, 5) },
  { kind: "email_changed", address: "stranger@example.net", at: Date.UTC(2026, 2, 9, 17, 5) },
  {
    ...{ kind: "api_key_created", name: "Tablet 10", prefix: "flk_3q2-7w8x", isSystem: false },
    ...{ at: Date.UTC(2026, 2, 9, 17, 5), silentUntil: null },
  },
  {
    ...{ kind: "api_key_regenerated", name: "Tablet 10", prefix: "flk_3q2-7w8x", isSystem: false },
    ...{ at: Date.UTC(2026, 2, 9, 17, 5), silentUntil: Date.UTC(2026, 2, 9, 18) },
  },
  {
    ...{ kind: "api_key_regenerated", name: "Identity service", prefix: "flk_3q2-7w8x", isSystem: true },
    ...{ at: Date.UTC(2026, 2, 9, 17, 5), silentUntil: null },
  },
  {
    ...{ kind: "api_key_widened", name: "Tablet 10", prefix: "flk_3q2-7w8x", isSystem: false },
    ...{ at: Date.UTC(2026, 2, 9, 17, 5), silentUntil: null },
  },
  {
    ...{ kind: "api_key_widened", name: "Identity service", prefix: "flk_3q2-7w8x", isSystem: true },
    ...{ at: Date.UTC(2026, 2, 9, 17, 5), silentUntil: null },
  },
  {
    ...{ kind: "client_secret_changed", name: "Crew app" },
    ...{ at: Date.UTC(2026, 2, 9, 17, 5), silentUntil: null },
  },
  {
    ...{ kind: "client_redirected", name: "Crew app" },
    ...{ at: Date.UTC(2026, 2, 9, 17, 5), silentUntil: Date.UTC(2026, 2, 9, 18) },
  },
  { kind: "backup_codes_low", remaining: 3 },
  { kind: "two_factor_failures", failures: 10, locked: false, at: Date.UTC(2026, 2, 9, 17, 5) },
  { kind: "password_failures", failures: 10, at: Date.UTC(2026, 2, 9, 17, 5) },
  { kind: "audit_report_updated", status: "resolved", notes: "Tablet 10, Kiel" },
];

export function contentOf<Kind extends EmailContent["kind"]>(kind: Kind) {
  return CONTENTS.find((content) => content.kind === kind) as Extract<EmailContent, { kind: Kind }>;
}

export const compose = (content: EmailContent = contentOf("registration"), locale: Locale = "en") =>
  composeEmail({ address: ADDRESS, username: "erika", locale }, content);
