import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { profile } from "../../configuration/profile";
import { isLeftover, nameWithoutReplacing, reasonIn, UNFINISHED } from "../../kernel/process/disk";
import { OperatorError } from "../../kernel/process/operator";
import { WORKERS } from "../../workers";
import type { CopyOrder, CopyVerdict, TableCount } from "./copy-worker";

/** A copy that is being made. */
export interface Copying {
  /** Path of the copy until it is whole. */
  partial: string;
  /**
   * Settled once the copy is there under its name, checked and on the disk. Rejects with an OperatorError
   * that says why not.
   */
  done: Promise<void>;
  /** Gives up, and leaves nothing. */
  cancel: () => void;
}

/**
 * Copies the database in a thread of its own, while others read and write it. The copy gets its name, which
 * must be free, once it is whole and was read through; before, and on any failure, there is nothing under
 * that name. `checkCounts` gets the rows of each table, and throws to refuse the copy.
 */
export function startCopy(
  source: string,
  file: string,
  checkCounts?: (counts: TableCount[]) => void,
): Copying {
  const partial = `${file}.${process.pid}.fairlead${UNFINISHED}`;
  const removePartial = () => {
    for (const name of [partial, `${partial}-journal`]) rmSync(name, { force: true });
  };
  const worker = new Worker(WORKERS.backup, { smol: profile.smallThreads });
  const { promise: copied, resolve, reject } = Promise.withResolvers<TableCount[]>();
  // Nobody awaits it if the file could not be made.
  copied.catch(() => {});
  worker.onmessage = ({ data }: MessageEvent<CopyVerdict>) => {
    if (data.trouble === null) resolve(data.counts);
    else reject(new OperatorError(data.trouble));
  };
  worker.onerror = (event) => reject(new OperatorError(event.message));
  const make = async () => {
    try {
      removeLeftovers(dirname(file));
      writeFileSync(partial, "", { flag: "wx", mode: 0o600 });
      worker.postMessage({ source, partial, isCounted: checkCounts !== undefined } satisfies CopyOrder);
      const counts = await copied;
      checkCounts?.(counts);
      nameWithoutReplacing(partial, file);
    } catch (error) {
      throw new OperatorError(reasonIn(error));
    } finally {
      worker.terminate();
      removePartial();
    }
  };
  return { partial, done: make(), cancel: () => reject(new OperatorError("it was stopped")) };
}

const LEFTOVER = /\.(\d+)\.fairlead\.partial(-journal)?$/;

/** Removes the copies that were being made when their process was killed. */
function removeLeftovers(directory: string): void {
  for (const name of readdirSync(directory)) {
    const pid = LEFTOVER.exec(name)?.[1];
    const path = join(directory, name);
    if (pid !== undefined && isLeftover(path, Number(pid))) rmSync(path, { force: true });
  }
}
