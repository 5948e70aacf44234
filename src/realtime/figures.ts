import { counter, counters } from "../kernel/logs/metrics";

/** Metrics of connections, beside their number. */

export const opened = counter("fairlead_websocket_opened_total", "Connections opened");
export const received = counter("fairlead_websocket_received_total", "Frames that clients sent");
export const published = counter(
  "fairlead_websocket_published_total",
  "Messages published to channels that somebody hears",
);
const closes = counters<number | "other">(
  "fairlead_websocket_closes_total",
  "Connections closed, by code",
  "code",
);

/** Codes with a meaning of their own (RFC 6455, section 7.4.1; rule W6); clients may send any other. */
const TELLING = new Set([1000, 1001, 1005, 1006, 1008, 1009, 1013, 4401, 4408]);

export const countClose = (code: number): void => closes.of(TELLING.has(code) ? code : "other").add();
