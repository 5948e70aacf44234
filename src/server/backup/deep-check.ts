import { existsSync } from "node:fs";
import { mkdir, readdir, rm, stat, statfs } from "node:fs/promises";
import { join } from "node:path";
import { config, configFile } from "../../configuration/config";
import { sqlite } from "../../kernel/db/connection";
import { record, recorded } from "../../kernel/db/program-record";
import { transact } from "../../kernel/db/transactions";
import { log } from "../../kernel/logs/log";
import { dataPath } from "../../kernel/process/data-dir";
import { reason } from "../../kernel/process/disk";
import { OperatorError } from "../../kernel/process/operator";
import { sizeInWords } from "../../kernel/process/print";
import { commandLine } from "../../kernel/process/program";
import { DAY, HOUR, MINUTE, now } from "../../kernel/time/clock";

/**
 * Restoring a backup for a try (`backup.verify = deep`): by the commands that an operator would call, into a directory of its own,
 * which goes afterwards. They run in processes of their own, since each reads through a whole database.
 */

/** The last try. */
export interface DeepCheck {
  /** The file that was tried. */
  name: string;
  /** Epoch milliseconds. */
  at: number;
  /** `untried`: it could not be restored, as without room on the disk, which says nothing of the backup. */
  outcome: "sound" | "useless" | "untried";
  /** The reason why it is of no use, or could not be tried; null if it is sound. */
  trouble: string | null;
  /** The newest backup that was found to be sound; null if none was. */
  sound: string | null;
}

/** Time after which a command is given up: a large database on a slow disk takes minutes. */
const LONGEST = 2 * HOUR;
/** Pause after a try that failed. */
const RETRY = 15 * MINUTE;

const PREFIX = ".verify-";

/** The last try, over restarts too; null if there was none. */
export function lastDeepCheck(): DeepCheck | null {
  const known = recorded(sqlite, "backup_verified");
  return known === null ? null : (JSON.parse(known) as DeepCheck);
}

/** True if the newest backup is to be tried now. */
export function isDeepCheckDue(): boolean {
  if (config["backup.verify"] !== "deep") return false;
  const last = lastDeepCheck();
  return last === null || Math.abs(now() - last.at) >= (last.outcome === "sound" ? DAY : RETRY);
}

let child: Bun.Subprocess | null = null;
let trying: Promise<unknown> = Promise.resolve();
let stopped = false;

/** Restores a backup and runs the doctor on it; keeps and returns what came of it. Null if the server stops meanwhile. */
export function checkDeeply(directory: string, name: string): Promise<DeepCheck | null> {
  const check = tryOut(directory, name);
  trying = check.catch(() => {});
  return check;
}

const FAILURES = {
  useless: "a backup was restored for a try, and is of no use",
  untried: "a backup could not be restored for a try",
};

async function tryOut(directory: string, name: string): Promise<DeepCheck | null> {
  const at = now();
  const place = join(directory, `${PREFIX}${process.pid}`);
  let trouble: string | null;
  let outcome: DeepCheck["outcome"];
  try {
    for (const left of await readdir(directory))
      if (left.startsWith(PREFIX)) await rm(join(directory, left), { recursive: true, force: true });
    trouble = await tryRestore(join(directory, name), place);
    outcome = trouble === null ? "sound" : "useless";
  } catch (error) {
    trouble = reason(error);
    outcome = "untried";
  } finally {
    await rm(place, { recursive: true, force: true });
  }
  // The command was ended, which says nothing of the backup.
  if (stopped) return null;
  const check: DeepCheck = { name, at, outcome, trouble, sound: soundAfter(name, outcome) };
  await transact(() => record(sqlite, "backup_verified", JSON.stringify(check)));
  if (outcome === "sound") log.info("a backup was restored for a try, and is sound", { backup: name });
  else log.error(FAILURES[outcome], { backup: name, why: trouble });
  return check;
}

/** The newest backup that was found to be sound, once one was tried: it may be the same, damaged since. */
function soundAfter(name: string, outcome: DeepCheck["outcome"]): string | null {
  if (outcome === "sound") return name;
  const before = lastDeepCheck()?.sound ?? null;
  return outcome === "useless" && before === name ? null : before;
}

async function tryRestore(file: string, place: string): Promise<string | null> {
  const { size } = await stat(file);
  const { bavail, bsize } = await statfs(join(file, ".."));
  if (bavail * bsize < size)
    throw new OperatorError(
      `restoring it for a try needs ${sizeInWords(size)}, and only ${sizeInWords(bavail * bsize)} are free`,
    );
  await mkdir(place, { mode: 0o700 });
  const restored = await run(["restore", file], place);
  if (restored.status !== 0) return restored.error;
  const examined = await run(["doctor", "--json"], place);
  return problemIn(examined.output) ?? (examined.output === "" ? examined.error : null);
}

interface Finding {
  verdict: string;
  check: string;
  message: string;
}

/** The doctor looks at the whole machine: what it finds of the database and its key is what a backup is judged by. */
const JUDGED = ["database", "master key"];

function problemIn(output: string): string | null {
  if (output === "") return null;
  const { findings } = JSON.parse(output) as { findings: Finding[] };
  const found = findings.find(({ verdict, check }) => verdict === "problem" && JUDGED.includes(check));
  return found ? found.message : null;
}

/** Calls a command of this program on another data directory, with the key of this one. */
async function run(
  args: string[],
  dataDir: string,
): Promise<{ status: number; output: string; error: string }> {
  if (stopped) throw new Error("the server stops");
  const hasFile = config["security.encryption_key"] === null && existsSync(dataPath.key());
  const options = ["--data-dir", dataDir, ...(configFile === null ? [] : ["--config", configFile])];
  child = Bun.spawn([...commandLine(), ...args, ...options], {
    env: { ...process.env, ...(hasFile && { FAIRLEAD_SECURITY_ENCRYPTION_KEY_FILE: dataPath.key() }) },
    stdio: ["ignore", "pipe", "pipe"],
    timeout: LONGEST,
  });
  const { stdout, stderr } = child as Bun.Subprocess<"ignore", "pipe", "pipe">;
  const [output, error] = await Promise.all([new Response(stdout).text(), new Response(stderr).text()]);
  const status = await child.exited;
  child = null;
  return {
    status,
    output,
    error: error.trim().replace(/^fairlead: /, "") || `it ended with status ${status}`,
  };
}

/** Ends a try, and waits until nothing is left of it, before the server ends. The next start tries again. */
export async function stopDeepCheck(): Promise<void> {
  stopped = true;
  child?.kill();
  await trying;
}
