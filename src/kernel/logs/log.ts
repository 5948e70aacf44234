import { counters } from "./metrics";

/** The server's log: one line an event, on standard output, for a person on a terminal and as JSON elsewhere. */
const LEVELS = { error: 0, warn: 1, info: 2, debug: 3 } as const;

export type LogLevel = keyof typeof LEVELS;
export type LogFormat = "pretty" | "json";
export type LogFields = Record<string, string | number | boolean | null | undefined>;

const lines = counters<LogLevel>("fairlead_log_lines_total", "Lines of the log, by level", "level");
// Created at the start, so that the first line of a level shows as a rise.
for (const level of Object.keys(LEVELS) as LogLevel[]) lines.of(level);

let threshold: number = LEVELS.info;
let format: LogFormat = process.stdout.isTTY ? "pretty" : "json";

/** Bytes that may wait for a stalled reader; beyond that, lines are dropped rather than memory filled. */
const MAX_WAITING = 16 * 1024 * 1024;
let waiting = 0;
process.stdout.on("drain", () => {
  waiting = 0;
});

function put(line: string): void {
  if (waiting > MAX_WAITING) return;
  if (!process.stdout.write(line)) waiting += line.length;
}

export function configureLog(level: LogLevel, as: LogFormat | null): void {
  threshold = LEVELS[level];
  if (as !== null) format = as;
}

/** True if a line of this level would be written: lets a hot path skip the work of composing it. */
export function logs(level: LogLevel): boolean {
  return LEVELS[level] <= threshold;
}

/**
 * Field values may come from outside: both formats escape them, so that no value can forge a line or move the
 * cursor of a terminal. Never pass a token, a key, a password or a URL's query.
 */
function write(level: LogLevel, message: string, fields: LogFields): void {
  if (!logs(level)) return;
  lines.of(level).add();
  const time = new Date().toISOString();
  if (format === "json") {
    put(`${JSON.stringify({ time, level, message, ...fields })}\n`);
    return;
  }
  const pairs = Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => `${key}=${typeof value === "string" ? JSON.stringify(value) : value}`);
  put(`${time.slice(11, 23)} ${level.padEnd(5)} ${message}  ${pairs.join(" ")}\n`);
}

export const log = {
  error: (message: string, fields: LogFields = {}) => write("error", message, fields),
  warn: (message: string, fields: LogFields = {}) => write("warn", message, fields),
  info: (message: string, fields: LogFields = {}) => write("info", message, fields),
  debug: (message: string, fields: LogFields = {}) => write("debug", message, fields),
};

/**
 * The parts of a thrown value that help the operator: its class, message and stack, never the request's data.
 */
export function describeError(thrown: unknown): LogFields {
  if (!(thrown instanceof Error)) return { cause: String(thrown) };
  return { cause: `${thrown.name}: ${thrown.message}`, stack: thrown.stack };
}
