import { expect } from "bun:test";
import { program, type Settings } from "../support/server";

interface Result {
  status: number;
  stdout: string;
  stderr: string;
}

/** A failure as the operator's contract has it: its status, one line on standard error, nothing beside it. */
export function expectFailure(result: Result, status: 1 | 2, ...named: (string | RegExp)[]): void {
  expect(result.stderr).toMatch(/^fairlead: [^\n]+\n$/);
  for (const part of named) expect(result.stderr).toMatch(part);
  expect(result.stdout).toBe("");
  expect(result.status).toBe(status);
}

/** The program with this command line, running until it is stopped. */
export function start(args: string[], settings: Settings = {}, environment: Record<string, string> = {}) {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith("FAIRLEAD_"));
  const own = Object.entries(settings).map(([key, value]) => [
    `FAIRLEAD_${key.replaceAll(".", "_").toUpperCase()}`,
    value,
  ]);
  const child = Bun.spawn([...program, ...args], {
    env: { ...Object.fromEntries([...inherited, ...own]), ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let stdout = "";
  let ended = false;
  let changed: () => void = () => {};
  const reading = (async () => {
    const decoder = new TextDecoder();
    for await (const chunk of child.stdout) {
      stdout += decoder.decode(chunk, { stream: true });
      changed();
    }
    ended = true;
    changed();
  })();
  const stderr = new Response(child.stderr).text();
  return {
    /** Waits until standard output matches, and returns the match. */
    async prints(pattern: RegExp): Promise<RegExpExecArray> {
      for (;;) {
        const match = pattern.exec(stdout);
        if (match) return match;
        if (ended) throw new Error(`the program ended: ${stdout}${await stderr}`);
        await new Promise<void>((resolve) => {
          changed = resolve;
        });
      }
    },
    /** Sends a signal and waits for the end. */
    async stop(signal: NodeJS.Signals = "SIGTERM"): Promise<Result> {
      child.kill(signal);
      const status = await child.exited;
      await reading;
      return { status, stdout, stderr: await stderr };
    },
  };
}
