import { notFound } from "../../kernel/errors/errors";
import { SECOND } from "../../kernel/time/clock";
import { isRejected, type Reading } from "../ingest/fix";
import { isDevice } from "../ingest/journeys";
import type { Source } from "../ingest/kinds";
import { latestOf, objection, ofSecond } from "../ingest/record";
import { Seconds } from "./seconds";
import type { Fate } from "./tally";

/**
 * Tells what recording would come to, and stores nothing: the returned function is for the readings of one file, in
 * any pieces, since a second counts once. Throws 404 for a device that is gone.
 */
export function rehearsal(source: Source, deviceId: string): (readings: readonly Reading[]) => Fate[] {
  const seen = new Seconds();
  return (readings) => {
    if (!isDevice(deviceId)) throw notFound("Device");
    const latest = latestOf(source);
    return readings.map((reading) => fateOf(reading, deviceId, latest, seen));
  };
}

function fateOf(reading: Reading, deviceId: string, latest: number, seen: Seconds): Fate {
  const reason = isRejected(reading) ? reading.rejected : objection(reading, latest);
  if (reason !== null || isRejected(reading)) return { status: "rejected", reason: reason ?? "malformed" };
  const second = Math.floor(reading.time ?? 0);
  const isKnown = !seen.add(second) || ofSecond().get(deviceId, second * SECOND) !== null;
  return { status: isKnown ? "duplicate" : "stored" };
}
