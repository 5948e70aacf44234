import { inArray, lt, lte, or } from "drizzle-orm";
import { inBatches } from "../kernel/db/batches";
import { db } from "../kernel/db/connection";
import { HOUR, now } from "../kernel/time/clock";
import { systemValue } from "../runtime-settings/service";
import { newestNumber } from "./journal";
import { changes } from "./table";

/**
 * The job: forgets changes that are older than `changes.retention_hours` or beyond `changes.max_rows`. The newest one
 * stays, since the next number follows from it.
 */
export const forgetOldChanges = (): Promise<void> =>
  inBatches((limit) => {
    const before = now() - systemValue("changes.retention_hours") * HOUR;
    const upTo = newestNumber();
    // Only the oldest are looked at: times follow the numbers, but for a clock that was set back.
    const oldest = db
      .select({ number: changes.number, made_at: changes.made_at })
      .from(changes)
      .where(lt(changes.number, upTo))
      .orderBy(changes.number)
      .limit(limit)
      .as("oldest");
    const old = db
      .select({ number: oldest.number })
      .from(oldest)
      .where(or(lt(oldest.made_at, before), lte(oldest.number, upTo - systemValue("changes.max_rows"))));
    return db.delete(changes).where(inArray(changes.number, old)).returning({ number: changes.number }).all()
      .length;
  });
