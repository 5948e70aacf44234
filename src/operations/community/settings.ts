import { eq } from "drizzle-orm";
import { type Actor, transactAs } from "../../identity/access/actor";
import { recordAudit } from "../../identity/audit/service";
import { db } from "../../kernel/db/connection";
import { publish } from "../../kernel/db/events";
import { checkChanged } from "../../kernel/http/validation";
import { iso, now } from "../../kernel/time/clock";
import { changedOnly, isEmpty } from "../../kernel/values/changes";
import { guildThere } from "./guilds";
import type { GuildSettings, Settings, SettingsChange } from "./schema";
import { communityGuilds, communitySettings } from "./table";

/** The settings of the bot, for all guilds and for single ones. */

type Row = typeof communitySettings.$inferSelect;

const ID = "global";

/** The settings until somebody changes them. */
const DEFAULTS = {
  auto_sync_enabled: true,
  sync_interval_seconds: 3_600,
  initial_delay_seconds: 30,
  default_language: "en",
  notify_on_guild_join: true,
  notify_on_guild_leave: true,
  command_cooldown_seconds: 3,
};

/** Makes the record, inside a transaction, if there is none yet. */
export function seedCommunitySettings(): void {
  db.insert(communitySettings)
    .values({ id: ID, ...DEFAULTS, updated_at: now() })
    .onConflictDoNothing()
    .run();
}

/** The settings for all guilds, as they are stored. */
export const currentSettings = (): Row => db.select().from(communitySettings).get() as Row;

export function getSettings(): Settings {
  const row = currentSettings();
  return { ...row, updated_at: iso(row.updated_at) };
}

/**
 * A guild's own settings, by its identifier on the platform, and the time of their last change. Throws 404.
 */
export function guildSettings(guildId: string): GuildSettings & { settings_updated_at: number | null } {
  const { guild_id, default_language, settings_updated_at } = guildThere(guildId);
  return { guild_id, default_language, settings_updated_at };
}

/**
 * Changes settings for all guilds; the bot is told of the changed ones (rule M3). Throws 400 if there is
 * nothing to change.
 */
export function changeSettings(actor: Actor, asked: SettingsChange): Promise<void> {
  checkChanged(asked);
  return transactAs(actor, () => {
    const change = changedOnly(currentSettings(), asked);
    if (isEmpty(change)) return;
    db.update(communitySettings)
      .set({ ...change, updated_at: now() })
      .where(eq(communitySettings.id, ID))
      .run();
    settingsChanged(actor, null, change);
  });
}

/** Gives a guild a language of its own; null returns it to the language of all. Throws 404. */
export function changeGuildSettings(actor: Actor, guildId: string, language: string | null): Promise<void> {
  return transactAs(actor, () => {
    const { id, default_language } = guildThere(guildId);
    if (default_language === language) return;
    db.update(communityGuilds)
      .set({ default_language: language, settings_updated_at: now() })
      .where(eq(communityGuilds.id, id))
      .run();
    settingsChanged(actor, guildId, { default_language: language });
  });
}

function settingsChanged(actor: Actor, guildId: string | null, change: object): void {
  recordAudit({
    event_type: "setting_updated",
    user_id: actor.caller.userId,
    resource_type: "community_settings",
    resource_id: guildId ?? ID,
    metadata: { change },
  });
  publish("community.settings_changed", { guildId });
}

declare module "../../kernel/db/events" {
  interface EventMap {
    /**
     * Settings of the bot changed: a guild's, by its identifier on the platform, or with null those for all.
     */
    "community.settings_changed": { guildId: string | null };
  }
}
