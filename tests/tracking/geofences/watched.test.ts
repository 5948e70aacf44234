import { afterAll, beforeAll, expect, test } from "bun:test";
import { closeDatabase } from "../../../src/kernel/db/transactions";
import { createGeofence } from "../../../src/tracking/geofences/service";
import { arcBetween } from "../../../src/tracking/geofences/sphere";
import { isCutBy, surroundingsOf, type Zone, zonesBetween } from "../../../src/tracking/geofences/watched";
import { randomFrom } from "../../support/random";
import { away } from "../crossings/reference";
import { anyZone } from "../crossings/support";
import { openTracking, SERVICE } from "../in-process";
import { type Place, randomPlace } from "../support";

/** The zones that a way between two places may cut: all that it does cut, and few that are far from it. */

const COUNT = 600;

beforeAll(async () => {
  await openTracking();
  const random = randomFrom(3);
  for (let n = 0; n < COUNT; n++)
    await createGeofence(SERVICE, anyZone(random, randomPlace(random), 200)).catch(() => null);
});
afterAll(closeDatabase);

const zonesOn = (from: Place, to: Place): readonly Zone[] =>
  zonesBetween(surroundingsOf(from), surroundingsOf(to));

test("finds all zones that a way cuts, however long it is, and leaves out those far away", () => {
  const random = randomFrom(4);
  const all = new Map<number, Zone>();
  const ways = Array.from({ length: 300 }, (_, n): [Place, Place] => {
    const from = randomPlace(random);
    return [from, n % 2 === 0 ? randomPlace(random) : away(from, 10 ** (4 * random()), 7 * random())];
  });
  for (const way of ways) for (const zone of zonesOn(...way)) all.set(zone.seq, zone);
  expect(all.size).toBeGreaterThan(COUNT / 2);
  const seen = { cut: 0, most: 0 };
  for (const [from, to] of ways) {
    const arc = arcBetween(surroundingsOf(from).vector, surroundingsOf(to).vector);
    const found = new Set(zonesOn(from, to).map(({ seq }) => seq));
    const cut = [...all.values()].filter((zone) => isCutBy(zone, arc));
    expect(cut.filter(({ seq }) => !found.has(seq))).toEqual([]);
    seen.cut += cut.length;
    seen.most = Math.max(seen.most, found.size / COUNT);
  }
  expect(seen.cut).toBeGreaterThan(500);
  // The zones reach far: a way across the Earth cuts some of them, and passes by most.
  expect(seen.most).toBeLessThan(0.2);
});
