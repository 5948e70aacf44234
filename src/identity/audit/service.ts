import type { Client } from "../../kernel/client";
import { now } from "../../kernel/clock";
import { db } from "../../kernel/db";
import { newId } from "../../kernel/id";
import { auditEvents } from "./table";

/** The event types that operations of Fairlead write; services may write others (decisions 5.1). */
export type AuditEventType =
  | "login"
  | "login_failed"
  | "logout"
  | "session_created"
  | "session_revoked"
  | "password_changed"
  | "password_reset_requested"
  | "user_created"
  | "user_updated"
  | "user_deleted"
  | "user_banned"
  | "user_unbanned"
  | "user_deletion_scheduled"
  | "user_deletion_cancelled"
  | "account_linked"
  | "account_unlinked"
  | "platform_updated"
  | "2fa_enabled"
  | "2fa_disabled"
  | "2fa_verified"
  | "2fa_backup_codes_regenerated"
  | "client_created"
  | "client_updated"
  | "client_secret_regenerated"
  | "client_deleted"
  | "role_created"
  | "role_updated"
  | "role_deleted"
  | "permission_created"
  | "role_assigned"
  | "role_removed"
  | "api_key_created"
  | "api_key_updated"
  | "api_key_revoked";

export interface AuditEntry {
  event_type: AuditEventType;
  /** Whom it concerns; null for a system event. */
  user_id: string | null;
  /** Who did it, when that is somebody else. */
  actor_id?: string | null;
  resource_type?: string;
  resource_id?: string;
  description?: string;
  /** Never holds a secret, nor an email address or a name of a person: these go when an account is deleted. */
  metadata?: Record<string, unknown>;
  status?: "success" | "failure";
  error_message?: string;
  client?: Client;
}

/** Writes an audit event in the current transaction: the change and its event commit together. */
export function recordAudit({ client, ...entry }: AuditEntry): void {
  db.insert(auditEvents)
    .values({
      id: newId(),
      status: "success",
      source_service: "api",
      ...entry,
      actor_id: entry.actor_id === entry.user_id ? null : (entry.actor_id ?? null),
      ip_address: client?.address ?? null,
      user_agent: client?.userAgent ?? null,
      created_at: now(),
    })
    .run();
}
