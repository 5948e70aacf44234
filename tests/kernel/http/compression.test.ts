import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { gunzipSync, zstdDecompressSync } from "node:zlib";
import { ask, head } from "../../support/connections";
import { TestServer } from "../../support/server";

/** JSON answers, compressed for clients that ask for it. */

let server: TestServer;
beforeAll(async () => {
  server = await TestServer.start({ settings: { "server.cors_origins": "https://app.example" } });
  for (let made = 0; made < 10; made++)
    await server.post("/v1/devices", { token: server.systemKey, body: { name: `Jürgen ${made}` } });
  for (let made = 0; made < 20; made++)
    await server.post("/v1/trips", {
      token: server.systemKey,
      body: { name: "Large", metadata: { text: `${made}ä${"x".repeat(15_000)}` } },
    });
});
afterAll(() => server.stop());

const get = (path: string, ...headers: string[]) =>
  ask(server, head(`GET ${path}`, `authorization: Bearer ${server.systemKey}`, ...headers));

const DECODERS: [coding: string, decode: (bytes: Buffer) => Buffer][] = [
  ["gzip", gunzipSync],
  ["zstd", zstdDecompressSync],
];

describe.each([
  ["of some kilobytes", "/v1/devices"],
  ["of 300 kB, which a thread compresses", "/v1/trips?limit=20"],
  [
    "of GraphQL",
    `/v1/graphql?query=${encodeURIComponent("{ __schema { types { name fields { name } } } }")}`,
  ],
])("an answer %s", (_, path) => {
  test.each(DECODERS)("comes in %s to whoever takes that", async (coding, decode) => {
    const plain = await get(path);
    expect([plain.status, plain.headers.get("content-encoding")]).toEqual([200, null]);
    expect(plain.body.length).toBeGreaterThan(1_024);
    const { status, headers, body } = await get(path, `accept-encoding: ${coding}`);
    expect([status, headers.get("content-encoding")]).toEqual([200, coding]);
    expect(headers.get("content-type")).toBe(plain.headers.get("content-type"));
    expect(Number(headers.get("content-length"))).toBe(body.length);
    expect(body.length).toBeLessThan(plain.body.length / 2);
    expect(decode(body).equals(plain.body)).toBe(true);
  });

  test("comes in zstd to whoever takes it as gladly as gzip, and as it is to others", async () => {
    const codingFor = async (accepted: string) =>
      (await get(path, `accept-encoding: ${accepted}`)).headers.get("content-encoding");
    expect(await codingFor("gzip, deflate, br, zstd")).toBe("zstd");
    expect(await codingFor("gzip, zstd;q=0.5")).toBe("gzip");
    for (const accepted of ["br", "deflate", "identity", "gzip;q=0"])
      expect([accepted, await codingFor(accepted)]).toEqual([accepted, null]);
  });

  test("tells caches what it depends on", async () => {
    for (const headers of [[], ["accept-encoding: gzip"]]) {
      expect((await get(path, ...headers)).headers.get("vary")).toContain("Accept-Encoding");
      const crossOrigin = await get(path, "origin: https://app.example", ...headers);
      expect(crossOrigin.headers.get("vary")?.split(/, */)).toEqual(
        expect.arrayContaining(["Accept-Encoding", "Origin"]),
      );
      expect(crossOrigin.headers.get("access-control-allow-origin")).toBe("https://app.example");
    }
  });
});

test("a small answer comes as it is", async () => {
  const { headers, body } = await get("/v1/devices?limit=1", "accept-encoding: gzip, zstd");
  expect(body.length).toBeLessThan(1_024);
  expect(headers.get("content-encoding")).toBeNull();
});

test("HEAD tells of an answer as GET would send it", async () => {
  const { status, headers } = await server.request("HEAD", "/v1/devices", {
    token: server.systemKey,
    headers: { "accept-encoding": "gzip" },
  });
  const { body } = await get("/v1/devices", "accept-encoding: gzip");
  expect([status, headers.get("content-encoding"), headers.get("content-length")]).toEqual([
    200,
    "gzip",
    String(body.length),
  ]);
});
