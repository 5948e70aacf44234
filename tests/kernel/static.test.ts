import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { takesGzip } from "../../src/kernel/http/static";
import { ask, head } from "../abuse/connections";
import { TestServer } from "../support/server";

let server: TestServer;
beforeAll(async () => {
  server = await TestServer.start({ settings: { "server.cors_origins": "https://app.example" } });
});
afterAll(() => server.stop());

describe("an Accept-Encoding header", () => {
  test("takes gzip when it says so", () => {
    for (const header of [
      "gzip",
      "GZIP",
      "x-gzip",
      "br, gzip",
      "gzip;q=0.1",
      "deflate , gzip ; q=1",
      "*",
      "*;q=0.5",
    ])
      expect([header, takesGzip(header)]).toEqual([header, true]);
  });

  test("takes none when it is missing, says so, or would rather have the content as it is", () => {
    for (const header of [
      null,
      "",
      "br",
      "identity",
      "gzip;q=0",
      "gzip; q=0.000",
      "*;q=0",
      "gzip;q=0, *",
      "notgzip",
    ])
      expect([header, takesGzip(header)]).toEqual([header, false]);
    expect(takesGzip("identity;q=1, gzip;q=0.5")).toBe(false);
    expect(takesGzip("gzip;q=x")).toBe(false);
  });
});

const ADDRESSES: [path: string, type: RegExp, isCompressed: boolean][] = [
  ["/docs/assets/swagger-ui-bundle.js", /^text\/javascript/, true],
  ["/docs/assets/swagger-ui.css", /^text\/css/, true],
  ["/docs/assets/favicon.png", /^image\/png$/, false],
  ["/docs/assets/start.js", /^text\/javascript/, false],
  ["/docs/json", /^application\/json$/, true],
  ["/v1/openapi.json", /^application\/json$/, true],
  ["/v1/graphql", /^text\/html/, true],
];

describe("what is the same for everybody", () => {
  for (const [path, type, isCompressed] of ADDRESSES)
    test(`is the same compressed and not, to HEAD, and again: ${path}`, async () => {
      const get = (...headers: string[]) => ask(server, head(`GET ${path}`, "accept: text/html", ...headers));
      const plain = await get();
      const compressed = await get("accept-encoding: gzip");
      expect(plain.status).toBe(200);
      expect(plain.headers.get("content-encoding")).toBeNull();
      expect(plain.headers.get("content-type")).toMatch(type);
      expect(compressed.headers.get("content-encoding")).toBe(isCompressed ? "gzip" : null);
      expect(compressed.headers.get("content-type")).toBe(plain.headers.get("content-type"));
      const content = isCompressed ? Bun.gunzipSync(new Uint8Array(compressed.body)) : compressed.body;
      expect(plain.body.equals(content)).toBe(true);
      for (const { headers, body } of [plain, compressed]) {
        expect(headers.get("vary")).toContain("Accept-Encoding");
        expect(Number(headers.get("content-length"))).toBe(body.length);
      }

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
