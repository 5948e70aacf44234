import { heapStats } from "bun:jsc";
import { readFileSync } from "node:fs";

/**
 * The memory of a server, told by the server itself: this is preloaded before the program, since only the process knows
 * what its heap holds. It answers one order at a time over Bun's IPC.
 */

export interface MemoryOrder {
  /** Collects garbage first, so that only what is in use counts. It stops the server for some milliseconds. */
  collect: boolean;
  /** Has SQLite give its page cache back first. */
  shrink: boolean;
}

/** Bytes, but for the counts of objects. */
export interface Memory {
  resident: number;
  /** Resident pages of files: the program, its libraries and the index of the write-ahead log. */
  files: number;
  /** The JavaScript heap as it is allocated, and the part of it that objects take, with what they hold outside. */
  heap: number;
  objects: number;
  counts: Record<string, number>;
}

/** Resident memory in bytes, by the fields of proc(5). */
function resident(): Record<string, number> {
  const lines = readFileSync("/proc/self/status", "utf8").matchAll(/^(\w+):\s+(\d+) kB$/gm);
  return Object.fromEntries([...lines].map(([, name = "", kibibytes]) => [name, Number(kibibytes) * 1_024]));
}

async function weigh({ collect, shrink }: MemoryOrder): Promise<Memory> {
  if (shrink) (await import("../../src/kernel/db/connection")).sqlite.run("PRAGMA shrink_memory");
  if (collect) Bun.gc(true);
  const { VmRSS = 0, RssFile = 0, RssShmem = 0 } = resident();
  const { heapCapacity, heapSize, objectTypeCounts } = heapStats();
  return {
    ...{ resident: VmRSS, files: RssFile + RssShmem },
    ...{ heap: heapCapacity, objects: heapSize, counts: objectTypeCounts },
  };
}

process.on("message", (order: MemoryOrder) => {
  weigh(order).then(
    (answer) => process.send?.({ answer }),
    (error) => process.send?.({ error: String(error) }),
  );
});
