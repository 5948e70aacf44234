import { describe, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";

/** Each room has its tests in the folder of the same path: the tests of src/tracking/gps are in tests/tracking/gps. */

const ROOT = join(import.meta.dir, "../..");

/** Folders of tests that belong to no room, and what they hold. */
const ROOMLESS: Record<string, string> = {
  abuse: "strangers who try to bring the whole server down",
  bench: "the benchmark",
  clients: "the client, in each runtime that it is made for",
  fuzz: "random requests against the whole server",
  releases: "what is kept of each release: its document, a database, and the ways up from it",
  "stand-ins": "outside services, as servers on loopback",
  support: "the kit that all tests share",
};

/** The folders below a path that hold TypeScript, and those above them; a folder without a file is none to git. */
function foldersOf(path: string): string[] {
  const folders = readdirSync(join(ROOT, path), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .flatMap((file) => {
      const names = dirname(file).split("/");
      return names.map((_, at) => names.slice(0, at + 1).join("/"));
    });
  return [...new Set(folders)].filter((folder) => folder !== ".").sort();
}

const rooms = new Set(foldersOf("src"));
const belongsToNoRoom = (folder: string) => Object.hasOwn(ROOMLESS, folder.split("/")[0] ?? "");
const folders = foldersOf("tests");

describe("the folders of tests", () => {
  test("are found (a scan that finds nothing proves nothing)", () => {
    for (const room of ["kernel", "kernel/db", "tracking/gps"]) {
      expect(folders).toContain(room);
      expect(rooms).toContain(room);
    }
  });

  test("are folders of src too: a test stands where its room does", () => {
    expect(folders.filter((folder) => !belongsToNoRoom(folder) && !rooms.has(folder))).toEqual([]);
  });

  test("that belong to no room are still there", () => {
    expect(Object.keys(ROOMLESS).filter((folder) => !folders.includes(folder))).toEqual([]);
  });
});
