import { and, eq } from "drizzle-orm";
import { db } from "../../kernel/db/connection";
import { now } from "../../kernel/time/clock";
import type { Actor } from "../access/actor";
import { accessChanged } from "../access/caller";
import { recordAudit } from "../audit/service";
import { notifyOwner } from "../email/notify";
import { apiKeys } from "./table";

type Told = Pick<typeof apiKeys.$inferSelect, "name" | "key_prefix" | "is_system">;

/**
 * Tells a user about a key that is new or may do more, in the current transaction: whoever did that may have
 * stolen the session.
 */
export function tellOwner(
  ownerId: string | null,
  kind: "api_key_created" | "api_key_regenerated" | "api_key_widened",
  key: Told,
  actor: Actor,
): void {
  const { name, key_prefix: prefix, is_system: isSystem } = key;
  // Emails about other keys must not use up those about a system key, which may do everything.
  const sort = isSystem ? "system-key-emails" : "key-emails";
  notifyOwner(ownerId, sort, actor, (silentUntil) => ({
    ...{ kind, name, prefix, isSystem, at: now(), silentUntil },
  }));
}

/**
 * Tells the owner about a key that got a new value or may do more, in the current transaction. A system key
 * may have no owner: the user who acts is told of it too.
 */
export function tellOfGain(
  kind: "api_key_regenerated" | "api_key_widened",
  key: Told & { owner_id: string | null },
  actor: Actor,
): void {
  const told = new Set([key.owner_id, key.is_system ? actor.caller.userId : key.owner_id]);
  for (const userId of told) tellOwner(userId, kind, key, actor);
}

/** True if a user owns a key that is not switched off. */
export const hasActiveKey = (ownerId: string): boolean =>
  db
    .select({ id: apiKeys.id })
    .from(apiKeys)
    .where(and(eq(apiKeys.owner_id, ownerId), eq(apiKeys.is_active, true)))
    .limit(1)
    .get() !== undefined;

/**
 * Switches off the active keys of a user in the current transaction, each with its audit event. System keys
 * are included unless `spared` says otherwise.
 */
export function switchOffKeys(ownerId: string, reason: string, spared?: "system keys"): void {
  const keys = db
    .update(apiKeys)
    .set({ is_active: false, updated_at: now() })
    .where(
      and(eq(apiKeys.owner_id, ownerId), eq(apiKeys.is_active, true), spared && eq(apiKeys.is_system, false)),
    )
    .returning({ id: apiKeys.id, name: apiKeys.name })
    .all();
  for (const { id, name } of keys) {
    recordAudit({
      event_type: "api_key_revoked",
      user_id: ownerId,
      resource_type: "api_key",
      resource_id: id,
      metadata: { name, reason },
    });
  }
  accessChanged((caller) => caller.kind === "key" && keys.some(({ id }) => id === caller.id));
}
