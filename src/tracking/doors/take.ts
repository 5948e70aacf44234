import { publish } from "../../kernel/db/events";
import { AppError, unauthorized } from "../../kernel/errors/errors";
import type { Outcome, Reading, Rejection } from "../ingest/fix";
import type { ForwardedPosition } from "../ingest/formats/traccar-server";
import type { Source } from "../ingest/kinds";
import { takePositions } from "../ingest/limit";
import { recordPositions } from "../ingest/record";
import { noteRejections, type Reporter } from "../trackers/authenticate";
import { deviceNamed } from "./forwarded";

/** The numbers of an answer. */
export interface Tally {
  stored: number;
  duplicates: number;
  rejected: number;
}

/**
 * Records what an app sent of its device. Throws 503 beyond its limit and 401 if the device is gone, and never another
 * refusal: what is rejected counts as done.
 */
export async function takeReadings(source: Source, reporter: Reporter, readings: Reading[]): Promise<Tally> {
  return settle(reporter, await recordFor(reporter.deviceId, source, reporter, readings));
}

/**
 * Records what a server that forwards many devices sent of one, which goes by its name there. A tracker for such a server
 * may bring any device, another credential its own alone.
 */
export async function takeForwarded(
  reporter: Reporter,
  { uniqueId, reading }: ForwardedPosition,
): Promise<Tally> {
  if (uniqueId === null) return takeNothing("traccar", reporter, "malformed");
  const deviceId = deviceNamed(uniqueId);
  const isOpen = reporter.format === "traccar_server" || deviceId === reporter.deviceId;
  if (deviceId === null || !isOpen) return takeNothing("traccar", reporter, "unknown_device");
  return settle(reporter, await recordFor(deviceId, "traccar", reporter, [reading]));
}

/** Counts a message that holds nothing to record, and is done all the same. */
export function takeNothing(source: Source, reporter: Reporter, reason: Rejection): Tally {
  const outcomes: Outcome[] = [{ status: "rejected", reason }];
  publish("gps.taken", { source, outcomes });
  return settle(reporter, outcomes);
}

async function recordFor(
  deviceId: string,
  source: Source,
  reporter: Reporter,
  readings: Reading[],
): Promise<Outcome[]> {
  if (readings.length === 0) return [];
  const wait = takePositions(reporter.id, readings.length);
  // Not 429: apps drop what that answers.
  if (wait !== null)
    throw new AppError("ServiceUnavailable", `Too many positions; try again in ${wait} s`, {
      headers: { "retry-after": String(wait) },
    });
  try {
    return await recordPositions(source, deviceId, readings);
  } catch (error) {
    if (error instanceof AppError && error.name === "NotFound") throw unauthorized("The device is gone");
    throw error;
  }
}

/** The numbers of a message; its tracker is told of what was rejected. */
function settle(reporter: Reporter, outcomes: readonly Outcome[]): Tally {
  const tally: Tally = { stored: 0, duplicates: 0, rejected: 0 };
  const reasons: Rejection[] = [];
  for (const outcome of outcomes) {
    if (outcome.status === "stored") tally.stored++;
    else if (outcome.status === "duplicate") tally.duplicates++;
    else if (outcome.status === "rejected") reasons.push(outcome.reason);
  }
  tally.rejected = reasons.length;
  noteRejections(reporter, reasons);
  return tally;
}
