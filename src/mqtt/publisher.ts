import { type Change, changesAfter, newestNumber, oldestStart, watchChanges } from "../feed/journal";
import { acknowledge, beginReader } from "../feed/readers";
import { shareReadTransaction } from "../kernel/db/reads";
import { transact } from "../kernel/db/transactions";
import { logFailure } from "../kernel/errors/trouble";
import { log } from "../kernel/logs/log";
import { SECOND } from "../kernel/time/clock";
import type { Session } from "./broker/session";
import { counts, noteTrouble } from "./broker/state";
import { statusTopic } from "./broker/topics";
import { Lost, Refused, refusing } from "./broker/trouble";
import type { DeviceBoard } from "./devices";
import { alertMessages, type Message, tripMessages, zoneMessages } from "./messages";
import { Pauses, Wakeup } from "./waits";
import { Window } from "./window";

/**
 * Publishes what the feed of changes tells, at least once: its place in the feed moves on when the broker has acknowledged.
 * After an outage the broker gets the newest position of each device first, then in order what it has missed.
 */

/** The name of the reader. */
export const READER = "mqtt";

/** Changes that are read at once, in some milliseconds. */
const STEP = 25;

/** Changes by which the broker may be behind while it counts as keeping up. */
const KEEPING_UP = 1_000;

/** Milliseconds between two writings of the place: a server that is killed publishes so much again. */
const SAVE_INTERVAL = 2 * SECOND;

/** Milliseconds between two looks at the ages of positions. */
const AGE_INTERVAL = SECOND;

export interface PublisherOptions {
  prefix: string;
  kinds: { positions: boolean; zones: boolean; alerts: boolean; trips: boolean };
  /** True for all positions of an outage to be published, false for the newest of each device. */
  allPositions: boolean;
  board: DeviceBoard;
  /** The messages by which a device that has changed, or is gone, is announced elsewhere, or withdrawn. */
  announce: (deviceId: string) => Message[];
}

/** Sends a message by the connection there is; resolves when it is acknowledged. */
type Send = (message: Message) => Promise<void>;

export class Publisher {
  readonly #options: PublisherOptions;
  /** Everything up to it is acknowledged. */
  #place = 0;
  #saved = 0;
  /** The change of which a message was refused last; `present` for one of the newest positions. */
  #refused: number | "present" | null = null;
  readonly #saving: ReturnType<typeof setInterval>;

  constructor(options: PublisherOptions) {
    this.#options = options;
    this.#saving = setInterval(() => this.save(), SAVE_INTERVAL);
  }

  /** Takes its place in the feed, in the current transaction: what comes from now on is kept for the broker. */
  begin(): void {
    const { number, how } = beginReader(READER);
    this.#place = number;
    this.#saved = number;
    if (how !== "expired") return;
    counts.resets.add();
    log.warn("the MQTT broker was away for so long that changes were forgotten; publishing begins anew", {
      setting: "sync.max_backlog_mb",
    });
  }

  /** Changes that the broker has not acknowledged. */
  get waiting(): number {
    return Math.max(0, newestNumber() - this.#place);
  }

  /** Writes its place. */
  async save(): Promise<void> {
    const place = this.#place;
    if (place === this.#saved) return;
    this.#saved = place;
    try {
      await transact(() => acknowledge(READER, place), "retryable");
    } catch (error) {
      this.#saved = -1;
      logFailure("the place in the feed of changes cannot be stored", error);
    }
  }

  async stop(): Promise<void> {
    clearInterval(this.#saving);
    await this.save();
  }

  /** Publishes by a connection until that ends. Never rejects. */
  async run(session: Session, signal: AbortSignal): Promise<void> {
    const pauses = new Pauses();
    while (!signal.aborted) {
      const from = this.#place;
      try {
        await this.#publish(this.#sender(session), signal);
      } catch (error) {
        if (error instanceof Lost) return;
        if (!(error instanceof Refused))
          logFailure("publishing to the MQTT broker failed; it is tried again", error);
      }
      if (this.#place > from) pauses.begin();
      await pauses.next(signal);
    }
  }

  #sender(session: Session): Send {
    return async ({ topic, payload, isRetained, isOptional }) => {
      try {
        await session.publish(topic, payload, isRetained);
        counts.acknowledged.add();
      } catch (error) {
        if (error instanceof Refused) counts.refused.add();
        if (!(error instanceof Refused && isOptional)) throw error;
        noteTrouble("discovery", refusing("discovery", error));
      }
    };
  }

  // --- Refusals --------------------------------------------------------------------------------------------

  #noteRefusal({ message, words }: Refused, what: number | "present"): void {
    if (this.#refused === null)
      log.warn("the MQTT broker refuses a message; publishing waits until it takes it", { why: message });
    noteTrouble("refusal", {
      en: `it refuses a message, and the rest waits: ${words.en}`,
      de: `er lehnt eine Nachricht ab, und die übrigen warten: ${words.de}`,
    });
    this.#refused = what;
  }

  #noteThrough(): void {
    if (this.#refused !== null) log.info("the MQTT broker takes the message that it had refused");
    this.#refused = null;
    noteTrouble("refusal", null);
  }

  #moveTo(place: number): void {
    this.#place = place;
    if (typeof this.#refused === "number" && place >= this.#refused) this.#noteThrough();
  }

  // --- The feed --------------------------------------------------------------------------------------------

  /** Publishes until the connection ends, a message is refused, or changes are gone. */
  async #publish(send: Send, signal: AbortSignal): Promise<void> {
    const { board } = this.#options;
    board.forget();
    if (this.#place < oldestStart()) await transact(() => this.begin(), "retryable");
    const wakeup = new Wakeup();
    const window = new Window(this.#place, () => {
      this.#moveTo(window.acknowledged);
      if (window.failedAt !== null) wakeup.wake();
    });
    const ages = setInterval(() => this.#tellAges(send), AGE_INTERVAL);
    const unwatch = watchChanges(wakeup.wake);
    signal.addEventListener("abort", wakeup.wake, { once: true });
    try {
      await this.#follow(send, window, wakeup, signal);
    } catch (error) {
      if (error instanceof Refused) this.#noteRefusal(error, window.failedAt ?? "present");
      throw error;
    } finally {
      signal.removeEventListener("abort", wakeup.wake);
      clearInterval(ages);
      unwatch();
    }
  }

  async #follow(send: Send, window: Window, wakeup: Wakeup, signal: AbortSignal): Promise<void> {
    const add = (number: number, messages: Message[]) =>
      window.add(
        number,
        messages.map((message) => () => send(message)),
      );
    let number = this.#place;
    let missed = await this.#bringToPresent(send);
    while (!signal.aborted && number >= oldestStart()) {
      const newest = newestNumber();
      if (newest - Math.max(number, missed) > KEEPING_UP) missed = await this.#bringToPresent(send);
      shareReadTransaction();
      const read = changesAfter(number, STEP);
      for (const change of read) {
        number = change.number;
        await add(number, this.#messagesOf(change, number <= missed));
      }
      if (number >= newest) await add(number, this.#options.board.settle(number));
      if (read.length > 0) await new Promise(setImmediate);
      else await wakeup.next();
      window.check();
    }
  }

  /** Publishes that the installation is there, and the newest position of each device. Returns the number of the change up to which they tell all. */
  async #bringToPresent(send: Send): Promise<number> {
    const { prefix, board, kinds } = this.#options;
    const number = newestNumber();
    const window = new Window(number, () => {});
    await send({ topic: statusTopic(prefix), payload: "online", isRetained: true });
    if (kinds.positions)
      for await (const messages of board.present(number))
        await window.add(
          number,
          messages.map((message) => () => send(message)),
        );
    await window.settled();
    if (this.#refused === "present") this.#noteThrough();
    return number;
  }

  /** Publishes the states that time has changed. One that does not arrive is told with the next look. */
  #tellAges(send: Send): void {
    const { board, kinds } = this.#options;
    if (!kinds.positions) return;
    for (const { deviceId, message } of board.aged()) send(message).catch(() => board.doubt(deviceId));
  }

  #messagesOf(change: Change, isMissed: boolean): Message[] {
    const { prefix, kinds, board, allPositions, announce } = this.#options;
    const { kind, record, device_id } = change;
    switch (kind) {
      case "gpsUpdate":
      case "position":
        if (!kinds.positions || record === null || device_id === null) return [];
        if (!isMissed) return board.moved(device_id, record, change.number, allPositions);
        return allPositions ? board.missed(device_id, record, change.number) : [];
      case "geofenceEvent":
      case "crossing":
        return kinds.zones ? zoneMessages(prefix, change) : [];
      case "alertRaised":
      case "alertUpdated":
      case "alertAcknowledged":
      case "alertCleared":
        return kinds.alerts ? alertMessages(prefix, change) : [];
      case "tripUpdate":
        return kinds.trips ? tripMessages(prefix, change) : [];
      case "deviceUpdate":
        return device_id === null ? [] : announce(device_id);
      case "gpsLate":
      case "geofenceCorrection":
      case "logEntry":
        return [];
    }
  }
}
