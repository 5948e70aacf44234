export const BOT_STATUSES = ["active", "paused", "disabled"] as const;
export const PLATFORM_SLUGS = ["twitch", "youtube", "discord"] as const;
export type PlatformSlug = (typeof PLATFORM_SLUGS)[number];
