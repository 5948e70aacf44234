import { spyOn } from "bun:test";
import { type Config, loadConfig } from "../../src/configuration/config";
import { sqlite } from "../../src/kernel/db/connection";
import { environmentOf, type Settings, temporaryDirectory } from "./server";

/** Parts of the program in the test's own process. */

/** Sets the configuration of this process, as a server would have it. */
export const configure = (settings: Settings = {}): Config =>
  loadConfig({ environment: environmentOf({ "data.dir": temporaryDirectory(), ...settings }) });

/** The value of a counter in the database; null when it has no row. */
export const storedCounter = (name: string): number | null =>
  sqlite.query<{ value: number }, [string]>("SELECT value FROM counters WHERE name = ?").get(name)?.value ??
  null;

/** The SQL of each statement that `act` prepares: on a newly opened database, of all that it runs. */
export async function preparedBy(act: () => unknown): Promise<string[]> {
  const spies = [spyOn(sqlite, "prepare"), spyOn(sqlite, "query")];
  try {
    await act();
    return [...new Set(spies.flatMap((spy) => spy.mock.calls.map(([sql]) => String(sql))))];
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
}

/** SQLite's plan for a statement, line by line. */
export const planOf = (sql: string): string[] =>
  sqlite
    .query<{ detail: string }, []>(`EXPLAIN QUERY PLAN ${sql}`)
    .all()
    .map(({ detail }) => detail);
