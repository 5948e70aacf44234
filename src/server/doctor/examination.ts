import { config, configFile } from "../../configuration/config";
import { AppError } from "../../kernel/errors/errors";
import { listeningServer } from "../../kernel/http/client";
import { log } from "../../kernel/logs/log";
import { commandLine } from "../../kernel/process/program";
import { iso, MINUTE, now } from "../../kernel/time/clock";
import type { Locale } from "../../kernel/values/bilingual";
import { CHECKS, type Finding } from "./findings";
import { type Printed, read } from "./printed";
import type { Examination } from "./schema";

/**
 * The doctor, called by the running server: in a process of its own, since it reads through the whole database and tries what
 * may hang.
 */

/** Time after which an examination is given up. */
const LONGEST = 3 * MINUTE;

/** Time for which its findings are given to others who ask. */
const KEPT = MINUTE;

/** The findings in each language. */
type Examined = Omit<Examination, "findings"> & { findings: Finding[] };

let last: Examined | null = null;
let running: Promise<Examined> | null = null;

const isFresh = ({ examined_at }: Examined): boolean => Math.abs(now() - Date.parse(examined_at)) < KEPT;

/** The findings of the last minute in a language, or those of an examination now. Throws 503 if it fails. */
export async function examination(locale: Locale): Promise<Examination> {
  const { findings, ...facts } = await examined();
  return {
    ...facts,
    findings: findings.map(({ check, verdict, message }) => ({
      ...{ check, verdict },
      title: CHECKS[check][locale],
      message: message[locale],
    })),
  };
}

async function examined(): Promise<Examined> {
  if (last && isFresh(last)) return last;
  running ??= examine().finally(() => {
    running = null;
  });
  return await running;
}

async function examine(): Promise<Examined> {
  const options = {
    "data-dir": config["data.dir"],
    host: config["server.host"],
    // The one that it got, where 0 asks for a free one.
    port: listeningServer()?.port ?? config["server.port"],
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
    const { findings, ...counts } = JSON.parse(text) as Printed;
    last = { examined_at: iso(now()), ...counts, findings: findings.map(read) };
    return last;
  } catch {
    log.error("the doctor gave no findings", { exit: await child.exited });
    throw new AppError(
      "ServiceUnavailable",
      "The installation could not be examined; call `fairlead doctor`",
    );
  }
}
