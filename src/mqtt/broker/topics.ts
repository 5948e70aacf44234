/** The topics that are published. Identifiers of records are UUIDs, so that each is one level, and no wildcard. */

/** `online`, or by the last will `offline`; retained. */
export const statusTopic = (prefix: string): string => `${prefix}/status`;

/** The newest position of a device; retained. */
export const positionTopic = (prefix: string, deviceId: string): string =>
  `${prefix}/devices/${deviceId}/position`;

/** The age of the newest position in one word; retained. */
export const stateTopic = (prefix: string, deviceId: string): string => `${prefix}/devices/${deviceId}/state`;

export const zoneTopic = (prefix: string, zoneId: string): string => `${prefix}/zones/${zoneId}/events`;
export const alertTopic = (prefix: string, alertId: string): string => `${prefix}/alerts/${alertId}`;
export const tripTopic = (prefix: string, tripId: string): string => `${prefix}/trips/${tripId}`;

/** Bytes of a topic (MQTT 5, section 1.5.4). */
const LONGEST = 65_535;

/**
 * The rule that a text breaks as the name of a topic (MQTT 5, section 4.7); null for one that breaks none. Topics that begin
 * with `$` are the broker's own.
 */
export function topicObjection(text: string): string | null {
  if (text === "" || Buffer.byteLength(text) > LONGEST) return "must have 1 to 65,535 bytes";
  if (/[+#]/.test(text)) return "must have no + and no #, which are wildcards";
  if (text.startsWith("$")) return "must not begin with $: these topics are the broker's own";
  return /[\p{Cc}\p{Cs}\u{fffe}\u{ffff}]/u.test(text) ? "must have no control characters" : null;
}
