import { asc, eq } from "drizzle-orm";
import { type Actor, transactAs } from "../../identity/access/actor";
import { recordAudit } from "../../identity/audit/service";
import { db } from "../../kernel/db/connection";
import { forbidden, invalid, notFound } from "../../kernel/errors/errors";
import { iso } from "../../kernel/time/clock";
import { CATALOGUE, type Entry, type SystemConfigKey } from "../../runtime-settings/catalogue";
import { setSystemValue } from "../../runtime-settings/service";
import { systemConfig } from "../../runtime-settings/table";
import type { ConfigEntry } from "./schema";

/**
 * Changes an entry; it is in force from the commit on. Throws 404, 403 if only a super admin may change it,
 * and 400 for a value that its check refuses.
 */
export function changeConfig(actor: Actor, asked: string, value: unknown): Promise<ConfigEntry> {
  const key = knownKey(asked);
  const { check, superAdminsAlone }: Entry = CATALOGUE[key];
  if (superAdminsAlone && !actor.caller.isSuperAdmin)
    throw forbidden("Only a super admin can change this entry");
  const refusal = check(value);
  if (refusal !== null) throw invalid("/value", refusal);
  return transactAs(actor, () => {
    const entry = getConfig(key);
    const before = entry.value;
    if (before === value) return entry;
    setSystemValue(key, value as number);
    recordAudit({
      event_type: "setting_updated",
      user_id: actor.caller.userId,
      resource_type: "system_config",
      resource_id: key,
      metadata: { from: before, to: value },
    });
    return getConfig(key);
  });
}

const toEntry = (row: typeof systemConfig.$inferSelect): ConfigEntry => ({
  key: row.key,
  value: row.value,
  description: CATALOGUE[row.key as SystemConfigKey].description,
  updated_at: iso(row.updated_at),
});

/**
 * All entries by key, or those whose key begins with a prefix. Rows of keys that no longer exist are skipped.
 */
export const listConfig = (prefix = ""): ConfigEntry[] =>
  db
    .select()
    .from(systemConfig)
    .orderBy(asc(systemConfig.key))
    .all()
    .filter(({ key }) => Object.hasOwn(CATALOGUE, key) && key.startsWith(prefix))
    .map(toEntry);

/** A known key. Throws 404. */
export function knownKey(key: string): SystemConfigKey {
  if (!Object.hasOwn(CATALOGUE, key)) throw notFound("System config entry");
  return key as SystemConfigKey;
}

/** An entry by its key. Throws 404. */
export function getConfig(key: string): ConfigEntry {
  const row = db
    .select()
    .from(systemConfig)
    .where(eq(systemConfig.key, knownKey(key)))
    .get();
  if (!row) throw notFound("System config entry");
  return toEntry(row);
}
