import { spyOn } from "bun:test";
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

/** Stops a server that logs at level info or debug; returns everything that it ever wrote. */
export async function outputOfWholeRun(server: TestServer): Promise<string> {
  await server.stop();
  // This is the program's last line; the rest of the pipe comes before it.
  while (!server.output.includes('"message":"stopped"')) await Bun.sleep(5);
  return server.output;
}
