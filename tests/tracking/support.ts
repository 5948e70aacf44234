import { expect } from "bun:test";
import { PERMISSIONS } from "../../src/identity/access/permissions";
import type { Answer, Token } from "../support/api";
import type { TestServer } from "../support/server";

/** The body of a position, its time being that of a recorded voyage. */
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

/** The answer, if it has the status that the test needs to go on; throws otherwise. */
export function expectStatus(answer: Answer, status: number): Answer {
  if (answer.status !== status)
    throw new Error(`answered ${answer.status} in place of ${status}: ${JSON.stringify(answer.body)}`);
  return answer;
}

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

/** An identifier that nothing has. */
export const UNKNOWN = "0192f3a1-5c00-7d1e-9a55-3f1f6c1f0a02";

/** The number of records in a paginated list. */
export async function totalOf(server: TestServer, path: string): Promise<number> {
  const answer = await server.get(`${path}?limit=1`, { token: await server.admin() });
  return expectStatus(answer, 200).body.pagination.total;
}

/** Expects a 400 whose details name these fields (JSON pointers), and no others. */
export function expectInvalid(answer: Answer, ...paths: string[]): void {
  expect(answer.status).toBe(400);
  expect(answer.body.error).toBe("ValidationError");
  expect(answer.body.details.map((detail: { path: string }) => detail.path).sort()).toEqual(paths.sort());
}

/** Expects a refusal by its status and the name of its error. */
export function expectRefused(answer: Answer, status: number, error: string): void {
  expect({ status: answer.status, error: answer.body?.error }).toEqual({ status, error });
}

interface Place {
  latitude: number;
  longitude: number;
}

const EARTH_RADIUS_KM = 6371.0088;
const RADIANS = Math.PI / 180;

/**
 * Great-circle distance as the angle between two vectors from the centre of the Earth: exact for near, far and
 * opposite places, and nothing that the server's own formula shares.
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

/** The place so many kilometres north of another. */
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

/**
 * Expects that a request needs this permission: without a credential and with a wrong one it gets 401, with a
 * key that holds every other permission 403, and with a key that holds this one alone its status.
 */
export async function expectPermission(
  server: TestServer,
  permission: string,
  status: number,
  request: (token?: Token) => Promise<Answer>,
): Promise<void> {
  expectRefused(await request(), 401, "Unauthorized");
  expectRefused(await request(`flk_${"x".repeat(43)}`), 401, "Unauthorized");
  const others = Object.keys(PERMISSIONS).filter((other) => other !== permission);
  expectRefused(await request(await server.key(...others)), 403, "Forbidden");
  expect((await request(await server.key(permission))).status).toBe(status);
}
