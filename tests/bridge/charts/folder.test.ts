import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  chartsOf,
  folderRead,
  gzipped,
  mvt,
  png,
  twoTiles,
  writeMbtiles,
  writePmtiles,
} from "../../support/charts";
import { eventually, expectRefused, expectStatus } from "../../support/expectations";
import { linesIn } from "../../support/log";
import { command, TestServer, temporaryDirectory } from "../../support/server";

/** The folder of charts while the server runs. */

const charts = temporaryDirectory();
const at = (name: string) => join(charts, name);

let server: TestServer;
beforeAll(async () => {
  server = await TestServer.start({ settings: { "map.charts": charts, "log.level": "warn" } });
});
afterAll(() => server.stop());
afterEach(() => {
  for (const name of readdirSync(charts)) rmSync(at(name), { recursive: true });
});

const names = async () => [...(await chartsOf(server)).keys()];
const tile = (name: string) =>
  server.get(`/v1/charts/${name}/0/0/0`, {
    token: server.systemKey,
    headers: { "accept-encoding": "identity" },
  });

/** The doctor's findings about charts, each with its verdict. */
async function findings(directory = charts): Promise<[string, string][]> {
  const { stdout } = await command(["doctor", "--json"], {
    settings: { "data.dir": server.dataDir, "map.charts": directory },
  });
  return JSON.parse(stdout)
    .findings.filter(({ check }: { check: string }) => check === "charts")
    .map(({ verdict, message }: { verdict: string; message: string }) => [verdict, message]);
}

describe("a file", () => {
  test("that is added, replaced or removed is seen", async () => {
    expect(await names()).toEqual(["coast"]);
    writePmtiles(at("sound.pmtiles"), twoTiles(gzipped(mvt("first"))));
    writeMbtiles(at("harbour.mbtiles"));
    await folderRead();
    const before = await chartsOf(server);
    expect([...before.keys()]).toEqual(["coast", "harbour", "sound"]);
    const address = before.get("sound").tiles[0];

    writePmtiles(at("sound.new"), twoTiles(gzipped(mvt("second"))));
    renameSync(at("sound.new"), at("sound.pmtiles"));
    // At once, and not only when the folder is read again: a browser keeps what it gets.
    const replaced = await tile("sound");
    expect(replaced.body).toContain("second");
    expect((await chartsOf(server)).get("sound").tiles[0]).not.toBe(address);

    rmSync(at("sound.pmtiles"));
    expectRefused(await tile("sound"), 404, "NotFound");
    await folderRead();
    expect(await names()).toEqual(["coast", "harbour"]);
  });

  test("that is replaced between the parts of an answer never gives a mixture", async () => {
    const [one, other] = ["one", "other, which is longer"].map((layer) => twoTiles(gzipped(mvt(layer))));
    writePmtiles(at("busy.pmtiles"), one ?? []);
    await folderRead();
    let isDone = false;
    const replacing = (async () => {
      for (let turn = 0; !isDone; turn++) {
        writePmtiles(at("busy.new"), (turn % 2 ? one : other) ?? []);
        renameSync(at("busy.new"), at("busy.pmtiles"));
        await Bun.sleep(3);
      }
    })();
    const answers = [];
    for (let count = 0; count < 200; count++) answers.push(await tile("busy"));
    isDone = true;
    await replacing;
    const seen = new Set(answers.map(({ status, body }) => (status === 200 ? body : status)));
    expect([...seen].filter((each) => each !== 503).length).toBeGreaterThan(0);
    for (const each of seen)
      expect([
        503,
        ...["one", "other, which is longer"].map((layer) => new TextDecoder().decode(mvt(layer))),
      ]).toContain(each);
  });

  test("that is replaced without a pause by another program is never missing", async () => {
    writePmtiles(at("busy.pmtiles"), twoTiles(gzipped(mvt("one"))));
    await folderRead();
    const replacing = Bun.spawn([process.execPath, join(import.meta.dir, "replacer.ts"), at("busy.pmtiles")]);
    try {
      const answers = [];
      for (let count = 0; count < 300; count++) answers.push(await tile("busy"));
      expect(
        answers.map(({ status }) => status).filter((status) => status !== 200 && status !== 503),
      ).toEqual([]);
    } finally {
      replacing.kill();
      await replacing.exited;
    }
  });

  test("is left alone with a name that is hidden, or that of no chart", async () => {
    for (const name of [".hidden.pmtiles", "._sound.pmtiles", "notes.txt", "sound.pmtiles.part"])
      writeFileSync(at(name), "nothing");
    await folderRead();
    expect(await names()).toEqual(["coast"]);
    expect(await findings()).toEqual([["ok", `none in ${charts}, so the built-in map alone is shown`]]);
  });

  test("needs a name that can stand in an address, and is not that of the built-in map", async () => {
    const long = `${"x".repeat(65)}.pmtiles`;
    for (const name of ["two words.pmtiles", "Überfahrt.pmtiles", long, "coast.pmtiles", "a.b_c-1.PMTiles"])
      writePmtiles(at(name), twoTiles(gzipped(mvt("land"))));
    const unfit = "needs a name of at most 64 letters, digits, dots, hyphens and underscores";
    expect(await findings()).toEqual([
      ["ok", `1 chart in ${charts}`],
      ["warning", "coast.pmtiles has the name of the built-in map; give it another"],
      ...["two words.pmtiles", long, "Überfahrt.pmtiles"].map((name): [string, string] => [
        "warning",
        `${name} ${unfit}`,
      ]),
    ]);
    await folderRead();
    expect(await names()).toEqual(["coast", "a.b_c-1"]);
    expectStatus(await tile("a.b_c-1"), 200);
  });

  test("with the name of another one is refused, and the other one stays", async () => {
    writePmtiles(at("sound.pmtiles"), twoTiles(gzipped(mvt("land"))));
    writeMbtiles(at("sound.mbtiles"));
    expect(await findings()).toEqual([
      ["ok", `1 chart in ${charts}`],
      ["warning", "sound.pmtiles has the name of another chart; give it another"],
    ]);
    rmSync(at("sound.pmtiles"));
  });
});

describe("a link", () => {
  test("counts within the folder, and not out of it", async () => {
    const elsewhere = join(temporaryDirectory(), "secret.mbtiles");
    writeMbtiles(elsewhere);
    symlinkSync(elsewhere, at("out.mbtiles"));
    symlinkSync(join(server.dataDir, "fairlead.db"), at("database.mbtiles"));
    mkdirSync(at("deeper"), { recursive: true });
    writeMbtiles(at("deeper/chart.bin"));
    symlinkSync(at("deeper/chart.bin"), at("within.mbtiles"));
    symlinkSync(at("nowhere"), at("dangling.mbtiles"));
    mkdirSync(at("folder.pmtiles"));
    await folderRead();
    expect(await names()).toEqual(["coast", "within"]);
    for (const name of ["out", "database", "dangling", "folder"])
      expectRefused(await tile(name), 404, "NotFound");
    expect(await findings()).toEqual([
      ["ok", `1 chart in ${charts}`],
      ["warning", "database.mbtiles is a link that leads out of the folder"],
      ["warning", "folder.pmtiles is no file"],
      ["warning", "out.mbtiles is a link that leads out of the folder"],
    ]);
  });
});

describe("a style", () => {
  const layers = async () => (await chartsOf(server)).get("sound").layers;
  beforeEach(() => writePmtiles(at("sound.pmtiles"), twoTiles(gzipped(mvt("DEPARE")))));

  test("gives its layers, and nothing that leads elsewhere", async () => {
    const style = {
      version: 8,
      sprite: "https://example.org/sprite",
      glyphs: "https://example.org/{fontstack}/{range}.pbf",
      sources: { chart: { type: "vector", url: "https://example.org/tiles.json" } },
      layers: [
        { id: "sea", type: "background", paint: { "background-color": "#fff" }, metadata: { secret: true } },
        {
          ...{ id: "depth", type: "fill", source: "chart", "source-layer": "DEPARE", minzoom: 3 },
          ...{ filter: ["==", ["get", "DRVAL1"], 0], layout: { visibility: "visible" } },
        },
      ],
    };
    writeFileSync(at("sound.style.json"), JSON.stringify(style));
    await folderRead();
    expect(await layers()).toEqual([
      { id: "sea", type: "background", paint: { "background-color": "#fff" } },
      {
        ...{ id: "depth", type: "fill", "source-layer": "DEPARE", minzoom: 3 },
        ...{ filter: ["==", ["get", "DRVAL1"], 0], layout: { visibility: "visible" } },
      },
    ]);
  });

  test("that changes is read again, and the chart stays as it is", async () => {
    for (const type of ["fill", "line"]) {
      writeFileSync(at("sound.style.json"), JSON.stringify({ layers: [{ id: "only", type }] }));
      await folderRead();
      expect(await layers()).toEqual([{ id: "only", type }]);
    }
    const { tiles } = (await chartsOf(server)).get("sound");
    rmSync(at("sound.style.json"));
    await folderRead();
    expect(await layers()).toBeNull();
    expect((await chartsOf(server)).get("sound").tiles).toEqual(tiles);
  });

  test("that is none is told of, and the chart is shown without it", async () => {
    for (const [text, reason] of [
      ["{", "is no JSON"],
      [`{"layers":[],"x":"${"x".repeat(524_288)}"}`, "has more than 524288 bytes"],
    ] as const) {
      writeFileSync(at("sound.style.json"), text);
      expect(await findings()).toEqual([
        ["ok", `1 chart in ${charts}`],
        ["warning", `sound.style.json ${reason}`],
      ]);
    }
    await folderRead();
    expect(await layers()).toBeNull();
    expectStatus(await tile("sound"), 200);
  });
});

describe("the folder", () => {
  test("may be missing, which the doctor tells where it was asked for", async () => {
    const missing = join(charts, "missing");
    expect(await findings(missing)).toEqual([
      [
        "warning",
        `map.charts (${missing}) does not exist, so the built-in map alone is shown; mount or create it`,
      ],
    ]);
  });

  test("shows 200 charts, and tells of those beyond", async () => {
    const many = temporaryDirectory();
    for (let count = 0; count < 202; count++)
      writePmtiles(
        join(many, `chart-${String(count).padStart(3, "0")}.pmtiles`),
        twoTiles(gzipped(mvt("a"))),
      );
    const found = await findings(many);
    expect(found[0]).toEqual(["ok", `200 charts in ${many}`]);
    expect(found.slice(1)).toEqual(
      [200, 201].map((count) => ["warning", `chart-${count}.pmtiles is left out: only 200 charts are shown`]),
    );
  });

  test("that is broken says so once in the log, and again after it was mended", async () => {
    const lines = () => linesIn(server.output, "wreck.pmtiles");
    writeFileSync(at("wreck.pmtiles"), "nothing");
    for (let count = 0; count < 2; count++) {
      await folderRead();
      expect(await names()).toEqual(["coast"]);
    }
    await eventually(() => lines().length === 1);
    expect(JSON.parse(lines()[0] ?? "")).toMatchObject({
      ...{ level: "warn", message: "a chart can't be shown", file: "wreck.pmtiles" },
      reason: expect.stringContaining("is no PMTiles archive"),
    });
    writePmtiles(at("wreck.pmtiles"), twoTiles(gzipped(mvt("a"))));
    await folderRead();
    expect(await names()).toEqual(["coast", "wreck"]);
    writeFileSync(at("wreck.pmtiles"), "nothing again");
    await folderRead();
    await names();
    await eventually(() => lines().length === 2);
  });

  test("that can't be read is told of", async () => {
    const file = join(temporaryDirectory(), "file");
    writeFileSync(file, "");
    expect(await findings(file)).toEqual([["warning", `${file} can't be read: ENOTDIR: not a directory`]]);
  });

  test("is charts/ of the data directory by default", async () => {
    const other = await TestServer.start();
    mkdirSync(join(other.dataDir, "charts"));
    writeMbtiles(join(other.dataDir, "charts", "here.mbtiles"), { tiles: twoTiles(png()) });
    expect([...(await chartsOf(other)).keys()]).toEqual(["coast", "here"]);
    await other.stop();
  });
});
