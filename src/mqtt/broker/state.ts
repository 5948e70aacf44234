import { config } from "../../configuration/config";
import { Counter, counted, counters, gauge } from "../../kernel/logs/metrics";
import type { Bilingual } from "../../kernel/values/bilingual";
import type { Version } from "./session";

/** The state of the connection to the broker: its figures for the metrics, and its health. */

const isConfigured = (): boolean => config["mqtt.url"] !== null;

// --- Figures ----------------------------------------------------------------------------------------------

/** A counter that shows only where there is a broker. */
function ofBroker(name: string, help: string): Counter {
  const count = new Counter();
  counted(name, help, () => (isConfigured() ? count.value : null));
  return count;
}

/** The fates of what the broker sent. */
export type Received =
  | ("stored" | "duplicate" | "rejected" | "unknown_device")
  | ("no_position" | "too_large" | "not_asked_for");

export const counts = {
  acknowledged: ofBroker("fairlead_mqtt_acknowledged_total", "Messages that the broker has acknowledged"),
  refused: ofBroker("fairlead_mqtt_refused_total", "Messages that the broker has refused"),
  reconnects: ofBroker(
    "fairlead_mqtt_reconnects_total",
    "Times that the connection to the broker was made anew",
  ),
  resets: ofBroker(
    "fairlead_mqtt_resets_total",
    "Times that publishing began anew, since what the broker had missed was kept no more",
  ),
  received: counters<Received>(
    "fairlead_mqtt_received_total",
    "Messages from the broker, by what became of them",
    "outcome",
  ),
};

gauge("fairlead_mqtt_connected", "1 if the broker is connected", () =>
  isConfigured() ? Number(connected !== null) : null,
);
gauge("fairlead_mqtt_waiting_changes", "Changes that the broker has not acknowledged", () =>
  isConfigured() ? waiting() : null,
);

let waiting: () => number = () => 0;

/** Gives this module the number of changes that the broker has not acknowledged. */
export function setWaiting(read: () => number): void {
  waiting = read;
}

// --- Health -----------------------------------------------------------------------------------------------

let connected: Version | null = null;
let connections = 0;

export function noteConnected(version: Version): void {
  connected = version;
  if (connections++ > 0) counts.reconnects.add();
}

export function noteDisconnected(): void {
  connected = null;
}

/** The kinds of trouble that may last, the one that explains the others first. */
const KINDS = ["connection", "refusal", "store", "subscription", "discovery"] as const;
type Trouble = (typeof KINDS)[number];

const troubles = new Map<Trouble, Bilingual>();

/** Notes a trouble of a kind, in words without any address; null for its end. */
export function noteTrouble(kind: Trouble, words: Bilingual | null): void {
  if (words === null) troubles.delete(kind);
  else troubles.set(kind, words);
}

export interface BrokerState {
  /** True while the broker is connected, and takes what it gets. */
  isUp: boolean;
  /** The version of the protocol; null while it is not connected. */
  protocol: "5.0" | "3.1.1" | null;
  /** Changes that it has not acknowledged. */
  waiting: number;
  /** Times that the connection was made anew since the start. */
  reconnects: number;
  /** The reason why it isn't up. */
  trouble: Bilingual | null;
}

/** Null if no broker is configured. */
export function brokerState(): BrokerState | null {
  if (!isConfigured()) return null;
  const trouble = KINDS.map((kind) => troubles.get(kind)).find((words) => words !== undefined) ?? null;
  const isUp = connected !== null && trouble === null;
  return {
    isUp,
    protocol: connected === null ? null : connected === 5 ? "5.0" : "3.1.1",
    waiting: waiting(),
    reconnects: counts.reconnects.value,
    trouble: isUp ? null : (trouble ?? { en: "it was not connected yet", de: "er war noch nie verbunden" }),
  };
}
