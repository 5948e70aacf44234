import { describe, expect, test } from "bun:test";
import {
  isDeletable,
  TRIP_STATUSES,
  type TripStatus,
  transition,
} from "../../../src/tracking/trips/trip-state";

/** The permitted transitions; any other is refused (rule T7). */
const TABLE: Record<string, { starts: boolean; ends: boolean }> = {
  "draft active": { starts: true, ends: false },
  "active paused": { starts: false, ends: false },
  "paused active": { starts: false, ends: false },
  "active completed": { starts: false, ends: true },
  "paused completed": { starts: false, ends: true },
};

const pairs = TRIP_STATUSES.flatMap((from) =>
  TRIP_STATUSES.map((to): [TripStatus, TripStatus] => [from, to]),
);

describe("a trip's status", () => {
  test("is one of four", () => {
    expect(TRIP_STATUSES).toEqual(["draft", "active", "paused", "completed"]);
    expect(pairs).toHaveLength(16);
  });

  test.each(pairs)("from %s to %s does what the table says", (from, to) => {
    expect(transition(from, to)).toEqual(TABLE[`${from} ${to}`] ?? null);
  });

  test("permits deletion of drafts and completed trips alone", () => {
    expect(TRIP_STATUSES.filter(isDeletable)).toEqual(["draft", "completed"]);
  });
});
