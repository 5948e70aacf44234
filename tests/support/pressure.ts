import { readFileSync } from "node:fs";
import type { TestServer } from "./server";

/** Tools for tests in which a stranger tries to exhaust the server. */

/** Bytes of memory that a process holds (VmRSS), or held at most so far (VmHWM). */
export function memoryOf(pid: number, figure: "VmRSS" | "VmHWM" = "VmRSS"): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(new RegExp(`^${figure}:\\s+(\\d+) kB$`, "m").exec(status)?.[1]) * 1_024;
}

const PROBE_PAUSE = 10;

/** Asks `/health/live` again and again while `work` runs. Returns the longest wait for an answer, in milliseconds. */
export async function slowestProbe(
  server: Pick<TestServer, "url">,
  work: () => Promise<unknown>,
): Promise<number> {
  let slowest = 0;
  let isDone = false;
  const probe = async () => {
    while (!isDone) {
      const asked = performance.now();
      const { status } = await fetch(`${server.url}/health/live`);
      if (status !== 200) throw new Error(`/health/live answered ${status}`);
      slowest = Math.max(slowest, performance.now() - asked);
      await Bun.sleep(PROBE_PAUSE);
    }
  };
  const probing = probe();
  try {
    await work();
  } finally {
    isDone = true;
  }
  await probing;
  return slowest;
}

const LOOK_PAUSE = 20;

/** The most bytes by which the memory of a process grows while `work` runs. */
export async function memoryGrowth(pid: number, work: () => Promise<unknown>): Promise<number> {
  const before = memoryOf(pid);
  let most = before;
  const looking = setInterval(() => {
    most = Math.max(most, memoryOf(pid));
  }, LOOK_PAUSE);
  try {
    await work();
    return Math.max(most, memoryOf(pid)) - before;
  } finally {
    clearInterval(looking);
  }
}

/** Milliseconds that `/health/live` may take while the server is under attack. */
export const LONGEST_WAIT = 100;

const IDLE_SERVER = "console.log(Bun.serve({ port: 0, fetch: () => new Response('{}') }).port)";

/**
 * Milliseconds by which the longest wait for `/health/live` while `work` runs exceeds that of another, idle
 * server: this difference is due to the work, and not to other load on the machine. The best of three rounds.
 */
export async function addedWait(server: TestServer, work: () => Promise<unknown>): Promise<number> {
  const idle = Bun.spawn([process.execPath, "-e", IDLE_SERVER], { stdout: "pipe" });
  try {
    const { value } = await idle.stdout.getReader().read();
    const url = `http://127.0.0.1:${new TextDecoder().decode(value).trim()}`;
    let added = Number.POSITIVE_INFINITY;
    for (let round = 0; round < 3 && added >= LONGEST_WAIT; round++) {
      let usual = 0;
      const slowest = await slowestProbe(server, async () => {
        usual = await slowestProbe({ url }, work);
      });
      added = Math.min(added, slowest - usual);
    }
    return added;
  } finally {
    idle.kill();
  }
}

const QUIET = 200;

/** Resolves once a process has used next to no processor time for a moment. */
export async function becomesQuiet(pid: number): Promise<void> {
  // The 14th and 15th fields, counted after the name: user and system time, in hundredths of a second.
  const used = () => {
    const [, , ...fields] = readFileSync(`/proc/${pid}/stat`, "utf8").split(" ");
    return Number(fields[11]) + Number(fields[12]);
  };
  for (let before = -1; used() - before > 1; ) {
    before = used();
    await Bun.sleep(QUIET);
  }
}
