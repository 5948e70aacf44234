import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import {
  AS_NOBODY,
  canBeNobody,
  expectFailure,
  FULL_DISK,
  NOBODY,
  runAfterShell,
} from "../../support/program";
import {
  command,
  environment,
  program,
  type Settings,
  TestServer,
  temporaryDirectory,
} from "../../support/server";

const on = (dataDir: string, settings: Settings = {}) => ({
  settings: { "data.dir": dataDir, "server.port": "0", "log.level": "error", ...settings },
});

const USER = ["user", "create", "--username", "abc", "--email", "a@example.org"];
const KEY = ["key", "create", "--name", "k", "--system"];

/** Changes the database of a data directory beside the program. */
function tamper(dataDir: string, sql: string): void {
  const database = new Database(join(dataDir, "fairlead.db"));
  database.run(sql);
  database.close();
}

const mode = (path: string) => (statSync(path).mode & 0o777).toString(8);

describe("a data directory that cannot be written", () => {
  test("ends each command with status 1 and one line that names it", async () => {
    const file = join(temporaryDirectory(), "file");
    writeFileSync(file, "");
    const below = join(file, "data");
    for (const args of [["serve"], ["migrate"], USER, KEY])
      expectFailure(await command(args, on(below)), 1, below, "cannot be written");
    expectFailure(await command(["backup", "copy"], on(below)), 1, below);
    for (const args of [["serve"], USER])
      expectFailure(await command(args, on(file)), 1, `${file} is a file, not a directory`);
  });

  const asNobody = (dataDir: string) => {
    const { stdout, stderr, exitCode } = Bun.spawnSync(
      [...AS_NOBODY, ...program, "serve", "--data-dir", dataDir],
      { cwd: "/", env: environment({ "server.port": "0" }), stdout: "pipe", stderr: "pipe" },
    );
    return { status: exitCode, stdout: stdout.toString(), stderr: stderr.toString() };
  };

  test.skipIf(!canBeNobody)("since it is another user's tells whose", () => {
    const dataDir = temporaryDirectory();
    expectFailure(asNobody(dataDir), 1, dataDir, "EACCES", "run this as its owner (uid 0)");
    expectFailure(asNobody(join(dataDir, "below")), 1, "EACCES", "run this as the server's user");
    chownSync(dataDir, NOBODY, NOBODY);
    chmodSync(dataDir, 0o500);
    expectFailure(asNobody(dataDir), 1, "EACCES", `chmod 700 ${dataDir}`);
    expect(readdirSync(dataDir)).toEqual([]);
  });

  test.skipIf(!canBeNobody)("although it can be looked at tells whose its lock is", () => {
    const dataDir = temporaryDirectory();
    chmodSync(dataDir, 0o755);
    const lock = join(dataDir, "server.lock");
    writeFileSync(lock, "", { mode: 0o600 });
    const refused = asNobody(dataDir);
    expectFailure(refused, 1, `the lock ${lock} cannot be taken`, "run this as its owner (uid 0)");
  });
});

describe("a lock, a key or a database that is a directory", () => {
  test("ends the start with status 1 and one line that names it", async () => {
    for (const name of ["server.lock", "master.key", "fairlead.db"]) {
      const path = join(temporaryDirectory(), name);
      mkdirSync(path);
      const { stderr, ...result } = await command(["serve"], on(dirname(path)));
      expectFailure({ stderr, ...result }, 1, path);
      expect(stderr).not.toContain("unexpected");
      expect(readdirSync(path)).toEqual([]);
    }
  });
});

describe("a disk that takes no more", () => {
  test("ends each command with status 1 and one line that names the directory", async () => {
    for (const args of [["serve"], ["migrate"], USER, KEY]) {
      const dataDir = temporaryDirectory();
      const { stderr, ...result } = await runAfterShell(FULL_DISK, args, on(dataDir).settings);
      expectFailure({ stderr, ...result }, 1, dataDir);
      expect(stderr).not.toMatch(/unexpected|query/);
    }
  });
});

describe("a database that cannot be used", () => {
  test("since it was written by a newer version, ends each command with status 1 and stays as it was", async () => {
    const dataDir = temporaryDirectory();
    await command(["migrate"], on(dataDir));
    tamper(dataDir, "INSERT INTO __migrations VALUES ('9999_from_the_future', 'x', 0)");
    const before = readFileSync(join(dataDir, "fairlead.db"));
    for (const args of [["serve"], ["migrate"], USER, KEY])
      expectFailure(await command(args, on(dataDir)), 1, "newer version", "9999_from_the_future");
    expect(readFileSync(join(dataDir, "fairlead.db"))).toEqual(before);
  });

  test("since it is no database, ends each command with status 1 and stays as it was", async () => {
    const dataDir = temporaryDirectory();
    const file = join(dataDir, "fairlead.db");
    const noise = "this is no database ".repeat(500);
    writeFileSync(file, noise);
    for (const args of [["serve"], ["migrate"], USER])
      expectFailure(await command(args, on(dataDir)), 1, file, "restore a backup (fairlead restore FILE)");
    expectFailure(await command(["backup", join(dataDir, "copy")], on(dataDir)), 1, "backup");
    expect(readFileSync(file, "utf8")).toBe(noise);
    expect(readdirSync(dataDir)).not.toContain("copy");
  });

  test("since it is cut off, ends each command with status 1 and tells to restore a backup", async () => {
    const dataDir = temporaryDirectory();
    const file = join(dataDir, "fairlead.db");
    await command(["migrate"], on(dataDir));
    const cut = readFileSync(file).subarray(0, 40_960);
    writeFileSync(file, cut);
    for (const args of [["serve"], USER])
      expectFailure(
        await command(args, on(dataDir)),
        1,
        "malformed",
        "restore a backup (fairlead restore FILE)",
      );
    expect(readFileSync(file)).toEqual(cut);
  });
});

describe("an address that is not this machine's", () => {
  test("ends the start with status 1 and a line that names the option", async () => {
    // 192.0.2.0/24 is assigned to nobody (RFC 5737).
    const elsewhere = on(temporaryDirectory(), { "server.host": "192.0.2.1", "server.port": "3000" });
    expectFailure(
      await command(["serve"], elsewhere),
      1,
      "cannot listen on 192.0.2.1:3000",
      "set server.host (--host ADDRESS, FAIRLEAD_SERVER_HOST) to an address of this machine",
    );
  });
});

describe("beside a running server", () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await TestServer.start();
  });
  afterAll(() => server.stop());

  const isWell = async () => (await server.get("/health")).status === 200;

  test("a second one on the same data directory ends with status 1, and the first goes on", async () => {
    expectFailure(await command(["serve"], on(server.dataDir)), 1, server.dataDir, "another");
    expect(await isWell()).toBe(true);
  });

  test("a second one on the same port ends with status 1 and a line that names the option", async () => {
    const { port } = new URL(server.url);
    const dataDir = temporaryDirectory();
    const onSamePort = on(dataDir, { "server.port": port });
    expectFailure(await command(["serve"], onSamePort), 1, `:${port}`, "server.port");
    expect(await isWell()).toBe(true);
    // Its directory is free again.
    const other = await TestServer.start({ dataDir });
    expect(await other.stop()).toBe(0);
  });

  test("migrate with nothing to apply is no error, and one that would change the schema is refused", async () => {
    const { status, stdout } = await command(["migrate"], on(server.dataDir));
    expect({ status, stdout }).toEqual({ status: 0, stdout: "The database is up to date\n" });
    tamper(server.dataDir, "CREATE TABLE kept AS SELECT * FROM __migrations");
    tamper(server.dataDir, "DELETE FROM __migrations WHERE tag = (SELECT max(tag) FROM __migrations)");
    for (const args of [["migrate"], USER])
      expectFailure(await command(args, on(server.dataDir)), 1, "stop it");
    tamper(server.dataDir, "INSERT OR IGNORE INTO __migrations SELECT * FROM kept");
    expect(await isWell()).toBe(true);
  });
});

describe("migrate", () => {
  test("makes the database, names what it applied, and has nothing to do the second time", async () => {
    const dataDir = join(temporaryDirectory(), "new");
    const first = await command(["migrate"], on(dataDir));
    expect(first).toEqual({
      status: 0,
      stderr: "",
      stdout: expect.stringMatching(/^Applied 0000_init\b.*\n$/),
    });
    const before = readFileSync(join(dataDir, "fairlead.db"));
    const second = await command(["migrate"], on(dataDir));
    expect(second).toEqual({ status: 0, stderr: "", stdout: "The database is up to date\n" });
    expect(readFileSync(join(dataDir, "fairlead.db"))).toEqual(before);
  });
});

describe("the files of a data directory", () => {
  test("are the operator's alone", async () => {
    const dataDir = join(temporaryDirectory(), "new");
    const server = await TestServer.start({ dataDir });
    try {
      expect(mode(dataDir)).toBe("700");
      for (const file of readdirSync(dataDir))
        expect([file, mode(join(dataDir, file))]).toEqual([file, "600"]);
      const copy = join(temporaryDirectory(), "copy.db");
      await command(["backup", copy], on(dataDir));
      expect(mode(copy)).toBe("600");
    } finally {
      await server.stop();
    }
  });
});

describe("master.key", () => {
  test("is made at the first start, 32 bytes in base64 with mode 0600, and kept", async () => {
    const dataDir = temporaryDirectory();
    const file = join(dataDir, "master.key");
    await (await TestServer.start({ dataDir })).stop();
    const key = readFileSync(file, "utf8");
    expect(Buffer.from(key, "base64")).toHaveLength(32);
    expect(mode(file)).toBe("600");
    await (await TestServer.start({ dataDir })).stop();
    expect(readFileSync(file, "utf8")).toBe(key);
    const other = temporaryDirectory();
    await (await TestServer.start({ dataDir: other })).stop();
    expect(readFileSync(join(other, "master.key"), "utf8")).not.toBe(key);
  });

  test.each(["master.key", "master.key.old"])(
    "as %s without a key of 32 bytes stops the start with status 2, and all is left alone",
    async (name) => {
      const dataDir = temporaryDirectory();
      const file = join(dataDir, name);
      for (const wrong of ["", "c2hvcnQ=\n", "x".repeat(100)]) {
        writeFileSync(file, wrong);
        expectFailure(await command(["serve"], on(dataDir)), 2, `${file} does not contain a key of 32 bytes`);
        expect(readFileSync(file, "utf8")).toBe(wrong);
        expect(readdirSync(dataDir)).toEqual([name]);
      }
    },
  );

  test("is not made when security.encryption_key is set", async () => {
    const dataDir = temporaryDirectory();
    const settings = { "security.encryption_key": Buffer.alloc(32, 1).toString("base64") };
    await (await TestServer.start({ dataDir, settings })).stop();
    expect(existsSync(join(dataDir, "master.key"))).toBe(false);
  });
});
