/** The file can't be read on from a line; `message` is one sentence for a person, which names the line. */
export class FileError extends Error {
  constructor(line: number, what: string) {
    super(`line ${line}: ${what}`);
  }
}

/** The file ends before it is whole. */
export class BrokenOff extends FileError {}
