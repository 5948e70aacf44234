import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { PMTiles } from "pmtiles";
import { openPmtiles } from "../../../src/bridge/charts/pmtiles";
import { chartsOf } from "../../support/charts";
import { expectStatus } from "../../support/expectations";
import { processorTimeOf } from "../../support/pressure";
import { TestServer } from "../../support/server";

/** The built-in map. */

const FOLDER = join(import.meta.dir, "../../../src/bridge/coast");
const FILE = join(FOLDER, "coast.pmtiles");

let server: TestServer;
beforeAll(async () => {
  server = await TestServer.start();
});
afterAll(() => server.stop());

/** The place of a tile at zoom 7. */
function placeOf(latitude: number, longitude: number): [z: number, x: number, y: number] {
  const side = 2 ** 7;
  const north = Math.asinh(Math.tan((latitude * Math.PI) / 180)) / Math.PI;
  return [7, Math.floor(((longitude + 180) / 360) * side), Math.floor(((1 - north) / 2) * side)];
}

const decoded = (bytes: Uint8Array<ArrayBuffer>) => new TextDecoder("latin1").decode(bytes);
const tileAt = async (...place: [number, number, number]) =>
  decoded(await (await fetch(`${server.url}/v1/charts/coast/${place.join("/")}`)).bytes());

describe("the file", () => {
  test("is at most 12 MB, and its licences stand beside it", () => {
    expect(statSync(FILE).size).toBeLessThan(12_000_000);
    const origin = readFileSync(join(FOLDER, "ORIGIN.md"), "utf8");
    for (const [file, title] of [
      ["LGPL-3.0.txt", "GNU LESSER GENERAL PUBLIC LICENSE"],
      ["GPL-3.0.txt", "GNU GENERAL PUBLIC LICENSE"],
      ["CC-BY-4.0.txt", "Attribution 4.0 International"],
    ] as const) {
      expect(origin).toContain(`(${file})`);
      expect(readFileSync(join(FOLDER, file), "utf8").slice(0, 200)).toContain(title);
    }
  });

  test("is read as its form's own package reads it", async () => {
    const bytes = await Bun.file(FILE).arrayBuffer();
    const source = {
      getKey: () => "reference",
      getBytes: async (offset: number, length: number) => ({ data: bytes.slice(offset, offset + length) }),
    };
    const [reference, archive] = [new PMTiles(source), await openPmtiles(FILE, "test")];
    let count = 0;
    for (let z = 0; z <= 7; z++)
      for (let number = 0; number < 200; number++) {
        // Spread over the zoom, the same in each run.
        const [x, y] = [(number * 37) % 2 ** z, (number * 101) % 2 ** z];
        const [expected, stored] = [await reference.getZxy(z, x, y), await archive.tile(z, x, y)];
        expect(stored && Bun.gunzipSync(stored.bytes)).toEqual(
          expected ? new Uint8Array(expected.data) : null,
        );
        if (expected) count++;
      }
    expect(count).toBeGreaterThan(400);
  });
});

describe("the map", () => {
  test("names its sources", async () => {
    expect((await chartsOf(server)).get("coast")).toMatchObject({
      ...{ built_in: true, type: "vector", format: "mvt", minzoom: 0, maxzoom: 7, layers: null },
      attribution: "GSHHG (LGPL 3.0), GeoNames (CC BY 4.0)",
      description: expect.stringContaining("Not for navigation"),
      vector_layers: [{ id: "land" }, { id: "lake" }, { id: "places" }],
    });
  });

  test.each([
    ["Greifswald", 54.1, 13.45, ["land", "lake", "Greifswald"]],
    ["the Isle of Wight", 50.7, -1.3, ["land", "Newport", "Ryde"]],
    ["Lake Superior", 47.7, -87.5, ["land", "lake"]],
    ["Fiji, on the 180th meridian", -16.5, 179.9, ["land"]],
    ["the pole of the south", -84, 0, ["land"]],
  ])("shows %s", async (_, latitude, longitude, shown) => {
    const tile = await tileAt(...placeOf(latitude, longitude));
    expect(shown.filter((text) => !tile.includes(text))).toEqual([]);
  });

  test("has nothing in the open sea, and nothing beyond its zooms", async () => {
    expectStatus(await server.get(`/v1/charts/coast/${placeOf(30, -45).join("/")}`), 204);
    expectStatus(await server.get("/v1/charts/coast/8/0/0"), 404);
  });

  test("gives a tile in less than 5 ms of processor time, the heaviest ones too", async () => {
    const places = [
      ...Array.from({ length: 200 }, (_, number) => [7, 60 + (number % 20), 34 + Math.floor(number / 20)]),
      ...Array.from({ length: 50 }, () => [7, 71, 36]),
    ];
    const before = processorTimeOf(server.pid);
    for (const place of places)
      await (await fetch(`${server.url}/v1/charts/coast/${place.join("/")}`)).bytes();
    expect((processorTimeOf(server.pid) - before) / places.length).toBeLessThan(5);
  });
});
