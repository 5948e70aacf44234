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

/** Prints a value as one line of JSON. */
export const printJson = (value: unknown): Promise<void> => print(JSON.stringify(value));
