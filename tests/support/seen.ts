import { appendFileSync } from "node:fs";

/**
 * The API's answers to the tests of this process: `listTrips 200`. Those of a whole run are compared with the
 * document: see run.ts.
 */
export const seen = new Set<string>();

/** Adds the answers to the file that the run names, if there is one. */
export function reportSeen(): void {
  const file = process.env.TEST_SEEN;
  if (file && seen.size > 0) appendFileSync(file, [...seen, ""].join("\n"));
  seen.clear();
}
