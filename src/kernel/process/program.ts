/** True in the executable of `bun run build`, false when run from source. */
export const isCompiled = Bun.main.startsWith("/$bunfs/");

/** The words that start this program again, before those of a command. */
export const commandLine = (): string[] => (isCompiled ? [process.execPath] : [process.execPath, Bun.main]);

/** Quotes a word, such as a path, for a shell. */
export const quoted = (word: string): string =>
  /^[\w./:@%+=-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
