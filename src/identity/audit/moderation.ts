import { iso } from "../../kernel/clock";
import { transact } from "../../kernel/db";
import { COMMUNITY_PLATFORM, findUserByPlatform } from "../accounts/service";
import type { AuditEvent, ModerationAction } from "./schema";
import { insertEvent, toAuditEvent } from "./service";

/**
 * Writes what a community bot did to a member of a guild as `moderation_action`. It concerns the user to whom the member's
 * account is linked, and is the doing of the user to whom the moderator's is; without such a link it concerns nobody, and
 * is nobody's doing: `resource_id` and the metadata hold the external identifiers. `occurredAt` is in epoch milliseconds.
 */
export const writeModeration = (
  { reason = null, duration_seconds = null, ...what }: ModerationAction,
  occurredAt: number,
): Promise<AuditEvent> =>
  transact(() =>
    toAuditEvent(
      insertEvent({
        event_type: "moderation_action",
        source_service: "community_bot",
        status: "success",
        user_id: findUserByPlatform(COMMUNITY_PLATFORM, what.user_id),
        actor_id: findUserByPlatform(COMMUNITY_PLATFORM, what.moderator_id),
        resource_type: "community_member",
        resource_id: what.user_id,
        metadata: { ...what, reason, duration_seconds, occurred_at: iso(occurredAt) },
      }),
    ),
  );
