import { constants, copyFileSync, mkdirSync } from "node:fs";
import { basename, join } from "node:path";
import { between, eq } from "drizzle-orm";
import type { StoredCondition } from "../../src/alerts/kinds";
import { alertRules } from "../../src/alerts/rules/table";
import { loadConfig } from "../../src/configuration/config";
import { type Fix, readTrack, toGpsBody, underWay } from "../../src/demo/track";
import { authenticate, type Caller } from "../../src/identity/access/caller";
import { insertApiKey } from "../../src/identity/api-keys/service";
import { signIn } from "../../src/identity/auth/service";
import { insertUser } from "../../src/identity/directory/new-user";
import { seedIdentity } from "../../src/identity/seed";
import { hashPassword } from "../../src/kernel/crypto/crypto";
import { useMasterKey } from "../../src/kernel/crypto/encryption";
import { newId } from "../../src/kernel/crypto/id";
import { db, sqlite } from "../../src/kernel/db/connection";
import { adjustCounter } from "../../src/kernel/db/counters";
import { openData } from "../../src/kernel/db/open-data";
import { closeDatabase, transact } from "../../src/kernel/db/transactions";
import { dataPath, loadMasterKey, prepareDataDirectory } from "../../src/kernel/process/data-dir";
import { HOUR, now, SECOND } from "../../src/kernel/time/clock";
import { destination, type Position } from "../../src/kernel/values/great-circle";
import { loadSystemConfig, setSystemValue } from "../../src/runtime-settings/service";
import { createDevice, insertDevice } from "../../src/tracking/devices/service";
import { boundingBox } from "../../src/tracking/geofences/geometry";
import type { Geometry } from "../../src/tracking/geofences/kinds";
import { shapeOf } from "../../src/tracking/geofences/shape";
import { geofences } from "../../src/tracking/geofences/table";
import { putZone } from "../../src/tracking/geofences/zone-index";
import { ALL, countAt, devicePoints, tripPoints } from "../../src/tracking/ingest/places";
import { createTrip, updateTrip } from "../../src/tracking/trips/service";
import { progress } from "./progress";

/** The client on whose behalf the data is prepared. */
const NOBODY = { address: "127.0.0.1", userAgent: null, acceptLanguage: null };

/** The credentials of the user who signs in. */
/** The furthest ahead that positions may be, in seconds: those of batches follow each other faster than the clock. */
const TEN_YEARS = 315_000_000;

const LOGIN = { identifier: "skipper", password: "correct horse battery" };

/** Users who sign in at once: at most ten tries of one identifier are let through at a time. */
const CREW = Array.from({ length: 32 }, (_, at) => ({ ...LOGIN, identifier: `sailor_${at + 1}` }));

/** The names that requests to a prepared server use. */
export interface Fixture extends Fleet {
  /** Number of stored points, and how many of them belong to the trip. */
  points: number;
  tripPoints: number;
  /** Some stored points, drawn from the whole table. */
  pointIds: string[];
}

interface Fleet {
  /** A user's key that is linked to the device, and reads and writes positions. */
  key: string;
  /** The token of a session of the same user's. */
  session: string;
  login: typeof LOGIN;
  /** Other users who sign in. */
  crew: (typeof LOGIN)[];
  /** A device with an active trip that logs. */
  deviceId: string;
  tripId: string;
}

/** A data directory on which a server can be started, and the names that requests to it use. */
export interface Place {
  directory: string;
  fixture: Fixture;
}

export const DEVICES = 100;
const SAMPLE = 1_000;

/** Rows of one transaction: between two, the bench can be interrupted. */
const POINTS_PER_COMMIT = 50_000;
const ZONES_PER_COMMIT = 10_000;
/** Zones of one statement. */
const ZONES_AT_ONCE = 500;

/** Columns of a point whose values come from the track. */
const FROM_TRACK = [
  "latitude",
  "longitude",
  "heading",
  "speed_kmh",
  "speed_mps",
  "speed_mph",
  "speed_knots",
] as const;

/**
 * A database that grows and is copied on the way, for servers that differ in nothing but its size. Rate limits count as
 * they always do, and are too high to be met. There is one at a time: it is the database of this process.
 */
export class Preparation {
  readonly #directory: string;
  readonly #track: Fix[];
  readonly #fleet: Fleet;
  readonly #deviceIds: string[];
  /** The time of the first point in seconds: the last of `mostPoints` is an hour old. */
  readonly #firstAt: number;
  #points = 0;
  #zones = 0;

  private constructor(directory: string, track: Fix[], all: AllOfFleet, mostPoints: number) {
    this.#directory = directory;
    this.#track = track;
    this.#fleet = all.fleet;
    this.#deviceIds = all.deviceIds;
    this.#firstAt = Math.floor((now() - HOUR) / SECOND) - mostPoints;
  }

  /** Makes a database with 100 devices in `directory`, for at most `mostPoints` points. */
  static async start(directory: string, mostPoints: number): Promise<Preparation> {
    loadConfig({ dataDir: directory, environment: {} });
    prepareDataDirectory();
    useMasterKey(loadMasterKey());
    await openData({ holdsLock: false });
    // Speed before safety: after a power cut the database is simply made again. The file alone is copied.
    sqlite.run("PRAGMA journal_mode = MEMORY");
    sqlite.run("PRAGMA synchronous = OFF");
    sqlite.run("PRAGMA cache_size = -262144");
    await transact(() => {
      seedIdentity();
      loadSystemConfig();
      setSystemValue("gps.rate_limit_requests", 1_000_000);
      setSystemValue("gps.rate_limit_window_seconds", 1);
      setSystemValue("ingest.positions_per_minute", 10_000_000);
      setSystemValue("gps.max_future_seconds", TEN_YEARS);
    });
    return new Preparation(directory, underWay(await readTrack()), await addFleet(), mostPoints);
  }

  get firstDevice(): string {
    return this.#deviceIds[0] ?? "";
  }

  /** A copy of the database as it is now, in a data directory of its own with the same key. */
  copyTo(directory: string): Place {
    mkdirSync(directory, { recursive: true });
    for (const path of [dataPath.database(), dataPath.key()])
      copyFileSync(path, join(directory, basename(path)), constants.COPYFILE_FICLONE);
    return { directory, fixture: this.#fixture() };
  }

  /** Closes the database, and hands it over as it is. */
  finish(): Place {
    const fixture = this.#fixture();
    closeDatabase();
    return { directory: this.#directory, fixture };
  }

  #fixture(): Fixture {
    const idAt = sqlite.prepare<{ id: string }, [number]>("SELECT id FROM gps_points WHERE rowid = ?");
    const pointIds = Array.from(
      { length: SAMPLE },
      () => idAt.get(1 + Math.floor(Math.random() * this.#points))?.id ?? "",
    );
    const tripPoints = Math.ceil(this.#points / DEVICES);
    return { ...this.#fleet, points: this.#points, tripPoints, pointIds };
  }

  /** Adds points until there are `to`, a second apart; some devices report in turn, the first one on its trip. */
  async growPoints(to: number, sharing = DEVICES): Promise<void> {
    const insert = sqlite.prepare<unknown, (string | number | null)[]>(
      `INSERT INTO gps_points (id, device_id, trip_id, timestamp, created_at, altitude, hdop, ${FROM_TRACK})
       VALUES (?1, ?2, ?3, ?4, ?4, 3.2, 0.9, ${FROM_TRACK.map((_, at) => `?${at + 5}`)})`,
    );
    const fixes = this.#track.map((fix) => {
      const body = toGpsBody(fix, 0);
      return FROM_TRACK.map((column) => body[column] ?? null);
    });
    while (this.#points < to) {
      const [from, end] = [this.#points, Math.min(to, this.#points + POINTS_PER_COMMIT)];
      progress(`preparing ${to.toLocaleString("en")} points: ${Math.floor((100 * from) / to)} %`);
      await transact(() => {
        for (let at = from; at < end; at++) {
          const time = (this.#firstAt + at) * SECOND;
          const device = at % sharing;
          countAt(ALL, time, 1);
          countAt(devicePoints(this.#deviceIds[device] ?? ""), time, 1);
          if (device === 0) countAt(tripPoints(this.#fleet.tripId), time, 1);
          insert.run(
            Bun.randomUUIDv7("hex", time),
            this.#deviceIds[device] ?? null,
            device === 0 ? this.#fleet.tripId : null,
            time,
            ...(fixes[at % fixes.length] ?? []),
          );
        }
      });
      this.#points = end;
    }
  }

  /**
   * Adds zones until there are `to`: first some around places of the track, then others spread evenly over an
   * area. In bulk, in the form that `createGeofence` stores: a hundred thousand calls of it take half a
   * minute.
   */
  async growZones(to: number): Promise<void> {
    const centre = centres(this.#track, to);
    const zone = (at: number) => {
      const stamps = { created_at: now(), updated_at: now() };
      return { id: newId(), name: `Zone ${at + 1}`, ...centre(at), radius_km: 0.3, ...stamps };
    };
    const intoIndex = sqlite.prepare<unknown, number[]>(
      "INSERT INTO geofence_index VALUES (?, ?, ?, ?, ?, ?, ?)",
    );
    const addSome = (from: number, end: number) => {
      const values = Array.from({ length: end - from }, (_, offset) => zone(from + offset));
      const stored = db.insert(geofences).values(values).returning().all();
      for (const row of stored) intoIndex.run(row.seq, ...boundingBox(row, row.radius_km));
      adjustCounter("geofences", stored.length);
    };
    while (this.#zones < to) {
      const end = Math.min(to, this.#zones + ZONES_PER_COMMIT);
      progress(`preparing ${to.toLocaleString("en")} zones`);
      await transact(() => {
        for (let at = this.#zones; at < end; at += ZONES_AT_ONCE)
          addSome(at, Math.min(end, at + ZONES_AT_ONCE));
      });
      this.#zones = end;
    }
  }

  /** Makes a polygon of 20 corners of each zone, a star around the same place. */
  async makePolygons(): Promise<void> {
    const { kind: _, seq, latitude, longitude } = geofences;
    for (let from = 0; from < this.#zones; from += ZONES_PER_COMMIT) {
      progress(`preparing ${this.#zones.toLocaleString("en")} polygons`);
      await transact(() => {
        const some = db
          .select({ seq, latitude, longitude })
          .from(geofences)
          .where(between(seq, from + 1, from + ZONES_PER_COMMIT))
          .all();
        for (const zone of some) {
          const shape = shapeOf({ kind: "polygon", geometry: starAround(zone) }, null);
          db.update(geofences).set(shape).where(eq(seq, zone.seq)).run();
          putZone({ ...shape, seq: zone.seq });
        }
      });
    }
  }

  /** Adds devices without positions until there are `to`, and returns the identifiers of all. */
  async growDevices(to: number): Promise<readonly string[]> {
    const ids = this.#deviceIds;
    await transact(() => {
      while (ids.length < to) ids.push(insertDevice({ name: `Device ${ids.length + 1}` }));
    });
    return ids;
  }

  /** Adds alert rules to as many devices as there are together with new ones: ten rules on each. */
  async addRules(ofDevices: number): Promise<void> {
    progress(`preparing ${(ofDevices * CONDITIONS.length).toLocaleString("en")} rules`);
    const ids = await this.growDevices(ofDevices);
    await transact(() => {
      const stamps = { created_at: now(), updated_at: now() };
      for (const id of ids)
        for (const condition of CONDITIONS)
          db.insert(alertRules)
            .values({
              ...{ id: newId(), name: "Rule", severity: "info", device_ids: [id], condition },
              ...{ cooldown_seconds: 300, target_ids: [], ...stamps },
            })
            .run();
    });
  }

  /** Removes the rules again. */
  async dropRules(): Promise<void> {
    await transact(() => {
      db.delete(alertRules).run();
    });
  }
}

/** Conditions of ten rules. A boat under way meets the first: its maker is nobody, so that it raises nothing. */
const CONDITIONS: StoredCondition[] = [
  { type: "speed", above_knots: 1 },
  { type: "speed", above_knots: 40 },
  { type: "speed", above_knots: 50 },
  { type: "battery", below_percent: 10 },
  { type: "battery", below_percent: 20 },
  { type: "silence", seconds: 3_600 },
  { type: "silence", seconds: 86_400 },
  { type: "zone", event: "exit", geofence_ids: [] },
  { type: "zone", event: "dwell", geofence_ids: [] },
  { type: "anchor" },
];

/** A star of 20 corners, 0.3 km around a place. */
function starAround(place: Position): Geometry {
  const ring = Array.from({ length: 21 }, (_, at): [number, number] => {
    const { latitude, longitude } = destination(place, (at % 20) * 18, at % 2 === 0 ? 0.3 : 0.22);
    return [longitude, latitude];
  });
  ring[20] = ring[0] as [number, number];
  return { type: "Polygon", coordinates: [ring] };
}

interface AllOfFleet {
  fleet: Fleet;
  deviceIds: string[];
}

/** A user with a key, a session, devices and a trip. */
async function addFleet(): Promise<AllOfFleet> {
  const passwordHash = await hashPassword(LOGIN.password);
  const { key, id, session } = await transact(() => {
    const email = "skipper@example.org";
    const user = { username: LOGIN.identifier, email, passwordHash, roles: ["role_super_admin"] };
    const owner = { ...insertUser(user), locale: null };
    for (const { identifier } of CREW)
      insertUser({ username: identifier, email: `${identifier}@example.org`, passwordHash });
    const session = signIn(owner, "email", NOBODY).session_token ?? "";
    const ofKey = { scopes: ["gps:*", "trips:read"], expiresAt: null, ownerId: owner.id, isSystem: false };
    return { ...insertApiKey({ name: "bench", description: null, ...ofKey }), session };
  });
  const actor = { caller: authenticate(key) as Caller, client: NOBODY };
  const devices = await Promise.all(
    Array.from({ length: DEVICES }, (_, at) =>
      createDevice(actor, { name: `Boat ${at + 1}`, ...(at === 0 && { api_key_id: id }) }),
    ),
  );
  const deviceIds = devices.map((device) => device.id);
  const deviceId = deviceIds[0] ?? "";
  const trip = await createTrip(actor, {
    name: "Greifswald and back",
    gps_logging_enabled: true,
    device_id: deviceId,
  });
  await updateTrip(actor, trip.id, { status: "active" });
  // It has logged since before the first position.
  sqlite.run("UPDATE trip_spans SET from_time = 0");
  return { fleet: { key, session, login: LOGIN, crew: CREW, deviceId, tripId: trip.id }, deviceIds };
}

/** Zones on the way of the posted track, whatever their number in all. */
const ZONES_NEAR = 10;
const KM_PER_DEGREE = 111.2;
/**
 * Area of sea or land for each other zone: the square grows with their number, so that their density stays
 * the same.
 */
const KM2_PER_ZONE = 18;

/** Returns the centre of each of `count` zones. */
function centres(track: Fix[], count: number): (at: number) => Position {
  const middle = track[Math.floor(track.length / 2)] as Fix;
  const sideKm = Math.sqrt(count * KM2_PER_ZONE);
  const columns = Math.ceil(Math.sqrt(count));
  return (at) => {
    if (at < ZONES_NEAR) {
      const { latitude, longitude } = track[Math.floor(((at + 0.5) * track.length) / ZONES_NEAR)] as Fix;
      return { latitude, longitude };
    }
    const north = (Math.floor(at / columns) / columns - 0.5) * sideKm;
    const east = ((at % columns) / columns - 0.5) * sideKm;
    return {
      latitude: middle.latitude + north / KM_PER_DEGREE,
      longitude: middle.longitude + east / (KM_PER_DEGREE * Math.cos((middle.latitude * Math.PI) / 180)),
    };
  };
}
