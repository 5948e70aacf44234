import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Ways to hold a process and its children to one core and some memory, from the surest to the weakest. */

/** The core that the server has, alone where there are others. */
const CORE = 0;

export interface Cage {
  /** The way, and what it can't enforce, as the report says it. */
  name: string;
  lacks: string | null;
  /** True where the kernel itself ends what takes too much; else the bench does. */
  isEnforced: boolean;
  /** The command that runs another one inside. */
  around: (command: string[]) => string[];
  /** Removes what was made. */
  remove: () => void;
}

const succeeds = (command: string[]): boolean =>
  Bun.which(command[0] ?? "") !== null &&
  Bun.spawnSync(command, { stdio: ["ignore", "ignore", "ignore"] }).exitCode === 0;

const CGROUPS = "/sys/fs/cgroup";

/**
 * A new group of cgroup v2 beside that of this process or below the root; null where it can't be made, or has no memory
 * controller (as with cgroup v1, or in most containers).
 */
function cgroup(bytes: number): Cage | null {
  const own = /^0::(.+)$/m.exec(
    existsSync("/proc/self/cgroup") ? readFileSync("/proc/self/cgroup", "utf8") : "",
  )?.[1];
  if (own === undefined) return null;
  for (const parent of [join(CGROUPS, own, ".."), CGROUPS]) {
    const group = join(parent, `fairlead-bench-${process.pid}`);
    try {
      if (!readFileSync(join(parent, "cgroup.subtree_control"), "utf8").split(/\s+/).includes("memory"))
        continue;
      mkdirSync(group);
      writeFileSync(join(group, "memory.max"), String(bytes));
      if (existsSync(join(group, "memory.swap.max"))) writeFileSync(join(group, "memory.swap.max"), "0");
      const hasSets = existsSync(join(group, "cpuset.cpus"));
      if (hasSets) writeFileSync(join(group, "cpuset.cpus"), String(CORE));
      const pinned = hasSets ? [] : ["taskset", "-c", String(CORE)];
      return {
        name: "cgroup v2 (memory.max, no swap)",
        lacks: null,
        isEnforced: true,
        around: (command) => [
          "sh",
          "-c",
          `echo $$ > ${group}/cgroup.procs && exec "$@"`,
          "sh",
          ...pinned,
          ...command,
        ],
        remove: () => rmdirSync(group),
      };
    } catch {
      // It may not be written: another way is next.
      if (existsSync(group) && readdirSync(group).length > 0) rmdirSync(group);
    }
  }
  return null;
}

function scope(bytes: number): Cage | null {
  const words = [
    "systemd-run",
    "--scope",
    "--quiet",
    "--collect",
    "-p",
    `MemoryMax=${bytes}`,
    "-p",
    "MemorySwapMax=0",
  ];
  if (!succeeds([...words, "true"])) return null;
  return {
    name: "systemd-run --scope (MemoryMax, no swap) and taskset",
    lacks: null,
    isEnforced: true,
    around: (command) => [...words, "taskset", "-c", String(CORE), ...command],
    remove: () => {},
  };
}

/** One core alone, with as much memory as it takes. Throws where there is no taskset. */
export function oneCore(): Cage {
  if (Bun.which("taskset") === null) throw new Error("taskset (util-linux) is needed");
  return {
    name: "taskset",
    lacks: null,
    isEnforced: false,
    around: (command) => ["taskset", "-c", String(CORE), ...command],
    remove: () => {},
  };
}

/** The surest way to one core and so many bytes of memory that this machine lets us take. */
export const smallCage = (bytes: number): Cage =>
  cgroup(bytes) ??
  scope(bytes) ?? {
    ...oneCore(),
    name: "taskset, and a look at the resident memory every 20 ms that ends whoever has more",
    lacks:
      "neither what is taken between two looks nor the kernel's own memory and cache of files, for which there is more room than on such a machine; pages of the program count, which a small machine may drop and read again",
  };

/** Keeps the bench and its clients off the server's core, where there is another. */
export function leaveTheCore(): void {
  const others = (navigator.hardwareConcurrency ?? 1) - 1;
  if (others > 0) Bun.spawnSync(["taskset", "-apc", `${CORE + 1}-${CORE + others}`, String(process.pid)]);
}

// --- The memory of what is inside ------------------------------------------------------------------------------

/** Bytes of a process and its children. Files are those of the largest: the children run the same program. */
export interface Weight {
  resident: number;
  anonymous: number;
}

function fieldsOf(pid: number): Record<string, number> {
  const lines = readFileSync(`/proc/${pid}/status`, "utf8").matchAll(/^(\w+):\s+(\d+)(?: kB)?$/gm);
  return Object.fromEntries([...lines].map(([, name = "", value]) => [name, Number(value)]));
}

function familyOf(pid: number): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8")
    .split(" ")
    .filter(Boolean)
    .map(Number);
  return [pid, ...children.flatMap(familyOf)];
}

/** The present weight of a process with its children; null once it has ended. */
export function weigh(pid: number): Weight | null {
  let [anonymous, files] = [0, 0];
  try {
    for (const each of familyOf(pid)) {
      const { RssAnon = 0, RssShmem = 0, RssFile = 0 } = fieldsOf(each);
      anonymous += (RssAnon + RssShmem) * 1_024;
      files = Math.max(files, RssFile * 1_024);
    }
  } catch {
    // A child may end while it is looked at.
    if (!existsSync(`/proc/${pid}/status`)) return null;
  }
  return { anonymous, resident: anonymous + files };
}
