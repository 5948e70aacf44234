import { expect } from "bun:test";
import type { Token } from "../support/api";
import { expectStatus } from "../support/expectations";
import type { TestServer } from "../support/server";

/** The body of a position at a time of a recorded voyage. */
export const fix = (overrides: object = {}) => ({
  latitude: 54.0967,
  longitude: 13.4553,
  altitude: 3.2,
  heading: 212.4,
  timestamp: 1_372_578_069,
  speed_kmh: 13.7,
  speed_mps: 3.81,
  speed_mph: 8.51,
  speed_knots: 7.4,
  ...overrides,
});

/** Posts a position with a device's key and returns the record. */
export async function postPoint(server: TestServer, key: Token, overrides: object = {}) {
  return expectStatus(await server.post("/v1/gps", { token: key, body: fix(overrides) }), 201).body.data;
}

/** Creates a trip as the admin and returns the record. */
export async function createTrip(server: TestServer, fields: object = {}) {
  const body = { name: "trip", ...fields };
  return expectStatus(await server.post("/v1/trips", { token: await server.admin(), body }), 201).body.data;
}

/** Takes a trip through these statuses as the admin and returns the record. */
export async function moveTrip(server: TestServer, id: string, ...statuses: string[]) {
  let trip = null;
  for (const status of statuses) {
    const answer = await server.patch(`/v1/trips/${id}`, { token: await server.admin(), body: { status } });
    trip = expectStatus(answer, 200).body.data;
  }
  return trip;
}

export interface Place {
  latitude: number;
  longitude: number;
}

const EARTH_RADIUS_KM = 6371.0088;
const RADIANS = Math.PI / 180;

/**
 * Great-circle distance as the angle between two vectors from the centre of the Earth: exact for near, far
 * and opposite places, and independent of the server's own formula.
 */
export function greatCircleKm(a: Place, b: Place): number {
  const [ax, ay, az] = vector(a);
  const [bx, by, bz] = vector(b);
  const cross = Math.hypot(ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx);
  return EARTH_RADIUS_KM * Math.atan2(cross, ax * bx + ay * by + az * bz);
}

function vector({ latitude, longitude }: Place): [number, number, number] {
  const [phi, lambda] = [latitude * RADIANS, longitude * RADIANS];
  return [Math.cos(phi) * Math.cos(lambda), Math.cos(phi) * Math.sin(lambda), Math.sin(phi)];
}

/** The place `km` kilometres north of another. */
export const northOf = ({ latitude, longitude }: Place, km: number): Place => ({
  latitude: latitude + km / EARTH_RADIUS_KM / RADIANS,
  longitude,
});

/** Creates a zone as the admin, by default one of 1 km around the position of `fix`, and returns the record. */
export async function createZone(server: TestServer, fields: object = {}) {
  const { latitude, longitude } = fix();
  const body = { name: "zone", latitude, longitude, radius_km: 1, ...fields };
  return expectStatus(await server.post("/v1/geofences", { token: await server.admin(), body }), 201).body
    .data;
}

/** A random place on Earth, uniform by area. */
export function randomPlace(random: () => number): Place {
  return { latitude: Math.asin(2 * random() - 1) / RADIANS, longitude: 360 * random() - 180 };
}

interface Zone extends Place {
  id: string;
  radius_km: number;
}

interface Crossing {
  event: "enter" | "exit";
  geofence_id: string;
  distance_km: number;
}

const EXIT_MARGIN_KM = 0.01;
/** Nearer to a border than a micrometre, rounding would decide. */
const UNDECIDED_KM = 1e-9;

/** The expected events of a device, found by a plain scan over all zones for each position. */
export class ZoneScan {
  readonly #zones: Zone[];
  readonly #inside = new Set<string>();

  constructor(zones: Zone[]) {
    this.#zones = zones;
  }

  /** The events of the device's next position: exits first, each sort ordered by the zone's identifier. */
  next(place: Place): Crossing[] {
    const crossings: Crossing[] = [];
    for (const { id, radius_km, ...centre } of this.#zones) {
      const distance_km = greatCircleKm(centre, place);
      const border = this.#inside.has(id) ? radius_km + EXIT_MARGIN_KM : radius_km;
      if (Math.abs(distance_km - border) < UNDECIDED_KM) throw new Error("a position lies on a border");
      if (this.#inside.has(id) === distance_km < border) continue;
      const event = this.#inside.delete(id) ? "exit" : "enter";
      if (event === "enter") this.#inside.add(id);
      crossings.push({ event, geofence_id: id, distance_km });
    }
    return crossings.sort(byEventAndZone);
  }
}

/** Exits first; the order of several zones that are left or entered with one position is not defined. */
const byEventAndZone = (a: Crossing, b: Crossing): number =>
  b.event.localeCompare(a.event) || a.geofence_id.localeCompare(b.geofence_id);

/** The events that were heard after each `gpsUpdate`, ordered as by `ZoneScan`. Expects exits before enters. */
export function crossingsByPoint(messages: { type: string; data: Crossing }[]): Crossing[][] {
  const byPoint: Crossing[][] = [];
  for (const { type, data } of messages) {
    if (type === "gpsUpdate") byPoint.push([]);
    else byPoint.at(-1)?.push(data);
  }
  for (const crossings of byPoint) {
    const events = crossings.map(({ event }) => event);
    expect(events).toEqual(events.toSorted().reverse());
    crossings.sort(byEventAndZone);
  }
  return byPoint;
}

/** An expected event in the form for `toEqual`: the distances of the two formulas agree to a millimetre. */
export const asHeard = (crossing: Crossing): Crossing =>
  expect.objectContaining({ ...crossing, distance_km: expect.closeTo(crossing.distance_km, 6) });
