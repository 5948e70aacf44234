/** True in the executable of `bun run build`, false when run from source. */
export const isCompiled = Bun.main.startsWith("/$bunfs/");

/** Quotes a word, such as a path, for a shell. */
export const quoted = (word: string): string =>
  /^[\w./:@%+=-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
