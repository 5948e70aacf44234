import { readFileSync, writeSync } from "node:fs";
import { SECOND } from "../time/clock";
import type { Bilingual } from "../values/bilingual";
import { reason } from "./disk";
import { OperatorError } from "./operator";

/**
 * Prints a command's result. A failed write is a failure of the command, unless the reader has had enough (`|
 * head`).
 */
export function print(text: string): Promise<void> {
  return new Promise((done, fail) => {
    process.stdout.write(`${text}\n`, (error) => {
      if (!error || (error as { code?: string }).code === "EPIPE") done();
      else fail(unwritable(error));
    });
  });
}

const unwritable = (error: unknown) =>
  new OperatorError(`standard output cannot be written: ${reason(error)}`);

/** `O_CLOEXEC` of Linux, as /proc shows it. */
const CLOSE_ON_EXEC = 0o2000000;

/**
 * True if the program was started without standard output. The runtime opens /dev/null in its place, which takes everything, and
 * which is told by a mark that no inherited file has. False where the system doesn't show it.
 */
function isOutputClosed(): boolean {
  try {
    const [, flags = "0"] = /^flags:\s*(\d+)/m.exec(readFileSync("/proc/self/fdinfo/1", "utf8")) ?? [];
    return (Number.parseInt(flags, 8) & CLOSE_ON_EXEC) !== 0;
  } catch {
    return false;
  }
}

/** Longest wait for a reader that is busy, and the pause between two attempts, in milliseconds. */
const LONGEST_WAIT = 5 * SECOND;
const PAUSE = 20;

/**
 * Prints at once, for the transaction that makes what the text shows only once: it throws OperatorError if the text can't be
 * written, so that nothing is stored that nobody has seen. A reader that is gone has not seen it either. A terminal that is
 * stopped holds up the command, and with it all that want to write to the database.
 */
export function printBeforeCommit(text: string): void {
  if (isOutputClosed()) throw unwritable(new Error("it is closed"));
  const until = performance.now() + LONGEST_WAIT;
  let rest = Buffer.from(`${text}\n`);
  while (rest.length > 0)
    try {
      rest = rest.subarray(writeSync(1, rest));
    } catch (error) {
      if ((error as { code?: string }).code !== "EAGAIN" || performance.now() > until)
        throw unwritable(error);
      Bun.sleepSync(PAUSE);
    }
}

/** A size as a person reads it, such as "12.3 MB" or "1.2 GB" (powers of ten), from bytes. */
export const sizeInWords = (bytes: number): string =>
  bytes < 999_950_000 ? `${(bytes / 1e6).toFixed(1)} MB` : `${(bytes / 1e9).toFixed(1)} GB`;

/** The same in each language: "1.2 GB", "1,2 GB". */
export function sizeInEach(bytes: number): Bilingual {
  const en = sizeInWords(bytes);
  return { en, de: en.replace(".", ",") };
}

/** Prints a value as one line of JSON. */
export const printJson = (value: unknown): Promise<void> => print(JSON.stringify(value));
