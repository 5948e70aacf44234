import { existsSync, linkSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { MINUTE, now } from "../../kernel/clock";
import { flushDirectory, reason, UNFINISHED } from "../../kernel/disk";
import { OperatorError } from "../../kernel/operator";
import { WORKERS } from "../../workers";
import type { CopyOrder, CopyVerdict } from "./copy-worker";

/** A copy that is being made. */
export interface Copying {
  /** Where it grows until it is whole. */
  partial: string;
  /** Settled once the copy is there under its name, checked and on the disk. Rejects with an OperatorError that says why not. */
  done: Promise<void>;
  /** Gives up, and leaves nothing. */
  cancel: () => void;
}

/**
 * Copies the database while others read and write it, in a thread of its own. The copy gets its name, which must be
 * free, once it is whole and was read through; before, and on any failure, there is nothing under that name.
 */
export function startCopy(source: string, file: string): Copying {
  const partial = `${file}.${process.pid}.fairlead${UNFINISHED}`;
  const removePartial = () => {
    for (const name of [partial, `${partial}-journal`]) rmSync(name, { force: true });
  };
  const worker = new Worker(WORKERS.backup);
  const { promise: copied, resolve, reject } = Promise.withResolvers<void>();
  // Nobody waits for it where the file could not be made.
  copied.catch(() => {});
  worker.onmessage = ({ data }: MessageEvent<CopyVerdict>) => {
    if (data === null) resolve();
    else reject(new OperatorError(data));
  };
  worker.onerror = (event) => reject(new OperatorError(event.message));
  const make = async () => {
    try {
      removeLeftovers(dirname(file));
      writeFileSync(partial, "", { flag: "wx", mode: 0o600 });
      worker.postMessage({ source, partial } satisfies CopyOrder);
      await copied;
      nameWithoutReplacing(partial, file);
    } catch (error) {
      throw new OperatorError(reason(error));
    } finally {
      worker.terminate();
      removePartial();
    }
  };
  return { partial, done: make(), cancel: () => reject(new OperatorError("it was stopped")) };
}

const LEFTOVER = /\.(\d+)\.fairlead\.partial(-journal)?$/;

/** Two containers have processes of the same number: a copy that grows is somebody's. */
const STALE = 10 * MINUTE;

/** Removes the copies that were being made when their process was killed. */
function removeLeftovers(directory: string): void {
  for (const name of readdirSync(directory)) {
    const pid = LEFTOVER.exec(name)?.[1];
    const path = join(directory, name);
    if (pid === undefined || isRunning(Number(pid))) continue;
    const file = statSync(path, { throwIfNoEntry: false });
    if (file && now() - file.mtimeMs > STALE) rmSync(path, { force: true });
  }
}

/** Whether there is a process of this number, other than this one. */
function isRunning(pid: number): boolean {
  if (pid === process.pid) return false;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as { code?: string }).code === "EPERM";
  }
}

/** What a file system says that has no links to files, such as that of a USB stick. */
const NO_LINKS = /^(EPERM|ENOTSUP|EOPNOTSUPP|ENOSYS|EMLINK)$/;

/** Gives a file its name. Throws when there is one of that name already. */
function nameWithoutReplacing(from: string, to: string): void {
  try {
    // A rename would overwrite a file that came to be meanwhile.
    linkSync(from, to);
    rmSync(from);
  } catch (error) {
    const code = String((error as { code?: string }).code);
    if (!NO_LINKS.test(code)) throw error;
    if (existsSync(to)) throw new OperatorError(`${to} exists already`);
    renameSync(from, to);
  }
  flushDirectory(dirname(to));
}
