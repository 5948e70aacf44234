import { expect, test } from "bun:test";
import { Seconds } from "../../../src/tracking/import/seconds";

test("the set knows each second once, in whatever order and number they come", () => {
  const seconds = new Seconds();
  const known = new Set<number>();
  let seed = 7;
  const random = () => (seed = (seed * 48_271) % 2_147_483_647);
  for (let round = 0; round < 60_000; round++) {
    // Dense in one span, sparse over decades.
    const second = random() % 3 === 0 ? random() : 1_372_578_069 + (random() % 40_000);
    expect(seconds.add(second)).toBe(!known.has(second));
    known.add(second);
  }
});
