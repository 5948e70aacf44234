/** Whether this is the executable of `bun run build`, not the source. */
export const isCompiled = Bun.main.startsWith("/$bunfs/");

/** A word, such as a path, as a shell takes it. */
export const quoted = (word: string): string =>
  /^[\w./:@%+=-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
