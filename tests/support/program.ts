import { expect } from "bun:test";
import { environment, program, type Settings } from "./server";

/** The program as a command, run under conditions that the tests choose. */

interface Result {
  status: number;
  stdout: string;
  stderr: string;
}

/** A failure by the contract (rule P1): its status, one line on standard error, and no other output. */
export function expectFailure(result: Result, status: 1 | 2, ...named: (string | RegExp)[]): void {
  expect(result.stderr).toMatch(/^fairlead: [^\n]+\n$/);
  for (const part of named) expect(result.stderr).toMatch(part);
  expect(result.stdout).toBe("");
  expect(result.status).toBe(status);
}

/** A command line that runs this script in a shell, and then the program in the same process. */
export const afterShell = (script: string, args: string[]): string[] => [
  ...["sh", "-c", `${script}; exec "$@"`, "sh"],
  ...program,
  ...args,
];

/** A script after which no file grows above 8 KiB: the nearest to a full disk that needs no privilege. */
export const FULL_DISK = "trap '' XFSZ; ulimit -f 16";

/** Runs the program to its end after this script in a shell. */
export async function runAfterShell(
  script: string,
  args: string[],
  settings: Settings = {},
  beside: Record<string, string> = {},
): Promise<Result> {
  const child = Bun.spawn(afterShell(script, args), {
    env: { ...environment(settings), ...beside },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [stdout, stderr] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  return { status: await child.exited, stdout, stderr };
}

/** Below the ports that systems give to connections: none of the many others of a run takes it meanwhile. */
const LOWEST_PORT = 12_000;
const PORTS = 20_000;

/** A port that was free a moment ago, for a server that can't report which one it took. */
export function freePort(): number {
  for (;;) {
    const port = LOWEST_PORT + Math.floor(Math.random() * PORTS);
    try {
      Bun.listen({ hostname: "127.0.0.1", port, socket: { data() {} } }).stop(true);
      return port;
    } catch {
      // Another one has it.
    }
  }
}

export const canListenOnIpv6 = (() => {
  try {
    Bun.listen({ hostname: "::1", port: 0, socket: { data() {} } }).stop(true);
    return true;
  } catch {
    return false;
  }
})();

/** The program with this command line, running until it is stopped. */
export function start(args: string[], settings: Settings = {}, beside: Record<string, string> = {}) {
  const child = Bun.spawn([...program, ...args], {
    env: { ...environment(settings), ...beside },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let stdout = "";
  let ended = false;
  let changed: () => void = () => {};
  const reader = child.stdout.getReader();
  const reading = (async () => {
    const decoder = new TextDecoder();
    for (;;) {
      const { done, value: chunk } = await reader.read();
      if (done) break;
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
    /** Stops reading, so that the program's further output can't be written. */
    hangUp: () => reader.cancel(),
    /** Waits for the end, after a signal if one is named. */
    async stop(signal: NodeJS.Signals | null = "SIGTERM"): Promise<Result> {
      if (signal) child.kill(signal);
      const status = await child.exited;
      await reading;
      return { status, stdout, stderr: await stderr };
    },
  };
}

export const NOBODY = 65_534;
export const AS_NOBODY = ["setpriv", `--reuid=${NOBODY}`, `--regid=${NOBODY}`, "--clear-groups"];
/** Root can be another user, who has to reach the program. */
export const canBeNobody =
  process.geteuid?.() === 0 &&
  Bun.which("setpriv") !== null &&
  Bun.spawnSync([...AS_NOBODY, ...program, "--version"], { cwd: "/", env: environment({}) }).exitCode === 0;
