import { db } from "../../kernel/db/connection";
import { counters } from "../../kernel/db/table";
import { failedTransactions, transact } from "../../kernel/db/transactions";
import { now, SECOND } from "../../kernel/time/clock";

/** Finds out by writing if the database takes writes: a full disk lets reads through. */

/**
 * Time for which a result is reused, so that frequent requests cost no more: after a success, and after a
 * failure.
 */
const BELIEVED = { up: 5 * SECOND, down: SECOND };

/** A write that takes longer counts as failed. */
const TIMEOUT = 1.5 * SECOND;

let probing: Promise<boolean> | null = null;
let believedUntil = 0;
let failuresThen = 0;

/** True if a write was committed within the last seconds and none failed since, or one is committed now. */
export function isWritable(): Promise<boolean> {
  if (!probing || performance.now() >= believedUntil || failedTransactions > failuresThen) {
    believedUntil = performance.now() + TIMEOUT;
    failuresThen = Number.POSITIVE_INFINITY;
    probing = probe();
  }
  return probing;
}

async function probe(): Promise<boolean> {
  const written = transact(() => {
    const value = now();
    db.insert(counters)
      .values({ name: "health probe", value })
      .onConflictDoUpdate({ target: counters.name, set: { value } })
      .run();
  }).then(
    () => true,
    () => false,
  );
  const isUp = await Promise.race([written, Bun.sleep(TIMEOUT).then(() => false)]);
  failuresThen = failedTransactions;
  believedUntil = performance.now() + (isUp ? BELIEVED.up : BELIEVED.down);
  return isUp;
}
