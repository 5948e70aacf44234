import type { Source } from "../gps/table";
import type { Outcome, Reading } from "./fix";

/**
 * Records what a source sent of a device, in order of fix time, and resolves after the commit with the fate of each reading,
 * in the order given. Requests that would take long go in several transactions; whoever sends again does no harm.
 */
export function recordPositions(
  _source: Source,
  _deviceId: string,
  _readings: readonly Reading[],
): Promise<Outcome[]> {
  throw new Error("not built yet");
}
