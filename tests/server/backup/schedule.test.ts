import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { loadConfig } from "../../../src/configuration/config";
import { openDatabase, sqlite } from "../../../src/kernel/db/connection";
import { migrate } from "../../../src/kernel/db/migrate";
import { closeDatabase } from "../../../src/kernel/db/transactions";
import { setClock } from "../../../src/kernel/time/clock";
import { backupName } from "../../../src/server/backup/names";
import { backUpWhenDue, backupState } from "../../../src/server/backup/schedule";
import { eventually } from "../../support/expectations";
import { linesOf } from "../../support/log";
import { command, environment, TestServer, temporaryDirectory } from "../../support/server";
import { HOUR, MINUTE } from "../../support/time";

describe("a server with backup.interval_hours", () => {
  const settings = { "backup.interval_hours": "24" };

  test("makes a checked backup at its start, and none after a restart until the interval is over", async () => {
    const first = await TestServer.start({ settings });
    const { dataDir } = first;
    const directory = join(dataDir, "backups");
    const backups = () => (existsSync(directory) ? readdirSync(directory) : []);
    await eventually(() => backups().some(isWhole));
    const [name = ""] = backups().filter(isWhole);
    expect(Math.abs(timeOf(name) - Date.now())).toBeLessThan(5 * MINUTE);
    expect((statSync(directory).mode & 0o777).toString(8)).toBe("700");
    expect((statSync(join(directory, name)).mode & 0o777).toString(8)).toBe("600");
    const copy = new Database(join(directory, name), { readonly: true });
    expect(copy.query("PRAGMA integrity_check").all()).toEqual([{ integrity_check: "ok" }]);
    expect(copy.query("SELECT username FROM users").all()).toEqual([{ username: "admin" }]);
    copy.close();
    const told = async () => (await first.get("/health")).body.services.backup;
    await eventually(async () => (await told()).lastBackup !== null);
    expect(await told()).toEqual({
      status: "up",
      lastBackup: new Date(timeOf(name)).toISOString(),
      ageSeconds: expect.any(Number),
    });
    await first.stop();

    const second = await TestServer.start({ dataDir, settings });
    await eventually(async () => (await second.get("/health")).body.services.backup.lastBackup !== null);
    await second.stop();
    expect(backups()).toEqual([name]);

    // The file of a server that was killed while it made a backup, one that another server is making, and a
    // foreign file.
    const unfinished = `${backupName(Date.now())}.${NO_PROCESS}.fairlead.partial`;
    const growing = unfinished.replace(".fairlead", "1.fairlead");
    for (const left of [unfinished, `${unfinished}-journal`, growing, "mine.partial"]) {
      writeFileSync(join(directory, left), "half");
      if (left !== growing) utimesSync(join(directory, left), 0, 0);
    }
    const old = backupName(Date.now() - 25 * HOUR);
    renameSync(join(directory, name), join(directory, old));
    const third = await TestServer.start({ dataDir, settings });
    await eventually(() => backups().filter(isWhole).length === 2);
    await third.stop();
    const made = backups().filter((one) => isWhole(one) && one !== old);
    expect(backups().sort()).toEqual([old, ...made, growing, "mine.partial"].sort());
  });
});

test("a backup of a damaged database fails for this reason, in the log and to the doctor", async () => {
  const settings = { "backup.interval_hours": "24" };
  const before = await TestServer.start();
  await before.stop();
  const { dataDir } = before;
  const file = join(dataDir, "fairlead.db");
  const database = new Database(file);
  const { rootpage } = database
    .query<{ rootpage: number }, []>("SELECT rootpage FROM sqlite_schema WHERE name = 'backup_codes'")
    .get() ?? { rootpage: 0 };
  database.close();
  const bytes = readFileSync(file);
  bytes.fill(0xff, (rootpage - 1) * 4_096, rootpage * 4_096);
  writeFileSync(file, bytes);

  const server = await TestServer.start({ dataDir, settings });
  const [line = ""] = await linesOf(server, "a backup failed");
  expect(line).toMatch(/malformed|damaged/);
  expect(line).not.toMatch(/make room|backup\.dir/);
  const { stdout } = await command(["doctor"], {
    settings: { ...settings, "data.dir": dataDir, "server.port": new URL(server.url).port },
  });
  await server.stop();
  expect(stdout).toMatch(/^warning +backups +there is none yet, although the server runs: .*see the log$/m);
  expect(stdout).toMatch(/^problem +database +it is damaged \(.*\); stop the server and restore a backup/m);
  for (const line of stdout.trimEnd().split("\n")) expect(line).toMatch(/^(ok|warning|problem) /);
});

/** Beyond the highest number that Linux gives. */
const NO_PROCESS = 9_999_999;

const isWhole = (name: string) => /^fairlead-\d{8}T\d{6}Z\.db$/.test(name);
const timeOf = (name: string) =>
  Date.parse(name.replace(/^fairlead-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z\.db$/, "$1-$2-$3T$4:$5:$6Z"));

describe("the job", () => {
  let directory: string;
  let clock = Date.parse("2026-05-04T12:00:00Z");
  const lines: string[] = [];
  const write = process.stdout.write;
  const backups = () => readdirSync(directory).sort();
  const configure = (settings: Record<string, string>) =>
    loadConfig({ environment: environment({ ...settings }) });

  beforeAll(() => {
    const dataDir = temporaryDirectory();
    directory = join(temporaryDirectory(), "backups");
    const settings = { "data.dir": dataDir, "backup.interval_hours": "6", "backup.keep": "3" };
    configure({ ...settings, "backup.dir": directory });
    openDatabase(join(dataDir, "fairlead.db"), "normal");
    migrate();
    setClock(() => clock);
    process.stdout.write = ((line: string) => {
      lines.push(line);
      return true;
    }) as typeof process.stdout.write;
  });
  afterAll(() => {
    process.stdout.write = write;
    setClock();
    closeDatabase();
  });

  const errors = () => lines.filter((line) => line.includes("error"));

  test("complains once of a configured directory that isn't there, and makes none: a disk may not be mounted", async () => {
    for (let minute = 0; minute < 3; minute++) {
      await backUpWhenDue();
      clock += MINUTE;
    }
    expect(existsSync(directory)).toBe(false);
    expect(errors()).toHaveLength(1);
    expect(errors()[0]).toContain(directory);
    expect(backupState()).toEqual({ newest: null, failing: true, verified: null });
  });

  test("makes a backup a quarter of an hour after it failed, by any clock", async () => {
    mkdirSync(directory);
    await backUpWhenDue();
    expect(backups()).toEqual([]);
    clock += 15 * MINUTE;
    await backUpWhenDue();
    expect(backups()).toEqual([backupName(clock)]);
    expect(backupState()).toEqual({
      newest: Math.floor(clock / 1_000) * 1_000,
      failing: false,
      verified: null,
    });
  });

  test("makes one each interval, and keeps the newest", async () => {
    const made = [backupName(clock)];
    for (let hour = 1; hour <= 24; hour++) {
      clock += HOUR;
      await backUpWhenDue();
      if (hour % 6 === 0) made.push(backupName(clock));
    }
    expect(backups()).toEqual(made.slice(-3));
  });

  test("has no age below zero, after a clock that was ahead", async () => {
    const dataDir = temporaryDirectory();
    mkdirSync(join(dataDir, "backups"));
    const ahead = new Date(Date.now() + 3_600_000).toISOString().replaceAll(/[-:]|\.\d+/g, "");
    writeFileSync(join(dataDir, "backups", `fairlead-${ahead}.db`), "");
    const server = await TestServer.start({
      dataDir,
      settings: { "backup.interval_hours": "24", "metrics.enabled": "true" },
    });
    try {
      const age = async () =>
        /^fairlead_backup_age_seconds (.*)$/m.exec(await (await fetch(`${server.url}/metrics`)).text())?.[1];
      await eventually(async () => (await age()) !== "+Inf");
      expect(await age()).toBe("0");
    } finally {
      await server.stop();
    }
  });

  test("makes one for a clock that jumps to and fro, not one for each jump", async () => {
    const before = backups();
    const here = clock;
    for (const jump of [0, 1_000, 0, 1_000, 0]) {
      clock = here + jump * HOUR;
      await backUpWhenDue();
    }
    expect(backups()).toEqual([...before.slice(1), backupName(here + 1_000 * HOUR)]);
    expect(backupState()?.newest).toBe(here);
    rmSync(join(directory, backupName(here + 1_000 * HOUR)));
  });

  test("leaves the backups there are, and no half one, when one fails, and says why once", async () => {
    const before = backups();
    lines.length = 0;
    sqlite.run("PRAGMA foreign_keys = OFF");
    sqlite.run("INSERT INTO two_factor (user_id, secret, platform, created_at) VALUES ('nobody', '', '', 0)");
    clock += 6 * HOUR;
    for (let minute = 0; minute < 32; minute++) {
      await backUpWhenDue();
      clock += MINUTE;
    }
    expect(backups()).toEqual(before);
    expect(errors()).toHaveLength(1);
    expect(errors()[0]).toContain("two_factor");
    expect(backupState()?.failing).toBe(true);

    sqlite.run("DELETE FROM two_factor");
    clock += 15 * MINUTE;
    await backUpWhenDue();
    expect(backups()).toEqual([...before, backupName(clock)]);
    expect(backupState()?.failing).toBe(false);
  });
});
