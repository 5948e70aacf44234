import { describe, expect, test } from "bun:test";
import { type Knowledge, type LaneStates, settle } from "../../../src/sync/aboard/cursors";
import { LANES } from "../../../src/sync/batch/lanes";

/** The places of lanes, as answers move them: pure. */

const hashAt = (number: number): string => number.toString(16).padStart(12, "0");
const places = (acknowledged: number, begins = false): LaneStates =>
  Object.fromEntries(
    LANES.map((lane) => [lane, { acknowledged, hash: hashAt(acknowledged), begins }]),
  ) as LaneStates;
const all = (number: number) => Object.fromEntries(LANES.map((lane) => [lane, number]));
const knowing = (oldest = 0): Knowledge => ({
  hashOf: (_, number) => (number >= oldest ? hashAt(number) : null),
  isKeptAfter: (_, number) => number >= oldest - 1,
});
const sent = { backlog: [5, 10, 15].map((number) => ({ number, hash: hashAt(number) })) };

describe("an answer", () => {
  test("moves a lane to the last stretch that is held", () => {
    const answer = { acknowledged: { ...all(0), backlog: 10 } };
    expect(settle(places(0), sent, answer, knowing())).toEqual({
      lanes: { backlog: { acknowledged: 10, hash: hashAt(10), begins: false } },
      unsure: [],
    });
  });

  test("begins a lane where it is", () => {
    const answer = { acknowledged: all(3) };
    const settled = settle(places(3, true), {}, answer, knowing());
    if (typeof settled === "string") throw new Error(settled);
    expect(Object.keys(settled.lanes)).toEqual([...LANES]);
    expect(settled.lanes.alerts).toEqual({ acknowledged: 3, hash: hashAt(3), begins: false });
  });

  test("that names another number without its hash is looked into first", () => {
    const answer = { acknowledged: { ...all(0), backlog: 7 } };
    expect(settle(places(0), sent, answer, knowing())).toEqual({ lanes: {}, unsure: ["backlog"] });
  });

  test("of a shore that heard a request whose answer was lost moves the lane on", () => {
    const answer = { acknowledged: { ...all(0), backlog: 7 }, hashes: { backlog: hashAt(7) } };
    expect(settle(places(0), sent, answer, knowing())).toEqual({
      lanes: { backlog: { acknowledged: 7, hash: hashAt(7), begins: false } },
      unsure: [],
    });
  });

  test("of a shore that was restored moves the lane back, if all that follows is kept", () => {
    const answer = { acknowledged: { ...all(20), backlog: 12 }, hashes: { backlog: hashAt(12) } };
    const back = { lanes: { backlog: { acknowledged: 12, hash: hashAt(12), begins: false } }, unsure: [] };
    expect(settle(places(20), {}, answer, knowing())).toEqual(back);
    // The row itself is forgotten, but none behind it.
    expect(settle(places(20), {}, answer, knowing(13))).toEqual(back);
    expect(settle(places(20), {}, answer, knowing(14))).toBe("whole");
  });

  test("that tells another row's hash is of another life of the box", () => {
    const answer = { acknowledged: { ...all(20), backlog: 25 }, hashes: { backlog: "ffffffffffff" } };
    expect(settle(places(20), {}, answer, knowing())).toBe("fork");
    const same = { acknowledged: all(20), hashes: { backlog: "ffffffffffff" } };
    expect(settle(places(20), {}, same, knowing())).toBe("fork");
    // Both were restored: nothing behind that is the same.
    const lower = { acknowledged: { ...all(20), backlog: 15 }, hashes: { backlog: "ffffffffffff" } };
    expect(settle(places(20), {}, lower, knowing())).toBe("whole");
  });

  test("of a shore that knows a lane no more, or where it was, has everything told anew", () => {
    const { backlog: _, ...rest } = all(20);
    expect(settle(places(20), {}, { acknowledged: rest }, knowing())).toBe("whole");
    expect(settle(places(20), {}, { acknowledged: all(20), unknown: ["trips"] }, knowing())).toBe("whole");
    // A lane of a newer shore is none of this box's.
    const newer = { acknowledged: all(20), unknown: ["photos"] };
    expect(settle(places(20), {}, newer, knowing())).toEqual({ lanes: {}, unsure: [] });
  });
});
