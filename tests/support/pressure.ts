import { expect } from "bun:test";
import { readFileSync } from "node:fs";

/** Tools for tests in which a stranger tries to exhaust the server. */

/** A server that is attacked. */
export interface Target {
  url: string;
  pid: number;
}

/** Bytes of memory that a process holds (VmRSS), or held at most so far (VmHWM). */
export function memoryOf(pid: number, figure: "VmRSS" | "VmHWM" = "VmRSS"): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(new RegExp(`^${figure}:\\s+(\\d+) kB$`, "m").exec(status)?.[1]) * 1_024;
}

/** Milliseconds of processor time that all threads of a process have used so far, in steps of ten. */
export function processorTimeOf(pid: number): number {
  // The 14th and 15th fields, counted after the name: user and system time, in hundredths of a second.
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** Milliseconds of processor time that the main thread of a process has used so far, to the nanosecond. */
export const mainThreadTimeOf = (pid: number): number =>
  Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, "utf8").split(" ")[0]) / 1e6;

const PROBE_PAUSE = 10;

/**
 * Asks `/health/live` again and again while `work` runs. Returns the most processor time, in milliseconds, that
 * the server's main thread spent before it answered: on a machine with nothing else to do, the longest wait.
 * Other load on the machine lengthens a wait much, and this time little.
 */
export async function holdDuring(server: Target, work: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let isDone = false;
  const probe = async () => {
    while (!isDone) {
      const before = mainThreadTimeOf(server.pid);
      const { status } = await fetch(`${server.url}/health/live`);
      if (status !== 200) throw new Error(`/health/live answered ${status}`);
      longest = Math.max(longest, mainThreadTimeOf(server.pid) - before);
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
export async function longestHold(server: Target, work: () => Promise<unknown>): Promise<number> {
  let longest = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS && longest >= LONGEST_HOLD; round++)
    longest = Math.min(longest, await holdDuring(server, work));
  return longest;
}

/**
 * Expects an attack with megabytes of bodies to keep others waiting for less than `LONGEST_HOLD` in one of the rounds. The
 * runtime takes in what has arrived on all connections before any code of ours runs, which alone takes longer where memory is
 * slow. So after a round that exceeds the time, the same attack is made on a server of the runtime alone, and this one may
 * take `LONGEST_HOLD` more than that.
 */
export async function expectBodiesToHoldLittle(
  server: Target,
  attack: (target: Target) => Promise<unknown>,
): Promise<void> {
  let bare: Bare | undefined;
  let ours = Number.POSITIVE_INFINITY;
  try {
    for (let round = 0; round < ROUNDS && ours >= LONGEST_HOLD; round++) {
      const held = await holdDuring(server, () => attack(server));
      if (held < LONGEST_HOLD) return;
      bare ??= await startBare();
      const { target } = bare;
      ours = Math.min(ours, held - (await holdDuring(target, () => attack(target))));
    }
  } finally {
    bare?.child.kill();
    await bare?.child.exited;
  }
  expect(ours).toBeLessThan(LONGEST_HOLD);
}

interface Bare {
  target: Target;
  child: Bun.Subprocess;
}

async function startBare(): Promise<Bare> {
  const child = Bun.spawn([process.execPath, `${import.meta.dir}/bare-server.ts`], { stdout: "pipe" });
  for await (const url of child.stdout.pipeThrough(new TextDecoderStream()))
    return { target: { url: url.trim(), pid: child.pid }, child };
  throw new Error("the bare server did not start");
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
  const used = () => mainThreadTimeOf(pid);
  for (let before = -10; used() - before > 10; ) {
    before = used();
    await Bun.sleep(QUIET);
  }
}
