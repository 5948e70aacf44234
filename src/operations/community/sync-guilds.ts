import type { CommunitySyncResponse } from "../../../proto/fairlead/ws/v1/codec";
import { transact } from "../../kernel/db/transactions";
import { BadAnswer, readChannel, readGuild, readRole } from "./answers";
import { type GuildAnswers, storeGuilds } from "./guild-store";
import type { GuildSync } from "./schema";
import { SYNC_TIMEOUT, SyncQueue, type SyncReceiver } from "./sync";

/** Bounds of one answer: it is stored in one transaction, and read a guild at a time. */
const MAX_GUILDS = 1_000;
const MAX_CHANNELS = 10_000;
const MAX_CHANNELS_OF_GUILD = 1_000;
const MAX_ROLES = 10_000;
/** Characters of all topics. */
const MAX_TOPICS = 2_000_000;

const line = new SyncQueue<GuildSync>("guilds", SYNC_TIMEOUT.guilds);

/**
 * Asks the bot for a guild (by its identifier on the platform) or, with null, for all, and stores its answer.
 * A full sync removes the guilds that the bot no longer names (rule M2). Throws 503 `BotNotConnected` and
 * `BotTimeout`.
 */
export const syncGuilds = (guildId: string | null): Promise<GuildSync> =>
  line.ask(guildId, () => new GuildReceiver(guildId));

const nothing = { guilds_synced: 0, channels_synced: 0, roles_synced: 0 };

/** Collects guilds with their channels and roles. */
class GuildReceiver implements SyncReceiver<GuildSync> {
  readonly #guildId: string | null;
  readonly #answers: GuildAnswers = { guilds: new Map(), channels: new Map(), roles: new Map() };
  #topics = 0;
  #isDropped = false;

  constructor(guildId: string | null) {
    this.#guildId = guildId;
  }

  take({ guilds, channels, roles, members }: CommunitySyncResponse): void {
    if (members.length > 0) throw new BadAnswer("The bot answered with members, which were not asked for");
    for (const guild of guilds.map(readGuild)) this.#answers.guilds.set(guild.guild_id, guild);
    for (const channel of channels.map(readChannel)) {
      this.#answers.channels.set(`${channel.guild_id} ${channel.channel_id}`, channel);
      this.#topics += channel.topic?.length ?? 0;
    }
    for (const role of roles.map(readRole)) this.#answers.roles.set(`${role.guild_id} ${role.role_id}`, role);
    if (
      this.#answers.guilds.size > MAX_GUILDS ||
      this.#answers.channels.size > MAX_CHANNELS ||
      this.#topics > MAX_TOPICS ||
      this.#answers.roles.size > MAX_ROLES
    )
      throw new BadAnswer(
        `The bot's answer is too large: it may hold ${MAX_GUILDS} guilds, ${MAX_ROLES} roles, and ${MAX_CHANNELS} channels with topics of ${MAX_TOPICS} characters in all`,
      );
  }

  async commit(): Promise<GuildSync> {
    const { guilds, channels, roles } = this.#answers;
    for (const guildId of guilds.keys())
      if (this.#guildId !== null && guildId !== this.#guildId)
        throw new BadAnswer("The bot answered with a guild that was not asked for");
    for (const { guild_id } of [...channels.values(), ...roles.values()])
      if (!guilds.has(guild_id))
        throw new BadAnswer("The bot answered with a channel or a role of a guild that it does not name");
    const channelsOf = Map.groupBy(channels.values(), ({ guild_id }) => guild_id);
    if ([...channelsOf.values()].some(({ length }) => length > MAX_CHANNELS_OF_GUILD))
      throw new BadAnswer(
        `The bot's answer is too large: a guild may have ${MAX_CHANNELS_OF_GUILD} channels`,
      );
    await transact(() => {
      if (!this.#isDropped) storeGuilds(this.#answers, this.#guildId === null);
    });
    return {
      success: true,
      error: null,
      guilds_synced: guilds.size,
      channels_synced: channels.size,
      roles_synced: roles.size,
    };
  }

  drop(): void {
    this.#isDropped = true;
  }

  isBusy = (): boolean => false;

  failed = (error: string): GuildSync => ({ success: false, error, ...nothing });
}
