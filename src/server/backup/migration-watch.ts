import { config } from "../../configuration/config";
import { profile } from "../../configuration/profile";
import type { Extent } from "../../kernel/db/migration-extent";
import type { MigrationWatch } from "../../kernel/db/open-data";
import { log } from "../../kernel/logs/log";
import { WORKERS } from "../../workers";
import type { MigrationOrder, MigrationState } from "./migration-worker";

/** Says what migrations are going to do, and how far they are. */

/** Says what is going to be done; `isLong` where that takes longer than a moment. */
type Tell = (extents: Extent[], isLong: boolean) => void;

/** Records beyond which work takes longer than a moment, so that its progress is told. */
const MANY = 100_000;

/**
 * Watches migrations, and what follows them in steps, until `end`, which may be called again. `tell` gets their extents
 * before the first one. While they go on, this thread is in SQLite for minutes at a time, so that another one, started for
 * many records alone, shows the progress.
 */
export function watchMigration(tell: Tell): MigrationWatch & { end: () => void } {
  let worker: Worker | null = null;
  let isEnded = false;
  const start = () => {
    if (worker !== null || isEnded) return;
    worker = new Worker(WORKERS.migration, { smol: profile.smallThreads });
    worker.onerror = ({ message }) =>
      log.warn("the progress of the migration can't be told", { why: message });
    worker.postMessage({
      isTerminal: process.stderr.isTTY === true,
      level: config["log.level"],
      format: config["log.format"],
    } satisfies MigrationOrder);
  };
  return {
    announce: (extents) => {
      const isLong = sum(extents) >= MANY;
      tell(extents, isLong);
      if (isLong) start();
    },
    begin: (what) => worker?.postMessage({ what } satisfies MigrationState),
    progress: (what, done, total) => {
      if (total >= MANY) start();
      worker?.postMessage({ what, done, total } satisfies MigrationState);
    },
    end: () => {
      isEnded = true;
      worker?.terminate();
      if (worker !== null && process.stderr.isTTY) process.stderr.write("\r\x1b[K");
      worker = null;
    },
  };
}

const sum = (extents: Extent[]): number => extents.reduce((all, { rows }) => all + rows, 0);

const largestOf = (extents: Extent[]): Extent | undefined =>
  extents.toSorted((one, other) => other.rows - one.rows)[0];

/** The extents as a line for a person. */
export function describeMigration(extents: Extent[]): string {
  const all = sum(extents);
  const largest = largestOf(extents);
  const most =
    largest && extents.length > 1 && all > 0
      ? `; the largest, ${largest.migration}, takes ${largest.rows.toLocaleString("en")}`
      : "";
  return `${counted(extents.length, "migration")} to apply, for which at most ${counted(all, "row")} ${all === 1 ? "is" : "are"} read or changed${most}.`;
}

const counted = (count: number, word: string): string =>
  `${count.toLocaleString("en")} ${word}${count === 1 ? "" : "s"}`;

/** Tells the log of the extents. */
export function tellMigration(extents: Extent[]): void {
  const largest = largestOf(extents);
  log.info("the database is going to be migrated", {
    migrations: extents.length,
    rows_at_most: sum(extents),
    ...(largest && { largest: largest.migration, rows_of_largest: largest.rows }),
  });
}
