import { readFileSync } from "node:fs";

/** True if the program was started with `nohup`, so that it outlives its terminal. */
function ignoresHangup(): boolean {
  try {
    const ignored = /^SigIgn:\s*([0-9a-f]+)$/m.exec(readFileSync("/proc/self/status", "utf8"))?.[1];
    return (Number.parseInt(ignored?.at(-1) ?? "0", 16) & 1) === 1;
  } catch {
    return false;
  }
}

/**
 * Signals that end the program: SIGTERM, SIGINT, SIGQUIT, and SIGHUP unless it is to outlive its terminal.
 */
export const stopSignals = (): NodeJS.Signals[] => [
  "SIGTERM",
  "SIGINT",
  "SIGQUIT",
  ...(ignoresHangup() ? [] : ["SIGHUP" as const]),
];
