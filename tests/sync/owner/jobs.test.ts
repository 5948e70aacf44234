import { afterAll, beforeEach, expect, test } from "bun:test";
import { sqlite } from "../../../src/kernel/db/connection";
import { closeDatabase, transact } from "../../../src/kernel/db/transactions";
import { setClock } from "../../../src/kernel/time/clock";
import { makeTrips } from "../../../src/tracking/auto-trips/service";
import { deleteOldPoints } from "../../../src/tracking/gps/retention";
import { logPositions } from "../../../src/tracking/log/positions";
import { newDevice, openTracking, record, setSystemConfig, voyage } from "../../tracking/in-process";
import { fix, northOf } from "../../tracking/support";

/** Work that the server does by itself changes nothing that a box owns; age alone ends its positions ashore too. */

const NOW = Date.UTC(2026, 4, 4, 12);
const SECONDS = NOW / 1_000;
const MINUTE = 60;
const BOX = "0192f3a1-5c00-7d1e-9a55-3f1f6c1f0c01";

beforeEach(async () => {
  setClock(() => NOW);
  await openTracking();
  sqlite.run(
    "INSERT INTO boxes (id, name, token_hash, token_prefix, created_at, updated_at) VALUES (?, 'b', 'h', 'p', 0, 0)",
    [BOX],
  );
});
afterAll(() => {
  closeDatabase();
  setClock();
});

const give = (table: "devices" | "trips", id: string) =>
  sqlite.run(`UPDATE ${table} SET box_id = ? WHERE id = ?`, [BOX, id]);
const count = (table: string): number =>
  sqlite.query<{ n: number }, []>(`SELECT count(*) AS n FROM ${table}`).get()?.n ?? 0;

/** Lets a device move for a while. */
async function move(device: string): Promise<void> {
  for (let minute = 0; minute < 60; minute++) {
    setClock(() => NOW + minute * 60_000);
    await record(device, SECONDS + minute * MINUTE, northOf(fix(), minute * 0.3));
  }
}

test.each([
  ["of this server", false, 1],
  ["of a box", true, 0],
])("the log of a trip %s gets its positions by itself or not", async (_whose, isBoxes, entries) => {
  const { device, trip } = await voyage();
  await move(device);
  if (isBoxes)
    for (const [table, id] of [
      ["devices", device],
      ["trips", trip],
    ] as const)
      give(table, id);
  setClock(() => NOW + 61 * 60_000);
  await logPositions();
  expect(count("log_entries")).toBe(entries);
});

test.each([
  ["of this server", false, 1],
  ["of a box", true, 0],
])("a device %s that moves makes trips by itself or not", async (_whose, isBoxes, made) => {
  const device = newDevice();
  sqlite.run("UPDATE devices SET auto_trip = ? WHERE id = ?", [
    JSON.stringify({
      ...{ is_enabled: true, start_after_minutes: 3, end_after_minutes: 20, min_distance_km: 0.5 },
      name_template: "{date}",
    }),
    device,
  ]);
  await record(device, SECONDS - MINUTE, fix());
  await transact(() => makeTrips(device));
  await move(device);
  if (isBoxes) give("devices", device);
  while (await transact(() => makeTrips(device)));
  expect(count("trips")).toBe(made);
});

test("the positions of a box go by age as all others", async () => {
  const device = newDevice();
  await record(device, SECONDS - 40 * 86_400, fix());
  await record(device, SECONDS, fix());
  give("devices", device);
  await setSystemConfig("gps.retention_days", 30);
  await deleteOldPoints();
  expect(count("gps_points")).toBe(1);
});
