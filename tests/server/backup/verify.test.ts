import { afterAll, describe, expect, test } from "bun:test";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { openDatabase, sqlite } from "../../../src/kernel/db/connection";
import { migrate } from "../../../src/kernel/db/migrate";
import { closeDatabase } from "../../../src/kernel/db/transactions";
import { compareCounts, writesSoFar } from "../../../src/server/backup/counts";
import { backupName } from "../../../src/server/backup/names";
import { done, eventually } from "../../support/expectations";
import { canMount, inNamespace } from "../../support/namespace";
import { change } from "../../support/older-database";
import { TestServer, temporaryDirectory } from "../../support/server";
import { DAY, HOUR } from "../../support/time";

/** Backups that prove themselves: their rows are compared, and with `backup.verify = deep` one a day is restored for a try. */

const settings = {
  ...{ "backup.interval_hours": "24", "backup.verify": "deep", "metrics.enabled": "true" },
  "log.level": "error",
};
const TIMEOUT = 240_000;

const backupOf = async (server: TestServer) => (await server.get("/health")).body.services.backup;
const metric = async (server: TestServer, name: string) =>
  Number(
    new RegExp(`^${name} (.*)$`, "m").exec(await (await fetch(`${server.url}/metrics`)).text())?.[1] ??
      Number.NaN,
  );
const filesOf = (dataDir: string) => readdirSync(join(dataDir, "backups"));

describe("backup.verify = deep", () => {
  test(
    "restores a backup for a try, tells of it, and leaves nothing; one that is damaged counts as none",
    async () => {
      const first = await TestServer.start({ settings });
      const { dataDir } = first;
      await first.post("/v1/users/me/2fa/setup", { token: await first.admin() });
      await eventually(async () => (await backupOf(first)).verifiedAt !== undefined);
      expect(await backupOf(first)).toMatchObject({ status: "up", isRestorable: true });
      expect(await metric(first, "fairlead_backup_restorable")).toBe(1);
      expect((await metric(first, "fairlead_backup_verified_timestamp_seconds")) * 1_000).toBeGreaterThan(
        Date.now() - DAY,
      );
      const names = filesOf(dataDir);
      expect(names).toHaveLength(1);
      await first.stop();

      const file = join(dataDir, "backups", names[0] as string);
      truncateSync(file, Math.floor(statSync(file).size / 8192) * 4096);
      const later = await TestServer.start({
        ...{ dataDir, clock: "movable", ahead: DAY + 1 },
        settings: { ...settings, "backup.interval_hours": "720" },
      });
      try {
        await eventually(async () => (await backupOf(later)).isRestorable === false);
        expect(await backupOf(later)).toMatchObject({ status: "down", lastBackup: null, ageSeconds: null });
        expect(await metric(later, "fairlead_backup_restorable")).toBe(0);
        expect(await metric(later, "fairlead_backup_failing")).toBe(1);
        expect(later.output).toContain("a backup was restored for a try, and is of no use");
        expect(filesOf(dataDir)).toEqual(names);
        expect(existsSync(join(dataDir, "fairlead.db"))).toBe(true);
        done(await later.get("/health"));
      } finally {
        await later.stop();
      }
    },
    TIMEOUT,
  );
});

test(
  "as long as the newest backup is of no use, the last one that was sound counts, after a restart too",
  async () => {
    const first = await TestServer.start({ settings });
    const { dataDir } = first;
    await eventually(async () => (await backupOf(first)).verifiedAt !== undefined);
    const { lastBackup } = await backupOf(first);
    await first.stop();
    const [sound = ""] = filesOf(dataDir);
    const damaged = join(dataDir, "backups", backupName(Date.parse(lastBackup) + HOUR));
    copyFileSync(join(dataDir, "backups", sound), damaged);
    truncateSync(damaged, Math.floor(statSync(damaged).size / 8192) * 4096);
    for (const ahead of [DAY + 1, DAY + HOUR]) {
      const later = await TestServer.start({
        ...{ dataDir, clock: "movable", ahead },
        settings: { ...settings, "backup.interval_hours": "720" },
      });
      try {
        await eventually(async () => (await backupOf(later)).isRestorable === false);
        expect(await backupOf(later)).toMatchObject({ status: "down", lastBackup });
      } finally {
        await later.stop();
      }
    }
  },
  TIMEOUT,
);

test.each([
  [
    "with a key whose loss was accepted",
    (dataDir: string) => rmSync(join(dataDir, "master.key")),
    ["--key-lost"],
  ],
  [
    "with the key that was in use, although the only secret is damaged",
    (dataDir: string) => change(join(dataDir, "fairlead.db"), "UPDATE two_factor SET secret = 'damaged'"),
    [],
  ],
])(
  "a backup is sound %s, since the server starts with it",
  async (_, befall, options) => {
    const first = await TestServer.start();
    const { dataDir } = first;
    await first.post("/v1/users/me/2fa/setup", { token: await first.admin() });
    await first.stop();
    befall(dataDir);
    const later = await TestServer.start({
      ...{ dataDir, settings },
      under: (line) => [...line, ...options],
    });
    try {
      await eventually(async () => (await backupOf(later)).verifiedAt !== undefined);
      expect(await backupOf(later)).toMatchObject({ status: "up", isRestorable: true });
      expect(await metric(later, "fairlead_backup_age_seconds")).toBeLessThan(600);
    } finally {
      await later.stop();
    }
  },
  TIMEOUT,
);

describe("a try", () => {
  test(
    "is made with the newest backup there is, not with one of a clock that was ahead",
    async () => {
      const dataDir = join(temporaryDirectory(), "data");
      mkdirSync(join(dataDir, "backups"), { recursive: true });
      writeFileSync(join(dataDir, "backups", "fairlead-20990101T000000Z.db"), "of a clock that was ahead");
      const server = await TestServer.start({ dataDir, settings });
      try {
        await eventually(async () => (await backupOf(server)).verifiedAt !== undefined);
        expect(await backupOf(server)).toMatchObject({ status: "up", isRestorable: true });
      } finally {
        await server.stop();
      }
    },
    TIMEOUT,
  );

  test.skipIf(!canMount)(
    "for which there is no room says nothing of the backup, and is told",
    async () => {
      const directory = temporaryDirectory();
      const server = await TestServer.start({
        settings: { ...settings, "backup.dir": directory },
        under: (command) => [
          ...inNamespace(`mount -t tmpfs -o size=2600k,mode=700 none "$0"`, directory),
          ...command,
        ],
      });
      try {
        await eventually(async () => (await backupOf(server)).status === "down");
        const { lastBackup, isRestorable } = await backupOf(server);
        expect({ lastBackup, isRestorable }).toEqual({
          lastBackup: expect.any(String),
          isRestorable: undefined,
        });
        expect(await metric(server, "fairlead_backup_failing")).toBe(1);
        expect(await metric(server, "fairlead_backup_age_seconds")).toBeLessThan(600);
        expect(server.output).toMatch(/could not be restored for a try.*are free/);
        expect(server.output).not.toContain("of no use");
      } finally {
        await server.stop();
      }
    },
    TIMEOUT,
  );

  test(
    "that a stop cuts off says nothing of the backup, and the next start makes it anew",
    async () => {
      const first = await TestServer.start({ settings });
      const { dataDir } = first;
      await eventually(
        () =>
          existsSync(join(dataDir, "backups")) &&
          filesOf(dataDir).some((name) => name.startsWith(".verify-")),
      );
      expect(await first.stop()).toBe(0);
      expect(first.output).not.toContain("of no use");
      expect(filesOf(dataDir).filter((name) => name.startsWith(".verify-"))).toEqual([]);
      const next = await TestServer.start({ dataDir, settings });
      try {
        await eventually(async () => (await backupOf(next)).verifiedAt !== undefined);
        expect(await backupOf(next)).toMatchObject({ status: "up", isRestorable: true });
      } finally {
        await next.stop();
      }
    },
    TIMEOUT,
  );
});

describe("the rows of a copy", () => {
  openDatabase(join(temporaryDirectory(), "fairlead.db"), "normal");
  migrate();
  afterAll(closeDatabase);

  const count = (before: number, copied: number) => [{ table: "users", before, copied }];

  test("are as many as there were, but for what was changed meanwhile", () => {
    const began = writesSoFar();
    compareCounts(count(5, 5), began);
    expect(() => compareCounts(count(5, 4), began)).toThrow(
      "the copy has 4 rows in users, and the database had 5",
    );
    expect(() => compareCounts(count(5, 6), began)).toThrow();
    sqlite.run("INSERT INTO counters VALUES ('a test', 1)");
    compareCounts(count(5, 6), began);
    compareCounts(count(5, 4), began);
    expect(() => compareCounts(count(5, 3), began)).toThrow();
  });
});
