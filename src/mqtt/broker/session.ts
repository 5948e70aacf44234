import type { IPublishPacket, MqttClient } from "mqtt";
import { DAY, SECOND } from "../../kernel/time/clock";
import { alike, type Bilingual, BilingualError } from "../../kernel/values/bilingual";
import { LARGEST_PACKET } from "./frames";
import type { BrokerSettings } from "./settings";
import { openStream } from "./streams";
import { statusTopic } from "./topics";
import { Lost, Refused, wordsOf } from "./trouble";

/** One connection to a broker, from the handshake to its end (MQTT 5 and MQTT 3.1.1, OASIS Standards). */

/** The level of the protocol: 5, or 4 for MQTT 3.1.1. */
export type Version = 5 | 4;

/** Messages under way to the broker. */
const MOST_UNDER_WAY = 200;

/** Messages that the broker may have under way to this client (MQTT 5, section 3.1.2.11.3). */
const RECEIVE_MAXIMUM = 100;

/** Seconds between two signs of life (section 3.1.2.10). */
const KEEP_ALIVE = 30;

/** Time after which a broker that acknowledges nothing of what is under way counts as hung. */
const ACKNOWLEDGE_TIMEOUT = 30 * SECOND;

/** Time for which a broker keeps what comes while this client is away (section 3.1.2.11.2). */
const KEPT_FOR = (30 * DAY) / SECOND;

/** A message from the broker. */
export interface Incoming {
  topic: string;
  payload: Buffer;
  /** True if the broker has kept it, and sent it because of a subscription. */
  isRetained: boolean;
}

export interface SessionHandlers {
  /** Takes a message; it is acknowledged when this resolves, and the connection ends when it rejects. */
  take: (message: Incoming) => Promise<void>;
  /** A message was too large: its payload was left out. */
  cut: () => void;
  /** The broker sent something. */
  heard: () => void;
  /** The connection is gone. Called once, and not before the handshake is done. */
  lost: (why: Bilingual) => void;
}

export interface Subscription {
  topic: string;
  /** True for what the broker has kept to be sent only if the subscription is new; MQTT 3.1.1 sends it each time. */
  isQuiet?: boolean;
}

export class Session {
  readonly version: Version;
  readonly #client: MqttClient;
  readonly #handlers: SessionHandlers;
  readonly #mostUnderWay: number;
  readonly #mayRetain: boolean;
  readonly #largest: number;
  /** Rejections of the messages under way. */
  readonly #underWay = new Set<(error: Error) => void>();
  /** Rejections of subscriptions and their ends, which don't count towards what the broker takes at a time (section 4.9). */
  readonly #asking = new Set<(error: Error) => void>();
  /** Places for messages under way that are taken, some by messages that are about to leave. */
  #taken = 0;
  /** Messages that wait for the place of one under way, in order. */
  #line: { go: () => void; refuse: (error: Error) => void }[] = [];
  #progressAt = performance.now();
  #watch: ReturnType<typeof setInterval>;
  #why: Bilingual | null = null;

  /**
   * Connects by one version of the protocol. Rejects with Lost, or with Refused for an answer that refuses; `signal` gives up.
   */
  static async connect(
    settings: BrokerSettings,
    version: Version,
    handlers: SessionHandlers,
    signal: AbortSignal,
  ): Promise<Session> {
    // Loaded by those alone who use a broker: it takes some megabytes of memory.
    const { MqttClient } = await import("mqtt");
    const stream = await openStream(settings.url, version, handlers.cut);
    if (signal.aborted) {
      stream.destroy();
      throw new Lost(alike("it was given up"));
    }
    let error: unknown = null;
    stream.on("error", (failure) => {
      error ??= failure;
    });
    const client = new MqttClient(() => stream, optionsOf(settings, version));
    client.on("error", (failure) => {
      error ??= failure;
      stream.destroy();
    });
    signal.addEventListener("abort", () => client.end(true), { once: true });
    return new Promise((resolve, reject) => {
      const onClose = () => reject(failureOf(error));
      client.once("close", onClose);
      client.once("connect", () => {
        client.removeListener("close", onClose);
        const session = new Session(client, version, handlers);
        client.on("close", () => session.#end(error === null ? null : wordsOf(error)));
        resolve(session);
      });
    });
  }

  private constructor(client: MqttClient, version: Version, handlers: SessionHandlers) {
    this.#client = client;
    this.#handlers = handlers;
    this.version = version;
    // Of MQTT 5 alone (section 3.2.2.3).
    const { receiveMaximum, retainAvailable, maximumPacketSize } = client.serverProperties ?? {};
    this.#mostUnderWay = Math.min(MOST_UNDER_WAY, receiveMaximum ?? MOST_UNDER_WAY);
    this.#mayRetain = retainAvailable !== false;
    this.#largest = maximumPacketSize ?? Number.POSITIVE_INFINITY;
    client.handleMessage = (packet, done) => this.#take(packet, done);
    client.on("packetreceive", () => handlers.heard());
    client.on("disconnect", ({ reasonCode }) => {
      if (reasonCode) this.#why ??= new Refused(reasonCode).words;
    });
    this.#watch = setInterval(() => this.#lookForProgress(), ACKNOWLEDGE_TIMEOUT / 6);
  }

  /**
   * Publishes a message, at least once: resolves when the broker has acknowledged it. Rejects with Refused or Lost. Messages
   * leave in the order of the calls.
   */
  async publish(topic: string, payload: string, isRetained = false): Promise<void> {
    // Some bytes of header and identifier beside the two.
    if (Buffer.byteLength(payload) + Buffer.byteLength(topic) + 16 > this.#largest) throw new Refused(149);
    if (this.#taken < this.#mostUnderWay) this.#taken++;
    else await new Promise<void>((go, refuse) => this.#line.push({ go, refuse }));
    if (this.#isOver) throw new Lost(this.#why ?? LOST);
    const retain = isRetained && this.#mayRetain;
    await new Promise<void>((resolve, reject) => {
      if (this.#isIdle) this.#progressAt = performance.now();
      this.#underWay.add(reject);
      this.#client.publish(topic, payload, { qos: 1, retain }, (error) => {
        this.#underWay.delete(reject);
        this.#progressAt = performance.now();
        if (error) reject(refusalOf(error));
        else resolve();
        const next = this.#line.shift();
        if (next) next.go();
        else this.#taken--;
      });
    });
  }

  /** Subscribes to all, so that what comes is acknowledged. Rejects with Lost, and with Refused if any was refused. */
  async subscribe(subscriptions: readonly Subscription[]): Promise<void> {
    const asked = subscriptions.map(({ topic, isQuiet }) =>
      this.#asked((done) =>
        this.#client.subscribe(topic, { qos: 1, nl: true, rh: isQuiet ? 1 : 0 }, (error) => done(error)),
      ),
    );
    await Promise.allSettled(asked);
    await Promise.all(asked);
  }

  async unsubscribe(topics: readonly string[]): Promise<void> {
    for (const topic of topics) await this.#asked((done) => this.#client.unsubscribe(topic, done));
  }

  #asked(ask: (done: (error?: Error | null) => void) => void): Promise<void> {
    if (this.#isOver) return Promise.reject(new Lost(this.#why ?? LOST));
    return new Promise((resolve, reject) => {
      if (this.#isIdle) this.#progressAt = performance.now();
      this.#asking.add(reject);
      ask((error) => {
        this.#asking.delete(reject);
        this.#progressAt = performance.now();
        if (error) reject(refusalOf(error));
        else resolve();
      });
    });
  }

  /** Ends the connection at once, as lost for a reason. */
  fail(why: Bilingual): void {
    this.#why ??= why;
    this.#client.stream.destroy();
  }

  /** Ends the connection with the broker's knowledge, so that it does not publish the will. */
  close(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#isOver) return resolve();
      this.#client.once("close", () => resolve());
      this.#client.end();
    });
  }

  /** Ends the connection without a word. */
  destroy(): void {
    this.#client.stream.destroy();
  }

  #isOver = false;

  #end(why: Bilingual | null): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearInterval(this.#watch);
    this.#why ??= why ?? LOST;
    const error = new Lost(this.#why);
    for (const reject of [...this.#underWay, ...this.#asking]) reject(error);
    for (const { refuse } of this.#line) refuse(error);
    this.#underWay.clear();
    this.#asking.clear();
    this.#line = [];
    this.#handlers.lost(this.#why);
  }

  #take({ topic, payload, retain }: IPublishPacket, done: (error?: Error) => void): void {
    const message = { topic, payload: Buffer.from(payload), isRetained: retain };
    this.#handlers.take(message).then(
      () => done(),
      (error: Error) => this.fail(error instanceof BilingualError ? error.words : alike(error.message)),
    );
  }

  /** True while the broker owes no answer. */
  get #isIdle(): boolean {
    return this.#underWay.size === 0 && this.#asking.size === 0;
  }

  #lookForProgress(): void {
    if (this.#isIdle) return;
    if (performance.now() - this.#progressAt > ACKNOWLEDGE_TIMEOUT)
      this.fail({ en: "it acknowledges nothing", de: "er bestätigt nichts" });
  }
}

/** Codes of a connection that the other side has ended. */
const CUT = ["ECONNRESET", "EPIPE", "ERR_SOCKET_CLOSED"];

const LOST = { en: "it closed the connection", de: "er hat die Verbindung geschlossen" };
/** As a broker does that knows an older version alone, and whatever is there that is no broker. */
const UNANSWERED = {
  en: "it closes the connection without an answer; do the scheme and the port of mqtt.url fit?",
  de: "er schließt die Verbindung ohne Antwort; passen Schema und Port von mqtt.url?",
};

/** The error of a handshake that failed. */
function failureOf(error: unknown): Error {
  const { code } = (error ?? {}) as { code?: unknown };
  if (typeof code === "number") return new Refused(code);
  if (error === null || CUT.includes(String(code))) return new Lost(UNANSWERED, true);
  return new Lost(wordsOf(error), code === undefined);
}

/** The reason from which on an answer refuses (MQTT 5, section 2.4). */
const REFUSES = 128;

/** The error of a request that was answered with a reason, or was not answered. */
function refusalOf(error: Error): Error {
  const { code, packet } = error as { code?: unknown; packet?: { granted?: unknown } };
  if (typeof code === "number") return new Refused(code);
  // The error of a subscription has its reasons in the answer.
  const granted = Array.isArray(packet?.granted) ? packet.granted : [];
  const reason = granted.find((each) => typeof each === "number" && each >= REFUSES);
  return reason === undefined ? new Lost(wordsOf(error)) : new Refused(reason);
}

const optionsOf = (settings: BrokerSettings, version: Version) => ({
  protocolVersion: version,
  clientId: settings.clientId,
  ...(settings.username !== null && { username: settings.username }),
  ...(settings.password !== null && { password: settings.password }),
  clean: !settings.isKept,
  keepalive: KEEP_ALIVE,
  // Connections are kept up by connection.ts, and what was not acknowledged is sent again from the feed.
  reconnectPeriod: 0,
  resubscribe: false,
  queueQoSZero: false,
  will: {
    topic: statusTopic(settings.prefix),
    payload: Buffer.from("offline"),
    qos: 1 as const,
    retain: true,
  },
  ...(version === 5 && {
    properties: {
      ...(settings.isKept && { sessionExpiryInterval: KEPT_FOR }),
      receiveMaximum: RECEIVE_MAXIMUM,
      maximumPacketSize: LARGEST_PACKET,
    },
  }),
});
