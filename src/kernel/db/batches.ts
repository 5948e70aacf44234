import { transact } from "./transactions";

/** Rows changed in one transaction: some milliseconds, in which the server does nothing else. */
const BATCH = 500;

/**
 * Changes any number of rows, batch by batch, with requests in between. `changeSome` runs in a transaction,
 * changes at most `limit` rows and returns how many; fewer end the loop.
 */
export async function inBatches(changeSome: (limit: number) => number): Promise<void> {
  while ((await transact(() => changeSome(BATCH))) === BATCH);
}
