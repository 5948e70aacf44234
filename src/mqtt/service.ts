import { freshenBrokerTargets } from "../alerts/deliveries/sender";
import { config } from "../configuration/config";
import { endReader } from "../feed/readers";
import { transact } from "../kernel/db/transactions";
import { logFailure } from "../kernel/errors/trouble";
import { jittered } from "../kernel/feeds/connection";
import { log } from "../kernel/logs/log";
import { SECOND } from "../kernel/time/clock";
import { Announcer, installationOf } from "./announcements";
import { keepBroker } from "./broker/connection";
import type { Incoming, Session, Subscription } from "./broker/session";
import { type BrokerSettings, brokerSettings } from "./broker/settings";
import { counts, noteTrouble, setWaiting } from "./broker/state";
import { statusTopic } from "./broker/topics";
import { Lost, REFUSED, Refused, refusing } from "./broker/trouble";
import { DeviceBoard } from "./devices";
import { BIRTH, BIRTH_TOPIC } from "./home-assistant/discovery";
import { isOfOwnTracks, OWNTRACKS_FILTER, takeOwnTracks } from "./owntracks/take";
import { Publisher, READER } from "./publisher";
import { Sweep } from "./sweep";
import { Pauses } from "./waits";

/** The MQTT broker of the configuration: what is published there, and what is taken from there. */

/** Longest wait after the birth of Home Assistant, so that not everybody speaks to it at the same moment. */
const BIRTH_PAUSE = 2 * SECOND;

/** Wishes that a broker may refuse without holding anything else up, in words. */
/** Longest time for the last messages at a stop. */
const LAST_WORDS = SECOND;

/** Forgets the place of a broker that is configured no more, in the current transaction: nothing is kept for it. */
export function endUnusedReader(): void {
  if (config["mqtt.url"] === null) endReader(READER);
}

/** Connects to the configured broker, if there is one, and returns the stop. */
export async function startMqtt(): Promise<() => Promise<void>> {
  const settings = brokerSettings();
  if (settings === null) {
    await transact(endUnusedReader);
    return async () => {};
  }
  const exchange = new Exchange(settings);
  await exchange.begin();
  return exchange.start();
}

/** All that goes on between this program and the broker. */
class Exchange {
  readonly #settings: BrokerSettings;
  readonly #publisher: Publisher;
  readonly #announcer: Announcer;
  readonly #sweep: Sweep;
  #run: AbortController | null = null;
  #session: Session | null = null;
  #birthTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(settings: BrokerSettings) {
    this.#settings = settings;
    const { prefix } = settings;
    const isPublished = (kind: string) => config["mqtt.publish"].includes(kind);
    const kinds = {
      positions: isPublished("positions"),
      zones: isPublished("zones"),
      alerts: isPublished("alerts"),
      trips: isPublished("trips"),
    };
    const board = new DeviceBoard(prefix);
    const installation = installationOf(settings);
    this.#announcer = new Announcer({ installation, board, isOn: config["mqtt.home_assistant"], kinds });
    this.#publisher = new Publisher({
      ...{ prefix, kinds, board },
      allPositions: config["mqtt.backlog"] === "all",
      announce: this.#announcer.changed,
    });
    this.#sweep = new Sweep({
      ...{ prefix, installation, board },
      announcer: this.#announcer,
      publishesPositions: kinds.positions,
    });
  }

  begin(): Promise<void> {
    return transact(() => this.#publisher.begin());
  }

  start(): () => Promise<void> {
    setWaiting(() => this.#publisher.waiting);
    const link = keepBroker(this.#settings, {
      connected: (session) => this.#connected(session),
      disconnected: () => this.#disconnected(),
      take: (message) => this.#take(message),
    });
    return async () => {
      await Promise.race([this.#sayGoodbye(), Bun.sleep(LAST_WORDS)]);
      await link.stop();
      await this.#publisher.stop();
    };
  }

  #connected(session: Session): void {
    const run = new AbortController();
    this.#run = run;
    this.#session = session;
    freshenBrokerTargets();
    this.#goOn(session, run.signal).catch((error) => {
      if (!(error instanceof Lost)) logFailure("the exchange with the MQTT broker failed", error);
    });
  }

  async #goOn(session: Session, signal: AbortSignal): Promise<void> {
    await Promise.all([
      this.#publisher.run(session, signal),
      this.#persist("subscription", signal, () => session.subscribe(this.#subscriptions())),
      this.#announce(session, signal).then(() => this.#sweep.begin(session)),
    ]);
  }

  #disconnected(): void {
    clearTimeout(this.#birthTimer);
    this.#run?.abort();
    this.#run = null;
    this.#session = null;
    this.#sweep.interrupt();
  }

  #subscriptions(): Subscription[] {
    return [
      ...(config["mqtt.owntracks"] ? [{ topic: OWNTRACKS_FILTER, isQuiet: true }] : []),
      ...(config["mqtt.home_assistant"] ? [{ topic: BIRTH_TOPIC, isQuiet: true }] : []),
    ];
  }

  /**
   * Asks the broker for something without which the rest goes on, again and again until it grants that or the connection ends. A
   * refusal shows in health. Rejects with Lost.
   */
  async #persist(what: keyof typeof REFUSED, signal: AbortSignal, ask: () => Promise<void>): Promise<void> {
    const pauses = new Pauses();
    for (let attempt = 0; !signal.aborted; attempt++) {
      try {
        await ask();
        noteTrouble(what, null);
        return;
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
        if (attempt === 0) log.warn(`the MQTT broker refuses ${REFUSED[what].en}`, { why: error.message });
        noteTrouble(what, refusing(what, error));
      }
      await pauses.next(signal);
    }
  }

  /** Announces everything to Home Assistant. */
  #announce(session: Session, signal: AbortSignal): Promise<void> {
    return this.#persist("discovery", signal, async () => {
      for await (const messages of this.#announcer.all())
        await Promise.all(
          messages.map(({ topic, payload, isRetained }) => session.publish(topic, payload, isRetained)),
        );
    });
  }

  async #take(message: Incoming): Promise<void> {
    const { topic, payload, isRetained } = message;
    if (config["mqtt.owntracks"] && isOfOwnTracks(topic)) return takeOwnTracks(message);
    if (this.#sweep.take(message)) return;
    if (topic !== BIRTH_TOPIC) return counts.received.of("not_asked_for").add();
    // One that the broker has kept tells of a birth before this connection.
    if (!isRetained && payload.toString() === BIRTH) this.#welcome();
  }

  #welcome(): void {
    clearTimeout(this.#birthTimer);
    this.#birthTimer = setTimeout(() => {
      if (this.#session && this.#run)
        this.#announce(this.#session, this.#run.signal).catch((error) => {
          if (!(error instanceof Lost)) logFailure("nothing could be announced to Home Assistant", error);
        });
    }, jittered(BIRTH_PAUSE));
  }

  async #sayGoodbye(): Promise<void> {
    this.#run?.abort();
    const said = this.#session?.publish(statusTopic(this.#settings.prefix), "offline", true);
    // A connection that breaks now says it by the will.
    await said?.catch((error) =>
      log.debug("the MQTT broker was not told of the stop", { why: error.message }),
    );
  }
}
