import { Database } from "bun:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { logFailure, mayLog } from "../../../src/kernel/errors/trouble";
import { configureLog } from "../../../src/kernel/logs/log";

/** The error that SQLite throws on a full disk. */
function fullDisk(): Error {
  const database = new Database(":memory:");
  database.run("CREATE TABLE things (thing)");
  database.run("PRAGMA max_page_count = 1");
  try {
    database.run("INSERT INTO things VALUES (zeroblob(100000))");
  } catch (error) {
    return error as Error;
  } finally {
    database.close();
  }
  throw new Error("there was room");
}

describe("what fails", () => {
  const lines: string[] = [];
  const write = process.stdout.write;
  beforeEach(() => {
    configureLog("info", "json");
    lines.length = 0;
    process.stdout.write = ((line: string) => {
      lines.push(line);
      return true;
    }) as typeof process.stdout.write;
  });
  afterEach(() => {
    process.stdout.write = write;
  });

  test("by our mistake is logged each time, with its stack", () => {
    for (let at = 0; at < 2; at++) logFailure("it failed", new TypeError("oops"), { job: "some" });
    expect(lines).toHaveLength(2);
    expect(JSON.parse(lines[0] ?? "")).toMatchObject({
      level: "error",
      message: "it failed",
      job: "some",
      cause: "TypeError: oops",
      stack: expect.stringContaining("trouble.test.ts"),
    });
  });

  test("on a full disk is logged once a minute, whatever fails, and when the query builder wraps it", () => {
    const error = fullDisk();
    logFailure("a request failed", error);
    logFailure("a job failed", error);
    logFailure("another failed", new Error("Failed query", { cause: error }));
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      expect.objectContaining({
        message: "a request failed",
        cause: expect.stringMatching(/^SQLITE_FULL: /),
      }),
    ]);
  });
});

describe("a trouble", () => {
  test("is news once, and another one too", () => {
    expect([mayLog("one"), mayLog("one"), mayLog("another")]).toEqual([true, false, true]);
  });
});
