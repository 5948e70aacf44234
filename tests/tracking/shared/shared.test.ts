import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Answer } from "../../support/api";
import { done, expectInvalid, expectRefused, expectStatus, UNKNOWN } from "../../support/expectations";
import { holdDuring, mainThreadTimeOf } from "../../support/pressure";
import { rows, write } from "../../support/rows";
import { TestServer } from "../../support/server";
import { DAY, HOUR, MINUTE } from "../../support/time";
import { newLink, open, PATH } from "../links/support";
import { createTrip, createZone, greatCircleKm, moveTrip } from "../support";
import { FARTHER, FARTHEST, HARBOUR, OUTSIDE, post } from "./support";

/** The things that a link shows, and above all those that it doesn't. */

let server: TestServer;
let admin: string;
beforeAll(async () => {
  server = await TestServer.start({ clock: "movable" });
  admin = await server.admin();
});
afterAll(() => server.stop());

const shownBy = async (token: string) => expectStatus(await open(server, token), 200).body.data.devices;
const placeBy = async (token: string) => (await shownBy(token))[0].position;
const at = ({ latitude, longitude }: { latitude: number; longitude: number }) =>
  expect.objectContaining({ latitude, longitude });
const timeOf = (milliseconds: number) => new Date(server.time + milliseconds).toISOString();

describe("GET /v1/shared", () => {
  test("answers the newest position of each device, in these fields alone", async () => {
    const [boat, car] = [await server.device("Boat"), await server.device("Anna's car")];
    await post(server, boat.key, { ...OUTSIDE, ago: 120 });
    const newest = await post(server, boat.key, { ...FARTHER, ago: 60 });
    const { token, ...link } = await newLink(server, { device_ids: [boat.id, car.id], label: "Fleet" });
    const answer = await open(server, token);
    expect(expectStatus(answer, 200).body).toEqual({
      data: {
        label: "Fleet",
        level: "live",
        expires_at: link.expires_at,
        devices: [
          { device_id: car.id, name: "Anna's car", position: null },
          {
            device_id: boat.id,
            name: "Boat",
            position: {
              ...FARTHER,
              timestamp: newest.timestamp,
              heading: newest.heading,
              speed_kmh: newest.speed_kmh,
              speed_mps: newest.speed_mps,
              speed_mph: newest.speed_mph,
              speed_knots: newest.speed_knots,
            },
          },
        ],
      },
      _links: { self: "/v1/shared" },
    });
    // A later fix that is older, and one that doesn't count, change nothing.
    await post(server, boat.key, { ...FARTHEST, ago: 90 });
    const { id } = await post(server, boat.key, { ...FARTHEST, ago: 30 });
    expect((await shownBy(token))[1].position).toEqual(at(FARTHEST));
    done(await server.patch(`/v1/gps/${id}`, { token: admin, body: { is_outlier: true } }));
    expect((await shownBy(token))[1].position).toEqual(at(FARTHER));
  });

  test("of a trip shows the positions of that trip alone", async () => {
    const device = await server.device("Boat");
    const trip = await createTrip(server, { device_id: device.id, gps_logging_enabled: true });
    const { token } = await newLink(server, { trip_id: trip.id });
    await post(server, device.key, { ...HARBOUR, ago: 300 });
    expect(await shownBy(token)).toEqual([{ device_id: device.id, name: "Boat", position: null }]);
    await moveTrip(server, trip.id, "active");
    await post(server, device.key, { ...OUTSIDE, ago: 0 });
    expect(await placeBy(token)).toEqual(at(OUTSIDE));
    await server.advance(MINUTE);
    await moveTrip(server, trip.id, "completed");
    await server.advance(MINUTE);
    await post(server, device.key, { ...FARTHER, ago: 0 });
    expect(await placeBy(token)).toEqual(at(OUTSIDE));
  });

  test("of a history shows nothing outside of its span", async () => {
    const device = await server.device();
    const span = { level: "history", from: timeOf(-HOUR), to: timeOf(HOUR) };
    const { token } = await newLink(server, { device_ids: [device.id], ...span });
    await post(server, device.key, { ...HARBOUR, ago: 7_200 });
    expect(await placeBy(token)).toBeNull();
    await post(server, device.key, { ...OUTSIDE, ago: 60 });
    await server.advance(2 * HOUR);
    await post(server, device.key, { ...FARTHER, ago: 0 });
    expect(await placeBy(token)).toEqual(at(OUTSIDE));
    const { pieces } = done(await open(server, token, "/track")).data;
    expect(pieces.flat().map(([, latitude]: number[]) => latitude)).toEqual([OUTSIDE.latitude]);
  });
});

describe("the same 404", () => {
  test("meets whatever is wrong with a token, at both doors", async () => {
    const device = await server.device();
    const [ended, live] = [
      await newLink(server, { device_ids: [device.id] }),
      await newLink(server, { device_ids: [device.id] }),
    ];
    await server.delete(`${PATH}/${ended.id}`, { token: admin });
    const asked = async (path: string, authorization?: string): Promise<Answer> =>
      server.get(`/v1/shared${path}`, { headers: authorization === undefined ? {} : { authorization } });
    const bodyOf = ({ status, body }: Answer) => ({ status, body });
    const expected = bodyOf(await asked("", "Share wrong"));
    expectRefused(await asked("", "Share wrong"), 404, "NotFound");
    const wrong = [undefined, "", "Share", "Share ", `Share ${ended.token}`, `Bearer ${live.token}`];
    wrong.push(`Bearer ${admin}`, `Share ${admin}`, `Share ${live.id}`, `Share ${live.token}x`);
    wrong.push(
      `Share ${live.token.slice(0, 42)}`,
      `Share ${"x".repeat(5_000)}`,
      `Basic ${btoa(`a:${live.token}`)}`,
    );
    for (const authorization of wrong)
      for (const path of ["", "/track"])
        expect([authorization, bodyOf(await asked(path, authorization))]).toEqual([authorization, expected]);
    // A link of the level live has no track: that is no reason to say that there is one.
    expect(bodyOf(await asked("/track", `Share ${live.token}`))).toEqual(expected);
    expectStatus(await asked("", `share ${live.token}`), 200);
  });

  test("no other door takes the token", async () => {
    const device = await server.device();
    const { token } = await newLink(server, { device_ids: [device.id] });
    for (const path of ["/v1/gps/current", "/v1/devices", PATH, "/v1/users/me"]) {
      const answers = [
        await server.get(path, { token }),
        await server.get(path, { headers: { authorization: `Share ${token}` } }),
      ];
      for (const { status } of answers) expect([path, status]).toEqual([path, 401]);
    }
  });

  test("nothing that it shows names a user", async () => {
    const device = await server.device();
    await post(server, device.key, { ...OUTSIDE, ago: 0 });
    const from = timeOf(-HOUR);
    const { token } = await newLink(server, { device_ids: [device.id], level: "history", from });
    const users = rows<{ id: string; username: string }>(server, "SELECT id, username FROM users");
    const told = JSON.stringify(
      [await open(server, token), await open(server, token, "/track")].map(({ body }) => body),
    );
    for (const { id, username } of users) {
      expect(told).not.toContain(id);
      expect(told).not.toContain(`"${username}"`);
    }
  });
});

describe("a delay", () => {
  const delayed = async (seconds: number, fields: object = {}) => {
    const device = await server.device();
    return {
      device,
      link: await newLink(server, { device_ids: [device.id], delay_seconds: seconds, ...fields }),
    };
  };

  test("shows nothing that is newer, and everything in its time", async () => {
    const { device, link } = await delayed(600);
    await post(server, device.key, { ...OUTSIDE, ago: 0 });
    expect(await placeBy(link.token)).toBeNull();
    await server.advance(5 * MINUTE);
    await post(server, device.key, { ...FARTHER, ago: 0 });
    expect(await placeBy(link.token)).toBeNull();
    await server.advance(5 * MINUTE + 2_000);
    expect(await placeBy(link.token)).toEqual(at(OUTSIDE));
    await server.advance(5 * MINUTE);
    expect(await placeBy(link.token)).toEqual(at(FARTHER));
  });

  test("counts from the arrival too: a slow clock of a device leaks nothing", async () => {
    const { device, link } = await delayed(600, { level: "history", from: timeOf(-DAY) });
    const points = async () => done(await open(server, link.token, "/track")).data.points_total;
    await post(server, device.key, { ...OUTSIDE, ago: 7_200 });
    await server.advance(11 * MINUTE);
    await post(server, device.key, { ...FARTHER, ago: 7_000 });
    expect([await placeBy(link.token), await points()]).toEqual([at(OUTSIDE), 1]);
    await post(server, device.key, { ...FARTHEST, ago: 6_000 });
    expect([await placeBy(link.token), await points()]).toEqual([at(OUTSIDE), 1]);
    await server.advance(11 * MINUTE);
    expect([await placeBy(link.token), await points()]).toEqual([at(FARTHEST), 3]);
  });

  test("holds for the track, whatever is asked for", async () => {
    const { device, link } = await delayed(600, { level: "history", from: timeOf(-HOUR) });
    await post(server, device.key, { ...OUTSIDE, ago: 0 });
    await server.advance(11 * MINUTE);
    await post(server, device.key, { ...FARTHER, ago: 0 });
    const to = timeOf(DAY);
    for (const query of [
      "",
      `?to=${to}`,
      `?from=2020-01-01&to=${to}`,
      `?from=${timeOf(-MINUTE)}`,
      "?tolerance_m=0",
    ]) {
      const { pieces, bbox, to: end } = done(await open(server, link.token, `/track${query}`)).data;
      expect(JSON.stringify([pieces, bbox])).not.toContain(String(FARTHER.latitude));
      expect(Date.parse(end)).toBeLessThanOrEqual(Math.max(server.time - 10 * MINUTE, server.time - MINUTE));
    }
  });
});

test("a delayed link doesn't tell when its trip began before its time", async () => {
  const device = await server.device();
  const trip = await createTrip(server, { device_id: device.id, gps_logging_enabled: true });
  await moveTrip(server, trip.id, "active");
  const link = await newLink(server, { trip_id: trip.id, level: "history", delay_seconds: 600 });
  const { from, to } = done(await open(server, link.token, "/track")).data;
  for (const time of [from, to]) expect(Date.parse(time)).toBeLessThanOrEqual(server.time - 10 * MINUTE);
});

describe("precision", () => {
  test("rounds a place always to the same one, and figures with it", async () => {
    const device = await server.device();
    const fields = { precision_m: 1_000, level: "history", from: timeOf(-HOUR) };
    const link = await newLink(server, { device_ids: [device.id], ...fields });
    const seen = new Set<string>();
    for (let step = 0; step < 20; step++) {
      const place = { latitude: OUTSIDE.latitude + step * 1e-5, longitude: OUTSIDE.longitude };
      await post(server, device.key, { ...place, ago: 100 - step }, { altitude: 12.5 });
      const { latitude, longitude } = await placeBy(link.token);
      expect(greatCircleKm(place, { latitude, longitude })).toBeLessThan(1.1);
      seen.add(`${latitude} ${longitude}`);
    }
    expect(seen.size).toBe(1);
    const { pieces, bbox, distance_km, points_total } = done(
      await open(server, link.token, "/track?tolerance_m=0"),
    ).data;
    const places = new Set(
      pieces.flat().map(([longitude, latitude]: number[]) => `${latitude} ${longitude}`),
    );
    expect(places).toEqual(seen);
    expect([bbox[0], bbox[1], distance_km, points_total]).toEqual([bbox[2], bbox[3], 0, 20]);
    expect(pieces.flat().every((point: unknown[]) => point[4] === null)).toBe(true);
  });
});

describe("a hidden zone", () => {
  const hiding = async (fields: object = {}, zoneFields: object = {}) => {
    const [device, zone] = [
      await server.device(),
      await createZone(server, { ...HARBOUR, radius_km: 1, ...zoneFields }),
    ];
    const ids = { device_ids: [device.id], hide_zone_ids: [zone.id] };
    return { device, zone, link: await newLink(server, { ...ids, ...fields }) };
  };

  test("shows the last position outside in place of one inside", async () => {
    const { device, link } = await hiding();
    await post(server, device.key, { ...HARBOUR, ago: 400 });
    expect(await placeBy(link.token)).toBeNull();
    await post(server, device.key, { ...OUTSIDE, ago: 300 });
    expect(await placeBy(link.token)).toEqual(at(OUTSIDE));
    for (const ago of [200, 190, 180]) {
      await post(server, device.key, { ...HARBOUR, ago });
      expect(await placeBy(link.token)).toEqual(at(OUTSIDE));
    }
    await post(server, device.key, { ...FARTHER, ago: 100 });
    expect(await placeBy(link.token)).toEqual(at(FARTHER));
  });

  test("finds it behind thousands of positions inside, and again when one is marked, deleted or comes late", async () => {
    const { device, link } = await hiding();
    const outside = await post(server, device.key, { ...OUTSIDE, ago: 80_000 });
    const start = Math.floor(server.time / 1_000) - 79_000;
    for (let part = 0; part < 4; part++) {
      const positions = Array.from({ length: 1_000 }, (_, index) => ({
        ...HARBOUR,
        timestamp: start + part * 1_000 + index,
      }));
      done(await server.post("/v1/gps/batch", { token: device.key, body: { positions } }));
    }
    expect(await placeBy(link.token)).toEqual(at(OUTSIDE));
    const late = await post(server, device.key, { ...FARTHER, ago: 79_500 });
    expect(await placeBy(link.token)).toEqual(at(FARTHER));
    done(await server.patch(`/v1/gps/${late.id}`, { token: admin, body: { is_outlier: true } }));
    expect(await placeBy(link.token)).toEqual(at(OUTSIDE));
    done(await server.patch(`/v1/gps/${late.id}`, { token: admin, body: { is_outlier: false } }));
    expect(await placeBy(link.token)).toEqual(at(FARTHER));
    for (const { id } of [late, outside])
      expectStatus(await server.delete(`/v1/gps/${id}`, { token: admin }), 204);
    expect(await placeBy(link.token)).toBeNull();
  });

  test("hides also while it isn't active, and follows its shape", async () => {
    const { device, zone, link } = await hiding({}, { is_active: false });
    await post(server, device.key, { ...OUTSIDE, ago: 300 });
    await post(server, device.key, { ...HARBOUR, ago: 200 });
    expect(await placeBy(link.token)).toEqual(at(OUTSIDE));
    const change = async (body: object) =>
      done(await server.patch(`/v1/geofences/${zone.id}`, { token: admin, body }));
    await change({ radius_km: 3 });
    expect(await placeBy(link.token)).toBeNull();
    const square = [13.3, 54.05, 13.5, 54.05, 13.5, 54.11, 13.3, 54.11, 13.3, 54.05];
    const ring = [0, 2, 4, 6, 8].map((index) => square.slice(index, index + 2));
    await change({ kind: "polygon", geometry: { type: "Polygon", coordinates: [ring] } });
    expect(await placeBy(link.token)).toEqual(at(OUTSIDE));
  });

  test("is in no track, nor in its figures, and no line leads through it", async () => {
    const { device, link } = await hiding({ level: "history", from: timeOf(-DAY) });
    const south = { latitude: 54.08, longitude: 13.4 };
    const way = [south, HARBOUR, HARBOUR, OUTSIDE, FARTHER];
    for (const [index, place] of way.entries())
      await post(server, device.key, { ...place, ago: 500 - 10 * index });
    const { pieces, points_total, bbox, distance_km } = done(await open(server, link.token, "/track")).data;
    const latitudes = pieces.map((piece: number[][]) => piece.map(([, latitude]) => latitude));
    expect(latitudes).toEqual([[south.latitude], [OUTSIDE.latitude, FARTHER.latitude]]);
    expect([points_total, bbox[1], bbox[3]]).toEqual([3, south.latitude, FARTHER.latitude]);
    expect(distance_km).toBeCloseTo(greatCircleKm(OUTSIDE, FARTHER), 6);
  });

  test("shows nothing inside by rounding either", async () => {
    const { device, link } = await hiding({ precision_m: 20_000 }, { radius_km: 0.5 });
    const from = { latitude: 53.9, longitude: 13.4 };
    for (let step = 0; step < 40; step++)
      await post(server, device.key, {
        latitude: from.latitude + step * 0.01,
        longitude: 13.4,
        ago: 400 - step,
      });
    const position = await placeBy(link.token);
    expect(greatCircleKm(position, HARBOUR)).toBeGreaterThan(0.5);
  });
});

describe("GET /v1/shared/track", () => {
  test("asks which of several devices, and knows no other", async () => {
    const [boat, car, other] = [
      await server.device("Boat"),
      await server.device("Car"),
      await server.device(),
    ];
    const from = timeOf(-HOUR);
    const { token } = await newLink(server, { device_ids: [boat.id, car.id], level: "history", from });
    await post(server, car.key, { ...OUTSIDE, ago: 60 });
    expectInvalid(await open(server, token, "/track"), "/device_id");
    const track = done(await open(server, token, `/track?device_id=${car.id.toUpperCase()}`)).data;
    expect([track.device_id, track.points]).toEqual([car.id, 1]);
    for (const id of [other.id, UNKNOWN])
      expectRefused(await open(server, token, `/track?device_id=${id}`), 404, "NotFound");
    expectInvalid(
      await open(server, token, `/track?device_id=${car.id}&from=2026-02-02&to=2026-02-01`),
      "/to",
    );
    expectInvalid(await open(server, token, `/track?device_id=${car.id}&max_points=1`), "/max_points");
  });
});

test("an address may ask 60 times a minute", async () => {
  const limited = await TestServer.start({ settings: { "rate_limit.enabled": "true" } });
  const statuses = [];
  for (let index = 0; index < 61; index++)
    statuses.push((await open(limited, "wrong", index % 2 ? "" : "/track")).status);
  expect(statuses).toEqual([...Array(60).fill(404), 429]);
  await limited.stop();
});

test("a hundred thousand positions in a hidden zone delay nobody for long", async () => {
  const [device, zone] = [await server.device(), await createZone(server, { ...HARBOUR, radius_km: 1 })];
  await post(server, device.key, { ...OUTSIDE, ago: 200_000 });
  const start = server.time - 190_000_000;
  write(
    server,
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000)
     INSERT INTO gps_points (id, device_id, latitude, longitude, timestamp, created_at, source)
     SELECT 'hidden-' || i, '${device.id}', ${HARBOUR.latitude}, ${HARBOUR.longitude}, ${start} + i * 1000, ${start} + i * 1000, 'api' FROM n`,
  );
  const { token } = await newLink(server, { device_ids: [device.id], hide_zone_ids: [zone.id] });
  const held = await holdDuring(server, async () => expect(await placeBy(token)).toEqual(at(OUTSIDE)));
  expect(held).toBeLessThan(1_000);
  const before = mainThreadTimeOf(server.pid);
  for (let index = 0; index < 20; index++) await placeBy(token);
  // Looked through once alone.
  expect((mainThreadTimeOf(server.pid) - before) / 20).toBeLessThan(100);
});
