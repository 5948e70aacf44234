import { cursorOf } from "../feed/journal";
import { MINUTE, now } from "../kernel/time/clock";
import { devicesAfter } from "../tracking/devices/service";
import { findPoint, newestPositionOf } from "../tracking/gps/service";
import type { GpsPoint } from "../tracking/ingest/schema";
import { positionTopic, stateTopic } from "./broker/topics";
import type { Message } from "./messages";
import type { DeviceState, MqttPosition } from "./schema";

/** The devices as the broker keeps them: the newest position of each, and how old it is. */

/** Minutes up to which a position is fresh, and old; beyond it the device is silent. */
const FRESH = 5;
const OLD = 60;

/** The state of a device whose newest position is of a time (epoch milliseconds). */
export function stateAt(time: number, at: number): DeviceState {
  const minutes = (at - time) / MINUTE;
  if (minutes <= FRESH) return "fresh";
  return minutes <= OLD ? "old" : "silent";
}

/** A device as the broker was told of it last. */
interface Told {
  pointId: string;
  /** Epoch milliseconds of the position. */
  time: number;
  /** Null if it is not known to have arrived. */
  state: DeviceState | null;
}

/** Devices that are looked at in one turn of the event loop. */
const OF_TURN = 25;

export class DeviceBoard {
  readonly #prefix: string;
  readonly #told = new Map<string, Told>();
  /** Devices of which a position was told after a newer one. */
  readonly #behind = new Set<string>();

  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  /** Forgets what the broker was told: a broker may forget it too. */
  forget(): void {
    this.#told.clear();
    this.#behind.clear();
  }

  /** True if the broker is to keep something of a device. */
  shows(deviceId: string): boolean {
    return newestPositionOf(deviceId) !== null;
  }

  /**
   * The messages that bring the broker to the present, device by device: the newest position of each of which it knows another,
   * and its state.
   */
  async *present(number: number): AsyncGenerator<Message[]> {
    let last = "";
    for (;;) {
      const devices = devicesAfter(last, OF_TURN);
      for (const { id } of devices) yield this.#current(id, number, false);
      if (devices.length < OF_TURN) return;
      last = devices.at(-1)?.id ?? "";
      await new Promise(setImmediate);
    }
  }

  /** The messages of states that time has changed. */
  aged(): { deviceId: string; message: Message }[] {
    const at = now();
    return [...this.#told].flatMap(([deviceId, told]) => {
      const state = stateAt(told.time, at);
      if (state === told.state) return [];
      told.state = state;
      return [{ deviceId, message: this.#state(deviceId, state) }];
    });
  }

  /** Notes that the state of a device may not have arrived. */
  doubt(deviceId: string): void {
    const told = this.#told.get(deviceId);
    if (told) told.state = null;
  }

  /** The messages after which whoever has heard positions in another order has heard the newest one last. */
  settle(number: number): Message[] {
    const messages = [...this.#behind].flatMap((deviceId) => this.#current(deviceId, number, true));
    this.#behind.clear();
    return messages;
  }

  /**
   * The messages of a position that changed, as the broker is told of it while it keeps up: each that moved its device is kept in
   * turn, and of the others, with `all`, each is told.
   */
  moved(deviceId: string, pointId: string, number: number, all: boolean): Message[] {
    const point = findPoint(pointId);
    const told = this.#told.get(deviceId);
    if (!point || point.device_id !== deviceId)
      return told?.pointId === pointId ? this.#current(deviceId, number, true) : [];
    const current = newestPositionOf(deviceId);
    if (current?.id === pointId) return this.#keep(deviceId, point, number);
    if (told?.pointId === pointId) return this.#current(deviceId, number, true);
    const time = Date.parse(point.timestamp);
    const hasMoved = current !== null && time <= Date.parse(current.timestamp) && time > (told?.time ?? 0);
    if (hasMoved && !point.is_outlier) return this.#keep(deviceId, point, number);
    return all ? this.#past(deviceId, point, number) : [];
  }

  /** The message of a position that the broker has missed, unless it is the one that it keeps. */
  missed(deviceId: string, pointId: string, number: number): Message[] {
    if (this.#told.get(deviceId)?.pointId === pointId) return [];
    const point = findPoint(pointId);
    return point?.device_id === deviceId ? this.#past(deviceId, point, number) : [];
  }

  /** The messages that make the broker forget a device. */
  gone(deviceId: string): Message[] {
    this.#told.delete(deviceId);
    this.#behind.delete(deviceId);
    return [positionTopic, stateTopic].map((topic) => cleared(topic(this.#prefix, deviceId)));
  }

  /** The messages that bring a device to the present. `isChanged` says that the record of the position may have changed. */
  #current(deviceId: string, number: number, isChanged: boolean): Message[] {
    const point = newestPositionOf(deviceId);
    const told = this.#told.get(deviceId);
    if (!point) return told ? this.gone(deviceId) : [];
    return told?.pointId === point.id && !isChanged ? [] : this.#keep(deviceId, point, number);
  }

  #keep(deviceId: string, point: GpsPoint, number: number): Message[] {
    const time = Date.parse(point.timestamp);
    const state = stateAt(time, now());
    const before = this.#told.get(deviceId)?.state;
    this.#told.set(deviceId, { pointId: point.id, time, state });
    const position = this.#position(deviceId, point, number, true);
    return state === before ? [position] : [position, this.#state(deviceId, state)];
  }

  #past(deviceId: string, point: GpsPoint, number: number): Message[] {
    this.#behind.add(deviceId);
    return [this.#position(deviceId, point, number, false)];
  }

  #position(deviceId: string, point: GpsPoint, number: number, isRetained: boolean): Message {
    const payload: MqttPosition = { cursor: cursorOf(number), ...point };
    return { topic: positionTopic(this.#prefix, deviceId), payload: JSON.stringify(payload), isRetained };
  }

  #state(deviceId: string, state: DeviceState): Message {
    return { topic: stateTopic(this.#prefix, deviceId), payload: state, isRetained: true };
  }
}

/** The message that makes the broker forget what it keeps at a topic (MQTT 5, section 3.3.1.3). */
export const cleared = (topic: string): Message => ({ topic, payload: "", isRetained: true });
