import { config } from "../../configuration/config";
import type { Extent } from "../../kernel/db/migration-extent";
import type { MigrationWatch } from "../../kernel/db/open-data";
import { log } from "../../kernel/logs/log";
import { WORKERS } from "../../workers";
import type { MigrationOrder, MigrationState } from "./migration-worker";

/** Says what migrations are going to do, and how far they are. */

/** Records beyond which work takes longer than a moment, so that its progress is told. */
const MANY = 100_000;

/**
 * Watches migrations, and what follows them in steps, until `end`, which may be called again. `tell` gets their extents
 * before the first one. While they go on, this thread is in SQLite for minutes at a time, so that another one, started for
 * many records alone, shows the progress.
 */
export function watchMigration(
  tell: (extents: Extent[]) => Promise<void>,
): MigrationWatch & { end: () => void } {
  let worker: Worker | null = null;
  let isEnded = false;
  const start = () => {
    if (worker !== null || isEnded) return;
    worker = new Worker(WORKERS.migration);
    // The log and the terminal stand back behind the work.
    worker.onerror = () => {};
    worker.postMessage({
      isTerminal: process.stderr.isTTY === true,
      level: config["log.level"],
      format: config["log.format"],
    } satisfies MigrationOrder);
  };
  return {
    announce: async (extents) => {
      await tell(extents);
      if (sum(extents) >= MANY) start();
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
  const largest = largestOf(extents);
  const all = sum(extents);
  const most =
    largest && extents.length > 1 && all > 0
      ? `, ${largest.migration} the most (${largest.rows.toLocaleString("en")})`
      : "";
  const migrations =
    extents.length === 1 ? "1 migration reads or changes" : `${extents.length} migrations read or change`;
  return `${migrations} at most ${all.toLocaleString("en")} rows in all${most}.`;
}

/** Tells the log of the extents. */
export async function tellMigration(extents: Extent[]): Promise<void> {
  const largest = largestOf(extents);
  log.info("the database is going to be migrated", {
    migrations: extents.length,
    rows_at_most: sum(extents),
    ...(largest && { largest: largest.migration, rows_of_largest: largest.rows }),
  });
}
