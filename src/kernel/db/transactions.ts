import { isStoreTrouble } from "../errors/errors";
import { mayLog } from "../errors/trouble";
import { describeError, log } from "../logs/log";
import { scheduleTurnEnd } from "../time/turn-end";
import { dropPutOff, putOff, sqlite, statement, writePutOff } from "./connection";
import {
  type CounterChanges,
  collectChanges,
  dropChanges,
  noChanges,
  settleChanges,
  writeChanges,
} from "./counters";
import { endSharedRead } from "./reads";

interface Job {
  work: () => unknown;
  isRetryable: boolean;
  resolve: (value: unknown) => void;
  reject: (reason: unknown) => void;
  effects: (() => void)[];
}

/** A transaction that holds the event loop for longer than this many use cases is split. */
const JOBS_PER_COMMIT = 1_000;

/** See `cacheEpoch`. */
let epoch = 0;

/** See `undoneSince`. */
let undone = 0;

/** Number of transactions that failed as a whole since the start, as on a full disk. */
export let failedTransactions = 0;

/** Number of use cases that wait for their transaction. */
export const waitingJobs = (): number => queue.length;

const queue: Job[] = [];
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
 * `retryable` says that `work` changes nothing but the database and what it remembers of it (transaction-cache.ts), so that
 * it may run again: a commit of such jobs alone is made without savepoints, and made anew with one for each if a job
 * throws, as are the next commits. For the hottest paths.
 */
export function transact<T>(work: Work<T>, how?: "retryable"): Promise<T> {
  if (current) throw new Error("transact inside transact: call the inner function directly");
  return new Promise<T>((resolve, reject) => {
    queue.push({
      work,
      isRetryable: how === "retryable",
      resolve: resolve as Job["resolve"],
      reject,
      effects: [],
    });
    scheduleCommit();
  });
}

/**
 * Commits in this turn of the event loop, right after its end. A use case that waited for that end is then
 * committed and answered before anything else is read: see kernel/pipelining.ts.
 */
export function scheduleCommit(): void {
  scheduleTurnEnd();
  if (scheduled) return;
  scheduled = true;
  setImmediate(flush);
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
 * Runs `write` in the current transaction before any other statement, at the latest before its savepoint ends; never if the
 * use cases of that savepoint fail. For rows that each fix writes: one after the other they cost less than with other work
 * between them, since SQLite's pages and code stay in the processor's cache.
 */
export function writeLater(write: () => void): void {
  if (!current) throw new Error("writeLater outside transact");
  putOff(write);
}

/**
 * For transaction-cache.ts: a number that stays the same while everything that retryable use cases have read
 * is unchanged. Another kind of use case, a rollback, another process's write or another database raises it.
 * Null outside of retryable use cases.
 */
export const cacheEpoch = (): number | null => (current?.isRetryable ? epoch : null);

/**
 * A number that stays the same while every use case that ran was kept, and no other process has written: what a use case has
 * noted of the state that it left still holds.
 */
export const undoneSince = (): number => undone;

const beforeCommits: (() => void)[] = [];

/** Calls `write` before each commit of use cases: what each of them would write anew is written once. */
export function beforeEachCommit(write: () => void): void {
  beforeCommits.push(write);
}

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
const LONGEST_LOCK = 5_000;
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
    if (!isLocked || performance.now() - (lockedSince ?? 0) > LONGEST_LOCK) throw error;
    setTimeout(flush, LOCK_PAUSE);
    return false;
  }
}

/** Grows with the commits of other connections (SQLite's PRAGMA data_version). */
const othersVersion = statement(() => {
  epoch++;
  undone++;
  return sqlite.prepare<{ data_version: number }, []>("PRAGMA data_version");
});
let knownOthers = 0;

const ofOthers: (() => void)[] = [];

/** Calls `forget` whenever the next transaction finds that another process has written: a command, for one. */
export function afterOthersWrote(forget: () => void): void {
  ofOthers.push(forget);
}

function noteOthers(): void {
  const version = othersVersion().get()?.data_version ?? 0;
  if (version === knownOthers) return;
  knownOthers = version;
  epoch++;
  undone++;
  for (const forget of ofOthers) forget();
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
  if (!mayLog("no writes")) return;
  log.error(
    "the database takes no writes, and whoever wants to change something gets 503 until it does: make room on the disk, mount it writable, or end what holds its lock (`fairlead doctor` tells more)",
    { why: `${error.code}: ${error.message}` },
  );
}

function noteSuccess(): void {
  if (isRefusing && mayLog("writes again")) log.info("the database takes writes again");
  isRefusing = false;
}

/**
 * Number of transactions in which each retryable job has a savepoint, after one that threw. Where many throw, each common one would be
 * made twice; and a long job that had used up its turn's time would find none when it runs again, and get no further.
 */
const TRANSACTIONS_APART = 100;
let apart = 0;

interface Outcome {
  succeeded: { job: Job; result: unknown }[];
  failed: { job: Job; error: unknown }[];
}

function flush(): void {
  endSharedRead();
  if (queue.length === 0) {
    scheduled = false;
    return;
  }
  let jobs: Job[] = [];
  let outcome: Outcome;
  try {
    if (!beginOrWait()) return;
    jobs = takeJobs();
    const ran =
      apart > 0 || !jobs.every(({ isRetryable }) => isRetryable) ? runEach(jobs) : runTogether(jobs);
    const hasThrown = ran === null || ran.failed.some(({ job }) => job.isRetryable);
    apart = hasThrown ? TRANSACTIONS_APART : Math.max(0, apart - 1);
    if (ran === null) {
      queue.unshift(...jobs);
      flush();
      return;
    }
    outcome = ran;
    for (const write of beforeCommits) write();
    writeChanges();
    commit().run();
  } catch (error) {
    failedTransactions++;
    noteFailure(error);
    epoch++;
    undone++;
    current = null;
    dropPutOff();
    dropChanges();
    if (sqlite.inTransaction) rollback().run();
    for (const job of jobs.length > 0 ? jobs : takeJobs()) job.reject(error);
    return;
  }
  const { succeeded, failed } = outcome;
  dropChanges();
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

/** Makes a job the one that runs now, with its changes to counters. */
function enter(job: Job, counters: CounterChanges): void {
  current = job;
  collectChanges(counters);
}

function leave(): void {
  current = null;
  collectChanges(null);
}

/**
 * Runs jobs without a savepoint, for which SQLite would copy each page that they change. Returns null if one throws: the
 * transaction is then undone as a whole.
 */
function runTogether(jobs: Job[]): Outcome | null {
  const succeeded: Outcome["succeeded"] = [];
  const counters = noChanges();
  try {
    for (const job of jobs) {
      enter(job, counters);
      succeeded.push({ job, result: job.work() });
    }
    writePutOff();
  } catch (error) {
    dropPutOff();
    if (!sqlite.inTransaction) throw error;
    rollback().run();
    epoch++;
    undone++;
    for (const job of jobs) job.effects = [];
    leave();
    return null;
  }
  leave();
  settleChanges(counters);
  return { succeeded, failed: [] };
}

/** Runs jobs in a savepoint each, so that one that throws undoes itself alone. */
function runEach(jobs: Job[]): Outcome {
  const outcome: Outcome = { succeeded: [], failed: [] };
  for (const job of jobs) {
    const counters = noChanges();
    savepoint().run();
    enter(job, counters);
    try {
      const result = job.work();
      writePutOff();
      leave();
      release().run();
      settleChanges(counters);
      outcome.succeeded.push({ job, result });
      if (!job.isRetryable) epoch++;
    } catch (error) {
      dropPutOff();
      leave();
      epoch++;
      undone++;
      // A full disk and the like make SQLite roll the whole transaction back by itself.
      if (!sqlite.inTransaction) throw error;
      rollbackToSavepoint().run();
      release().run();
      outcome.failed.push({ job, error });
    }
  }
  return outcome;
}

// --- The file ---------------------------------------------------------------------------------------------

/**
 * Moves the write-ahead log's content into the database and empties the log, so that deleted data is in
 * neither. A reader of an older state (a backup) may prevent that; then the log is overwritten as it is used
 * again.
 */
export function emptyWriteAheadLog(): void {
  endSharedRead();
  sqlite.run("PRAGMA wal_checkpoint(TRUNCATE)");
}

/** Commits the queued jobs, then closes the connection. */
export function closeDatabase(): void {
  endSharedRead();
  while (queue.length > 0) flush();
  sqlite.close(false);
}
