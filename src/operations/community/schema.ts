import {
  change,
  characters,
  nullable,
  optional,
  optionalBody,
  out,
  queryBoolean,
  queryInteger,
  record,
  t,
  uuid,
} from "../../kernel/http/schema";

const SNOWFLAKE = "81384788765712384";

export const Guild = record(
  "CommunityGuild",
  {
    id: out.uuid("Identifier"),
    guild_id: out.string("Identifier on the platform", SNOWFLAKE),
    name: out.string("Name", "Bodden Sailors"),
    icon: nullable(out.string("Hash of the icon", "a_1269e74af4df7417b13759eae50c83dc")),
    icon_url: nullable(
      out.uri(
        "Address of the icon",
        "https://cdn.discordapp.com/icons/197038439483310086/f64c482b807da4f539cff778d174971c.png",
      ),
    ),
    owner_id: out.string("Owner's identifier on the platform", "53908099506183680"),
    member_count: out.integer("Approximate number of members", 412),
    boost_count: out.integer("Boosts", 3),
    premium_tier: out.integer("0 none, 1, 2, 3", 1),
    bot_joined_at: nullable(out.time("When the bot joined")),
    last_synced_at: out.time("When the bot last reported it"),
  },
  "A server of the community that the bot is on",
);
export type Guild = (typeof Guild)["static"];

export const Channel = record(
  "CommunityChannel",
  {
    id: out.uuid("Identifier"),
    channel_id: out.string("Identifier on the platform", "41771983423143937"),
    guild_id: out.string("Identifier of the guild on the platform", SNOWFLAKE),
    name: out.string("Name", "general"),
    channel_type: out.string("Name of its type", "Text"),
    channel_type_raw: out.integer("Its type on the platform", 0),
    parent_id: nullable(out.string("Identifier of the category above", "399942396007890945")),
    position: out.integer("Place among the others", 0),
    topic: nullable(out.string("Topic", "Wind and weather")),
    nsfw: out.boolean("Whether it is for adults only", false),
    is_text_based: out.boolean("Whether messages can be written in it"),
    is_voice: out.boolean("Whether it is a voice channel", false),
  },
  "A channel of a guild",
);
export type Channel = (typeof Channel)["static"];

export const Member = record(
  "CommunityMember",
  {
    id: out.uuid("Identifier"),
    guild_id: out.uuid("The guild, by its identifier here"),
    user_id: out.string("Identifier on the platform", "80351110224678912"),
    username: out.string("Username", "skipper"),
    discriminator: nullable(out.string("Four digits of old accounts", "0")),
    global_name: nullable(out.string("Name shown everywhere", "Skipper")),
    nickname: nullable(out.string("Name shown on this guild", "Captain")),
    avatar: nullable(out.string("Hash of the avatar", "8342729096ea3675442027381ff50dfe")),
    avatar_url: out.uri("Address of the avatar", "https://cdn.discordapp.com/embed/avatars/0.png"),
    bot: out.boolean("Whether it is a bot", false),
    system: out.boolean("Whether it is the platform's own system account", false),
    joined_at: nullable(out.time("When the user joined")),
    premium_since: nullable(out.time("Since when the user boosts the guild")),
    deaf: out.boolean("Whether the user is deafened", false),
    mute: out.boolean("Whether the user is muted", false),
    pending: out.boolean("Whether the user has yet to accept the rules", false),
    communication_disabled_until: nullable(out.time("Until when the user is barred from writing")),
    roles: t.Array(t.String(), { description: "Identifiers of roles", examples: [["41771983423143936"]] }),
    display_name: out.string("Nickname, else global name, else username", "Captain"),
    formatted_username: out.string("`@username`, or `username#0001` for old accounts", "@skipper"),
    is_timed_out: out.boolean("Whether the user may not write now", false),
  },
  "A member of a guild",
);
export type Member = (typeof Member)["static"];

export const FullGuild = record(
  "CommunityFullGuild",
  { guild: Guild, channels: t.Array(Channel, { description: "Its channels, by position" }) },
  "A guild and its channels",
);

export const MemberList = record(
  "CommunityMembers",
  {
    members: t.Array(Member, { description: "The members; those named most recently come first" }),
    total_count: out.integer("Number of members that match the filters, on all pages", 412),
    has_more: out.boolean("Whether more members follow"),
  },
  "Members of a guild",
);

const synced = {
  success: out.boolean("Whether the bot succeeded"),
  error: nullable(out.string("Why it failed", "Missing Access")),
};

export const GuildSync = record(
  "CommunityGuildSync",
  {
    ...synced,
    guilds_synced: out.integer("Guilds that were stored", 2),
    channels_synced: out.integer("Channels that were stored", 31),
    roles_synced: out.integer("Roles that were stored", 12),
  },
  "Result of a sync of guilds",
);
export type GuildSync = (typeof GuildSync)["static"];

export const MemberSync = record(
  "CommunityMemberSync",
  { ...synced, members_synced: out.integer("Members that were stored", 412) },
  "Result of a sync of members",
);
export type MemberSync = (typeof MemberSync)["static"];

const snowflake = (description: string) =>
  t.String({
    pattern: "^[0-9]{1,20}$",
    maxLength: 20,
    "x-expected": "must be an identifier of the platform: 1 to 20 digits",
    description,
    examples: [SNOWFLAKE],
  });

export const SyncInput = optionalBody(
  t.Object(
    {
      guild_id: optional(snowflake("The guild by its identifier on the platform; all guilds when left out")),
    },
    { title: "CommunitySync" },
  ),
);

/** A year: no real setting is longer. */
/** Largest int32, the bot's type for these fields. */
const MAX_SECONDS = 2_147_483_647;

const settingFields = {
  auto_sync_enabled: t.Boolean({
    description: "Whether the server asks for syncs by itself",
    examples: [true],
  }),
  sync_interval_seconds: t.Integer({
    minimum: 1,
    maximum: MAX_SECONDS,
    description: "Seconds between two syncs",
    examples: [3600],
  }),
  initial_delay_seconds: t.Integer({
    minimum: 0,
    maximum: MAX_SECONDS,
    description: "Seconds from the bot's connection to the first sync",
    examples: [30],
  }),
  default_language: t.String({
    pattern: "^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$",
    maxLength: 35,
    "x-expected": "must be a language tag of BCP 47, such as en or pt-BR",
    description: "Language of the bot, as a tag of BCP 47",
    examples: ["en"],
  }),
  notify_on_guild_join: t.Boolean({
    description: "Whether the bot announces that it joined",
    examples: [true],
  }),
  notify_on_guild_leave: t.Boolean({
    description: "Whether the bot announces that it left",
    examples: [true],
  }),
  command_cooldown_seconds: t.Integer({
    minimum: 0,
    maximum: MAX_SECONDS,
    description: "Seconds between two commands of one user",
    examples: [3],
  }),
};

export const Settings = record(
  "CommunitySettings",
  {
    id: out.string("Identifier: there is one record, `global`", "global"),
    ...settingFields,
    updated_at: out.time("When they were last changed"),
  },
  "Settings of the community bot",
);
export type Settings = (typeof Settings)["static"];

export const SettingsChange = change(
  "CommunitySettingsChange",
  t.Partial(t.Object(settingFields)).properties,
);
export type SettingsChange = (typeof SettingsChange)["static"];

export const GuildSettings = record(
  "CommunityGuildSettings",
  {
    guild_id: out.string("Identifier of the guild on the platform", SNOWFLAKE),
    default_language: nullable(out.string("Language there; null for the global one", "de")),
  },
  "Settings of the community bot on one guild",
);
export type GuildSettings = (typeof GuildSettings)["static"];

export const GuildSettingsChange = t.Object(
  { default_language: nullable(settingFields.default_language) },
  { title: "CommunityGuildSettingsChange" },
);

export const SettingsChanged = record("CommunitySettingsChanged", { success: out.boolean("true") }, "Done");

/** Paths name guilds by either identifier; each operation says which. */
export const GuildThereParams = t.Object({ guild_id: snowflake("The guild's identifier on the platform") });
export const GuildHereParams = t.Object({ guild_id: uuid("The guild's `id`: its identifier here") });
export const MemberParams = t.Object({
  guild_id: uuid("The guild's `id`: its identifier here"),
  user_id: snowflake("The user's identifier on the platform"),
});

export const DEFAULT_MEMBERS = 50;

export const MembersQuery = t.Object({
  search: t.Optional(
    characters({
      maxLength: 200,
      description: "Only members whose username, global name or nickname holds this text, ignoring case",
      examples: ["skip"],
    }),
  ),
  bot_only: t.Optional(queryBoolean({ description: "Only bots", default: false })),
  humans_only: t.Optional(queryBoolean({ description: "No bots", default: false })),
  has_role: t.Optional(snowflake("Only members with this role")),
  limit: t.Optional(
    queryInteger({
      minimum: 1,
      default: DEFAULT_MEMBERS,
      description: "Members in the answer; more than 100 is lowered to 100",
      examples: [DEFAULT_MEMBERS],
    }),
  ),
  offset: t.Optional(queryInteger({ minimum: 0, default: 0, description: "Members to skip", examples: [0] })),
});
export type MembersQuery = (typeof MembersQuery)["static"];
