import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { flag, id, time } from "../../kernel/db/table";

/** The guilds that the community bot is on, as it described them. `guild_id` is the platform's identifier. */
export const communityGuilds = sqliteTable("community_guilds", {
  id: id(),
  guild_id: text().notNull().unique(),
  name: text().notNull(),
  icon: text(),
  owner_id: text().notNull(),
  member_count: integer().notNull(),
  boost_count: integer().notNull(),
  premium_tier: integer().notNull(),
  bot_joined_at: time(),
  last_synced_at: time().notNull(),
  /**
   * The guild's own settings of the bot: its language (null for the global one), and when that was last
   * changed.
   */
  default_language: text(),
  settings_updated_at: time(),
  /** The first and last row of its members: those of the newest sync that came to its end. 0 for none. */
  members_from: integer().notNull().default(0),
  members_to: integer().notNull().default(0),
});

const guild = () =>
  text()
    .notNull()
    .references(() => communityGuilds.id, { onDelete: "cascade" });

export const communityChannels = sqliteTable(
  "community_channels",
  {
    id: id(),
    guild: guild(),
    channel_id: text().notNull(),
    name: text().notNull(),
    channel_type: integer().notNull(),
    parent_id: text(),
    position: integer().notNull(),
    topic: text(),
    nsfw: flag().notNull(),
  },
  (table) => [uniqueIndex("community_channels_identity").on(table.guild, table.channel_id)],
);

export const communityRoles = sqliteTable(
  "community_roles",
  {
    id: id(),
    guild: guild(),
    role_id: text().notNull(),
    name: text().notNull(),
    color: integer().notNull(),
    position: integer().notNull(),
    permissions: text().notNull(),
    managed: flag().notNull(),
  },
  (table) => [uniqueIndex("community_roles_identity").on(table.guild, table.role_id)],
);

/**
 * The rows of a sync are neighbours, since one sync stores at a time, and no number is used twice. Only
 * `members_from` and `members_to` of a guild say which rows are its members; rows of no guild are deleted in
 * steps (member-store.ts).
 */
export const communityMembers = sqliteTable(
  "community_members",
  {
    row: integer().primaryKey({ autoIncrement: true }),
    /** Stays with a member from sync to sync. */
    id: text().notNull(),
    user_id: text().notNull(),
    username: text().notNull(),
    discriminator: text(),
    global_name: text(),
    nickname: text(),
    avatar: text(),
    bot: flag().notNull(),
    system: flag().notNull(),
    joined_at: time(),
    premium_since: time(),
    deaf: flag().notNull(),
    mute: flag().notNull(),
    pending: flag().notNull(),
    communication_disabled_until: time(),
    roles: text({ mode: "json" }).$type<string[]>().notNull(),
  },
  (table) => [index("community_members_user").on(table.user_id)],
);

/**
 * The columns by which members are filtered, in rows so short that a hundred thousand are read in some
 * milliseconds.
 */
export const communityMemberNames = sqliteTable(
  "community_member_names",
  {
    row: integer().primaryKey(),
    bot: flag().notNull(),
    /** All names as search.ts folds them. */
    names: text().notNull(),
  },
  (table) => [index("community_member_names_bot").on(table.bot)],
);

/** The settings of the bot, in one row. */
export const communitySettings = sqliteTable("community_settings", {
  id: id(),
  auto_sync_enabled: flag().notNull(),
  sync_interval_seconds: integer().notNull(),
  initial_delay_seconds: integer().notNull(),
  default_language: text().notNull(),
  notify_on_guild_join: flag().notNull(),
  notify_on_guild_leave: flag().notNull(),
  command_cooldown_seconds: integer().notNull(),
  updated_at: time().notNull(),
});
