import { config } from "../../configuration/config";
import { profile } from "../../configuration/profile";
import { describeError, log } from "../logs/log";
import { COLLECTOR, givingBack } from "./allocator";
import { startAnew } from "./program";

/**
 * Starts this process anew, with the same number, where the profile bounds the collector and the environment doesn't yet. The
 * heap could otherwise grow to a part of the whole machine's memory before garbage is collected, whatever a container or a unit
 * may have of it. Freed memory is then given back soon, and SQLite sorts in the data directory: temporary directories are memory on
 * many small machines. Call it before anything is opened.
 */
export function boundCollector(): void {
  const { collectorMemory } = profile;
  if (collectorMemory === null || process.env[COLLECTOR] !== undefined) return;
  try {
    startAnew({
      SQLITE_TMPDIR: config["data.dir"],
      ...process.env,
      ...givingBack(),
      [COLLECTOR]: String(collectorMemory),
    });
  } catch (error) {
    log.warn("the garbage collector can't be bounded, so that more memory is used", describeError(error));
  }
}
