import { DAY, now } from "../time/clock";
import { inBatches } from "./batches";

/**
 * Deletes records older than `days`, step by step, with requests in between. `days` is read anew for each
 * step, since the operator may change it meanwhile; 0 keeps all. `deleteOldest` deletes at most `limit`
 * records from before a time (epoch milliseconds), and returns how many.
 */
export async function deleteOlderThan(
  days: () => number,
  deleteOldest: (before: number, limit: number) => number,
): Promise<void> {
  await inBatches((limit) => {
    const kept = days();
    return kept === 0 ? 0 : deleteOldest(now() - kept * DAY, limit);
  });
}
