import type fc from "fast-check";

/** Settings of a run, from the environment: see main.ts. */

/**
 * The seed of all random choices: the same seed makes the same requests. The suite has a fixed one, so that a
 * run that passed passes again; `bun run fuzz` draws one.
 */
export const SEED = Number(process.env.FUZZ_SEED ?? 7);

/** Requests for each operation; each kind of query and frame gets ten times as many. */
export const RUNS = Number(process.env.FUZZ_RUNS ?? 8);

/** True if a person waits for the figures. */
const IS_LONG = process.env.FUZZ_RUNS !== undefined;

/** Prints a figure of a long run. */
export function tell(figure: string): void {
  if (IS_LONG) process.stdout.write(`${figure}\n`);
}

/** Parameters for fast-check. Each property has its own `offset`, so that not all get the same values. */
export const parameters = <T>(offset: number, runs: number): fc.Parameters<T> => ({
  seed: SEED + offset,
  numRuns: runs,
  endOnFailure: true,
});

/** Runs a property; a failure says how to reproduce it. */
export async function reproducibly(run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } catch (error) {
    throw new Error(`again with FUZZ_SEED=${SEED} FUZZ_RUNS=${RUNS}`, { cause: error });
  }
}
