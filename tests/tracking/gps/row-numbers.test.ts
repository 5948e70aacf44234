import { Database } from "bun:sqlite";
import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { note } from "../../../src/feed/journal";
import { openDatabase, sqlite } from "../../../src/kernel/db/connection";
import { migrate } from "../../../src/kernel/db/migrate";
import { closeDatabase, transact } from "../../../src/kernel/db/transactions";
import { loadSystemConfig } from "../../../src/runtime-settings/service";
import { deletePoint } from "../../../src/tracking/gps/service";
import { randomFrom } from "../../support/random";
import { temporaryDirectory } from "../../support/server";
import { newDevice, record, SERVICE } from "../in-process";

/**
 * Positions get their row numbers before their rows are written. Whatever else happens to the table, each is stored once, in the
 * order in which they came.
 */

const file = join(temporaryDirectory(), "fairlead.db");
/** Another process's connection. */
let other: Database;

beforeAll(async () => {
  openDatabase(file, "normal");
  migrate();
  await transact(loadSystemConfig);
  other = new Database(file);
});
afterAll(() => {
  other.close();
  closeDatabase();
});

const idsInOrder = () =>
  sqlite
    .query<{ id: string }, []>("SELECT id FROM gps_points ORDER BY rowid")
    .all()
    .map(({ id }) => id);

test("among positions of another process, deletions and use cases that fail", async () => {
  const random = randomFrom(28);
  const devices = [newDevice(), newDevice(), null];
  const expected: string[] = [];
  let time = 1_000;
  const post = () => record(devices[Math.floor(random() * devices.length)] ?? null, time++);
  for (let round = 0; round < 300; round++) {
    const kind = random();
    if (kind < 0.15 && expected.length > 0) {
      const id = Bun.randomUUIDv7();
      other.run(
        `INSERT INTO gps_points (id, latitude, longitude, timestamp, created_at) VALUES (?, 54, 10, ${time++ * 1_000}, 0)`,
        [id],
      );
      expected.push(id);
    } else if (kind < 0.3 && expected.length > 0) await deletePoint(SERVICE, expected.pop() as string);
    // The feed has no place for a change of no kind: the use case fails when its writes are carried out.
    const failing =
      kind > 0.7 ? [transact(() => note("unknown" as "position", null, null), "retryable")] : [];
    const posted = [post(), post(), post()];
    const outcomes = await Promise.allSettled([...posted.slice(0, 1), ...failing, ...posted.slice(1)]);
    expect(outcomes.filter(({ status }) => status === "rejected").length).toBe(failing.length);
    for (const point of await Promise.all(posted)) expected.push(point.id);
    expect(idsInOrder().length).toBe(expected.length);
  }
  expect(idsInOrder()).toEqual(expected);
});
