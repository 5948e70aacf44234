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
      else fail(new OperatorError(`standard output cannot be written: ${reason(error)}`));
    });
  });
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
