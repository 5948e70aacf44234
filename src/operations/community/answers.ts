import {
  type CommunityChannel,
  type CommunityGuild,
  type CommunityMember,
  type CommunityRole,
  fromTimestamp,
  type Timestamp,
} from "../../../proto/fairlead/ws/v1/codec";

/**
 * The bot's answers, checked and in the form in which they are stored. Empty optional texts and times of 0
 * count as absent. One invalid record spoils the whole answer: otherwise the guild would be shown half, and
 * the bot's author would never hear of it.
 */

/** The error in an answer, for the bot's author to read. */
export class BadAnswer extends Error {}

const bad = (what: string, must: string): never => {
  throw new BadAnswer(`The bot's answer is not valid: ${what} must be ${must}`);
};

const MAX_NAME = 200;
const MAX_TEXT = 10_000;
/** Characters of a picture's hash, or of a list of permissions written as a number. */
const MAX_WORD = 100;
const MAX_ROLES = 1_000;

const ID = /^[0-9]{1,20}$/;

function identifier(value: string, what: string): string {
  return ID.test(value) ? value : bad(what, "1 to 20 digits");
}

const optionalIdentifier = (value: string | null, what: string): string | null =>
  value === null || value === "" ? null : identifier(value, what);

function name(value: string, what: string): string {
  return value !== "" && value.length <= MAX_NAME ? value : bad(what, `1 to ${MAX_NAME} characters`);
}

function optionalText(value: string | null, max: number, what: string): string | null {
  if (value === null || value === "") return null;
  return value.length <= max ? value : bad(what, `at most ${max} characters`);
}

function from0To(max: number, value: number, what: string): number {
  return value >= 0 && value <= max ? value : bad(what, `from 0 to ${max}`);
}

const MAX_INT32 = 2_147_483_647;
/** The first time that RFC 3339 can write. */
const FIRST_TIME = Date.parse("0000-01-01T00:00:00.000Z");
const LAST_TIME = Date.parse("9999-12-31T23:59:59.999Z");

function time(timestamp: Timestamp | null, what: string): number | null {
  if (timestamp === null) return null;
  const milliseconds = fromTimestamp(timestamp);
  if (milliseconds === 0) return null;
  return milliseconds !== null && milliseconds >= FIRST_TIME && milliseconds <= LAST_TIME
    ? milliseconds
    : bad(what, "a time of the years 0 to 9999");
}

/** A guild, as `community_guilds` has it. Throws BadAnswer. */
export const readGuild = (guild: CommunityGuild) => ({
  guild_id: identifier(guild.guildId, "a guild's guild_id"),
  name: name(guild.name, "a guild's name"),
  icon: optionalText(guild.icon, MAX_WORD, "a guild's icon"),
  owner_id: identifier(guild.ownerId, "a guild's owner_id"),
  member_count: from0To(MAX_INT32, guild.memberCount, "a guild's member_count"),
  boost_count: from0To(MAX_INT32, guild.boostCount, "a guild's boost_count"),
  premium_tier: from0To(3, guild.premiumTier, "a guild's premium_tier"),
  bot_joined_at: time(guild.botJoinedAt, "a guild's bot_joined_at"),
});
export type GuildAnswer = ReturnType<typeof readGuild>;

/** A channel, with the platform's identifier of its guild. Throws BadAnswer. */
export const readChannel = (channel: CommunityChannel) => ({
  guild_id: identifier(channel.guildId, "a channel's guild_id"),
  channel_id: identifier(channel.channelId, "a channel's channel_id"),
  name: name(channel.name, "a channel's name"),
  channel_type: from0To(MAX_INT32, channel.channelType, "a channel's channel_type"),
  parent_id: optionalIdentifier(channel.parentId, "a channel's parent_id"),
  position: channel.position,
  topic: optionalText(channel.topic, MAX_TEXT, "a channel's topic"),
  nsfw: channel.nsfw,
});
export type ChannelAnswer = ReturnType<typeof readChannel>;

/** A role, with the platform's identifier of its guild. Throws BadAnswer. */
export const readRole = (role: CommunityRole) => ({
  guild_id: identifier(role.guildId, "a role's guild_id"),
  role_id: identifier(role.roleId, "a role's role_id"),
  name: name(role.name, "a role's name"),
  color: from0To(0xffffff, role.color, "a role's color"),
  position: role.position,
  permissions: optionalText(role.permissions, MAX_WORD, "a role's permissions") ?? "0",
  managed: role.managed,
});
export type RoleAnswer = ReturnType<typeof readRole>;

/** A member of the requested guild. Throws BadAnswer. */
export function readMember(member: CommunityMember, guildId: string) {
  if (member.guildId !== guildId) bad("a member's guild_id", "that of the guild that was asked for");
  if (member.roles.length > MAX_ROLES) bad("a member's roles", `at most ${MAX_ROLES}`);
  const discriminator = optionalText(member.discriminator, 4, "a member's discriminator");
  if (discriminator !== null && !ID.test(discriminator)) bad("a member's discriminator", "up to 4 digits");
  return {
    user_id: identifier(member.userId, "a member's user_id"),
    username: name(member.username, "a member's username"),
    discriminator,
    global_name: optionalText(member.globalName, MAX_NAME, "a member's global_name"),
    nickname: optionalText(member.nickname, MAX_NAME, "a member's nickname"),
    avatar: optionalText(member.avatar, MAX_WORD, "a member's avatar"),
    bot: member.bot,
    system: member.system,
    joined_at: time(member.joinedAt, "a member's joined_at"),
    premium_since: time(member.premiumSince, "a member's premium_since"),
    deaf: member.deaf,
    mute: member.mute,
    pending: member.pending,
    communication_disabled_until: time(
      member.communicationDisabledUntil,
      "a member's communication_disabled_until",
    ),
    roles: [...new Set(member.roles.map((role) => identifier(role, "a member's role")))],
  };
}
export type MemberAnswer = ReturnType<typeof readMember>;
