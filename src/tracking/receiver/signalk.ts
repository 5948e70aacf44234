import { BoundedMap } from "../../kernel/values/bounded-map";
import type { Fix, Reading } from "../ingest/fix";
import { OneOfSeveral } from "./one-of-several";
import { dilution, finite, isPlace, NOISE, type Reader, type Taken, understood } from "./reader";

/** Reads the stream of a Signal K server: deltas, in which each value comes by itself (Signal K 1.8, Delta Format). */

const POSITION = "navigation.position";
const SPEED = "navigation.speedOverGround";
const COURSE = "navigation.courseOverGroundTrue";
const QUALITY = "navigation.gnss.methodQuality";
const ALTITUDE = "navigation.gnss.antennaAltitude";
const HORIZONTAL = "navigation.gnss.horizontalDilution";
const POSITIONAL = "navigation.gnss.positionDilution";

/** Milliseconds. Half of a receiver's pace: at the whole of it, the server leaves out each that comes a bit early. */
const PERIOD = 500;

/** Asks for the values of the own vessel. */
export const SIGNALK_SUBSCRIPTION = JSON.stringify({
  context: "vessels.self",
  subscribe: [POSITION, SPEED, COURSE, "navigation.gnss.*"].map((path) => ({
    path,
    // The one policy beside "fixed" that the reference server has.
    policy: "instant",
    minPeriod: PERIOD,
  })),
});

/** The stream of a server. Values from before the connection would come with it, under their old times. */
export function signalkStream(url: string): string {
  const stream = new URL(url);
  if (stream.pathname === "/") stream.pathname = "/signalk/v1/stream";
  stream.searchParams.set("subscribe", "none");
  stream.searchParams.set("sendCachedValues", "false");
  return stream.href;
}

/** Words for a position that no receiver measured. */
const NO_FIX = ["no GPS", "Estimated (DR) mode", "Manual input", "Simulator mode", "Error"];

/** Seconds between a position and the speed or course that belongs to it. */
const BELONGS = 5;

/** Seconds for which slower values, such as the quality, belong to positions. */
const BELONGS_LONG = 60;

/** Sources of one value that are remembered. */
const MAX_SOURCES = 16;

interface Value {
  value: unknown;
  /** Unix seconds. */
  time: number | null;
}

interface Pending {
  source: string;
  time: number | null;
  place: { latitude: number; longitude: number; altitude: number | null };
}

export class SignalkReader implements Reader {
  readonly #sources = new OneOfSeveral();
  /** The newest values by path and source. */
  readonly #values = new Map<string, BoundedMap<string, Value>>();
  #self: string | null = null;
  #pending: Pending | null = null;

  take(text: string): Taken {
    const message = parsed(text);
    if (message === null) return NOISE;
    if (typeof message.self === "string") {
      this.#self = message.self;
      return understood();
    }
    if (!Array.isArray(message.updates)) return understood();
    if (!this.#isOwn(message.context)) return understood();
    return understood(message.updates.flatMap((update) => (isObject(update) ? this.#update(update) : [])));
  }

  flush(): Reading[] {
    const pending = this.#pending;
    this.#pending = null;
    return pending === null ? [] : [this.#fixOf(pending)];
  }

  /** Without a context, the own vessel is meant. */
  #isOwn(context: unknown): boolean {
    return (
      context === undefined || context === "vessels.self" || this.#self === null || context === this.#self
    );
  }

  #update(update: Json): Reading[] {
    if (!Array.isArray(update.values)) return [];
    const source = nameOf(update);
    const time = seconds(update.timestamp);
    return update.values.flatMap((entry) => {
      if (!isObject(entry) || typeof entry.path !== "string") return [];
      if (entry.path === POSITION) return this.#position(source, time, entry.value);
      if (!REMEMBERED.includes(entry.path)) return [];
      const values = this.#values.get(entry.path) ?? new BoundedMap<string, Value>(MAX_SOURCES);
      this.#values.set(entry.path, values);
      values.renew(source, { value: entry.value, time });
      return [];
    });
  }

  #position(source: string, time: number | null, value: unknown): Reading[] {
    const place = placeOf(value);
    if (place === null) return this.#sources.loses(source) ? [...this.flush(), { rejected: "no_fix" }] : [];
    if (!this.#sources.admits(source, time)) return [];
    const pending = this.#pending;
    const done = pending !== null && pending.source === source && pending.time === time ? [] : this.flush();
    this.#pending = { source, time, place };
    return done;
  }

  #fixOf({ source, time, place: { latitude, longitude, altitude } }: Pending): Reading {
    const of = (path: string, seconds: number) => this.#valueAt(path, source, time, seconds);
    const number = (path: string, seconds = BELONGS) => finite(of(path, seconds));
    if (NO_FIX.includes(String(of(QUALITY, BELONGS_LONG)))) return { rejected: "no_fix" };
    const speed = number(SPEED);
    const fix: Fix = {
      latitude,
      longitude,
      time,
      altitude: altitude ?? number(ALTITUDE, BELONGS_LONG),
      speed_mps: speed !== null && speed >= 0 ? speed : null,
      heading: toDegrees(number(COURSE)),
      hdop: dilution(of(HORIZONTAL, BELONGS_LONG)),
      pdop: dilution(of(POSITIONAL, BELONGS_LONG)),
    };
    return fix;
  }

  /** The value that belongs to a position: one of the same source rather than another's. */
  #valueAt(path: string, source: string, time: number | null, within: number): unknown {
    const values = this.#values.get(path);
    if (values === undefined || time === null) return null;
    const belongs = (known: Value | undefined) =>
      known !== undefined && known.time !== null && Math.abs(known.time - time) <= within;
    const own = values.get(source);
    const found = belongs(own) ? own : [...values.values()].findLast(belongs);
    return found?.value ?? null;
  }
}

const REMEMBERED = [SPEED, COURSE, QUALITY, ALTITUDE, HORIZONTAL, POSITIONAL];

type Json = Record<string, unknown>;

const isObject = (value: unknown): value is Json => typeof value === "object" && value !== null;

function parsed(text: string): Json | null {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

/** The name of an update's source: `$source`, or made of the long form. */
function nameOf({ $source, source }: Json): string {
  if (typeof $source === "string") return $source;
  if (!isObject(source)) return "";
  return [source.label, source.src ?? source.talker].filter((part) => part !== undefined).join(".");
}

function seconds(timestamp: unknown): number | null {
  const milliseconds = typeof timestamp === "string" ? Date.parse(timestamp) : Number.NaN;
  return Number.isNaN(milliseconds) ? null : milliseconds / 1_000;
}

/** A position; null where it is lost or no place on Earth. */
function placeOf(value: unknown): Pending["place"] | null {
  if (!isObject(value)) return null;
  const [latitude, longitude] = [finite(value.latitude), finite(value.longitude)];
  if (latitude === null || longitude === null || !isPlace(latitude, longitude)) return null;
  return { latitude, longitude, altitude: finite(value.altitude) };
}

/** Degrees from 0 to 360 of an angle in radians. */
function toDegrees(radians: number | null): number | null {
  if (radians === null) return null;
  const degrees = ((radians * 180) / Math.PI) % 360;
  return Math.round((degrees < 0 ? degrees + 360 : degrees) * 1e6) / 1e6;
}
