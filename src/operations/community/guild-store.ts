import type { Statement } from "bun:sqlite";
import { newId } from "../../kernel/crypto/id";
import { sqlite, statement } from "../../kernel/db/connection";
import { now } from "../../kernel/time/clock";
import type { ChannelAnswer, GuildAnswer, RoleAnswer } from "./answers";
import { upsertInto } from "./insert";

/**
 * Replacing guilds with their channels and roles. Raw SQL: an answer brings rows by the thousand, and row
 * values find out which of them have changed.
 */

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
  const ids = new Map<string, string>();
  for (const { id, guild_id } of knownGuilds().all())
    if (guilds.has(guild_id)) ids.set(guild_id, id);
    else if (areAll) removeGuild().run(id);
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

const knownGuilds = statement(() =>
  sqlite.prepare<{ id: string; guild_id: string }, []>("SELECT id, guild_id FROM community_guilds"),
);
const removeGuild = statement(() =>
  sqlite.prepare<unknown, [string]>("DELETE FROM community_guilds WHERE id = ?"),
);

/** The statements that replace the channels or the roles of guilds. */
interface Rows {
  store: ReturnType<typeof upsertInto>;
  /** Those of a guild, with their identifier on the platform. */
  of: Statement<{ id: string; key: string }, [guild: string]>;
  remove: Statement<unknown, [id: string]>;
}

const CHANNEL_COLUMNS = ["name", "channel_type", "parent_id", "position", "topic", "nsfw"];
const ROLE_COLUMNS = ["name", "color", "position", "permissions", "managed"];

const rowsOf = (table: string, key: string, columns: string[]) =>
  statement(
    (): Rows => ({
      store: upsertInto(table, ["guild", key], columns),
      of: sqlite.prepare(`SELECT id, ${key} AS key FROM ${table} WHERE guild = ?`),
      remove: sqlite.prepare(`DELETE FROM ${table} WHERE id = ?`),
    }),
  );

const channelRows = rowsOf("community_channels", "channel_id", CHANNEL_COLUMNS);
const roleRows = rowsOf("community_roles", "role_id", ROLE_COLUMNS);

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
