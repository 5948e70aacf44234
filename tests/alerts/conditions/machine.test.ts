import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  BLANK,
  type ConditionState,
  type Effect,
  type Sight,
  step,
} from "../../../src/alerts/conditions/machine";

/** Looks at one condition, each with its time in seconds; the effects that follow. */
function effects(
  hold: number,
  looks: [at: number, sight: "met" | "unmet" | "uncounted"][],
): (Effect | null)[] {
  let state: ConditionState = BLANK;
  return looks.map(([at, sight]) => {
    const after = step(
      state,
      { isMet: sight !== "unmet", isCounted: sight === "met" },
      hold * 1_000,
      at * 1_000,
    );
    state = after.state;
    return after.effect;
  });
}

describe("a condition", () => {
  test("raises at once, is seen while it holds, and clears", () => {
    expect(
      effects(0, [
        [0, "met"],
        [1, "met"],
        [2, "unmet"],
        [3, "unmet"],
      ]),
    ).toEqual(["raise", "see", "clear", null]);
  });

  test("that has to hold is held back, and raises once it has", () => {
    const looks = effects(60, [
      [0, "met"],
      [59, "met"],
      [60, "met"],
      [61, "met"],
    ]);
    expect(looks).toEqual(["hold", null, "raise", "see"]);
  });

  test("that ends before it has held for long enough is dropped", () => {
    expect(
      effects(60, [
        [0, "met"],
        [59, "unmet"],
        [60, "met"],
      ]),
    ).toEqual(["hold", "drop", "hold"]);
  });

  test("begins nothing outside of the schedule, and holds from its window on", () => {
    const looks = effects(60, [
      [0, "uncounted"],
      [100, "met"],
      [159, "met"],
      [160, "met"],
    ]);
    expect(looks).toEqual([null, "hold", null, "raise"]);
  });

  test("whose window ends while it is held back is dropped; one that is open stays", () => {
    expect(
      effects(60, [
        [0, "met"],
        [59, "uncounted"],
      ]),
    ).toEqual(["hold", "drop"]);
    expect(
      effects(0, [
        [0, "met"],
        [1, "uncounted"],
        [2, "unmet"],
      ]),
    ).toEqual(["raise", "see", "clear"]);
  });

  test("counts anew where the clock is set back", () => {
    expect(
      effects(60, [
        [1_000, "met"],
        [10, "met"],
        [70, "met"],
      ]),
    ).toEqual(["hold", "hold", "raise"]);
  });
});

describe("for any sequence of looks", () => {
  const look = fc.record({
    seconds: fc.integer({ min: 0, max: 100 }),
    isMet: fc.boolean(),
    isCounted: fc.boolean(),
  });
  const story = fc.record({
    hold: fc.integer({ min: 0, max: 120 }),
    looks: fc.array(look, { maxLength: 60 }),
  });

  /** Plays a story: after each look, what it led to. */
  function play({ hold, looks }: { hold: number; looks: (Sight & { seconds: number })[] }) {
    let state: ConditionState = BLANK;
    let time = 0;
    return looks.map((sight) => {
      time += sight.seconds * 1_000;
      const before = state;
      const { state: after, effect } = step(before, sight, hold * 1_000, time);
      state = after;
      return { before, after, effect, sight, time };
    });
  }

  test("raises and clears take turns", () => {
    fc.assert(
      fc.property(story, (given) => {
        const turns = play(given).flatMap(({ effect }) =>
          effect === "raise" || effect === "clear" ? [effect] : [],
        );
        expect(turns).toEqual(turns.map((_, at) => (at % 2 === 0 ? "raise" : "clear")));
      }),
    );
  });

  test("what is raised has held and counted without a break for long enough", () => {
    fc.assert(
      fc.property(story, (given) => {
        const looks = play(given);
        for (const [at, { effect, time }] of looks.entries()) {
          if (effect !== "raise") continue;
          let from = at;
          while (from > 0 && looks[from - 1]?.sight.isMet && looks[from - 1]?.sight.isCounted) from--;
          expect(time - (looks[from]?.time ?? 0)).toBeGreaterThanOrEqual(given.hold * 1_000);
        }
      }),
    );
  });

  test("it is open exactly from a raise to a clear, and never held back beside", () => {
    fc.assert(
      fc.property(story, (given) => {
        let isOpen = false;
        for (const { after, effect } of play(given)) {
          if (effect === "raise") isOpen = true;
          if (effect === "clear") isOpen = false;
          expect(after.isOpen).toBe(isOpen);
          expect(after.isOpen && after.since !== null).toBe(false);
        }
      }),
    );
  });
});
