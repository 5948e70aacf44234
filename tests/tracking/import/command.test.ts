import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expectFailure } from "../../support/program";
import { rows } from "../../support/rows";
import { command, TestServer, temporaryDirectory } from "../../support/server";
import { postPoint } from "../support";
import { BEGINNING, gpxTrack, trkpt } from "./support";

let server: TestServer;
beforeAll(async () => {
  server = await TestServer.start();
});
afterAll(() => server.stop());

const directory = temporaryDirectory();
function fileOf(name: string, content: string | Uint8Array): string {
  const file = join(directory, name);
  writeFileSync(file, content);
  return file;
}

const run = (...args: string[]) => command(["import", ...args, "--data-dir", server.dataDir]);
const track = (count: number) =>
  gpxTrack(Array.from({ length: count }, (_, n) => trkpt(BEGINNING + n, 54 + n / 10_000)).join("\n"));
const number = (id: string) =>
  rows<{ n: number }>(server, "SELECT count(*) AS n FROM gps_points WHERE device_id = ?", id)[0]?.n;

describe("fairlead import", () => {
  test("stores the positions of a file beside a running server, and says what it did", async () => {
    const { id } = await server.device();
    const file = fileOf("track.gpx", track(600));
    const { status, stdout, stderr } = await run(file, "--device", id);
    expect([status, stderr]).toEqual([0, ""]);
    expect(stdout).toBe(
      "Imported 600 positions; 0 duplicates, 0 rejected.\n1 track from 2013-06-30T07:41:09.000Z to 2013-06-30T07:51:08.000Z, 6.661 km.\n",
    );
    expect(number(id)).toBe(600);
    expect((await run(file, "--device", id)).stdout).toStartWith(
      "Imported 0 positions; 600 duplicates, 0 rejected.\n",
    );
    const events = rows(server, "SELECT user_id, status FROM audit_events WHERE resource_id = ?", id);
    expect(events).toEqual([
      { user_id: null, status: "success" },
      { user_id: null, status: "success" },
    ]);
  });

  test("is seen by the server, which knew an older position of the device", async () => {
    const { id, key } = await server.device();
    await postPoint(server, key, { timestamp: BEGINNING - 60 });
    const path = `/v1/gps/current?device_id=${id}`;
    const current = async () => (await server.get(path, { token: await server.admin() })).body.data.timestamp;
    expect(await current()).toBe("2013-06-30T07:40:09.000Z");
    await run(fileOf("newer.gpx", track(2)), "--device", id);
    // The server notices at its next change.
    await postPoint(server, (await server.device()).key, { timestamp: BEGINNING });
    expect(await current()).toBe("2013-06-30T07:41:10.000Z");
  });

  test("reads compressed and CSV files, and prints JSON", async () => {
    const { id } = await server.device();
    const csv = `latitude;longitude;timestamp\n54,5;13,5;${BEGINNING}\n54,5;13,5;\n`;
    const { stdout } = await run(
      fileOf("track.csv.gz", gzipSync(csv)),
      "--device",
      id.toUpperCase(),
      "--json",
    );
    expect(JSON.parse(stdout)).toEqual({
      ...{ positions: 1, duplicates: 0, rejected: 1, rejections: [{ line: 3, reason: "no_time" }] },
      ...{ from: "2013-06-30T07:41:09.000Z", to: "2013-06-30T07:41:09.000Z", distance_km: 0, tracks: 1 },
    });
    expect((await run(fileOf("two.csv", csv), "--device", id)).stdout).toContain("Line 3: no_time\n");
  });

  test("with --dry-run stores nothing", async () => {
    const { id } = await server.device();
    const { stdout } = await run(fileOf("dry.gpx", track(3)), "--device", id, "--dry-run");
    expect(stdout).toStartWith("Would import 3 positions;");
    expect(number(id)).toBe(0);
  });

  test("of a file that breaks off fails with the numbers until there", async () => {
    const { id } = await server.device();
    const file = fileOf("broken.gpx", track(10).slice(0, -20));
    expectFailure(await run(file, "--device", id), 1, file, "Line 14: the file ends inside", "positions 10,");
    expect(number(id)).toBe(10);
    const packed = fileOf("broken.gpx.gz", gzipSync(track(100)).subarray(0, 300));
    expectFailure(await run(packed, "--device", id), 1, "The file breaks off", /positions \d+,/);
  });

  test("refuses a wrong use", async () => {
    const { id } = await server.device();
    const file = fileOf("good.gpx", track(1));
    expectFailure(await run(file), 2, "--device must be the identifier");
    expectFailure(await run(file, "--device", "boat"), 2, "--device must be the identifier");
    expectFailure(await run("--device", id), 2, "usage: fairlead import FILE");
    expectFailure(await run(fileOf("good.kml", "x"), "--device", id), 2, ".gpx or .csv");
    expectFailure(await run(join(directory, "none.gpx"), "--device", id), 1, "cannot be read");
    expectFailure(await run(directory, "--device", id), 1, "is no file");
    expectFailure(
      await run(file, "--device", "0192f3a1-5c00-7d1e-9a55-3f1f6c1f0a01"),
      1,
      "there is no device",
    );
  });

  test("works without a server, and leaves no database where there was none", async () => {
    const stopped = await TestServer.start();
    const { id } = await stopped.device();
    await stopped.stop();
    const file = fileOf("offline.gpx", track(2));
    const done = await command(["import", file, "--device", id, "--data-dir", stopped.dataDir]);
    expect(done.stdout).toStartWith("Imported 2 positions;");
    const empty = join(temporaryDirectory(), "data");
    expectFailure(
      await command(["import", file, "--device", id, "--data-dir", empty]),
      1,
      "there is no device",
    );
    expect(await Bun.file(join(empty, "fairlead.db")).exists()).toBe(false);
  });
});
