import { config } from "../../configuration/config";
import { isWithinHours, type SyncKind } from "../../configuration/option-kinds";
import { now, SECOND } from "../../kernel/time/clock";
import type { Mode } from "./filling";
import type { Walk } from "./table";

/** The operator's wishes for the line to the shore, as the transfer reads them. */

const MEGABYTE = 1_000_000;

const KIND_OF: Record<SyncKind, Walk["kind"]> = {
  devices: "device",
  trips: "trip",
  positions: "position",
  zone_events: "crossing",
  alerts: "alert",
  log_entries: "entry",
};

/** The kinds of records that the shore is told of. */
export const includedKinds = (): Walk["kind"][] =>
  config["sync.include"].map((kind) => KIND_OF[kind as SyncKind]);

/** True while the line costs by the byte, by the clock of this machine. */
export const isMeteredNow = (): boolean => isWithinHours(config["sync.metered"], new Date(now()).getHours());

/** Bytes of today that are left; Infinity without a bound. */
export function bytesLeft(bytesToday: number): number {
  const most = config["sync.daily_megabytes"];
  return most === 0 ? Number.POSITIVE_INFINITY : most * MEGABYTE - bytesToday;
}

/** The lanes that a request may tell, with so many bytes of today left. */
export const modeWith = (left: number): Mode => ({
  isMetered: isMeteredNow(),
  thinSeconds: config["sync.thin_seconds"],
  alertsOnly: left <= 0,
});

/** Milliseconds between two requests while little happens. */
export const interval = (): number => config["sync.interval_seconds"] * SECOND;
