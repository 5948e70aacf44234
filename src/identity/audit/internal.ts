import { isIP } from "node:net";
import { transact } from "../../kernel/db";
import { invalid } from "../../kernel/errors";
import { publish } from "../../kernel/events";
import { checkMetadata } from "../../kernel/validation";
import { findUser } from "../users/service";
import type { AuditEvent, InternalEvent, SocketEvent } from "./schema";
import { insertEvent, toAuditEvent } from "./service";

/** Whether a text is an IP address as it is written (RFC 4291, section 2.2); a zone means nothing on another machine. */
const isAddress = (text: string): boolean => isIP(text) !== 0 && !text.includes("%");

declare module "../../kernel/events" {
  interface EventMap {
    /** A service told that a user took the consent to an application back. */
    "consent.revoked": { userId: string; clientId: string };
  }
}

/**
 * Writes an event that another service tells of. `api` events concern a user of ours; other services may write about
 * users of theirs, or about nobody; over the socket an `api` event may be about nobody as well (decisions 7.6). Throws
 * 400.
 */
export function writeEvent(
  input: InternalEvent | SocketEvent,
  mayBeAboutNobody = false,
): Promise<AuditEvent> {
  checkMetadata(input.metadata);
  const { ip_address, actor_id } = input;
  if (ip_address != null && !isAddress(ip_address)) throw invalid("/ip_address", "must be an IP address");
  return transact(() => {
    const user = input.user_id === null ? undefined : findUser(input.user_id);
    const isSystemEvent = input.user_id === null && mayBeAboutNobody;
    if (!user && !isSystemEvent && input.source_service === "api") throw invalid("/user_id", "names no user");
    const actor = actor_id == null ? undefined : findUser(actor_id);
    if (actor_id != null && !actor) throw invalid("/actor_id", "names no user");
    // An account that was scrubbed keeps no address, of what it did neither (decisions 4.11).
    const isScrubbed = user?.scrubbed_at != null || actor?.scrubbed_at != null;
    if (user && input.event_type === "consent_revoked" && input.status === "success")
      publish("consent.revoked", { userId: user.id, clientId: input.resource_id ?? "" });
    return toAuditEvent(
      insertEvent({
        user_id: input.user_id,
        event_type: input.event_type,
        resource_type: input.resource_type,
        resource_id: input.resource_id,
        actor_id,
        description: input.description,
        metadata: input.metadata,
        status: input.status,
        error_message: input.error_message,
        source_service: input.source_service,
        ip_address: isScrubbed ? null : ip_address,
        user_agent: isScrubbed ? null : input.user_agent,
      }),
    );
  });
}
