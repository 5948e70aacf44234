import { hearOwnFix } from "../../alerts/anchor/watch";
import { config } from "../../configuration/config";
import { AppError } from "../../kernel/errors/errors";
import { logFailure, mayLog } from "../../kernel/errors/trouble";
import { LINK_TIMING, type LinkTiming, SILENT, toldInLog } from "../../kernel/feeds/connection";
import { log } from "../../kernel/logs/log";
import { MINUTE, now, SECOND } from "../../kernel/time/clock";
import { alike, type Bilingual } from "../../kernel/values/bilingual";
import { zonesOf as zonesInside } from "../geofences/evaluate";
import { isRejected, type Reading, type Rejection } from "../ingest/fix";
import { recordOwnPosition, UNSTORABLE } from "../ingest/record";
import { meantTime } from "./fix-time";
import { makeOwnDevice, ownDevice } from "./own-device";
import { type Hearer, startSource } from "./sources";
import { counts, noteFix, noteTrouble, positionSource, setConnection } from "./state";
import { Thinner, type TimedFix } from "./thin";

/** The vessel's own receiver: its fixes are heard, thinned out and recorded. */

/**
 * A receiver tells something each second, even without a fix. Shorter silence may be a network that is busy.
 */
const RECEIVER_TIMING: LinkTiming = { ...LINK_TIMING, silence: MINUTE };

/** Starts to listen to the configured receiver, if there is one, and returns the stop. */
export function startReceiver(): () => void {
  const source = positionSource();
  const url = config["position.url"];
  if (source === null || url === null) return () => {};
  const receiver = new Receiver(source);
  const settings = {
    source,
    url,
    token: config["position.token"],
    allowFrom: config["position.allow_from"],
  };
  receiver.lookForDevice();
  const { isOpen, stop } = startSource(settings, receiver, RECEIVER_TIMING);
  setConnection(isOpen);
  return stop;
}

/** Positions that are stored at a time: a receiver that plays a whole log waits for the disk. */
const MOST_PENDING = 20;

/** Fixes that may wait for the device: making it takes one commit. */
const MOST_WAITING = 100;

class Receiver implements Hearer {
  readonly #source: "nmea" | "gpsd" | "signalk";
  readonly #thinner = new Thinner({
    moving: config["position.interval_seconds"],
    still: config["position.still_seconds"],
  });
  readonly #log;
  #openings = 0;
  #device: string | null = null;
  /** Fixes for a device that is being made. */
  #waiting: TimedFix[] = [];
  /** The positions that are being stored. */
  readonly #pending = new Set<Promise<void>>();
  /** The zones of the last fix that was stored. */
  #zones: string | null = null;
  /** Oddities that the log had a line about. */
  readonly #told = new Set<string>();

  constructor(source: "nmea" | "gpsd" | "signalk") {
    this.#source = source;
    this.#log = toldInLog("own positions", source);
  }

  // --- The connection --------------------------------------------------------------------------------------

  readonly tell = {
    speaks: () => {
      this.#log.speaks();
      noteTrouble("connection", null);
    },
    fails: (why: Bilingual) => {
      this.#log.fails(why);
      noteTrouble("connection", why);
      if (why === SILENT) counts.silences.add();
    },
  };

  readonly opened = (): void => {
    if (this.#openings++ > 0) counts.reconnects.add();
  };

  readonly broken = (count: number): void => counts.badChecksums.add(count);

  readonly refused = (sender: string): void => {
    counts.refused.add();
    this.#tellOnce("a datagram is left out, since position.allow_from does not list its sender", { sender });
  };

  readonly overrun = (): void => counts.overruns.add();

  readonly busy = (): Promise<unknown> | null =>
    this.#pending.size < MOST_PENDING ? null : Promise.race(this.#pending);

  // --- Fixes -----------------------------------------------------------------------------------------------

  readonly hear = (readings: Reading[]): void => {
    for (const reading of readings)
      try {
        this.#hearOne(reading);
      } catch (error) {
        // A database that can't be read: the next fix tries again.
        tellFailure(error);
      }
  };

  #hearOne(reading: Reading): void {
    if (isRejected(reading)) this.#reject(reading.rejected);
    else if (reading.time === null) {
      this.#tellOnce("the receiver tells no date (NMEA: RMC or ZDA), so its positions cannot be stored");
      this.#reject("no_time");
    } else {
      const time = meantTime(reading.time, now() / SECOND);
      if (time === null) this.#reject("implausible_time");
      else this.#take({ ...reading, time }, time !== reading.time);
    }
  }

  #reject(reason: Rejection): void {
    counts.rejected.of(reason).add();
    noteTrouble("fix", WITHOUT_FIX[reason] ?? alike(reason));
  }

  #take(fix: TimedFix, isMended: boolean): void {
    if (isMended) this.#tellOnce("the receiver's count of weeks rolled over; its times are mended");
    counts.fixes.add();
    noteFix();
    noteTrouble("fix", null);
    const device = this.lookForDevice();
    if (device !== null) this.#keep(device, fix);
    else if (config["position.device"] === null) this.#makeDevice(fix);
  }

  /** The device that is there; null for one that is still to be made, and for a configured one that is missing. */
  lookForDevice(): string | null {
    this.#device ??= ownDevice();
    const isMissing = this.#device === null && config["position.device"] !== null;
    noteTrouble("device", isMissing ? NO_DEVICE : null);
    if (isMissing)
      this.#tellOnce("position.device names no device, so the own receiver's positions are not stored");
    return this.#device;
  }

  /** Fixes that come while the device is made wait for it. */
  async #makeDevice(fix: TimedFix): Promise<void> {
    if (this.#waiting.length < MOST_WAITING) this.#waiting.push(fix);
    if (this.#waiting.length > 1) return;
    try {
      this.#device = await makeOwnDevice();
      for (const each of this.#waiting) this.#keep(this.#device, each);
    } catch (error) {
      tellFailure(error);
    }
    this.#waiting = [];
  }

  #keep(deviceId: string, fix: TimedFix): void {
    hearOwnFix(deviceId, fix);
    const zones = zonesOf(deviceId, fix);
    const isElsewhere = zones !== null && this.#zones !== null && zones !== this.#zones;
    if (!this.#thinner.keeps(fix, isElsewhere)) return;
    this.#zones = zones;
    const pending = this.#record(deviceId, fix).finally(() => this.#pending.delete(pending));
    this.#pending.add(pending);
  }

  async #record(deviceId: string, fix: TimedFix): Promise<void> {
    try {
      const { status } = await recordOwnPosition(this.#source, deviceId, fix);
      if (status === "stored") counts.stored.add();
      noteTrouble("store", null);
    } catch (error) {
      this.#thinner.forget();
      // The device was deleted: the next fix asks for it anew.
      if (error instanceof AppError && error.status === 404) this.#device = null;
      else tellFailure(error);
    }
  }

  #tellOnce(message: string, fields: Record<string, string> = {}): void {
    if (this.#told.has(message)) return;
    this.#told.add(message);
    log.warn(message, fields);
  }
}

/** The state of a receiver that tells no positions, for people. */
const WITHOUT_FIX: Partial<Record<Rejection, Bilingual>> = {
  no_fix: { en: "the receiver has no fix", de: "der Empfänger hat keine Position" },
  no_time: { en: "the receiver tells no date", de: "der Empfänger nennt kein Datum" },
  implausible_time: {
    en: "the receiver tells a date before 1990",
    de: "der Empfänger nennt ein Datum vor 1990",
  },
};

const NO_DEVICE = { en: "position.device names no device", de: "position.device nennt kein Gerät" };

function tellFailure(error: unknown): void {
  noteTrouble("store", UNSTORABLE);
  const message = "a position of the own receiver cannot be stored";
  if (mayLog(message)) logFailure(message, error);
}

/** The zones of a fix. A database that is down decides nothing: null. */
function zonesOf(deviceId: string, fix: TimedFix): string | null {
  try {
    return zonesInside(deviceId, fix);
  } catch {
    return null;
  }
}
