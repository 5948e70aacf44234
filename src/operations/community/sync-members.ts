import type { CommunitySyncResponse } from "../../../proto/fairlead/ws/v1/codec";
import { BadAnswer, readMember } from "./answers";
import { guildThere } from "./guilds";
import { MemberStore } from "./member-store";
import type { MemberSync } from "./schema";
import { SYNC_TIMEOUT, SyncQueue, type SyncReceiver } from "./sync";

const line = new SyncQueue<MemberSync>("members", SYNC_TIMEOUT.members);

/**
 * Asks the bot for the members of a guild (by its identifier on the platform), who replace the former ones
 * (rule M2). Throws 404 for a guild that isn't stored, or was removed meanwhile, and 503 `BotNotConnected`
 * and `BotTimeout`.
 */
export function syncMembers(guildId: string): Promise<MemberSync> {
  guildThere(guildId);
  return line.ask(guildId, () => new MemberReceiver(guildId));
}

/** Stores members as they come. */
class MemberReceiver implements SyncReceiver<MemberSync> {
  readonly #guildId: string;
  #store: MemberStore | null = null;

  constructor(guildId: string) {
    this.#guildId = guildId;
  }

  take({ guilds, channels, roles, members }: CommunitySyncResponse): void {
    if (guilds.length + channels.length + roles.length > 0)
      throw new BadAnswer("The bot answered with guilds, channels or roles, which were not asked for");
    this.#store ??= new MemberStore(this.#guildId);
    this.#store.add(members.map((member) => readMember(member, this.#guildId)));
  }

  async commit(): Promise<MemberSync> {
    return { success: true, error: null, members_synced: (await this.#store?.commit()) ?? 0 };
  }

  drop(): void {
    this.#store?.drop();
  }

  isBusy = (): boolean => this.#store?.isBusy() === true;

  failed = (error: string): MemberSync => ({ success: false, error, members_synced: 0 });
}
