import { afterAll, beforeAll, expect, test } from "bun:test";
import { readdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { eventually, expectPermission, expectStatus, statuses } from "../../support/expectations";
import { TestServer } from "../../support/server";
import { HOUR, MINUTE } from "../../support/time";

/** The backups over the API. */

const PATH = "/v1/admin/backups";

let server: TestServer;
let directory: string;
beforeAll(async () => {
  server = await TestServer.start({
    clock: "movable",
    settings: { "backup.interval_hours": "24", "backup.keep": "2" },
  });
  directory = join(server.dataDir, "backups");
  await eventually(async () => (await list()).backups.length === 1);
});
afterAll(() => server.stop());

const list = async () => {
  const token = await server.admin();
  return expectStatus(await server.get(PATH, { token }), 200).body.data;
};
const begin = async () => server.post(PATH, { token: await server.admin() });

/** Begins a backup, and waits until it is whole. */
async function backUp() {
  const { backups } = await list();
  expectStatus(await begin(), 202);
  await eventually(async () => (await list()).started_at === null);
  const { backups: after, ...rest } = await list();
  expect(after[0]?.name).not.toBe(backups[0]?.name);
  return { backups: after, ...rest };
}

test("are listed for settings:read, newest first, with their sizes", async () => {
  writeFileSync(join(directory, "mine.db"), "a foreign file");
  writeFileSync(join(directory, "before-0.1.0-20260101T000000Z.db"), "1234");
  const { backups, ...rest } = await list();
  expect(backups).toEqual([
    {
      name: expect.stringMatching(/^fairlead-\d{8}T\d{6}Z\.db$/),
      kind: "scheduled",
      made_at: expect.any(String),
      bytes: expect.any(Number),
    },
    {
      name: "before-0.1.0-20260101T000000Z.db",
      kind: "before_migration",
      made_at: "2026-01-01T00:00:00.000Z",
      bytes: 4,
    },
  ]);
  expect(backups[0].bytes).toBeGreaterThan(100_000);
  expect(rest).toEqual({ interval_hours: 24, keep: 2, started_at: null, failed_at: null, error: null });
  await expectPermission(server, "settings:read", 200, (token) => server.get(PATH, { token }));
});

test("are made for settings:write, and the oldest one beyond backup.keep goes", async () => {
  const [first] = (await list()).backups;
  await server.advance(HOUR);
  const { backups } = await backUp();
  expect(backups.filter(({ kind }: { kind: string }) => kind === "scheduled").length).toBe(2);
  await server.advance(HOUR);
  expect((await backUp()).backups.map(({ name }: { name: string }) => name)).not.toContain(first.name);
  await server.advance(HOUR);
  await expectPermission(server, "settings:write", 202, (token) => server.post(PATH, { token }));
  await eventually(async () => (await list()).started_at === null);
});

test("are made one at a time: of parallel requests one begins", async () => {
  await server.advance(MINUTE);
  const before = readdirSync(directory).length;
  const answers = await Promise.all(Array.from({ length: 8 }, begin));
  expect(statuses(answers)).toEqual([202, ...Array.from({ length: 7 }, () => 409)]);
  await eventually(async () => (await list()).started_at === null);
  expect(readdirSync(directory).length).toBe(before);
});

test("begun within the same second have names of their own", async () => {
  await server.advance(MINUTE);
  const [, earlier] = [await backUp(), await backUp()];
  expect(earlier.backups[0].name > earlier.backups[1].name).toBe(true);
  expect([earlier.failed_at, earlier.error]).toEqual([null, null]);
});

test("that fail say why, until one succeeds", async () => {
  const { length } = (await list()).backups;
  renameSync(directory, `${directory}.away`);
  writeFileSync(directory, "no folder");
  await server.advance(MINUTE);
  expectStatus(await begin(), 202);
  await eventually(async () => (await list()).failed_at !== null);
  const failed = await list();
  expect([failed.backups, failed.started_at]).toEqual([[], null]);
  expect(failed.error).toContain("exist");
  renameSync(directory, `${directory}.file`);
  renameSync(`${directory}.away`, directory);
  await server.advance(MINUTE);
  const { backups, failed_at, error } = await backUp();
  expect([backups.length, failed_at, error]).toEqual([length, null, null]);
});
