import type { Answer, RequestOptions, Token } from "../../support/api";
import { expectStatus } from "../../support/expectations";
import type { TestServer } from "../../support/server";

/** Apps in the tests: trackers, and messages in each app's form. */

export const BASE = "https://boat.example.org";

export interface Made {
  id: string;
  deviceId: string;
  token: Token;
  // biome-ignore lint/suspicious/noExplicitAny: tests assert on its shape
  answer: any;
}

let made = 0;

/** A new device, as the admin. */
export async function newDevice(server: TestServer, fields: object = {}): Promise<string> {
  const body = { name: `Boat ${++made}`, ...fields };
  return expectStatus(await server.post("/v1/devices", { token: await server.admin(), body }), 201).body.data
    .id;
}

/** A tracker of a device, by default of a new one, made by the admin or with another token. */
export async function newTracker(
  server: TestServer,
  format: string,
  { deviceId, token, ...fields }: { deviceId?: string; token?: Token } & Record<string, unknown> = {},
): Promise<Made> {
  const device = deviceId ?? (await newDevice(server));
  const answer = expectStatus(
    await server.post(`/v1/devices/${device}/trackers`, {
      token: token ?? (await server.admin()),
      body: { name: "phone", format, base_url: BASE, ...fields },
    }),
    201,
  ).body.data;
  return { id: answer.id, deviceId: device, token: answer.token, answer };
}

/** A tracker as `GET` shows it. */
export const readTracker = async (server: TestServer, { deviceId, id }: Made) =>
  expectStatus(
    await server.get(`/v1/devices/${deviceId}/trackers/${id}`, { token: await server.admin() }),
    200,
  ).body.data;

/** The positions of a device, newest first. */
export const positionsOf = async (server: TestServer, deviceId: string) =>
  expectStatus(
    await server.get(`/v1/gps?device_id=${deviceId}&limit=100`, { token: await server.admin() }),
    200,
  ).body.data;

/** A time some minutes ago, in Unix seconds; each call gives a later one. */
export const nextTime = (): number => Math.floor(Date.now() / 1000) - 3_000 + ++made;

/** A location of OwnTracks. */
export const ownTracks = (tst: number, overrides: object = {}) => ({
  _type: "location",
  lat: 54.0967,
  lon: 13.4553,
  tst,
  vel: 36,
  cog: 212,
  acc: 8,
  batt: 82,
  ...overrides,
});

/** A feature of Overland. */
export const feature = (time: number, overrides: object = {}) => ({
  type: "Feature",
  geometry: { type: "Point", coordinates: [13.4553, 54.0967] },
  properties: { timestamp: new Date(time * 1000).toISOString(), speed: 10, course: 212, ...overrides },
});

/** One message of each door that it stores, with the answer that says so. */
export const DOORS: {
  path: string;
  format: string;
  source: string;
  send: (time: number) => { query?: string; options: RequestOptions };
  done: unknown;
}[] = [
  {
    path: "/v1/ingest/owntracks",
    format: "owntracks",
    source: "owntracks",
    send: (time) => ({ options: { body: ownTracks(time) } }),
    done: [],
  },
  {
    path: "/v1/ingest/osmand",
    format: "traccar_client",
    source: "osmand",
    send: (time) => ({
      options: {
        raw: `id=1&lat=54.0967&lon=13.4553&timestamp=${time}&speed=10&batt=82`,
        headers: { "content-type": "application/x-www-form-urlencoded" },
      },
    }),
    done: null,
  },
  {
    path: "/v1/ingest/overland",
    format: "overland",
    source: "overland",
    send: (time) => ({ options: { body: { locations: [feature(time)] } } }),
    done: { result: "ok" },
  },
  {
    path: "/v1/ingest/dawarich/api/v1/overland/batches",
    format: "gpslogger",
    source: "overland",
    send: (time) => ({ options: { body: { locations: [feature(time)] } } }),
    done: { result: "ok" },
  },
  {
    path: "/v1/ingest/gpslogger",
    format: "gpslogger",
    source: "gpslogger",
    send: (time) => ({
      query: `?lat=54.0967&lon=13.4553&timestamp=${time}&altitude=0.0&hdop=&speed_mps=10&battery=82`,
      options: {},
    }),
    done: null,
  },
  {
    path: "/v1/ingest/generic",
    format: "generic",
    source: "generic",
    send: (time) => ({
      options: { body: { latitude: 54.0967, longitude: 13.4553, timestamp: time, speed_mps: 10 } },
    }),
    done: { stored: 1, duplicates: 0, rejected: 0 },
  },
];

/** A message of a Traccar server about a device that it knows by this name. */
export const forwarded = (uniqueId: string, time: number, overrides: object = {}) => ({
  position: {
    id: 0,
    fixTime: new Date(time * 1000).toISOString(),
    valid: true,
    latitude: 54.0967,
    longitude: 13.4553,
    speed: 10,
    course: 212,
    attributes: { batteryLevel: 82 },
    ...overrides,
  },
  device: { id: 1, uniqueId },
});

export const basic = (password: string, user = "anybody") =>
  `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;

/** Sends a message of a door in each of the ways in which a token may come. */
export const WAYS: [
  way: string,
  request: (path: string, token: Token) => { path: string; headers: Record<string, string> },
][] = [
  ["Bearer", (path, token) => ({ path, headers: { authorization: `Bearer ${token}` } })],
  ["the password of Basic", (path, token) => ({ path, headers: { authorization: basic(token) } })],
  ["the path", (path, token) => ({ path: `${path}/${token}`, headers: {} })],
  ["the path, and a slash behind it", (path, token) => ({ path: `${path}/${token}/`, headers: {} })],
  [
    "Bearer, and a slash behind the path",
    (path, token) => ({ path: `${path}/`, headers: { authorization: `Bearer ${token}` } }),
  ],
];

/** Expects the headers of every answer at a door. */
export function expectPrivate({ headers }: Answer): void {
  if (headers.get("cache-control") !== "no-store" || headers.get("referrer-policy") !== "no-referrer")
    throw new Error("the answer may be kept, or its address told");
}
