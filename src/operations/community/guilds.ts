import { asc, desc, eq, min } from "drizzle-orm";
import { type Actor, transactAs } from "../../identity/access/actor";
import { db } from "../../kernel/db/connection";
import { notFound } from "../../kernel/errors/errors";
import { iso, isoOrNull } from "../../kernel/time/clock";
import { channelTypeName, iconUrl, isTextBased, isVoice } from "./discord";
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

// --- Deleting ----------------------------------------------------------------------------------------------

/** Removes a guild that is stored; it comes back with the next sync if the bot is still on it. Throws 404. */
export const deleteGuild = (actor: Actor, id: string): Promise<void> =>
  transactAs(actor, () => {
    guildHere(id);
    db.delete(communityGuilds).where(eq(communityGuilds.id, id)).run();
  });
