import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Fix, readTrack, toGpsBody } from "../../src/demo/track";
import { TestServer } from "../support/server";
import { Client, type Message } from "../support/socket";
import { told } from "../support/told";
import {
  asHeard,
  createTrip,
  createZone,
  crossingsByPoint,
  greatCircleKm,
  moveTrip,
  northOf,
  type Place,
  ZoneScan,
} from "./support";

/**
 * A recorded voyage of five hours, posted position by position as its device would. Every position must come
 * out of each door once, in order and unchanged, and the events of zones must equal those of a plain
 * computation.
 */
const HALF_WAY_ROUND_KM = Math.PI * 6371.0088;
const PAGE = 100;

interface PlannedZone extends Place {
  name: string;
  radius_km: number;
}

const nearestKm = (track: Fix[], centre: Place) =>
  Math.min(...track.map((fix) => greatCircleKm(fix, centre)));

/** Zones along a voyage, of all sizes; many overlap. */
function planZones(track: Fix[]): PlannedZone[] {
  const at = (share: number): Place => {
    const { latitude, longitude } = track[Math.floor(share * (track.length - 1))] as Fix;
    return { latitude, longitude };
  };
  const [start, middle, end] = [at(0), at(0.6), at(1)];
  const beside = { latitude: at(0.5).latitude, longitude: at(0.5).longitude - 0.05 };
  const grazing = nearestKm(track, beside);
  const along = Array.from({ length: 60 }, (_, number) => ({
    name: `along ${number}`,
    ...at(0.28 + 0.0115 * number),
    radius_km: [0.003, 0.02, 0.1, 0.35, 1, 4][number % 6] as number,
  }));
  return [
    ...along,
    { name: "the first berth", ...start, radius_km: 0.002 },
    { name: "the last berth", ...end, radius_km: 0.002 },
    { name: "a harbour", ...start, radius_km: 0.3 },
    { name: "the whole voyage", ...middle, radius_km: 60 },
    { name: "grazed", ...beside, radius_km: grazing + 0.002 },
    { name: "missed", ...beside, radius_km: grazing - 0.002 },
    { name: "never touched", ...northOf(start, 40), radius_km: 15 },
    {
      name: "under the other side",
      latitude: -middle.latitude,
      longitude: middle.longitude - 180,
      radius_km: 300,
    },
    {
      name: "all but the middle",
      latitude: -middle.latitude,
      longitude: middle.longitude - 180,
      radius_km: HALF_WAY_ROUND_KM - 5,
    },
  ];
}

let server: TestServer;
let track: Fix[];
let device: { id: string; key: string };
let tripId: string;
const zones: { id: string; name: string; latitude: number; longitude: number; radius_km: number }[] = [];
/** The answers of POST /v1/gps, and the messages of the socket meanwhile. */
const answered: Message[] = [];
let messages: Message[];

beforeAll(async () => {
  // This test is about order and content; other tests cover the wait of a commit for the disk.
  server = await TestServer.start({ settings: { "data.synchronous": "normal" } });
  track = await readTrack();
  device = await server.device();
  const trip = await createTrip(server, { device_id: device.id, gps_logging_enabled: true });
  tripId = trip.id;
  await moveTrip(server, tripId, "active");
  for (const zone of planZones(track)) zones.push(await createZone(server, zone));
  const off = await createZone(server, { ...track[9_000], name: "switched off", radius_km: 1 });
  await server.patch(`/v1/geofences/${off.id}`, { token: await server.admin(), body: { is_active: false } });

  const client = await Client.open(server, { bearer: server.systemKey });
  await client.subscribe("gps", "geofence");
  for (const fix of track) answered.push(await post(fix));
  messages = await client.heard();
  await client.close();
});
afterAll(() => server.stop());

/** Plain `fetch`: checking each of so many answers against the document would double the time. */
async function post(fix: Fix): Promise<Message> {
  const response = await fetch(`${server.url}/v1/gps`, {
    method: "POST",
    headers: { authorization: `Bearer ${device.key}`, "content-type": "application/json" },
    body: JSON.stringify(toGpsBody(fix, fix.time)),
  });
  if (response.status !== 201) throw new Error(`answered ${response.status}: ${await response.text()}`);
  return ((await response.json()) as Message).data;
}

const page = async (path: string) => (await server.get(path, { token: await server.admin() })).body;

describe("a replayed voyage", () => {
  test("is stored position by position, unchanged, in its trip", () => {
    expect(track).toHaveLength(18_934);
    for (const [at, fix] of track.entries()) {
      const { timestamp, ...values } = toGpsBody(fix, fix.time);
      expect(answered[at]).toEqual({
        ...values,
        id: expect.any(String),
        device_id: device.id,
        trip_id: tripId,
        timestamp: new Date(timestamp * 1_000).toISOString(),
        altitude: null,
        pdop: null,
        hdop: null,
        vdop: null,
        created_at: expect.any(String),
        accuracy_m: null,
        battery_percent: null,
        source: "api",
        is_outlier: false,
        outlier_reason: null,
        box_id: null,
      });
    }
    expect(new Set(answered.map((point) => point.id)).size).toBe(track.length);
  });

  test("is heard whole: every position once, in order, as it was stored", () => {
    const updates = messages.filter(({ type }) => type === "gpsUpdate");
    expect(updates).toHaveLength(track.length);
    for (const [at, { data }] of updates.entries()) expect(data).toEqual(told(answered[at] as object));
  });

  test("is read whole from its trip, and backwards from the list of all positions", async () => {
    const pages = Math.ceil(track.length / PAGE);
    for (const number of [1, 2, 94, 95, 96, pages - 1, pages]) {
      const ofTrip = await page(`/v1/trips/${tripId}/gps?page=${number}&limit=${PAGE}`);
      expect(ofTrip.pagination).toEqual({
        page: number,
        limit: PAGE,
        total: track.length,
        total_pages: pages,
      });
      expect(ofTrip.data).toEqual(answered.slice((number - 1) * PAGE, number * PAGE));
      const ofAll = await page(`/v1/gps?page=${number}&limit=${PAGE}`);
      expect(ofAll.pagination.total).toBe(track.length);
      const end = track.length - (number - 1) * PAGE;
      expect(ofAll.data).toEqual(answered.slice(Math.max(0, end - PAGE), end).reverse());
    }
  });

  test("ends at the current position", async () => {
    const last = answered.at(-1);
    expect((await page("/v1/gps/current")).data).toEqual(last);
    expect((await page(`/v1/gps/current?device_id=${device.id}`)).data).toEqual(last);
    expect(await page("/v1/gps/current/devices")).toEqual([last]);
  });
});

describe("the zones of a replayed voyage", () => {
  const ofZone = (name: string) => {
    const id = zones.find((zone) => zone.name === name)?.id;
    return messages.flatMap(({ type, data }) =>
      type === "geofenceEvent" && data.geofence_id === id ? [data.event] : [],
    );
  };

  test("tell exactly what a plain scan over them does, at the same positions", () => {
    const scan = new ZoneScan(zones);
    const expected = track.map((fix) => scan.next(fix));
    const heard = crossingsByPoint(messages);
    expect(heard).toHaveLength(track.length);
    for (const [at, crossings] of expected.entries()) expect(heard[at]).toEqual(crossings.map(asHeard));
    expect(expected.flat().length).toBeGreaterThan(120);
  });

  test("name themselves and the device in every event", () => {
    const names = new Map(zones.map(({ id, name }) => [id, name]));
    for (const { type, data } of messages) {
      if (type !== "geofenceEvent") continue;
      expect(data.geofence_name).toBe(names.get(data.geofence_id));
      expect(data).toMatchObject({ device_id: device.id, metadata: null });
    }
  });

  test("are entered and left where the chart says", () => {
    expect(ofZone("a harbour")).toEqual(["enter", "exit"]);
    expect(ofZone("the whole voyage")).toEqual(["enter"]);
    expect(ofZone("grazed")).toEqual(["enter", "exit"]);
    expect(ofZone("missed")).toEqual([]);
    expect(ofZone("never touched")).toEqual([]);
    expect(ofZone("under the other side")).toEqual([]);
    expect(ofZone("all but the middle")).toEqual(["enter", "exit", "enter"]);
  });
});
