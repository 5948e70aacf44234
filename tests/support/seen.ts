import { appendFileSync } from "node:fs";

/**
 * What the tests of this process got from the API: `listTrips 200`. What a whole run got is held against the document: see
 * run.ts.
 */
export const seen = new Set<string>();

/** Adds what was seen to the file that the run names, if it is one. */
export function reportSeen(): void {
  const file = process.env.TEST_SEEN;
  if (file && seen.size > 0) appendFileSync(file, [...seen, ""].join("\n"));
  seen.clear();
}
