import type { Caller } from "../identity/access/caller";
import { writeEvent } from "../identity/audit/internal";
import { SocketEvent } from "../identity/audit/schema";
import { parseJson } from "../kernel/body";
import { AppError } from "../kernel/errors";
import { describeError, log } from "../kernel/log";
import { canonicalUuids, isReference } from "../kernel/schema";
import { checked } from "../kernel/validation";
import type { CreateAuditEvent, Payloads } from "./codec";

/** Audit events that services write over the socket: the rules of `POST /v1/internal/audit` (decisions 7.6). */

/** Writes the event. Whatever keeps it from being written is in the answer. */
export async function createAuditEvent(
  caller: Caller,
  event: CreateAuditEvent,
): Promise<Payloads["createAuditEventResponse"]> {
  try {
    if (caller.kind !== "key" || !caller.permissions.has("audit:write"))
      return { success: false, error: "This needs an API key with the permission audit:write" };
    const { id } = await writeEvent(read(event), true);
    return { success: true, auditEventId: id };
  } catch (error) {
    if (error instanceof AppError && error.status < 500) return { success: false, error: error.message };
    log.error("an audit event could not be written", describeError(error));
    return { success: false, error: "The event could not be written" };
  }
}

function read(event: CreateAuditEvent) {
  const fields = {
    user_id: event.userId === "" ? null : event.userId,
    event_type: event.eventType,
    resource_type: event.resourceType,
    resource_id: event.resourceId,
    actor_id: event.actorId || null,
    ip_address: event.ipAddress || null,
    user_agent: event.userAgent,
    description: event.description,
    metadata: readMetadata(event.metadataJson),
    status: event.status || "success",
    error_message: event.errorMessage,
    source_service: event.sourceService || "api",
  };
  canonicalUuids(fields, isReference);
  return checked(SocketEvent, fields);
}

const readMetadata = (json: string | null): unknown =>
  json === null || json === "" ? null : parseJson(json, "metadata_json");
