import { readFileSync } from "node:fs";
import type { TestServer } from "./server";

/** Tools for tests in which a stranger tries to exhaust the server. */

/** Bytes of memory that a process holds (VmRSS), or held at most so far (VmHWM). */
export function memoryOf(pid: number, figure: "VmRSS" | "VmHWM" = "VmRSS"): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(new RegExp(`^${figure}:\\s+(\\d+) kB$`, "m").exec(status)?.[1]) * 1_024;
}

/** Milliseconds of processor time that a process's main thread, or all of them, have used so far, in steps of ten. */
export function processorTimeOf(pid: number, threads: "main" | "all" = "main"): number {
  // The 14th and 15th fields, counted after the name: user and system time, in hundredths of a second.
  const stat = readFileSync(
    threads === "all" ? `/proc/${pid}/stat` : `/proc/${pid}/task/${pid}/stat`,
    "utf8",
  );
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

const PROBE_PAUSE = 10;

/**
 * Asks `/health/live` again and again while `work` runs. Returns the most processor time, in milliseconds, that
 * the server's main thread spent before it answered: on a machine with nothing else to do, the longest wait.
 * Other load on the machine lengthens a wait much, and this time little.
 */
export async function holdDuring(server: TestServer, work: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let isDone = false;
  const probe = async () => {
    while (!isDone) {
      const before = processorTimeOf(server.pid);
      const { status } = await fetch(`${server.url}/health/live`);
      if (status !== 200) throw new Error(`/health/live answered ${status}`);
      longest = Math.max(longest, processorTimeOf(server.pid) - before);
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
  return longest;
}

/** Milliseconds for which the server under attack may leave `/health/live` unanswered. */
export const LONGEST_HOLD = 100;

const ROUNDS = 3;

/**
 * The longest time, in milliseconds, for which `work` keeps the server's main thread from answering others. The
 * best of three rounds: the cost of an attack is in each of them.
 */
export async function longestHold(server: TestServer, work: () => Promise<unknown>): Promise<number> {
  let longest = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS && longest >= LONGEST_HOLD; round++)
    longest = Math.min(longest, await holdDuring(server, work));
  return longest;
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

const QUIET = 200;

/** Resolves once a process has used next to no processor time for a moment. */
export async function becomesQuiet(pid: number): Promise<void> {
  const used = () => processorTimeOf(pid);
  for (let before = -1; used() - before > 10; ) {
    before = used();
    await Bun.sleep(QUIET);
  }
}
