import { asc, eq } from "drizzle-orm";
import { afterCommit, db } from "../kernel/db/db";
import { notFound } from "../kernel/errors/errors";
import { iso, now } from "../kernel/time/clock";
import type { ConfigEntry } from "../operations/system-config/schema";
import { CATALOGUE, type SystemConfigKey } from "./catalogue";
import { systemConfig } from "./table";

/** The values in force, so that reading one costs no query. */
const values = new Map<string, unknown>();

/** Seeds missing entries, inside a transaction, and reads all values. */
export function loadSystemConfig(): void {
  values.clear();
  for (const row of db.select().from(systemConfig).all()) values.set(row.key, row.value);
  for (const [key, entry] of Object.entries(CATALOGUE)) {
    if (values.has(key)) continue;
    db.insert(systemConfig).values({ key, value: entry.default, updated_at: now() }).run();
    values.set(key, entry.default);
  }
}

// --- Reading ------------------------------------------------------------------------------------------------

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

// --- Values in force ---------------------------------------------------------------------------------------

/** The value of a system config key, effective now. */
export function systemValue(key: SystemConfigKey): number {
  return values.get(key) as number;
}

/** Sets a value in the current transaction; it is in force from the commit on. */
export function setSystemValue(key: SystemConfigKey, value: number): void {
  db.update(systemConfig).set({ value, updated_at: now() }).where(eq(systemConfig.key, key)).run();
  afterCommit(() => values.set(key, value));
}
