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

/** The newest migration that the database holds; empty if there is none. */
export const newestApplied = (): string =>
  [...appliedMigrations().keys()].reduce((newest, tag) => (tag > newest ? tag : newest), "");

/** The time at which the database was made (epoch milliseconds): that of its first migration. */
export const madeAt = (): number =>
  sqlite.query<{ at: number }, []>("SELECT min(applied_at) AS at FROM __migrations").get()?.at ?? now();

/** The migrations that the database still lacks, oldest first. */
export function pendingMigrations(): string[] {
  const applied = appliedMigrations();
  return migrations.filter((migration) => !applied.has(migration.tag)).map((migration) => migration.tag);
}

/** Told of a migration that goes in steps: the records that it has done, and those to do in all. */
export type MigrationProgress = (tag: string, done: number, total: number) => void;

/**
 * Applies pending migrations, each in a transaction of its own, or in steps. Foreign keys are off meanwhile
 * (SQLite ignores the pragma inside a transaction, and rebuilding a table would delete its children) and
 * checked before each migration's last commit. `begin` is told of each migration before it runs. Returns the tags that
 * were applied.
 */
export function migrate(
  progress: MigrationProgress = () => {},
  begin: (tag: string) => void = () => {},
): string[] {
  const applied = appliedMigrations();
  const done: string[] = [];
  sqlite.run("PRAGMA foreign_keys = OFF");
  try {
    for (const migration of migrations) {
      const hash = new Bun.CryptoHasher("sha256").update(migration.sql).digest("hex");
      const before = applied.get(migration.tag);
      if (before === hash) continue;
      if (before !== undefined) throw new Error(`migration ${migration.tag} changed after it was applied`);
      begin(migration.tag);
      runMigration(migration, progress, () => {
        if (sqlite.query("PRAGMA foreign_key_check").all().length > 0)
          throw new Error(`migration ${migration.tag} would leave broken references`);
        sqlite.run("INSERT INTO __migrations VALUES (?, ?, ?)", [migration.tag, hash, now()]);
      });
      done.push(migration.tag);
    }
  } finally {
    sqlite.run("PRAGMA foreign_keys = ON");
  }
  return done;
}

interface Step {
  done: number;
  total: number;
  is_last: number;
}

/**
 * Runs the SQL of a migration; `conclude` shares its last commit. One that would take long has three parts,
 * divided by `--> step` and `--> finally`: a beginning, a step that is committed and repeated until its last
 * statement yields `is_last`, and an end. A process that is killed in between begins again at the beginning,
 * which must know by what the steps stored that there is something to go on with.
 */
export function runMigration(
  { tag, sql }: { tag: string; sql: string },
  progress: MigrationProgress = () => {},
  conclude: () => void = () => {},
): void {
  const [beginning = "", step, end] = sql.split(/^--> (?:step|finally)$/m);
  if (step === undefined || end === undefined) {
    commit(() => {
      runAll(beginning);
      conclude();
    });
    return;
  }
  commit(() => runAll(beginning));
  for (let isLast = false; !isLast; ) {
    const made = commit(() => {
      const statements = statementsOf(step);
      for (const statement of statements.slice(0, -1)) sqlite.run(statement);
      return sqlite.query<Step, []>(statements.at(-1) ?? "").get();
    });
    if (!made) throw new Error(`a step of migration ${tag} yields nothing`);
    progress(tag, made.done, made.total);
    isLast = made.is_last === 1;
  }
  commit(() => {
    runAll(end);
    conclude();
  });
}

const statementsOf = (sql: string): string[] => sql.split("--> statement-breakpoint");

function runAll(sql: string): void {
  for (const statement of statementsOf(sql)) sqlite.run(statement);
}

/** Commits work at once, before a server serves: nobody shares the transaction. */
export const commit = <T>(work: () => T): T => sqlite.transaction(work).immediate();
