import { and, inArray, lt, lte, or } from "drizzle-orm";
import { config } from "../configuration/config";
import { inBatches } from "../kernel/db/batches";
import { db } from "../kernel/db/connection";
import { transact } from "../kernel/db/transactions";
import { HOUR, now } from "../kernel/time/clock";
import { systemValue } from "../runtime-settings/service";
import { newestNumber, oldestKept } from "./journal";
import { averageSize, neededByNobody } from "./readers";
import { changes, feedThinned } from "./table";

const MEGABYTE = 1_000_000;

/** The number of changes that `sync.max_backlog_mb` holds. */
export const mostWaiting = (): number =>
  Math.floor((config["sync.max_backlog_mb"] * MEGABYTE) / averageSize());

/**
 * The job: forgets changes that are older than `changes.retention_hours` or beyond `changes.max_rows`, once every reader has
 * acknowledged them. The newest one stays, since the next number follows from it.
 */
export async function forgetOldChanges(): Promise<void> {
  const upTo = neededByNobody(mostWaiting) ?? newestNumber();
  await inBatches((limit) => {
    const before = now() - systemValue("changes.retention_hours") * HOUR;
    const newest = newestNumber();
    // Only the oldest are looked at: times follow the numbers, but for a clock that was set back.
    const oldest = db
      .select({ number: changes.number, made_at: changes.made_at })
      .from(changes)
      .where(and(lt(changes.number, newest), lte(changes.number, upTo)))
      .orderBy(changes.number)
      .limit(limit)
      .as("oldest");
    const old = db
      .select({ number: oldest.number })
      .from(oldest)
      .where(or(lt(oldest.made_at, before), lte(oldest.number, newest - systemValue("changes.max_rows"))));
    return db.delete(changes).where(inArray(changes.number, old)).returning({ number: changes.number }).all()
      .length;
  });
  await transact(() => db.delete(feedThinned).where(lte(feedThinned.to_number, oldestKept())).run());
}
