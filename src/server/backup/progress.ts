import { statSync } from "node:fs";
import { log } from "../../kernel/logs/log";
import { sizeInWords } from "../../kernel/process/print";
import { SECOND } from "../../kernel/time/clock";
import type { Copying } from "./copy";

/** Shows the progress of a copy that takes longer than a moment. */

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
