import { iso } from "../../kernel/time/clock";
import { transactBy } from "../access/actor";
import type { Caller } from "../access/caller";
import { COMMUNITY_PLATFORM, findUserByPlatform } from "../accounts/service";
import { insertEvent, recorderOf } from "../audit/service";
import type { AuditEvent, ModerationAction } from "./schema";
import { toAuditEvent } from "./service";

/**
 * Writes a community bot's action on a member of a guild as `moderation_action`. `user_id` is the user to
 * whom the member's account is linked, `actor_id` the one to whom the moderator's is; each is null without
 * such a link. `resource_id` and the metadata hold the external identifiers. `occurredAt` is in epoch
 * milliseconds.
 */
export const writeModeration = (
  caller: Caller,
  { reason = null, duration_seconds = null, ...what }: ModerationAction,
  occurredAt: number,
): Promise<AuditEvent> =>
  transactBy(caller, () =>
    toAuditEvent(
      insertEvent({
        event_type: "moderation_action",
        source_service: "community_bot",
        recorded_by: recorderOf(caller),
        status: "success",
        user_id: findUserByPlatform(COMMUNITY_PLATFORM, what.user_id),
        actor_id: findUserByPlatform(COMMUNITY_PLATFORM, what.moderator_id),
        resource_type: "community_member",
        resource_id: what.user_id,
        metadata: { ...what, reason, duration_seconds, occurred_at: iso(occurredAt) },
      }),
    ),
  );
