/** The file can't be read on; `message` is one sentence for a person, which names the line, counted from 1. */
export class FileError extends Error {
  constructor(line: number, what: string) {
    super(`Line ${line}: ${what}`);
  }
}
