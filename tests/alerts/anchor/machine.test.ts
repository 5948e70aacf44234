import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  type AnchorEffect,
  type AnchorRules,
  type AnchorState,
  AT_REST,
  fallSilent,
  hear,
} from "../../../src/alerts/anchor/machine";

const RULES: AnchorRules = { radiusM: 50, warningRadiusM: 40, confirmFixes: 2 };

/** Hears distances in turn, `null` being a silence; the state and the effects after each. */
function play(heard: (number | null)[], rules = RULES) {
  let state: AnchorState = AT_REST;
  return heard.map((metres) => {
    const before = state;
    const step = metres === null ? fallSilent(state) : hear(state, metres, rules);
    state = step.state;
    return { before, metres, ...step };
  });
}

const placesOf = (heard: (number | null)[], rules = RULES): string[] =>
  play(heard, rules).map(({ state }) => (state.isSilent ? "silent" : state.place));
const effectsOf = (heard: (number | null)[], rules = RULES) =>
  play(heard, rules).flatMap(({ effects }) => effects);

describe("a boat at anchor", () => {
  test("drags with the second position beyond the radius, whatever the first was beyond", () => {
    expect(placesOf([10, 60, 60])).toEqual(["holding", "holding", "dragging"]);
    expect(placesOf([45, 60, 60])).toEqual(["holding", "warning", "dragging"]);
    expect(placesOf([60, 45, 60, 60])).toEqual(["holding", "warning", "warning", "dragging"]);
  });

  test("is left alone for one position far away among good ones", () => {
    expect(effectsOf([10, 5_000, 10, 5_000, 10])).toEqual([]);
  });

  test("comes back well inside of a border, and is confirmed there too", () => {
    expect(placesOf([60, 60, 49, 46, 44, 44])).toEqual([
      ...["holding", "dragging", "dragging", "dragging", "dragging", "warning"],
    ]);
    expect(placesOf([45, 45, 39, 37, 35, 35])).toEqual([
      ...["holding", "warning", "warning", "warning", "warning", "holding"],
    ]);
  });

  test("holds or drags where there is no warning radius", () => {
    const rules = { ...RULES, warningRadiusM: null };
    expect(placesOf([60, 60, 30, 30], rules)).toEqual(["holding", "dragging", "dragging", "holding"]);
  });

  test("changes with each position where one confirms", () => {
    expect(placesOf([60, 10, 45], { ...RULES, confirmFixes: 1 })).toEqual(["dragging", "holding", "warning"]);
  });

  test("that is silent goes on where it was with the next position", () => {
    expect(effectsOf([60, 60, null, null, 60, 10, 10])).toEqual([
      ...[{ raise: "dragging" }, { raise: "silent" }, { clear: "silent" }, { clear: "dragging" }],
    ] as AnchorEffect[]);
  });

  test("is the same object while nothing changes: nothing is written", () => {
    const quiet = play([10, 10, 10, 12, 30, 10]).slice(3);
    for (const { before, state } of quiet) expect(state).toBe(before);
  });
});

describe("for any distances and silences", () => {
  const heard = fc.array(
    fc.oneof(
      { weight: 9, arbitrary: fc.double({ min: 0, max: 120, noNaN: true }) },
      { weight: 1, arbitrary: fc.constant(null) },
    ),
    { maxLength: 80 },
  );
  const rules = fc.record({
    radiusM: fc.constant(50),
    warningRadiusM: fc.constantFrom(null, 40),
    confirmFixes: fc.integer({ min: 1, max: 10 }),
  });

  test("each alert is raised and cleared in turn, and open just while its state lasts", () => {
    fc.assert(
      fc.property(heard, rules, (distances, by) => {
        const open = new Set<string>();
        for (const { effects, state } of play(distances, by)) {
          for (const effect of effects) {
            if ("raise" in effect) expect(open.has(effect.raise)).toBe(false);
            else expect(open.has(effect.clear)).toBe(true);
            if ("raise" in effect) open.add(effect.raise);
            else open.delete(effect.clear);
          }
          expect([...open].toSorted()).toEqual(
            [
              ...(state.place === "holding" ? [] : [state.place]),
              ...(state.isSilent ? ["silent"] : []),
            ].toSorted(),
          );
        }
      }),
    );
  });

  test("it drags exactly from the last of enough positions in a row beyond the radius", () => {
    fc.assert(
      fc.property(heard, rules, (distances, by) => {
        let run = 0;
        for (const { metres, before, state } of play(distances, by)) {
          if (metres === null) continue;
          run = metres > by.radiusM ? run + 1 : 0;
          if (run >= by.confirmFixes) expect(state.place).toBe("dragging");
          else if (before.place !== "dragging") expect(state.place).not.toBe("dragging");
        }
      }),
    );
  });

  test("fewer strays in a row than confirm change nothing among positions well inside", () => {
    const story = fc.record({
      confirm: fc.integer({ min: 2, max: 10 }),
      strays: fc.array(fc.nat(9), { maxLength: 20 }),
    });
    fc.assert(
      fc.property(story, ({ confirm, strays }) => {
        const distances = strays.flatMap((count) => [10, ...Array<number>(count % confirm).fill(900), 10]);
        expect(effectsOf(distances, { ...RULES, confirmFixes: confirm })).toEqual([]);
      }),
    );
  });
});
