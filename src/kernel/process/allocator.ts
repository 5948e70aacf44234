import { startAnew } from "./program";

/**
 * Options of the runtime's allocator (mimalloc), which it reads from the environment at the start of a process alone. Memory that was
 * freed is given back to the system after a second, and a page of the allocator of which a part is in use is kept whole. A server
 * frees and takes the same memory over and over: to give it back in between costs it a fault of the processor for each 4 KiB.
 */
export const KEEPING = { MIMALLOC_PURGE_DELAY: "1000", MIMALLOC_PURGE_HOLES: "0" };

/** The allocator's own choice: memory is given back after a tenth of a second, and the free parts of a page whenever the thread is idle. */
const GIVING_BACK = { MIMALLOC_PURGE_DELAY: "100", MIMALLOC_PURGE_HOLES: "1" };

/** An option of JavaScriptCore, read at the start too: the memory that the garbage collector goes by. */
export const COLLECTOR = "BUN_JSC_forceRAMSize";

/** Commands that run for long. Without one the program serves; an option before it says nothing of it. */
const LONG = /^(?:serve|demo|-.*)$/;

/**
 * Starts this process anew, with the same number, where a server begins and the environment has no options for memory yet. Where
 * the system refuses that, it goes on, slower.
 */
export function keepFreedMemory(): void {
  const { argv, env } = process;
  const [, , command = "serve"] = argv;
  const isChosen = [...Object.keys(KEEPING), COLLECTOR].some((name) => env[name] !== undefined);
  if (!LONG.test(command) || isChosen || env.FAIRLEAD_PERFORMANCE_PROFILE === "small") return;
  try {
    startAnew({ ...env, ...KEEPING });
  } catch (error) {
    process.stderr.write(`fairlead: freed memory can't be kept, which slows the server down: ${error}\n`);
  }
}

/** Options that undo `keepFreedMemory`, for the profile of a configuration file; none where it has set nothing. */
export const givingBack = (): Record<string, string> =>
  Object.entries(KEEPING).every(([name, value]) => process.env[name] === value) ? GIVING_BACK : {};
