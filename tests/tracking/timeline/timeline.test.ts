import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Token } from "../../support/api";
import { eventually, expectInvalid, expectStatus, UNKNOWN } from "../../support/expectations";
import { TestServer } from "../../support/server";
import { createTrip, createZone, moveTrip } from "../support";

/** Timelines and statistics over HTTP. */

let server: TestServer;
let admin: Token;
beforeAll(async () => {
  server = await TestServer.start({ clock: "movable" });
  admin = await server.admin();
});
afterAll(() => server.stop());

const HARBOUR = { latitude: 54.0967, longitude: 13.4553 };
const MINUTE = 60_000;

/** Positions each minute: ten at the berth, twenty northward, fifteen at another one. */
const voyage = (begin: number) =>
  Array.from({ length: 45 }, (_, n) => {
    const north = Math.min(20, Math.max(0, n - 9));
    return {
      latitude: HARBOUR.latitude + north * 0.002,
      longitude: HARBOUR.longitude,
      timestamp: Math.floor(begin / 1_000) + n * 60,
      speed_kmh: 13,
    };
  });

const post = async (device: string, positions: object[]) =>
  expectStatus(
    await server.post("/v1/gps/batch", { token: admin, body: { device_id: device, positions } }),
    200,
  );

const get = (path: string) => server.get(path, { token: admin });

/** The answer as soon as nothing of it is being computed anew. */
async function settled(path: string) {
  const read = async () => expectStatus(await get(path), 200).body;
  await eventually(async () => (await read()).recomputing_from === null);
  return read();
}

const now = () => server.time;

describe("a voyage", () => {
  test("is a stop, a move and a stop, with their places, zones and figures", async () => {
    const { id: device } = await server.device();
    const begin = Math.floor(now() / 86_400_000) * 86_400_000 - 86_400_000 + 8 * 3_600_000;
    const zone = await createZone(server, { ...HARBOUR, radius_km: 0.5 });
    const location = expectStatus(
      await server.post("/v1/locations", { token: admin, body: { name: "Wieck", ...HARBOUR } }),
      201,
    ).body.data;
    const positions = voyage(begin);
    await post(device, positions);
    const day = new Date(begin).toISOString().slice(0, 10);
    const path = `/v1/devices/${device}/timeline?from=${day}&to=${day}`;
    const { data, pagination, _links } = await settled(path);
    expect(data.map(({ kind, points }: { kind: string; points: number }) => [kind, points])).toEqual([
      ["stop", 10],
      ["move", 21],
      ["stop", 16],
    ]);
    expect(pagination).toEqual({ page: 1, limit: 50, total: 3, total_pages: 1 });
    expect(_links.self).toStartWith(`/v1/devices/${device}/timeline?page=1&limit=50`);
    expect(data[0]).toEqual({
      ...{ kind: "stop", from: new Date(begin).toISOString() },
      to: new Date(begin + 9 * MINUTE).toISOString(),
      ...{ duration_seconds: 540, distance_km: 0, average_speed_kmh: null, max_speed_kmh: 13 },
      ...{ moving_seconds: 0, start: HARBOUR, end: HARBOUR, points: 10 },
      ...{ location_id: location.id, zone_ids: [zone.id] },
    });
    expect(data[1]).toMatchObject({
      ...{ kind: "move", duration_seconds: 1_200, moving_seconds: 1_200, location_id: null },
      ...{ distance_km: expect.closeTo(4.448, 3), average_speed_kmh: expect.closeTo(13.34, 2) },
      zone_ids: [zone.id],
    });
    expect(data[2]).toMatchObject({ kind: "stop", location_id: null, zone_ids: [] });
    const second = await settled(`${path}&limit=1&page=2`);
    expect(second.data).toEqual([data[1]]);

    const { data: figures } = await settled(`/v1/devices/${device}/statistics?from=${day}&to=${day}`);
    expect(figures.total).toEqual({
      ...{ distance_km: expect.closeTo(4.448, 3), moving_seconds: 1_200, stopped_seconds: 540 + 900 },
      ...{ average_speed_kmh: expect.closeTo(13.34, 2), max_speed_kmh: 13, stops: 2, zone_ids: [zone.id] },
      bbox: [HARBOUR.longitude, HARBOUR.latitude, HARBOUR.longitude, expect.closeTo(54.1367, 6)],
    });
    expect(figures.periods.length).toBe(1);
    const fleet = await settled(`/v1/statistics?device_ids=${device}&from=${day}&to=${day}`);
    expect(fleet.data).toEqual([{ device_id: device, ...figures }]);

    // Late positions within the move change it, and other measures the whole.
    await post(device, [
      { ...positions[20], longitude: 13.46, timestamp: Number(positions[20]?.timestamp) + 30 },
    ]);
    const later = await settled(path);
    expect(later.data[1].points).toBe(22);
    await server.patch(`/v1/devices/${device}`, { token: admin, body: { stop_minutes: 12 } });
    const measured = await settled(path);
    expect(measured.data.map(({ kind }: { kind: string }) => kind)).toEqual(["move", "stop"]);
  });

  test("of a trip has the figures between its ends, without its pauses", async () => {
    const { id: device } = await server.device();
    const { id } = await createTrip(server, { device_id: device, gps_logging_enabled: true });
    await moveTrip(server, id, "active");
    await server.advance(60 * MINUTE);
    const positions = voyage(now() - 45 * MINUTE);
    await post(device, positions);
    const { data } = await settled(`/v1/trips/${id}/statistics`);
    expect(data.total).toMatchObject({ moving_seconds: 1_200, stops: 2, stopped_seconds: 540 + 900 });
    const none = await createTrip(server);
    const empty = await settled(`/v1/trips/${none.id}/statistics`);
    expect(empty.data.total).toMatchObject({ distance_km: 0, bbox: null });
  });
});

describe("a device that makes trips", () => {
  test("begins one with a move, and completes it at rest", async () => {
    const { id: device } = await server.device();
    const auto_trip = { is_enabled: true, end_after_minutes: 10 };
    const changed = expectStatus(
      await server.patch(`/v1/devices/${device}`, { token: admin, body: { auto_trip } }),
      200,
    ).body.data;
    expect(changed.auto_trip).toEqual({
      ...{ ...auto_trip, start_after_minutes: 3, min_distance_km: 0.5 },
      name_template: "{origin} {date} {time}",
    });
    const positions = voyage(now() - 46 * MINUTE);
    await post(device, positions.slice(0, 20));
    const list = `/v1/trips?device_id=${device}`;
    await eventually(async () => (await get(list)).body.data[0]?.status === "active");
    await post(device, positions.slice(20));
    await eventually(async () => (await get(list)).body.data[0]?.status === "completed");
    expect((await get(list)).body.data).toMatchObject([{ distance_km: expect.closeTo(4.448, 1) }]);
  });
});

test("refusals are clear, and change nothing", async () => {
  const { id: device } = await server.device();
  for (const path of [
    `/v1/devices/${UNKNOWN}/timeline`,
    `/v1/devices/${UNKNOWN}/statistics`,
    `/v1/trips/${UNKNOWN}/statistics`,
    `/v1/statistics?device_ids=${UNKNOWN}`,
  ])
    expectStatus(await get(path), 404);
  expectInvalid(await get(`/v1/devices/${device}/timeline?from=2024-01-01&to=2026-01-01`), "/to");
  expectInvalid(await get(`/v1/devices/${device}/timeline?from=2026-01-02&to=2026-01-01`), "/from");
  expectInvalid(await get(`/v1/devices/${device}/statistics?timezone=Moon/Crater`), "/timezone");
  expectInvalid(await get(`/v1/devices/${device}/statistics?by=year`), "/by");
  expectInvalid(await get("/v1/statistics?device_ids=some"), "/device_ids");
  for (const [field, value] of [
    ["stop_radius_m", 9],
    ["stop_minutes", 121],
    ["gap_minutes", 0],
  ] as const)
    expectInvalid(
      await server.patch(`/v1/devices/${device}`, { token: admin, body: { [field]: value } }),
      `/${field}`,
    );
});
