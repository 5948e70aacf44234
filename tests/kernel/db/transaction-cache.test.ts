import { Database } from "bun:sqlite";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { openDatabase, sqlite } from "../../../src/kernel/db/connection";
import { migrate } from "../../../src/kernel/db/migrate";
import { TransactionCache } from "../../../src/kernel/db/transaction-cache";
import { closeDatabase, transact } from "../../../src/kernel/db/transactions";
import { temporaryDirectory } from "../../support/server";

const file = join(temporaryDirectory(), "test.db");

beforeAll(() => {
  openDatabase(file, "normal");
  migrate();
  sqlite.run("CREATE TABLE facts (name TEXT PRIMARY KEY, value INTEGER) STRICT");
});
afterAll(() => closeDatabase());

let memory: TransactionCache<string, number | null>;
let reads = 0;
beforeEach(async () => {
  await transact(() => sqlite.run("DELETE FROM facts"));
  memory = new TransactionCache(100);
  reads = 0;
});

const stored = (name: string): number | null => {
  reads++;
  const find = sqlite.query<{ value: number }, [string]>("SELECT value FROM facts WHERE name = ?");
  return find.get(name)?.value ?? null;
};
const write = (name: string, value: number, database: Database = sqlite) =>
  database.query("INSERT OR REPLACE INTO facts VALUES (?, ?)").run(name, value);

const ask = (name: string) => memory.get(name, () => stored(name));
const askLater = (name: string) => transact(() => ask(name), "retryable");

/** A retryable use case: it writes and remembers. */
const keep = (name: string, value: number) =>
  transact(() => {
    write(name, value);
    memory.set(name, value);
  }, "retryable");

describe("what is remembered", () => {
  test("is read once, also where there is nothing, and from what a use case noted not at all", async () => {
    expect(await askLater("depth")).toBeNull();
    expect(await askLater("depth")).toBeNull();
    expect(reads).toBe(1);
    await keep("depth", 7);
    expect(await Promise.all([askLater("depth"), keep("depth", 8), askLater("depth")])).toEqual([
      7,
      undefined,
      8,
    ]);
    expect(reads).toBe(1);
  });

  test.each([
    ["in a commit of its own", false],
    ["in the same commit", true],
  ])("is read anew after any other use case, %s", async (_, together) => {
    await keep("depth", 7);
    const change = transact(() => void write("depth", 9));
    if (!together) await change;
    expect(await askLater("depth")).toBe(9);
    await change;
    expect(reads).toBe(1);
  });

  test("is read anew after a use case that failed, and knows nothing of what that one noted", async () => {
    await keep("depth", 7);
    const failing = (how?: "retryable") =>
      transact((): void => {
        write("depth", 1);
        memory.set("depth", 1);
        throw new Error("undone");
      }, how);
    const outcomes = await Promise.allSettled([failing("retryable"), askLater("depth")]);
    expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "fulfilled"]);
    expect(outcomes[1]).toHaveProperty("value", 7);
    await Promise.allSettled([failing()]);
    expect(await askLater("depth")).toBe(7);
  });

  test("is read anew after a commit that failed as a whole", async () => {
    await keep("depth", 7);
    sqlite.run("CREATE TABLE parents (id INTEGER PRIMARY KEY) STRICT");
    sqlite.run(
      "CREATE TABLE children (id INTEGER REFERENCES parents (id) DEFERRABLE INITIALLY DEFERRED) STRICT",
    );
    // The foreign key is checked when the transaction is committed.
    const orphan = transact(() => {
      write("depth", 1);
      memory.set("depth", 1);
      sqlite.run("INSERT INTO children VALUES (1)");
    }, "retryable");
    await expect(orphan).rejects.toThrow("FOREIGN KEY");
    expect(await askLater("depth")).toBe(7);
    sqlite.run("DROP TABLE children");
    sqlite.run("DROP TABLE parents");
  });

  test("is read anew after another process wrote", async () => {
    await keep("depth", 7);
    const outside = new Database(file, { strict: true });
    outside.run("PRAGMA busy_timeout = 1000");
    write("depth", 20, outside);
    outside.close();
    expect(await askLater("depth")).toBe(20);
  });

  test("is read anew after another database was opened", async () => {
    await keep("depth", 7);
    closeDatabase();
    // A database with as many commits by others as the first one knows of: none.
    openDatabase(join(temporaryDirectory(), "another.db"), "normal");
    sqlite.run("CREATE TABLE facts (name TEXT PRIMARY KEY, value INTEGER) STRICT");
    sqlite.run("INSERT INTO facts VALUES ('depth', 9)");
    expect(await askLater("depth")).toBe(9);
    closeDatabase();
    openDatabase(file, "normal");
    expect(await askLater("depth")).toBe(7);
  });

  test("is no concern of other use cases and of reads: they see the database", async () => {
    await keep("depth", 7);
    await transact(() => {
      write("depth", 3);
      expect(ask("depth")).toBe(3);
      memory.set("depth", 4);
      expect(ask("depth")).toBe(3);
    });
    expect(ask("depth")).toBe(3);
    expect(await askLater("depth")).toBe(3);
  });

  test("takes no more room than it may, by weight", async () => {
    const lists = new TransactionCache<number, number[]>(10, (list) => 1 + list.length);
    let readLists = 0;
    const list = (key: number, length: number) =>
      lists.get(key, () => {
        readLists++;
        return Array.from({ length }, () => key);
      });
    await transact(() => {
      list(1, 4);
      list(2, 4);
      list(1, 4);
      expect(readLists).toBe(2);
      // With this one the room is exceeded: it alone stays.
      list(3, 2);
      list(3, 2);
      expect(readLists).toBe(3);
      list(1, 4);
      expect(readLists).toBe(4);
      // A new value replaces the old one and frees its room.
      lists.set(1, [1]);
      list(4, 4);
      list(3, 2);
      list(1, 4);
      expect(readLists).toBe(5);
      // Larger than the whole room.
      lists.set(5, Array(50).fill(5));
      list(6, 0);
      expect(list(5, 3)).toHaveLength(3);
      expect(readLists).toBe(7);
    }, "retryable");
  });
});
