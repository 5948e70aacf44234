import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  type Crossing,
  OUTSIDE,
  type Place,
  type SideFix,
  type SideRules,
  type SideState,
  staysAs,
  step,
} from "../../../src/tracking/geofences/sides";

const RULES: SideRules = { confirmFixes: 1, enterAfterS: 0, exitAfterS: 0, dwellS: null };

const fixAt = (seconds: number): SideFix => ({
  ...{ timestamp: seconds * 1_000, latitude: 54, longitude: 13, id: String(seconds), trip_id: null },
});

/** Lets a device be at places in turn; the state and the crossings after each. */
function play(places: [at: number, place: Place][], rules: Partial<SideRules> = {}) {
  const by = { ...RULES, ...rules };
  let state: SideState = OUTSIDE;
  return places.map(([at, place]) => {
    const before = state;
    const after = step(before, fixAt(at), place, by);
    state = after.state;
    return { at, place, before, by, ...after };
  });
}

const told = (crossings: readonly Crossing[]) =>
  crossings.map(({ event, time }) => `${event} ${time / 1_000}`);
const crossingsOf = (places: [number, Place][], rules?: Partial<SideRules>) =>
  play(places, rules).flatMap(({ crossings }) => told(crossings));

describe("a device", () => {
  test("changes sides at once by default; within the margin it stays on its side", () => {
    const places: [number, Place][] = [
      [0, "near"],
      [1, "inside"],
      [2, "near"],
      [3, "outside"],
      [4, "near"],
    ];
    expect(crossingsOf(places)).toEqual(["enter 1", "exit 3"]);
  });

  test("changes sides with as many fixes in a row as confirm it, at the time of the first", () => {
    const rules = { confirmFixes: 3 };
    const places: [number, Place][] = [
      [0, "inside"],
      [1, "inside"],
      [2, "outside"],
      [3, "inside"],
      [4, "unknown"],
      [5, "inside"],
      [6, "inside"],
    ];
    expect(crossingsOf(places, rules)).toEqual(["enter 3"]);
    expect(play(places, rules).at(-2)?.crossings).toEqual([]);
  });

  test("changes sides once those fixes span the time", () => {
    const rules = { enterAfterS: 60, exitAfterS: 30 };
    const places: [number, Place][] = [
      [0, "inside"],
      [59, "inside"],
      [60, "inside"],
      [100, "outside"],
      [129, "outside"],
      [130, "outside"],
    ];
    expect(crossingsOf(places, rules)).toEqual(["enter 0", "exit 100"]);
  });

  test("dwells once in a stay, at the time at which it was long enough", () => {
    const places: [number, Place][] = [
      [0, "inside"],
      [99, "inside"],
      [150, "near"],
      [160, "inside"],
      [200, "outside"],
      [210, "inside"],
      [310, "inside"],
    ];
    expect(crossingsOf(places, { dwellS: 100 })).toEqual([
      ...["enter 0", "dwell 100", "exit 200", "enter 210", "dwell 310"],
    ]);
  });
});

describe("for any way of a device and any rules", () => {
  const places = fc
    .array(fc.tuple(fc.nat(120), fc.constantFrom<Place>("inside", "near", "outside", "unknown")), {
      maxLength: 60,
    })
    .map((steps) => {
      let at = 0;
      return steps.map(([pause, place]): [number, Place] => {
        at += pause;
        return [at, place];
      });
    });
  const rules = fc.record({
    confirmFixes: fc.integer({ min: 1, max: 4 }),
    enterAfterS: fc.constantFrom(0, 30, 200),
    exitAfterS: fc.constantFrom(0, 30, 200),
    dwellS: fc.constantFrom(null, 50, 300),
  });

  test("enters and exits take turns, and a stay dwells at most once", () => {
    fc.assert(
      fc.property(places, rules, (way, by) => {
        let isInside = false;
        let hasDwelled = false;
        for (const { crossings, state } of play(way, by)) {
          for (const { event } of crossings) {
            expect(isInside).toBe(event !== "enter");
            if (event === "dwell") expect(hasDwelled).toBe(false);
            isInside = event !== "exit";
            hasDwelled = event === "dwell";
          }
          expect(state.isInside).toBe(isInside);
        }
      }),
    );
  });

  test("a crossing is the first of a row of enough fixes on the other side, over enough time", () => {
    fc.assert(
      fc.property(places, rules, (way, by) => {
        const seen = play(way, by).filter(({ place }) => place !== "unknown");
        for (const [index, { crossings, at }] of seen.entries())
          for (const { event, time } of crossings) {
            if (event === "dwell") continue;
            const isThere = ({ place }: { place: Place }) =>
              event === "enter" ? place === "inside" : place === "outside";
            const row = seen.slice(0, index + 1);
            const from = row.findLastIndex((each) => !isThere(each)) + 1;
            // Fixes before the last crossing belong to that one.
            const since = row.findLastIndex(
              (each, n) => n < index && each.crossings.some((c) => c.event !== "dwell"),
            );
            const first = row[Math.max(from, since + 1)];
            expect(first?.at).toBe(time / 1_000);
            expect(index - Math.max(from, since + 1) + 1).toBeGreaterThanOrEqual(by.confirmFixes);
            const after = event === "enter" ? by.enterAfterS : by.exitAfterS;
            expect(at - time / 1_000).toBeGreaterThanOrEqual(after);
          }
      }),
    );
  });

  test("where it stays as it is, nothing changes", () => {
    fc.assert(
      fc.property(places, rules, (way, by) => {
        for (const { before, place, state, crossings } of play(way, by))
          if (staysAs(before, place, by)) expect([state === before, crossings]).toEqual([true, []]);
      }),
    );
  });
});
