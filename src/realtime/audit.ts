import {
  type CreateAuditEvent,
  fromTimestamp,
  type ModerationEvent,
  type Payloads,
} from "../../proto/fairlead/ws/v1/codec";
import type { Actor } from "../identity/access/actor";
import type { Caller } from "../identity/access/caller";
import type { Permission } from "../identity/access/permissions";
import { writeEvent } from "../identity/audit-log/internal";
import { writeModeration } from "../identity/audit-log/moderation";
import { type AuditEvent, ModerationAction, SocketEvent } from "../identity/audit-log/schema";
import { AppError, invalid } from "../kernel/errors/errors";
import { logFailure } from "../kernel/errors/trouble";
import { parseJson } from "../kernel/http/body";
import { canonicalUuids, isReference } from "../kernel/http/schema";
import { checked } from "../kernel/http/validation";
import { DAY, now } from "../kernel/time/clock";

/** Audit events that services write over the socket. If one can't be written, the answer says why. */

type Answer = Payloads["createAuditEventResponse"];

/** The refusal of a caller who may not write such events; null for one who may. */
export const withoutPermission = (caller: Caller, permission: Permission): Answer | null =>
  caller.kind !== "session" && caller.permissions.has(permission)
    ? null
    : { success: false, error: `This needs an API key or an access token with the permission ${permission}` };

/** The actor of a message. Its events name the address that the message gives, never the socket's. */
const actorOf = (caller: Caller): Actor => ({
  caller,
  client: { address: "", userAgent: null, acceptLanguage: null },
});

/** Writes an event of a caller with `audit:write`, by the rules of `POST /v1/internal/audit`. */
export const createAuditEvent = (caller: Caller, event: CreateAuditEvent): Promise<Answer> =>
  answered(() => writeEvent(actorOf(caller), read(event), true));

/** Writes an action of the community bot on a member of a guild, for a caller with `community:sync`. */
export const recordModeration = async (
  caller: Caller,
  event: ModerationEvent,
): Promise<Payloads["moderationEventResponse"]> => ({
  requestId: event.requestId,
  ...(await answered(() => writeModeration(actorOf(caller), ...readModeration(event)))),
});

async function answered(write: () => Promise<AuditEvent>): Promise<Answer> {
  try {
    const { id } = await write();
    return { success: true, auditEventId: id };
  } catch (error) {
    if (error instanceof AppError && error.status < 500) return { success: false, error: error.message };
    logFailure("an audit event could not be written", error);
    return { success: false, error: "The event could not be written" };
  }
}

function read(event: CreateAuditEvent) {
  const fields = {
    user_id: event.userId === "" ? null : event.userId,
    event_type: event.eventType,
    resource_type: event.resourceType || null,
    resource_id: event.resourceId || null,
    actor_id: event.actorId || null,
    ip_address: event.ipAddress || null,
    user_agent: event.userAgent || null,
    description: event.description || null,
    metadata: readMetadata(event.metadataJson),
    status: event.status || "success",
    error_message: event.errorMessage || null,
    source_service: event.sourceService || "api",
  };
  canonicalUuids(fields, isReference);
  return checked(SocketEvent, fields);
}

const readMetadata = (json: string | null): unknown =>
  json === null || json === "" ? null : parseJson(json, "metadata_json");

function readModeration(event: ModerationEvent): [action: ModerationAction, occurredAt: number] {
  const action = checked(ModerationAction, {
    guild_id: event.guildId,
    user_id: event.userId,
    moderator_id: event.moderatorId,
    action: event.action,
    reason: event.reason || null,
    duration_seconds: event.durationSeconds,
  });
  const occurredAt = fromTimestamp(event.timestamp);
  if (event.timestamp === null || occurredAt === 0) return [action, now()];
  // Catches milliseconds sent as seconds by mistake, as with positions (rule H9).
  if (occurredAt === null || occurredAt < 0 || occurredAt > now() + DAY)
    throw invalid("/timestamp", "must lie between 1970 and a day from now");
  return [action, occurredAt];
}
