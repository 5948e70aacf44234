import type { Database } from "bun:sqlite";

/** The rows of a query that runs once. A statement that is not finalized would keep the database open. */
export function rows(database: Database, sql: string): unknown[][] {
  const query = database.prepare(sql);
  try {
    return query.values();
  } finally {
    query.finalize();
  }
}
