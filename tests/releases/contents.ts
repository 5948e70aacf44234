import { Database } from "bun:sqlite";

/** The number of rows of each table. */
export function countsOf(file: string): Record<string, number> {
  const database = new Database(file, { readwrite: true, create: false });
  try {
    return Object.fromEntries(
      namesOf(database).map((name) => [
        name,
        database.query<{ n: number }, []>(`SELECT count(*) AS n FROM "${name}"`).get()?.n ?? 0,
      ]),
    );
  } finally {
    database.close();
  }
}

/** The tables of a database; what SQLite keeps for virtual ones is among them. */
function namesOf(database: Database): string[] {
  const tables = database.prepare<{ name: string }, []>(
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL %' ORDER BY name",
  );
  const names = tables.all().map(({ name }) => name);
  tables.finalize();
  return names;
}

/** The hash of each table's rows and of the schema, to compare databases by what they hold, in whatever order. */
export function contentsOf(file: string): Record<string, string> {
  const database = new Database(file, { readwrite: true, create: false });
  try {
    const hashes: Record<string, string> = {};
    const hash = (name: string, sql: string) => {
      const hasher = new Bun.CryptoHasher("sha256");
      const rows = database.prepare(sql);
      // Blobs come as bytes, which JSON shows as numbers.
      for (const row of rows
        .values()
        .map((values) => JSON.stringify(values))
        .sort())
        hasher.update(row);
      rows.finalize();
      hashes[name] = hasher.digest("hex");
    };
    hash("the schema", "SELECT type, name, tbl_name, sql FROM sqlite_schema");
    for (const name of namesOf(database)) hash(name, `SELECT * FROM "${name}"`);
    return hashes;
  } finally {
    database.close();
  }
}
