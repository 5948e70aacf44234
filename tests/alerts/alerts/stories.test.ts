import { afterAll, beforeAll, expect, test } from "bun:test";
import { done, expectStatus } from "../../support/expectations";
import { randomFrom } from "../../support/random";
import { TestServer } from "../../support/server";
import { MINUTE, SECOND } from "../../support/time";
import { createZone, fix, greatCircleKm, northOf, type Place } from "../../tracking/support";
import { alertsOf, newRule, type Sender } from "../support";

/**
 * Random stories of positions that come in time, old or late, one by one and in batches, held against what alerts there must be
 * by a few sentences: at each position that is neither late nor older than ten minutes, a rule compares where the device is
 * with where it was at the last such one.
 */

const STORIES = Number(process.env.STORIES ?? 25);
const STEPS = 30;
const COOLDOWN = 300;
const OLD = 600;

const HERE: Place = { latitude: fix().latitude, longitude: fix().longitude };
const EAST: Place = { latitude: HERE.latitude, longitude: HERE.longitude + 0.02 };
/** Places in neither zone, in one of them and in both. */
const PLACES = [northOf(HERE, 5), northOf(HERE, -0.6), { ...EAST, longitude: EAST.longitude + 0.006 }, HERE];

let server: TestServer;
let zones: { id: string; centre: Place; radius_km: number }[];
beforeAll(async () => {
  server = await TestServer.start({ clock: "movable" });
  zones = [];
  for (const [centre, radius_km] of [
    [HERE, 1],
    [EAST, 1.5],
  ] as const) {
    const { id } = await createZone(server, { ...centre, radius_km, exit_margin_m: 0 });
    zones.push({ id, centre, radius_km });
  }
});
afterAll(() => server.stop());

interface Rule {
  id: string;
  event: "enter" | "exit";
  zone: string;
}

interface Expected {
  status: "open" | "cleared";
  count: number;
  clearedAt: number;
}

/** The alerts that there must be, by rule, oldest first. */
class Reference {
  readonly alerts = new Map<string, Expected[]>();
  readonly #rules: Rule[];
  #newest = Number.NEGATIVE_INFINITY;
  #inside = new Set<string>();

  constructor(rules: Rule[]) {
    this.#rules = rules;
  }

  hear(place: Place, time: number, now: number): void {
    if (time < this.#newest) return;
    this.#newest = time;
    if (now / 1_000 - time > OLD) return;
    const inside = new Set(
      zones.filter(({ centre, radius_km }) => greatCircleKm(centre, place) <= radius_km).map(({ id }) => id),
    );
    for (const { id, event, zone } of this.#rules) {
      const [was, is] = [this.#inside.has(zone), inside.has(zone)];
      if (was === is) continue;
      const known = this.alerts.get(id) ?? [];
      this.alerts.set(id, known);
      const last = known.at(-1);
      if (is === (event === "enter")) {
        if (last && now - last.clearedAt < COOLDOWN * SECOND) {
          last.status = "open";
          last.count++;
        } else known.push({ status: "open", count: 1, clearedAt: 0 });
      } else if (last?.status === "open") Object.assign(last, { status: "cleared", clearedAt: now });
    }
    this.#inside = inside;
  }
}

async function rulesFor({ id }: Sender): Promise<Rule[]> {
  const rules: Rule[] = [];
  for (const { id: zone } of zones)
    for (const event of ["enter", "exit"] as const) {
      const condition = { type: "zone", event, geofence_ids: [zone] };
      const fields = { device_ids: [id], cooldown_seconds: COOLDOWN };
      rules.push({ id: (await newRule(server, condition, fields)).id, event, zone });
    }
  return rules;
}

test(`${STORIES} random stories raise and clear the alerts that a reference does`, async () => {
  let raised = 0;
  for (let story = 0; story < STORIES; story++) {
    const random = randomFrom(1_000 + story);
    const device = await server.device();
    const reference = new Reference(await rulesFor(device));
    const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T;
    for (let step = 0; step < STEPS; step++) {
      await server.advance(Math.ceil(random() * 4) * MINUTE);
      // In time, old, or late, also by hours; the whole seconds differ, so that none is a duplicate.
      const ages = [0, 0, 0, 0, OLD + 60, OLD + 200, 2 * OLD, 7_000];
      const size = random() < 0.2 ? 1 + Math.floor(random() * 4) : 1;
      const now = server.time;
      const positions = Array.from({ length: size }, (_, at) => ({
        ...pick(PLACES),
        timestamp: Math.floor(now / 1_000) - pick(ages) - at,
      })).toSorted((a, b) => a.timestamp - b.timestamp);
      const [only] = positions;
      if (size === 1)
        expectStatus(await server.post("/v1/gps", { token: device.key, body: { ...fix(), ...only } }), 201);
      else done(await server.post("/v1/gps/batch", { token: device.key, body: { positions } }));
      for (const { timestamp, ...place } of positions) reference.hear(place, timestamp, now);
    }
    const found = new Map<string, { status: string; count: number }[]>();
    for (const { rule_id, status, count } of await alertsOf(server, `&device_id=${device.id}`)) {
      raised++;
      found.set(rule_id, [...(found.get(rule_id) ?? []), { status, count }]);
    }
    const expected = new Map(
      [...reference.alerts].map(([id, all]) => [id, all.map(({ status, count }) => ({ status, count }))]),
    );
    const sorted = (alerts: typeof found) => [...alerts].toSorted(([a], [b]) => (a < b ? -1 : 1));
    expect([story, sorted(found)]).toEqual([story, sorted(expected)]);
  }
  expect(raised).toBeGreaterThan(STORIES * 4);
});
