import { afterEach, beforeAll, expect, test } from "bun:test";
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { openDatabase, sqlite } from "../../../src/kernel/db/connection";
import { migrate } from "../../../src/kernel/db/migrate";
import { migrations } from "../../../src/kernel/db/migrations.gen";
import { closeDatabase } from "../../../src/kernel/db/transactions";
import { temporaryDirectory } from "../../support/server";
import { DIFFERENT_COUNTS, storedEvent, writeEvents } from "./support";

/** The counts by quarters of an hour and by minutes, made for a database that had none, in steps of 50,000. */

const OWN = migrations.find(({ sql }) => sql.includes("TABLE IF NOT EXISTS `audit_quarters`"))?.tag ?? "";
const SHIPPED = migrations.find(({ tag }) => tag === OWN)?.sql ?? "";

/** Events of a step as it is shipped, and as most tests have it: what a step does isn't a matter of its size. */
const STEP = 50_000;
const SMALL_STEP = 1_000;

/** Events of one user, and of all others with nobody: three steps for the former, four for all. */
const many = (step: number) => 2 * step + step / 50;
const others = (step: number) => step + step / 25;

/** For a machine that others load too. */
const TIMEOUT = 240_000;

const directory = temporaryDirectory();
const templateOf = (step: number) => join(directory, `template-${step}.db`);

/** Lets the migration go in steps of this size. */
function setStep(step: number): void {
  const own = migrations.find(({ tag }) => tag === OWN);
  if (!own) throw new Error("the migration is gone");
  own.sql = SHIPPED.replaceAll(`OFFSET ${STEP - 1}`, `OFFSET ${step - 1}`);
}

/** Of every third event, the time is that of the one before it. */
function addEvents(prefix: string, user: string, count: number): void {
  sqlite.run(
    `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)
     INSERT INTO audit_events (id, user_id, event_type, resource_type, status, source_service, is_reported, created_at)
     SELECT ?2 || i, ${user}, iif(i % 4, 'login', 'logout'), iif(i % 5, 'user', NULL), 'success', 'api', i % 9 = 0,
       (i - i % 3 / 2) * 770 FROM n`,
    [count, prefix],
  );
}

/** Makes a database that lacks the counts. */
function makeTemplate(step: number): void {
  openDatabase(templateOf(step), "normal");
  sqlite.run("PRAGMA journal_mode = DELETE");
  const newer = migrations.splice(migrations.findIndex(({ tag }) => tag === OWN));
  migrate();
  migrations.push(...newer);
  addEvents("many", "'many'", many(step));
  addEvents("others", "iif(i % 3, 'user ' || i % 999, NULL)", others(step));
  closeDatabase();
}

beforeAll(() => {
  makeTemplate(STEP);
  makeTemplate(SMALL_STEP);
}, TIMEOUT);

/** Opens a fresh copy of that database, whose events take four steps of this size. */
function olderData(step = SMALL_STEP): void {
  setStep(step);
  const file = join(directory, `${Bun.randomUUIDv7()}.db`);
  copyFileSync(templateOf(step), file);
  openDatabase(file, "normal");
}

function expectCounted(): void {
  for (const sql of DIFFERENT_COUNTS) expect(sqlite.query(sql).all()).toEqual([]);
  expect(sqlite.query("SELECT 1 FROM sqlite_schema WHERE name = '__audit_counts'").get()).toBeNull();
}

/** Stops after so many steps: what a kill between two commits leaves. */
function migrateUntil(steps: number): void {
  let made = 0;
  const kill = () => {
    if (++made === steps) throw new Error("killed");
  };
  expect(() => migrate(kill)).toThrow("killed");
}

/** The records that each step of a start told of. */
function toldBy(start: (progress: (tag: string, done: number, total: number) => void) => void) {
  const told: [number, number][] = [];
  start((tag, done, total) => tag === OWN && told.push([done, total]));
  return told;
}

afterEach(closeDatabase);

test(
  "events are counted in steps, which tell how far they are",
  () => {
    olderData(STEP);
    const told = toldBy(migrate);
    expectCounted();
    expect(told).toHaveLength(4);
    expect(told.map(([done]) => done)).toEqual(told.map(([done]) => done).toSorted((a, b) => a - b));
    const total = 2 * (many(STEP) + others(STEP)) - Math.floor(others(STEP) / 3);
    expect(told.at(-1)).toEqual([total, total]);
    expect(migrate()).toEqual([]);
    // From then on the counts follow each change.
    writeEvents(sqlite, [storedEvent({ user_id: "many", created_at: 770 }), storedEvent()]);
    sqlite.run("DELETE FROM audit_events WHERE rowid % 50 = 0");
    sqlite.run("UPDATE audit_events SET is_reported = 1 - is_reported WHERE rowid % 60 = 0");
    expectCounted();
  },
  TIMEOUT,
);

test.each([1, 2, 3])(
  "a start that is killed after step %i goes on where it was",
  (steps) => {
    olderData();
    migrateUntil(steps);
    expect(toldBy(migrate)).toHaveLength(4 - steps);
    expectCounted();
  },
  TIMEOUT,
);

test.each([
  ["stored", () => addEvents("more", "'many'", 3)],
  ["deleted", () => sqlite.run("DELETE FROM audit_events WHERE id = 'many7'")],
  ["reported", () => sqlite.run("UPDATE audit_events SET is_reported = 1 WHERE id = 'many7'")],
  [
    "reworded",
    () => {
      sqlite.run(
        "UPDATE audit_events SET is_reported = 1 - is_reported, resource_type = NULL WHERE id = 'many7'",
      );
      sqlite.run("UPDATE audit_events SET is_reported = 1 - is_reported WHERE id = 'many7'");
    },
  ],
] as const)(
  "counting begins anew if an older version has %s events since",
  (_, change) => {
    olderData();
    migrateUntil(2);
    change();
    expect(toldBy(migrate)).toHaveLength(4);
    expectCounted();
  },
  TIMEOUT,
);

test("an empty log is counted at once", () => {
  openDatabase(":memory:", "normal");
  expect(toldBy(migrate)).toEqual([[0, 0]]);
  expectCounted();
});
