import {
  type CommunitySyncResponse,
  encode,
  type Head,
  type Payloads,
  toTimestamp,
} from "../../proto/fairlead/ws/v1/codec";
import { profile } from "../configuration/profile";
import { subscribe } from "../kernel/db/events";
import { AppError } from "../kernel/errors/errors";
import { listeningServer } from "../kernel/http/client";
import { type Bot, botCame, botWent } from "../operations/community/bot";
import { currentSettings, guildSettings } from "../operations/community/settings";
import { isAsked, isAwaited, isBusy, takePart } from "../operations/community/sync";
import { COMMUNITY, mayHear } from "./channels";
import type { Socket } from "./connections";
import { headOf, NO_ENVELOPE, syncHeadOf } from "./envelope";

/**
 * The community bot at the socket: the connections that are bots, the syncs that they are asked for, and
 * their answers and requests.
 */

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

/** True for a frame that the server waits for and that brings data: any number of these is no flood. */
export function isAnswer(socket: Socket, frame: string | Uint8Array): boolean {
  const bot = bots.get(socket);
  if (!bot || !isAsked(bot) || typeof frame === "string") return false;
  const head = headOf(frame);
  const part = typeof head === "object" && head.name === "communitySyncResponse" ? syncHeadOf(head) : null;
  return part !== null && isAwaited(bot, part.requestId) && (part.records > 0 || !part.more);
}

/** The overhead counted for each frame that waits for its turn. */
const FRAME_OVERHEAD = 256;

interface Waiting {
  frames: (string | Buffer)[];
  bytes: number;
}
const waiting = new Map<Socket, Waiting>();

type Take = (socket: Socket, frame: string | Buffer) => void;

/**
 * Takes a bot's frames one in a turn of the event loop, in their order, and no faster than they can be
 * stored: they come by the hundred, and each costs milliseconds. Returns false if too many wait.
 */
export function takeInTurn(socket: Socket, frame: string | Buffer, take: Take): boolean {
  const queue = waiting.get(socket);
  if (queue) {
    queue.frames.push(frame);
    queue.bytes += frame.length + FRAME_OVERHEAD;
    return queue.bytes <= profile.waitingFrames;
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

/** Records of one part; a valid record is too large for so many in a frame of 64 KiB. */
const MAX_RECORDS = 10_000;

/**
 * The refusal of a part of an answer, decided before its records are read; null if it is acceptable. A part
 * with too many records spoils the whole answer.
 */
export function refusalOfPart(socket: Socket, head: Head): string | null {
  if (!mayHear(socket.data.caller, COMMUNITY)) return NOT_A_BOT;
  const bot = bots.get(socket);
  const part = bot && isAsked(bot) ? syncHeadOf(head) : undefined;
  if (part === null) return NO_ENVELOPE;
  if (!bot || !part || !isAwaited(bot, part.requestId))
    return "No sync with this request_id waits for an answer of this connection";
  if (part.records <= MAX_RECORDS) return null;
  const error = `A part of the answer may hold ${MAX_RECORDS} records`;
  takePart(bot, { ...part, success: false, error, guilds: [], channels: [], roles: [], members: [] });
  return error;
}

/** Takes a part of an answer that was not refused. */
export function takeSyncPart(socket: Socket, part: CommunitySyncResponse): void {
  const bot = bots.get(socket);
  if (bot) takePart(bot, part);
}

/** The refusal of a caller who may not ask for settings; null for one who may. */
export const refusalOfRequest = ({ data: { caller } }: Socket): string | null =>
  mayHear(caller, COMMUNITY) ? null : NOT_A_BOT;

/** The settings that a bot asks for, or an error text for it if there are none. */
export function askedSettings({
  guildId,
}: Payloads["communitySettingsRequest"]): Payloads["communitySettings"] | string {
  try {
    return settingsOf(guildId || null);
  } catch (error) {
    if (error instanceof AppError) return error.message;
    throw error;
  }
}

/** The settings for all guilds, or those of one by the platform's identifier. Throws 404. */
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

/** Sends changed settings to every bot (rule M3). */
export function startCommunity(): void {
  subscribe("community.settings_changed", ({ guildId }) => {
    if (bots.size > 0)
      listeningServer()?.publish(COMMUNITY, encode("communitySettings", settingsOf(guildId)));
  });
}
