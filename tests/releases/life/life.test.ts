import { expect, test } from "bun:test";
import { join } from "node:path";
import { keep } from "./keeping";
import { live } from "./life";
import { tablesOf, UNFILLED } from "./tables";

/**
 * The life that fills the database which is kept of a release. It is lived with each run of the tests, so that a table that a
 * change adds is noticed with that change, not with the release. `bun tests/releases/keep.ts` runs this too, and keeps it.
 */

test("leaves something in each table", async () => {
  const lived = await live();
  const { filled, empty } = tablesOf(join(lived.dataDir, "fairlead.db"));
  expect(empty.filter((name) => !Object.hasOwn(UNFILLED, name))).toEqual([]);
  // None of the exceptions names a table that is gone by now.
  expect(Object.keys(UNFILLED).filter((name) => ![...filled, ...empty].includes(name))).toEqual([]);
  const { KEEP_INTO } = process.env;
  if (KEEP_INTO) await keep(lived, KEEP_INTO);
});
