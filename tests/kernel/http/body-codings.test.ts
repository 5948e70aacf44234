import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import * as zlib from "node:zlib";
import { rawRequest } from "../../support/raw-http";
import { TestServer } from "../../support/server";

/** Bodies of requests that are compressed. */

const MOST = 4_096;

let server: TestServer;
beforeAll(async () => {
  server = await TestServer.start({ settings: { "server.max_body_bytes": String(MOST) } });
});
afterAll(() => server.stop());

const ENCODERS: [coding: string, encode: (text: string) => Buffer][] = [
  ["gzip", (text) => zlib.gzipSync(text)],
  ["x-gzip", (text) => zlib.gzipSync(text)],
  ["GZip", (text) => zlib.gzipSync(text)],
  ["deflate", (text) => zlib.deflateSync(text)],
  ["zstd", (text) => zlib.zstdCompressSync(text)],
  ["identity", (text) => Buffer.from(text)],
];

const post = (coding: string, raw: Uint8Array, path = "/v1/devices") =>
  server.post(path, {
    token: server.systemKey,
    raw: new Uint8Array(raw),
    headers: { "content-type": "application/json", "content-encoding": coding },
  });

/** A device of exactly so many bytes. */
const device = (bytes: number): string => {
  const text = JSON.stringify({ name: "Jürgen", ignored: "" });
  return text.replace('"ignored":"', `$&${"x".repeat(bytes - Buffer.byteLength(text))}`);
};

describe.each(ENCODERS)("a body in %s", (coding, encode) => {
  test("is read like any other", async () => {
    const { status, body } = await post(coding, encode(device(100)));
    expect([status, body.data?.name]).toEqual([201, "Jürgen"]);
  });

  test("has the bound of server.max_body_bytes once it is decoded", async () => {
    expect((await post(coding, encode(device(MOST)))).status).toBe(201);
    const { status, body } = await post(coding, encode(device(MOST + 1)));
    expect([status, body.error]).toEqual([413, "PayloadTooLarge"]);
  });

  test("is read in chunks too", async () => {
    const bytes = encode(device(100));
    const { status } = await rawRequest(server, {
      method: "POST",
      path: "/v1/devices",
      headers: [
        ["authorization", `Bearer ${server.systemKey}`],
        ["content-type", "application/json"],
        ["content-encoding", coding],
        ["transfer-encoding", "chunked"],
      ],
      body: Buffer.concat([
        Buffer.from(`${bytes.length.toString(16)}\r\n`),
        bytes,
        Buffer.from("\r\n0\r\n\r\n"),
      ]),
    });
    expect(status).toBe(201);
  });

  test("is read by GraphQL", async () => {
    const { status, body } = await post(coding, encode('{"query":"{ __typename }"}'), "/v1/graphql");
    expect([status, body]).toEqual([200, { data: { __typename: "Query" } }]);
  });

  test("that is none, or a part of one, is 400", async () => {
    const whole = encode(device(100));
    for (const bytes of [Buffer.from("none"), whole.subarray(0, whole.length - 9), whole.subarray(3)]) {
      const { status, body } = await post(coding, bytes);
      expect([status, body.error]).toEqual([400, "BadRequest"]);
    }
  });
});

test("an empty body has no coding", async () => {
  const { status } = await post("gzip", new Uint8Array());
  expect(status).toBe(400);
});

test("another coding is 415 and names those that are taken, after rights are looked at", async () => {
  for (const coding of ["br", "compress", "gzip, gzip", "gzip, br", "zip", "*"]) {
    const answer = await post(coding, zlib.brotliCompressSync(device(100)));
    expect([coding, answer.status, answer.headers.get("accept-encoding")]).toEqual([
      coding,
      415,
      "gzip, deflate, zstd",
    ]);
  }
  const stranger = await server.post("/v1/devices", {
    raw: "{}",
    headers: { "content-type": "application/json", "content-encoding": "br" },
  });
  expect(stranger.status).toBe(401);
});

test("a window above 8 MiB, which zstd would allocate for a frame of a few bytes, is 400", async () => {
  // No length, a window of 2^27 bytes, and one block, the last, that repeats a brace four times.
  const frame = [0x28, 0xb5, 0x2f, 0xfd, 0x00, (27 - 10) << 3, 0x23, 0x00, 0x00, 0x7b];
  const { status, body } = await post("zstd", Uint8Array.from(frame));
  expect([status, body.message]).toEqual([
    400,
    "The request body is not in the coding that Content-Encoding names",
  ]);
});
