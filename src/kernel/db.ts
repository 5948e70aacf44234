import { sqlite, statement } from "./connection";
import { isStoreTrouble } from "./errors";
import { describeError, log } from "./log";
import { isNews } from "./trouble";

export { db, openDatabase, sqlite, statement } from "./connection";

/**
 * Moves the write-ahead log's content into the database and empties the log, so that deleted data is in
 * neither. A reader of an older state (a backup) may prevent that; then the log is overwritten as it is used
 * again.
 */
export function emptyWriteAheadLog(): void {
  endReading();
  sqlite.run("PRAGMA wal_checkpoint(TRUNCATE)");
}

/** Commits the queued jobs, then closes the connection. */
export function closeDatabase(): void {
  endReading();
  while (queue.length > 0) flush();
  sqlite.close(false);
}

// --- Reading together -------------------------------------------------------------------------------------

const beginReading = statement(() => sqlite.prepare("BEGIN"));
let isReading = false;

/**
 * Reads until the end of this turn of the event loop see one state of the database: SQLite then locks and
 * looks for the newest state once, not for each statement. Many requests share a turn; a commit ends it.
 */
export function readTogether(): void {
  if (isReading || current) return;
  beginReading().run();
  isReading = true;
  setImmediate(endReading);
}

function endReading(): void {
  if (!isReading) return;
  isReading = false;
  // An error of the disk ends a transaction by itself.
  if (sqlite.inTransaction) commit().run();
}

// --- Transactions -----------------------------------------------------------------------------------------

interface Job {
  work: () => unknown;
  isRepeatable: boolean;
  resolve: (value: unknown) => void;
  reject: (reason: unknown) => void;
  effects: (() => void)[];
  deltas: Map<string, number>;
  /** Counters that it removed: changes to them by earlier jobs of the same commit are void. */
  removed: string[];
}

/** A transaction that holds the event loop for longer than this many use cases is split. */
const JOBS_PER_COMMIT = 1_000;

/** See `rememberedSince`. */
let epoch = 0;

/** Number of transactions that failed as a whole since the start, as on a full disk. */
export let failedTransactions = 0;

/** Number of use cases that wait for their transaction. */
export const waitingJobs = (): number => queue.length;

const queue: Job[] = [];
/** Jobs of the open transaction that have run. */
let settled: Job[] = [];
let scheduled = false;
let current: Job | null = null;

/**
 * Argument of `transact`: a function that returns no promise, since SQLite would commit at its first await.
 */
export type Work<T> = () => T extends PromiseLike<unknown> ? never : T;

/**
 * Runs `work` in a transaction and resolves once it is committed, so an answer that awaits it is never sent
 * for a change that a power cut could undo. Use cases of one turn of the event loop share a commit (and its
 * fsync), each in a savepoint of its own: one that throws undoes only itself and rejects with what it threw.
 * Statements go through `db` or `sqlite` as always; hash passwords and call networks before, not inside.
 *
 * `repeatable` says that `work` changes nothing but the database and what it remembers of it (kernel/remembered.ts), so that
 * it may run again: a commit of such jobs alone is made in one savepoint, and made anew with one for each if a job
 * throws. For the hottest paths.
 */
export function transact<T>(work: Work<T>, how?: "repeatable"): Promise<T> {
  if (current) throw new Error("transact inside transact: call the inner function directly");
  return new Promise<T>((resolve, reject) => {
    queue.push({
      work,
      isRepeatable: how === "repeatable",
      resolve: resolve as Job["resolve"],
      reject,
      effects: [],
      deltas: new Map(),
      removed: [],
    });
    if (!scheduled) {
      scheduled = true;
      setImmediate(flush);
    }
  });
}

/** True inside `transact`. */
export function inTransaction(): boolean {
  return current !== null;
}

/**
 * Runs `effect` once the current transaction is committed, before its promise resolves; never if it fails.
 * Caches are dropped and messages sent here.
 */
export function afterCommit(effect: () => void): void {
  if (!current) throw new Error("afterCommit outside transact");
  current.effects.push(effect);
}

/**
 * For kernel/remembered.ts: a number that stays the same while everything that repeatable use cases have read
 * is unchanged. Another kind of use case, a rollback, another process's write or another database raises it.
 * Null outside of repeatable use cases.
 */
export const rememberedSince = (): number | null => (current?.isRepeatable ? epoch : null);

const begin = statement(() => sqlite.prepare("BEGIN IMMEDIATE"));
const commit = statement(() => sqlite.prepare("COMMIT"));
const rollback = statement(() => sqlite.prepare("ROLLBACK"));
const savepoint = statement(() => sqlite.prepare("SAVEPOINT job"));
const release = statement(() => sqlite.prepare("RELEASE job"));
const rollbackToSavepoint = statement(() => sqlite.prepare("ROLLBACK TO job"));

/**
 * Longest wait for a write lock that another process holds, and the pause between two attempts
 * (milliseconds).
 */
const LOCK_PATIENCE = 5_000;
const LOCK_PAUSE = 20;

/** When the lock was found taken (performance.now milliseconds); null while it is free. */
let lockedSince: number | null = null;

/**
 * From now on the wait for another process's lock happens between turns of the event loop, where reads go on:
 * SQLite itself would wait inside the statement and block them.
 */
export function waitOutsideStatements(): void {
  sqlite.run("PRAGMA busy_timeout = 5");
}

/** Begins a transaction. False while another process holds the lock: the queue is then tried again soon. */
function beginOrWait(): boolean {
  try {
    begin().run();
    lockedSince = null;
    noteOthers();
    return true;
  } catch (error) {
    const isLocked = (error as { code?: string }).code === "SQLITE_BUSY";
    if (isLocked) lockedSince ??= performance.now();
    if (!isLocked || performance.now() - (lockedSince ?? 0) > LOCK_PATIENCE) throw error;
    setTimeout(flush, LOCK_PAUSE);
    return false;
  }
}

/** Grows with the commits of other connections (SQLite's PRAGMA data_version). */
const othersVersion = statement(() => {
  epoch++;
  return sqlite.prepare<{ data_version: number }, []>("PRAGMA data_version");
});
let knownOthers = 0;

function noteOthers(): void {
  const version = othersVersion().get()?.data_version ?? 0;
  if (version !== knownOthers) epoch++;
  knownOthers = version;
}

/** Takes the jobs of one transaction off the queue; the rest is scheduled for the next. */
function takeJobs(): Job[] {
  const jobs = queue.splice(0, JOBS_PER_COMMIT);
  scheduled = queue.length > 0;
  if (scheduled) setImmediate(flush);
  return jobs;
}

/** Set after a failure: on a nearly full disk small changes succeed between larger ones that fail. */
let isRefusing = false;

function noteFailure(error: unknown): void {
  if (!isStoreTrouble(error)) return;
  isRefusing = true;
  if (!isNews("no writes")) return;
  log.error(
    "the database takes no writes, and whoever wants to change something gets 503 until it does: make room on the disk, mount it writable, or end what holds its lock (`fairlead doctor` tells more)",
    { why: `${error.code}: ${error.message}` },
  );
}

function noteSuccess(): void {
  if (isRefusing && isNews("writes again")) log.info("the database takes writes again");
  isRefusing = false;
}

interface Outcome {
  succeeded: { job: Job; result: unknown }[];
  failed: { job: Job; error: unknown }[];
}

function flush(): void {
  endReading();
  if (queue.length === 0) return;
  let jobs: Job[] = [];
  let outcome: Outcome;
  try {
    if (!beginOrWait()) return;
    jobs = takeJobs();
    outcome = (jobs.every(({ isRepeatable }) => isRepeatable) && runTogether(jobs)) || runEach(jobs);
    writeCounters(settled);
    commit().run();
  } catch (error) {
    failedTransactions++;
    noteFailure(error);
    epoch++;
    current = null;
    settled = [];
    if (sqlite.inTransaction) rollback().run();
    for (const job of jobs.length > 0 ? jobs : takeJobs()) job.reject(error);
    return;
  }
  const { succeeded, failed } = outcome;
  settled = [];
  noteSuccess();
  for (const { job, result } of succeeded) {
    job.resolve(result);
    for (const effect of job.effects) {
      try {
        effect();
      } catch (error) {
        log.error("an effect of a committed change failed", describeError(error));
      }
    }
  }
  for (const { job, error } of failed) job.reject(error);
}

/** Runs jobs in one savepoint. Returns null, with everything undone, if one throws. */
function runTogether(jobs: Job[]): Outcome | null {
  const succeeded: Outcome["succeeded"] = [];
  savepoint().run();
  try {
    for (const job of jobs) {
      current = job;
      succeeded.push({ job, result: job.work() });
      settled.push(job);
    }
  } catch (error) {
    if (!sqlite.inTransaction) throw error;
    rollbackToSavepoint().run();
    epoch++;
    settled = [];
    for (const job of jobs) Object.assign(job, { effects: [], deltas: new Map(), removed: [] });
  }
  current = null;
  release().run();
  return succeeded.length === jobs.length ? { succeeded, failed: [] } : null;
}

/** Runs jobs in a savepoint each, so that one that throws undoes itself alone. */
function runEach(jobs: Job[]): Outcome {
  const outcome: Outcome = { succeeded: [], failed: [] };
  for (const job of jobs) {
    savepoint().run();
    current = job;
    try {
      const result = job.work();
      current = null;
      release().run();
      settled.push(job);
      outcome.succeeded.push({ job, result });
      if (!job.isRepeatable) epoch++;
    } catch (error) {
      current = null;
      epoch++;
      // A full disk and the like make SQLite roll the whole transaction back by itself.
      if (!sqlite.inTransaction) throw error;
      rollbackToSavepoint().run();
      release().run();
      outcome.failed.push({ job, error });
    }
  }
  return outcome;
}

// --- Counters ---------------------------------------------------------------------------------------------

const addToCounter = statement(() =>
  sqlite.prepare<unknown, [string, number]>(
    "INSERT INTO counters (name, value) VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET value = value + ?2",
  ),
);
const readCounter = statement(() =>
  sqlite.prepare<{ value: number }, [string]>("SELECT value FROM counters WHERE name = ?"),
);

/**
 * Adds to a named counter in the current transaction. Counting rows costs more the more there are; a counter
 * costs the same always. The sum of a commit's changes is written once, just before it: `counter` read inside
 * the same transaction doesn't see them yet.
 */
export function adjustCounter(name: string, by: number): void {
  if (!current) throw new Error("adjustCounter outside transact");
  current.deltas.set(name, (current.deltas.get(name) ?? 0) + by);
}

/** The committed value of a counter; 0 for one that was never adjusted. */
export function counter(name: string): number {
  return readCounter().get(name)?.value ?? 0;
}

/** The value of a counter including the open transaction's changes. */
export function counterNow(name: string): number {
  if (!current) throw new Error("counterNow outside transact");
  let value = counter(name);
  for (const { removed, deltas } of [...settled, current]) {
    if (removed.some((gone) => isOf(gone, name))) value = 0;
    value += deltas.get(name) ?? 0;
  }
  return value;
}

/**
 * A part's name is its counter's name, a space and a name of its own: "trip_points X" and "trip_points X day
 * 00020514".
 */
const isOf = (counter: string, name: string): boolean => name === counter || name.startsWith(`${counter} `);

const dropCounter = statement(() => sqlite.prepare<unknown, [string]>("DELETE FROM counters WHERE name = ?"));
// The range from a space to the character after it: the index finds the parts.
const dropParts = statement(() =>
  sqlite.prepare<unknown, [string, number]>(
    `DELETE FROM counters WHERE name IN
       (SELECT name FROM counters WHERE name >= ?1 || ' ' AND name < ?1 || '!' LIMIT ?2)`,
  ),
);
const dropIfZero = statement(() =>
  sqlite.prepare<unknown, [string]>("DELETE FROM counters WHERE name = ? AND value = 0"),
);

/**
 * Removes a counter in the current transaction, and the open transaction's changes to it and its parts. The
 * parts themselves, which may be hundreds of thousands, are left to `removeParts`.
 */
export function removeCounter(name: string): void {
  if (!current) throw new Error("removeCounter outside transact");
  for (const adjusted of current.deltas.keys()) if (isOf(name, adjusted)) current.deltas.delete(adjusted);
  current.removed.push(name);
  dropCounter().run(name);
}

/**
 * Removes at most `limit` parts of a counter in the current transaction, and returns how many: ten thousand
 * take some 50 ms.
 */
export function removeParts(name: string, limit: number): number {
  if (!current) throw new Error("removeParts outside transact");
  return dropParts().run(name, limit).changes;
}

function writeCounters(jobs: Job[]): void {
  const totals = new Map<string, number>();
  for (const { removed, deltas } of jobs) {
    for (const gone of removed) for (const name of totals.keys()) if (isOf(gone, name)) totals.delete(name);
    for (const [name, by] of deltas) totals.set(name, (totals.get(name) ?? 0) + by);
  }
  for (const [name, by] of totals) {
    if (by !== 0) addToCounter().run(name, by);
    if (by < 0) dropIfZero().run(name);
  }
}
