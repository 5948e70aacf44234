import { config } from "../../configuration/config";
import { profile } from "../../configuration/profile";
import { describeError, log } from "../logs/log";
import { commandLine, isCompiled } from "./program";

/** An option of JavaScriptCore, which the runtime reads at its start alone: the memory that the garbage collector goes by. */
const VARIABLE = "BUN_JSC_forceRAMSize";

/**
 * Starts this process anew, with the same number, where the profile bounds the collector and the environment doesn't yet. The
 * heap could otherwise grow to a part of the whole machine's memory before garbage is collected, whatever a container or a unit
 * may have of it. SQLite then sorts in the data directory: temporary directories are memory on many small machines. Call it before
 * anything is opened.
 */
export function boundCollector(): void {
  const { collectorMemory } = profile;
  if (collectorMemory === null || process.env[VARIABLE] !== undefined) return;
  const [program = process.execPath, ...words] = commandLine();
  // The executable takes such options from the environment alone.
  const ofRuntime = isCompiled ? [] : process.execArgv;
  const environment = {
    SQLITE_TMPDIR: config["data.dir"],
    ...process.env,
    [VARIABLE]: String(collectorMemory),
  };
  try {
    process.execve?.(program, [program, ...ofRuntime, ...words, ...process.argv.slice(2)], environment);
  } catch (error) {
    log.warn("the garbage collector can't be bounded, so that more memory is used", describeError(error));
  }
}
