/** How often whoever reads a log is told, in milliseconds. */
const LOG_EVERY = 10_000;

let loggedAt = performance.now();

/** What happens now, for whoever watches: a line that changes, and in a log one now and then. */
export function progress(text: string): void {
  if (process.stderr.isTTY) {
    process.stderr.write(`\r\x1b[K${text}`);
    return;
  }
  if (text === "" || performance.now() - loggedAt < LOG_EVERY) return;
  loggedAt = performance.now();
  process.stderr.write(`${text}\n`);
}

/** The same of a round; those below 0 don't count. */
export function progressOf(what: string, round: number, rounds: number): void {
  progress(`${what}: ${round < 0 ? "warming up" : `round ${round + 1} of ${rounds}`}`);
}
