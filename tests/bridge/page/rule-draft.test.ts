import { describe, expect, test } from "bun:test";
import {
  bodyOf,
  changesOf,
  draftOf,
  EMPTY,
  type Rule,
} from "../../../src/bridge/page/panels/alerts/rules/draft";
import { filled, unknownWord } from "../../../src/bridge/page/panels/alerts/rules/message";
import {
  draftOf as draftOfWatch,
  bodyOf as dropOf,
  placeOf,
} from "../../../src/bridge/page/panels/anchor/draft";

/** Rules and anchor watches as the forms of the page hold them, and back. */

const ID = "018f3c2e-0000-7000-8000-000000000001";
const OTHER = "018f3c2e-0000-7000-8000-000000000002";

const rule = (fields: Partial<Rule> = {}): Rule => ({
  ...{ id: ID, name: "Leaves at night", is_active: true, is_silent: false, is_orphaned: false },
  ...{ severity: "alarm", device_ids: [ID], hold_seconds: 60, cooldown_seconds: 300, schedule: null },
  condition: { type: "zone", event: "exit", geofence_ids: [OTHER] },
  ...{ target_ids: null, escalate_after_seconds: null, escalate_target_ids: null, message: null },
  ...{ box_ids: [], is_from_shore: false },
  ...{ created_at: "2026-05-04T09:30:00.000Z", updated_at: "2026-05-04T09:30:00.000Z" },
  ...fields,
});

describe("the draft of a rule", () => {
  test.each<Rule["condition"]>([
    { type: "zone", event: "dwell", geofence_ids: [] },
    { type: "zone", event: "exit", geofence_ids: [ID, OTHER] },
    { type: "silence", seconds: 90 },
    { type: "speed", above_knots: 7.5 },
    { type: "anchor" },
    { type: "battery", below_percent: 15 },
    { type: "water_level", station: ID, above_cm: 620 },
    { type: "water_level", station: ID, below_cm: -40 },
    { type: "system", what: "disk_free", below: 2_000 },
    { type: "system", what: "backup_age", above: 48 },
  ])("keeps a condition as it is: %j", (condition) => {
    const ofDevices = condition.type !== "water_level" && condition.type !== "system";
    const before = rule({ condition, device_ids: ofDevices ? [ID] : [] });
    expect(bodyOf(draftOf(before)).condition).toEqual(condition);
    expect(changesOf(before, draftOf(before))).toEqual({});
  });

  test("tells nobody, the default targets, or some, as it says", () => {
    const targets = (target_ids: string[] | null) => bodyOf(draftOf(rule({ target_ids }))).target_ids;
    expect([targets(null), targets([]), targets([ID])]).toEqual([null, [], [ID]]);
  });

  test("names no device where the condition is of none", () => {
    const draft = { ...draftOf(rule()), type: "system" as const, amount: 500 };
    expect(bodyOf(draft)).toMatchObject({
      device_ids: [],
      condition: { type: "system", what: "disk_free", below: 500 },
    });
  });

  test("sends what has changed, and nothing else", () => {
    const before = rule();
    expect(changesOf(before, { ...draftOf(before), name: " Leaves " })).toEqual({ name: "Leaves" });
    const escalated = { ...draftOf(before), escalates: true, escalateAfter: 60, escalateIds: [OTHER] };
    expect(changesOf(before, escalated)).toEqual({
      escalate_after_seconds: 60,
      escalate_target_ids: [OTHER],
    });
  });

  test("says anew what a rule tells that waits for it", () => {
    const silent = rule({ is_silent: true });
    expect(changesOf(silent, draftOf(silent))).toEqual({
      device_ids: silent.device_ids,
      condition: silent.condition,
    });
  });

  test("begins as a rule that the API would take, but for its name", () => {
    expect(bodyOf({ ...EMPTY, name: "x" })).toMatchObject({
      condition: { type: "zone", event: "exit", geofence_ids: [] },
      target_ids: null,
    });
  });
});

describe("the text of a rule", () => {
  const samples = { device: "Vilm", zone: "Depot", value: "7.4", time: "noon", place: "here" };

  test("is filled in, and told of words that nothing is known for", () => {
    expect(filled("{device} left {zone} at {time}", samples)).toBe("Vilm left Depot at noon");
    expect([unknownWord("{device} in {harbour}"), unknownWord("{}"), unknownWord("{value}")]).toEqual([
      "harbour",
      "",
      null,
    ]);
  });
});

describe("the draft of an anchor watch", () => {
  const boat = { latitude: 54, longitude: 13 };
  const empty = draftOfWatch(null, boat);

  test("lies at the boat, in a direction from it, or at a place", () => {
    expect(placeOf(empty, null, boat)).toEqual([13, 54]);
    const [longitude, latitude] = placeOf(
      { ...empty, mode: "bearing", direction: 180, away: 111.195 },
      null,
      boat,
    ) as [number, number];
    expect(longitude).toBeCloseTo(13, 6);
    expect(latitude).toBeCloseTo(53.999, 5);
    expect(placeOf({ ...empty, mode: "map" }, null, boat)).toBeNull();
    expect(placeOf(draftOfWatch(null, null), null, null)).toBeNull();
  });

  test("says all that a watch has, so that nothing falls back to a default", () => {
    expect(dropOf({ ...empty, warning: 30, silence: 60, targets: "some", targetIds: [ID] })).toEqual({
      ...{ bearing_deg: 0, distance_m: 0, radius_m: 40, warning_radius_m: 30 },
      ...{ silence_seconds: 60, confirm_fixes: 2, severity: "alarm", target_ids: [ID] },
    });
    const place = { ...empty, mode: "map" as const, latitude: 54.1, longitude: 13.2 };
    expect(dropOf(place)).toMatchObject({ latitude: 54.1, longitude: 13.2 });
  });
});
