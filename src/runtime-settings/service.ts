import { eq } from "drizzle-orm";
import { db } from "../kernel/db/connection";
import { afterCommit } from "../kernel/db/transactions";
import { now } from "../kernel/time/clock";
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

/** The value of a system config key, effective now. */
export function systemValue(key: SystemConfigKey): number {
  return values.get(key) as number;
}

/** Sets a value in the current transaction; it is in force from the commit on. */
export function setSystemValue(key: SystemConfigKey, value: number): void {
  db.update(systemConfig).set({ value, updated_at: now() }).where(eq(systemConfig.key, key)).run();
  afterCommit(() => values.set(key, value));
}
