import type { Channel, Message } from "./channels.js";
import { call, type FairleadError } from "./error.js";
import { Line } from "./line.js";
import { Pauses } from "./pauses.js";
import type { SocketConstructor } from "./socket.js";
import { type Link, type Listeners, Subscription } from "./subscription.js";

export type {
  AlertAcknowledged,
  AlertChange,
  AlertCleared,
  AlertRaised,
  AlertUpdated,
  AnchorUpdate,
  Change,
  Channel,
  DeviceUpdate,
  GeofenceCorrection,
  GeofenceEvent,
  GpsLate,
  GpsUpdate,
  Message,
  ResetReason,
  TripUpdate,
  VesselsUpdate,
} from "./channels.js";
export { FairleadError } from "./error.js";
export type { SocketConstructor, SocketLike } from "./socket.js";
export type { Listeners } from "./subscription.js";

/**
 * `idle`: nothing is subscribed; `connecting`: changes wait for a connection; `live`: they come over the socket; `polling`: they
 * come, some of them by requests; `closed`: by `close`, or since the credential has ended.
 */
export type State = "idle" | "connecting" | "live" | "polling" | "closed";

export interface Options {
  /** The server's address, such as `https://boat.example.org`. */
  url: string;
  /** A session token or an API key; null for a page of the server's own, whose session is in a cookie. */
  token: string | null;
  /** The pause in milliseconds after a first failure; each one after that is twice as long (1,000). */
  minPauseMs?: number;
  /** The longest pause in milliseconds (60,000). */
  maxPauseMs?: number;
  /** Milliseconds without a message after which the client asks if the server is still there (15,000). */
  idleMs?: number;
  /** The constructor of sockets, where there is no global one, or null for none: changes then come by the long poll. */
  WebSocket?: SocketConstructor | null;
  /** Called when the state has changed; with the error if the credential has ended. */
  onState?: (state: State, error: FairleadError | null) => void;
  /**
   * Called with each message that carries no number: those about the user, `anchorUpdate` and `vesselsUpdate`. They come over
   * sockets alone, while something is subscribed, and one that is missed isn't sent again.
   */
  onMessage?: (message: Message) => void;
}

export interface Subscribing<C extends Channel = Channel> extends Listeners<C> {
  /** The cursor up to which everything is known, or `now` (the default). */
  since?: string;
}

export interface Client {
  readonly state: State;
  /** Why the server ended everything; null while it didn't. */
  readonly error: FairleadError | null;
  /**
   * Tells of each change of a channel after a cursor, once and in order, over any number of connections. Returns the function
   * that ends it. On a client that is closed nothing is told, but for the error that closed it.
   */
  subscribe<C extends Channel>(channel: C, subscribing: Subscribing<C>): () => void;
  /** Ends all subscriptions. */
  close(): void;
}

/** Makes a client, which connects at its first subscription. Throws a TypeError if the address is none. */
export function connect(options: Options): Client {
  return new FeedClient(options);
}

class FeedClient implements Client {
  readonly #link: Link;
  readonly #newLine: () => Line;
  readonly #onState: Options["onState"];
  readonly #onMessage: Options["onMessage"];
  readonly #lines = new Map<Subscription, Line>();
  readonly #wake = () => {
    for (const line of this.#lines.values()) line.wake();
  };
  state: State = "idle";
  error: FairleadError | null = null;

  constructor({ url, token, minPauseMs = 1_000, maxPauseMs = 60_000, ...options }: Options) {
    const { idleMs = 15_000, WebSocket, onState, onMessage } = options;
    this.#onState = onState;
    this.#onMessage = onMessage;
    this.#link = {
      base: new URL(url).href.replace(/\/+$/, ""),
      token,
      held: 0,
      newPauses: () => new Pauses(minPauseMs, maxPauseMs),
      fail: (error) => this.#end(error),
      changed: () => this.#review(),
      hear: (message, line) => this.#hear(message, line),
    };
    const found = WebSocket === undefined ? (globalThis as Surroundings).WebSocket : WebSocket;
    this.#newLine = () => new Line(this.#link, found ?? undefined, idleMs);
    (globalThis as Surroundings).addEventListener?.("online", this.#wake);
  }

  subscribe<C extends Channel>(channel: C, { since = "now", ...listeners }: Subscribing<C>): () => void {
    const subscription = new Subscription(this.#link, channel, since, listeners as Listeners, (ended) =>
      this.#leave(ended),
    );
    if (this.state === "closed") {
      queueMicrotask(() => subscription.end(this.error ?? undefined));
    } else {
      const line = [...this.#lines.values()].find((some) => some.hasRoomFor(subscription)) ?? this.#newLine();
      this.#lines.set(subscription, line);
      line.add(subscription);
      this.#review();
    }
    return () => subscription.end();
  }

  close(): void {
    this.#end(null);
  }

  #end(error: FairleadError | null): void {
    if (this.state === "closed") return;
    (globalThis as Surroundings).removeEventListener?.("online", this.#wake);
    this.error = error;
    this.#enter("closed");
    for (const subscription of [...this.#lines.keys()]) subscription.end(error ?? undefined);
  }

  #leave(subscription: Subscription): void {
    const line = this.#lines.get(subscription);
    this.#lines.delete(subscription);
    line?.leave(subscription);
    this.#review();
  }

  #review(): void {
    if (this.state === "closed") return;
    const lines = [...this.#lines.values()];
    if (lines.length === 0) this.#enter("idle");
    else if (lines.every(({ isLive }) => isLive)) this.#enter("live");
    else this.#enter(lines.every(({ isServed }) => isServed) ? "polling" : "connecting");
  }

  #enter(state: State): void {
    if (state === this.state) return;
    this.state = state;
    call(() => this.#onState?.(state, this.error));
  }

  /** Every socket is sent the messages about the user: the first one's count. */
  #hear(message: Message, from: object): void {
    const first = [...this.#lines.values()].find((line) => line.hears(message));
    if (first === from) call(() => this.#onMessage?.(message));
  }
}

/** Globals that not every runtime has. */
interface Surroundings {
  WebSocket?: SocketConstructor;
  addEventListener?: (event: string, listener: () => void) => void;
  removeEventListener?: (event: string, listener: () => void) => void;
}
