import { config, configFile } from "../../configuration/config";
import { AppError } from "../../kernel/errors/errors";
import { log } from "../../kernel/logs/log";
import { commandLine } from "../../kernel/process/program";
import { iso, MINUTE, now } from "../../kernel/time/clock";
import type { Examination } from "./schema";

/**
 * The doctor, called by the running server: in a process of its own, since it reads through the whole database and tries what
 * may hang.
 */

/** Time after which an examination is given up. */
const LONGEST = 3 * MINUTE;

/** Time for which its findings are given to others who ask. */
const KEPT = MINUTE;

let last: Examination | null = null;
let running: Promise<Examination> | null = null;

const isFresh = ({ examined_at }: Examination): boolean => Math.abs(now() - Date.parse(examined_at)) < KEPT;

/** The findings of the last minute, or those of an examination now. Throws 503 if it fails. */
export function examination(): Promise<Examination> {
  if (last && isFresh(last)) return Promise.resolve(last);
  running ??= examine().finally(() => {
    running = null;
  });
  return running;
}

async function examine(): Promise<Examination> {
  const options = {
    "data-dir": config["data.dir"],
    host: config["server.host"],
    port: config["server.port"],
  };
  const child = Bun.spawn(
    [
      ...[...commandLine(), "doctor", "--json"],
      ...Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)]),
      ...(configFile === null ? [] : ["--config", configFile]),
    ],
    { stdio: ["ignore", "pipe", "ignore"], timeout: LONGEST },
  );
  const text = await new Response(child.stdout).text();
  try {
    last = { examined_at: iso(now()), ...JSON.parse(text) };
    return last as Examination;
  } catch {
    log.error("the doctor gave no findings", { exit: await child.exited });
    throw new AppError(
      "ServiceUnavailable",
      "The installation could not be examined; call `fairlead doctor`",
    );
  }
}
