import { eq } from "drizzle-orm";
import { note } from "../../feed/journal";
import { db } from "../../kernel/db/connection";
import { forbidden, invalid } from "../../kernel/errors/errors";
import type { Actor } from "../access/actor";
import { type Caller, isSystemKey } from "../access/caller";
import { recordAudit } from "../audit/service";
import { checkHoldsAll, keyChanged } from "./service";
import { apiKeys } from "./table";

/** The key with which a device posts its positions: a device has one at most, and a key one device. */

/**
 * Makes a key the one that posts a device's positions, in the current transaction: the device's former key
 * and the key's former device are unlinked. `null` unlinks only. Throws 400 for an unknown key, and 403 for
 * another user's key (rule T10) or one with rights that the caller lacks (rule R2).
 */
export function linkApiKey(actor: Actor, keyId: string | null, deviceId: string): void {
  const former = db.select({ id: apiKeys.id }).from(apiKeys).where(eq(apiKeys.device_id, deviceId)).get();
  const key = keyId === null ? null : linkableKey(actor.caller, keyId);
  if (former?.id === keyId) return;
  if (key) checkHoldsAll(actor.caller, key);
  if (former) {
    db.update(apiKeys).set({ device_id: null }).where(eq(apiKeys.id, former.id)).run();
    auditLink(former.id, null);
  }
  if (key) {
    if (key.device_id !== null) note("deviceUpdate", key.device_id, key.device_id);
    db.update(apiKeys).set({ device_id: deviceId }).where(eq(apiKeys.id, key.id)).run();
    auditLink(key.id, deviceId);
  }
}

/** Records which device a key posts for from now on. */
function auditLink(keyId: string, deviceId: string | null): void {
  const key = db.select({ owner: apiKeys.owner_id }).from(apiKeys).where(eq(apiKeys.id, keyId)).get();
  recordAudit({
    event_type: "api_key_updated",
    user_id: key?.owner ?? null,
    resource_type: "api_key",
    resource_id: keyId,
    metadata: { device_id: deviceId },
  });
  keyChanged(keyId);
}

function linkableKey(caller: Caller, keyId: string): typeof apiKeys.$inferSelect {
  const key = db.select().from(apiKeys).where(eq(apiKeys.id, keyId)).get();
  if (!key) throw invalid("/api_key_id", "names no API key");
  const isOwn = key.owner_id !== null && key.owner_id === caller.userId;
  if (!isOwn && !caller.isSuperAdmin && !isSystemKey(caller))
    throw forbidden("Only the key's owner, a system key or a super admin can link it to a device");
  return key;
}
