import { count, desc, eq, type SQL, sql } from "drizzle-orm";
import { type Actor, transactAs } from "../../identity/access/actor";
import { recordAudit } from "../../identity/audit/service";
import { db } from "../../kernel/db/connection";
import { keepRoom } from "../../kernel/db/room";
import { conflict, invalid, notFound } from "../../kernel/errors/errors";
import type { Records } from "../../kernel/http/lists";
import { iso, now } from "../../kernel/time/clock";
import { changedOnly, isEmpty } from "../../kernel/values/changes";
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
export const allSettings: Records<Setting> = {
  read: (offset, limit) =>
    db
      .select()
      .from(systemSettings)
      .orderBy(...newestFirst)
      .limit(limit)
      .offset(offset)
      .all()
      .map(toSetting),
  count: () => countSettings(),
};

const isPublic = eq(systemSettings.is_public, true);

/** The settings that anybody may read, newest first. */
export const publicSettings: Records<PublicSetting> = {
  read: (offset, limit) =>
    db
      .select({
        key: systemSettings.key,
        value: systemSettings.value,
        description: systemSettings.description,
      })
      .from(systemSettings)
      .where(isPublic)
      .orderBy(...newestFirst)
      .limit(limit)
      .offset(offset)
      .all(),
  count: () => countSettings(isPublic),
};

const countSettings = (which?: SQL): number =>
  db.select({ n: count() }).from(systemSettings).where(which).get()?.n ?? 0;

const STORE = { table: "system_settings", texts: ["value", "description"], records: "settings" };

const find = (key: string): Row | undefined =>
  db.select().from(systemSettings).where(eq(systemSettings.key, key)).get();

function existing(key: string): Row {
  const row = find(key);
  if (!row) throw notFound("Setting");
  return row;
}

export const getSetting = (key: string): Setting => toSetting(existing(key));

/**
 * Keys whose address is taken: by the list of public settings, and by clients that resolve dots in a path.
 */
const RESERVED = ["public", ".", ".."];

/** JSON's null is a value as well; Drizzle would store the JavaScript one as SQL NULL. */
const stored = (value: unknown) => sql`${JSON.stringify(value)}`;

/** Creates a setting. Throws 409 if the key is taken, and if the table is full. */
export function createSetting(actor: Actor, input: NewSetting): Promise<Setting> {
  const { key, value, description = null, is_public } = input;
  if (RESERVED.includes(key))
    throw invalid("/key", `must not be ${RESERVED.join(", ")}: these addresses are taken`);
  return transactAs(actor, () => {
    if (find(key)) throw conflict("A setting with this key already exists");
    const time = now();
    const setting = {
      key,
      value: stored(value),
      description,
      is_public: is_public ?? false,
      created_at: time,
      updated_at: time,
    };
    keepRoom(STORE, () => db.insert(systemSettings).values(setting).run());
    auditSetting(actor, key, "created");
    return getSetting(key);
  });
}

/** Replaces the value, and each given one of the other fields. Throws 404, and 409 if the table is full. */
export function replaceSetting(
  actor: Actor,
  key: string,
  { value, description, is_public }: SettingReplacement,
): Promise<Setting> {
  return transactAs(actor, () => {
    const before = existing(key);
    const change = changedOnly(before, {
      value,
      description,
      is_public: is_public === null ? false : is_public,
    });
    if (isEmpty(change)) return toSetting(before);
    keepRoom(STORE, () =>
      db
        .update(systemSettings)
        .set({ ...change, ...("value" in change && { value: stored(value) }), updated_at: now() })
        .where(eq(systemSettings.key, key))
        .run(),
    );
    auditSetting(actor, key, "replaced");
    return getSetting(key);
  });
}

/** Deletes a setting. Throws 404. */
export function deleteSetting(actor: Actor, key: string): Promise<void> {
  return transactAs(actor, () => {
    existing(key);
    db.delete(systemSettings).where(eq(systemSettings.key, key)).run();
    auditSetting(actor, key, "deleted");
  });
}

/** Values stay out of the audit log: they may hold anything, secrets included (rule E5). */
const auditSetting = (actor: Actor, key: string, change: "created" | "replaced" | "deleted") =>
  recordAudit({
    event_type: "setting_updated",
    user_id: actor.caller.userId,
    resource_type: "setting",
    resource_id: key,
    metadata: { change },
  });
