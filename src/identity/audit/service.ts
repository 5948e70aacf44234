import { getTableColumns } from "drizzle-orm";
import { newId } from "../../kernel/crypto/id";
import { sqlite, statement } from "../../kernel/db/connection";
import { inTransaction } from "../../kernel/db/transactions";
import { now } from "../../kernel/time/clock";
import { currentActor } from "../access/actor";
import { APP_ID, type Caller } from "../access/caller";
import { appendToChain } from "./chain";
import type { AuditEventType } from "./event-types";
import { locate } from "./geoip";
import { auditEvents } from "./table";
import type { RECORDER_KINDS, RESOURCE_TYPES } from "./words";

export interface AuditEntry {
  event_type: AuditEventType;
  /** The user concerned; null for a system event. */
  user_id: string | null;
  /** The user who acted; the one of the transaction's actor when left out. */
  actor_id?: string | null;
  resource_type?: (typeof RESOURCE_TYPES)[number];
  resource_id?: string;
  description?: string;
  /** Never holds a secret, an email address or a person's name (rule E5): these go with an account. */
  metadata?: Record<string, unknown>;
  status?: "success" | "failure";
  error_message?: string;
  /** Leaves out the actor's address and user agent, which the user concerned must not see, or did not cause. */
  withoutOrigin?: true;
}

/**
 * Writes an audit event in the current transaction: the change and its event commit together. It names the
 * transaction's actor.
 */
export function recordAudit({ metadata, withoutOrigin, ...entry }: AuditEntry): void {
  const actor = currentActor();
  const caller = actor?.caller ?? null;
  const client = withoutOrigin ? undefined : actor?.client;
  insertEvent({
    status: "success",
    source_service: "api",
    actor_id: entry.user_id === null ? null : (caller?.userId ?? null),
    ip_address: client?.address ?? null,
    user_agent: client?.userAgent ?? null,
    ...entry,
    // A key acts for its owner, or for nobody, an application for a user; the event names it, since they will want to
    // know which one it was.
    metadata: caller && caller.kind !== "session" ? { ...metadata, ...bearerOf(caller) } : metadata,
  });
}

/** The key or the application that acts for a user, for the metadata of an event; nothing for the user's own session. */
export function bearerOf(caller: Caller): Record<string, unknown> {
  if (caller.kind === "session") return {};
  return caller.kind === "key" ? { api_key: caller.id } : { oauth_client: caller.clientId };
}

/** The credential that a user has proved again who it is with, as the resource of an event. */
export function credentialResource(caller: Caller): Pick<AuditEntry, "resource_type" | "resource_id"> {
  if (caller.kind === "session") return { resource_type: "session", resource_id: caller.id };
  return caller.kind === "key"
    ? { resource_type: "api_key", resource_id: caller.id }
    : { resource_type: "oauth_grant", resource_id: caller.id };
}

/** The writer of an event from outside, by the credential that brought it. */
export interface Recorder {
  kind: (typeof RECORDER_KINDS)[number];
  id: string;
}

interface NewEvent
  extends Omit<
    typeof auditEvents.$inferInsert,
    | ("number" | "hash" | "personal_hash" | "salt")
    | ("id" | "created_at" | "is_reported" | "country_code" | "country_name" | "city" | "region")
    | ("recorded_by_kind" | "recorded_by_id")
  > {
  /** The writer of an event that Fairlead itself did not write. */
  recorded_by?: Recorder;
}

/** The credential that brings an event from outside, taken from the request, never from the event's text. */
export function recorderOf(caller: Caller): Recorder {
  if (caller.kind === "session") return { kind: "user", id: caller.userId };
  if (caller.kind === "token") return { kind: "client", id: caller.clientId };
  return { kind: caller.id === APP_ID ? "app" : "key", id: caller.id };
}

// Raw SQL: nearly every change writes an event.
const storeEvent = statement(() => {
  const columns = Object.keys(getTableColumns(auditEvents));
  return sqlite.prepare<unknown, [Record<string, string | number | Uint8Array | null>]>(
    `INSERT INTO audit_events (${columns.join()}) VALUES (${columns.map((column) => `$${column}`)})`,
  );
});

/** Stores an event in the current transaction, with its time and the place of its address. */
export function insertEvent(event: NewEvent): EventRow {
  if (!inTransaction()) throw new Error("an audit event outside transact");
  const metadata = event.metadata ? JSON.stringify(event.metadata) : null;
  const row = {
    id: newId(),
    user_id: wellFormed(event.user_id),
    event_type: event.event_type,
    resource_type: wellFormed(event.resource_type),
    resource_id: wellFormed(event.resource_id),
    actor_id: event.actor_id === event.user_id ? null : (event.actor_id ?? null),
    ip_address: event.ip_address ?? null,
    user_agent: wellFormed(event.user_agent),
    description: wellFormed(event.description),
    metadata,
    status: event.status,
    error_message: wellFormed(event.error_message),
    ...locate(event.ip_address),
    source_service: event.source_service,
    recorded_by_kind: event.recorded_by?.kind ?? null,
    recorded_by_id: event.recorded_by?.id ?? null,
    is_reported: 0,
    created_at: now(),
  };
  const stored = { ...row, ...(appendToChain(row) ?? UNCHAINED) };
  storeEvent().run(stored);
  return toRow(stored);
}

const UNCHAINED = { number: null, hash: null, personal_hash: null, salt: null };

/** A text as SQLite stores it, which has no halves of surrogate pairs: the hash covers the stored one. */
const wellFormed = (text: string | null | undefined): string | null => text?.toWellFormed() ?? null;

export type EventRow = Omit<typeof auditEvents.$inferSelect, "hash" | "personal_hash" | "salt"> & {
  hash: Uint8Array | null;
  personal_hash: Uint8Array | null;
  salt: Uint8Array | null;
};

/** Stored rows keep JSON as text and flags as numbers. */
export type StoredRow = Omit<EventRow, "metadata" | "is_reported"> & {
  metadata: string | null;
  is_reported: number;
};

export const toRow = (row: StoredRow): EventRow => ({
  ...row,
  metadata: row.metadata === null ? null : JSON.parse(row.metadata),
  is_reported: row.is_reported === 1,
});
