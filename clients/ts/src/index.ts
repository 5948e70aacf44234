import type { Channel } from "./channels.js";
import type { FairleadError } from "./error.js";
import { Line } from "./line.js";
import { Pauses } from "./pauses.js";
import type { SocketConstructor } from "./socket.js";
import { type Link, type Listeners, Subscription } from "./subscription.js";

export type {
  Change,
  Channel,
  DeviceUpdate,
  GeofenceEvent,
  GpsLate,
  GpsUpdate,
  ResetReason,
  TripUpdate,
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
  /** A session token or an API key. */
  token: string;
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
  readonly #lines = new Map<Subscription, Line>();
  readonly #wake = () => {
    for (const line of this.#lines.values()) line.wake();
  };
  state: State = "idle";
  error: FairleadError | null = null;

  constructor({ url, token, minPauseMs = 1_000, maxPauseMs = 60_000, ...options }: Options) {
    const { idleMs = 15_000, WebSocket, onState } = options;
    this.#onState = onState;
    this.#link = {
      base: new URL(url).href.replace(/\/+$/, ""),
      token,
      newPauses: () => new Pauses(minPauseMs, maxPauseMs),
      fail: (error) => this.#end(error),
      changed: () => this.#review(),
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
    try {
      this.#onState?.(state, this.error);
    } catch (error) {
      setTimeout(() => {
        throw error;
      });
    }
  }
}

/** Globals that not every runtime has. */
interface Surroundings {
  WebSocket?: SocketConstructor;
  addEventListener?: (event: string, listener: () => void) => void;
  removeEventListener?: (event: string, listener: () => void) => void;
}
