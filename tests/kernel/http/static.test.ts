import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from "node:zlib";
import { preferredCoding } from "../../../src/kernel/http/compress";
import { ask, head } from "../../support/connections";
import { TestServer } from "../../support/server";

let server: TestServer;
beforeAll(async () => {
  server = await TestServer.start({ settings: { "server.cors_origins": "https://app.example" } });
});
afterAll(() => server.stop());

describe("an Accept-Encoding header", () => {
  const preferred = (header: string | null) => preferredCoding(header, ["br", "zstd", "gzip"]);

  test("takes the best coding that it names, among equals brotli before zstd before gzip", () => {
    for (const [header, coding] of [
      ["gzip", "gzip"],
      ["GZIP", "gzip"],
      ["x-gzip", "gzip"],
      ["br, gzip", "br"],
      ["gzip, deflate, br, zstd", "br"],
      ["gzip, deflate, zstd", "zstd"],
      ["zstd;q=0.5, gzip", "gzip"],
      ["br;q=0, gzip;q=0.1", "gzip"],
      ["gzip;q=0.1", "gzip"],
      ["deflate , gzip ; q=1", "gzip"],
      ["*", "br"],
      ["*;q=0.5", "br"],
      ["br;q=0, *", "zstd"],
      ["gzip;q=1, *;q=0.5", "gzip"],
    ] as const)
      expect([header, preferred(header)]).toEqual([header, coding]);
  });

  test("takes none when it is missing, says so, or would rather have the content as it is", () => {
    for (const header of [
      null,
      "",
      "deflate",
      "identity",
      "gzip;q=0",
      "gzip; q=0.000",
      "*;q=0",
      "gzip;q=0",
      "notgzip",
      "identity;q=1, gzip;q=0.5",
      "gzip;q=x",
    ])
      expect([header, preferred(header)]).toEqual([header, null]);
    expect(preferredCoding("br", ["zstd", "gzip"])).toBeNull();
  });
});

const DECODERS: [coding: string, decode: (bytes: Buffer) => Uint8Array][] = [
  ["gzip", gunzipSync],
  ["br", brotliDecompressSync],
  ["zstd", zstdDecompressSync],
];

const ADDRESSES: [path: string, type: RegExp, isCompressed: boolean][] = [
  ["/docs/assets/swagger-ui-bundle.js", /^text\/javascript/, true],
  ["/docs/assets/swagger-ui.css", /^text\/css/, true],
  ["/docs/assets/favicon.png", /^image\/png$/, false],
  ["/docs/assets/start.js", /^text\/javascript/, true],
  ["/docs/assets/style.css", /^text\/css/, true],
  ["/docs/json", /^application\/json$/, true],
  ["/v1/openapi.json", /^application\/json$/, true],
  ["/v1/graphql", /^text\/html/, true],
];

describe("what is the same for everybody", () => {
  for (const [path, type, isCompressed] of ADDRESSES)
    test(`is the same compressed and not, to HEAD, and again: ${path}`, async () => {
      const get = (...headers: string[]) => ask(server, head(`GET ${path}`, "accept: text/html", ...headers));
      const plain = await get();
      expect(plain.status).toBe(200);
      expect(plain.headers.get("content-encoding")).toBeNull();
      expect(plain.headers.get("content-type")).toMatch(type);
      const etags = new Set([plain.headers.get("etag")]);
      for (const [coding, decode] of DECODERS) {
        const answer = await get(`accept-encoding: ${coding}`);
        expect(answer.headers.get("content-encoding")).toBe(isCompressed ? coding : null);
        expect(answer.headers.get("content-type")).toBe(plain.headers.get("content-type"));
        expect(plain.body.equals(isCompressed ? decode(answer.body) : answer.body)).toBe(true);
        expect(answer.headers.get("vary")).toContain("Accept-Encoding");
        expect(Number(answer.headers.get("content-length"))).toBe(answer.body.length);
        etags.add(answer.headers.get("etag"));
      }
      // Bytes that differ have names that differ.
      expect(etags.size).toBe(isCompressed ? 1 + DECODERS.length : 1);

      const { status, headers } = await server.request("HEAD", path, {
        headers: { accept: "text/html", "accept-encoding": "identity" },
      });
      expect([status, headers.get("content-length")]).toEqual([200, String(plain.body.length)]);

      const etag = plain.headers.get("etag");
      expect(etag).toMatch(/^"[\w-]+"$/);
      const again = await get(`if-none-match: "other", W/${etag}`);
      expect([again.status, again.body.length, again.headers.get("etag")]).toEqual([304, 0, etag]);
      expect((await get("if-none-match: other")).status).toBe(200);
      const origin = await get("origin: https://app.example");
      expect(origin.headers.get("vary")).toContain("Origin");
      expect(origin.headers.get("access-control-allow-origin")).toBe("https://app.example");
    });
});

test("/docs names its files by their content, so that a browser asks for each of them once", async () => {
  const page = (await ask(server, head("GET /docs"))).body.toString();
  const names = [...page.matchAll(/(?:src|href)="(\/docs\/assets\/[^"]+)"/g)].map(([, name = ""]) => name);
  expect(names.length).toBe(5);
  for (const name of names) {
    const { status, headers } = await ask(server, head(`GET ${name}`));
    expect([status, headers.get("cache-control")]).toEqual([200, "public, max-age=31536000, immutable"]);
    // Another version's name: the content is not what it names.
    for (const other of [name.replace(/\?.*/, ""), `${name}x`, name.replace("?", "?x")]) {
      const answer = await ask(server, head(`GET ${other}`));
      expect(answer.headers.get("cache-control")).toBe("public, max-age=3600");
    }
  }
});

test("/docs shows its first words on a slow network within seconds: all that they need is 40 kB", async () => {
  const brotli = "accept-encoding: br";
  const page = await ask(server, head("GET /docs"));
  const style = await ask(server, head("GET /docs/assets/swagger-ui.css", brotli));
  expect(page.body.length + style.body.length).toBeLessThan(40_000);
  const html = page.body.toString();
  // A script that isn't deferred would be waited for.
  expect(html.match(/<script[^>]*>/g)).toEqual([
    expect.stringContaining("<script defer "),
    expect.stringContaining("<script defer "),
  ]);
  expect(html).toContain("The documentation is loading.");
});
