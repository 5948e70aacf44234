import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Actor } from "../../src/identity/access/actor";
import { APP_ID, type KeyCaller } from "../../src/identity/access/caller";
import { PermissionSet } from "../../src/identity/access/permissions";
import { openDatabase, sqlite } from "../../src/kernel/db/connection";
import { migrate } from "../../src/kernel/db/migrate";
import { closeDatabase, transact } from "../../src/kernel/db/transactions";
import { loadSystemConfig, setSystemValue } from "../../src/runtime-settings/service";
import { recordPosition } from "../../src/tracking/ingest/record";
import { createTrip, updateTrip } from "../../src/tracking/trips/service";
import { temporaryDirectory } from "../support/server";
import { fix, greatCircleKm, type Place } from "./support";

/**
 * The tracking services in the test's own process, for behaviour that depends on which changes share a
 * commit.
 */

/** Opens an empty database in memory. All statements are prepared anew. */
export async function openTracking(): Promise<void> {
  openDatabase(":memory:", "normal");
  migrate();
  await transact(loadSystemConfig);
}

/** Opens a copy of the database, for which no statement is prepared yet. */
export function reopen(): void {
  const file = join(temporaryDirectory(), "copy.db");
  writeFileSync(file, sqlite.serialize());
  closeDatabase();
  openDatabase(file, "normal");
}

/** Sets a value of the system config. */
export const setSystemConfig = (...setting: Parameters<typeof setSystemValue>): Promise<void> =>
  transact(() => setSystemValue(...setting));

/** A key with all permissions that posts for a device. */
export const keyOf = (deviceId: string | null): KeyCaller => ({
  kind: "key",
  id: "key",
  tokenHash: "",
  permissions: PermissionSet.all,
  isSuperAdmin: true,
  expiresAt: null,
  usedAt: 0,
  userId: null,
  isSystem: true,
  deviceId,
});

/** An actor that is no record of the database, and is not looked up there. */
export const SERVICE: Actor = {
  caller: { ...keyOf(null), id: APP_ID },
  client: { address: "127.0.0.1", userAgent: null, acceptLanguage: null },
};

/** Stores a device and returns its identifier. */
export function newDevice(): string {
  const id = Bun.randomUUIDv7();
  sqlite.run("INSERT INTO devices (id, name, created_at, updated_at) VALUES (?, 'device', 0, 0)", [id]);
  return id;
}

export const move = (trip: string, status: "active" | "paused" | "completed") =>
  updateTrip(SERVICE, trip, { status });

/** A device and its active trip that logs. */
export async function voyage(): Promise<{ device: string; trip: string }> {
  const device = newDevice();
  const { id: trip } = await createTrip(SERVICE, {
    name: "trip",
    device_id: device,
    gps_logging_enabled: true,
  });
  await move(trip, "active");
  return { device, trip };
}

/** Records a position of a device at a time in seconds. */
export const record = async (device: string | null, timestamp: number, place: Place = fix()) =>
  (await recordPosition(keyOf(device), { ...fix(place), timestamp })).point;

/** The sum of the distances from each place to the next. */
export const lengthKm = (places: Place[]): number =>
  places.slice(1).reduce((sum, place, at) => sum + greatCircleKm(places[at] as Place, place), 0);
