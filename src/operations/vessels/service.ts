import { config } from "../../config";
import { listeningServer } from "../../kernel/client";
import { now, SECOND } from "../../kernel/clock";
import { publish, subscribe } from "../../kernel/events";
import { describeError, log } from "../../kernel/log";
import { newestPosition } from "../../tracking/gps/service";
import { systemValue } from "../system-config/service";
import { startAisstream } from "./aisstream";
import { startNmea } from "./nmea";
import type { Report } from "./report";
import type { Source } from "./source";
import { type Vessel, VesselStore } from "./store";

declare module "../../kernel/events" {
  interface EventMap {
    /** What is near by now, for whoever listens. */
    "vessels.seen": { vessels: Vessel[] };
  }
}

/** The channel that vessels are told on. */
const CHANNEL = "vessels";

/** How often it is looked whether a broadcast is due, somebody is gone, or the newest position moved. */
const TICK = SECOND / 4;

const store = new VesselStore();
let source: Source | null = null;
let lastHeardAt: number | null = null;
/** Whether somebody subscribed who was told nothing yet. */
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
 * Starts to listen to the configured source, if there is one, and returns the stop. It runs whether or not somebody wants
 * to know: names and dimensions take minutes to arrive.
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

// --- Telling ------------------------------------------------------------------------------------------------

/** When it was last looked what is to be told, and what that followed from. */
let lookedAt = Number.NEGATIVE_INFINITY;
let told = "";

/**
 * Tells what is near, at most every `vessels.broadcast_seconds`: to a new listener, and to all when something may have
 * changed. After a vessel was the last one to go, that is an empty list, once.
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

/** How the source is doing: for health and metrics. */
export interface VesselsState {
  source: (typeof config)["vessels.source"];
  isConnected: boolean;
  /** Vessels kept, near or not. */
  vessels: number;
  /** Epoch milliseconds; null when nothing was heard yet. */
  lastHeardAt: number | null;
}

export const vesselsState = (): VesselsState => ({
  source: config["vessels.source"],
  isConnected: source?.isOpen() ?? false,
  vessels: store.size,
  lastHeardAt,
});
