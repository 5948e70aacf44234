import { afterAll, beforeAll, expect, test } from "bun:test";
import { done, eventually, expectStatus } from "../../support/expectations";
import { randomFrom } from "../../support/random";
import { rows } from "../../support/rows";
import { TestServer } from "../../support/server";
import { MINUTE, SECOND } from "../../support/time";
import { createZone, fix, type Place } from "../../tracking/support";
import { alertsOf, changeRule, corrected, newRule } from "../support";
import { type FixModel, Reference, type RuleModel, type ZoneModel } from "./reference";

/**
 * Random tales of devices among zones of all kinds, with late and old positions, times to hold and to cool down, silence and
 * servers that are killed, held against the alerts of a reference.
 */

/** Number of tales; many more by hand, from another seed on. */
const TALES = Number(process.env.TALES ?? 3);
const FROM = Number(process.env.FROM_TALE ?? 1);
const STEPS = 30;
/** At most so many kills in a tale. */
const KILLS = 2;

const at = (latitude: number, longitude: number): Place => ({ latitude, longitude });
const NOWHERE = at(54.2, 13.4);
const CIRCLE = at(54.1, 13.4);
const BRIDGE = at(54.1, 13.44);
const CHANNEL = at(54.1, 13.5);
const PLACES = [NOWHERE, CIRCLE, BRIDGE, CHANNEL];

let server: TestServer;
let zones: ZoneModel[];
beforeAll(async () => {
  server = await TestServer.start({ clock: "movable" });
  const [west, east, south, north] = [13.38, 13.46, 54.095, 54.105];
  const ring = [
    [west, south],
    [east, south],
    [east, north],
    [west, north],
    [west, south],
  ];
  const line = [
    [13.44, 54.1],
    [13.54, 54.1],
  ];
  const made = async (fields: object, inside: Place[], confirmFixes: number, dwellSeconds: number | null) => {
    const rules = { confirm_fixes: confirmFixes, dwell_seconds: dwellSeconds };
    const { id } = await createZone(server, { ...fields, ...rules });
    return { id, contains: (place: Place) => inside.includes(place), confirmFixes, dwellSeconds };
  };
  const noCircle = { latitude: undefined, longitude: undefined, radius_km: undefined };
  zones = [
    await made({ ...CIRCLE, radius_km: 1 }, [CIRCLE], 1, 900),
    await made(
      { ...noCircle, kind: "polygon", geometry: { type: "Polygon", coordinates: [ring] } },
      [CIRCLE, BRIDGE],
      2,
      null,
    ),
    await made(
      {
        ...noCircle,
        kind: "corridor",
        geometry: { type: "LineString", coordinates: line },
        width_m: 500,
      },
      [BRIDGE, CHANNEL],
      1,
      null,
    ),
  ];
});
afterAll(() => server.stop());

async function makeRules(deviceId: string): Promise<RuleModel[]> {
  const [circle, polygon, corridor] = zones.map(({ id }) => id) as [string, string, string];
  const wanted: Omit<RuleModel, "id">[] = [];
  const want = (condition: RuleModel["condition"], holdSeconds: number, cooldownSeconds: number) =>
    wanted.push({ condition, holdSeconds, cooldownSeconds });
  want({ type: "zone", event: "enter", zone: circle }, 0, 400);
  want({ type: "zone", event: "exit", zone: circle }, 600, 400);
  want({ type: "zone", event: "dwell", zone: circle }, 0, 0);
  want({ type: "zone", event: "enter", zone: polygon }, 0, 2_000);
  want({ type: "zone", event: "exit", zone: polygon }, 0, 0);
  want({ type: "zone", event: "enter", zone: corridor }, 900, 400);
  want({ type: "zone", event: "exit", zone: corridor }, 0, 1_000);
  want({ type: "speed", above: 10 }, 0, 400);
  want({ type: "speed", above: 15 }, 300, 0);
  want({ type: "silence", seconds: 1_815 }, 0, 400);
  const rules: RuleModel[] = [];
  for (const rule of wanted) {
    const { condition, holdSeconds: hold_seconds, cooldownSeconds: cooldown_seconds } = rule;
    const sent = {
      zone: () => ({ ...condition, zone: undefined, geofence_ids: ["zone" in condition && condition.zone] }),
      speed: () => ({ type: "speed", above_knots: "above" in condition && condition.above }),
      silence: () => condition,
    }[condition.type]();
    const fields = { device_ids: [deviceId], hold_seconds, cooldown_seconds };
    rules.push({ id: (await newRule(server, sent, fields)).id, ...rule });
  }
  return rules;
}

/** The alerts of a device, by rule. */
async function told(deviceId: string): Promise<Record<string, string[]>> {
  const found: Record<string, string[]> = {};
  for (const { rule_id, status, count } of await alertsOf(server, `&device_id=${deviceId}`))
    found[rule_id] = [...(found[rule_id] ?? []), `${status} ×${count}`];
  return found;
}

const expected = ({ alerts }: Reference): Record<string, string[]> =>
  Object.fromEntries(
    [...alerts].map(([id, all]) => [
      id,
      all.map(({ isOpen, count }) => `${isOpen ? "open" : "cleared"} ×${count}`),
    ]),
  );

const same = (a: object, b: object) => Bun.deepEquals(a, b);

/** Waits until the server has seen what is due; the reference sees it by then. */
async function seen(reference: Reference, deviceId: string): Promise<void> {
  await server.runJobs();
  await eventually(
    () =>
      rows(
        server,
        "SELECT 1 FROM alert_conditions WHERE device_id = ? AND due_at <= ?",
        deviceId,
        server.time,
      ).length === 0,
  );
  reference.watch(server.time);
  const until = performance.now() + 4_000;
  await eventually(async () => performance.now() > until || same(await told(deviceId), expected(reference)));
}

test.each(Array.from({ length: TALES }, (_, at) => FROM + at))(
  "tale %i raises and clears the alerts that the reference does",
  async (seed) => {
    const random = randomFrom(seed);
    const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T;
    const device = await server.device();
    const rules = await makeRules(device.id);
    const reference = new Reference(zones, rules);
    const history: string[] = [];
    const used = new Set<number>();
    let newest = 0;
    let kills = 0;

    /** A position of so many seconds ago, in a second without any. */
    const position = (age: number): FixModel => {
      let second = Math.floor(server.time / SECOND) - age;
      while (used.has(second)) second--;
      used.add(second);
      return { place: pick(PLACES), time: second * SECOND, speed: pick([4, 12, 18]) };
    };

    async function post(fixes: FixModel[]): Promise<void> {
      const now = server.time;
      const bodies = fixes.map(({ place, time, speed }) => ({
        ...place,
        timestamp: time / SECOND,
        speed_knots: speed,
      }));
      const [only] = bodies;
      if (bodies.length === 1)
        expectStatus(await server.post("/v1/gps", { token: device.key, body: { ...fix(), ...only } }), 201);
      else done(await server.post("/v1/gps/batch", { token: device.key, body: { positions: bodies } }));
      reference.take(fixes, now);
      newest = Math.max(newest, ...fixes.map(({ time }) => time));
      await corrected(server, device);
    }

    async function kill(): Promise<void> {
      // Arrivals are written down now and then.
      await server.advance(11 * SECOND);
      await server.runJobs();
      const { dataDir, ahead } = server;
      await server.stop("SIGKILL");
      const down = pick([0, 5, 20]) * MINUTE;
      server = await TestServer.start({ clock: "movable", dataDir, ahead: ahead + down });
      // Devices get a minute to tell that they live.
      await server.advance(2 * MINUTE);
    }

    for (let step = 0; step < STEPS; step++) {
      await server.advance(Math.ceil(random() ** 3 * 40) * MINUTE);
      if (kills < KILLS && random() < 0.08) {
        kills++;
        history.push("kill");
        await kill();
      }
      const silentAt = reference.silentAt(1_815);
      if (silentAt !== null && Math.abs(silentAt - server.time) < 20 * SECOND)
        await server.advance(45 * SECOND);
      await seen(reference, device.id);
      const fixes = Array.from({ length: random() < 0.25 ? 2 + Math.floor(random() * 4) : 1 }, () =>
        position(pick([0, 0, 0, 0, 200, 700, 1_500, 7_000])),
      ).toSorted((a, b) => a.time - b.time);
      const late = fixes.filter(({ time }) => time < newest);
      // The reference takes either sort at once.
      for (const some of [late, fixes.filter(({ time }) => time >= newest)])
        if (some.length > 0) {
          history.push(
            some
              .map(
                ({ place, time, speed }) =>
                  `${PLACES.indexOf(place)}@-${Math.round((server.time - time) / SECOND)} ${speed} kn`,
              )
              .join(", "),
          );
          await post(some);
        }
      await seen(reference, device.id);
      const [found, wanted] = [await told(device.id), expected(reference)];
      if (!same(found, wanted)) {
        const wrong = rules.filter(({ id }) => !same(found[id] ?? [], wanted[id] ?? []));
        const words = wrong.map(({ id, ...rule }) => ({ ...rule, found: found[id], wanted: wanted[id] }));
        throw new Error(`tale ${seed}, step ${step}: ${JSON.stringify(words)}\n${history.join("\n")}`);
      }
    }
    expect(Object.values(await told(device.id)).flat().length).toBeGreaterThan(5);
    // Silence of a device that is done would go on.
    for (const { id } of rules) await changeRule(server, id, { is_active: false });
  },
);
