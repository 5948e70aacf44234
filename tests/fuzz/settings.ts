import type fc from "fast-check";

/** What a run is made of, from the environment: see main.ts. */

/**
 * The seed of all random choices: the same seed makes the same requests. The suite has one of its own, so that what passed
 * passes again; `bun run fuzz` draws one.
 */
export const SEED = Number(process.env.FUZZ_SEED ?? 7);

/** How many requests each operation gets, and each kind of query and frame ten times as many. */
export const RUNS = Number(process.env.FUZZ_RUNS ?? 8);

/** Whether a person waits for the figures. */
const IS_LONG = process.env.FUZZ_RUNS !== undefined;

/** Prints a figure of a long run. */
export function tell(figure: string): void {
  if (IS_LONG) process.stdout.write(`${figure}\n`);
}

/** What fast-check is told; `offset` sets one property apart from another, so that not all get the same values. */
export const parameters = <T>(offset: number, runs: number): fc.Parameters<T> => ({
  seed: SEED + offset,
  numRuns: runs,
  endOnFailure: true,
});

/** Runs a property, and says with a failure how to have it again. */
export async function reproducibly(run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } catch (error) {
    throw new Error(`again with FUZZ_SEED=${SEED} FUZZ_RUNS=${RUNS}`, { cause: error });
  }
}
