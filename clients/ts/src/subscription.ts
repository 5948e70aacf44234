import {
  type Change,
  type Channel,
  isAbout,
  isNumbered,
  type Message,
  partsOf,
  type ResetReason,
  typesOf,
} from "./channels.js";
import type { components } from "./document.gen.js";
import { call, FairleadError } from "./error.js";
import { type Pauses, retryAfter, sleep } from "./pauses.js";

/** The functions of a subscriber. One that throws is reported as an uncaught error, and hinders nothing else. */
export interface Listeners<C extends Channel = Channel> {
  /** Each change, once and in order. */
  onChange: (change: Change<C>) => void;
  /** With `since: "now"`: called once, when changes after this cursor are sure to come. Read the state then. */
  onStart?: ((cursor: string) => void) | undefined;
  /** Changes are gone. Read the state anew: those after this cursor follow. */
  onReset?: ((cursor: string, reason: ResetReason) => void) | undefined;
  /** The subscription has ended: the credential has (401), the right is missing (403), or `since` is no cursor (400). */
  onError?: ((error: FairleadError) => void) | undefined;
}

/** The part that the subscriptions of a client share. */
export interface Link {
  /** The server's address, without a slash at the end. */
  base: string;
  token: string | null;
  /** Requests that wait for changes now. */
  held: number;
  newPauses: () => Pauses;
  /** Ends everything: the credential has ended. */
  fail: (error: FairleadError) => void;
  /** Called when something was reached, lost or left. */
  changed: () => void;
  /** Takes a message without a number from a line. */
  hear: (message: Message, line: object) => void;
}

/** The outcome of one request. */
interface Outcome {
  /** True if the server answered it, if only with a refusal. */
  isReached: boolean;
  /** Milliseconds to wait before the next request. */
  pause: number;
}

type Page = components["schemas"]["Changes"];

/** Seconds that the server may hold a request, and milliseconds that its answer may take beyond that. */
const WAIT_SECONDS = 25;
const PATIENCE = 15_000;
/** Milliseconds that the body of an answer may take, over a thin line. */
const BODY_PATIENCE = 60_000;
/** A page of this size takes some seconds over a thin line. */
const LIMIT = 100;
/** An empty answer that comes sooner than this (milliseconds) was not held: asking again at once would be a flood. */
const HELD = 1_000;
/** Requests of a client that the server holds at once: browsers have six connections to a server, and a page needs some too. */
const MOST_HELD = 3;
/** Milliseconds between the requests of a subscription that are not held. */
const BETWEEN = 5_000;

/** Browsers send the cookie of a page's session by themselves; it counts beside this header alone. */
const credentialOf = ({ token }: Link): Record<string, string> =>
  token === null ? { "x-fairlead-page": "1" } : { authorization: `Bearer ${token}` };

const epochOf = (cursor: string): string => cursor.slice(0, cursor.lastIndexOf("-"));
const numberOf = (cursor: string): number => Number(cursor.slice(cursor.lastIndexOf("-") + 1));

/** One subscription: its place in the feed, and the long poll by which it reads on while no socket carries it. */
export class Subscription {
  readonly channel: Channel;
  /** Everything up to here was told, or `now` before the first answer. */
  cursor: string;
  isOver = false;
  /** True if the last request was answered. */
  isReached = false;
  /** The time until which the server wants to be left alone, in epoch milliseconds. */
  restsUntil = 0;
  readonly #link: Link;
  readonly #listeners: Listeners;
  readonly #pauses: Pauses;
  readonly #onEnd: (subscription: Subscription) => void;
  #polling: AbortController | null = null;

  constructor(
    link: Link,
    channel: Channel,
    since: string,
    listeners: Listeners,
    onEnd: (subscription: Subscription) => void,
  ) {
    this.#link = link;
    this.channel = channel;
    this.cursor = isNumbered(channel) ? since : "now";
    this.#listeners = listeners;
    this.#pauses = link.newPauses();
    this.#onEnd = onEnd;
  }

  /** Takes the cursor at which a subscription to `now` begins. */
  start(cursor: string): void {
    if (this.isOver || this.cursor !== "now") return;
    this.cursor = cursor;
    call(() => this.#listeners.onStart?.(cursor));
  }

  /** Tells of a change, unless it was told already. */
  offer(change: Change): void {
    if (this.isOver || this.#isKnown(change)) return;
    this.cursor = change.cursor ?? this.cursor;
    call(() => this.#listeners.onChange(change));
  }

  #isKnown({ cursor }: Change): boolean {
    return (
      cursor !== undefined &&
      epochOf(cursor) === epochOf(this.cursor) &&
      numberOf(cursor) <= numberOf(this.cursor)
    );
  }

  reset(cursor: string, reason: ResetReason): void {
    if (this.isOver) return;
    this.cursor = cursor;
    call(() => this.#listeners.onReset?.(cursor, reason));
  }

  /** Ends it; without an error the subscriber wished so. */
  end(error?: FairleadError): void {
    if (this.isOver) return;
    this.isOver = true;
    this.stopPolling();
    this.#onEnd(this);
    if (error) call(() => this.#listeners.onError?.(error));
  }

  get isPolling(): boolean {
    return this.#polling !== null;
  }

  startPolling(): void {
    if (this.isOver || this.#polling) return;
    this.#polling = new AbortController();
    void this.#poll(this.#polling.signal);
  }

  stopPolling(): void {
    this.#polling?.abort();
    this.#polling = null;
  }

  async #poll(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const { pause } = await this.read(WAIT_SECONDS, signal);
      // A channel without numbers has nothing to ask for: only the server and the right have to be there still.
      const rest = isNumbered(this.channel) ? pause : Math.max(pause, WAIT_SECONDS * 1_000);
      if (rest > 0) await sleep(rest, signal);
    }
  }

  /** Asks once for the changes after the cursor; the server may hold the request for some seconds. Never rejects. */
  async read(waitSeconds: number, signal: AbortSignal): Promise<Outcome> {
    const request = new AbortController();
    const abort = () => request.abort();
    signal.addEventListener("abort", abort);
    // Without a cursor, a wait would delay the start.
    const waits = waitSeconds > 0 && this.cursor !== "now";
    const isHeld = waits && this.#link.held < MOST_HELD;
    const wait = isHeld ? waitSeconds : 0;
    if (isHeld) this.#link.held++;
    let timer = setTimeout(abort, wait * 1_000 + PATIENCE);
    const begun = Date.now();
    let outcome: Outcome = { isReached: false, pause: 0 };
    try {
      const response = await fetch(this.#address(wait), {
        headers: credentialOf(this.#link),
        cache: "no-store",
        signal: request.signal,
      });
      clearTimeout(timer);
      timer = setTimeout(abort, BODY_PATIENCE);
      const text = await response.text();
      if (signal.aborted || this.isOver) return outcome;
      const rest = isHeld && Date.now() - begun < HELD ? HELD : waits && !isHeld ? BETWEEN : 0;
      outcome = this.#take(response, text, rest);
    } catch {
      // Nothing came, or not all of it, or it was no JSON: a proxy's own page.
    } finally {
      if (isHeld) this.#link.held--;
      clearTimeout(timer);
      signal.removeEventListener("abort", abort);
    }
    if (signal.aborted || this.isOver) return outcome;
    if (outcome.isReached) this.#pauses.startOver();
    else outcome.pause = Math.max(outcome.pause, this.#pauses.next());
    if (this.isReached !== outcome.isReached) {
      this.isReached = outcome.isReached;
      this.#link.changed();
    }
    return outcome;
  }

  #address(wait: number): string {
    const { family, id } = partsOf(this.channel);
    const query = new URLSearchParams({
      since: this.cursor,
      // It takes the same right.
      types: (isNumbered(this.channel) ? typesOf(this.channel) : typesOf("gps")).join(","),
      limit: String(LIMIT),
      wait_seconds: String(wait),
      ...(family === "gps" && id !== "" && { device_id: id }),
    });
    return `${this.#link.base}/v1/changes?${query}`;
  }

  /** Takes an answer; an empty one is followed by a rest of so many milliseconds. Throws if its body is no JSON. */
  #take(response: Response, text: string, rest: number): Outcome {
    const { status } = response;
    if (status === 401) {
      this.#link.fail(new FairleadError(status, text));
      return { isReached: true, pause: 0 };
    }
    if (status === 429 || status >= 500) {
      const pause = retryAfter(response.headers);
      this.restsUntil = Date.now() + pause;
      return { isReached: false, pause };
    }
    const body = JSON.parse(text) as Partial<Page & { error: string }> | null;
    if (status === 410 && body?.next) {
      this.reset(body.next, epochOf(body.next) === epochOf(this.cursor) ? "expired" : "epoch");
      return { isReached: true, pause: 0 };
    }
    if (status >= 400 && body?.error) {
      this.end(new FairleadError(status, text));
      return { isReached: true, pause: 0 };
    }
    if (status !== 200 || !body?.changes || !body.next) return { isReached: false, pause: 0 };
    this.#takePage(body as Page);
    const isEmpty = body.changes.length === 0 && body.is_complete === true;
    return { isReached: true, pause: isEmpty ? rest : 0 };
  }

  #takePage({ changes, next }: Page): void {
    if (!isNumbered(this.channel)) return;
    this.start(next);
    // The server chooses by device, not by zone.
    const isOwn = (change: Change) => partsOf(this.channel).family === "gps" || isAbout(this.channel, change);
    for (const change of changes as unknown as Change[]) if (isOwn(change)) this.offer(change);
    // Changes of other types and devices may have followed the last one.
    if (!this.isOver) this.cursor = next;
  }
}
