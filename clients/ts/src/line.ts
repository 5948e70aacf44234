import { areAlike, type Change, isAbout, isNumbered, type Message, typesOf } from "./channels.js";
import type { components } from "./document.gen.js";
import { FairleadError } from "./error.js";
import { type Pauses, sleep } from "./pauses.js";
import { openSocket, type SocketConstructor, type SocketLike } from "./socket.js";
import type { Link, Subscription } from "./subscription.js";

/** Milliseconds without a word after which a socket that is about to open counts as refused. */
const OPENING = 15_000;
/** Refused sockets, while requests are answered, after which subscriptions go over to the long poll. */
const ENOUGH = 3;
/** The code with which the server closes a socket whose credential has ended. */
const CREDENTIAL_ENDED = 4401;

type Schemas = components["schemas"];
type Frame =
  | Schemas["SocketNotice"]
  | Schemas["SocketReset"]
  | Schemas["SocketError"]
  | Schemas["SocketPong"]
  | Change
  | Message;

/**
 * `dropped`: every subscription was answered, until the socket closed; `refused`: it didn't come so far, or something was
 * refused that names no channel; `impossible`: there are no sockets here.
 */
type Ending = "dropped" | "refused" | "unauthorized" | "impossible";

/**
 * A socket that is opened again and again, and the subscriptions that it carries. Messages don't name their channel: it carries
 * one of a family, or some that each name another device or zone.
 */
export class Line {
  readonly #link: Link;
  readonly #WebSocket: SocketConstructor | undefined;
  readonly #idle: number;
  readonly #pauses: Pauses;
  readonly #members = new Set<Subscription>();
  /** Members that the open socket was asked for, and those of them that it carries. */
  readonly #asked = new Set<Subscription>();
  readonly #carried = new Set<Subscription>();
  readonly #closing = new AbortController();
  #waking = new AbortController();
  #send: ((message: object) => void) | null = null;
  #hangUp: () => void = () => {};
  #refusals = 0;
  #isPolling = false;

  /** `idle`: milliseconds without a message after which the server is asked if it is there. */
  constructor(link: Link, WebSocket: SocketConstructor | undefined, idle: number) {
    this.#link = link;
    this.#WebSocket = WebSocket;
    this.#idle = idle;
    this.#pauses = link.newPauses();
  }

  /** True if its messages can't be another's, not even of one that is about to be left. */
  hasRoomFor(subscription: Subscription): boolean {
    return [...this.#members].every(({ channel }) => !areAlike(channel, subscription.channel));
  }

  /** True if a message without a number comes over its socket. */
  hears(message: Message): boolean {
    const { type } = message;
    if (!this.#send) return false;
    if (type !== "anchorUpdate" && type !== "vesselsUpdate") return true;
    const channel = type === "vesselsUpdate" ? "vessels" : `gps:${message.data.device_id}`;
    return [...this.#carried].some((member) => member.channel === channel);
  }

  get isEmpty(): boolean {
    return this.#living.length === 0;
  }

  /** True if the socket carries every subscription. */
  get isLive(): boolean {
    return this.#living.every((member) => this.#carried.has(member));
  }

  /** True if every subscription gets its changes, by requests where not by the socket. */
  get isServed(): boolean {
    return this.#living.every(
      (member) => this.#carried.has(member) || (member.isReached && (this.#isPolling || member.isPolling)),
    );
  }

  get #living(): Subscription[] {
    return [...this.#members].filter(({ isOver }) => !isOver);
  }

  add(subscription: Subscription): void {
    const isFirst = this.#members.size === 0;
    this.#members.add(subscription);
    if (isFirst) void this.#run();
    else if (this.#send) this.#ask(subscription);
    else if (this.#isPolling) subscription.startPolling();
  }

  /** Leaves the channel of a subscription that is over. The line ends with its last one. */
  leave(subscription: Subscription): void {
    if (this.isEmpty) this.close();
    // It stays until the server has left the channel: messages that are under way are still its own.
    else if (this.#send && this.#asked.has(subscription))
      this.#send({ type: "unsubscribe", channel: subscription.channel });
    else this.#members.delete(subscription);
  }

  /** Ends all pauses: the network is back. */
  wake(): void {
    this.#waking.abort();
    if (!this.#isPolling || this.#send) return;
    for (const member of this.#living) {
      member.stopPolling();
      member.startPolling();
    }
  }

  close(): void {
    this.#closing.abort();
    this.#waking.abort();
    this.#hangUp();
  }

  async #run(): Promise<void> {
    while (!this.#closing.signal.aborted) {
      const begun = Date.now();
      const ending = await this.#connect();
      this.#clear();
      if (this.#closing.signal.aborted) return;
      if (ending === "unauthorized") {
        this.#link.fail(
          new FairleadError(401, '{"error":"Unauthorized","message":"The credential has ended"}'),
        );
        return;
      }
      if (ending === "impossible") {
        this.#poll();
        return;
      }
      if (ending === "dropped") this.#pauses.startOverAfter(Date.now() - begun);
      if (ending === "refused") await this.#inquire();
      this.#link.changed();
      const rests = this.#living.map(({ restsUntil }) => restsUntil - Date.now());
      const pause = Math.max(this.#pauses.next(), ...rests);
      this.#waking = new AbortController();
      if (!this.#closing.signal.aborted) await sleep(pause, this.#waking.signal);
    }
  }

  /** Forgets what a closed socket carried. */
  #clear(): void {
    this.#asked.clear();
    this.#carried.clear();
    for (const member of this.#members) if (member.isOver) this.#members.delete(member);
  }

  /** A socket doesn't tell why it was refused: a request does, and brings what there is to hear. */
  async #inquire(): Promise<void> {
    if (!this.#isPolling) {
      const reads = this.#living.map((member) => member.read(0, this.#closing.signal));
      if ((await Promise.all(reads)).some(({ isReached }) => isReached)) this.#refusals++;
    }
    if (this.#isPolling || this.#refusals >= ENOUGH) this.#poll();
  }

  #poll(): void {
    if (this.#closing.signal.aborted) return;
    this.#isPolling = true;
    for (const member of this.#living) member.startPolling();
    this.#link.changed();
  }

  /** Opens a socket, and resolves when it has ended. */
  #connect(): Promise<Ending> {
    return new Promise((resolve) => {
      const socket = openSocket(this.#WebSocket, this.#link);
      if (!socket) {
        resolve("impossible");
        return;
      }
      let wasLive = false;
      let silence = 0;
      const end = (ending: Ending) => {
        clearTimeout(opening);
        clearInterval(watch);
        this.#send = null;
        this.#hangUp = () => {};
        discard(socket);
        resolve(ending);
      };
      const lost = () => end(wasLive ? "dropped" : "refused");
      let opening = setTimeout(lost, OPENING);
      // A line that is dead looks like one on which nothing happens.
      const watch = setInterval(() => {
        if (!this.#send) return;
        silence++;
        if (silence === 2) this.#send({ type: "ping" });
        else if (silence > 2) lost();
      }, this.#idle);
      this.#hangUp = lost;
      socket.onopen = () => {
        this.#send = (message) => socket.send(JSON.stringify(message));
        for (const member of this.#living) this.#ask(member);
      };
      socket.onmessage = ({ data }: { data: unknown }) => {
        silence = 0;
        const message = read(data);
        if (message && message.type !== "error") this.#take(message);
        else if (!message || !this.#refuse(message)) end("refused");
        if (wasLive || !this.#send) return;
        clearTimeout(opening);
        if ([...this.#asked].every((member) => this.#carried.has(member) || member.isOver)) {
          wasLive = true;
          this.#refusals = 0;
          this.#isPolling = false;
        } else opening = setTimeout(lost, OPENING);
      };
      // Some runtimes tell of a refused handshake by an error alone.
      socket.onerror = lost;
      socket.onclose = ({ code }: { code: number }) =>
        code === CREDENTIAL_ENDED ? end("unauthorized") : lost();
    });
  }

  #ask(subscription: Subscription): void {
    const { channel, cursor } = subscription;
    subscription.stopPolling();
    this.#asked.add(subscription);
    this.#send?.({ type: "subscribe", channel, ...(isNumbered(channel) && { since: cursor }) });
  }

  #take(message: Exclude<Frame, Schemas["SocketError"]>): void {
    const { type } = message;
    if (type === "pong") return;
    if (type === "message" || type === "reset") {
      const member = [...this.#asked].find(({ channel }) => channel === message.channel);
      if (!member) return;
      if (type === "reset") member.reset(message.cursor, message.reason);
      else if (message.cursor !== undefined || !(member.isOver || isNumbered(member.channel)))
        this.#carry(member, message.cursor);
      else if (member.isOver) this.#forget(member);
      return;
    }
    // Types that are newer than this client are nobody's.
    const takers = [...this.#carried].filter(({ channel }) => (typesOf(channel) as string[]).includes(type));
    const change = message as Change;
    // A position may have lost its device since: one alone takes all that comes.
    const taker = takers.length > 1 ? takers.find(({ channel }) => isAbout(channel, change)) : takers[0];
    taker?.offer(change);
    if (change.cursor === undefined) this.#link.hear(message as Message, this);
  }

  #carry(member: Subscription, cursor: string | undefined): void {
    this.#carried.add(member);
    if (cursor !== undefined) member.start(cursor);
    this.#link.changed();
  }

  /** Lets go of a subscription that the open socket carries no more. */
  #forget(member: Subscription): void {
    this.#asked.delete(member);
    this.#carried.delete(member);
    this.#members.delete(member);
  }

  /** Ends the subscription that an error of the server names. Returns false if it names none. */
  #refuse({ message }: Schemas["SocketError"]): boolean {
    const words = message.split(" ");
    const member = [...this.#asked].find(({ channel }) => words.includes(channel));
    if (!member) return false;
    if (words[0] === "Too") {
      // The socket has no room for it.
      this.#asked.delete(member);
      member.startPolling();
      return true;
    }
    this.#forget(member);
    const [status, error] = words[0] === "Access" ? [403, "Forbidden"] : [400, "BadRequest"];
    member.end(new FairleadError(status as number, JSON.stringify({ error, message })));
    return true;
  }
}

/** The message in a frame; null for what is none. */
function read(data: unknown): Frame | null {
  try {
    return JSON.parse(String(data));
  } catch {
    return null;
  }
}

/** Lets go of a socket, without waiting for the other side. */
function discard(socket: SocketLike): void {
  socket.onopen = socket.onmessage = socket.onclose = null;
  // A socket that is closed before it opened tells of an error, which some runtimes throw if nobody listens.
  socket.onerror = () => {};
  try {
    socket.close();
  } catch {}
}
