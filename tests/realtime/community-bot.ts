import { join } from "node:path";
import protobuf from "protobufjs";

/**
 * An example of a community bot, complete from Fairlead's point of view. It needs nothing but proto/fairlead/ws/v1/ws.proto,
 * an API key with `community:sync` and its knowledge of its guilds; the head of that file explains it.
 */

/** A time in the form of google.protobuf.Timestamp. */
export interface Timestamp {
  seconds: number;
  nanos?: number;
}

/** Identifiers are those of the platform. Optional fields may be left out. */
export interface Guild {
  guildId: string;
  name: string;
  icon?: string;
  ownerId: string;
  memberCount?: number;
  boostCount?: number;
  premiumTier?: number;
  botJoinedAt?: Timestamp;
}
export interface Channel {
  channelId: string;
  guildId: string;
  name: string;
  channelType?: number;
  parentId?: string;
  position?: number;
  topic?: string;
  nsfw?: boolean;
}
export interface Role {
  roleId: string;
  guildId: string;
  name: string;
  color?: number;
  position?: number;
  permissions?: string;
  managed?: boolean;
}
export interface Member {
  guildId: string;
  userId: string;
  username: string;
  discriminator?: string;
  globalName?: string;
  nickname?: string;
  avatar?: string;
  bot?: boolean;
  system?: boolean;
  joinedAt?: Timestamp;
  premiumSince?: Timestamp;
  deaf?: boolean;
  mute?: boolean;
  pending?: boolean;
  communicationDisabledUntil?: Timestamp;
  roles?: string[];
}

/** The bot's knowledge. An error that these functions throw is told to the requester of the sync. */
export interface Community {
  /** One guild, or all with null: the guilds with their channels and roles. */
  guilds: (guildId: string | null) => Promise<{ guilds: Guild[]; channels: Channel[]; roles: Role[] }>;
  /** The members of a guild, in the portions in which the platform delivers them. */
  members: (guildId: string) => AsyncIterable<Member[]> | Iterable<Member[]>;
}

export interface Settings {
  guildId?: string;
  autoSyncEnabled: boolean;
  syncIntervalSeconds: number;
  initialDelaySeconds: number;
  /** Absent for a guild that uses the general language. */
  defaultLanguage?: string;
  notifyOnGuildJoin: boolean;
  notifyOnGuildLeave: boolean;
  commandCooldownSeconds: number;
  updatedAt: Timestamp;
}

interface SyncRequest {
  requestId: string;
  guildId?: string;
  scope: "GUILDS" | "MEMBERS";
}

const proto = protobuf.loadSync(join(import.meta.dir, "../../proto/fairlead/ws/v1/ws.proto"));
const Envelope = proto.lookupType("fairlead.ws.v1.WsEnvelope");

/** Bytes of the records in one part of an answer, below the 64 KiB that a frame may have. */
const PART = 60_000;
/** The most bytes that may wait to be sent. */
const MAX_BUFFERED = 1024 * 1024;

export class CommunityBot {
  readonly #socket: WebSocket;
  readonly #community: Community;
  readonly #listeners = new Map<string, Set<(payload: never) => void>>();
  /** Resolves when the connection has ended, for any reason: connect anew after a pause. */
  readonly closed: Promise<unknown>;

  private constructor(socket: WebSocket, community: Community) {
    this.#socket = socket;
    this.#community = community;
    this.closed = new Promise((resolve) => socket.addEventListener("close", resolve));
    socket.binaryType = "arraybuffer";
    socket.addEventListener("message", ({ data }) => this.#receive(new Uint8Array(data)));
    this.on("communitySyncRequest", (request: SyncRequest) => this.#sync(request));
  }

  /**
   * Connects to `wss://…/v1/ws` and becomes the bot that serves syncs. The key goes into a header, never into
   * the address.
   */
  static async connect(url: string, key: string, community: Community): Promise<CommunityBot> {
    const options = { headers: { authorization: `Bearer ${key}` } } as unknown as string[];
    const socket = new WebSocket(url, options);
    const bot = new CommunityBot(socket, community);
    await Promise.race([
      new Promise((resolve) => socket.addEventListener("open", resolve)),
      bot.closed.then(() => Promise.reject(new Error("the server refused the connection"))),
    ]);
    // Subscribing to this channel makes a connection a bot; the server confirms it with the same message.
    await bot.#ask({ subscribe: { channel: "community" } }, "subscribe");
    return bot;
  }

  /**
   * Calls `listener` for each message with this payload: `communitySettings` whenever settings change;
   * `discordUserLinked`, `discordUserUnlinked` and `discordPermissionChanged` when the bot's data of a user
   * is out of date; `error` when the server couldn't understand a message. Returns a function that removes
   * the listener.
   */
  on<T>(payload: string, listener: (payload: T) => void): () => void {
    const listeners = this.#listeners.get(payload) ?? new Set();
    this.#listeners.set(payload, listeners.add(listener as (payload: never) => void));
    return () => listeners.delete(listener as (payload: never) => void);
  }

  /**
   * Requests the settings of a guild, or the general ones. Rejects for a guild that the server doesn't know.
   */
  settings(guildId?: string): Promise<Settings> {
    const isAsked = (settings: Settings) => settings.guildId === guildId;
    return this.#ask({ communitySettingsRequest: { guildId } }, "communitySettings", isAsked);
  }

  async close(): Promise<void> {
    this.#socket.close(1000);
    await this.closed;
  }

  /** Sends a message and waits for the payload that answers it; rejects when the server answers with an error. */
  #ask<T>(envelope: object, payload: string, isAnswer: (answer: T) => boolean = () => true): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const ends = [
      this.on<T>(payload, (answer) => isAnswer(answer) && resolve(answer)),
      this.on<{ message: string }>("error", ({ message }) => reject(new Error(message))),
    ];
    this.closed.then(() => reject(new Error("the connection has ended")));
    this.#send(envelope);
    return promise.finally(() => {
      for (const end of ends) end();
    });
  }

  #send(envelope: object): void {
    this.#socket.send(new Uint8Array(Envelope.encode(Envelope.fromObject(envelope)).finish()));
  }

  #receive(frame: Uint8Array): void {
    const envelope = Envelope.decode(frame) as protobuf.Message & { payload: string };
    const message = Envelope.toObject(envelope, { longs: Number, enums: String, defaults: true });
    const listeners = this.#listeners.get(envelope.payload) ?? [];
    for (const listener of [...listeners]) listener(message[envelope.payload] as never);
  }

  /** Answers a sync: any number of parts with `more`, and one without. Each of them carries `success`. */
  async #sync({ requestId, guildId, scope }: SyncRequest): Promise<void> {
    const send = async (part: object) => {
      this.#send({ communitySyncResponse: { requestId, success: true, ...part } });
      await this.#breathe();
    };
    try {
      if (scope === "MEMBERS")
        for await (const portion of this.#community.members(guildId ?? ""))
          for (const members of parts("CommunityMember", portion)) await send({ members, more: true });
      else {
        const { guilds, channels, roles } = await this.#community.guilds(guildId ?? null);
        for (const part of parts("CommunityGuild", guilds)) await send({ guilds: part, more: true });
        for (const part of parts("CommunityChannel", channels)) await send({ channels: part, more: true });
        for (const part of parts("CommunityRole", roles)) await send({ roles: part, more: true });
      }
      await send({ more: false });
    } catch (error) {
      await send({ success: false, error: String(error) });
    }
  }

  /** Gives other work a turn: a bot that is busy for ten seconds answers no ping, and is taken for dead. */
  async #breathe(): Promise<void> {
    do await new Promise((resolve) => setTimeout(resolve));
    while (this.#socket.bufferedAmount > MAX_BUFFERED && this.#socket.readyState === WebSocket.OPEN);
  }
}

/** Cuts records of a type of ws.proto into parts by their encoded size, each with its number and length. */
function* parts<T extends object>(type: string, records: T[]): Generator<T[]> {
  const message = proto.lookupType(`fairlead.ws.v1.${type}`);
  let [part, size]: [T[], number] = [[], 0];
  for (const record of records) {
    const own = message.encode(message.fromObject(record)).len + 4;
    if (part.length > 0 && size + own > PART) {
      yield part;
      [part, size] = [[], 0];
    }
    part.push(record);
    size += own;
  }
  if (part.length > 0) yield part;
}
