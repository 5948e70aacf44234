import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { zstdCompressSync } from "node:zlib";
import { type Batch, joinBody, MOST_BYTES, MOST_HEADER, MOST_PLAIN } from "../../../src/sync/batch/batch";
import { Writer } from "../../../src/sync/batch/bytes";
import { expectRefused, expectStatus } from "../../support/expectations";
import { randomFrom } from "../../support/random";
import { rawRequest } from "../../support/raw-http";
import { rows } from "../../support/rows";
import { TestServer } from "../../support/server";
import { device, numberedPositions, position } from "../rows";
import { bodyOf, Sender } from "../sender";
import { newBox } from "../support";

/** Bodies that no box makes: each is refused, stores nothing, and costs little. */

let server: TestServer;
let sender: Sender;
let deviceId = "";
beforeAll(async () => {
  server = await TestServer.start();
  sender = new Sender(server, (await newBox(server)).token);
  const greif = device(server.time);
  deviceId = greif.id;
  await sender.send({ trips: { records: [greif] } });
});
afterAll(() => server.stop());

const count = () =>
  rows<{ n: number }>(
    server,
    "SELECT (SELECT count(*) FROM gps_points) + (SELECT count(*) FROM devices) AS n",
  );
const refused = async (body: Uint8Array<ArrayBuffer>, status = 400, error = "BadRequest") => {
  const before = count();
  const answer = await sender.post(body);
  expectRefused(answer, status, error);
  expect(count()).toEqual(before);
  return answer.body.message as string;
};

const good = (): Batch =>
  sender.batch({
    backlog: { positions: numberedPositions(deviceId, 50, server.time) },
    trips: { records: [device(1)] },
  });
const bytes = (text: string) => Uint8Array.from(Buffer.from(text));
/** A body whose rows are these bytes. */
const withRows = (
  plain: Uint8Array,
  {
    length = plain.length,
    random = new Uint8Array(0),
    frame = Bun.zstdCompressSync(plain) as Uint8Array,
  } = {},
) => Uint8Array.from(joinBody(good(), frame, length, random).body);
/** Rows of one section for each of the batch, made of parts. */
function rowsOf(...parts: [kind: number, content: Uint8Array][]): Uint8Array {
  const to = new Writer();
  to.text("");
  to.number(parts.length);
  for (const [kind, content] of parts) {
    to.byte(kind);
    to.sized(content);
  }
  to.number(0);
  return to.done();
}

describe("a body is refused that", () => {
  test("is none, is something else, or of another version", async () => {
    expect(await refused(new Uint8Array(0))).toBe(
      "The body is no batch that this server reads: it ends too early",
    );
    for (const body of ["{}", "FL", "FLS", "x".repeat(500)]) await refused(bytes(body));
    const next = bodyOf(good());
    next[3] = 2;
    expect(await refused(next)).toEndWith("its format is of another version");
    for (const body of [randomBytes(10), randomBytes(1_000), randomBytes(100_000)])
      await refused(Uint8Array.from(body));
  });

  test("is cut anywhere", async () => {
    const body = bodyOf(good());
    const random = randomFrom(5);
    for (let at = 0; at < 40; at++) {
      const length = at < 20 ? at * 4 : Math.floor(random() * body.length);
      await refused(body.slice(0, length));
    }
  });

  test("is larger than a batch may be", async () => {
    await refused(new Uint8Array(MOST_BYTES + MOST_HEADER + 1), 413, "PayloadTooLarge");
    const { status } = await fetch(`${server.url}/v1/sync/push`, {
      method: "POST",
      headers: { authorization: `Bearer ${sender.token}`, "content-type": "application/octet-stream" },
      body: new ReadableStream({
        start(controller) {
          for (let at = 0; at < 20; at++) controller.enqueue(new Uint8Array(20_000));
          controller.close();
        },
      }),
    });
    expect(status).toBe(413);
  });

  test("is compressed once more, or of another type", async () => {
    const body = bodyOf(good());
    expectRefused(
      await sender.post(body, { "content-type": "application/json" }),
      415,
      "UnsupportedMediaType",
    );
    expectRefused(await sender.post(body, { "content-encoding": "br" }), 415, "UnsupportedMediaType");
  });

  test("makes more than it says, or than a batch may hold", async () => {
    const zeros = new Uint8Array(64 * 1024 * 1024);
    const bomb = Uint8Array.from(zstdCompressSync(zeros));
    expect(bomb.length).toBeLessThan(20_000);
    for (const length of [1, 1_000, MOST_PLAIN])
      expect(await refused(withRows(zeros, { length, frame: bomb }))).toMatch(/long as it says/);
    expect(await refused(withRows(zeros, { length: MOST_PLAIN + 1, frame: bomb }))).toMatch(/too much/);
    // The second of two frames is the bomb.
    const twice = Uint8Array.from([...Bun.zstdCompressSync(rowsOf()), ...bomb]);
    await refused(withRows(rowsOf(), { frame: twice }));
    // A frame that asks for a window of 128 MiB.
    await refused(
      withRows(rowsOf(), { frame: Uint8Array.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x88, 0x01, 0x00, 0x00]) }),
    );
    await refused(withRows(rowsOf(), { frame: new Uint8Array(0) }));
    await refused(withRows(new Uint8Array(0), { length: 0 }));
  });

  test("says that it holds more than it does", async () => {
    const huge = new Writer();
    huge.number(Number.MAX_SAFE_INTEGER);
    const many = new Writer();
    many.number(60_000);
    for (const plain of [
      rowsOf([2, huge.done()]),
      rowsOf([2, many.done()]),
      rowsOf([4, huge.done()]),
      rowsOf([3, huge.done()]),
      Uint8Array.from([...huge.done()]),
      Uint8Array.from([0, ...huge.done()]),
      Uint8Array.from([0, ...many.done()]),
    ])
      await refused(withRows(plain));
  });

  test("has records that are none", async () => {
    const texts = [
      "",
      "{",
      "{}",
      "[[]]",
      "[5]",
      '[[1,"device"]]',
      '[[0,"device","a",null]]',
      '[[1.5,"device","a",null]]',
      '[[1,"device","a",[]]]',
      '[[1,"device","a","b"]]',
      `${"[".repeat(100_000)}`,
      `[${"[],".repeat(210_000)}[]]`,
      `["${"x".repeat(1_100_000)}"]`,
      '[[9007199254740993,"device","a",null]]',
      // Its number is beyond its stretch.
      '[[900000,"device","a",null]]',
    ];
    const end = Uint8Array.from([1, 0, 0, 0, 0, 0, 0]);
    for (const text of texts) await refused(withRows(rowsOf([1, bytes(text)], [4, end])));
    await refused(withRows(rowsOf([1, Uint8Array.from([0x5b, 0xff, 0x5d])], [4, end])));
  });

  test("names a lane twice", async () => {
    const batch = good();
    const [section] = batch.sections;
    expect(
      await refused(bodyOf({ ...batch, sections: [section, section] as typeof batch.sections })),
    ).toEndWith("a lane comes twice");
  });

  test("is a good one with some bytes changed, or it stores what it says", async () => {
    const random = randomFrom(7);
    const seen = new Set<number>();
    for (let at = 0; at < 300; at++) {
      const body = bodyOf(good());
      for (let left = 1 + Math.floor(random() * 3); left > 0; left--)
        body[Math.floor(random() * body.length)] = Math.floor(random() * 256);
      const { status } = await sender.post(body);
      seen.add(status);
    }
    expect([...seen].filter((status) => status !== 200 && status !== 400)).toEqual([]);
    expect(seen.has(400)).toBe(true);
  });

  test("nests without end where nobody looks", async () => {
    const row = JSON.stringify(device(1).row);
    const nested = `${'{"a":'.repeat(5_000)}1${"}".repeat(5_000)}`;
    const record = `[[1,"device","${device(1).id}",${row.slice(0, -1)},"x":${nested}}]]`;
    const end = Uint8Array.from([1, 0, 0, 0, 0, 0, 0]);
    const answer = await sender.post(withRows(rowsOf([1, bytes(record)], [4, end])));
    expect([200, 400]).toContain(answer.status);
  });
});

test("rows that no box makes break no list of others, and values that POST /v1/gps takes are no such rows", async () => {
  const token = await server.admin();
  const { time } = server;
  const sender = new Sender(server, (await newBox(server)).token);
  const greif = device(time);
  const deviceId = greif.id;
  const rules = { is_enabled: true, start_after_minutes: 3, end_after_minutes: 20, min_distance_km: 0.5 };
  const odd = [
    device(time, { auto_trip: { ...rules, name_template: "{date}", min_distance_km: -1e300 } }),
    device(time, { auto_trip: { ...rules, name_template: "", end_after_minutes: 1e300 } }),
  ];
  const speed = { speed_mps: null, speed_kmh: null, speed_knots: null, speed_mph: null };
  const points = Object.keys(speed).map((unit, at) =>
    position(deviceId, time + at * 1_000, { ...speed, [unit]: 1.7e308, altitude: -1.7e308 }),
  );
  const inEachUnit = Object.fromEntries(Object.keys(speed).map((unit) => [unit, 1.7e308]));
  const asPosted = [position(deviceId, time + 9_000, { ...inEachUnit, altitude: -1.7e308, hdop: 1.7e308 })];
  expect(await sender.send({ trips: { records: [greif] }, backlog: { positions: asPosted } })).toMatchObject({
    refused: 0,
  });
  const answer = await sender.send({ trips: { records: [greif, ...odd] }, backlog: { positions: points } });
  expect(answer).toMatchObject({ refused: odd.length + points.length });
  const good = [device(time, { auto_trip: { ...rules, name_template: "{date}" } })];
  expect(await sender.send({ trips: { records: good } })).toMatchObject({ refused: 0 });
  for (const path of ["devices", `devices/${deviceId}/timeline`, `devices/${deviceId}/track`, "gps"])
    expectStatus(await server.get(`/v1/${path}`, { token }), 200);
});

describe("nobody else may push", () => {
  test("no user, no key, no tracker, and no box whose token has ended", async () => {
    const admin = await server.admin();
    const key = await server.key("gps:write");
    const other = await newBox(server);
    expectStatus(
      await server.post(`/v1/sync/boxes/${other.id}/rotate-token`, {
        token: admin,
        body: { base_url: "https://shore.example.org" },
      }),
      200,
    );
    for (const token of [
      undefined,
      admin,
      key,
      server.systemKey,
      other.token,
      "flb_x",
      `flb_${"x".repeat(43)}`,
    ]) {
      const answer = await server.post("/v1/sync/push", {
        ...(token !== undefined && { token }),
        raw: bodyOf(good()),
        headers: { "content-type": "application/octet-stream" },
      });
      expectRefused(answer, 401, "Unauthorized");
      expect(answer.headers.get("www-authenticate")).toBe("Bearer");
    }
  });

  test("and a body that never ends is let go", async () => {
    const answer = await rawRequest(server, {
      method: "POST",
      path: "/v1/sync/push",
      headers: [
        ["authorization", `Bearer ${sender.token}`],
        ["content-type", "application/octet-stream"],
        ["content-length", "999999999"],
      ],
    });
    expect(answer.status).toBe(413);
  });
});

test("a body that breaks off is no failure of the shore", async () => {
  const { hostname, port } = new URL(server.url);
  for (const framing of ["content-length: 5000\r\n", "transfer-encoding: chunked\r\n"]) {
    const before = count();
    const socket = await Bun.connect({ hostname, port: Number(port), socket: { data() {} } });
    const head = `POST /v1/sync/push HTTP/1.1\r\nhost: ${hostname}:${port}\r\nauthorization: Bearer ${sender.token}\r\ncontent-type: application/octet-stream\r\n${framing}\r\n`;
    socket.write(framing.startsWith("transfer") ? `${head}64\r\n${"x".repeat(50)}` : head + "x".repeat(100));
    socket.flush();
    await Bun.sleep(300);
    socket.terminate();
    await Bun.sleep(300);
    expect(count()).toEqual(before);
  }
  expect(server.output).not.toMatch(/"level":"error"|a request failed/);
});
