import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { connect } from "node:net";
import { deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import type { Token } from "../../support/api";
import { eventually, expectStatus } from "../../support/expectations";
import { newUser } from "../../support/people";
import { newRole } from "../../support/roles";
import { onDatabase, rows } from "../../support/rows";
import { TestServer } from "../../support/server";
import { postPoint } from "../support";
import { BEGINNING, gpx, gpxTrack, trkpt } from "./support";

let server: TestServer;
let admin: Token;
beforeAll(async () => {
  server = await TestServer.start({
    settings: { "server.max_body_bytes": "2048", "ingest.max_import_mb": "1" },
  });
  admin = await server.admin();
});
afterAll(() => server.stop());

interface Sent {
  type?: string;
  query?: string;
  token?: Token;
  headers?: Record<string, string>;
}

function send(
  id: string,
  file: string | Uint8Array,
  { type = "application/gpx+xml", query = "", token = admin, headers }: Sent = {},
) {
  const raw = file as string | Uint8Array<ArrayBuffer>;
  return server.post(`/v1/devices/${id}/import${query}`, {
    token,
    raw,
    headers: { "content-type": type, ...headers },
  });
}

const newDevice = async () => (await server.device()).id;

/** The stored positions of a device. */
const stored = (id: string) =>
  rows<{ timestamp: number; source: string }>(
    server,
    "SELECT timestamp, source FROM gps_points WHERE device_id = ? ORDER BY timestamp",
    id,
  );

/** Points one second and about 11 m apart. */
const points = (count: number, from = 0) =>
  Array.from({ length: count }, (_, n) => trkpt(BEGINNING + from + n, 54 + (from + n) / 10_000)).join("\n");

const NOTHING = {
  positions: 0,
  duplicates: 0,
  rejected: 0,
  rejections: [],
  from: null,
  to: null,
  distance_km: 0,
  tracks: 0,
};

describe("an import", () => {
  test("stores the positions of a GPX file, and tells of them", async () => {
    const id = await newDevice();
    const file = gpx(
      `<trk><trkseg>\n${points(3)}\n</trkseg></trk><trk><trkseg>${points(2, 100)}\n<trkpt lat="1" lon="1"/></trkseg></trk>`,
    );
    const { body } = expectStatus(await send(id, file), 200);
    expect(body).toEqual({
      positions: 5,
      duplicates: 0,
      rejected: 1,
      rejections: [{ line: 9, reason: "no_time" }],
      from: "2013-06-30T07:41:09.000Z",
      to: "2013-06-30T07:42:50.000Z",
      // Three legs: nothing lies between the tracks.
      distance_km: expect.closeTo(3 * 0.01112, 3),
      tracks: 2,
    });
    expect(stored(id).map(({ timestamp }) => timestamp / 1_000 - BEGINNING)).toEqual([0, 1, 2, 100, 101]);
    const { body: list } = await server.get(`/v1/gps?device_id=${id}&limit=1`, { token: admin });
    expect(list.data[0]).toMatchObject({
      source: "gpx",
      timestamp: "2013-06-30T07:42:50.000Z",
      speed_kmh: null,
    });
  });

  test("stores the positions of a CSV file, whose one speed gives the others", async () => {
    const id = await newDevice();
    const file = `timestamp,latitude,longitude,speed_mps,battery_percent\n${BEGINNING},54.1,13.4,10,82\n${BEGINNING + 1},54.1,13.4,,\n`;
    const { body } = expectStatus(await send(id, file, { type: "text/csv; charset=utf-8" }), 200);
    expect(body).toMatchObject({ positions: 2, tracks: 1, distance_km: 0 });
    const { body: list } = await server.get(`/v1/gps?device_id=${id}`, { token: admin });
    expect(list.data).toMatchObject([
      { source: "csv", speed_kmh: null, battery_percent: null },
      { source: "csv", speed_kmh: 36, speed_mps: 10, battery_percent: 82 },
    ]);
  });

  test("made again stores nothing, and neither does a second that another way brought", async () => {
    const id = await newDevice();
    const owner = await server.device("by key");
    await postPoint(server, owner.key, { timestamp: BEGINNING + 1 });
    const first = expectStatus(await send(id, gpxTrack(points(3))), 200).body;
    expect(expectStatus(await send(id, gpxTrack(points(3))), 200).body).toEqual({
      ...first,
      positions: 0,
      duplicates: 3,
    });
    expect(expectStatus(await send(owner.id, gpxTrack(points(3))), 200).body).toMatchObject({
      positions: 2,
      duplicates: 1,
    });
    expect(stored(owner.id).map(({ source }) => source)).toEqual(["gpx", "api", "gpx"]);
  });

  test("tells the first 20 rejections, and the reasons of the recorder", async () => {
    const id = await newDevice();
    const bad = Array.from({ length: 25 }, () => '<trkpt lat="1" lon="1"/>').join("\n");
    const future = Math.floor(Date.now() / 1_000) + 86_400;
    const file = gpxTrack(`${trkpt(future)}\n${trkpt(86_400)}\n${bad}`);
    const { body } = expectStatus(await send(id, file), 200);
    expect(body).toMatchObject({ positions: 0, rejected: 27, from: null, to: null, tracks: 1 });
    expect(body.rejections).toHaveLength(20);
    expect(body.rejections.slice(0, 3)).toEqual([
      { line: 4, reason: "in_the_future" },
      { line: 5, reason: "implausible_time" },
      { line: 6, reason: "no_time" },
    ]);
    expect(stored(id)).toEqual([]);
  });

  test("joins the trip of its time", async () => {
    const id = await newDevice();
    const body = { name: "import", device_id: id, gps_logging_enabled: true };
    const trip = expectStatus(await server.post("/v1/trips", { token: admin, body }), 201).body.data;
    await server.patch(`/v1/trips/${trip.id}`, { token: admin, body: { status: "active" } });
    const now = Math.ceil(Date.now() / 1_000);
    expectStatus(await send(id, gpxTrack(`${trkpt(now)}\n${trkpt(BEGINNING)}`)), 200);
    expect(
      rows(server, "SELECT timestamp, trip_id FROM gps_points WHERE device_id = ? ORDER BY timestamp", id),
    ).toEqual([
      { timestamp: BEGINNING * 1_000, trip_id: null },
      { timestamp: now * 1_000, trip_id: trip.id },
    ]);
  });

  test("of an empty track tells nothing", async () => {
    expect(expectStatus(await send(await newDevice(), gpx("<metadata/>")), 200).body).toEqual(NOTHING);
  });

  test("writes one audit event with the counts", async () => {
    const id = await newDevice();
    await send(id, gpxTrack(`${points(3)}\n<trkpt lat="1" lon="1"/>`));
    const events = rows<{ metadata: string; status: string; user_id: string | null }>(
      server,
      "SELECT metadata, status, user_id FROM audit_events WHERE event_type = 'positions_imported' AND resource_id = ?",
      id,
    );
    expect(events).toEqual([
      { metadata: expect.any(String), status: "success", user_id: expect.any(String) },
    ]);
    expect(JSON.parse(events[0]?.metadata ?? "")).toEqual({
      format: "gpx",
      positions: 3,
      duplicates: 0,
      rejected: 1,
    });
  });
});

describe("a dry run", () => {
  test("tells the same, and stores nothing", async () => {
    const id = await newDevice();
    expectStatus(await send(id, gpxTrack(points(2))), 200);
    const file = gpxTrack(`${points(4)}\n${trkpt(BEGINNING + 3)}\n<trkpt lat="1" lon="1"/>\n${trkpt(1)}`);
    const before = stored(id);
    const dry = expectStatus(await send(id, file, { query: "?dry_run=true" }), 200).body;
    expect(dry).toMatchObject({ positions: 2, duplicates: 3, rejected: 2, tracks: 1 });
    expect(stored(id)).toEqual(before);
    expect(
      rows(
        server,
        "SELECT id FROM audit_events WHERE event_type = 'positions_imported' AND resource_id = ?",
        id,
      ),
    ).toHaveLength(1);
    expect(expectStatus(await send(id, file), 200).body).toEqual(dry);
  });
});

describe("a file that ends too early is 400 with the numbers, and what came before is stored", () => {
  test("in the middle of a GPX or CSV file", async () => {
    const id = await newDevice();
    const whole = gpxTrack(points(600));
    const cut = whole.slice(0, whole.length - 60);
    const { body } = expectStatus(await send(id, cut), 400);
    expect(body.error).toBe("BadRequest");
    expect(body.message).toMatch(
      /^Line \d+: the file ends inside <\w+>\. Until there: positions 599, duplicates 0, rejected 0, from 2013-06-30T07:41:09\.000Z, to 2013-06-30T07:51:07\.000Z, distance_km 6\.\d+, tracks 1$/,
    );
    expect(stored(id)).toHaveLength(599);
    const dry = expectStatus(await send(id, cut, { query: "?dry_run=true" }), 400).body;
    expect(dry.message).toContain("positions 0, duplicates 599");
    const csv = `latitude,longitude,timestamp\n54,13,${BEGINNING + 5_000}\n54,13`;
    expect(expectStatus(await send(id, csv, { type: "text/csv" }), 400).body.message).toContain(
      "Until there: positions 1,",
    );
    expect(
      rows(server, "SELECT status, metadata FROM audit_events WHERE resource_id = ? ORDER BY rowid", id),
    ).toEqual([
      { status: "failure", metadata: expect.stringContaining('"positions":599') },
      { status: "failure", metadata: expect.stringContaining('"positions":1') },
    ]);
  });

  test("in the middle of a compressed file", async () => {
    const id = await newDevice();
    const packed = gzipSync(gpxTrack(points(2_000)));
    const headers = { "content-encoding": "gzip" };
    const { body } = expectStatus(await send(id, packed.subarray(0, packed.length / 2), { headers }), 400);
    expect(body.message).toMatch(/^The file breaks off, .*\. Until there: positions \d{3,},/);
    expect(stored(id).length).toBeGreaterThan(500);
    const before = stored(id).length;
    const again = expectStatus(await send(id, packed, { headers }), 200).body;
    expect(again).toMatchObject({ positions: 2_000 - before, duplicates: before });
    expect(stored(id)).toHaveLength(2_000);
  });

  test("when its connection is closed", async () => {
    const id = await newDevice();
    const file = gpxTrack(points(2_000));
    const { hostname, port } = new URL(server.url);
    const socket = connect(Number(port), hostname);
    socket.write(
      `POST /v1/devices/${id}/import HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${admin}\r\nContent-Type: application/gpx+xml\r\nContent-Length: ${file.length}\r\n\r\n`,
    );
    socket.write(file.slice(0, file.length / 2));
    const event = () =>
      rows<{ status: string }>(server, "SELECT status FROM audit_events WHERE resource_id = ?", id);
    await eventually(() => stored(id).length >= 500);
    socket.destroy();
    while (event().length === 0) await Bun.sleep(20);
    expect(event()).toEqual([{ status: "failure" }]);
    expect(stored(id).length).toBeGreaterThan(900);
    expect(stored(id).length).toBeLessThan(1_100);
  });
});

describe("a body", () => {
  test("may be compressed, and come in chunks", async () => {
    const file = gpxTrack(points(10));
    for (const [coding, packed] of [
      ["gzip", gzipSync(file)],
      ["deflate", deflateSync(file)],
      ["zstd", zstdCompressSync(file)],
    ] as const) {
      const headers = { "content-encoding": coding };
      expect(expectStatus(await send(await newDevice(), packed, { headers }), 200).body.positions).toBe(10);
    }
    const stream = async function* () {
      for (let at = 0; at < file.length; at += 7) yield file.slice(at, at + 7);
    };
    const response = await fetch(`${server.url}/v1/devices/${await newDevice()}/import`, {
      method: "POST",
      headers: { authorization: `Bearer ${admin}`, "content-type": "application/xml" },
      body: stream(),
    } as unknown as RequestInit);
    expect(await response.json()).toMatchObject({ positions: 10 });
  });

  test("larger than ingest.max_import_mb is 413: as declared, in chunks, and unpacked", async () => {
    const large = gpxTrack(`${points(600)}<!--${"x".repeat(1_048_576)}-->`);
    const id = await newDevice();
    expect(expectStatus(await send(id, large), 413).body).toEqual({
      error: "PayloadTooLarge",
      message: "The file is larger than 1048576 bytes",
    });
    expect(stored(id)).toEqual([]);
    const packed = expectStatus(
      await send(id, gzipSync(large), { headers: { "content-encoding": "gzip" } }),
      413,
    ).body;
    expect(packed.message).toStartWith("The file is larger than 1048576 bytes. Until there: positions 600,");
    expect(stored(id)).toHaveLength(600);
    const bomb = gzipSync(Buffer.alloc(200_000_000));
    expectStatus(await send(id, bomb, { headers: { "content-encoding": "gzip" } }), 413);
    const blanks = gzipSync(`<gpx>${" ".repeat(50_000_000)}</gpx>`);
    expectStatus(await send(id, blanks, { headers: { "content-encoding": "gzip" } }), 413);
  });

  test("of another type or coding is 415, and an empty one 400", async () => {
    const id = await newDevice();
    for (const type of ["application/json", "text/plain", "application/gpx", ""]) {
      const { body, headers } = expectStatus(await send(id, "x", { type }), 415);
      expect(body.message).toContain("application/gpx+xml, application/xml, text/xml, text/csv");
      expect(headers.get("accept")).toContain("text/csv");
    }
    expectStatus(await send(id, "x", { headers: { "content-encoding": "br" } }), 415);
    expectStatus(await send(id, ""), 400);
    expectStatus(await send(id, "not packed", { headers: { "content-encoding": "gzip" } }), 400);
  });

  test("larger than server.max_body_bytes is taken, and counts against no limit", async () => {
    const id = await newDevice();
    const answer = expectStatus(await send(id, gpxTrack(points(100))), 200);
    expect(answer.body.positions).toBe(100);
    expect(answer.headers.get("ratelimit-limit")).toBeNull();
  });

  test("of a hostile file is 400", async () => {
    const id = await newDevice();
    const laughs = '<!DOCTYPE gpx [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]><gpx>&b;</gpx>';
    const files = [
      laughs,
      `<gpx>${"<a>".repeat(100_000)}`,
      `<gpx a="${"x".repeat(500_000)}`,
      "\0\0\0",
      "<gpx",
    ];
    for (const file of files)
      expect(expectStatus(await send(id, file), 400).body.message).toStartWith("Line ");
  });
});

describe("a caller", () => {
  test("needs gps:write and devices:write", async () => {
    const id = await newDevice();
    const file = gpxTrack(points(1));
    for (const [scopes, status] of [
      [["gps:write"], 403],
      [["devices:write"], 403],
      [["gps:*", "devices:read"], 403],
      [["gps:write", "devices:write"], 200],
    ] as const)
      expectStatus(await send(id, file, { token: await server.key(...scopes) }), status);
  });

  test("gets 404 for a device that isn't there, and 400 for an identifier that is none", async () => {
    expectStatus(await send("0192f3a1-5c00-7d1e-9a55-3f1f6c1f0a01", gpxTrack(points(1))), 404);
    expectStatus(await send("none", gpxTrack(points(1))), 400);
  });

  /** A body that waits in the middle, once what came before is stored, until `act` is done. */
  const inTheMiddle = (id: string, act: () => Promise<unknown>) => ({
    async *[Symbol.asyncIterator]() {
      const file = gpxTrack(points(2_000));
      yield file.slice(0, file.length / 2);
      await Bun.sleep(300);
      await eventually(() => stored(id).length >= 500);
      await act();
      yield file.slice(file.length / 2);
    },
  });
  const stream = async (id: string, token: Token, act: () => Promise<unknown>) => {
    const response = await fetch(`${server.url}/v1/devices/${id}/import`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/gpx+xml" },
      body: inTheMiddle(id, act),
    } as unknown as RequestInit);
    return { status: response.status, body: await response.json() };
  };

  test("who loses the rights in the middle is stopped", async () => {
    const id = await newDevice();
    const role = await newRole(server, "gps:write", "devices:write");
    const user = await newUser(server, role.id);
    const take = () => server.delete(`/v1/users/${user.id}/roles/${role.id}`, { token: admin });
    const { status, body } = await stream(id, user.token, take);
    expect([status, body.error]).toEqual([403, "Forbidden"]);
    expect(body.message).toMatch(/Until there: positions \d+,/);
    expect(stored(id).length).toBeLessThan(1_100);
    expect(rows(server, "SELECT user_id, status FROM audit_events WHERE resource_id = ?", id)).toEqual([
      { user_id: user.id, status: "failure" },
    ]);
  });

  test("whose device is deleted in the middle gets 404", async () => {
    const id = await newDevice();
    const { status, body } = await stream(id, admin, () =>
      server.delete(`/v1/devices/${id}`, { token: admin }),
    );
    expect([status, body.error]).toEqual([404, "NotFound"]);
  });

  test("gets 503 beyond two imports at once, and finds a place again", async () => {
    const id = await newDevice();
    const releases: (() => void)[] = [];
    const held = [1, 2].map(() =>
      stream(id, admin, () => new Promise<void>((resolve) => releases.push(resolve))),
    );
    while (releases.length < 2) await Bun.sleep(20);
    const refused = expectStatus(await send(id, gpxTrack(points(1))), 503);
    expect(refused.headers.get("retry-after")).toBe("10");
    expectStatus(await send(id, gpxTrack(points(1)), { token: server.systemKey }), 200);
    for (const release of releases) release();
    expect((await Promise.all(held)).map(({ status }) => status)).toEqual([200, 200]);
    expectStatus(await send(id, gpxTrack(points(1))), 200);
    expect(stored(id)).toHaveLength(2_000);
  });
});

test("a client that sends nothing is cut after the idle time", async () => {
  const slow = await TestServer.start({ settings: { "server.idle_seconds": "2" } });
  const { id } = await slow.device();
  const { hostname, port } = new URL(slow.url);
  const socket = connect(Number(port), hostname);
  socket.write(
    `POST /v1/devices/${id}/import HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${await slow.admin()}\r\nContent-Type: text/csv\r\nContent-Length: 1000\r\n\r\nlatitude,`,
  );
  const began = performance.now();
  await new Promise((resolve) => socket.on("close", resolve).on("data", () => {}));
  expect(performance.now() - began).toBeLessThan(12_000);
  await slow.stop();
});

test("a server that is killed in the middle loses nothing by a repetition", async () => {
  const first = await TestServer.start();
  const { id } = await first.device();
  const token = await first.admin();
  const file = gpxTrack(points(4_000));
  const post = (url: string) =>
    fetch(`${url}/v1/devices/${id}/import`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/gpx+xml" },
      body: file,
    });
  const sending = post(first.url).catch(() => null);
  const count = (running: TestServer) =>
    rows<{ n: number }>(running, "SELECT count(*) AS n FROM gps_points WHERE device_id = ?", id)[0]?.n ?? 0;
  while (count(first) === 0) await Bun.sleep(1);
  await first.stop("SIGKILL");
  await sending;
  const second = await TestServer.start({ dataDir: first.dataDir });
  const before = count(second);
  expect(before).toBeGreaterThan(0);
  const report = await (await post(second.url)).json();
  expect(report).toMatchObject({ positions: 4_000 - before, duplicates: before });
  expect(count(second)).toBe(4_000);
  expect(
    onDatabase(second, (database) =>
      database.query("SELECT count(DISTINCT timestamp) AS n FROM gps_points").get(),
    ),
  ).toEqual({ n: 4_000 });
  await second.stop();
});

test("a server that is asked to stop ends an import, which may be sent again", async () => {
  const stopping = await TestServer.start({ settings: { "log.level": "info" } });
  const { id } = await stopping.device();
  let end: () => void = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const file = gpxTrack(points(2_000));
  const body = {
    async *[Symbol.asyncIterator]() {
      yield file.slice(0, file.length / 2);
      await ended;
      yield file.slice(file.length / 2);
    },
  };
  const sending = fetch(`${stopping.url}/v1/devices/${id}/import`, {
    method: "POST",
    headers: { authorization: `Bearer ${await stopping.admin()}`, "content-type": "application/gpx+xml" },
    body,
  } as unknown as RequestInit);
  const count = () => rows(stopping, "SELECT 1 FROM gps_points WHERE device_id = ?", id).length;
  await eventually(() => count() >= 500);
  const stopped = stopping.stop();
  await eventually(() => stopping.output.includes('"stopping"'));
  end();
  const response = await sending;
  expect([response.status, (await response.json()).message]).toEqual([
    503,
    expect.stringMatching(/^The import was stopped\. Until there: positions \d+, .* to 2013-06-30T/),
  ]);
  expect(await stopped).toBe(0);
});
