import { config } from "../../configuration/config";
import { AppError, notFound } from "../../kernel/errors/errors";
import type { IntegrationPlatform } from "./schema";
import { PLATFORM_SLUGS, type PlatformSlug } from "./words";

/** The platforms, and this installation's registration with each. */

interface Scope {
  name: string;
  description: string;
  required: boolean;
}

interface Platform {
  slug: PlatformSlug;
  name: string;
  description: string;
  features: string[];
  scopes: Scope[];
  /** True if it supports PKCE (RFC 7636). */
  pkce: boolean;
  /** True if a token is revoked by itself; otherwise the whole grant of the user goes with it. */
  revokesSingly: boolean;
  /**
   * Parameters of its authorization address beside the standard's. Each makes the user consent anew: a
   * platform that remembers a consent would send any browser that is signed in there straight on, without a
   * word to the person using it.
   */
  authorization: Record<string, string>;
  /** Colour of its icon. */
  color: string;
}

const PLATFORMS: Record<PlatformSlug, Platform> = {
  twitch: {
    slug: "twitch",
    name: "Twitch",
    description: "Followers, subscribers and live status of a channel, and bots in its chat",
    features: ["channel_stats", "bot_commands", "channel_points"],
    scopes: [
      { name: "moderator:read:followers", description: "Read how many follow the channel", required: true },
      { name: "channel:read:subscriptions", description: "Read how many subscribe to it", required: true },
      { name: "user:read:email", description: "Read the address of the account", required: false },
      { name: "channel:bot", description: "Let a bot join the channel's chat", required: false },
      { name: "user:bot", description: "Appear in chats as a bot", required: false },
      { name: "user:read:chat", description: "Read chats", required: false },
      { name: "user:write:chat", description: "Write to chats", required: false },
      {
        name: "channel:read:redemptions",
        description: "Read what channel points are spent on",
        required: false,
      },
      {
        name: "channel:manage:broadcast",
        description: "Change title and category of the stream",
        required: false,
      },
    ],
    pkce: false,
    revokesSingly: true,
    authorization: { force_verify: "true" },
    color: "#9146ff",
  },
  youtube: {
    slug: "youtube",
    name: "YouTube",
    description: "Subscribers and live status of a channel",
    features: ["channel_stats"],
    scopes: [
      {
        name: "https://www.googleapis.com/auth/youtube.readonly",
        description: "Read the channel and its streams",
        required: true,
      },
    ],
    pkce: true,
    revokesSingly: false,
    // Without both there is no refresh token.
    authorization: { access_type: "offline", prompt: "consent" },
    color: "#ff0033",
  },
  discord: {
    slug: "discord",
    name: "Discord",
    description: "Who the user is, for bots of this installation",
    features: ["bot_commands"],
    scopes: [
      { name: "identify", description: "Read who the user is", required: true },
      { name: "email", description: "Read the address of the account", required: false },
      { name: "guilds", description: "Read which servers the user is on", required: false },
    ],
    pkce: true,
    revokesSingly: false,
    authorization: { prompt: "consent" },
    color: "#5865f2",
  },
};

/** A platform by its slug. Throws 404. */
export function platformOf(slug: string): Platform {
  const known = PLATFORM_SLUGS.find((one) => one === slug);
  if (!known) throw notFound("Integration platform");
  return PLATFORMS[known];
}

/**
 * This installation's registration with a platform, and that platform's addresses. Throws 503 if it isn't
 * registered.
 */
export function registrationWith(slug: PlatformSlug) {
  const clientId = config[`integrations.${slug}.client_id`];
  const clientSecret = config[`integrations.${slug}.client_secret`];
  if (clientId === null || clientSecret === null)
    throw new AppError("ServiceUnavailable", `${PLATFORMS[slug].name} is not configured on this server`);
  return {
    clientId,
    clientSecret,
    authorizeUrl: config[`integrations.${slug}.authorize_url`],
    tokenUrl: config[`integrations.${slug}.token_url`],
    revokeUrl: config[`integrations.${slug}.revoke_url`],
    apiUrl: config[`integrations.${slug}.api_url`],
  };
}

export const isConfigured = (slug: PlatformSlug): boolean =>
  config[`integrations.${slug}.client_id`] !== null;

export const listIntegrationPlatforms = (): IntegrationPlatform[] =>
  PLATFORM_SLUGS.map((slug) => {
    const { name, description, features, color } = PLATFORMS[slug];
    return { slug, name, description, icon_url: iconOf(name, color), enabled: isConfigured(slug), features };
  });

/** The initial on the platform's colour: no picture comes from another host. */
const iconOf = (name: string, color: string): string =>
  `data:image/svg+xml,${encodeURIComponent(
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="${color}"/><text x="16" y="22" font-family="sans-serif" font-size="18" font-weight="700" text-anchor="middle" fill="#fff">${name[0]}</text></svg>`,
  )}`;
