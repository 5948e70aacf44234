/** Scheduled backups by their names, which tell when each was made. */

export interface Backup {
  name: string;
  /** Epoch milliseconds, whole seconds. */
  time: number;
}

const NAME = /^fairlead-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z\.db$/;

/** The name of a backup made at a time (epoch milliseconds): ISO 8601 in its basic format, in UTC. */
export const backupName = (time: number): string =>
  `fairlead-${new Date(time).toISOString().slice(0, 19).replaceAll(/[-:]/g, "")}Z.db`;

/** The backups among the names in a directory, oldest first. What is not whole has another name. */
export function backupsAmong(names: string[]): Backup[] {
  return names
    .flatMap((name) => {
      const [, year, month, day, hour, minute, second] = NAME.exec(name) ?? [];
      const time = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
      return Number.isNaN(time) ? [] : [{ name, time }];
    })
    .sort((a, b) => a.time - b.time);
}

/** When the newest backup was made; one from the future counts when there is no other, null is for none at all. */
export const newestBy = (backups: Backup[], now: number): number | null =>
  (backups.findLast(({ time }) => time <= now) ?? backups.at(0))?.time ?? null;

/**
 * Whether a backup is due: none lies within the interval (milliseconds) from now, in either direction. So neither a
 * restart nor a clock that jumps to and fro doubles one, and a clock that was once far ahead doesn't stop them.
 */
export const isDue = (backups: Backup[], now: number, interval: number): boolean =>
  backups.every(({ time }) => Math.abs(now - time) >= interval);

/** What goes once there are more than so many: the oldest, and never the one just made, whatever its time. */
export function surplus(backups: Backup[], keep: number, made: string): Backup[] {
  const others = backups.filter(({ name }) => name !== made);
  return others.slice(0, Math.max(0, others.length - keep + 1));
}
