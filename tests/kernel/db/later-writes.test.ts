import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { sql } from "drizzle-orm";
import { db, openDatabase, sqlite, statement } from "../../../src/kernel/db/connection";
import { closeDatabase, transact, writeLater } from "../../../src/kernel/db/transactions";
import { temporaryDirectory } from "../../support/server";

/** Writes that a use case puts off until others have to see them. */

beforeAll(() => {
  openDatabase(join(temporaryDirectory(), "test.db"), "full");
  sqlite.run("CREATE TABLE notes (text TEXT PRIMARY KEY) STRICT");
});
beforeEach(() => {
  sqlite.run("DELETE FROM notes");
});
afterAll(closeDatabase);

const insert = statement(() => sqlite.prepare<unknown, [string]>("INSERT INTO notes VALUES (?)"));
const texts = statement(() => sqlite.prepare<{ text: string }, []>("SELECT text FROM notes ORDER BY rowid"));
const stored = () =>
  texts()
    .all()
    .map(({ text }) => text);
const later = (text: string) => writeLater(() => insert().run(text));

test.each([undefined, "retryable"] as const)("are in the commit, in order: %p", async (how) => {
  const note = (text: string) => transact(() => later(text), how);
  await Promise.all([note("a"), note("b"), note("c")]);
  expect(stored()).toEqual(["a", "b", "c"]);
});

test.each([undefined, "retryable"] as const)(
  "are seen by the next statement of the same commit: %p",
  async (how) => {
    const look = () => transact(() => [...stored(), later("b")].slice(0, -1), how);
    const lookWithDrizzle = () =>
      transact(() => db.all<{ text: string }>(sql`select text from notes order by rowid`).length, how);
    const [, seen, number] = await Promise.all([transact(() => later("a"), how), look(), lookWithDrizzle()]);
    expect([seen, number]).toEqual([["a"], 2]);
  },
);

test("come before a statement that the use case runs after putting them off", async () => {
  await transact(() => {
    later("a");
    insert().run("b");
    later("c");
  });
  expect(stored()).toEqual(["a", "b", "c"]);
});

describe.each([undefined, "retryable"] as const)("of a use case that fails: %p", (how) => {
  const note = (text: string) => transact(() => later(text), how);

  test("are dropped, and those of the others stand", async () => {
    const fail = () =>
      transact(() => {
        later("of the failed one");
        throw new Error("refused");
      }, how);
    const outcomes = await Promise.allSettled([note("a"), fail(), note("b")]);
    expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect(stored()).toEqual(["a", "b"]);
  });

  test("since one of them fails take nobody else along", async () => {
    const outcomes = await Promise.allSettled([note("a"), note("a"), note("b")]);
    expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect(stored()).toEqual(["a", "b"]);
  });
});

test("are refused outside a transaction", () => {
  expect(() => later("a")).toThrow("writeLater outside transact");
});
