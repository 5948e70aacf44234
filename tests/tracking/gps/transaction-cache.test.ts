import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { sqlite } from "../../../src/kernel/db/connection";
import { subscribe } from "../../../src/kernel/db/events";
import { closeDatabase, transact } from "../../../src/kernel/db/transactions";
import { createGeofence, deleteGeofence, updateGeofence } from "../../../src/tracking/geofences/service";
import { getPoint } from "../../../src/tracking/gps/service";
import type { ZoneCrossing } from "../../../src/tracking/ingest/crossings";
import { storedCounter } from "../../support/in-process";
import { randomFrom } from "../../support/random";
import { lengthKm, move, openTracking, record, SERVICE, voyage } from "../in-process";
import { greatCircleKm, northOf, type Place } from "../support";

/**
 * The device, the trip and the zones are remembered from one position to the next. Here every change that may
 * affect them comes between positions, in the same commit and in others, and a simple model says which events
 * must follow.
 */

interface ModelZone extends Place {
  name: string;
  radius_km: number;
  is_active: boolean;
}

const MARGIN_KM = 0.01;
const told: ZoneCrossing[] = [];

beforeAll(async () => {
  await openTracking();
  subscribe("geofence.crossed", (crossing) => void told.push(crossing));
});
afterAll(() => closeDatabase());

/** The crossings and the track of one device's positions, by rules T2 and T3 alone. */
class Ship {
  readonly inside = new Set<ModelZone>();
  readonly track: { time: number; place: Place }[] = [];
  newest = 0;
  place: Place | null = null;
  isLogging = true;

  constructor(
    readonly device: string,
    readonly trip: string,
  ) {}

  /** A zone begins to watch. */
  begin(zone: ModelZone): void {
    this.inside.delete(zone);
    if (this.place && greatCircleKm(zone, this.place) <= zone.radius_km) this.inside.add(zone);
  }

  report(time: number, place: Place, zones: Iterable<ModelZone>): string[] {
    if (this.isLogging) this.track.push({ time, place });
    if (time < this.newest) return [];
    this.newest = time;
    this.place = place;
    const crossings: string[] = [];
    for (const zone of [...this.inside])
      if (greatCircleKm(zone, place) > zone.radius_km + MARGIN_KM) {
        this.inside.delete(zone);
        crossings.push(`exit ${zone.name}`);
      }
    for (const zone of zones)
      if (zone.is_active && !this.inside.has(zone) && greatCircleKm(zone, place) <= zone.radius_km) {
        this.inside.add(zone);
        crossings.push(`enter ${zone.name}`);
      }
    return crossings.map((crossing) => `${this.device} ${crossing}`).sort();
  }
}

/** Those of a usual run, for each place; `COMMITS=500` makes more. */
const COMMITS = Number(process.env.COMMITS ?? 300);

describe("positions among changes of zones and trips, some in the same commit", () => {
  test.each([
    ["in the Baltic", { latitude: 54, longitude: 13 }, 4, 0],
    ["on the other side of the world", { latitude: -41, longitude: -174 }, 4, 0],
    ["where longitudes begin anew", { latitude: 0, longitude: 179.99 }, 4, 0],
    ["at the pole", { latitude: 89.99, longitude: 40 }, 4, 0],
    ["in a harbour of many zones", { latitude: 20, longitude: 30 }, 0.3, 150],
  ])("cross and join what they should, %s", async (where, home, breadthKm, zonesAtFirst) => {
    const random = randomFrom(where.length);
    const upTo = (most: number) => Math.floor(random() * most);
    const anywhere = (): Place => ({
      ...northOf(home, breadthKm * (random() - 1)),
      longitude: home.longitude - (random() * breadthKm) / 400,
    });
    const anyZone = (): ModelZone => ({
      ...anywhere(),
      name: `zone ${++names}`,
      radius_km: breadthKm * (0.025 + random() / 2),
      is_active: true,
    });
    const ships = (await Promise.all([voyage(), voyage(), voyage()])).map(
      ({ device, trip }) => new Ship(device, trip),
    );
    const zones = new Map<string, ModelZone>();
    const counts = { positions: 0, crossings: 0, joined: 0 };
    let names = 0;
    let time = 1_000;

    /** Makes one random change to the services and the model; returns the check of its result. */
    const act = (expected: string[]): Promise<unknown> => {
      const ship = ships[upTo(ships.length)] as Ship;
      const known = [...zones.keys()];
      const id = known[upTo(known.length)];
      const zone = id === undefined ? undefined : zones.get(id);
      const dice = random();
      if (dice < 0.75) {
        const place = anywhere();
        const at = random() < 0.15 ? time - upTo(5) : ++time;
        expected.push(...ship.report(at, place, zones.values()));
        const trip = ship.isLogging ? ship.trip : null;
        counts.positions++;
        counts.joined += trip === null ? 0 : 1;
        return record(ship.device, at, place).then((point) => {
          expect(getPoint(point.id).trip_id).toBe(trip);
        });
      }
      if (dice < 0.8 || !id || !zone) {
        const fresh = {
          ...anywhere(),
          name: `zone ${++names}`,
          radius_km: 0.1 + 2 * random(),
          is_active: true,
        };
        // Its identifier is unknown until the commit: until then it is left alone.
        const key = `pending ${names}`;
        zones.set(key, fresh);
        for (const each of ships) each.begin(fresh);
        return createGeofence(SERVICE, { ...fresh }).then((made) => {
          zones.delete(key);
          zones.set(made.id, fresh);
        });
      }
      if (id.startsWith("pending")) return Promise.resolve();
      if (dice < 0.85) {
        const change = random() < 0.5 ? anywhere() : { is_active: !zone.is_active };
        Object.assign(zone, change);
        if (zone.is_active) for (const each of ships) each.begin(zone);
        else for (const { inside } of ships) inside.delete(zone);
        return updateGeofence(SERVICE, id, change);
      }
      if (dice < 0.88) {
        zones.delete(id);
        for (const { inside } of ships) inside.delete(zone);
        return deleteGeofence(SERVICE, id);
      }
      if (dice < 0.95) {
        ship.isLogging = !ship.isLogging;
        return move(ship.trip, ship.isLogging ? "active" : "paused");
      }
      // A change that fails after several writes, and is undone.
      const failing = transact(
        () => {
          sqlite.run("DELETE FROM geofence_presence");
          sqlite.run("UPDATE trips SET gps_logging_enabled = 0");
          throw new Error("undone");
        },
        random() < 0.5 ? "retryable" : undefined,
      );
      return failing.then(expect.unreachable, (error) => expect(error).toHaveProperty("message", "undone"));
    };

    for (let count = 0; count < zonesAtFirst; count++) {
      const fresh = anyZone();
      zones.set((await createGeofence(SERVICE, { ...fresh })).id, fresh);
    }
    for (let commit = 0; commit < COMMITS; commit++) {
      told.length = 0;
      const expected: string[] = [];
      const acts = Array.from({ length: 1 + upTo(8) }, () => act(expected));
      await Promise.all(acts);
      const crossed = told.map(
        (crossing) => `${crossing.device_id} ${crossing.event} ${crossing.geofence_name}`,
      );
      expect(crossed.sort()).toEqual(expected.sort());
      counts.crossings += crossed.length;
    }
    // Enough happened for the test to mean something.
    expect(counts.positions).toBeGreaterThan(COMMITS * 2);
    expect(counts.crossings).toBeGreaterThan(COMMITS * 0.6);
    expect(counts.joined).toBeGreaterThan(COMMITS * 0.6);
    for (const { trip, track } of ships) {
      const inOrder = track.toSorted((a, b) => a.time - b.time).map(({ place }) => place);
      expect(Math.abs((storedCounter(`trip_mm ${trip}`) ?? 0) / 1e6 - lengthKm(inOrder))).toBeLessThan(0.002);
    }
  });

  test("read nothing anew where a ship goes on and nothing else happens", async () => {
    const { device, trip } = await voyage();
    const at = async (time: number) => (await record(device, time, { latitude: 54, longitude: 13 })).trip_id;
    expect(await at(5_000)).toBe(trip);
    // Written past `transact`, which nothing in the program does.
    sqlite.run("UPDATE trips SET status = 'paused' WHERE id = ?", [trip]);
    expect(await at(5_001)).toBe(trip);
    await transact(() => {});
    expect(await at(5_002)).toBeNull();
  });
});
