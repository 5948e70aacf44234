import { expect, test } from "bun:test";
import { type Figures, History } from "./history";

/** A thousand histories of a boat and its shore; `bun run histories` runs a hundred thousand. */

test("nothing is lost, doubled or stuck, whatever happens between a boat and its shore", () => {
  const sum: Partial<Figures> = {};
  for (let seed = 1; seed <= 1_000; seed++) {
    const history = new History(seed);
    try {
      history.run();
    } catch (error) {
      throw new Error(`history ${seed}: ${(error as Error).message}\n${history.log.join("\n")}`);
    }
    for (const [name, value] of Object.entries(history.figures))
      sum[name as keyof Figures] = (sum[name as keyof Figures] ?? 0) + value;
  }
  // Each mishap has happened.
  expect(Object.entries(sum).filter(([, count]) => count < 50)).toEqual([]);
});
