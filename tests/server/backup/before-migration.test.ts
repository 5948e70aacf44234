import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";
import manifest from "../../../package.json" with { type: "json" };
import { canMount, inNamespace } from "../../support/namespace";
import {
  ask,
  change,
  manyUsers,
  NEWEST,
  olderDatabase,
  olderDirectory,
  PENDING,
  schemaOf,
  someUser,
} from "../../support/older-database";
import { expectFailure } from "../../support/program";
import {
  command,
  environment,
  program,
  type Settings,
  TestServer,
  temporaryDirectory,
} from "../../support/server";

const { version } = manifest;
const run = (args: string[], dataDir: string, settings: Settings = {}) =>
  command(args, { settings: { "data.dir": dataDir, "server.port": "0", "log.level": "info", ...settings } });

const database = (dataDir: string) => join(dataDir, "fairlead.db");
const backups = (dataDir: string) => join(dataDir, "backups");
const namesIn = (directory: string) => (existsSync(directory) ? readdirSync(directory).sort() : []);

/** The only copy in a directory. */
function copyIn(directory: string): string {
  const [name = "", ...others] = namesIn(directory);
  expect(others).toEqual([]);
  expect(name).toMatch(new RegExp(`^before-${version.replaceAll(".", "\\.")}-\\d{8}T\\d{6}Z\\.db$`));
  return join(directory, name);
}

/**
 * Runs shell commands one after the other, `fairlead` among them, on a disk of its own that has so many KiB beside the database of
 * a data directory. Returns what each printed, and the names that are there in the end.
 */
function onSmallDisk(
  dataDir: string,
  free: number,
  commands: string[],
): { outputs: string[]; names: string[] } {
  const copy = join(temporaryDirectory(), "fairlead.db");
  const size = Math.ceil(statSync(database(dataDir)).size / 4_096) * 4 + free;
  const mounted = `cp "$0/fairlead.db" ${copy} && mount -t tmpfs -o size=${size}k,mode=700 none "$0" && cp ${copy} "$0"`;
  const lines = commands.map((line) => line.replace(/^fairlead (.*)$/, '"$@" $1 --data-dir "$0" 2>&1'));
  const script = [...lines, 'ls "$0"'].join("\necho ---\n");
  const { stdout } = Bun.spawnSync(
    [...inNamespace(mounted, dataDir), "sh", "-c", script, dataDir, ...program],
    { env: environment({ "server.port": "0", "log.level": "error" }), stdout: "pipe", stderr: "inherit" },
  );
  const parts = stdout.toString().split("---\n");
  return { outputs: parts.slice(0, -1), names: (parts.at(-1) ?? "").trim().split("\n") };
}

/** Statements for a database that can be copied, and whose next migration fails. */
const UNWILLING = [
  someUser("anna"),
  "CREATE TRIGGER unwilling BEFORE INSERT ON __migrations BEGIN SELECT RAISE(ABORT, 'unwilling'); END",
];

describe("before a database that holds data is migrated", () => {
  test("migrate copies it as it was, and names the copy", async () => {
    const dataDir = olderDirectory();
    const { status, stdout, stderr } = await run(["migrate"], dataDir);
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    const copy = copyIn(backups(dataDir));
    expect(stdout).toMatch(
      /^Copied the database to .* \(\d+\.\d MB\) and checked the copy\.\nApplied [^\n]+\n$/,
    );
    expect(stdout).toContain(copy);
    expect(schemaOf(copy)).not.toBe(NEWEST);
    expect(schemaOf(database(dataDir))).toBe(NEWEST);
    expect(ask(copy, "SELECT id FROM users")).toEqual(["anna"]);
    expect(ask(copy, "SELECT name FROM sqlite_schema WHERE name = '__program'")).toEqual([]);
    expect((statSync(copy).mode & 0o777).toString(8)).toBe("600");
    expect(await run(["migrate"], dataDir)).toMatchObject({ stdout: "The database is up to date\n" });
    copyIn(backups(dataDir));
  });

  test("serve copies it to backup.dir, and logs that; the last three are kept beside the scheduled ones", async () => {
    const dataDir = olderDirectory();
    const directory = temporaryDirectory();
    const before = (day: number) => `before-0.0.${day}-2026050${day}T000000Z.db`;
    const scheduled = "fairlead-20260101T000000Z.db";
    for (const name of [before(1), before(2), before(3), scheduled, "mine.db"])
      writeFileSync(join(directory, name), name);
    // Left by a start that was killed.
    writeFileSync(join(directory, `before-${version}-20260504T000000Z.db.1.fairlead.partial`), "half");
    const settings = { "backup.dir": directory, "backup.keep": "1", "log.level": "info" };
    const server = await TestServer.start({ dataDir, settings });
    await server.stop();
    const made = namesIn(directory).filter((name) => name.startsWith(`before-${version}-`));
    expect(namesIn(directory)).toEqual([...made, before(2), before(3), scheduled, "mine.db"].sort());
    expect(made).toHaveLength(1);
    expect(server.output).toContain("the database is copied before its migration");
    expect(server.output).toContain(join(directory, made[0] ?? ""));
    expect(ask(join(directory, made[0] ?? ""), "SELECT id FROM users")).toEqual(["anna"]);
    // A second start has nothing to migrate.
    await (await TestServer.start({ dataDir, settings })).stop();
    expect(namesIn(directory)).toHaveLength(5);
    expect(ask(database(dataDir), "SELECT value FROM __program WHERE name = 'version'")).toEqual([version]);
  });

  test("no copy is made of one without data, nor with --no-backup", async () => {
    const empty = olderDirectory("SELECT 1");
    expect((await run(["migrate"], empty)).stdout).toBe(`Applied ${PENDING}\n`);
    expect(existsSync(backups(empty))).toBe(false);
    const fresh = join(temporaryDirectory(), "fresh");
    expect((await run(["migrate"], fresh)).status).toBe(0);
    expect(existsSync(backups(fresh))).toBe(false);
    const full = olderDirectory();
    expect((await run(["migrate", "--no-backup"], full)).stdout).toBe(`Applied ${PENDING}\n`);
    expect(existsSync(backups(full))).toBe(false);
    expect(schemaOf(database(full))).toBe(NEWEST);
  });

  test.skipIf(!canMount)("a start without room for the copy ends, and says how much is missing", async () => {
    const dataDir = olderDirectory(someUser("anna"), manyUsers(10_000));
    const directory = temporaryDirectory();
    const small = `mount -t tmpfs -o size=1m,mode=700 none "$0"`;
    const start = (...args: string[]) => {
      const { stdout, stderr, exitCode } = Bun.spawnSync(
        [...inNamespace(small, directory), ...program, ...args, "--data-dir", dataDir],
        {
          env: environment({ "backup.dir": directory, "server.port": "0" }),
          stdout: "pipe",
          stderr: "pipe",
        },
      );
      return { status: exitCode, stdout: stdout.toString(), stderr: stderr.toString() };
    };
    const before = namesIn(dataDir);
    const size = statSync(database(dataDir)).size;
    for (const args of [["serve"], ["migrate"]]) {
      const result = start(...args);
      expectFailure(result, 1, directory, "--no-backup", /\d+\.\d MB too little/);
      const [needed = 0, free = 0, missing = 0] = [...result.stderr.matchAll(/(\d+\.\d) MB/g)].map(
        ([, megabytes]) => Number(megabytes),
      );
      expect(needed).toBeCloseTo(size / 1_000_000, 0);
      expect(missing).toBeCloseTo(needed - free, 0);
      expect(schemaOf(database(dataDir))).not.toBe(NEWEST);
      expect(namesIn(dataDir)).toEqual(before);
    }
    expect(start("migrate", "--no-backup")).toMatchObject({ status: 0, stdout: `Applied ${PENDING}\n` });
  });

  test("a backup.dir that is not there, or takes no copy, ends the start, which changes nothing", async () => {
    const dataDir = olderDirectory();
    const before = namesIn(dataDir);
    const absent = join(temporaryDirectory(), "not", "mounted");
    for (const args of [["serve"], ["migrate"]]) {
      expectFailure(await run(args, dataDir, { "backup.dir": absent }), 1, absent, "--no-backup");
      expect(existsSync(absent)).toBe(false);
      expect(namesIn(dataDir)).toEqual(before);
    }
    const file = join(temporaryDirectory(), "file");
    writeFileSync(file, "");
    expectFailure(await run(["migrate"], dataDir, { "backup.dir": file }), 1, file);
    expect(namesIn(dataDir)).toEqual(before);
    expect(schemaOf(database(dataDir))).not.toBe(NEWEST);
  });

  test.each([
    ["a file", (path: string) => writeFileSync(path, "")],
    ["a link to nowhere", (path: string) => symlinkSync("/nowhere/at/all", path)],
  ])(
    "a backups that is %s ends the start with its name, and rollback finds no copy there",
    async (_, make) => {
      const dataDir = olderDirectory();
      make(backups(dataDir));
      const before = namesIn(dataDir);
      for (const args of [["serve"], ["migrate"]]) {
        const refused = await run(args, dataDir);
        expectFailure(refused, 1, `${backups(dataDir)}, where the copy is made`, "--no-backup");
        expect(refused.stderr).not.toContain("unexpected");
        expect(namesIn(dataDir)).toEqual(before);
      }
      expectFailure(await run(["rollback"], dataDir), 1, "no copy from before a migration", backups(dataDir));
      expect((await run(["migrate", "--no-backup"], dataDir)).status).toBe(0);
    },
  );

  test.skipIf(!canMount)(
    "a disk without room for the migration is left as it was, and told how much is missing",
    () => {
      const dataDir = olderDirectory();
      const { outputs, names } = onSmallDisk(dataDir, 1_300, [
        "fairlead migrate",
        "fairlead serve",
        "fairlead migrate --no-backup",
      ]);
      const missing =
        /^fairlead: (.*) may need \d+\.\d MB, but (\S+) has only 1\.\d MB free \(\d+\.\d MB too little\); free some space/;
      expect(outputs.map((output) => missing.exec(output)?.slice(1))).toEqual([
        ["the migration and the copy that is made before it", dataDir],
        ["the migration and the copy that is made before it", dataDir],
        ["the migration", dataDir],
      ]);
      for (const output of outputs) expect(output.trimEnd().split("\n")).toHaveLength(1);
      expect(names).not.toContain("backups");
      expect(names.filter((name) => name !== "server.lock")).toEqual(["fairlead.db"]);
    },
  );

  test.skipIf(!canMount)("nor is one of which all is taken, not even by a lock", () => {
    const dataDir = olderDirectory();
    // Opening the database takes 32 KiB: the shared memory of its log.
    const { outputs, names } = onSmallDisk(dataDir, 32, ["fairlead migrate --no-backup"]);
    expect(outputs[0]).toMatch(/^fairlead: the migration may need [^\n]* 0\.0 MB free [^\n]*\n$/);
    expect(names).toEqual(["fairlead.db"]);
  });

  test("a copy whose migration then fails is not kept: nothing has changed, and older copies stay", async () => {
    const dataDir = olderDirectory(...UNWILLING);
    mkdirSync(backups(dataDir));
    const older = [1, 2, 3].map((day) => `before-0.0.${day}-2026050${day}T000000Z.db`);
    for (const name of older) writeFileSync(join(backups(dataDir), name), name);
    for (let start = 0; start < 4; start++)
      expectFailure(await run(["serve"], dataDir, { "log.level": "error" }), 1, "unwilling");
    expect(namesIn(backups(dataDir))).toEqual(older);
    expect(namesIn(dataDir)).toEqual(["backups", "fairlead.db"]);
    rmSync(backups(dataDir), { recursive: true });
    expectFailure(await run(["migrate"], dataDir), 1, "unwilling");
    expect(namesIn(dataDir)).toEqual(["fairlead.db"]);
  });

  test("a damaged one is not migrated, since it can't be copied", async () => {
    const dataDir = olderDirectory(
      "PRAGMA foreign_keys = OFF",
      "INSERT INTO backup_codes (user_id, code_hash) VALUES ('nobody', 'x')",
    );
    expectFailure(await run(["migrate"], dataDir), 1, "broken references", "--no-backup");
    expect(namesIn(dataDir)).toEqual(["fairlead.db"]);
    expect(schemaOf(database(dataDir))).not.toBe(NEWEST);
  });

  test("killed at any moment, there is no half copy under a name of one, and the next start goes on", async () => {
    const make = () => olderDirectory(someUser("anna"), manyUsers(10_000));
    const measured = make();
    const started = performance.now();
    expect((await run(["migrate"], measured)).status).toBe(0);
    const whole = performance.now() - started;
    for (let kill = 0; kill < 5; kill++) {
      const dataDir = make();
      const child = Bun.spawn([...program, "migrate", "--data-dir", dataDir], {
        env: environment({}),
        stdio: ["ignore", "ignore", "ignore"],
      });
      await Bun.sleep(whole * (0.3 + 0.13 * kill));
      child.kill("SIGKILL");
      await child.exited;
      for (const name of namesIn(backups(dataDir)).filter((name) => name.endsWith(".db"))) {
        const copy = join(backups(dataDir), name);
        expect(ask(copy, "PRAGMA integrity_check")).toEqual(["ok"]);
        expect(ask(copy, "SELECT count(*) FROM users")).toEqual([10_001]);
        expect(schemaOf(copy)).not.toBe(NEWEST);
      }
      expect((await run(["migrate"], dataDir)).status).toBe(0);
      expect(schemaOf(database(dataDir))).toBe(NEWEST);
      expect(namesIn(backups(dataDir)).length).toBeGreaterThan(0);
      expect(namesIn(backups(dataDir)).filter((name) => !name.endsWith("Z.db"))).toEqual([]);
    }
  });
});

/** A statement after which the last of several migrations fails. */
const UNWILLING_AT_LAST = `CREATE TRIGGER unwilling BEFORE INSERT ON __migrations WHEN new.tag = '${NEWEST}'
  BEGIN SELECT RAISE(ABORT, 'unwilling'); END`;

describe("an upgrade that is cut off between two of its migrations", () => {
  test("keeps its copy, and rollback puts the former version's database back once it is done", async () => {
    const dataDir = olderDirectory(someUser("anna"), UNWILLING_AT_LAST);
    const released = schemaOf(database(dataDir));
    for (let start = 0; start < 4; start++)
      expectFailure(await run(["serve"], dataDir, { "log.level": "error" }), 1, "unwilling");
    expect(schemaOf(database(dataDir))).not.toBe(released);
    const copy = copyIn(backups(dataDir));
    change(database(dataDir), "DROP TRIGGER unwilling");
    expect(await run(["migrate"], dataDir)).toMatchObject({ status: 0, stdout: `Applied ${NEWEST}\n` });
    expect(copyIn(backups(dataDir))).toBe(copy);
    expect((await run(["rollback"], dataDir)).stdout).toContain("It belongs to version 0.1.0");
    expect(schemaOf(database(dataDir))).toBe(released);
  });

  test.skipIf(!canMount)("by a full disk says so, and goes on or back once there is room", () => {
    const dataDir = olderDirectory(
      someUser("anna"),
      "CREATE TABLE hoard (bytes BLOB)",
      `CREATE TRIGGER greedy BEFORE INSERT ON __migrations WHEN new.tag = '${NEWEST}'
       BEGIN INSERT INTO hoard VALUES (zeroblob(30000000)); END`,
    );
    const { outputs } = onSmallDisk(dataDir, 16_000, [
      'head -c 4000000 /dev/zero > "$0/others"',
      "fairlead migrate",
      "fairlead rollback",
      "fairlead migrate",
      'rm "$0/others"',
      "fairlead rollback",
      "fairlead migrate",
      'mount -o remount,size=100m "$0"',
      "fairlead migrate",
    ]);
    const [, stopped, kept, unmoved, , back, again, , done] = outputs;
    const full = `the disk of ${dataDir} is full; free some space, then run this again`;
    expect(stopped).toBe(`fairlead: the migration is not done, since ${full}, which goes on where it was\n`);
    for (const output of [kept, unmoved]) expect(output).toMatch(/^fairlead: [^\n]*free some space[^\n]*\n$/);
    expect(back).toContain("It belongs to version 0.1.0");
    expect(again).toBe(stopped as string);
    expect(done).toBe(`Applied ${NEWEST}\n`);
  });

  test("is copied anew if the copy is gone", async () => {
    const dataDir = olderDirectory(someUser("anna"), UNWILLING_AT_LAST);
    expectFailure(await run(["migrate"], dataDir), 1, "unwilling");
    rmSync(copyIn(backups(dataDir)));
    change(database(dataDir), "DROP TRIGGER unwilling");
    expect((await run(["migrate"], dataDir)).status).toBe(0);
    expect(ask(copyIn(backups(dataDir)), "SELECT id FROM users")).toEqual(["anna"]);
  });

  test("leaves one copy, however often a start is killed before its first migration", async () => {
    const dataDir = olderDirectory(someUser("anna"));
    mkdirSync(backups(dataDir));
    const left = `before-${version}-20260504T000000Z.db`;
    writeFileSync(join(backups(dataDir), left), "left by a start that was killed before its first migration");
    change(
      database(dataDir),
      "CREATE TABLE __program (name TEXT PRIMARY KEY, value TEXT NOT NULL, recorded_at INTEGER NOT NULL) STRICT",
      `INSERT INTO __program VALUES ('upgrade', '${schemaOf(database(dataDir))} ${left}', 0)`,
    );
    expect((await run(["migrate"], dataDir)).status).toBe(0);
    expect(copyIn(backups(dataDir))).not.toEndWith(left);
    expect(ask(database(dataDir), "SELECT name FROM __program")).toEqual(["version"]);
  });
});

describe("rollback", () => {
  test("puts the newest copy back, keeps the database, and says which version opens it", async () => {
    const dataDir = olderDirectory();
    await run(["migrate"], dataDir);
    const copy = copyIn(backups(dataDir));
    // Ordered by its name, since a copy or a restore from tape changes the file's time.
    writeFileSync(join(backups(dataDir), "before-0.0.1-20200101T000000Z.db"), "older");
    writeFileSync(join(backups(dataDir), "fairlead-20990101T000000Z.db"), "scheduled");
    change(database(dataDir), someUser("berta"));
    const { status, stdout, stderr } = await run(["rollback"], dataDir);
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    const former = readdirSync(dataDir).find((name) => name.startsWith("fairlead-before-restore-")) ?? "";
    expect(stdout).toContain(`Restored ${copy} (`);
    expect(stdout).toContain(former);
    expect(stdout).toMatch(/^It belongs to version 0\.1\.0: install and start that version\.$/m);
    expect(stdout).toMatch(
      new RegExp(
        `^Started again, this version \\(${version}\\) would make another copy and migrate it again \\(${PENDING}\\)`,
        "m",
      ),
    );
    expect(schemaOf(database(dataDir))).not.toBe(NEWEST);
    expect(ask(database(dataDir), "SELECT id FROM users")).toEqual(["anna"]);
    expect(ask(join(dataDir, former), "SELECT id FROM users ORDER BY id")).toEqual(["anna", "berta"]);
    expect(existsSync(copy)).toBe(true);
    // The next migration makes one more copy.
    expect((await run(["migrate"], dataDir)).status).toBe(0);
    expect(namesIn(backups(dataDir)).filter((name) => name.startsWith(`before-${version}`))).toHaveLength(2);
  });

  test("is refused for a database that this version never migrated: the newest copy is of another upgrade", async () => {
    const dataDir = olderDirectory(...UNWILLING);
    mkdirSync(backups(dataDir));
    olderDatabase(join(backups(dataDir), "before-0.0.1-20200101T000000Z.db"), someUser("long_ago"));
    expectFailure(await run(["migrate"], dataDir), 1, "unwilling");
    expectFailure(
      await run(["rollback"], dataDir),
      1,
      "has not migrated",
      "20200101T000000Z",
      "fairlead restore",
    );
    expect(ask(database(dataDir), "SELECT id FROM users")).toEqual(["anna"]);
    expect(namesIn(dataDir)).toEqual(["backups", "fairlead.db"]);
  });

  test("is refused where the newest copy is from the upgrade to another version, after which this one migrated nothing", async () => {
    const dataDir = olderDirectory();
    await run(["migrate"], dataDir);
    const other = join(backups(dataDir), "before-0.0.9-20260501T000000Z.db");
    renameSync(copyIn(backups(dataDir)), other);
    change(database(dataDir), someUser("berta"));
    const refused = await run(["rollback"], dataDir);
    expectFailure(refused, 1, other, "0.0.9", `fairlead restore`);
    expect(schemaOf(database(dataDir))).toBe(NEWEST);
    expect(ask(database(dataDir), "SELECT id FROM users ORDER BY id")).toEqual(["anna", "berta"]);
    // One that the other version was killed in is not done.
    change(database(dataDir), "DELETE FROM __migrations WHERE tag = (SELECT max(tag) FROM __migrations)");
    change(database(dataDir), `INSERT INTO __program VALUES ('upgrade', '0001_x ${basename(other)}', 0)`);
    expect(await run(["rollback"], dataDir)).toMatchObject({ status: 0, stderr: "" });
    expect(ask(database(dataDir), "SELECT id FROM users")).toEqual(["anna"]);
  });

  test("is refused for a database of a newer version, unless the newest copy is that of its upgrade, which is not done", async () => {
    const dataDir = olderDirectory();
    await run(["migrate"], dataDir);
    const copy = copyIn(backups(dataDir));
    // As that version leaves it with --no-backup.
    change(
      database(dataDir),
      "INSERT INTO __migrations SELECT '9999_future', hash, 0 FROM __migrations LIMIT 1",
    );
    expectFailure(
      await run(["rollback"], dataDir),
      1,
      "newer version",
      "9999_future",
      copy,
      "fairlead restore",
    );
    expect(schemaOf(database(dataDir))).toBe("9999_future");
    change(database(dataDir), `INSERT INTO __program VALUES ('upgrade', '${NEWEST} ${basename(copy)}', 0)`);
    expect(await run(["rollback"], dataDir)).toMatchObject({ status: 0, stderr: "" });
    expect(ask(database(dataDir), "SELECT id FROM users")).toEqual(["anna"]);
  });

  test.each([
    ["goes back in the midst of an upgrade", (_: string) => {}],
    ["replaces a damaged database", (file: string) => writeFileSync(file, "damaged")],
    ["replaces an empty database", (file: string) => writeFileSync(file, "")],
    ["replaces one that is cut off", (file: string) => truncateSync(file, statSync(file).size / 2)],
  ])("%s", async (_, befall) => {
    const dataDir = olderDirectory(someUser("anna"), UNWILLING_AT_LAST);
    const released = schemaOf(database(dataDir));
    expectFailure(await run(["migrate"], dataDir), 1, "unwilling");
    befall(database(dataDir));
    expect(await run(["rollback"], dataDir)).toMatchObject({ status: 0, stderr: "" });
    expect(schemaOf(database(dataDir))).toBe(released);
    expect(ask(database(dataDir), "SELECT id FROM users")).toEqual(["anna"]);
  });

  test("is refused while another process keeps the database to itself, which may be of any version", async () => {
    const dataDir = olderDirectory();
    await run(["migrate"], dataDir);
    renameSync(copyIn(backups(dataDir)), join(backups(dataDir), "before-0.0.9-20260501T000000Z.db"));
    const other = new Database(database(dataDir));
    other.run("PRAGMA locking_mode = EXCLUSIVE");
    other.run("BEGIN EXCLUSIVE");
    expectFailure(await run(["rollback"], dataDir), 1, "another process", database(dataDir), "stop it first");
    other.close();
  });

  test("names the version that the database tells of, and works with backup.dir", async () => {
    const dataDir = olderDirectory(
      someUser("anna"),
      "CREATE TABLE __program (name TEXT PRIMARY KEY, value TEXT NOT NULL, recorded_at INTEGER NOT NULL) STRICT",
      "INSERT INTO __program VALUES ('version', '0.1.7', 0)",
    );
    const settings = { "backup.dir": temporaryDirectory() };
    await run(["migrate"], dataDir, settings);
    expect(ask(database(dataDir), "SELECT value FROM __program")).toEqual([version]);
    const { status, stdout } = await run(["rollback"], dataDir, settings);
    expect(status).toBe(0);
    expect(stdout).toContain("It belongs to version 0.1.7: install and start that version.");
  });

  test("is refused without such a copy, of a damaged one and while a server runs, and changes nothing", async () => {
    const nowhere = join(temporaryDirectory(), "mistyped");
    expectFailure(await run(["rollback"], nowhere), 1, nowhere);
    expect(existsSync(nowhere)).toBe(false);
    const without = olderDirectory();
    expectFailure(await run(["rollback"], without), 1, "no copy from before a migration", backups(without));
    expect(namesIn(without)).toEqual(["fairlead.db"]);

    const dataDir = olderDirectory();
    const server = await TestServer.start({ dataDir });
    try {
      expectFailure(await run(["rollback"], dataDir), 1, "another Fairlead process is using");
      expect(schemaOf(database(dataDir))).toBe(NEWEST);
    } finally {
      await server.stop();
    }
    const copy = copyIn(backups(dataDir));
    writeFileSync(copy, readFileSync(copy).subarray(0, 20_000));
    const before = namesIn(dataDir);
    expectFailure(await run(["rollback"], dataDir), 1, `${copy} is damaged`, "nothing was changed");
    expect(namesIn(dataDir)).toEqual(before);
    expect(schemaOf(database(dataDir))).toBe(NEWEST);
    expectFailure(await run(["rollback", "now"], dataDir), 2, "rollback");
  });

  test("killed at any moment, it leaves the former database or the one from before", async () => {
    const dataDir = olderDirectory(someUser("anna"), manyUsers(20_000));
    const upgraded = readFileSync(database(dataDir));
    await run(["migrate"], dataDir);
    const started = performance.now();
    expect((await run(["rollback"], dataDir)).status).toBe(0);
    const whole = performance.now() - started;
    for (let kill = 0; kill < 4; kill++) {
      writeFileSync(database(dataDir), upgraded);
      await run(["migrate", "--no-backup"], dataDir);
      const child = Bun.spawn([...program, "rollback", "--data-dir", dataDir], {
        env: environment({}),
        stdio: ["ignore", "ignore", "ignore"],
      });
      await Bun.sleep(whole * (0.4 + 0.15 * kill));
      child.kill("SIGKILL");
      await child.exited;
      expect(ask(database(dataDir), "PRAGMA integrity_check")).toEqual(["ok"]);
      expect(ask(database(dataDir), "SELECT count(*) FROM users")).toEqual([20_001]);
    }
  });
});
