import { afterEach, describe, expect, jest, spyOn, test } from "bun:test";
import { describeMigration } from "../../../src/server/backup/migration-watch";
import type { MigrationOrder, MigrationState } from "../../../src/server/backup/migration-worker";
import { manyUsers, olderDirectory, PENDING } from "../../support/older-database";
import { command } from "../../support/server";

/** Telling of migrations, before and while they run. */

describe("the line for a terminal", () => {
  test("says how many rows are touched, and by which migration most", () => {
    expect(
      describeMigration([
        { migration: "0001_one", rows: 12, bytes: 0 },
        { migration: "0002_two", rows: 2_000_000, bytes: 0 },
      ]),
    ).toBe(
      "2 migrations to apply, for which at most 2,000,012 rows are read or changed; the largest, 0002_two, takes 2,000,000.",
    );
    expect(describeMigration([{ migration: "0001_one", rows: 1, bytes: 0 }])).toBe(
      "1 migration to apply, for which at most 1 row is read or changed.",
    );
  });
});

test("the log says beforehand how many rows are touched, where they are many", async () => {
  const dataDir = olderDirectory(manyUsers(120_000));
  const { status, stdout } = await command(["migrate", "--no-backup", "--data-dir", dataDir]);
  const [line = "", ...rest] = stdout.split("\n");
  expect(JSON.parse(line)).toMatchObject({
    message: "the database is going to be migrated",
    migrations: PENDING.split(", ").length,
    largest: "0017_who_wrote_it",
    rows_of_largest: 120_000,
  });
  expect({ status, last: rest.at(-2) }).toEqual({ status: 0, last: `Applied ${PENDING}` });
});

describe("the thread that tells of the progress", () => {
  type Told = (event: { data: MigrationOrder | MigrationState }) => void;
  afterEach(() => {
    jest.useRealTimers();
  });

  /** Runs the worker's module here, on timers of the test. */
  async function start(order: MigrationOrder) {
    jest.useFakeTimers();
    const scope = globalThis as unknown as { onmessage: Told | null };
    await import("../../../src/server/backup/migration-worker");
    const tell = (data: MigrationOrder | MigrationState) => scope.onmessage?.({ data } as never);
    tell(order);
    return tell;
  }

  test("logs a line each ten seconds, or shows one that changes on a terminal", async () => {
    const out = spyOn(process.stdout, "write").mockImplementation(() => true);
    const err = spyOn(process.stderr, "write").mockImplementation(() => true);
    try {
      const tell = await start({ isTerminal: false, level: "info", format: "json" });
      jest.advanceTimersByTime(10_000);
      expect(out).toHaveBeenCalledTimes(0);
      tell({ what: "0022_lists_by_time", done: 500_000, total: 2_000_000 });
      jest.advanceTimersByTime(10_000);
      tell({ what: "0024_data_in" });
      jest.advanceTimersByTime(20_000);
      const lines = out.mock.calls.map(([text]) => JSON.parse(String(text)));
      expect(lines.map(({ message, migration, progress }) => [message, migration, progress])).toEqual([
        ["the database is being migrated", "0022_lists_by_time", "500,000 of 2,000,000"],
        ["the database is being migrated", "0024_data_in", undefined],
        ["the database is being migrated", "0024_data_in", undefined],
      ]);
      expect(err).toHaveBeenCalledTimes(0);
      tell({ isTerminal: true, level: "info", format: null });
      jest.advanceTimersByTime(500);
      expect(err.mock.calls.map(([text]) => String(text))).toEqual([
        expect.stringContaining("0024_data_in: "),
      ]);
    } finally {
      out.mockRestore();
      err.mockRestore();
    }
  });
});
