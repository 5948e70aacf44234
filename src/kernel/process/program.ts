/** True in the executable of `bun run build`, false when run from source. */
export const isCompiled = Bun.main.startsWith("/$bunfs/");

/** The words that start this program again, before those of a command. */
export const commandLine = (): string[] => (isCompiled ? [process.execPath] : [process.execPath, Bun.main]);

/**
 * Starts this process anew, with the same number, files and command line, and with this environment: some options of the runtime are
 * read from it at the start alone. Throws where the system refuses; returns only where there is no such call.
 */
export function startAnew(environment: NodeJS.ProcessEnv): void {
  const [program = process.execPath, ...words] = commandLine();
  // The executable takes such options from the environment alone.
  const ofRuntime = isCompiled ? [] : process.execArgv;
  process.execve?.(program, [program, ...ofRuntime, ...words, ...process.argv.slice(2)], environment);
}

/** Quotes a word, such as a path, for a shell. */
export const quoted = (word: string): string =>
  /^[\w./:@%+=-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
