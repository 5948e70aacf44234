import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync } from "node:zlib";
import { Compression, TileType } from "pmtiles";
import {
  chartsOf,
  gzipped,
  jpeg,
  mvt,
  png,
  twoTiles,
  webp,
  writeMbtiles,
  writePmtiles,
} from "../../support/charts";
import { expectInvalid, expectRefused, expectStatus } from "../../support/expectations";
import { TestServer } from "../../support/server";

/** Tiles of both forms of charts, as browsers get them. */

const VECTOR = mvt("DEPARE");

let server: TestServer;
beforeAll(async () => {
  server = await TestServer.start();
  const at = (name: string) => join(server.dataDir, "charts", name);
  mkdirSync(at(""));
  const metadata = {
    name: "Bodden <b>2026</b>",
    attribution: '<a href="https://example.org" onclick="alert(1)">&copy; Chart &amp; Co</a> &lt;img>',
    vector_layers: [{ id: "DEPARE", fields: {} }, { id: 7 }, null, { id: "LNDARE" }],
  };
  writePmtiles(at("vector.pmtiles"), twoTiles(gzipped(VECTOR)), { metadata, bounds: [13, 54, 14, 55] });
  writePmtiles(at("plain.pmtiles"), twoTiles(VECTOR), {
    tileCompression: Compression.None,
    internalCompression: Compression.None,
  });
  writePmtiles(at("brotli.pmtiles"), twoTiles(brotliCompressSync(VECTOR)), {
    tileCompression: Compression.Brotli,
  });
  writePmtiles(at("mlt.pmtiles"), twoTiles(VECTOR), {
    tileType: TileType.Mlt,
    tileCompression: Compression.None,
  });
  const raster = { tileCompression: Compression.None };
  writePmtiles(at("png.pmtiles"), twoTiles(png(512)), { ...raster, tileType: TileType.Png });
  writePmtiles(at("jpeg.pmtiles"), twoTiles(jpeg(512)), { ...raster, tileType: TileType.Jpeg });
  writePmtiles(at("webp.pmtiles"), twoTiles(webp(512)), { ...raster, tileType: TileType.Webp });
  writeMbtiles(at("raster.mbtiles"), {
    metadata: { format: "png", name: "Harbours", bounds: "13.0,54.0,14.0,55.0", attribution: "NOAA" },
  });
  // Charts of one format often have a few tiles of another.
  writeMbtiles(at("mixed.mbtiles"), {
    tiles: [
      { z: 0, x: 0, y: 0, data: png() },
      { z: 1, x: 0, y: 0, data: jpeg() },
    ],
  });
  const json = JSON.stringify({ vector_layers: [{ id: "DEPARE" }] });
  writeMbtiles(at("mvt.mbtiles"), { tiles: twoTiles(gzipped(VECTOR)), metadata: { format: "pbf", json } });
  writeMbtiles(at("bare.mbtiles"), { tiles: twoTiles(webp()), metadata: {} });
});
afterAll(() => server.stop());

/** A tile as it comes over the line, not decoded. */
async function fetched(path: string, headers: Record<string, string> = {}) {
  const answer = await fetch(server.url + path, {
    headers: { authorization: `Bearer ${server.systemKey}`, ...headers },
    decompress: false,
  });
  return { answer, bytes: await answer.bytes() };
}

const typeOf = (answer: Response) => answer.headers.get("content-type");

describe("the list", () => {
  test("tells of a vector chart all that a map needs", async () => {
    expect((await chartsOf(server)).get("vector")).toEqual({
      name: "vector",
      title: "Bodden 2026",
      description: null,
      attribution: "© Chart & Co &lt;img",
      built_in: false,
      ...{ type: "vector", format: "mvt", tile_size: null },
      ...{ minzoom: 0, maxzoom: 2, bounds: [13, 54, 14, 55] },
      tiles: [expect.stringMatching(/^\/v1\/charts\/vector\/\{z\}\/\{x\}\/\{y\}\?v=[\w-]{12}$/)],
      vector_layers: [{ id: "DEPARE" }, { id: "LNDARE" }],
      layers: null,
    });
  });

  test("tells of a raster chart its size too", async () => {
    const charts = await chartsOf(server);
    expect(charts.get("raster")).toMatchObject({
      ...{ title: "Harbours", attribution: "NOAA", type: "raster", format: "png", tile_size: 256 },
      ...{ minzoom: 0, maxzoom: 2, bounds: [13, 54, 14, 55], vector_layers: [] },
    });
    for (const format of ["png", "jpeg", "webp"])
      expect(charts.get(format)).toMatchObject({ type: "raster", format, tile_size: 512 });
    expect(charts.get("mlt")).toMatchObject({ type: "vector", format: "mlt" });
    expect(charts.get("mvt")).toMatchObject({ type: "vector", vector_layers: [{ id: "DEPARE" }] });
  });

  test("finds by the tiles themselves what a file does not say", async () => {
    expect((await chartsOf(server)).get("bare")).toMatchObject({
      ...{ title: null, type: "raster", format: "webp", minzoom: 0, maxzoom: 2 },
      bounds: [-180, -85.0511, 180, 85.0511],
    });
  });

  test("has the built-in map first, then the names in order", async () => {
    const names = [...(await chartsOf(server)).keys()];
    expect(names[0]).toBe("coast");
    expect(names.slice(1)).toEqual(names.slice(1).toSorted());
    expect(names).toHaveLength(12);
  });
});

describe("a tile", () => {
  test.each([
    ["vector", "application/vnd.mapbox-vector-tile", VECTOR],
    ["plain", "application/vnd.mapbox-vector-tile", VECTOR],
    ["brotli", "application/vnd.mapbox-vector-tile", VECTOR],
    ["mvt", "application/vnd.mapbox-vector-tile", VECTOR],
    ["mlt", "application/vnd.maplibre-tile", VECTOR],
    ["png", "image/png", png(512)],
    ["jpeg", "image/jpeg", jpeg(512)],
    ["webp", "image/webp", webp(512)],
    ["raster", "image/png", png()],
  ])("of %s comes as %s", async (name, type, content) => {
    for (const place of ["0/0/0", "2/1/1"]) {
      const { answer, bytes } = await fetched(`/v1/charts/${name}/${place}`, {
        "accept-encoding": "identity",
      });
      expect(answer.status).toBe(200);
      expect(typeOf(answer)).toBe(type);
      expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
      expect(answer.headers.has("content-encoding")).toBe(false);
      expect(bytes).toEqual(content);
    }
  });

  test("goes as it is stored to a client that takes it so", async () => {
    for (const [name, coding] of [
      ["vector", "gzip"],
      ["mvt", "gzip"],
      ["brotli", "br"],
    ] as const) {
      const { answer, bytes } = await fetched(`/v1/charts/${name}/0/0/0`, {
        "accept-encoding": "gzip, deflate, br",
      });
      expect(answer.headers.get("content-encoding")).toBe(coding);
      if (coding === "gzip") expect(Bun.gunzipSync(bytes)).toEqual(VECTOR);
      expect(answer.headers.get("vary")).toContain("Accept-Encoding");
    }
    // Over plain HTTP no browser takes Brotli.
    const { answer, bytes } = await fetched("/v1/charts/brotli/0/0/0", {
      "accept-encoding": "gzip, deflate",
    });
    expect(answer.headers.has("content-encoding")).toBe(false);
    expect(bytes).toEqual(VECTOR);
  });

  test("has the type of the image that it is", async () => {
    expect(typeOf((await fetched("/v1/charts/mixed/0/0/0")).answer)).toBe("image/png");
    expect(typeOf((await fetched("/v1/charts/mixed/1/0/0")).answer)).toBe("image/jpeg");
  });

  test("where nothing is has no content, and is not found where the chart ends", async () => {
    const token = server.systemKey;
    for (const name of ["vector", "raster"]) {
      const path = `/v1/charts/${name}`;
      // 13.5° east, 54.5° north, and the first tile that lies beyond.
      expectStatus(await server.get(`${path}/1/1/0`, { token }), 204);
      for (const place of ["2/3/1", "2/2/3", "3/4/2", "24/0/0"])
        expectRefused(await server.get(`${path}/${place}`, { token }), 404, "NotFound");
    }
    expectRefused(await server.get("/v1/charts/none/0/0/0", { token }), 404, "NotFound");
  });

  test("beyond the world is refused", async () => {
    const token = server.systemKey;
    expectInvalid(await server.get("/v1/charts/vector/1/2/0", { token }), "/x");
    expectInvalid(await server.get("/v1/charts/vector/0/0/1", { token }), "/y");
    expectInvalid(await server.get("/v1/charts/vector/25/0/0", { token }), "/z");
    for (const place of ["-1/0/0", "1.0/0/0", "0x1/0/0", "a/b/c", "1e1/0/0", `${"9".repeat(400)}/0/0`])
      expectStatus(await server.get(`/v1/charts/vector/${place}`, { token }), 400);
  });

  test("of a name that is none is refused", async () => {
    const token = server.systemKey;
    for (const name of [
      "a%2fb",
      "..%2f..%2fmaster",
      "%00",
      "vector%2epmtiles%00",
      "x".repeat(65),
      "é",
      "%20",
    ])
      expect([400, 404]).toContain((await server.get(`/v1/charts/${name}/0/0/0`, { token })).status);
  });
});

describe("the cache of a browser", () => {
  const versioned = async (name: string, token?: string): Promise<string> =>
    (await chartsOf(server, token)).get(name).tiles[0].replace("{z}/{x}/{y}", "0/0/0");

  test("keeps a tile for good whose address names the present version", async () => {
    const caching = async (path: string) => (await fetched(path)).answer.headers.get("cache-control");
    expect(await caching(await versioned("vector"))).toBe("private, max-age=31536000, immutable");
    expect(await caching(await versioned("coast"))).toBe("public, max-age=31536000, immutable");
    expect(await caching("/v1/charts/vector/0/0/0?v=older")).toBe("private, no-cache");
    expect(await caching("/v1/charts/coast/0/0/0")).toBe("public, no-cache");
    const empty = (await versioned("vector")).replace("0/0/0", "1/1/0");
    expect(await caching(empty)).toBe("private, max-age=31536000, immutable");
  });

  test("asks again with the tag of the tile", async () => {
    const { answer } = await fetched("/v1/charts/vector/0/0/0", { "accept-encoding": "gzip" });
    const tag = answer.headers.get("etag") ?? "";
    expect(tag).toMatch(/^"[\w-]+"$/);
    const again = (headers: Record<string, string>) => fetched("/v1/charts/vector/0/0/0", headers);
    const known = await again({ "accept-encoding": "gzip", "if-none-match": tag });
    expect(known.answer.status).toBe(304);
    expect(known.answer.headers.get("etag")).toBe(tag);
    expect(known.bytes).toHaveLength(0);
    // The same tile in another coding is another content.
    expect((await again({ "accept-encoding": "identity", "if-none-match": tag })).answer.status).toBe(200);
  });

  test("asks about a tile without its content", async () => {
    const answer = await fetch(`${server.url}/v1/charts/coast/0/0/0`, { method: "HEAD" });
    expect(answer.status).toBe(200);
    expect(answer.headers.get("etag")).toMatch(/^"[\w-]+"$/);
    expect(await answer.bytes()).toHaveLength(0);
  });
});
