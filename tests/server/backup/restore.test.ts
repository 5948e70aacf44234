import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  chownSync,
  copyFileSync,
  existsSync,
  linkSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { loadConfig } from "../../../src/configuration/config";
import { migrations } from "../../../src/kernel/db/migrations.gen";
import { OperatorError } from "../../../src/kernel/process/operator";
import { type Restored, restoreBackup } from "../../../src/server/backup/restore";
import { leaveCutShort } from "../../support/cut-short";
import { expectFailure, FULL_DISK, runAfterShell } from "../../support/program";
import {
  command,
  environment,
  program,
  type Settings,
  TestServer,
  temporaryDirectory,
} from "../../support/server";
import { postPoint } from "../../tracking/support";

const restore = (file: string, dataDir: string, settings: Settings = {}) =>
  command(["restore", file], { settings: { "data.dir": dataDir, ...settings } });

/** The same in the test's own process, where a separate one would add nothing. */
function restoreHere(backup: string, directory: string): Restored {
  loadConfig({ dataDir: directory, environment: {} });
  return restoreBackup(backup);
}

/** Every file of a directory with its content. */
const contentOf = (directory: string) =>
  Object.fromEntries(
    readdirSync(directory).map((name) => [name, readFileSync(join(directory, name), "base64")]),
  );

const formerOf = (dataDir: string) =>
  readdirSync(dataDir).filter((name) => name.startsWith("fairlead-before-restore-"));

function change(file: string, ...statements: string[]): void {
  const database = new Database(file);
  database.run("PRAGMA foreign_keys = OFF");
  for (const statement of statements) database.run(statement);
  database.close();
}

const pointsIn = (file: string): string[] => {
  const database = new Database(file, { readonly: true });
  try {
    return database
      .query<{ id: string }, []>("SELECT id FROM gps_points ORDER BY rowid")
      .all()
      .map(({ id }) => id);
  } finally {
    database.close();
  }
};

/**
 * A stopped server's data directory, with a two-factor secret, and a backup made between two of its points.
 */
let dataDir: string;
let file: string;
let points: [before: string, after: string];

beforeAll(async () => {
  const server = await TestServer.start();
  dataDir = server.dataDir;
  file = join(temporaryDirectory(), "backup.db");
  await server.post("/v1/users/me/2fa/setup", { token: await server.admin() });
  const before = (await postPoint(server, server.systemKey)).id;
  expect((await command(["backup", file], { settings: { "data.dir": dataDir } })).status).toBe(0);
  points = [before, (await postPoint(server, server.systemKey)).id];
  expectFailure(await restore(file, dataDir), 1, "another Fairlead process is using", dataDir);
  // Killed: the latest acknowledged writes are only in the log beside the database.
  await server.stop("SIGKILL");
});

describe("restore", () => {
  test("puts the backup in place, and keeps the former database with all that was acknowledged", async () => {
    expect(existsSync(join(dataDir, "fairlead.db-wal"))).toBe(true);
    writeFileSync(join(dataDir, "fairlead.db.1.partial"), "left by one that was killed");
    const before = readFileSync(file);
    const { status, stdout, stderr } = await restore(file, dataDir);
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    const [former = ""] = formerOf(dataDir);
    expect(former).toMatch(/^fairlead-before-restore-\d{8}T\d{6}Z\.db$/);
    for (const part of [file, former, "You can start the server now"]) expect(stdout).toContain(part);
    expect(stdout).not.toContain("Warning");
    expect(readdirSync(dataDir).sort()).toEqual(
      ["fairlead.db", former, "master.key", "outbox", "server.lock"]
        .filter((name) => existsSync(join(dataDir, name)))
        .sort(),
    );
    expect(pointsIn(join(dataDir, former))).toEqual(points);
    for (const name of ["fairlead.db", former])
      expect((statSync(join(dataDir, name)).mode & 0o777).toString(8)).toBe("600");
    expect(readFileSync(file)).toEqual(before);

    const server = await TestServer.start({ dataDir });
    const stored = (await server.get("/v1/gps", { token: server.systemKey })).body.data;
    expect(stored.map(({ id }: { id: string }) => id)).toEqual([points[0]]);
    expect(await server.stop()).toBe(0);
  });

  test("keeps the former database of each of several within a second", async () => {
    const where = temporaryDirectory();
    const database = join(where, "fairlead.db");
    for (let n = 0; n < 4; n++) expect(await restore(file, where)).toMatchObject({ status: 0, stderr: "" });
    // Names of the seconds to come are taken, as after a clock that was set back.
    const former = () => formerOf(where);
    for (let ahead = -1; ahead < 20; ahead++) {
      const time = new Date(Date.now() + ahead * 1_000).toISOString().replaceAll(/[-:]|\.\d+/g, "");
      const taken = join(where, `fairlead-before-restore-${time}.db`);
      if (!existsSync(taken)) writeFileSync(taken, "taken");
    }
    const taken = former().length;
    const inode = statSync(database).ino;
    expect(await restore(file, where)).toMatchObject({ status: 0, stderr: "" });
    expect(former()).toHaveLength(taken + 1);
    expect(former().some((name) => statSync(join(where, name)).ino === inode)).toBe(true);
  });

  test("works in an empty directory, and says which key the backup needs", async () => {
    const fresh = join(temporaryDirectory(), "data");
    const { status, stdout } = await restore(file, fresh);
    expect(status).toBe(0);
    expect(stdout).toMatch(/^Warning: .*two-factor secrets.*master\.key/m);
    expect(readdirSync(fresh).sort()).toEqual(["fairlead.db", "server.lock"]);
    // The server, started all the same, makes no key of its own.
    const refused = await command(["serve"], { settings: { "data.dir": fresh, "server.port": "0" } });
    expectFailure(refused, 2, join(fresh, "master.key"), "two-factor secrets");
    expect(readdirSync(fresh).sort()).toEqual(["fairlead.db", "server.lock"]);
  });

  test("warns of another key than that of the backup", async () => {
    const settings = { "security.encryption_key": Buffer.alloc(32, 1).toString("base64") };
    const { status, stdout } = await restore(file, temporaryDirectory(), settings);
    expect(status).toBe(0);
    expect(stdout).toMatch(/^Warning: .*two-factor secrets.*security\.encryption_key/m);
    const right = temporaryDirectory();
    copyFileSync(join(dataDir, "master.key"), join(right, "master.key"));
    expect(restoreHere(file, right).unreadable).toBe("");
  });

  test("warns of a key file that is configured and missing, without which the server does not start", async () => {
    const empty = join(temporaryDirectory(), "empty.db");
    const source = { "data.dir": temporaryDirectory() };
    expect((await command(["migrate"], { settings: source })).status).toBe(0);
    expect((await command(["backup", empty], { settings: source })).status).toBe(0);
    const settings = { "security.encryption_key_file": join(temporaryDirectory(), "missing.key") };
    const target = temporaryDirectory();
    const { status, stdout } = await restore(empty, target, settings);
    expect(status).toBe(0);
    expect(stdout).toMatch(/^Warning: security\.encryption_key_file \(.*missing\.key\) does not exist/m);
    expect(stdout).not.toContain("You can start the server now");
    expect((await restore(empty, target)).stdout).toContain("You can start the server now");
  });

  test("takes a backup of an older version, which the next start migrates", async () => {
    const old = join(temporaryDirectory(), "old.db");
    const [last = { tag: "", sql: "" }, ...others] = migrations.toReversed();
    const database = new Database(old);
    database.run(
      "CREATE TABLE __migrations (tag TEXT PRIMARY KEY, hash TEXT NOT NULL, applied_at INTEGER NOT NULL) STRICT",
    );
    for (const { tag, sql } of others.toReversed()) {
      for (const part of sql.split("--> statement-breakpoint")) database.run(part);
      const hash = new Bun.CryptoHasher("sha256").update(sql).digest("hex");
      database.run("INSERT INTO __migrations VALUES (?, ?, 0)", [tag, hash]);
    }
    database.close();
    const target = temporaryDirectory();
    const { status, stdout } = await restore(old, target);
    expect(status).toBe(0);
    expect(stdout).toContain(last.tag);
    const migrated = await command(["migrate"], { settings: { "data.dir": target } });
    expect(migrated.stdout).toBe(`Applied ${last.tag}\n`);
  });

  test("replaces a database that is damaged, and keeps that as it is", () => {
    const target = temporaryDirectory();
    const damaged = "no database ".repeat(1_000);
    writeFileSync(join(target, "fairlead.db"), damaged);
    writeFileSync(join(target, "fairlead.db-wal"), "no log");
    restoreHere(file, target);
    const former = join(target, formerOf(target).sort()[0] ?? "");
    expect(readFileSync(former, "utf8")).toBe(damaged);
    expect(readFileSync(`${former}-wal`, "utf8")).toBe("no log");
    expect(existsSync(join(target, "fairlead.db-wal"))).toBe(false);
    expect(pointsIn(join(target, "fairlead.db"))).toEqual([points[0]]);
  });

  test("takes what the log beside a plain copy of the files adds to it", () => {
    const source = temporaryDirectory();
    copyFileSync(file, join(source, "copied.db"));
    const open = new Database(join(source, "copied.db"));
    open.run("PRAGMA journal_mode = WAL");
    open.run("UPDATE gps_points SET latitude = 12.5");
    const plain = join(temporaryDirectory(), "plain.db");
    for (const end of ["", "-wal"]) copyFileSync(join(source, `copied.db${end}`), plain + end);
    open.close();
    const link = join(temporaryDirectory(), "link.db");
    symlinkSync(plain, link);
    for (const from of [plain, link]) {
      const target = temporaryDirectory();
      restoreHere(from, target);
      expect(latitudesIn(join(target, "fairlead.db"))).toEqual([12.5]);
    }
  });

  test("undoes a change that was cut short, and leaves its journal to no other database", () => {
    const source = join(temporaryDirectory(), "copied.db");
    copyFileSync(file, source);
    const before = latitudesIn(source);
    const cut = join(temporaryDirectory(), "cut.db");
    leaveCutShort(source, cut, "UPDATE gps_points SET latitude = 12.5");
    const target = temporaryDirectory();
    restoreHere(cut, target);
    expect(latitudesIn(join(target, "fairlead.db"))).toEqual(before);
    expect(existsSync(`${cut}-journal`)).toBe(true);
    writeFileSync(join(target, "fairlead.db"), "damaged");
    copyFileSync(`${cut}-journal`, join(target, "fairlead.db-journal"));
    restoreHere(file, target);
    expect(existsSync(join(target, "fairlead.db-journal"))).toBe(false);
    expect(latitudesIn(join(target, "fairlead.db"))).toEqual(before);
  });
});

const latitudesIn = (file: string): unknown[] => {
  const database = new Database(file, { readonly: true });
  try {
    return database
      .query("SELECT latitude FROM gps_points")
      .values()
      .map(([latitude]) => latitude);
  } finally {
    database.close();
  }
};

/** A data directory of a database with 20,000 points in it that aren't in the backup. */
function largeDirectory(): string {
  const target = temporaryDirectory();
  for (const name of ["fairlead.db", "master.key"]) copyFileSync(join(dataDir, name), join(target, name));
  change(
    join(target, "fairlead.db"),
    `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
     INSERT INTO gps_points (id, device_id, latitude, longitude, timestamp, created_at)
     SELECT 'p' || i, device_id, latitude, longitude, timestamp, created_at
     FROM n, (SELECT * FROM gps_points LIMIT 1)`,
  );
  return target;
}

const countIn = (file: string): number => {
  const database = new Database(file, { readonly: true });
  try {
    expect(database.query("PRAGMA quick_check").all()).toEqual([{ quick_check: "ok" }]);
    return database.query<{ n: number }, []>("SELECT count(*) AS n FROM gps_points").get()?.n ?? 0;
  } finally {
    database.close();
  }
};

describe("restore that is killed", () => {
  test("leaves the former database or the restored one, and the next start removes what else it left", async () => {
    const target = largeDirectory();
    const former = countIn(join(target, "fairlead.db"));
    const large = join(temporaryDirectory(), "large.db");
    expect((await command(["backup", large], { settings: { "data.dir": target } })).status).toBe(0);
    change(join(target, "fairlead.db"), "DELETE FROM gps_points WHERE id LIKE 'p1%'");
    const changed = countIn(join(target, "fairlead.db"));
    const started = performance.now();
    expect((await restore(large, target)).status).toBe(0);
    const whole = performance.now() - started;
    for (let kill = 0; kill < 10; kill++) {
      copyFileSync(join(target, formerOf(target)[0] ?? ""), join(target, "fairlead.db"));
      const child = Bun.spawn([...program, "restore", large, "--data-dir", target], {
        stdio: ["ignore", "ignore", "ignore"],
      });
      await Bun.sleep(whole * (0.4 + 0.06 * kill));
      child.kill("SIGKILL");
      await child.exited;
      expect([former, changed]).toContain(countIn(join(target, "fairlead.db")));
    }
    writeFileSync(join(target, "fairlead.db.1.partial"), "half a copy");
    linkSync(join(target, "fairlead.db"), join(target, "fairlead-before-restore-20260504T093007Z.db"));
    const kept = formerOf(target);
    const server = await TestServer.start({ dataDir: target });
    await server.stop();
    expect(readdirSync(target).filter((name) => name.includes("partial"))).toEqual([]);
    expect(kept).toContain("fairlead-before-restore-20260504T093007Z.db");
    expect(formerOf(target)).not.toContain("fairlead-before-restore-20260504T093007Z.db");
    expect(formerOf(target).length).toBeGreaterThan(0);
  });
});

test.skipIf(process.geteuid?.() !== 0)(
  "restore by root leaves all to the owner of the data directory",
  async () => {
    const owner = 65_534;
    for (const target of [largeDirectory(), temporaryDirectory()]) {
      chownSync(target, owner, owner);
      for (const name of readdirSync(target)) chownSync(join(target, name), owner, owner);
      expect((await restore(file, target)).status).toBe(0);
      const created = await command(["key", "create", "--name", "root's", "--system"], {
        settings: { "data.dir": target },
      });
      expect(created.status).toBe(0);
      expect(readdirSync(target)).toContain("server.lock");
      for (const name of readdirSync(target)) {
        const { uid, gid } = statSync(join(target, name));
        expect({ name, uid, gid }).toEqual({ name, uid: owner, gid: owner });
      }
    }
  },
);

describe("restore refuses, and changes nothing:", () => {
  let target: string;
  let before: Record<string, string>;

  beforeAll(() => {
    target = temporaryDirectory();
    for (const name of ["fairlead.db", "master.key"]) copyFileSync(join(dataDir, name), join(target, name));
    writeFileSync(join(target, "server.lock"), "");
    before = contentOf(target);
  });
  afterAll(() => expect(contentOf(target)).toEqual(before));

  const refused = (refusedFile: string, ...named: string[]) => {
    let message = "";
    try {
      restoreHere(refusedFile, target);
    } catch (error) {
      expect(error).toBeInstanceOf(OperatorError);
      message = (error as Error).message;
    }
    for (const part of named) expect(message).toContain(part);
    expect(contentOf(target)).toEqual(before);
  };
  const variant = (...statements: string[]): string => {
    const path = join(temporaryDirectory(), "variant.db");
    copyFileSync(file, path);
    change(path, ...statements);
    return path;
  };

  test("a file that is not there, a directory, the database itself", () => {
    refused(join(target, "missing.db"), "does not exist", "missing.db");
    refused(target, "is not a file");
    const link = join(temporaryDirectory(), "link.db");
    linkSync(join(target, "fairlead.db"), link);
    refused(link, "itself");
  });

  test("a file that is not there with one line, on a terminal too", async () => {
    const missing = join(target, "missing.db");
    let shown = "";
    const child = Bun.spawn([...program, "restore", missing, "--data-dir", target], {
      env: environment({}),
      terminal: {
        cols: 400,
        rows: 24,
        data: (_, bytes) => {
          shown += Buffer.from(bytes).toString();
        },
      },
    });
    expect(await child.exited).toBe(1);
    expect(shown.trimEnd()).toBe(`fairlead: ${missing} does not exist or is not a file`);
  });

  test("what is no database, or another program's", async () => {
    const text = join(temporaryDirectory(), "text.db");
    writeFileSync(text, "no database ".repeat(1_000));
    expectFailure(
      await restore(text, target),
      1,
      text,
      "is not a database; nothing was changed. Choose another backup",
    );
    expect(contentOf(target)).toEqual(before);
    const foreign = join(temporaryDirectory(), "foreign.db");
    change(foreign, "CREATE TABLE bookmarks (id)");
    refused(foreign, "is not a Fairlead database; nothing was changed. Choose another backup");
  });

  test("one of a newer version, with broken references, or damaged", () => {
    refused(
      variant("INSERT INTO __migrations VALUES ('9999_from_the_future', 'x', 0)"),
      "newer version",
      "9999_from_the_future",
    );
    refused(
      variant("INSERT INTO backup_codes (user_id, code_hash) VALUES ('nobody', 'x')"),
      "broken references in the table",
    );
    const damaged = variant();
    const bytes = readFileSync(damaged);
    bytes.fill(0xff, 4096 * 20, 4096 * 60);
    writeFileSync(damaged, bytes);
    refused(damaged, `${damaged} is damaged (`, "nothing was changed");
  });

  test("one that is cut off, wherever that is", async () => {
    const whole = readFileSync(file);
    const cut = join(temporaryDirectory(), "cut.db");
    const damage = /cut\.db is damaged \([^)]+.*\); nothing was changed\. Choose another backup$/;
    for (const length of [50, 4_096, whole.length / 2, whole.length - 100]) {
      writeFileSync(cut, whole.subarray(0, length));
      expect(() => restoreHere(cut, target)).toThrow(damage);
      expect(contentOf(target)).toEqual(before);
    }
    expectFailure(await restore(cut, target), 1, `${cut} is damaged (`, "nothing was changed");
    expect(contentOf(target)).toEqual(before);
  });

  test("while another process has the database open, whose changes could be lost", async () => {
    const open = largeDirectory();
    // A separate process: reading the files here would release the locks of this process's own connection.
    const other = Bun.spawn(
      [process.execPath, join(import.meta.dir, "../../support/holder.ts"), join(open, "fairlead.db")],
      {
        stdio: ["ignore", "pipe", "ignore"],
      },
    );
    try {
      await other.stdout.getReader().read();
      const database = join(open, "fairlead.db");
      const before = [readFileSync(database, "base64"), readFileSync(`${database}-wal`, "base64")];
      const named = [
        `another process, such as Litestream, a backup or a database shell, has ${database} open`,
        "Litestream",
      ];
      expectFailure(await restore(file, open), 1, ...named);
      expect([readFileSync(database, "base64"), readFileSync(`${database}-wal`, "base64")]).toEqual(before);
      expect(formerOf(open)).toEqual([]);
    } finally {
      other.kill();
      await other.exited;
    }
    expect((await restore(file, open)).status).toBe(0);
  });

  test("without room on the disk", async () => {
    const result = await runAfterShell(FULL_DISK, ["restore", file], { "data.dir": target });
    expectFailure(result, 1, "failed");
    expect(contentOf(target)).toEqual(before);
  });

  test("anything but one file", async () => {
    expectFailure(await command(["restore"], { settings: { "data.dir": target } }), 2, "restore FILE");
    expect(contentOf(target)).toEqual(before);
  });
});
