import { isIP } from "node:net";
import { publish } from "../../kernel/db/events";
import { invalid } from "../../kernel/errors/errors";
import { checkMetadata } from "../../kernel/http/validation";
import { type Actor, transactAs } from "../access/actor";
import { insertEvent, recorderOf } from "../audit/service";
import { findUser } from "../directory/users";
import { noteKind } from "./kinds";
import type { AuditEvent, InternalEvent, SocketEvent } from "./schema";
import { toAuditEvent } from "./service";

/**
 * True for an IP address in textual form (RFC 4291, section 2.2), without a zone: that means nothing on
 * another machine.
 */
const isAddress = (text: string): boolean => isIP(text) !== 0 && !text.includes("%");

declare module "../../kernel/db/events" {
  interface EventMap {
    /** A service reported that a user withdrew the consent to an application. */
    "consent.revoked": { userId: string; clientId: string };
  }
}

/**
 * Writes an event that another service reports. An `api` event must concern a user of ours; other services
 * may report on users of theirs, or on nobody (rule E4). Over the socket an `api` event without a user is a
 * system event. Throws 400.
 */
export function writeEvent(
  by: Actor,
  input: InternalEvent | SocketEvent,
  mayBeAboutNobody = false,
): Promise<AuditEvent> {
  checkMetadata(input.metadata);
  const { ip_address, actor_id } = input;
  if (ip_address != null && !isAddress(ip_address)) throw invalid("/ip_address", "must be an IP address");
  return transactAs(by, () => {
    const user = input.user_id === null ? undefined : findUser(input.user_id);
    const isSystemEvent = input.user_id === null && mayBeAboutNobody;
    if (!user && !isSystemEvent && input.source_service === "api") throw invalid("/user_id", "names no user");
    const actor = actor_id == null ? undefined : findUser(actor_id);
    if (actor_id != null && !actor) throw invalid("/actor_id", "names no user");
    noteKind(input.event_type, input.resource_type);
    // A scrubbed account's events keep no address and no words of others, its own actions included (rule
    // A10).
    const resource = input.resource_id == null ? undefined : findUser(input.resource_id);
    const isScrubbed = [user, actor, resource].some((named) => named?.scrubbed_at != null);
    if (user && input.event_type === "consent_revoked" && input.status === "success")
      publish("consent.revoked", { userId: user.id, clientId: input.resource_id ?? "" });
    return toAuditEvent(
      insertEvent({
        user_id: input.user_id,
        event_type: input.event_type,
        resource_type: input.resource_type,
        resource_id: input.resource_id,
        actor_id,
        description: isScrubbed ? null : input.description,
        metadata: isScrubbed ? null : input.metadata,
        status: input.status,
        error_message: isScrubbed ? null : input.error_message,
        source_service: input.source_service,
        recorded_by: recorderOf(by.caller),
        ip_address: isScrubbed ? null : ip_address,
        user_agent: isScrubbed ? null : input.user_agent,
      }),
    );
  });
}
