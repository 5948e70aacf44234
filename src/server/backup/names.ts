import { SECOND } from "../../kernel/time/clock";

/** Backups by their names, which tell when each was made. */

export interface Backup {
  name: string;
  /** Epoch milliseconds, whole seconds. */
  time: number;
}

const TIME = /(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z\.db$/;
const SCHEDULED = new RegExp(`^fairlead-${TIME.source}`);
const BEFORE = new RegExp(`^before-[^/]+-${TIME.source}`);

/** A time (epoch milliseconds) in the basic format of ISO 8601, in UTC. */
const stamp = (time: number): string =>
  `${new Date(time).toISOString().slice(0, 19).replaceAll(/[-:]/g, "")}Z`;

/** The name of a backup made at a time (epoch milliseconds). */
export const backupName = (time: number): string => `fairlead-${stamp(time)}.db`;

/** The name of a backup made at a time, or in the first second after it whose name is not among those taken. */
export const freeBackupName = (time: number, taken: string[]): string => freeName("fairlead", time, taken);

/** The same with another beginning of the name. */
export function freeName(beginning: string, time: number, taken: string[]): string {
  const name = `${beginning}-${stamp(time)}.db`;
  return taken.includes(name) ? freeName(beginning, time + SECOND, taken) : name;
}

/** The name of a backup that a version made before it changed the database. */
export const beforeName = (version: string, time: number): string => `before-${version}-${stamp(time)}.db`;

/** The version in such a name. */
export const versionIn = (name: string): string => name.slice("before-".length).replace(/-[^-]*$/, "");

/** The scheduled backups among the names in a directory, oldest first. An unfinished one has another name. */
export const backupsAmong = (names: string[]): Backup[] => among(names, SCHEDULED);

/**
 * The backups from before migrations, likewise. `backup.keep` does not apply to them, nor do they count as
 * scheduled ones.
 */
export const beforesAmong = (names: string[]): Backup[] => among(names, BEFORE);

function among(names: string[], form: RegExp): Backup[] {
  return names
    .flatMap((name) => {
      const [, year, month, day, hour, minute, second] = form.exec(name) ?? [];
      const time = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
      return Number.isNaN(time) ? [] : [{ name, time }];
    })
    .sort((a, b) => a.time - b.time);
}

/** The newest backup. One from the future counts only if there is no other; null if there is none at all. */
export const newestOf = (backups: Backup[], now: number): Backup | null =>
  backups.findLast(({ time }) => time <= now) ?? backups.at(0) ?? null;

/** The time of the newest backup, likewise. */
export const newestBy = (backups: Backup[], now: number): number | null =>
  newestOf(backups, now)?.time ?? null;

/**
 * True if no backup lies within the interval (milliseconds) from now, in either direction. So neither a
 * restart nor a clock that jumps to and fro doubles a backup, and a clock that was once far ahead doesn't
 * stop them.
 */
export const isDue = (backups: Backup[], now: number, interval: number): boolean =>
  backups.every(({ time }) => Math.abs(now - time) >= interval);

/**
 * The backups to remove if there are more than `keep`: the oldest, and never the one just made, whatever its
 * time.
 */
export function surplus(backups: Backup[], keep: number, made: string): Backup[] {
  const others = backups.filter(({ name }) => name !== made);
  return others.slice(0, Math.max(0, others.length - keep + 1));
}
