import { desc, eq, sql } from "drizzle-orm";
import { type Caller, transactAs } from "../../identity/access/caller";
import { recordAudit } from "../../identity/audit/service";
import type { Client } from "../../kernel/client";
import { iso, now } from "../../kernel/clock";
import { db } from "../../kernel/db";
import { conflict, invalid, notFound } from "../../kernel/errors";
import type { NewSetting, PublicSetting, Setting, SettingReplacement } from "./schema";
import { systemSettings } from "./table";

type Row = typeof systemSettings.$inferSelect;

const toSetting = (row: Row): Setting => ({
  ...row,
  created_at: iso(row.created_at),
  updated_at: iso(row.updated_at),
});

const newestFirst = [desc(systemSettings.created_at), desc(sql`rowid`)];

/** All settings, newest first. */
export const listSettings = (): Setting[] =>
  db
    .select()
    .from(systemSettings)
    .orderBy(...newestFirst)
    .all()
    .map(toSetting);

/** The settings that anybody may read, newest first. */
export const listPublicSettings = (): PublicSetting[] =>
  db
    .select({
      key: systemSettings.key,
      value: systemSettings.value,
      description: systemSettings.description,
    })
    .from(systemSettings)
    .where(eq(systemSettings.is_public, true))
    .orderBy(...newestFirst)
    .all();

const find = (key: string): Row | undefined =>
  db.select().from(systemSettings).where(eq(systemSettings.key, key)).get();

function existing(key: string): Row {
  const row = find(key);
  if (!row) throw notFound("Setting");
  return row;
}

export const getSetting = (key: string): Setting => toSetting(existing(key));

/** Keys at whose address something else is: the list of public settings, and what clients make of dots in a path. */
const RESERVED = ["public", ".", ".."];

/** JSON's null is a value as well; the column would take the JavaScript one for "nothing". */
const stored = (value: unknown) => sql`${JSON.stringify(value)}`;

/** Creates a setting. Throws 409 when there is one with this key. */
export function createSetting(caller: Caller, input: NewSetting, client: Client): Promise<Setting> {
  const { key, value, description = null, is_public } = input;
  if (RESERVED.includes(key))
    throw invalid("/key", `must not be ${RESERVED.join(", ")}: these addresses are taken`);
  return transactAs(caller, () => {
    if (find(key)) throw conflict("There is a setting with this key already");
    const time = now();
    db.insert(systemSettings)
      .values({
        key,
        value: stored(value),
        description,
        is_public: is_public ?? false,
        created_at: time,
        updated_at: time,
      })
      .run();
    auditSetting(caller, key, "created", client);
    return getSetting(key);
  });
}

/** Replaces the value, and whichever of the others is given. Throws 404. */
export function replaceSetting(
  caller: Caller,
  key: string,
  { value, description, is_public }: SettingReplacement,
  client: Client,
): Promise<Setting> {
  return transactAs(caller, () => {
    existing(key);
    db.update(systemSettings)
      .set({
        value: stored(value),
        description,
        is_public: is_public === null ? false : is_public,
        updated_at: now(),
      })
      .where(eq(systemSettings.key, key))
      .run();
    auditSetting(caller, key, "replaced", client);
    return getSetting(key);
  });
}

/** Deletes a setting. Throws 404. */
export function deleteSetting(caller: Caller, key: string, client: Client): Promise<void> {
  return transactAs(caller, () => {
    existing(key);
    db.delete(systemSettings).where(eq(systemSettings.key, key)).run();
    auditSetting(caller, key, "deleted", client);
  });
}

/** Values stay out of the audit log: they may be anything. */
const auditSetting = (
  caller: Caller,
  key: string,
  change: "created" | "replaced" | "deleted",
  client: Client,
) =>
  recordAudit({
    event_type: "setting_updated",
    user_id: caller.userId,
    resource_type: "setting",
    resource_id: key,
    metadata: { change },
    client,
  });
