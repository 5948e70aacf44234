import { OperatorError } from "../process/operator";
import { now } from "../time/clock";
import { sqlite } from "./connection";
import { migrations } from "./migrations.gen";

/** The database was written by a newer Fairlead: this version can't know the meaning of its tables. */
export class NewerDatabaseError extends OperatorError {}

function appliedMigrations(): Map<string, string> {
  sqlite.run(
    "CREATE TABLE IF NOT EXISTS __migrations (tag TEXT PRIMARY KEY, hash TEXT NOT NULL, applied_at INTEGER NOT NULL) STRICT",
  );
  const rows = sqlite.query<{ tag: string; hash: string }, []>("SELECT tag, hash FROM __migrations").all();
  const known = new Set(migrations.map((migration) => migration.tag));
  const unknown = rows.find((row) => !known.has(row.tag));
  if (unknown)
    throw new NewerDatabaseError(
      `the database was written by a newer version of Fairlead (it holds migration ${unknown.tag}); install that version, or restore a backup from before the upgrade`,
    );
  return new Map(rows.map((row) => [row.tag, row.hash]));
}

/** The newest migration of this version, which names its schema. */
export const newestMigration = (): string => migrations.at(-1)?.tag ?? "";

/** The migrations that the database still lacks, oldest first. */
export function pendingMigrations(): string[] {
  const applied = appliedMigrations();
  return migrations.filter((migration) => !applied.has(migration.tag)).map((migration) => migration.tag);
}

/**
 * Applies pending migrations, each in a transaction of its own. Foreign keys are off meanwhile (SQLite ignores
 * the pragma inside a transaction, and rebuilding a table would delete its children) and checked before each
 * commit. Returns the tags that were applied.
 */
export function migrate(): string[] {
  const applied = appliedMigrations();
  const done: string[] = [];
  sqlite.run("PRAGMA foreign_keys = OFF");
  try {
    for (const migration of migrations) {
      const hash = new Bun.CryptoHasher("sha256").update(migration.sql).digest("hex");
      const before = applied.get(migration.tag);
      if (before === hash) continue;
      if (before !== undefined) throw new Error(`migration ${migration.tag} changed after it was applied`);
      sqlite
        .transaction(() => {
          for (const part of migration.sql.split("--> statement-breakpoint")) sqlite.run(part);
          if (sqlite.query("PRAGMA foreign_key_check").all().length > 0)
            throw new Error(`migration ${migration.tag} would leave broken references`);
          sqlite.run("INSERT INTO __migrations VALUES (?, ?, ?)", [migration.tag, hash, now()]);
        })
        .immediate();
      done.push(migration.tag);
    }
  } finally {
    sqlite.run("PRAGMA foreign_keys = ON");
  }
  return done;
}
