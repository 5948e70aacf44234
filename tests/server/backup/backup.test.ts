import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  chmodSync,
  chownSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { eventually } from "../../support/expectations";
import {
  AS_NOBODY,
  canBeNobody,
  expectFailure,
  FULL_DISK,
  NOBODY,
  runAfterShell,
  start,
} from "../../support/program";
import {
  command,
  environment,
  program,
  type Settings,
  TestServer,
  temporaryDirectory,
} from "../../support/server";
import { postPoint } from "../../tracking/support";

let server: TestServer;
beforeAll(async () => {
  server = await TestServer.start();
});
afterAll(() => server.stop());

const backup = (file: string, cwd?: string) =>
  command(["backup", file], { settings: { "data.dir": server.dataDir }, ...(cwd !== undefined && { cwd }) });

const target = () => join(temporaryDirectory(), "copy.db");

let clock = 1_000;
const postFix = async (): Promise<string> =>
  (await postPoint(server, server.systemKey, { timestamp: ++clock })).id;

describe("backup", () => {
  test("copies a sound database that holds every point acknowledged before, while the server writes on", async () => {
    const acknowledged: string[] = [];
    let writing = true;
    const writers = Array.from({ length: 4 }, async () => {
      while (writing) acknowledged.push(await postFix());
    });
    while (acknowledged.length < 200) await Bun.sleep(5);

    const before = [...acknowledged];
    const file = target();
    const { status, stdout, stderr } = await backup(file);
    const during = acknowledged.length - before.length;
    writing = false;
    await Promise.all(writers);

    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(stdout).toContain(file);
    expect(stdout).toContain(
      `Keep ${join(server.dataDir, "master.key")} as well, in another place: without it`,
    );
    expect(during).toBeGreaterThan(0);
    const copy = new Database(file, { readonly: true });
    expect(copy.query("PRAGMA integrity_check").all()).toEqual([{ integrity_check: "ok" }]);
    const ids = new Set(
      copy
        .query<{ id: string }, []>("SELECT id FROM gps_points")
        .all()
        .map(({ id }) => id),
    );
    expect(before.filter((id) => !ids.has(id))).toEqual([]);
    const counted = copy
      .query<{ value: number }, []>("SELECT value FROM counters WHERE name = 'gps_points'")
      .get();
    expect(counted?.value).toBe(ids.size);
    copy.close();
    // Nothing else is left beside it, and the server lost nothing.
    expect(readdirSync(dirname(file))).toEqual([basename(file)]);
    expect((await server.get("/v1/gps", { token: server.systemKey })).body.pagination.total).toBe(
      acknowledged.length,
    );
  });

  test("makes a copy that a server runs on, with the key file beside it", async () => {
    const id = await postFix();
    const dataDir = join(temporaryDirectory(), "restored");
    mkdirSync(dataDir);
    expect((await backup(join(dataDir, "fairlead.db"))).status).toBe(0);
    copyFileSync(join(server.dataDir, "master.key"), join(dataDir, "master.key"));
    const restored = await TestServer.start({ dataDir });
    try {
      const { status } = await restored.get(`/v1/gps/${id}`, { token: await restored.admin() });
      expect(status).toBe(200);
    } finally {
      await restored.stop();
    }
  });

  test("names the key to keep that there is, and no other", async () => {
    const dataDir = temporaryDirectory();
    await command(["migrate", "--data-dir", dataDir]);
    const printed = async (settings: Settings) => {
      const { stdout } = await command(["backup", target()], {
        settings: { "data.dir": dataDir, ...settings },
      });
      return stdout;
    };
    expect(await printed({})).toMatch(/^Copied [^\n]* and checked the copy\.\n$/);
    const configured = { "security.encryption_key": Buffer.alloc(32, 1).toString("base64") };
    expect(await printed(configured)).toContain("Keep security.encryption_key as well, in another place");
  });

  test("overwrites nothing: a file that exists ends it with status 1", async () => {
    const file = target();
    writeFileSync(file, "precious");
    expectFailure(await backup(file), 1, file, "exists");
    expect(readFileSync(file, "utf8")).toBe("precious");
    expectFailure(await backup(dirname(file)), 1, "exists");
    expectFailure(await backup(join(server.dataDir, "fairlead.db")), 1, "exists");
  });

  test("makes none of the data directory's own files, which would be removed or read as such", async () => {
    const dataDir = temporaryDirectory();
    await command(["migrate", "--data-dir", dataDir]);
    const link = join(temporaryDirectory(), "link");
    symlinkSync(dataDir, link);
    for (const path of [
      join(dataDir, "fairlead.db-wal"),
      join(dataDir, "fairlead.db-journal"),
      join(link, "fairlead.db-shm"),
      join(dataDir, "master.key"),
      join(dataDir, "master.key.old"),
      join(dataDir, "fairlead.db.123.partial"),
      join(dataDir, "fairlead-before-restore-20261129T000000Z.db-wal"),
      join(dataDir, "fairlead.toml"),
      join(dataDir, "backups"),
    ])
      expectFailure(await command(["backup", path, "--data-dir", dataDir]), 1, `${path} is a name that`);
    expect((await command(["backup", join(dataDir, "fairlead.db.old"), "--data-dir", dataDir])).status).toBe(
      0,
    );
  });

  test("makes no file where a link leads nowhere, and says so", async () => {
    const file = target();
    symlinkSync(join(dirname(file), "missing.db"), file);
    expectFailure(await backup(file), 1, `${file} is a link to a place that does not exist`);
    expect(readdirSync(dirname(file))).toEqual([basename(file)]);
  });

  test("takes a path relative to where it is called, with quotes and spaces", async () => {
    const cwd = temporaryDirectory();
    expect((await backup("the fleet's copy.db", cwd)).status).toBe(0);
    expect(readdirSync(cwd)).toEqual(["the fleet's copy.db"]);
  });

  test("into a directory that does not exist ends with status 1 and a line that names it", async () => {
    const missing = join(temporaryDirectory(), "missing");
    expectFailure(await backup(join(missing, "copy.db")), 1, `the directory ${missing} does not exist`);
    const file = join(temporaryDirectory(), "file");
    writeFileSync(file, "");
    expectFailure(await backup(join(file, "copy.db")), 1, `the directory ${file} does not exist`);
  });

  test("onto a disk without room ends with status 1, leaves nothing there and shows no SQL", async () => {
    const directory = temporaryDirectory();
    const args = ["backup", join(directory, "copy.db")];
    const result = await runAfterShell(FULL_DISK, args, { "data.dir": server.dataDir });
    expectFailure(result, 1, "backup", directory);
    expect(result.stderr).not.toMatch(/VACUUM|query/);
    expect(readdirSync(directory)).toEqual([]);
  });

  test("of a database that is damaged within, broken or another program's ends with status 1 and leaves nothing", async () => {
    const dataDir = temporaryDirectory();
    await command(["migrate", "--data-dir", dataDir]);
    const change = (...statements: string[]) => {
      const database = new Database(join(dataDir, "fairlead.db"));
      database.run("PRAGMA foreign_keys = OFF");
      for (const statement of statements) database.run(statement);
      database.close();
    };
    const directory = temporaryDirectory();
    const refused = async (...named: string[]) => {
      const result = await command(["backup", join(directory, "copy.db"), "--data-dir", dataDir]);
      expectFailure(result, 1, "backup", ...named);
      expect(readdirSync(directory)).toEqual([]);
    };
    change("INSERT INTO two_factor (user_id, secret, platform, created_at) VALUES ('nobody', '', '', 0)");
    await refused("broken references in the table two_factor");
    change("DELETE FROM two_factor", "DELETE FROM __migrations WHERE tag = '0000_init'");
    await refused("not a Fairlead database");
  });

  test("that is told to stop leaves nothing", async () => {
    const dataDir = temporaryDirectory();
    await command(["migrate", "--data-dir", dataDir]);
    const other = new Database(join(dataDir, "fairlead.db"));
    // The copy waits for a connection that locks all others out.
    other.run("PRAGMA locking_mode = EXCLUSIVE");
    other.run("BEGIN EXCLUSIVE");
    const directory = temporaryDirectory();
    const copying = start(["backup", join(directory, "copy.db"), "--data-dir", dataDir]);
    await eventually(() => readdirSync(directory).length > 0);
    expectFailure(await copying.stop("SIGTERM"), 1, "stopped");
    expect(readdirSync(directory)).toEqual([]);
    other.close();
  });

  test.skipIf(!canBeNobody)("by somebody who may not see the database says so", async () => {
    const dataDir = temporaryDirectory();
    await command(["migrate", "--data-dir", dataDir]);
    const directory = temporaryDirectory();
    const args = ["backup", join(directory, "copy.db"), "--data-dir", dataDir];
    const { stdout, stderr, exitCode } = Bun.spawnSync([...AS_NOBODY, ...program, ...args], {
      ...{ cwd: "/", env: environment({}), stdout: "pipe", stderr: "pipe" },
    });
    const result = { status: exitCode, stdout: stdout.toString(), stderr: stderr.toString() };
    expectFailure(result, 1, "fairlead.db cannot be read: EACCES", "server's user");
  });

  test.skipIf(!canBeNobody)("of a directory that its owner may only read succeeds", async () => {
    const dataDir = temporaryDirectory();
    await command(["migrate", "--data-dir", dataDir]);
    const directory = temporaryDirectory();
    for (const path of [dataDir, join(dataDir, "fairlead.db"), directory]) chownSync(path, NOBODY, NOBODY);
    chmodSync(dataDir, 0o500);
    const args = ["backup", join(directory, "copy.db"), "--data-dir", dataDir];
    const { exitCode, stderr } = Bun.spawnSync([...AS_NOBODY, ...program, ...args], {
      ...{ cwd: "/", env: environment({}), stdout: "pipe", stderr: "pipe" },
    });
    expect({ exitCode, stderr: stderr.toString() }).toEqual({ exitCode: 0, stderr: "" });
    expect(readdirSync(directory)).toEqual(["copy.db"]);
  });

  test("of a data directory without a database ends with status 1 and makes none", async () => {
    const dataDir = temporaryDirectory();
    const result = await command(["backup", target()], { settings: { "data.dir": dataDir } });
    expectFailure(result, 1, dataDir);
    expect(readdirSync(dataDir)).toEqual([]);
  });
});
