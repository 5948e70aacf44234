import { Database } from "bun:sqlite";
import { constants, copyFileSync, existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { migrations } from "../../src/kernel/db/migrations.gen";
import { randomFrom } from "../support/random";
import { countsOf } from "./contents";

/** Upgrades of one database, some of them killed, and what is left afterwards. */

const MAIN = join(import.meta.dir, "../../src/main.ts");
const NEWEST = migrations.at(-1)?.tag ?? "";

/** The content that an upgrade must keep, and at which each must arrive. */
interface Content {
  /** SHA-256 over the positions in their order, in the columns that the older version had. */
  positions: string;
  /** SHA-256 over the counters, which migrations compute. */
  counters: string;
  /** Rows of each table. */
  counts: Record<string, number>;
}

/** Rows that one query reads: the whole table would fill the memory. */
const BATCH = 50_000;

/** Tables that the migrations empty and drop: what waited in them waits elsewhere. */
const DROPPED = ["email_queue"];

export class Trial {
  readonly #source: string;
  readonly #directory: string;
  readonly #columns: string[];
  readonly #before: Content;
  readonly #after: Content;
  /** Seconds of the upgrade that nobody killed. */
  readonly #seconds: number;
  /** Kills by the newest migration that the database held then. */
  readonly #killedAt = new Map<string, number>();
  #runs = 0;
  #late = 0;

  private constructor(
    source: string,
    directory: string,
    columns: string[],
    contents: { before: Content; after: Content },
    seconds: number,
  ) {
    this.#source = source;
    this.#directory = directory;
    this.#columns = columns;
    this.#before = contents.before;
    this.#after = contents.after;
    this.#seconds = seconds;
  }

  /** Makes the database by the older version, and upgrades one copy without a kill. */
  static async prepare(
    checkout: string,
    points: number,
    directory: string,
    say: (line: string) => void,
  ): Promise<Trial> {
    const source = join(directory, "source");
    const made = await makeDatabase(checkout, source, points);
    say(`a database of ${points.toLocaleString("en")} positions is made (${made} s)`);
    const columns = columnsOf(fileIn(source));
    const before = contentOf(fileIn(source), columns);
    const whole = copyTo(source, join(directory, "whole"));
    const started = performance.now();
    await migrate(whole, null);
    const seconds = (performance.now() - started) / 1_000;
    const after = contentOf(fileIn(whole), columns);
    requireKept(before, after);
    rmSync(whole, { recursive: true });
    say(`an upgrade that nobody kills takes ${seconds.toFixed(1)} s, with the copy that it makes before`);
    return new Trial(source, directory, columns, { before, after }, seconds);
  }

  /** Upgrades a copy with kills at random moments, and rolls it back. Returns what happened; throws if anything is lost. */
  async run(seed: number, kills: number): Promise<string> {
    const random = randomFrom(seed);
    const place = join(this.#directory, "run");
    copyTo(this.#source, place);
    try {
      const moments: string[] = [];
      // A copy that is done before the first kill is upgraded anew, and killed sooner.
      for (let [left, within] = [kills, this.#seconds]; left > 0; ) {
        const after = random() * within;
        if (await migrate(place, after)) {
          this.#late++;
          if (moments.length > 0) break;
          rmSync(place, { recursive: true });
          copyTo(this.#source, place);
          within *= 0.6;
          continue;
        }
        const state = newestIn(fileIn(place));
        this.#killedAt.set(state, (this.#killedAt.get(state) ?? 0) + 1);
        moments.push(`${after.toFixed(1)} s (${state})`);
        left--;
      }
      await migrate(place, null);
      const content = contentOf(fileIn(place), this.#columns);
      requireKept(this.#before, content);
      requireSame(this.#after, content, "an upgrade that was killed arrives elsewhere than one that wasn't");
      await command(["rollback", "--data-dir", place]);
      requireSame(
        this.#before,
        contentOf(fileIn(place), this.#columns),
        "the rollback gives another database back",
      );
      this.#runs++;
      return `killed after ${moments.join(", ") || "nothing"}; nothing is lost, and it is rolled back`;
    } finally {
      rmSync(place, { recursive: true, force: true });
    }
  }

  /** The figures of all runs. */
  report(): string {
    const killed = [...this.#killedAt].sort().map(([tag, count]) => `  ${count} after ${tag}`);
    const all = [...this.#killedAt.values()].reduce((sum, count) => sum + count, 0);
    return [
      `${this.#runs} upgrades held: 0 positions lost or changed, 0 rows lost, each rolled back whole`,
      `${all} kills, by the newest migration that was applied then (${this.#late} more came after the end):`,
      ...killed,
    ].join("\n");
  }
}

const fileIn = (directory: string): string => join(directory, "fairlead.db");

/** Makes the database by the older version's own preparation of its benchmark; returns the seconds that took. */
async function makeDatabase(checkout: string, directory: string, points: number): Promise<number> {
  const script = `
    const { Preparation } = await import(${JSON.stringify(join(checkout, "tests/bench/prepare.ts"))});
    const preparation = await Preparation.start(${JSON.stringify(directory)}, ${points});
    await preparation.growPoints(${points});
    preparation.finish();
    process.exit(0);`;
  const started = performance.now();
  const child = Bun.spawn([process.execPath, "-e", script], {
    ...{ cwd: checkout, stdin: "ignore", stdout: "ignore", stderr: "inherit" },
  });
  if ((await child.exited) !== 0)
    throw new Error(`${checkout} can't prepare a database; are its packages installed?`);
  return Math.round((performance.now() - started) / 1_000);
}

/** A copy of a data directory, which shares its blocks where the file system can. */
function copyTo(from: string, to: string): string {
  mkdirSync(to, { mode: 0o700 });
  for (const name of readdirSync(from))
    if (name !== "server.lock") copyFileSync(join(from, name), join(to, name), constants.COPYFILE_FICLONE);
  return to;
}

/** Runs the upgrade, and kills it after a time in seconds. True if it had ended before. */
async function migrate(directory: string, killAfter: number | null): Promise<boolean> {
  const child = Bun.spawn([process.execPath, MAIN, "migrate", "--data-dir", directory], {
    ...{ cwd: directory, stdin: "ignore", stdout: "ignore", stderr: "pipe" },
  });
  const timer = killAfter === null ? null : setTimeout(() => child.kill("SIGKILL"), killAfter * 1_000);
  const complaint = await new Response(child.stderr).text();
  const status = await child.exited;
  if (timer !== null) clearTimeout(timer);
  if (child.signalCode === "SIGKILL" && killAfter !== null) return false;
  if (status !== 0) throw new Error(`the upgrade failed: ${complaint}`);
  if (newestIn(fileIn(directory)) !== NEWEST) throw new Error("the upgrade ended before its last migration");
  return true;
}

async function command(args: string[]): Promise<void> {
  const child = Bun.spawn([process.execPath, MAIN, ...args], {
    ...{ stdin: "ignore", stdout: "ignore", stderr: "pipe" },
  });
  const complaint = await new Response(child.stderr).text();
  if ((await child.exited) !== 0) throw new Error(`${args[0]} failed: ${complaint}`);
}

function reading<T>(file: string, work: (database: Database) => T): T {
  if (!existsSync(file)) throw new Error(`there is no database ${file}`);
  // Writable: after a kill its log has to be taken in.
  const database = new Database(file, { readwrite: true, create: false });
  try {
    return work(database);
  } finally {
    database.close();
  }
}

const newestIn = (file: string): string =>
  reading(
    file,
    (database) =>
      database.query<{ tag: string }, []>("SELECT max(tag) AS tag FROM __migrations").get()?.tag ?? "none",
  );

const columnsOf = (file: string): string[] =>
  reading(file, (database) =>
    database
      .query<{ name: string }, []>("SELECT name FROM pragma_table_info('gps_points')")
      .all()
      .map(({ name }) => name),
  );

function contentOf(file: string, columns: string[]): Content {
  const { positions, counters } = reading(file, (database) => ({
    positions: hashPositions(database, columns),
    counters: hash([database.query("SELECT name, value FROM counters ORDER BY name").values()]),
  }));
  return { positions, counters, counts: countsOf(file) };
}

function hashPositions(database: Database, columns: string[]): string {
  const next = database.prepare<unknown, [number]>(
    `SELECT rowid, ${columns.join(", ")} FROM gps_points WHERE rowid > ? ORDER BY rowid LIMIT ${BATCH}`,
  );
  try {
    return hash(batches((from) => next.values(from) as unknown[][]));
  } finally {
    next.finalize();
  }
}

function* batches(read: (from: number) => unknown[][]): Generator<unknown[][]> {
  for (let from = 0; ; ) {
    const rows = read(from);
    const last = rows.at(-1);
    if (!last) return;
    yield rows;
    from = Number(last[0]);
  }
}

function hash(parts: Iterable<unknown>): string {
  const hasher = new Bun.CryptoHasher("sha256");
  for (const part of parts) hasher.update(JSON.stringify(part));
  return hasher.digest("hex");
}

/** Throws unless all positions and the rows of all tables are there. */
function requireKept(before: Content, after: Content): void {
  if (before.positions !== after.positions) throw new Error("the upgrade changes positions");
  for (const [table, count] of Object.entries(before.counts))
    if (!DROPPED.includes(table) && (after.counts[table] ?? 0) < count)
      throw new Error(`the upgrade loses rows of ${table}: ${after.counts[table] ?? 0} of ${count}`);
}

function requireSame(wanted: Content, found: Content, complaint: string): void {
  if (Bun.deepEquals(wanted, found)) return;
  const tables = Object.keys({ ...wanted.counts, ...found.counts }).filter(
    (table) => wanted.counts[table] !== found.counts[table],
  );
  const parts = (["positions", "counters"] as const).filter((part) => wanted[part] !== found[part]);
  throw new Error(`${complaint}: ${[...parts, ...tables].join(", ")}`);
}
