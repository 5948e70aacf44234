import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { copyFileSync, mkdirSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync } from "node:zlib";
import { Compression, TileType } from "pmtiles";
import {
  chartsOf,
  gzipped,
  MBTILES_SCHEMA,
  mvt,
  pmtiles,
  png,
  twoTiles,
  writeMbtiles,
  writePmtiles,
} from "../../support/charts";
import { expectRefused, expectStatus } from "../../support/expectations";
import { linesIn, linesOf, outputOfWholeRun } from "../../support/log";
import { memoryGrowth } from "../../support/pressure";
import { command, TestServer } from "../../support/server";

/** Files that lie: each is told of, and none brings the server down, blocks it, or fills its memory. */

const MEBIBYTE = 1024 * 1024;
const good = () => pmtiles(twoTiles(gzipped(mvt("land"))));

/** An archive with other bytes at some places of its header. */
function changed(change: (header: DataView) => void, archive = good()): Uint8Array<ArrayBuffer> {
  change(new DataView(archive.buffer));
  return archive;
}

/** An archive whose root directory has these bytes before they are compressed. */
function withRoot(bytes: number[]): Uint8Array<ArrayBuffer> {
  const root = gzipped(new Uint8Array(bytes));
  return new Uint8Array([
    ...changed((header) => {
      header.setBigUint64(8, 127n, true);
      header.setBigUint64(16, BigInt(root.length), true);
      header.setBigUint64(32, 0n, true);
    }).slice(0, 127),
    ...root,
  ]);
}

/** An archive whose root leads to itself: one entry without a run, at the beginning of the leaves. */
function circle(): Uint8Array<ArrayBuffer> {
  const entry = (length: number) => withRoot([1, 0, 0, length, 1]);
  const { length } = entry(0);
  return changed((header) => header.setBigUint64(40, 127n, true), entry(length - 127));
}

const bomb = (bytes: number): Uint8Array<ArrayBuffer> => gzipped(new Uint8Array(bytes));

/** Files that are no charts, and the beginnings of the reasons that are given. */
const BROKEN: [file: string, content: Uint8Array<ArrayBuffer> | string, reason: string][] = [
  ["empty.pmtiles", "", "is no PMTiles archive"],
  ["short.pmtiles", "PMTiles", "is no PMTiles archive"],
  ["text.pmtiles", "nothing of the kind ".repeat(1_000), "is no PMTiles archive"],
  ["old.pmtiles", changed((header) => header.setUint8(7, 2)), "is of version 2 of PMTiles"],
  ["new.pmtiles", changed((header) => header.setUint8(7, 4)), "is no PMTiles archive"],
  ["head.pmtiles", good().slice(0, 127), "has a directory that can't be decompressed"],
  ["avif.pmtiles", changed((header) => header.setUint8(99, 5)), "has tiles of another kind"],
  ["unknown.pmtiles", changed((header) => header.setUint8(99, 0)), "has tiles of another kind"],
  ["zstd.pmtiles", changed((header) => header.setUint8(98, 4)), "is compressed by Zstd"],
  ["coding.pmtiles", changed((header) => header.setUint8(98, 77)), "is compressed by an unknown way"],
  ["deep.pmtiles", changed((header) => header.setUint8(101, 200)), "has the zoom levels 0 to 200"],
  ["upside.pmtiles", changed((header) => header.setUint8(100, 9)), "has the zoom levels 9 to 2"],
  [
    "elsewhere.pmtiles",
    changed((header) => header.setBigUint64(8, 2n ** 60n, true)),
    "has a directory that can't be decompressed",
  ],
  [
    "metadata-length.pmtiles",
    changed((header) => header.setBigUint64(32, 2n ** 62n, true)),
    "has a part of 46116860184273",
  ],
  [
    "metadata-place.pmtiles",
    changed((header) => header.setBigUint64(24, 2n ** 50n, true)),
    "ends before its contents do",
  ],
  ["directory-bomb.pmtiles", withRoot(Array(600_000).fill(0)), "has a directory that makes more than 524288"],
  // A directory that says it has 2^35 entries.
  ["entries.pmtiles", withRoot([0x80, 0x80, 0x80, 0x80, 0x80, 1]), "is no PMTiles archive"],
  ["circle.pmtiles", circle(), "has more than 4 levels of directories"],
  [
    "metadata-bomb.pmtiles",
    pmtiles(twoTiles(gzipped(mvt("land"))), { metadata: { x: "x".repeat(MEBIBYTE) } }),
    "has metadata that makes more than 524288",
  ],
  ["empty.mbtiles", "", "is no MBTiles file: it has no table tiles"],
  ["text.mbtiles", "nothing of the kind ".repeat(1_000), "is no MBTiles file: it is no SQLite database"],
];

/** Databases that are no charts. */
const BASES: [file: string, schema: string, reason: string][] = [
  [
    "other.mbtiles",
    "CREATE TABLE tiles (name TEXT); CREATE TABLE metadata (name, value)",
    "is a damaged MBTiles",
  ],
  ["untold.mbtiles", "CREATE TABLE tiles (name TEXT)", "is no MBTiles file: it has no table metadata"],
  ["hollow.mbtiles", MBTILES_SCHEMA, "has no tiles"],
  [
    "unsorted.mbtiles",
    "CREATE TABLE tiles (zoom_level, tile_column, tile_row, tile_data); CREATE TABLE metadata (name, value)",
    "has no index of its tiles; make one by: CREATE UNIQUE INDEX",
  ],
  [
    "by-zoom.mbtiles",
    `CREATE TABLE tiles (zoom_level, tile_column, tile_row, tile_data); CREATE INDEX i ON tiles (zoom_level);
     CREATE TABLE metadata (name, value)`,
    "has no index of its tiles",
  ],
  [
    "endless.mbtiles",
    `CREATE VIEW tiles AS WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)
       SELECT i AS zoom_level, i AS tile_column, i AS tile_row, x'00' AS tile_data FROM n;
     CREATE TABLE metadata (name, value)`,
    "has no index of its tiles",
  ],
  [
    "endless-metadata.mbtiles",
    `${MBTILES_SCHEMA} INSERT INTO tiles VALUES (0, 0, 0, x'00'); DROP TABLE metadata;
     CREATE VIEW metadata AS WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)
       SELECT 'name' AS name, i AS value FROM n WHERE i < 0`,
    "is no MBTiles file: it has no table metadata",
  ],
];

let server: TestServer;
const at = (name: string) => join(server.dataDir, "charts", name);
beforeAll(async () => {
  server = await TestServer.start({ settings: { "log.level": "warn" } });
  mkdirSync(at(""));
  for (const [file, content] of BROKEN) writeFileSync(at(file), content);
  for (const [file, schema] of BASES) {
    const database = new Database(at(file));
    database.run(schema);
    database.close();
  }
  writeMbtiles(at("whole.mbtiles"), {
    tiles: Array.from({ length: 256 }, (_, number) => ({
      ...{ z: 8, x: number, y: 0 },
      data: new Uint8Array([...png(), number]),
    })),
  });
  copyFileSync(at("whole.mbtiles"), at("cut.mbtiles"));
  truncateSync(at("cut.mbtiles"), 30_000);
  writeMbtiles(at("kind.mbtiles"), { metadata: { format: "exe" } });

  // Charts that are shown, with tiles that are not what they seem.
  writePmtiles(at("bomb.pmtiles"), twoTiles(bomb(64 * MEBIBYTE)));
  writePmtiles(at("brotli-bomb.pmtiles"), twoTiles(brotliCompressSync(new Uint8Array(64 * MEBIBYTE))), {
    tileCompression: Compression.Brotli,
  });
  writePmtiles(at("uncoded.pmtiles"), twoTiles(mvt("land")));
  writePmtiles(at("torn.pmtiles"), twoTiles(gzipped(mvt("land")).slice(0, -9)));
  const image = { tileType: TileType.Png, tileCompression: Compression.None };
  writePmtiles(at("page.pmtiles"), twoTiles(Buffer.from("<script>alert(1)</script>")), image);
  writePmtiles(at("svg.pmtiles"), twoTiles(Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')), image);
  writePmtiles(
    at("huge.pmtiles"),
    twoTiles(new Uint8Array([...png(), ...new Uint8Array(5 * MEBIBYTE)])),
    image,
  );
  const ending = pmtiles(
    [
      { z: 0, x: 0, y: 0, data: png() },
      { z: 1, x: 0, y: 0, data: new Uint8Array([...png(), 1]) },
    ],
    image,
  );
  writeFileSync(at("ending.pmtiles"), ending.slice(0, -20));
  writeMbtiles(at("huge-rows.mbtiles"), {
    tiles: twoTiles(new Uint8Array([...png(), ...new Uint8Array(5 * MEBIBYTE)])),
  });
  writeMbtiles(at("page-rows.mbtiles"), { tiles: twoTiles(Buffer.from("<script>alert(1)</script>")) });
  const texts = new Database(at("texts.mbtiles"));
  texts.run(`${MBTILES_SCHEMA} INSERT INTO tiles VALUES (0, 0, 0, 'a text'), (1, 0, 0, 7), (2, 0, 0, NULL);
    INSERT INTO metadata VALUES ('format', 'png'), ('json', '{'), ('bounds', 'here'), (NULL, NULL)`);
  texts.close();
});
afterAll(() => server.stop());

describe("a file that is no chart", () => {
  const expected = [
    ...[...BROKEN, ...BASES].map(([file, , reason]) => [file, reason] as const),
    ["cut.mbtiles", "is a damaged MBTiles file"] as const,
    ["kind.mbtiles", "has tiles of another kind"] as const,
  ];

  test("is told of by the doctor, each with its reason", async () => {
    const { stdout } = await command(["doctor", "--json"], { settings: { "data.dir": server.dataDir } });
    const messages: string[] = JSON.parse(stdout)
      .findings.filter(
        ({ check, verdict }: Record<string, string>) => check === "charts" && verdict === "warning",
      )
      .map(({ message }: { message: string }) => message);
    const reasonOf = (file: string) =>
      messages.find((message) => message.startsWith(`${file} `))?.slice(file.length + 1);
    for (const [file, reason] of expected)
      expect([file, reasonOf(file)?.slice(0, reason.length)]).toEqual([file, reason]);
    expect(messages).toHaveLength(expected.length);
    // Reasons are for people: no path and no stack of the program.
    for (const message of messages) expect(message).not.toMatch(/undefined|NaN|node_modules|\bat /);
  });

  test("is not listed, and hinders no other", async () => {
    const names = [...(await chartsOf(server)).keys()];
    for (const [file] of expected) expect(names).not.toContain(file.replace(/\.\w+$/, ""));
    expect(names).toContain("whole");
    expectStatus(await server.get("/v1/charts/whole/8/7/0", { token: server.systemKey }), 200);
  });
});

describe("a tile that is not what it seems", () => {
  const identity = { "accept-encoding": "identity" };

  /** A place, as the log names it. */
  const named = (place: string) => {
    const [chart, tile] = place.split(/\/(.*)/);
    return `"chart":"${chart}","tile":"${tile}"`;
  };
  const PLACES: [place: string, reason: string][] = [
    ["bomb/0/0/0", "has a tile that makes more than 8388608 bytes"],
    ["brotli-bomb/0/0/0", "has a tile that makes more than 8388608 bytes"],
    ["uncoded/0/0/0", "has a tile that is not compressed as it says"],
    ["torn/0/0/0", "has a tile that can't be decompressed"],
    ["page/0/0/0", "has a tile that is no image"],
    ["svg/0/0/0", "has a tile that is no image"],
    ["huge/0/0/0", "has a part of"],
    ["ending/1/0/0", "ends before its contents do"],
    ["huge-rows/0/0/0", "has a tile of"],
    ["page-rows/2/1/1", "has a tile that is no image"],
    ["texts/0/0/0", "has a tile that is text"],
    ["texts/1/0/1", "has a tile that is text"],
  ];
  test.each(PLACES)("is not found: %s", async (place, reason) => {
    const path = `/v1/charts/${place}`;
    const answer = await server.get(path, { token: server.systemKey, headers: identity });
    expectRefused(answer, 404, "NotFound");
    expect(answer.body.message).toBe("This tile of the chart can't be read; the server's log says why");
    await server.get(path, { token: server.systemKey, headers: identity });
    const [line = ""] = await linesOf(server, named(place));
    expect(JSON.parse(line).reason).toStartWith(reason);
  });

  test("hinders no other tile of its chart", async () => {
    expectStatus(await server.get("/v1/charts/ending/0/0/0", { token: server.systemKey }), 200);
    expectStatus(await server.get("/v1/charts/texts/2/0/3", { token: server.systemKey }), 204);
  });

  test("goes to whoever takes it compressed as it is, for them to bound", async () => {
    const answer = await fetch(`${server.url}/v1/charts/bomb/0/0/0`, {
      headers: { authorization: `Bearer ${server.systemKey}`, "accept-encoding": "gzip" },
      decompress: false,
    });
    expect(answer.status).toBe(200);
    expect((await answer.bytes()).length).toBeLessThan(100_000);
  });

  test("asked for a hundred times at once takes the memory of a few", async () => {
    const asked = () => server.get("/v1/charts/bomb/0/0/0", { token: server.systemKey, headers: identity });
    const growth = await memoryGrowth(server.pid, async () => {
      const answers = await Promise.all(Array.from({ length: 100 }, asked));
      for (const { status } of answers) expect(status).toBe(404);
    });
    expect(growth).toBeLessThan(400 * MEBIBYTE);
  });

  test("is told of once in the log, however often it was asked for", async () => {
    const output = await outputOfWholeRun(server);
    for (const [place] of PLACES) expect([place, linesIn(output, named(place)).length]).toEqual([place, 1]);
  });
});
