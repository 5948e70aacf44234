import { config } from "../../configuration/config";
import { publish, subscribe } from "../../kernel/db/events";
import { listeningServer } from "../../kernel/http/client";
import { describeError, log } from "../../kernel/logs/log";
import { now, SECOND } from "../../kernel/time/clock";
import { systemValue } from "../../runtime-settings/service";
import { newestPosition } from "../../tracking/gps/service";
import { startAisstream } from "./aisstream";
import { startNmea } from "./nmea";
import type { Report } from "./report";
import type { Source } from "./source";
import { type Vessel, VesselStore } from "./store";

declare module "../../kernel/db/events" {
  interface EventMap {
    /** The vessels near by, for all listeners. */
    "vessels.seen": { vessels: Vessel[] };
  }
}

/** The channel for vessels. */
const CHANNEL = "vessels";

/** Interval of the checks for a due broadcast, vessels that are gone, and a moved position. */
const TICK = SECOND / 4;

const store = new VesselStore();
let source: Source | null = null;
let lastHeardAt: number | null = null;
/** True while a new listener has been told nothing yet. */
let isAwaited = false;

function hear(report: Report): void {
  lastHeardAt = now();
  store.hear(report);
}

function connect(): Source | null {
  const url = config["vessels.url"] ?? "";
  switch (config["vessels.source"]) {
    case "nmea":
      return startNmea(url, hear);
    case "aisstream":
      return startAisstream({ url, apiKey: config["vessels.api_key"] ?? "" }, hear);
    default:
      return null;
  }
}

/**
 * Starts to listen to the configured source, if there is one, and returns the stop. It listens even without
 * subscribers: names and dimensions take minutes to arrive.
 */
export function startVessels(): () => void {
  source = connect();
  if (!source) return () => {};
  subscribe("channel.subscribed", ({ channel }) => {
    if (channel === CHANNEL) isAwaited = true;
  });
  const timer = setInterval(tick, TICK);
  return () => {
    clearInterval(timer);
    source?.stop();
  };
}

let isFailing = false;

function tick(): void {
  try {
    const here = newestPosition();
    const radiusKm = systemValue("vessels.radius_km");
    source?.look(here, radiusKm);
    store.dropUnheard();
    broadcast(here, radiusKm);
    isFailing = false;
  } catch (error) {
    if (!isFailing) log.error("vessels cannot be told", describeError(error));
    isFailing = true;
  }
}

// --- Broadcasting ------------------------------------------------------------------------------------------

/** Time and state of the last check for a broadcast. */
let lookedAt = Number.NEGATIVE_INFINITY;
let told = "";

/**
 * Broadcasts the vessels near by, at most every `vessels.broadcast_seconds`: to a new listener, and to all
 * after a possible change. When the last vessel has gone, that is an empty list, once.
 */
function broadcast(here: { id: string; latitude: number; longitude: number } | null, radiusKm: number): void {
  if (!listeningServer()?.subscriberCount(CHANNEL)) return;
  if (Math.abs(now() - lookedAt) < systemValue("vessels.broadcast_seconds") * SECOND) return;
  const state = `${here?.id} ${radiusKm} ${store.revision}`;
  if (state === told && !isAwaited) return;
  lookedAt = now();
  told = state;
  isAwaited = false;
  publish("vessels.seen", { vessels: store.near(here, radiusKm) });
}

/** The state of the source, for health and metrics. */
export interface VesselsState {
  source: (typeof config)["vessels.source"];
  isConnected: boolean;
  /** Vessels kept, near or not. */
  vessels: number;
  /** Epoch milliseconds; null before the first message. */
  lastHeardAt: number | null;
}

export const vesselsState = (): VesselsState => ({
  source: config["vessels.source"],
  isConnected: source?.isOpen() ?? false,
  vessels: store.size,
  lastHeardAt,
});
