import { statSync } from "node:fs";
import type { MigrationProgress } from "../../kernel/db/migrate";
import { log } from "../../kernel/logs/log";
import { sizeInWords } from "../../kernel/process/print";
import { SECOND } from "../../kernel/time/clock";
import type { Copying } from "./copy";

/** Shows the progress of a copy, or of a migration, that takes longer than a moment. */

export const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0;

const doing = (copied: number, whole: number) =>
  `${copied < whole ? "Copied" : "Checking what was copied:"} ${sizeInWords(copied)} of ${sizeInWords(whole)}`;

/** Shows the progress on a terminal until it is stopped; `whole` is in bytes. */
export function showProgress({ partial }: Copying, whole: number): () => void {
  const timer = setInterval(
    () => process.stderr.write(`\r\x1b[K${doing(sizeOf(partial), whole)}`),
    SECOND / 2,
  );
  return () => {
    clearInterval(timer);
    process.stderr.write("\r\x1b[K");
  };
}

/** Logs the progress every ten seconds until it is stopped. */
export function logProgress({ partial }: Copying, whole: number): () => void {
  const timer = setInterval(
    () =>
      log.info("the database is being copied before its migration", {
        progress: doing(sizeOf(partial), whole),
      }),
    10 * SECOND,
  );
  return () => clearInterval(timer);
}

/** Records beyond which a migration takes longer than a moment. */
const MANY = 1_000_000;

/** Shows the progress of migrations on a terminal; elsewhere logs the beginning of a long one, and how far it is every ten seconds. */
export function migrationProgress(): MigrationProgress {
  let told = performance.now();
  let begun = "";
  return (migration, done, total) => {
    const records = `${done.toLocaleString("en")} of ${total.toLocaleString("en")}`;
    if (process.stderr.isTTY)
      process.stderr.write(`\r\x1b[K${done < total ? `${migration}: ${records}` : ""}`);
    else if (
      done < total &&
      (performance.now() - told > 10 * SECOND || (begun !== migration && total >= MANY))
    ) {
      told = performance.now();
      begun = migration;
      log.info("the database is being migrated", { migration, progress: records });
    }
  };
}
