import { mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { config } from "../../configuration/config";
import { sqlite } from "../../kernel/db/connection";
import { madeAt } from "../../kernel/db/migrate";
import { record, recorded } from "../../kernel/db/program-record";
import { transact } from "../../kernel/db/transactions";
import { conflict } from "../../kernel/errors/errors";
import { log } from "../../kernel/logs/log";
import { dataPath } from "../../kernel/process/data-dir";
import { reasonIn } from "../../kernel/process/disk";
import { HOUR, iso, MINUTE, now } from "../../kernel/time/clock";
import type { Bilingual } from "../../kernel/values/bilingual";
import { type Copying, startCopy } from "./copy";
import { compareCounts, writesSoFar } from "./counts";
import { checkDeeply, type DeepCheck, isDeepCheckDue, lastDeepCheck, stopDeepCheck } from "./deep-check";
import { backupsAmong, beforesAmong, freeBackupName, isDue, newestBy, newestOf, surplus } from "./names";

/** Backups that the server makes by itself (`backup.*`). */

/** Pause after a failure before the next attempt. */
const RETRY = 15 * MINUTE;

export interface BackupState {
  /** Time of the newest whole backup (epoch milliseconds); null if there is none. */
  newest: number | null;
  /** True if the last attempt failed, or the last backup that was to be restored for a try is of no use or could not be. */
  failing: boolean;
  /** The last try; null if there was none, or if it could not be made. */
  verified: DeepCheck | null;
}

let newest: number | null = null;
let failure: { at: number; why: Bilingual } | null = null;
let copying: Copying | null = null;
/** When the backup that is being made was begun (epoch milliseconds); null if none is. */
let begunAt: number | null = null;
let stopped = false;

const interval = () => config["backup.interval_hours"] * HOUR;

/** The state of the scheduled backups; null if there is no schedule. */
export const backupState = (): BackupState | null => (interval() === 0 ? null : stateOf(lastVerified()));

const lastVerified = (): DeepCheck | null => (config["backup.verify"] === "deep" ? lastDeepCheck() : null);

/**
 * The time from which the age of the newest backup counts (epoch milliseconds); null while that is unknown. Where none is found it
 * is that of the last that was made, or of the database if none ever was (`isOwn` false), so that starts set nothing back.
 */
export function backupSince({ newest, verified }: BackupState): { time: number | null; isOwn: boolean } {
  if (newest !== null) return { time: newest, isOwn: true };
  if (verified?.outcome === "useless") return { time: madeAt(), isOwn: false };
  const made = recorded(sqlite, "backup_made");
  return { time: made !== null ? Date.parse(made) : failure === null ? null : madeAt(), isOwn: false };
}

/** A backup that is known to be of no use is none; of one that could not be tried nothing is known. */
const stateOf = (verified: DeepCheck | null): BackupState => ({
  newest: verified?.outcome === "useless" ? timeOf(verified.sound) : newest,
  failing: failure !== null || (verified !== null && verified.outcome !== "sound"),
  verified: verified?.outcome === "untried" ? null : verified,
});

/** The time of a backup by its name (epoch milliseconds). */
const timeOf = (name: string | null): number | null =>
  name === null ? null : (backupsAmong([name])[0]?.time ?? null);

/**
 * The job: makes a backup when one is due, and removes the oldest beyond `backup.keep`. A failure is logged
 * when it begins, tried again after 15 minutes, and leaves all existing backups.
 */
export async function backUpWhenDue(): Promise<void> {
  if (interval() === 0 || stopped) return;
  const at = now();
  await attempt(at, async (directory) => {
    const backups = backupsAmong(await readdir(directory));
    newest = newestBy(backups, at);
    if (!isDue(backups, at, interval())) failure = null;
    else if (!isTooSoon(at) && begunAt === null) await alone(at, () => makeBackup(directory, at));
    await verifyWhenDue(directory);
  });
}

/** Restores the newest backup for a try, once a day. */
async function verifyWhenDue(directory: string): Promise<void> {
  if (stopped || !isDeepCheckDue()) return;
  const newestOne = newestOf(backupsAmong(await readdir(directory)), now());
  if (!newestOne) return;
  await checkDeeply(directory, newestOne.name);
}

/** Begins to make a backup now. Throws 409 while one is being made. */
export function beginBackup(): void {
  if (begunAt !== null || stopped) throw conflict("A backup is being made");
  const at = now();
  alone(at, () => attempt(at, (directory) => makeBackup(directory, at)));
}

/** Keeps others from making a backup beside this one. */
async function alone(at: number, work: () => Promise<void>): Promise<void> {
  begunAt = at;
  try {
    await work();
  } finally {
    begunAt = null;
  }
}

/** Works in the folder of backups, and notes a failure. */
async function attempt(at: number, work: (directory: string) => Promise<void>): Promise<void> {
  const directory = dataPath.backups();
  try {
    // A configured directory is not made: while a disk is not mounted, the backups would go beside the database.
    if (config["backup.dir"] === null) await mkdir(directory, { recursive: true, mode: 0o700 });
    await work(directory);
  } catch (error) {
    if (!stopped) note(reasonIn(error), directory, at);
  }
}

/** The backups that are there, oldest first, and how making them goes. */
export async function backupsNow() {
  const directory = dataPath.backups();
  const names = await readdir(directory).catch(() => []);
  const found = [
    ...beforesAmong(names).map((backup) => ({ ...backup, kind: "before_migration" as const })),
    ...backupsAmong(names).map((backup) => ({ ...backup, kind: "scheduled" as const })),
  ];
  const sizes = await Promise.all(
    found.map(({ name }) =>
      Bun.file(join(directory, name))
        .stat()
        .catch(() => null),
    ),
  );
  return {
    backups: found.flatMap((backup, at) => {
      const size = sizes[at]?.size;
      return size === undefined ? [] : [{ ...backup, bytes: size }];
    }),
    startedAt: begunAt,
    failure,
  };
}

/** True if the last attempt failed a moment ago, by a clock that may have been set back since. */
const isTooSoon = (at: number): boolean => failure !== null && Math.abs(at - failure.at) < RETRY;

function note(why: Bilingual, directory: string, at: number): void {
  if (failure?.why.en !== why.en)
    log.error("a backup failed, for the reason given here; `fairlead doctor` tells more", {
      why: why.en,
      directory,
      newest_backup: newest === null ? "none" : iso(newest),
      retry_minutes: RETRY / MINUTE,
    });
  failure = { at, why };
}

async function makeBackup(directory: string, at: number): Promise<void> {
  const name = freeBackupName(at, await readdir(directory));
  const started = performance.now();
  const began = writesSoFar();
  copying = startCopy(dataPath.database(), join(directory, name), (counts) => compareCounts(counts, began));
  try {
    await copying.done;
  } finally {
    copying = null;
  }
  failure = null;
  const backups = backupsAmong(await readdir(directory));
  newest = newestBy(backups, at);
  const old = surplus(backups, config["backup.keep"], name);
  for (const { name } of old) await rm(join(directory, name), { force: true });
  log.info("the database is backed up", {
    file: join(directory, name),
    seconds: Math.round((performance.now() - started) / 100) / 10,
    kept: backups.length - old.length,
  });
  await transact(() => record(sqlite, "backup_made", iso(at)));
}

/** Cancels the backup that is being made, before the server ends. The next start makes it. */
export async function stopBackups(): Promise<void> {
  stopped = true;
  copying?.cancel();
  await stopDeepCheck();
  await copying?.done.catch(() => {});
}
