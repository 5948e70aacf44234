import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ask, NEWEST, olderDirectory, schemaOf, someUser } from "./support/older-database";
import { AS_NOBODY, canBeNobody, expectFailure, FULL_DISK, runAfterShell } from "./support/program";
import { command, type Settings, TestServer, temporaryDirectory } from "./support/server";

/** A command that is refused, for example a mistyped one, leaves the disk as it found it. */

const run = (args: string[], dataDir: string, settings: Settings = {}) =>
  command(args, { settings: { "data.dir": dataDir, "server.port": "0", ...settings } });

const USER = ["user", "create", "--username", "anna", "--email", "anna@example.org"];

/** Every file below a directory with its content. */
const contentOf = (directory: string) =>
  Object.fromEntries(
    readdirSync(directory, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => [
        join(parentPath, name),
        readFileSync(join(parentPath, name), "base64"),
      ]),
  );

let server: TestServer;
let port: string;
let file: string;
beforeAll(async () => {
  server = await TestServer.start();
  port = new URL(server.url).port;
  file = join(temporaryDirectory(), "backup.db");
  expect((await run(["backup", file], server.dataDir)).status).toBe(0);
});
afterAll(() => server.stop());

describe("in a directory that is not there", () => {
  const refused: [
    name: string,
    args: () => string[],
    status: 1 | 2,
    named: string,
    settings?: () => Settings,
  ][] = [
    ["restore of no file", () => ["restore", "/no/such/file.db"], 1, "does not exist"],
    ["restore of a damaged file", () => ["restore", damaged()], 1, "nothing was changed"],
    ["user create with a wrong role", () => [...USER, "--role", "Supper Admin"], 1, "no role"],
    ["user create with a short password", () => [...USER, "--password-stdin"], 2, "password"],
    ["key create for nobody", () => ["key", "create", "--name", "k", "--owner", "nobody"], 1, "no user"],
    ["backup", () => ["backup", join(temporaryDirectory(), "copy.db")], 1, "no database"],
    ["rollback", () => ["rollback"], 1, "no database"],
    ["serve on a port that is taken", () => ["serve"], 1, "is in use", () => ({ "server.port": port })],
    [
      "serve at an address elsewhere",
      () => ["serve"],
      1,
      "cannot listen on",
      () => ({ "server.host": "192.0.2.1" }),
    ],
    ["serve with a wrong option", () => ["serve", "--no-backups"], 2, "--no-backups"],
    ["migrate with a wrong option", () => ["migrate", "--force"], 2, "--force"],
    ["doctor", () => ["doctor", "--jsn"], 2, "--jsn"],
  ];
  const damaged = () => {
    const path = join(temporaryDirectory(), "damaged.db");
    writeFileSync(path, readFileSync(file).subarray(0, 50_000));
    return path;
  };

  for (const [name, args, status, named, settings = () => ({})] of refused)
    test(`${name} makes neither it nor what is above it`, async () => {
      const above = temporaryDirectory();
      const dataDir = join(above, "mis", "typed");
      const result = await run(args(), dataDir, settings());
      expectFailure(result, status, named);
      expect(readdirSync(above)).toEqual([]);
    });

  test("demo told to take a port that is taken leaves no directory of its own either", async () => {
    const above = temporaryDirectory();
    const args = ["demo", "--port", port, "--data-dir", join(above, "mistyped")];
    const result = await runAfterShell("true", args, {}, { TMPDIR: above });
    expectFailure(result, 1, "is in use");
    expect(
      readdirSync(above).filter((name) => name.startsWith("fairlead-demo-") || name === "mistyped"),
    ).toEqual([]);
  });
});

test("in a directory that is there and empty, or holds something else, nothing is added", async () => {
  const dataDir = temporaryDirectory();
  mkdirSync(join(dataDir, "photos"));
  writeFileSync(join(dataDir, "notes.txt"), "mine");
  const before = contentOf(dataDir);
  for (const [args, settings] of [
    [["restore", join(dataDir, "notes.txt")]],
    [[...USER, "--role", "Supper Admin"]],
    [["key", "create", "--name", "k", "--owner", "nobody"]],
    [["serve"], { "server.port": port }],
  ] as [string[], Settings?][]) {
    expect((await run(args, dataDir, settings)).status).toBe(1);
    expect(contentOf(dataDir)).toEqual(before);
    expect(readdirSync(dataDir).sort()).toEqual(["notes.txt", "photos"]);
  }
});

describe("beside a database of an older version", () => {
  test("serve on a port that is taken migrates nothing and copies nothing", async () => {
    const dataDir = olderDirectory(someUser("berta"));
    const before = contentOf(dataDir);
    expectFailure(await run(["serve"], dataDir, { "server.port": port }), 1, `:${port} is in use`);
    expect(contentOf(dataDir)).toEqual(before);
    expect(schemaOf(join(dataDir, "fairlead.db"))).not.toBe(NEWEST);
  });

  test("user create and key create leave it to serve and migrate, which copy it before", async () => {
    const dataDir = olderDirectory(someUser("berta"));
    const before = contentOf(dataDir);
    for (const args of [USER, [...USER, "--role", "x"], ["key", "create", "--name", "k", "--system"]]) {
      expectFailure(await run(args, dataDir), 1, "older version", "fairlead migrate");
      expect(contentOf(dataDir)).toEqual(before);
    }
    expect((await run(["migrate"], dataDir)).status).toBe(0);
    expect((await run(USER, dataDir)).status).toBe(0);
  });
});

test("a wrong role beside a database that is there changes nothing in it", async () => {
  const dataDir = temporaryDirectory();
  copyFileSync(file, join(dataDir, "fairlead.db"));
  const database = join(dataDir, "fairlead.db");
  const counts = () =>
    ask(database, "SELECT count(*) FROM users UNION ALL SELECT count(*) FROM audit_events");
  const before = counts();
  expectFailure(await run([...USER, "--role", "Supper Admin"], dataDir), 1, "no role");
  expect(counts()).toEqual(before);
  expect(readdirSync(dataDir)).toEqual(["fairlead.db"]);
});

test("a restore that is refused while another process has the database open leaves no lock", async () => {
  const dataDir = temporaryDirectory();
  copyFileSync(file, join(dataDir, "fairlead.db"));
  const other = Bun.spawn(
    [process.execPath, join(import.meta.dir, "support/holder.ts"), join(dataDir, "fairlead.db")],
    {
      stdio: ["ignore", "pipe", "ignore"],
    },
  );
  try {
    await other.stdout.getReader().read();
    expectFailure(await run(["restore", file], dataDir), 1, "another process, such as");
    expect(readdirSync(dataDir).sort()).toEqual(["fairlead.db", "fairlead.db-shm", "fairlead.db-wal"]);
  } finally {
    other.kill();
    await other.exited;
  }
});

test("on a disk that takes no more, no half database and no directory is left", async () => {
  for (const args of [["serve"], ["migrate"], USER, ["restore", file]]) {
    const above = temporaryDirectory();
    const settings = { "data.dir": join(above, "new", "data"), "server.port": "0" };
    expectFailure(await runAfterShell(FULL_DISK, args, settings), 1);
    expect(readdirSync(above)).toEqual([]);
  }
});

describe("two at the same time in a new directory", () => {
  test("commands and a server: one makes the database, and all find it", async () => {
    const dataDir = join(temporaryDirectory(), "new");
    const create = (name: string, ...more: string[]) =>
      run(["user", "create", "--username", name, "--email", `${name}@example.org`, ...more], dataDir);
    const [running, ...results] = await Promise.all([
      TestServer.start({ dataDir }),
      create("anna"),
      create("berta"),
      create("clara", "--role", "Supper Admin"),
    ]);
    try {
      expect(results.map(({ status }) => status)).toEqual([0, 0, 1]);
      const names = ask(join(dataDir, "fairlead.db"), "SELECT username FROM users ORDER BY username");
      expect(names).toEqual(["anna", "berta"]);
      expect(readdirSync(dataDir).filter((name) => name.includes("partial"))).toEqual([]);
    } finally {
      expect(await running.stop()).toBe(0);
    }
  });

  test("commands that are refused: the directory is removed, and no other command fails for it", async () => {
    const refused = (dataDir: string) => run([...USER, "--role", "Supper Admin"], dataDir);
    for (let round = 0; round < 3; round++) {
      const dataDir = join(temporaryDirectory(), "new");
      const results = await Promise.all([
        run(USER, dataDir),
        ...Array.from({ length: 5 }, () => refused(dataDir)),
      ]);
      expect(results.map(({ status, stderr }) => [status, stderr.includes("there is no role")])).toEqual([
        [0, false],
        ...Array(5).fill([1, true]),
      ]);
      expect(readdirSync(dataDir)).toEqual(["fairlead.db"]);
    }
    const dataDir = join(temporaryDirectory(), "new");
    await Promise.all(Array.from({ length: 6 }, () => refused(dataDir)));
    expect(existsSync(dataDir)).toBe(false);
  });

  test("commands: each prints one key, which is kept", async () => {
    const dataDir = join(temporaryDirectory(), "new");
    const create = (name: string) => run(["key", "create", "--name", name, "--system", "--json"], dataDir);
    const results = await Promise.all(["a", "b", "c", "d"].map(create));
    // More than one line is no JSON.
    const shown = results.map(({ stdout }) => JSON.parse(stdout).id);
    const kept = ask(join(dataDir, "fairlead.db"), "SELECT id FROM api_keys");
    expect(kept.toSorted()).toEqual(shown.toSorted());
    expect(readdirSync(dataDir)).toEqual(["fairlead.db"]);
  });

  test("two servers: one runs, and the other's refusal does not free its lock", async () => {
    const dataDir = join(temporaryDirectory(), "new");
    const starts = await Promise.allSettled([1, 2, 3].map(() => TestServer.start({ dataDir })));
    const running = starts.flatMap((start) => (start.status === "fulfilled" ? [start.value] : []));
    expect(running).toHaveLength(1);
    expectFailure(await run(["serve"], dataDir), 1, "another Fairlead process is using");
    expect(existsSync(join(dataDir, "server.lock"))).toBe(true);
    for (const one of running) expect(await one.stop()).toBe(0);
  });
});

test.skipIf(!canBeNobody)("a directory that may not be written stays as it is", async () => {
  const above = temporaryDirectory();
  const result = await runAfterShell(`set -- ${AS_NOBODY.join(" ")} "$@"; cd /`, ["migrate"], {
    "data.dir": join(above, "data"),
  });
  expectFailure(result, 1, "EACCES");
  expect(readdirSync(above)).toEqual([]);
});

test("a database that a command makes holds nothing of its other name", async () => {
  const dataDir = join(temporaryDirectory(), "new");
  expect((await run(USER, dataDir)).status).toBe(0);
  expect(readdirSync(dataDir)).toEqual(["fairlead.db"]);
  const database = new Database(join(dataDir, "fairlead.db"), { readwrite: true });
  expect(database.query("PRAGMA integrity_check").values()).toEqual([["ok"]]);
  database.close();
});
