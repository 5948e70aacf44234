import { Elysia } from "elysia";
import { guard } from "../../identity/access/guard";
import { errors, List, NoContent } from "../../kernel/http/answers";
import { letWait } from "../../kernel/http/client";
import { inMemory, list, WholeListQuery } from "../../kernel/http/lists";
import { query } from "../../kernel/http/schema";
import { deleteGuild, getGuild, listChannels, listGuilds } from "./guilds";
import { findMembers, getMember } from "./members";
import {
  Channel,
  FullGuild,
  Guild,
  GuildHereParams,
  GuildSettings,
  GuildSettingsChange,
  GuildSync,
  GuildThereParams,
  Member,
  MemberList,
  MemberParams,
  MemberSync,
  MembersQuery,
  Settings,
  SettingsChange,
  SettingsChanged,
  SyncInput,
} from "./schema";
import { changeGuildSettings, changeSettings, getSettings, guildSettings } from "./settings";
import { syncGuilds } from "./sync-guilds";
import { syncMembers } from "./sync-members";

const path = "/v1/community";

const THERE = "`guild_id` is the guild's identifier on the platform.";
const HERE = "`guild_id` is the guild's `id`, a UUID.";
const WAITS =
  "503 `BotNotConnected` when no bot is connected or it disconnects meanwhile; 503 `BotTimeout` when it takes too long. A failure of the bot itself is reported with status 200, `success` false and the reason in `error`. Nothing is changed in any of these cases.";

export const communityRoutes = new Elysia({ prefix: path, tags: ["Community"] })
  .use(guard)
  .get("/guilds", ({ query, request }) => list(`${path}/guilds`, query, inMemory(listGuilds()), request), {
    access: "community:read",
    ...query(WholeListQuery),
    response: { 200: List("GuildListing", Guild) },
    detail: {
      operationId: "listGuilds",
      summary: "List guilds",
      description: "All guilds that are stored, newest first.",
    },
  })
  .get("/guilds/:guild_id", ({ params }) => getGuild(params.guild_id), {
    access: "community:read",
    params: GuildThereParams,
    response: { 200: Guild, ...errors(404) },
    detail: { operationId: "getGuild", summary: "Get a guild", description: `One guild. ${THERE}` },
  })
  .get(
    "/guilds/:guild_id/channels",
    ({ params: { guild_id }, query, request }) =>
      list(`${path}/guilds/${guild_id}/channels`, query, inMemory(listChannels(guild_id)), request),
    {
      access: "community:read",
      params: GuildThereParams,
      ...query(WholeListQuery),
      response: { 200: List("GuildChannelListing", Channel), ...errors(404) },
      detail: {
        operationId: "listGuildChannels",
        summary: "List a guild's channels",
        description: `The channels by their position. ${THERE}`,
      },
    },
  )
  .get(
    "/guilds/:guild_id/full",
    ({ params: { guild_id } }) => ({ guild: getGuild(guild_id), channels: listChannels(guild_id) }),
    {
      access: "community:read",
      params: GuildThereParams,
      response: { 200: FullGuild, ...errors(404) },
      detail: {
        operationId: "getGuildWithItsChannels",
        summary: "Get a guild with its channels",
        description: `A guild, and its channels by their position. ${THERE}`,
      },
    },
  )
  .delete(
    "/guilds/:guild_id",
    async ({ actor, params, set }) => {
      await deleteGuild(actor, params.guild_id);
      set.status = 204;
    },
    {
      access: "community:delete",
      params: GuildHereParams,
      response: { 204: NoContent, ...errors(404) },
      detail: {
        operationId: "deleteGuild",
        summary: "Delete a guild",
        description: `Removes the guild with its channels, members and settings here, not on the platform: the next sync brings it back if the bot is still on it. ${HERE}`,
      },
    },
  )
  .post("/sync", ({ body, request }) => letWait(request, () => syncGuilds(body?.guild_id ?? null)), {
    access: "community:sync",
    body: SyncInput,
    response: { 200: GuildSync, ...errors(503) },
    detail: {
      operationId: "syncGuilds",
      summary: "Sync guilds",
      description: `Asks the bot for one guild or for all, with their channels and roles, and gives it 30 s for its answer. If another sync of guilds is running, waits for it first; requests for the same sync share its answer. A sync of all removes the guilds that the bot no longer names. ${WAITS}`,
    },
  })
  .get("/settings", () => getSettings(), {
    access: "community:read",
    response: { 200: Settings },
    detail: {
      operationId: "getBotSettings",
      summary: "Get the bot's settings",
      description: "The settings for all guilds.",
    },
  })
  .put(
    "/settings",
    async ({ actor, body }) => {
      await changeSettings(actor, body);
      return { success: true };
    },
    {
      access: "community:edit",
      body: SettingsChange,
      response: { 200: SettingsChanged },
      detail: {
        operationId: "changeBotSettings",
        summary: "Change the bot's settings",
        description: "Changes whichever fields are sent, for all guilds, and tells the bot.",
      },
    },
  )
  .get("/guilds/:guild_id/settings", ({ params }) => guildSettings(params.guild_id), {
    access: "community:read",
    params: GuildThereParams,
    response: { 200: GuildSettings, ...errors(404) },
    detail: {
      operationId: "getBotSettingsOnGuild",
      summary: "Get the bot's settings on a guild",
      description: `The settings of this guild alone; null where the settings for all guilds apply. ${THERE}`,
    },
  })
  .put(
    "/guilds/:guild_id/settings",
    async ({ actor, params, body }) => {
      await changeGuildSettings(actor, params.guild_id, body.default_language);
      return { success: true };
    },
    {
      access: "community:edit",
      params: GuildThereParams,
      body: GuildSettingsChange,
      response: { 200: SettingsChanged, ...errors(404) },
      detail: {
        operationId: "changeBotSettingsOnGuild",
        summary: "Change the bot's settings on a guild",
        description: `Sets the language of one guild, or with null returns it to that of all guilds, and tells the bot. ${THERE}`,
      },
    },
  )
  .get("/guilds/:guild_id/members", ({ params, query }) => findMembers(params.guild_id, query), {
    access: "community:read",
    params: GuildHereParams,
    ...query(MembersQuery),
    response: { 200: MemberList, ...errors(404) },
    detail: {
      operationId: "findMembersOfGuild",
      summary: "Find members of a guild",
      description: `Members that match all filters; those that the bot named most recently come first. With both \`bot_only\` and \`humans_only\` there are none. ${HERE}`,
    },
  })
  .get("/guilds/:guild_id/members/:user_id", ({ params }) => getMember(params.guild_id, params.user_id), {
    access: "community:read",
    params: MemberParams,
    response: { 200: Member, ...errors(404) },
    detail: {
      operationId: "getMemberOfGuild",
      summary: "Get a member of a guild",
      description: `One member. ${HERE}`,
    },
  })
  .post(
    "/guilds/:guild_id/members/sync",
    ({ params, request }) => letWait(request, () => syncMembers(params.guild_id)),
    {
      access: "community:guild.sync",
      params: GuildThereParams,
      response: { 200: MemberSync, ...errors(404, 503) },
      detail: {
        operationId: "syncMembersOfGuild",
        summary: "Sync the members of a guild",
        description: `Asks the bot for all members of a guild, who replace the former ones, and gives it 60 s for its answer. If another sync of members is running, waits for it first; requests for the same sync share its answer. ${WAITS} ${THERE}`,
      },
    },
  );
