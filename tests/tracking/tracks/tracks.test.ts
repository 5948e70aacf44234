import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { done, expectInvalid, expectRefused, expectStatus, UNKNOWN } from "../../support/expectations";
import { newUser } from "../../support/people";
import { TestServer } from "../../support/server";
import { DAY, SECOND } from "../../support/time";
import { share } from "../shares/support";
import { createTrip, greatCircleKm, moveTrip, postPoint } from "../support";
import { simplified } from "./reference";

/** Tracks over HTTP: as JSON, and as files to take along. */

let server: TestServer;
let token: string;
beforeAll(async () => {
  server = await TestServer.start({ clock: "movable", settings: { "rate_limit.enabled": "false" } });
  token = await server.admin();
});
afterAll(() => server.stop());

interface Sent {
  latitude: number;
  longitude: number;
  timestamp: number;
  [field: string]: number | null;
}

/** A device with a track; fixes in any order. */
async function tracked(positions: Sent[]): Promise<{ id: string; key: string }> {
  const device = await server.device();
  for (let at = 0; at < positions.length; at += 1_000)
    done(
      await server.post("/v1/gps/batch", {
        token: device.key,
        body: { positions: positions.slice(at, at + 1_000) },
      }),
    );
  return device;
}

const BEGIN = 1_777_887_000;
/** A wavy way to the north east, a position every ten seconds, with a pause in the middle. */
const wave = (count = 200): Sent[] =>
  Array.from({ length: count }, (_, n) => ({
    latitude: 54 + n * 1e-4 + Math.sin(n / 7) * 2e-3,
    longitude: 13 + n * 2e-4,
    timestamp: BEGIN + n * 10 + (n >= count / 2 ? 3_600 : 0),
    altitude: n % 3 === 0 ? null : 1.25,
    speed_mps: n % 5 === 0 ? null : 3.5,
    heading: (n * 7) % 360,
    accuracy_m: 4,
    hdop: 0.9,
  }));
const WHOLE = "from=2026-05-01&to=2026-05-31";
const track = async (id: string, query = "") =>
  done(await server.get(`/v1/devices/${id}/track?${WHOLE}${query}`, { token })).data;
const file = async (path: string, headers: Record<string, string> = {}) => {
  const answer = await fetch(`${server.url}${path}`, {
    headers: { authorization: `Bearer ${token}`, ...headers },
  });
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
};

describe("a track as JSON", () => {
  test("has all positions in order where they fit, in pieces, with their figures", async () => {
    const sent = wave();
    const { id } = await tracked(sent.toReversed());
    const found = await track(id);
    expect(found).toMatchObject({ device_id: id, points_total: 200, points: 200, tolerance_m: 0 });
    expect(found.pieces.map((piece: unknown[]) => piece.length)).toEqual([100, 100]);
    expect(found.pieces.flat()).toEqual(
      sent.map(({ longitude, latitude, timestamp, speed_mps, altitude }) => [
        ...[longitude, latitude, timestamp, speed_mps, altitude],
      ]),
    );
    let kilometres = 0;
    for (const [at, each] of sent.entries())
      if (at > 0 && at !== 100) kilometres += greatCircleKm(sent[at - 1] as Sent, each);
    expect(found.distance_km).toBeCloseTo(kilometres, 9);
    const [longitudes, latitudes] = [sent.map((each) => each.longitude), sent.map((each) => each.latitude)];
    expect(found.bbox).toEqual([
      ...[Math.min(...longitudes), Math.min(...latitudes), Math.max(...longitudes), Math.max(...latitudes)],
    ]);
    expect((await track(id, "&gap_seconds=4000")).pieces).toHaveLength(1);
    expect((await track(id, "&gap_seconds=9")).pieces).toHaveLength(200);
  });

  test("keeps its shape with fewer points, by number and by tolerance", async () => {
    const sent = wave();
    const { id } = await tracked(sent);
    const halves = [sent.slice(0, 100), sent.slice(100)];
    const expected = (tolerance: number) =>
      halves.flatMap((half) => simplified(half, tolerance).map((at) => half[at]?.timestamp));
    const times = (found: { pieces: number[][][] }) => found.pieces.flat().map((point) => point[2]);
    const fitted = await track(id, "&max_points=20");
    expect(fitted.points).toBeLessThanOrEqual(20);
    expect(fitted.points).toBe(fitted.pieces.flat().length);
    expect(times(fitted)).toEqual(expected(fitted.tolerance_m * (1 + 1e-9)));
    const near = await track(id, "&tolerance_m=25");
    expect(near).toMatchObject({ tolerance_m: 25, points_total: 200, distance_km: fitted.distance_km });
    expect(times(near)).toEqual(expected(25));
    expect((await track(id, "&max_points=2")).pieces.map((piece: unknown[]) => piece.length)).toEqual([2, 2]);
  });

  test("is empty without positions, and of the last 24 hours by default", async () => {
    const { id } = await server.device();
    expect(await track(id)).toMatchObject({
      points_total: 0,
      points: 0,
      distance_km: 0,
      bbox: null,
      pieces: [],
    });
    const now = Math.floor(server.time / SECOND);
    const other = await tracked([
      { latitude: 54, longitude: 13, timestamp: now - 86_400 - 60 },
      { latitude: 54, longitude: 13, timestamp: now - 86_000 },
      { latitude: 54, longitude: 13, timestamp: now },
    ]);
    const recent = done(await server.get(`/v1/devices/${other.id}/track`, { token })).data;
    expect(recent.points_total).toBe(2);
    expect(Date.parse(recent.to) - Date.parse(recent.from)).toBe(DAY);
  });

  test("leaves outliers out, and knows boxes across the 180th meridian", async () => {
    const { id } = await tracked([
      { latitude: -17, longitude: 179.9, timestamp: BEGIN },
      { latitude: -17.1, longitude: -179.9, timestamp: BEGIN + 60 },
      { latitude: -17.2, longitude: -179.8, timestamp: BEGIN + 120 },
    ]);
    expect((await track(id)).bbox).toEqual([179.9, -17.2, -179.8, -17]);
    const { data } = done(await server.get(`/v1/gps?device_id=${id}&limit=1`, { token }));
    done(await server.patch(`/v1/gps/${data[0].id}`, { token, body: { is_outlier: true } }));
    expect(await track(id)).toMatchObject({ points_total: 2, bbox: [179.9, -17.1, -179.9, -17] });
  });

  test("of a trip is that of its positions", async () => {
    const device = await server.device();
    const trip = await createTrip(server, { device_id: device.id, gps_logging_enabled: true });
    const path = `/v1/trips/${trip.id}/track`;
    expect(done(await server.get(path, { token })).data).toMatchObject({ device_id: device.id, points: 0 });
    await moveTrip(server, trip.id, "active");
    const now = Math.floor(server.time / SECOND);
    for (const [at, latitude] of [54, 54.001, 54.002].entries())
      await postPoint(server, device.key, { latitude, longitude: 13, timestamp: now + at });
    const found = done(await server.get(path, { token })).data;
    expect(found.pieces.flat().map((point: number[]) => point[1])).toEqual([54, 54.001, 54.002]);
  });

  test.each([
    ["a tolerance below 0", "tolerance_m=-1", "/tolerance_m"],
    ["one point", "max_points=1", "/max_points"],
    ["too many points", "max_points=20001", "/max_points"],
    ["no gap", "gap_seconds=0", "/gap_seconds"],
    ["a time that is none", "from=yesterday", "/from"],
    ["an end before the beginning", "from=2026-05-02&to=2026-05-01", "/to"],
    ["an unknown form", "format=shp", "/format"],
  ])("is refused with %s", async (_, query, path) => {
    const { id } = await server.device();
    expectInvalid(await server.get(`/v1/devices/${id}/track?${query}`, { token }), path);
  });

  test("is 404 of no device and no trip", async () => {
    for (const path of ["devices", "trips"])
      expectRefused(await server.get(`/v1/${path}/${UNKNOWN}/track`, { token }), 404, "NotFound");
  });

  test("is shown by a share of the history, of a trip too", async () => {
    const { id } = await tracked(wave(3));
    const trip = await createTrip(server, { device_id: id });
    const user = await newUser(server);
    const paths = [`/v1/devices/${id}/track`, `/v1/trips/${trip.id}/track`];
    await share(server, id, user.id, "now");
    for (const path of paths) expectRefused(await server.get(path, { token: user.token }), 403, "Forbidden");
    await share(server, id, user.id, "history");
    for (const path of paths) expectStatus(await server.get(path, { token: user.token }), 200);
  });
});

describe("asked again", () => {
  const known = (id: string, etag: string, query = WHOLE) =>
    file(`/v1/devices/${id}/track?${query}`, { "if-none-match": etag });

  test("a track that is unchanged is 304, in each form, and new positions elsewhere change nothing", async () => {
    const device = await tracked(wave(20));
    for (const format of ["json", "gpx", "csv"]) {
      const query = `${WHOLE}&format=${format}`;
      const first = await file(`/v1/devices/${device.id}/track?${query}`);
      const etag = first.headers.get("etag") as string;
      const again = await known(device.id, etag, query);
      expect([again.status, again.text, again.headers.get("etag")]).toEqual([304, "", etag]);
      expect(again.headers.has("content-disposition")).toBeFalse();
      expect((await known(device.id, etag, `${query}&tolerance_m=5`)).status).toBe(200);
    }
    const { headers } = await file(`/v1/devices/${device.id}/track?${WHOLE}`);
    const now = Math.floor(server.time / SECOND);
    done(
      await server.post("/v1/gps/batch", {
        token: device.key,
        body: { positions: [{ latitude: 54, longitude: 13, timestamp: now }] },
      }),
    );
    expect((await known(device.id, headers.get("etag") as string)).status).toBe(304);
  });

  test.each([
    ["a late position", (key: string) => post(key, { timestamp: BEGIN + 5 })],
    ["a marked position", async (_: string, id: string) => mark(id, true)],
    ["a deleted position", async (_: string, id: string) => remove(id)],
  ] as [string, (key: string, id: string) => Promise<unknown>][])("%s changes it", async (_, change) => {
    const device = await tracked(wave(20));
    const etag = (await file(`/v1/devices/${device.id}/track?${WHOLE}`)).headers.get("etag") as string;
    const before = await track(device.id);
    await change(device.key, device.id);
    expect((await known(device.id, etag)).status).toBe(200);
    expect((await track(device.id)).points_total).not.toBe(before.points_total);
  });

  const post = async (key: string, fields: object) =>
    done(
      await server.post("/v1/gps/batch", {
        token: key,
        body: { positions: [{ latitude: 54, longitude: 13, ...fields }] },
      }),
    );
  const anyOf = async (id: string) =>
    done(await server.get(`/v1/gps?device_id=${id}&page=5&limit=1`, { token })).data[0].id;
  const mark = async (id: string, is_outlier: boolean) =>
    done(await server.patch(`/v1/gps/${await anyOf(id)}`, { token, body: { is_outlier } }));
  const remove = async (id: string) =>
    expectStatus(await server.delete(`/v1/gps/${await anyOf(id)}`, { token }), 204);
});

/** True if each element of an XML text ends in its turn, and no other markup or ampersand is left. */
function isBalanced(xml: string): boolean {
  const open: string[] = [];
  const rest = xml
    .replace(/^<\?xml[^>]*\?>/, "")
    .replace(/<(\/?)([A-Za-z:]+)((?:\s+[\w:]+="[^"<]*")*)\s*>/g, (_, end, name) => {
      if (end && open.pop() !== name) open.push("!");
      if (!end) open.push(name);
      return "";
    });
  return open.length === 0 && !/[<>]|&(?!(?:amp|lt|gt|quot);)/.test(rest);
}

describe("a file", () => {
  const FORMS: [format: string, type: string][] = [
    ["geojson", "application/geo+json"],
    ["gpx", "application/gpx+xml"],
    ["kml", "application/vnd.google-earth.kml+xml"],
    ["csv", "text/csv"],
  ];

  test.each(FORMS)("is asked for by name and by Accept: %s", async (format, type) => {
    const { id } = await tracked(wave(20));
    await server.patch(`/v1/devices/${id}`, { token, body: { name: 'Möwe & "Söhne" <1>' } });
    const path = `/v1/devices/${id}/track?${WHOLE}`;
    const named = await file(`${path}&format=${format}`);
    const accepted = await file(path, { accept: type });
    expect(named.text).toBe(accepted.text);
    expect(named.headers.get("content-type")).toStartWith(type);
    expect(named.headers.get("content-disposition")).toBe(
      `attachment; filename="Mowe-Sohne-1-2026-05-01.${format}"`,
    );
    const head = await fetch(`${server.url}${path}&format=${format}`, {
      method: "HEAD",
      headers: { authorization: `Bearer ${token}` },
    });
    expect([head.status, await head.text()]).toEqual([200, ""]);
  });

  test("holds all positions, also of a long track, and fewer within a tolerance", async () => {
    const sent = wave(6_000);
    const { id } = await tracked(sent);
    const path = `/v1/devices/${id}/track?${WHOLE}`;
    const lines = async (query: string) =>
      (await file(`${path}&format=csv${query}`)).text.trim().split("\r\n");
    expect(await lines("")).toHaveLength(6_001);
    const fewer = (await track(id, "&tolerance_m=20")).points;
    expect(await lines("&tolerance_m=20")).toHaveLength(fewer + 1);
  });

  test("in CSV is read by the import, and gives the same track", async () => {
    const sent = wave(50);
    const { id } = await tracked(sent);
    const { text } = await file(`/v1/devices/${id}/track?${WHOLE}&format=csv`);
    const other = await server.device();
    const form = new FormData();
    form.set("file", new File([text], "track.csv", { type: "text/csv" }));
    const answer = await fetch(`${server.url}/v1/devices/${other.id}/import`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "text/csv" },
      body: text,
    });
    expect(answer.status).toBeLessThan(300);
    await answer.text();
    expect((await track(other.id)).pieces).toEqual((await track(id)).pieces);
  });

  test("in GPX is well-formed, with elements in the order of its schema", async () => {
    const sent = wave(20);
    const { id } = await tracked(sent);
    const { text } = await file(`/v1/devices/${id}/track?${WHOLE}&format=gpx`);
    expect(isBalanced(text)).toBe(true);
    expect(text.match(/<trkseg>/g)).toHaveLength(2);
    expect(text.match(/<trkpt /g)).toHaveLength(20);
    const second = text.split("<trkpt ")[2] as string;
    expect([...second.matchAll(/<([a-z:A-Z]+)>/g)].map(([, name]) => name)).toEqual([
      ...["ele", "time", "hdop", "extensions", "gpxtpx:TrackPointExtension", "gpxtpx:speed", "gpxtpx:course"],
    ]);
    expect(second).toStartWith('lat="54.000384');
  });

  test("in GPX has only what its schema allows: no 180° and no number beyond its decimals", async () => {
    const { id } = await tracked([
      { latitude: 1e-9, longitude: 180, timestamp: BEGIN, altitude: 1e15, hdop: 1e21 },
      { latitude: 0, longitude: 179.99999999, timestamp: BEGIN + 1, altitude: -9e14, heading: 359.999 },
      { latitude: 0, longitude: -180, timestamp: BEGIN + 2, heading: 360 },
    ]);
    const { text } = await file(`/v1/devices/${id}/track?${WHOLE}&format=gpx`);
    const valuesOf = (pattern: RegExp) => [...text.matchAll(pattern)].map(([, value]) => value);
    expect(valuesOf(/ lon="([^"]*)"/g)).toEqual(["-180", "-180", "-180"]);
    expect(valuesOf(/<ele>([^<]*)</g)).toEqual(["-900000000000000"]);
    expect(text).not.toContain("<hdop>");
    expect(valuesOf(/<gpxtpx:course>([^<]*)</g)).toEqual(["0", "0"]);
  });

  test("in KML is well-formed, with as many times as places", async () => {
    const { id } = await tracked(wave(20));
    const { text } = await file(`/v1/devices/${id}/track?${WHOLE}&format=kml`);
    expect(isBalanced(text)).toBe(true);
    for (const track of text.split("<gx:Track>").slice(1))
      expect(track.match(/<when>/g)?.length).toBe(track.match(/<gx:coord>/g)?.length as number);
    expect(text.match(/<gx:Track>/g)).toHaveLength(2);
  });

  test("in GeoJSON has a line for each piece of two positions or more, cut at the 180th meridian", async () => {
    const { id } = await tracked([
      { latitude: -17, longitude: 179.9, timestamp: BEGIN },
      { latitude: -17.2, longitude: -179.9, timestamp: BEGIN + 60 },
      { latitude: -17.2, longitude: -179.8, timestamp: BEGIN + 120 },
      { latitude: -17.2, longitude: -179.7, timestamp: BEGIN + 90_000 },
    ]);
    const { text } = await file(`/v1/devices/${id}/track?${WHOLE}&format=geojson`);
    const { type, features } = JSON.parse(text);
    expect(type).toBe("FeatureCollection");
    const lines = features.map((feature: { geometry: { coordinates: number[][] } }) =>
      feature.geometry.coordinates.map(([longitude, latitude]) => [longitude, latitude]),
    );
    expect(lines).toEqual([
      [
        [179.9, -17],
        [180, -17.1],
      ],
      [
        [-180, -17.1],
        [-179.9, -17.2],
        [-179.8, -17.2],
      ],
    ]);
    for (const { geometry, properties } of features)
      expect(properties.coordinateProperties.times).toHaveLength(geometry.coordinates.length);
  });

  test("whose client reads nothing keeps nobody from the next one", async () => {
    const { id } = await tracked(wave(6_000));
    const path = `/v1/devices/${id}/track?${WHOLE}&format=gpx`;
    const left = await Promise.all(
      Array.from({ length: 5 }, () =>
        fetch(`${server.url}${path}`, { headers: { authorization: `Bearer ${token}` } }),
      ),
    );
    const refused = await file(path);
    expect([200, 503]).toContain(refused.status);
    for (const answer of left) await answer.body?.cancel();
    let status = 503;
    while (status === 503) {
      status = (await file(path)).status;
      await Bun.sleep(20);
    }
    expect(status).toBe(200);
  });
});
