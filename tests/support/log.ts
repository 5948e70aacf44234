import { spyOn } from "bun:test";
import { eventually } from "./expectations";
import type { TestServer } from "./server";

/** The log of this process, and that of a server. */

/** Catches this process's log as JSON; `end` returns level, message, source and reason of each line. */
export function captureLog(): { end: () => (string | undefined)[][]; text: () => string } {
  let text = "";
  const spy = spyOn(process.stdout, "write").mockImplementation((chunk) => {
    text += String(chunk);
    return true;
  });
  return {
    text: () => text,
    end() {
      spy.mockRestore();
      return text
        .split("\n")
        .filter((line) => line.startsWith("{"))
        .map((line) => JSON.parse(line))
        .map(({ level, message, source, why }) => [level, message, source, why]);
    },
  };
}

/** The lines that this process writes to the log while `work` runs. */
export async function logged(work: () => unknown): Promise<string> {
  const log = captureLog();
  try {
    await work();
    return log.text();
  } finally {
    log.end();
  }
}

/**
 * The lines of a server's output that contain a text or match a pattern, once there is one: a line may come after the answer
 * that it tells of. That there is only one is certain after `outputOfWholeRun` alone.
 */
export async function linesOf(server: TestServer, what: string | RegExp): Promise<string[]> {
  const found = () => linesIn(server.output, what);
  await eventually(() => found().length > 0);
  return found();
}

/** The lines of an output that contain a text or match a pattern. */
export const linesIn = (output: string, what: string | RegExp): string[] =>
  output.split("\n").filter((line) => (typeof what === "string" ? line.includes(what) : what.test(line)));

/** Stops a server; returns everything that it ever wrote. */
export async function outputOfWholeRun(server: TestServer): Promise<string> {
  await server.stop();
  return server.output;
}
