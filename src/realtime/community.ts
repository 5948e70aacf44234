import { listeningServer } from "../kernel/client";
import { AppError } from "../kernel/errors";
import { subscribe } from "../kernel/events";
import { type Bot, botCame, botWent } from "../operations/community/bot";
import { currentSettings, guildSettings } from "../operations/community/settings";
import { isAsked, isAwaited, isBusy, takePart } from "../operations/community/sync";
import { COMMUNITY, mayHear } from "./channels";
import { type CommunitySyncResponse, encode, type Message, type Payloads, toTimestamp } from "./codec";
import type { Socket } from "./connections";

/** The community bot at the socket: which connections are one, what they are asked, and what they answer and ask. */

const bots = new Map<Socket, Bot>();

const SCOPES = { guilds: 0, members: 1 };

export function botJoined(socket: Socket): void {
  const bot: Bot = {
    since: performance.now(),
    requestSync({ scope, ...request }) {
      socket.send(encode("communitySyncRequest", { ...request, scope: SCOPES[scope] }));
    },
  };
  bots.set(socket, bot);
  botCame(bot);
}

export function botLeft(socket: Socket): void {
  const bot = bots.get(socket);
  if (!bot) return;
  bots.delete(socket);
  botWent(bot);
}

/** Whether the server waits for this message, which brings something: it is no flood however many there are. */
export function isAnswer(socket: Socket, message: Message | string): boolean {
  const bot = bots.get(socket);
  return (
    bot !== undefined &&
    typeof message === "object" &&
    message.name === "communitySyncResponse" &&
    isAwaited(bot, message.payload.requestId) &&
    bringsSomething(message.payload)
  );
}

const bringsSomething = ({ guilds, channels, roles, members, more }: CommunitySyncResponse): boolean =>
  !more || guilds.length + channels.length + roles.length + members.length > 0;

/** Bytes of a connection's frames that may wait for their turn, and what a frame takes beside its content. */
const MAX_WAITING = 64 * 1024 * 1024;
const FRAME_OVERHEAD = 256;

interface Waiting {
  frames: (string | Buffer)[];
  bytes: number;
}
const waiting = new Map<Socket, Waiting>();

type Take = (socket: Socket, frame: string | Buffer) => void;

/**
 * Takes a frame; of a bot that answers, one in a turn of the event loop, in their order, and no faster than they can be
 * stored: they come by the hundred, and each costs milliseconds. Returns false when too many wait.
 */
export function takeInTurn(socket: Socket, frame: string | Buffer, take: Take): boolean {
  const queue = waiting.get(socket);
  if (queue) {
    queue.frames.push(frame);
    queue.bytes += frame.length + FRAME_OVERHEAD;
    return queue.bytes <= MAX_WAITING;
  }
  const bot = bots.get(socket);
  if (bot && isAsked(bot)) {
    waiting.set(socket, { frames: [], bytes: 0 });
    setImmediate(takeNext, socket, take);
  }
  take(socket, frame);
  return true;
}

function takeNext(socket: Socket, take: Take): void {
  const [queue, bot] = [waiting.get(socket), bots.get(socket)];
  const isOver = queue === undefined || queue.frames.length === 0;
  if (isOver) waiting.delete(socket);
  else setImmediate(takeNext, socket, take);
  if (isOver || (bot && isBusy(bot))) return;
  const frame = queue.frames.shift() as string | Buffer;
  queue.bytes -= frame.length + FRAME_OVERHEAD;
  take(socket, frame);
}

const NOT_A_BOT = "This needs an API key with the permission community:sync";

/** Takes a part of an answer. Returns what is wrong with it, for whoever sent it; null when all is well. */
export function takeSyncPart(socket: Socket, part: CommunitySyncResponse): string | null {
  if (!mayHear(socket.data.caller, COMMUNITY)) return NOT_A_BOT;
  const bot = bots.get(socket);
  return bot && takePart(bot, part)
    ? null
    : "No sync with this request_id waits for an answer of this connection";
}

/** The settings that a bot asks for; a text for whoever asked when there are none. */
export function askedSettings(
  socket: Socket,
  { guildId }: Payloads["communitySettingsRequest"],
): Payloads["communitySettings"] | string {
  if (!mayHear(socket.data.caller, COMMUNITY)) return NOT_A_BOT;
  try {
    return settingsOf(guildId || null);
  } catch (error) {
    if (error instanceof AppError) return error.message;
    throw error;
  }
}

/** The settings for all guilds, or with the platform's identifier those of one. Throws 404. */
function settingsOf(guildId: string | null): Payloads["communitySettings"] {
  const all = currentSettings();
  const own = guildId === null ? null : guildSettings(guildId);
  return {
    guildId,
    autoSyncEnabled: all.auto_sync_enabled,
    syncIntervalSeconds: all.sync_interval_seconds,
    initialDelaySeconds: all.initial_delay_seconds,
    defaultLanguage: own ? own.default_language : all.default_language,
    notifyOnGuildJoin: all.notify_on_guild_join,
    notifyOnGuildLeave: all.notify_on_guild_leave,
    commandCooldownSeconds: all.command_cooldown_seconds,
    updatedAt: toTimestamp(Math.max(all.updated_at, own?.settings_updated_at ?? 0)),
  };
}

/** Tells every bot of settings that change. */
export function startCommunity(): void {
  subscribe("community.settings_changed", ({ guildId }) => {
    if (bots.size > 0)
      listeningServer()?.publish(COMMUNITY, encode("communitySettings", settingsOf(guildId)));
  });
}
