import type { CommunitySyncResponse } from "../../../proto/fairlead/ws/v1/codec";
import { newId } from "../../kernel/crypto/id";
import { AppError } from "../../kernel/errors/errors";
import { SECOND } from "../../kernel/time/clock";
import { BadAnswer } from "./answers";
import { type Bot, notConnected, type SyncRequest, servingBot, whenBotGone } from "./bot";

/**
 * Asks the bot for a sync and waits for its answer, which comes in one part or many (rules M1 and M2). Of
 * each kind one sync runs at a time: a second request for the same one shares its answer, any other waits. A
 * `SyncReceiver` stores the answer.
 */

/** Takes the parts of one answer. */
export interface SyncReceiver<T> {
  /** Takes a part. Throws BadAnswer. */
  take: (part: CommunitySyncResponse) => void;
  /** True while the parts so far should be stored before more are taken. */
  isBusy: () => boolean;
  /** Stores all parts as a whole, once the last one has come. Throws BadAnswer, and 404. */
  commit: () => Promise<T>;
  /** Forgets all parts: none of them is stored any more. */
  drop: () => void;
  /** The answer if the bot failed, or sent something that can't be stored. */
  failed: (error: string) => T;
}

/** Syncs of a kind that may wait for their turn. */
const MAX_WAITING = 10;
/** Longest error of a bot that is passed on (characters). */
const MAX_ERROR = 500;

/** A sync with somebody waiting for it. */
class Sync<T> {
  readonly requestId = newId();
  readonly guild: string | null;
  readonly answer: Promise<T>;
  readonly #receiver: SyncReceiver<T>;
  readonly #timeout: number;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #resolve: (answer: T) => void = () => {};
  #reject: (reason: unknown) => void = () => {};
  /** The bot whose answer is awaited; null before it is asked, and after its last part. */
  #bot: Bot | null = null;
  /** The error in the answer: its other parts are ignored. */
  #wrong: BadAnswer | null = null;

  constructor(guild: string | null, receiver: SyncReceiver<T>, timeout: number) {
    this.guild = guild;
    this.#receiver = receiver;
    this.#timeout = timeout;
    this.answer = new Promise<T>((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  /** Asks the bot that serves now. */
  start(scope: SyncRequest["scope"]): void {
    this.#timer = setTimeout(() => this.#timeOut(), this.#timeout);
    this.#bot = servingBot();
    if (this.#bot === null) this.#fail(notConnected());
    else this.#bot.requestSync({ requestId: this.requestId, guildId: this.guild, scope });
  }

  /** True while this bot's answer is awaited. */
  asks(bot: Bot): boolean {
    return this.#bot === bot;
  }

  isBusy(): boolean {
    return this.#receiver.isBusy();
  }

  awaits(bot: Bot, requestId: string): boolean {
    return this.#bot === bot && this.requestId === requestId;
  }

  take(part: CommunitySyncResponse): void {
    if (!part.success) {
      const error = part.error?.slice(0, MAX_ERROR).toWellFormed();
      this.#end(this.#receiver.failed(error || "The bot does not say why it failed"));
      return;
    }
    try {
      if (this.#wrong === null) this.#receiver.take(part);
    } catch (error) {
      if (!(error instanceof BadAnswer)) throw error;
      this.#wrong = error;
      this.#receiver.drop();
    }
    if (part.more) return;
    this.#bot = null;
    if (this.#wrong) this.#end(this.#receiver.failed(this.#wrong.message));
    else
      this.#receiver.commit().then(
        (answer) => this.#end(answer),
        (error) => {
          if (error instanceof BadAnswer) this.#end(this.#receiver.failed(error.message));
          else this.#fail(error);
        },
      );
  }

  lose(bot: Bot): void {
    if (this.#bot === bot) this.#fail(notConnected());
  }

  #timeOut(): void {
    if (this.#wrong) this.#end(this.#receiver.failed(this.#wrong.message));
    else this.#fail(new AppError("BotTimeout", "The community bot did not answer in time"));
  }

  #end(answer: T): void {
    this.#stop();
    this.#resolve(answer);
  }

  #fail(reason: unknown): void {
    this.#stop();
    this.#reject(reason);
  }

  #stop(): void {
    clearTimeout(this.#timer);
    this.#bot = null;
    this.#receiver.drop();
  }
}

/** The syncs of one kind. */
export class SyncQueue<T> {
  readonly #scope: SyncRequest["scope"];
  readonly #timeout: number;
  #running: Sync<T> | null = null;
  #waiting: Sync<T>[] = [];

  /** `timeout` is the time that the bot may take, in milliseconds. */
  constructor(scope: SyncRequest["scope"], timeout: number) {
    this.#scope = scope;
    this.#timeout = timeout;
    lines.push(this);
  }

  /**
   * Asks for the sync of a guild by its identifier on the platform, or of all with null. Throws 503
   * `BotNotConnected` and `BotTimeout`.
   */
  ask(guild: string | null, receiver: () => SyncReceiver<T>): Promise<T> {
    const same = [this.#running, ...this.#waiting].find((sync) => sync?.guild === guild);
    if (same) return same.answer;
    if (servingBot() === null) throw notConnected();
    if (this.#waiting.length >= MAX_WAITING)
      throw new AppError("ServiceUnavailable", "Too many syncs are already queued");
    const sync = new Sync(guild, receiver(), this.#timeout);
    this.#waiting.push(sync);
    const leave = () => this.#leave(sync);
    sync.answer.then(leave, leave);
    if (this.#running === null) this.#next();
    return sync.answer;
  }

  asks(bot: Bot): boolean {
    return this.#running?.asks(bot) === true;
  }

  isBusy(): boolean {
    return this.#running?.isBusy() === true;
  }

  awaits(bot: Bot, requestId: string): boolean {
    return this.#running?.awaits(bot, requestId) === true;
  }

  take(part: CommunitySyncResponse): void {
    this.#running?.take(part);
  }

  lose(bot: Bot): void {
    this.#running?.lose(bot);
  }

  #next(): void {
    this.#running = this.#waiting.shift() ?? null;
    this.#running?.start(this.#scope);
  }

  #leave(sync: Sync<T>): void {
    if (this.#running === sync) this.#next();
    else this.#waiting = this.#waiting.filter((other) => other !== sync);
  }
}

const lines: Pick<SyncQueue<unknown>, "asks" | "isBusy" | "awaits" | "take" | "lose">[] = [];

whenBotGone((bot) => {
  for (const line of lines) line.lose(bot);
});

/** True while a sync waits for an answer of this bot. */
export const isAsked = (bot: Bot): boolean => lines.some((line) => line.asks(bot));

/** True while this bot's further answers should wait until the former ones are stored. */
export const isBusy = (bot: Bot): boolean => lines.some((line) => line.asks(bot) && line.isBusy());

/** True while a sync waits for a part of this answer from this bot. */
export const isAwaited = (bot: Bot, requestId: string): boolean =>
  lines.some((line) => line.awaits(bot, requestId));

/** Takes a part of an answer. False when no sync waits for it. */
export function takePart(bot: Bot, part: CommunitySyncResponse): boolean {
  const line = lines.find((one) => one.awaits(bot, part.requestId));
  line?.take(part);
  return line !== undefined;
}

/** Longest time for a bot to answer a sync, in milliseconds (proto/fairlead/ws/v1/ws.proto tells it to bots). */
export const SYNC_TIMEOUT = { guilds: 30 * SECOND, members: 60 * SECOND };
