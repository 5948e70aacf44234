import { now } from "../../kernel/clock";
import { db } from "../../kernel/db";
import type { Client } from "../../kernel/http";
import { newId } from "../../kernel/id";
import { auditEvents } from "./table";

/** The event types that operations of Fairlead write; services may write others (decisions 5.1). */
export type AuditEventType =
  | "login"
  | "login_failed"
  | "logout"
  | "session_created"
  | "user_created"
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
