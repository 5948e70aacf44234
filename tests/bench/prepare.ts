import { copyFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { loadConfig } from "../../src/config";
import { type Fix, readTrack, toGpsBody, underWay } from "../../src/demo/track";
import { authenticate, type Caller } from "../../src/identity/access/caller";
import { insertApiKey } from "../../src/identity/api-keys/service";
import { seedIdentity } from "../../src/identity/seed";
import { insertUser } from "../../src/identity/users/service";
import { HOUR, now, SECOND } from "../../src/kernel/clock";
import { hashPassword } from "../../src/kernel/crypto";
import { dataPath, openData, prepareDataDirectory } from "../../src/kernel/data-dir";
import { adjustCounter, closeDatabase, db, sqlite, transact } from "../../src/kernel/db";
import { newId } from "../../src/kernel/id";
import { loadSystemConfig, setSystemValue } from "../../src/operations/system-config/service";
import { createDevice } from "../../src/tracking/devices/service";
import { boundingBox, type Position } from "../../src/tracking/geofences/geometry";
import { geofences } from "../../src/tracking/geofences/table";
import { tripPoints } from "../../src/tracking/gps/service";
import { gpsPoints } from "../../src/tracking/gps/table";
import { createTrip, updateTrip } from "../../src/tracking/trips/service";

/** What the requests of the bench name. */
/** The client of what is prepared. */
const NOBODY = { address: "127.0.0.1", userAgent: null, acceptLanguage: null };

export interface Fixture {
  /** A user's key that is linked to the device and holds `gps:*`. */
  key: string;
  /** A device with an active trip that logs. */
  deviceId: string;
  /** Some stored points, from all over the table. */
  pointIds: string[];
}

/** Who signs in. */
export const USER = { identifier: "skipper", password: "correct horse battery" };

const DEVICES = 100;
const SAMPLE = 1_000;

/**
 * Makes a data directory with positions of 100 devices, and zones. `zoneCounts` rise; with each one reached,
 * `onZones` may copy the database. Rate limits count as they always do, and are too high to be met.
 */
export async function prepare(
  directory: string,
  points: number,
  zoneCounts: number[],
  onZones: (zones: number) => void,
): Promise<Fixture> {
  loadConfig({ dataDir: directory, environment: {} });
  prepareDataDirectory();
  openData(false);
  await transact(() => {
    seedIdentity();
    loadSystemConfig();
    setSystemValue("gps.rate_limit_requests", 1_000_000);
    setSystemValue("gps.rate_limit_window_seconds", 1);
  });
  const track = underWay(await readTrack());
  const { key, deviceIds, tripId } = await addFleet();
  const pointIds = await addPoints(points, track, deviceIds, tripId);
  let present = 0;
  for (const count of zoneCounts) {
    await addZones(present, count, track);
    present = count;
    sqlite.run("PRAGMA wal_checkpoint(TRUNCATE)");
    onZones(count);
  }
  closeDatabase();
  return { key, deviceId: deviceIds[0] ?? "", pointIds };
}

/** Copies the prepared database into a data directory of its own. */
export function copyDatabase(directory: string): string {
  mkdirSync(directory, { recursive: true });
  copyFileSync(dataPath.database(), join(directory, "fairlead.db"));
  return directory;
}

async function addFleet(): Promise<{ key: string; deviceIds: string[]; tripId: string }> {
  const passwordHash = await hashPassword(USER.password);
  const { key, id } = await transact(() => {
    const { id: ownerId } = insertUser({
      username: USER.identifier,
      email: "skipper@example.org",
      passwordHash,
      roles: ["role_super_admin"],
    });
    return insertApiKey(
      { name: "bench", description: null, scopes: ["gps:*"], expiresAt: null, ownerId, isSystem: false },
      null,
    );
  });
  const owner = authenticate(key) as Caller;
  const devices = await Promise.all(
    Array.from({ length: DEVICES }, (_, at) =>
      createDevice(owner, { name: `Boat ${at + 1}`, ...(at === 0 && { api_key_id: id }) }, NOBODY),
    ),
  );
  const deviceIds = devices.map((device) => device.id);
  const trip = await createTrip({
    name: "Greifswald and back",
    gps_logging_enabled: true,
    device_id: deviceIds[0] ?? null,
  });
  await updateTrip(owner, trip.id, { status: "active" });
  return { key, deviceIds, tripId: trip.id };
}

/** Rows of one statement, and of one transaction: between two, the bench can be interrupted. */
const ROWS = 500;
const ROWS_PER_COMMIT = 10_000;

/** Calls `add` with the bounds of one statement's rows after the other, some statements to a transaction. */
async function inBatches(from: number, to: number, add: (from: number, to: number) => void): Promise<void> {
  for (let start = from; start < to; start += ROWS_PER_COMMIT) {
    const end = Math.min(to, start + ROWS_PER_COMMIT);
    await transact(() => {
      for (let at = start; at < end; at += ROWS) add(at, Math.min(end, at + ROWS));
    });
  }
}

const range = <T>(from: number, to: number, make: (at: number) => T): T[] =>
  Array.from({ length: to - from }, (_, offset) => make(from + offset));

/** Adds points a second apart, the last one an hour ago; the devices report in turn. Returns some identifiers. */
async function addPoints(
  count: number,
  track: Fix[],
  deviceIds: string[],
  tripId: string,
): Promise<string[]> {
  const first = Math.floor((now() - HOUR) / SECOND) - count;
  const sample: string[] = [];
  const every = Math.max(1, Math.floor(count / SAMPLE));
  const row = (at: number) => {
    const id = newId();
    if (at % every === 0 && sample.length < SAMPLE) sample.push(id);
    const time = (first + at) * SECOND;
    return {
      id,
      device_id: deviceIds[at % deviceIds.length] ?? null,
      trip_id: at % deviceIds.length === 0 ? tripId : null,
      ...toGpsBody(track[at % track.length] as Fix, 0),
      altitude: 3.2,
      hdop: 0.9,
      timestamp: time,
      created_at: time,
    };
  };
  await inBatches(0, count, (from, to) => {
    const rows = range(from, to, row);
    db.insert(gpsPoints).values(rows).run();
    adjustCounter("gps_points", rows.length);
    adjustCounter(tripPoints(tripId), rows.filter((point) => point.trip_id !== null).length);
  });
  return sample;
}

/** Zones on the way of the posted track, whatever their number in all. */
const ZONES_NEAR = 10;
const KM_PER_DEGREE = 111.2;
/** Area of sea or land for each other zone: a square that grows with their number, so that they stay as dense. */
const KM2_PER_ZONE = 18;

/**
 * Adds zones until there are `to`: first some around places of the track, then ones spread evenly over an area.
 * In bulk, as `createGeofence` stores them: a hundred thousand calls of it take half a minute.
 */
async function addZones(from: number, to: number, track: Fix[]): Promise<void> {
  const middle = track[Math.floor(track.length / 2)] as Fix;
  const sideKm = Math.sqrt(to * KM2_PER_ZONE);
  const columns = Math.ceil(Math.sqrt(to));
  const centre = (at: number): Position => {
    if (at < ZONES_NEAR) return track[Math.floor(((at + 0.5) * track.length) / ZONES_NEAR)] as Fix;
    const north = (Math.floor(at / columns) / columns - 0.5) * sideKm;
    const east = ((at % columns) / columns - 0.5) * sideKm;
    const latitude = middle.latitude + north / KM_PER_DEGREE;
    const longitude = middle.longitude + east / (KM_PER_DEGREE * Math.cos((middle.latitude * Math.PI) / 180));
    return { latitude, longitude };
  };
  const zone = (at: number) => {
    const { latitude, longitude } = centre(at);
    const stamps = { created_at: now(), updated_at: now() };
    return { id: newId(), name: `Zone ${at + 1}`, latitude, longitude, radius_km: 0.3, ...stamps };
  };
  const intoIndex = sqlite.prepare<unknown, number[]>(
    "INSERT INTO geofence_index VALUES (?, ?, ?, ?, ?, ?, ?)",
  );
  await inBatches(from, to, (first, end) => {
    const stored = db
      .insert(geofences)
      .values(range(first, end, zone))
      .returning()
      .all();
    for (const row of stored) intoIndex.run(row.seq, ...boundingBox(row, row.radius_km));
    adjustCounter("geofences", stored.length);
  });
}
