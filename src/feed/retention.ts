import { and, lt, lte } from "drizzle-orm";
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
    const [time, age] = [now(), systemValue("changes.retention_hours") * HOUR];
    const newest = newestNumber();
    const beyond = newest - systemValue("changes.max_rows");
    const oldest = db
      .select({ number: changes.number, made_at: changes.made_at })
      .from(changes)
      .where(and(lt(changes.number, newest), lte(changes.number, upTo)))
      .orderBy(changes.number)
      .limit(limit)
      .all();
    // Nothing may be missing between two that are kept, though their times don't follow the numbers where the clock was set back.
    // A time that is as far ahead was told by a clock that was wrong: it would keep all that follows.
    const isOld = ({ number, made_at }: (typeof oldest)[0]) =>
      Math.abs(time - made_at) > age || number <= beyond;
    const young = oldest.findIndex((change) => !isOld(change));
    const last = oldest.at(young === -1 ? -1 : young - 1)?.number;
    if (young === 0 || last === undefined) return 0;
    return db.delete(changes).where(lte(changes.number, last)).returning({ number: changes.number }).all()
      .length;
  });
  await transact(() => db.delete(feedThinned).where(lte(feedThinned.to_number, oldestKept())).run());
}
