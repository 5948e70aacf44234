/** Milliseconds between the lines of progress in a log. */
const LOG_EVERY = 10_000;

let loggedAt = performance.now();

/** Shows the present step: on a terminal a line that changes, in a log a line now and then. */
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
