import { clockWatchedAt } from "../../alerts/conditions/clock";
import { deliveriesState } from "../../alerts/deliveries/state";
import { config } from "../../configuration/config";
import { boundedFetch, OutboundError } from "../../kernel/http/outbound";
import { log } from "../../kernel/logs/log";
import { gauge } from "../../kernel/logs/metrics";
import { now, SECOND } from "../../kernel/time/clock";
import { vesselsState } from "../../operations/vessels/service";
import { positionState } from "../../tracking/receiver/state";

/**
 * Signs of life to a dead man's switch ashore, which alarms when they cease: a dead box alarms nobody. They cease too while
 * what the box is there for doesn't work.
 */

const BOUNDS = { timeout: 10 * SECOND, maxBytes: 65_536 };

/** The clock of the alerts is watched each second: later than this it is not. */
const LATE = 30 * SECOND;

/** The reason why no sign of life is given, in words for the operator; null if all is well. */
export function whyNoHeartbeat(): string | null {
  const position = positionState();
  if (position && !position.isUp) return `the box's own receiver: ${position.trouble?.en ?? "no fix"}`;
  const vessels = vesselsState();
  if (vessels.source !== "none" && !vessels.isConnected) return "the source of vessels is not connected";
  const watchedAt = clockWatchedAt();
  if (watchedAt === null || Math.abs(now() - watchedAt) > LATE) return "alerts are not watched";
  if (deliveriesState()?.isUp === false) return "alerts have not been delivered for a while";
  return null;
}

/** Time of the last sign of life that arrived; of the start until then, so that one that never arrives shows too. */
let givenAt = now();
/** The trouble that the log had a line about; null while all is well. */
let told: string | null = null;

gauge(
  "fairlead_heartbeat_age_seconds",
  "Seconds since the last sign of life to heartbeat.url arrived, or since the start",
  () => (config["heartbeat.url"] === null ? null : (now() - givenAt) / SECOND),
);

/** The job: gives a sign of life, if `heartbeat.url` is set and all is well. */
export async function giveHeartbeat(): Promise<void> {
  const url = config["heartbeat.url"];
  if (url === null) return;
  const trouble = whyNoHeartbeat() ?? (await call(url));
  if (trouble === null) {
    givenAt = now();
    if (told !== null) log.info("signs of life are given again");
  } else if (trouble !== told) log.warn("no sign of life could be given to heartbeat.url", { why: trouble });
  told = trouble;
}

/** Calls the switch. Returns the reason why that failed, which holds nothing of the address; null if it didn't. */
async function call(url: string): Promise<string | null> {
  const token = config["heartbeat.token"];
  const headers: Record<string, string> = token === null ? {} : { authorization: `Bearer ${token}` };
  try {
    const { ok, status } = await boundedFetch(url, { headers }, BOUNDS);
    return ok ? null : `it answered ${status}`;
  } catch (error) {
    if (error instanceof OutboundError) return error.message;
    throw error;
  }
}
