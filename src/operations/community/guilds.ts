import type { Statement } from "bun:sqlite";
import { asc, desc, eq, min } from "drizzle-orm";
import { type Actor, transactAs } from "../../identity/access/actor";
import { newId } from "../../kernel/crypto/id";
import { db, sqlite, statement } from "../../kernel/db/connection";
import { notFound } from "../../kernel/errors/errors";
import { iso, isoOrNull, now } from "../../kernel/time/clock";
import type { ChannelAnswer, GuildAnswer, RoleAnswer } from "./answers";
import { channelTypeName, iconUrl, isTextBased, isVoice } from "./discord";
import { upsertInto } from "./insert";
import type { Channel, Guild } from "./schema";
import { communityChannels, communityGuilds } from "./table";

type Row = typeof communityGuilds.$inferSelect;

// --- Reading -----------------------------------------------------------------------------------------------

const toGuild = (row: Row): Guild => ({
  id: row.id,
  guild_id: row.guild_id,
  name: row.name,
  icon: row.icon,
  icon_url: iconUrl(row.guild_id, row.icon),
  owner_id: row.owner_id,
  member_count: row.member_count,
  boost_count: row.boost_count,
  premium_tier: row.premium_tier,
  bot_joined_at: isoOrNull(row.bot_joined_at),
  last_synced_at: iso(row.last_synced_at),
});

/** Time of the sync that is longest ago, over all guilds (epoch milliseconds); null if there are none. */
export const oldestSync = (): number | null =>
  db
    .select({ at: min(communityGuilds.last_synced_at) })
    .from(communityGuilds)
    .get()?.at ?? null;

/** All guilds, newest first. */
export const listGuilds = (): Guild[] =>
  db.select().from(communityGuilds).orderBy(desc(communityGuilds.id)).all().map(toGuild);

/** A guild by its identifier on the platform. Throws 404. */
export function guildThere(guildId: string): Row {
  const row = db.select().from(communityGuilds).where(eq(communityGuilds.guild_id, guildId)).get();
  if (!row) throw notFound("Guild");
  return row;
}

/** A guild by its identifier here. Throws 404. */
export function guildHere(id: string): Row {
  const row = db.select().from(communityGuilds).where(eq(communityGuilds.id, id)).get();
  if (!row) throw notFound("Guild");
  return row;
}

/** A guild by its identifier on the platform, as it is shown. Throws 404. */
export const getGuild = (guildId: string): Guild => toGuild(guildThere(guildId));

/** The channels of a guild by their position, as the platform shows them. Throws 404. */
export function listChannels(guildId: string): Channel[] {
  const { id } = guildThere(guildId);
  return db
    .select()
    .from(communityChannels)
    .where(eq(communityChannels.guild, id))
    .orderBy(asc(communityChannels.position), asc(communityChannels.id))
    .all()
    .map((row) => ({
      id: row.id,
      channel_id: row.channel_id,
      guild_id: guildId,
      name: row.name,
      channel_type: channelTypeName(row.channel_type),
      channel_type_raw: row.channel_type,
      parent_id: row.parent_id,
      position: row.position,
      topic: row.topic,
      nsfw: row.nsfw,
      is_text_based: isTextBased(row.channel_type),
      is_voice: isVoice(row.channel_type),
    }));
}

// --- Storing -----------------------------------------------------------------------------------------------

/** A bot's answer about guilds; of a record that comes twice the last counts. */
export interface GuildAnswers {
  guilds: Map<string, GuildAnswer>;
  /** By the platform's identifiers of guild and channel, with a space in between. */
  channels: Map<string, ChannelAnswer>;
  /** Likewise by guild and role. */
  roles: Map<string, RoleAnswer>;
}

/**
 * Stores guilds with their channels and roles in place of the former ones, in the current transaction. With
 * `areAll` all other guilds are deleted (rule M2).
 */
export function storeGuilds({ guilds, channels, roles }: GuildAnswers, areAll: boolean): void {
  const last_synced_at = now();
  for (const guild of guilds.values()) guildRow().run({ ...guild, id: newId(), last_synced_at });
  const { id, guild_id } = communityGuilds;
  const ids = new Map<string, string>();
  for (const known of db.select({ id, guild_id }).from(communityGuilds).all())
    if (guilds.has(known.guild_id)) ids.set(known.guild_id, known.id);
    else if (areAll) db.delete(communityGuilds).where(eq(id, known.id)).run();
  replaceRows(channelRows(), channels, ids);
  replaceRows(roleRows(), roles, ids);
}

const guildRow = statement(() =>
  upsertInto(
    "community_guilds",
    ["guild_id"],
    [
      ...["name", "icon", "owner_id", "member_count", "boost_count", "premium_tier", "bot_joined_at"],
      "last_synced_at",
    ],
  ),
);

/** The statements that replace the channels or the roles of guilds. */
interface Rows {
  store: ReturnType<typeof upsertInto>;
  /** Those of a guild, with their identifier on the platform. */
  of: Statement<{ id: string; key: string }, [guild: string]>;
  remove: Statement<unknown, [id: string]>;
}

const channelRows = statement(() => rowsOf("community_channels", "channel_id", CHANNEL_COLUMNS));
const roleRows = statement(() => rowsOf("community_roles", "role_id", ROLE_COLUMNS));

const CHANNEL_COLUMNS = ["name", "channel_type", "parent_id", "position", "topic", "nsfw"];
const ROLE_COLUMNS = ["name", "color", "position", "permissions", "managed"];

const rowsOf = (table: string, key: string, columns: string[]): Rows => ({
  store: upsertInto(table, ["guild", key], columns),
  of: sqlite.prepare(`SELECT id, ${key} AS key FROM ${table} WHERE guild = ?`),
  remove: sqlite.prepare(`DELETE FROM ${table} WHERE id = ?`),
});

/**
 * Stores rows, which are named by guild and row, in place of those of the guilds. Rows that stay keep their
 * identifiers.
 */
function replaceRows(
  { store, of, remove }: Rows,
  named: Map<string, ChannelAnswer | RoleAnswer>,
  guilds: Map<string, string>,
): void {
  for (const { guild_id, ...row } of named.values())
    store.run({ ...row, id: newId(), guild: guilds.get(guild_id) as string });
  for (const [guildId, guild] of guilds)
    for (const { id, key } of of.all(guild)) if (!named.has(`${guildId} ${key}`)) remove.run(id);
}

/** Removes a guild that is stored; it comes back with the next sync if the bot is still on it. Throws 404. */
export const deleteGuild = (actor: Actor, id: string): Promise<void> =>
  transactAs(actor, () => {
    guildHere(id);
    db.delete(communityGuilds).where(eq(communityGuilds.id, id)).run();
  });
