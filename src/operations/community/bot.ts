import { AppError } from "../../kernel/errors/errors";

/**
 * The community bots that are connected, as far as the rest of the program knows them: those that can be
 * asked for a sync. The socket registers them as they come and go. The one that came last serves (rule M1).
 */
export interface Bot {
  /** Time of its arrival (performance.now milliseconds). */
  readonly since: number;
  /** Asks for a sync; the answer comes through `takePart` of sync.ts. */
  requestSync: (request: SyncRequest) => void;
}

export interface SyncRequest {
  requestId: string;
  scope: "guilds" | "members";
  /** The platform's identifier; null for all guilds. */
  guildId: string | null;
}

const connected: Bot[] = [];
const onGone: ((bot: Bot) => void)[] = [];

/** Calls `listener` whenever a bot has gone. */
export function whenBotGone(listener: (bot: Bot) => void): void {
  onGone.push(listener);
}

export function botCame(bot: Bot): void {
  connected.push(bot);
}

export function botWent(bot: Bot): void {
  const at = connected.indexOf(bot);
  if (at === -1) return;
  connected.splice(at, 1);
  for (const listener of onGone) listener(bot);
}

/** The bot that serves; null when none is connected. */
export const servingBot = (): Bot | null => connected.at(-1) ?? null;

export const notConnected = () =>
  new AppError("BotNotConnected", "No community bot is connected", { headers: { "retry-after": "10" } });
