import { and, between, desc, eq, inArray } from "drizzle-orm";
import { db } from "../../kernel/db/connection";
import { notFound } from "../../kernel/errors/errors";
import { MAX_LIMIT } from "../../kernel/http/paging";
import { isoOrNull, now } from "../../kernel/time/clock";
import { avatarUrl, formatUsername } from "./discord";
import { guildHere } from "./guilds";
import { findRows } from "./member-rows";
import { DEFAULT_MEMBERS, type Member, type MembersQuery } from "./schema";
import { communityMembers } from "./table";

/** Reading the members of guilds. */

type Row = typeof communityMembers.$inferSelect;

const toMember = (guild: string, row: Row): Member => ({
  id: row.id,
  guild_id: guild,
  user_id: row.user_id,
  username: row.username,
  discriminator: row.discriminator,
  global_name: row.global_name,
  nickname: row.nickname,
  avatar: row.avatar,
  avatar_url: avatarUrl(row.user_id, row.avatar, row.discriminator),
  bot: row.bot,
  system: row.system,
  joined_at: isoOrNull(row.joined_at),
  premium_since: isoOrNull(row.premium_since),
  deaf: row.deaf,
  mute: row.mute,
  pending: row.pending,
  communication_disabled_until: isoOrNull(row.communication_disabled_until),
  roles: row.roles,
  display_name: row.nickname ?? row.global_name ?? row.username,
  formatted_username: formatUsername(row.username, row.discriminator),
  is_timed_out: (row.communication_disabled_until ?? 0) > now(),
});

/** One member of a guild by its identifier on the platform. Throws 404. */
export function getMember(guild: string, userId: string): Member {
  const { members_from, members_to } = guildHere(guild);
  const { row, user_id } = communityMembers;
  const member = db
    .select()
    .from(communityMembers)
    .where(and(eq(user_id, userId), between(row, members_from, members_to)))
    .get();
  if (!member) throw notFound("Member");
  return toMember(guild, member);
}

/** Members of a guild that pass the filters, the last ones that the bot named first. Throws 404. */
export function findMembers(guild: string, query: MembersQuery) {
  const { members_from, members_to } = guildHere(guild);
  const { offset = 0 } = query;
  const limit = Math.min(query.limit ?? DEFAULT_MEMBERS, MAX_LIMIT);
  const { rows, total } = findRows(query, members_from, members_to, offset, limit);
  return {
    members: membersAt(rows).map((row) => toMember(guild, row)),
    total_count: total,
    has_more: offset + rows.length < total,
  };
}

const membersAt = (rows: number[]): Row[] =>
  db
    .select()
    .from(communityMembers)
    .where(inArray(communityMembers.row, rows))
    .orderBy(desc(communityMembers.row))
    .all();
