import type { Heard, ListenOrder } from "./listen";
import type { Load, LoadOrder } from "./load";
import { Helper, processorSeconds, type Server } from "./processes";
import type { Rounds } from "./rounds";
import { CURRENT, type FanOut, type Scenario } from "./scenarios";

/** Milliseconds between the requests of a reader, which should notice the load without adding to it. */
const READER_PAUSE = 2;

/** One measurement of a server: what the load generator saw, and the processor time that the server took. */
export interface Measured extends Load {
  /** Messages that reached subscribers, to the last one of them; 0 without subscribers. */
  deliveriesPerSecond: number;
  /** Processor time of the server for a request, in microseconds; null with a reader, and where the system doesn't tell. */
  processorMicroseconds: number | null;
  /**
   * The figures of one connection that read a position now and then meanwhile; null without such a reader.
   */
  reader: Load | null;
}

/**
 * The fewest points at a pace: processor time is known in hundredths of a second, of which each point should
 * be a small part.
 */
const MIN_POINTS = 5;

/** The result of points that are posted at a pace. */
export interface Paced extends Heard {
  /** Processor time of the server for a point; null where the system doesn't tell. */
  processorMilliseconds: number | null;
}

/** The settings of a run. */
export interface Settings extends Rounds {
  connections: number;
  /** Length of a measurement. */
  seconds: number;
}

/** Differences from the run's settings for one scenario. */
interface Manner {
  seconds?: number;
  /** WebSocket subscribers of the server, who get each point. */
  subscribers?: number;
  /** True to have one connection read positions meanwhile. */
  withReader?: boolean;
}

/** The rounds of a scenario, and how each is measured. */
export interface Plan extends Rounds {
  manner: Required<Manner>;
}

/**
 * A slow scenario gets a quarter of the rounds, each four times as long: with few requests in a round, chance
 * would decide.
 */
const SLOW_SHARE = 4;

/** The clients of the servers, each kind a process of its own. */
export class Clients {
  readonly settings: Settings;
  readonly #load = new Helper<LoadOrder, Load>("load.ts");
  readonly #reader = new Helper<LoadOrder, Load>("load.ts");
  readonly #listeners = new Helper<ListenOrder, Heard>("listen.ts");

  constructor(settings: Settings) {
    this.settings = settings;
  }

  /** The rounds of this scenario. */
  plan({ isSlow, subscribers = 0, readerWithin }: Scenario): Plan {
    const { rounds, seconds, warmUpRounds } = this.settings;
    const manner = { subscribers, withReader: readerWithin !== undefined };
    if (!isSlow) return { rounds, warmUpRounds, manner: { ...manner, seconds } };
    const fewer = Math.ceil(rounds / SLOW_SHARE);
    return { rounds: fewer, warmUpRounds: 1, manner: { ...manner, seconds: SLOW_SHARE * seconds } };
  }

  /** Makes a scenario's requests for a while. */
  async measure(scenario: Scenario, server: Server, manner: Manner = {}): Promise<Measured> {
    const { seconds = this.settings.seconds, subscribers = 0, withReader = false } = manner;
    const { port, fixture } = server;
    const connections = scenario.connections ?? this.settings.connections;
    const before = processorSeconds(server.pid);
    const [load, reader] = await Promise.all([
      this.#load.ask({ scenario: scenario.name, fixture, port, connections, seconds, pause: 0 }),
      withReader
        ? this.#reader.ask({
            ...{ scenario: CURRENT.name, fixture, port, seconds },
            ...{ connections: 1, pause: READER_PAUSE },
          })
        : null,
    ]);
    let deliveriesPerSecond = 0;
    if (subscribers > 0) {
      const messages = load.sent * subscribers;
      const { lastAt } = await this.#listeners.ask({ do: "expect", port, messages });
      deliveriesPerSecond = (messages * 1_000) / (lastAt - load.startedAt);
    }
    const after = processorSeconds(server.pid);
    const isKnown = before !== null && after !== null && reader === null;
    const processorMicroseconds = isKnown ? ((after - before) * 1_000_000) / load.sent : null;
    return { ...load, deliveriesPerSecond, processorMicroseconds, reader };
  }

  /** Posts points at a pace; resolves with how long their messages took, and the server's part of that. */
  async pace({ perSecond }: FanOut, { port, fixture, pid }: Server): Promise<Paced> {
    const points = Math.max(MIN_POINTS, Math.ceil(perSecond * this.settings.seconds));
    const before = processorSeconds(pid);
    const heard = await this.#listeners.ask({ do: "pace", port, fixture, perSecond, points });
    const after = processorSeconds(pid);
    const isKnown = before !== null && after !== null;
    return { ...heard, processorMilliseconds: isKnown ? ((after - before) * 1_000) / points : null };
  }

  /** Opens `sockets` WebSocket subscribers of `gps`, from a cursor on if one is given. */
  async subscribe({ port, fixture }: Server, sockets: number, since?: string): Promise<void> {
    if (sockets === 0) return;
    const order = { port, key: fixture.key, sockets, channel: "gps" };
    await this.#listeners.ask({ do: "open", ...order, ...(since !== undefined && { since }) });
  }

  /** Waits until so many messages have come to the subscribers. */
  async hear({ port }: Server, messages: number, seconds: number): Promise<void> {
    await this.#listeners.ask({ do: "expect", port, messages, seconds });
  }

  async unsubscribe({ port }: Server, sockets: number): Promise<void> {
    if (sockets > 0) await this.#listeners.ask({ do: "close", port });
  }
}
