import { characters, nullable, oneOf, out, record, t, uuid } from "../../kernel/http/schema";
import { anyWebAddress } from "../../kernel/http/web-address";
import { BOT_STATUSES } from "./words";

export const Integration = record(
  "Integration",
  {
    id: out.uuid("Identifier"),
    user_id: out.uuid("The user to whom it belongs"),
    platform_slug: out.string("Slug of the platform", "twitch"),
    platform_name: out.string("Name of the platform", "Twitch"),
    platform_user_id: out.string("Who the user is on the platform", "141981764"),
    username: out.string("Username there", "skipper"),
    display_name: nullable(out.string("Name shown there", "Skipper")),
    profile_image_url: nullable(out.string("Picture there", "https://cdn.example/skipper.png")),
    scopes: t.Array(t.String(), {
      description: "What the platform permits",
      examples: [["moderator:read:followers"]],
    }),
    is_active: out.boolean("Whether it works; if not, it has to be connected again"),
    bot_status: oneOf(BOT_STATUSES, "What bots of this installation may do on the channel"),
    connected_at: out.time("When it was connected"),
    last_refreshed_at: nullable(out.time("When its tokens were last renewed")),
  },
  "An account elsewhere that a user connected",
);
export type Integration = (typeof Integration)["static"];

export const IntegrationPlatform = record(
  "IntegrationPlatform",
  {
    slug: out.string("Slug", "twitch"),
    name: out.string("Name", "Twitch"),
    description: out.string("Purpose of connecting it", "Followers, live status and chat bots"),
    icon_url: out.uri("Its icon, as a data URI", "data:image/svg+xml,%3Csvg%2F%3E"),
    enabled: out.boolean("Whether this installation is registered there"),
    features: t.Array(t.String(), { description: "What works with it", examples: [["channel_stats"]] }),
  },
  "A platform that accounts can be connected from",
);
export type IntegrationPlatform = (typeof IntegrationPlatform)["static"];

export const PlatformList = record(
  "IntegrationPlatforms",
  { platforms: t.Array(IntegrationPlatform, { description: "The platforms" }) },
  "The platforms that accounts can be connected from",
);

const Scope = record(
  "IntegrationScope",
  {
    name: out.string("Name", "moderator:read:followers"),
    description: out.string("What it permits", "Read how many follow the channel"),
    required: out.boolean("Whether it is always asked for"),
  },
  "What a platform can be asked to permit",
);

export const ScopeList = record(
  "IntegrationScopes",
  {
    platform: out.string("Slug of the platform", "twitch"),
    scopes: t.Array(Scope, { description: "The scopes" }),
  },
  "What a platform can be asked to permit",
);

export const ConnectInput = t.Object(
  {
    redirect_uri: anyWebAddress(
      "Where the browser is sent in the end, with `status=connected` or `status=error&reason=…`; its origin must be one of `integrations.allowed_redirects`",
      "http://localhost:3000/settings",
    ),
    scopes: t.Optional(
      t.Array(characters({ minLength: 1, maxLength: 200 }), {
        maxItems: 50,
        description: "Scopes to request besides the required ones",
        examples: [["channel:read:subscriptions"]],
      }),
    ),
  },
  { title: "IntegrationConnect" },
);
export type ConnectInput = (typeof ConnectInput)["static"];

export const Authorization = record(
  "IntegrationAuthorization",
  {
    authorization_url: out.uri(
      "Where to send the user's browser",
      "https://id.twitch.tv/oauth2/authorize?response_type=code",
    ),
    state: out.string("The `state` parameter of that address", "Zk3c0V1b…"),
  },
  "Where the user consents",
);

export const Refreshed = record(
  "IntegrationRefreshed",
  {
    success: out.boolean("true"),
    message: out.string("What was done", "The tokens were renewed"),
    expires_at: nullable(out.time("When the new token expires, where the platform says so")),
  },
  "Tokens that were renewed",
);

const ChannelStats = record(
  "ChannelStats",
  {
    followers: out.integer("Followers; on YouTube the subscribers", 1204),
    subscribers: out.integer("Subscribers", 31),
    is_live: out.boolean("Whether the channel is live", false),
    current_viewers: out.integer("Number of current viewers", 0),
    stream_title: nullable(out.string("Title of the stream, or of the channel", "Across the Bodden")),
    game_name: nullable(out.string("Category of the stream", "Travel & Outdoors")),
    updated_at: out.time("When this was read"),
  },
  "A channel in figures",
);
export type ChannelStats = (typeof ChannelStats)["static"];

export const StatsResult = record(
  "ChannelStatsResult",
  { success: out.boolean("true"), stats: ChannelStats },
  "A channel in figures, read now",
);

export const BotStatusChange = t.Object(
  { bot_status: oneOf(BOT_STATUSES, "What bots of this installation may do on the channel") },
  { title: "BotStatusChange" },
);

export const BotStatusResult = record(
  "BotStatusResult",
  {
    success: out.boolean("true"),
    bot_status: oneOf(BOT_STATUSES, "What bots of this installation may do now"),
  },
  "A bot status that was set",
);

export const SlugParams = t.Object({
  slug: characters({
    minLength: 1,
    maxLength: 64,
    description: "Slug of the platform",
    examples: ["twitch"],
  }),
});

export const IntegrationParams = t.Object({ id: uuid("Identifier of the integration") });

export const CallbackParams = t.Object({
  platform: characters({
    minLength: 1,
    maxLength: 64,
    description: "Slug of the platform",
    examples: ["twitch"],
  }),
});

const sent = (description: string, example: string) =>
  t.Optional(characters({ maxLength: 4_096, description, examples: [example] }));

/** The provider's parameters (RFC 6749, sections 4.1.2 and 4.1.2.1); it may send more. */
export const CallbackQuery = t.Object({
  code: sent("The authorization code", "gulfwdmys5lsm6qyz4xiz9q32l10"),
  state: sent("The state of the authorization", "Zk3c0V1b…"),
  error: sent("Why there is no code", "access_denied"),
  iss: sent("Issuer of the answer (RFC 9207)", "https://accounts.google.com"),
});
export type CallbackQuery = (typeof CallbackQuery)["static"];
