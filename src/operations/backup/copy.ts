import { existsSync, linkSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { OperatorError } from "../../kernel/data-dir";
import { flushDirectory, reason, UNFINISHED } from "../../kernel/disk";
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
  const partial = `${file}.${process.pid}${UNFINISHED}`;
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

/** What a file system says that has no links to files, such as that of a USB stick. */
const NO_LINKS = /^(EPERM|ENOTSUP|EOPNOTSUPP|ENOSYS|EMLINK)$/;

/** Gives a file its name. Throws when there is one of that name already. */
export function nameWithoutReplacing(from: string, to: string): void {
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
