/**
 * Discord's rules for its identifiers and codes (discord-api-docs; discord.js, BaseChannel). No database, no
 * clock.
 */

const CDN = "https://cdn.discordapp.com";

const CHANNEL_TYPES: Record<number, string> = {
  0: "Text",
  2: "Voice",
  4: "Category",
  5: "Announcement",
  10: "Announcement Thread",
  11: "Public Thread",
  12: "Private Thread",
  13: "Stage",
  15: "Forum",
  16: "Media",
};

export const channelTypeName = (type: number): string => CHANNEL_TYPES[type] ?? "Unknown";

const TEXT_BASED = new Set([0, 2, 5, 10, 11, 12, 13]);
const VOICE = new Set([2, 13]);

export const isTextBased = (type: number): boolean => TEXT_BASED.has(type);
export const isVoice = (type: number): boolean => VOICE.has(type);

/** A hash that begins with `a_` names an animated picture. */
const pictureUrl = (path: string, hash: string): string =>
  `${CDN}/${path}/${encodeURIComponent(hash)}.${hash.startsWith("a_") ? "gif" : "png"}`;

export const iconUrl = (guildId: string, icon: string | null): string | null =>
  icon === null ? null : pictureUrl(`icons/${guildId}`, icon);

/** True for an account with one of the newer usernames, which are unique without a discriminator. */
const isMigrated = (discriminator: string | null): boolean =>
  discriminator === null || /^0*$/.test(discriminator);

/** Number of the picture that Discord shows for a user without an avatar. */
const defaultAvatar = (userId: string, discriminator: string | null): number =>
  isMigrated(discriminator) ? Number((BigInt(userId) >> 22n) % 6n) : Number(discriminator) % 5;

/** The avatar of a user, or the picture that Discord shows in its place. */
export const avatarUrl = (userId: string, avatar: string | null, discriminator: string | null): string =>
  avatar === null
    ? `${CDN}/embed/avatars/${defaultAvatar(userId, discriminator)}.png`
    : pictureUrl(`avatars/${userId}`, avatar);

export const formatUsername = (username: string, discriminator: string | null): string =>
  isMigrated(discriminator) ? `@${username}` : `${username}#${discriminator}`;
