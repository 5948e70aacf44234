import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { createRule, deleteRule, listRules, updateRule } from "../../../src/alerts/rules/service";
import type { Actor } from "../../../src/identity/access/actor";
import { APP_ID } from "../../../src/identity/access/caller";
import { sqlite } from "../../../src/kernel/db/connection";
import { closeDatabase } from "../../../src/kernel/db/transactions";
import { setClock } from "../../../src/kernel/time/clock";
import { appliedSet, applySet, wantsSet } from "../../../src/sync/down/apply";
import type { AssignedRule, AssignedSet, AssignedZone } from "../../../src/sync/down/schema";
import { listEvents } from "../../../src/tracking/crossings/service";
import {
  createGeofence,
  deleteGeofence,
  listGeofences,
  updateGeofence,
} from "../../../src/tracking/geofences/service";
import { configure } from "../../support/in-process";
import { keyOf, newDevice, openTracking, record, SERVICE } from "../../tracking/in-process";
import { northOf, type Place } from "../../tracking/support";

/** Aboard: a set from the shore is applied whole or not at all, and is the shore's while there is a link. */

const NOW = Date.UTC(2026, 4, 4, 12);
const SECONDS = NOW / 1_000;
const HERE = { latitude: 54, longitude: 13 };
const PAGE = { page: 1, limit: 100 };
const LINK = { "sync.url": "https://shore.example.org", "sync.token": "flb_token" };

beforeEach(async () => {
  setClock(() => NOW);
  configure(LINK);
  await openTracking();
});
afterAll(() => {
  closeDatabase();
  setClock();
});

const idOf = (n: number) => `0192f3a1-5c00-7d1e-9a55-3f1f6c1f${String(n).padStart(4, "0")}`;

const zone = (n: number, fields: Partial<AssignedZone> = {}): AssignedZone => ({
  ...{ id: idOf(n), name: `zone ${n}`, description: null, kind: "circle", geometry: null, width_m: null },
  ...{ ...HERE, radius_km: 1, is_active: true, enter_after_s: 0, exit_after_s: 0, confirm_fixes: 1 },
  ...{ exit_margin_m: null, max_accuracy_m: null, dwell_seconds: null, color: null, metadata: null },
  ...fields,
});
const rule = (n: number, fields: Partial<AssignedRule> = {}): AssignedRule => ({
  ...{ id: idOf(n), name: `rule ${n}`, is_active: true, severity: "alarm", device_ids: [] },
  ...{ condition: { type: "speed", above_knots: n }, hold_seconds: 0, cooldown_seconds: 300 },
  ...{ schedule: null, message: null },
  ...fields,
});

let made = 0;
const setOf = (zones: AssignedZone[], rules: AssignedRule[] = [], fields = {}): AssignedSet => {
  made++;
  return { form: 1, tag: `tag ${made}`, version: made, zones, rules, ...fields };
};

/** The shore's zones and rules that are there, as a set has them. */
const shores = () => {
  const isShores = ({ is_from_shore }: { is_from_shore: boolean }) => is_from_shore;
  const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1);
  const zones = listGeofences(PAGE)
    .rows.filter(isShores)
    .map(({ created_at: _c, updated_at: _u, box_ids: _b, is_from_shore: _f, ...rest }) => rest);
  const rules = listRules(PAGE)
    .rows.filter(isShores)
    .map(
      ({
        created_at: _c,
        updated_at: _u,
        box_ids: _b,
        is_from_shore: _f,
        is_silent: _s,
        is_orphaned: _o,
        target_ids: _t,
        escalate_after_seconds: _e,
        escalate_target_ids: _i,
        ...rest
      }) => rest,
    );
  return { zones: zones.sort(byId), rules: rules.sort(byId) };
};

const TABLES = ["geofences", "alert_rules", "geofence_presence", "geofence_events", "alerts", "counters"];
const state = () => TABLES.map((table) => sqlite.query(`SELECT * FROM ${table}`).all());

const events = () =>
  listEvents(PAGE, {})
    .rows.map(({ event }) => event)
    .reverse();

test("a set is applied, and the next one replaces it", async () => {
  const polygon = {
    type: "Polygon",
    coordinates: [
      [
        [13, 54],
        [13.1, 54],
        [13.1, 54.1],
        [13, 54],
      ],
    ],
  };
  const first = setOf([zone(1), zone(2)], [rule(3), rule(4)]);
  expect(wantsSet(first.tag)).toBe(true);
  expect(await applySet(first)).toEqual({ error: null });
  expect(shores()).toEqual({ zones: first.zones, rules: first.rules });
  expect([wantsSet(first.tag), appliedSet()]).toEqual([false, { version: first.version, error: null }]);
  const kinds = { kind: "polygon", geometry: polygon } as const;
  const second = setOf(
    [zone(2, { name: "renamed", metadata: { a: 1 } }), zone(5, kinds)],
    [rule(4, { condition: { type: "zone", event: "exit", geofence_ids: [idOf(5)] }, message: "{zone}" })],
  );
  expect(await applySet(second)).toEqual({ error: null });
  const { zones, rules } = shores();
  expect(rules).toEqual(second.rules);
  expect(zones[0]).toEqual(second.zones[0] as AssignedZone);
  expect(zones[1]).toMatchObject({ id: idOf(5), ...kinds });
  // Sent again, none of it is another zone.
  const watched = () => sqlite.query("SELECT id, watch_from FROM geofences ORDER BY id").all();
  const before = watched();
  setClock(() => NOW + 1_000);
  expect(await applySet({ ...second, tag: "again" })).toEqual({ error: null });
  expect(watched()).toEqual(before);
  expect(await applySet(setOf([]))).toEqual({ error: null });
  expect(shores()).toEqual({ zones: [], rules: [] });
});

test("any sets, one after the other, leave what the last one holds, beside the box's own", async () => {
  const field = fc.record({
    is_active: fc.boolean(),
    radius_km: fc.constantFrom(1, 2),
    name: fc.constantFrom("a", "b"),
    dwell_seconds: fc.constantFrom(null, 60),
  });
  const zones = fc.uniqueArray(fc.tuple(fc.integer({ min: 1, max: 4 }), field), { selector: ([n]) => n });
  const rules = fc.uniqueArray(
    fc.tuple(fc.integer({ min: 11, max: 14 }), fc.boolean(), fc.constantFrom("a", "b"), fc.boolean()),
    { selector: ([n]) => n },
  );
  const device = newDevice();
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(zones, rules), { minLength: 1, maxLength: 4 }), async (sets) => {
      await openTracking();
      sqlite.run("INSERT INTO devices (id, name, created_at, updated_at) VALUES (?, 'd', 0, 0)", [device]);
      await record(device, SECONDS);
      const own = await createGeofence(SERVICE, { name: "own", ...HERE, radius_km: 3 });
      for (const [drawnZones, drawnRules] of sets) {
        const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1);
        const ofZones = drawnZones.map(([n, fields]) => zone(n, fields)).sort(byId);
        const ofRules = drawnRules
          .map(([n, is_active, name, isOfZone]) =>
            rule(n, {
              ...{ is_active, name },
              ...(isOfZone && {
                condition: { type: "zone", event: "exit", geofence_ids: ofZones.map(({ id }) => id) },
              }),
            }),
          )
          .sort(byId);
        expect(await applySet(setOf(ofZones, ofRules))).toEqual({ error: null });
        expect(shores()).toEqual({ zones: ofZones, rules: ofRules });
      }
      const kept = listGeofences(PAGE).rows.filter(({ is_from_shore }) => !is_from_shore);
      expect(kept).toEqual([own]);
      // The counters that lists count by.
      expect(listGeofences(PAGE).total).toBe(listGeofences(PAGE).rows.length);
      expect(listRules(PAGE).total).toBe(listRules(PAGE).rows.length);
    }),
    { numRuns: 25 },
  );
});

describe("a set is refused whole", () => {
  const refused: [why: string, set: () => unknown, error: RegExp][] = [
    ["of a newer form", () => setOf([zone(1)], [], { form: 2 }), /newer version of Fairlead/],
    [
      "with a kind of zone that is unknown here",
      () => setOf([zone(1, { kind: "spiral" as "circle" })]),
      /zones\.0\.kind must be one of/,
    ],
    [
      "with a condition that is unknown here",
      () => setOf([], [rule(2, { condition: { type: "tide" } as never })]),
      /rules\.0\.condition\.type must be one of/,
    ],
    [
      "that names a device which isn't there",
      () => setOf([zone(1)], [rule(2, { device_ids: [idOf(99)] })]),
      /^alert rule rule 2: .*is no device$/,
    ],
    [
      "that names a zone which isn't there",
      () => setOf([], [rule(2, { condition: { type: "zone", event: "exit", geofence_ids: [idOf(9)] } })]),
      /^alert rule rule 2: .*is no zone$/,
    ],
    [
      "with a ring that crosses itself",
      () =>
        setOf([
          zone(1, {
            kind: "polygon",
            geometry: {
              type: "Polygon",
              coordinates: [
                [
                  [0, 0],
                  [1, 1],
                  [0, 1],
                  [1, 0],
                  [0, 0],
                ],
              ],
            },
          }),
        ]),
      /^zone zone 1: geometry/,
    ],
    ["without a field", () => setOf([{ ...zone(1), radius_km: undefined as never }]), /zones\.0\.radius_km/],
    ["that is none", () => "nonsense", /must be an object/],
    ["that is nothing", () => null, /must be an object/],
  ];

  test.each(refused)("%s", async (_why, set, error) => {
    const former = setOf([zone(1, { name: "former" }), zone(7)], [rule(8)]);
    await applySet(former);
    const before = state();
    const answer = await applySet(set());
    expect(answer.error).toMatch(error);
    expect(state()).toEqual(before);
    expect(appliedSet()).toEqual({ version: former.version, error: answer.error });
  });

  test("where the box has one of its own with the same identifier", async () => {
    const own = await createGeofence(SERVICE, { name: "own", ...HERE, radius_km: 3 });
    const before = state();
    const { error } = await applySet(setOf([zone(1), zone(2, { id: own.id })]));
    expect(error).toMatch(/one of its own/);
    expect(state()).toEqual(before);
  });

  test("where it is larger than a shore makes one", async () => {
    const before = state();
    const ids = Array.from({ length: 201 }, (_, at) => at + 1_000);
    expect((await applySet(setOf(ids.map((n) => zone(n))))).error).toMatch(/zones.*200/);
    expect(
      (
        await applySet(
          setOf(
            [],
            ids.map((n) => rule(n)),
          ),
        )
      ).error,
    ).toMatch(/rules.*200/);
    expect(state()).toEqual(before);
  });

  test("and tried again after a while, since a device may be there by then", async () => {
    const device = idOf(50);
    const set = setOf([], [rule(2, { device_ids: [device] })]);
    await applySet(set);
    expect(wantsSet(set.tag)).toBe(false);
    expect(wantsSet("another")).toBe(true);
    setClock(() => NOW + 15 * 60_000);
    expect(wantsSet(set.tag)).toBe(true);
    sqlite.run("INSERT INTO devices (id, name, created_at, updated_at) VALUES (?, 'd', 0, 0)", [device]);
    expect(await applySet(set)).toEqual({ error: null });
    expect(appliedSet()).toEqual({ version: set.version, error: null });
  });
});

describe("zones of the shore", () => {
  test("watch like any other, and begin anew with another shape alone", async () => {
    const device = newDevice();
    let second = SECONDS;
    const moveTo = (place: Place) => {
      second += 10;
      setClock(() => second * 1_000);
      return record(device, second, place);
    };
    await moveTo(HERE);
    await applySet(setOf([zone(1)]));
    // It was inside when the zone began to watch: nobody is told.
    await moveTo(northOf(HERE, 0.5));
    expect(events()).toEqual([]);
    await moveTo(northOf(HERE, 5));
    expect(events()).toEqual(["exit"]);
    await applySet(setOf([zone(1, { name: "renamed" })]));
    await moveTo(HERE);
    expect(events()).toEqual(["exit", "enter"]);
    await applySet(setOf([zone(1, { radius_km: 0.1, ...northOf(HERE, 20) })]));
    await moveTo(northOf(HERE, 5));
    expect(events()).toEqual(["exit", "enter"]);
    await moveTo(northOf(HERE, 20));
    expect(events()).toEqual(["exit", "enter", "enter"]);
    await applySet(setOf([]));
    await moveTo(HERE);
    expect(events()).toEqual(["exit", "enter", "enter"]);
  });

  test("raise the alerts of rules that came with them", async () => {
    const device = newDevice();
    const condition: AssignedRule["condition"] = { type: "zone", event: "exit", geofence_ids: [idOf(1)] };
    await applySet(setOf([zone(1)], [rule(2, { condition, device_ids: [device] })]));
    expect(listRules(PAGE).rows.map(({ is_silent }) => is_silent)).toEqual([false]);
    await record(device, SECONDS - 10, HERE);
    await record(device, SECONDS, northOf(HERE, 5));
    expect(sqlite.query("SELECT rule_id, status, box_id FROM alerts").all()).toEqual([
      { rule_id: idOf(2), status: "open", box_id: null },
    ]);
    // Its end clears what it raised, as if somebody had deleted it here.
    await applySet(setOf([zone(1)]));
    expect(sqlite.query("SELECT status FROM alerts").all()).toEqual([{ status: "cleared" }]);
  });
});

describe("what the shore handed down", () => {
  const own = () => updateGeofence(SERVICE, idOf(1), { name: "mine" });
  const changes: [string, () => Promise<unknown>][] = [
    ["a change of a zone", own],
    ["the end of a zone", () => deleteGeofence(SERVICE, idOf(1))],
    ["a change of a rule", () => updateRule(SERVICE, idOf(2), { name: "mine" })],
    ["the end of a rule", () => deleteRule(SERVICE, idOf(2))],
  ];

  test.each(changes)("is not changed aboard: %s", async (_what, change) => {
    await applySet(setOf([zone(1)], [rule(2)]));
    const before = state();
    expect(change()).rejects.toMatchObject({ name: "OwnedByShore", status: 409 });
    await change().catch(() => {});
    expect(state()).toEqual(before);
  });

  test.each(changes)(
    "is the box's to change without a link, until the next one: %s",
    async (_what, change) => {
      const set = setOf([zone(1)], [rule(2)]);
      await applySet(set);
      configure();
      await change();
      configure(LINK);
      expect(wantsSet(set.tag)).toBe(true);
      expect(await applySet(set)).toEqual({ error: null });
      expect(shores()).toEqual({ zones: set.zones, rules: set.rules });
    },
  );

  test("leaves the box its own", async () => {
    await applySet(setOf([zone(1)], [rule(2)]));
    const zoneOfBox = await createGeofence(SERVICE, { name: "own", ...HERE, radius_km: 3 });
    sqlite.run("INSERT INTO users (id, username, created_at, updated_at) VALUES ('crew', 'crew', 0, 0)");
    const crew: Actor = {
      ...SERVICE,
      caller: { ...keyOf(null), id: APP_ID, isSystem: false, userId: "crew" },
    };
    const ruleOfBox = await createRule(crew, {
      ...{ name: "own", severity: "info", condition: { type: "speed", above_knots: 1 } },
    });
    await updateGeofence(SERVICE, zoneOfBox.id, { name: "still mine" });
    await updateRule(SERVICE, ruleOfBox.id, { name: "still mine" });
    await applySet(setOf([]));
    expect(listGeofences(PAGE).rows.map(({ name }) => name)).toEqual(["still mine"]);
    expect(listRules(PAGE).rows.map(({ name }) => name)).toEqual(["still mine"]);
  });
});
