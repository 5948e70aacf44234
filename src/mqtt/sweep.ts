import { isUuid } from "../kernel/http/schema";
import { SECOND } from "../kernel/time/clock";
import type { Announcer } from "./announcements";
import type { Incoming, Session } from "./broker/session";
import { positionTopic, stateTopic, topicObjection } from "./broker/topics";
import { Lost, Refused } from "./broker/trouble";
import { cleared, type DeviceBoard } from "./devices";
import { deviceOfTopic, discoveryFilter, type Installation } from "./home-assistant/discovery";

/**
 * Clears what the broker still keeps of former times: devices that a restored database does not know, and what the configuration
 * publishes no more. The broker is asked for what it keeps below this installation's topics, once after each start.
 */

/** Time in which the broker sends what it keeps. */
const DURATION = 10 * SECOND;

export interface SweepOptions {
  prefix: string;
  installation: Installation;
  board: DeviceBoard;
  announcer: Announcer;
  publishesPositions: boolean;
}

export class Sweep {
  readonly #options: SweepOptions;
  readonly #filters: string[];
  #session: Session | null = null;
  #isDone = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: SweepOptions) {
    this.#options = options;
    const { prefix, installation } = options;
    this.#filters = [positionTopic(prefix, "+"), stateTopic(prefix, "+"), discoveryFilter(installation)];
  }

  /** Asks the broker, unless that was done since the start. A broker that refuses keeps what it has. */
  async begin(session: Session): Promise<void> {
    if (this.#isDone) return;
    this.#session = session;
    try {
      await session.subscribe(this.#filters.map((topic) => ({ topic })));
    } catch (error) {
      if (!(error instanceof Refused)) return;
    }
    this.#timer = setTimeout(() => this.#end(), DURATION);
  }

  /** The connection is gone: the next one begins anew. */
  interrupt(): void {
    clearTimeout(this.#timer);
    this.#session = null;
  }

  /** Takes a message; false for one that isn't meant for the sweep. */
  take({ topic, payload, isRetained }: Incoming): boolean {
    if (this.#session === null || !this.#isOwn(topic)) return false;
    if (isRetained && payload.length > 0 && !this.#isKnown(topic)) this.#clear(topic);
    return true;
  }

  /** The device of a topic of positions or states; null for another topic, such as one that somebody else retains below. */
  #deviceOf(topic: string): string | null {
    const { prefix } = this.#options;
    const id = topic.split("/").at(-2) ?? "";
    return isUuid(id) && [positionTopic(prefix, id), stateTopic(prefix, id)].includes(topic) ? id : null;
  }

  #isOwn(topic: string): boolean {
    const node = discoveryFilter(this.#options.installation).split("/")[2];
    return this.#deviceOf(topic) !== null || (topic.split("/")[2] === node && topicObjection(topic) === null);
  }

  #isKnown(topic: string): boolean {
    const { board, announcer, publishesPositions } = this.#options;
    const deviceId = this.#deviceOf(topic);
    if (deviceId !== null) return publishesPositions && board.shows(deviceId);
    return announcer.knows(topic, deviceOfTopic(topic));
  }

  #clear(topic: string): void {
    this.#session?.publish(topic, cleared(topic).payload, true).catch(ignoreEnd);
  }

  #end(): void {
    this.#isDone = true;
    const session = this.#session;
    this.#session = null;
    session?.unsubscribe(this.#filters).catch(ignoreEnd);
  }
}

/** Ignores a refusal, after which the topic stays as it is, and the end of the connection, which is made anew. */
function ignoreEnd(error: unknown): void {
  if (!(error instanceof Lost || error instanceof Refused)) throw error;
}
