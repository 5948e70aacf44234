import { config } from "../../configuration/config";
import { Counter, counted, counters, gauge } from "../../kernel/logs/metrics";
import { MINUTE, now, SECOND } from "../../kernel/time/clock";
import type { Bilingual } from "../../kernel/values/bilingual";
import type { Rejection } from "../ingest/fix";

/** The state of the own receiver: its figures for the metrics, and its health. */

/** The configured source; null if there is none. */
export function positionSource(): "nmea" | "gpsd" | "signalk" | null {
  const source = config["position.source"];
  return source === "none" ? null : source;
}

// --- Figures ----------------------------------------------------------------------------------------------

/** A counter that shows only where there is a receiver. */
function ofReceiver(name: string, help: string): Counter {
  const count = new Counter();
  counted(name, help, () => (positionSource() === null ? null : count.value));
  return count;
}

export const counts = {
  fixes: ofReceiver(
    "fairlead_position_fixes_total",
    "Fixes of the own receiver, before they are thinned out",
  ),
  stored: ofReceiver("fairlead_position_stored_total", "Fixes of the own receiver that were stored"),
  rejected: counters<Rejection>(
    "fairlead_position_rejected_total",
    "Reports of the own receiver that are no position, by reason",
    "reason",
  ),
  badChecksums: ofReceiver(
    "fairlead_position_bad_checksums_total",
    "Sentences of the own receiver with a wrong checksum",
  ),
  refused: ofReceiver(
    "fairlead_position_refused_datagrams_total",
    "Datagrams from senders that position.allow_from does not list",
  ),
  overruns: ofReceiver(
    "fairlead_position_overrun_datagrams_total",
    "Datagrams that came faster than they could be read",
  ),
  reconnects: ofReceiver(
    "fairlead_position_reconnects_total",
    "Times that the connection to the own receiver was made anew",
  ),
  silences: ofReceiver(
    "fairlead_position_silences_total",
    "Times that the own receiver was silent for so long that the connection was given up",
  ),
};

let isConnected: () => boolean = () => false;

/** Gives this module the connection. */
export function setConnection(isOpen: () => boolean): void {
  isConnected = isOpen;
}

gauge("fairlead_position_source_connected", "1 if the own receiver is connected", () =>
  positionSource() === null ? null : Number(isConnected()),
);
gauge("fairlead_position_fix_age_seconds", "Seconds since the own receiver last had a fix", () =>
  lastFixAt === null ? null : (now() - lastFixAt) / SECOND,
);

// --- Health -----------------------------------------------------------------------------------------------

/** Epoch milliseconds of this server's clock, which may differ from the receiver's. */
let lastFixAt: number | null = null;

export function noteFix(): void {
  lastFixAt = now();
}

/** The kinds of trouble that may last, the one that explains the others first. */
const KINDS = ["device", "store", "connection", "fix"] as const;

const troubles = new Map<(typeof KINDS)[number], Bilingual>();

/** Notes a trouble of a kind, in words without any address; null for its end. */
export function noteTrouble(kind: (typeof KINDS)[number], words: Bilingual | null): void {
  if (words === null) troubles.delete(kind);
  else troubles.set(kind, words);
}

/** Milliseconds after which a fix is no longer news. */
const FRESH = MINUTE;

export interface PositionState {
  /** True while fixes come and can be stored. */
  isUp: boolean;
  /** Epoch milliseconds; null before the first fix. */
  lastFixAt: number | null;
  /** Times that the connection was made anew since the start. */
  reconnects: number;
  /** The reason why it isn't up. */
  trouble: Bilingual | null;
}

/** Null if no receiver is configured. */
export function positionState(): PositionState | null {
  if (positionSource() === null) return null;
  const isFresh = lastFixAt !== null && Math.abs(now() - lastFixAt) <= FRESH;
  const isUp = isFresh && !troubles.has("device") && !troubles.has("store");
  const known = KINDS.map((kind) => troubles.get(kind)).find((words) => words !== undefined);
  return {
    isUp,
    lastFixAt,
    reconnects: counts.reconnects.value,
    trouble: isUp ? null : (known ?? { en: "no fix has come yet", de: "es kam noch keine Position" }),
  };
}
