import { accessSync, constants, existsSync, readFileSync, statfsSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { config } from "../../config";
import { geoipBuilt } from "../../identity/audit/geoip";
import { tryAddress } from "../../kernel/address";
import { DAY, iso, MINUTE, SECOND } from "../../kernel/clock";
import { hashPassword, requirePasswordHash } from "../../kernel/crypto";
import { dataPath, readMasterKey } from "../../kernel/data-dir";
import { isServed } from "../../kernel/data-lock";
import { reason } from "../../kernel/disk";
import { sizeInWords } from "../../kernel/print";
import { connectionsFor, openFilesLimit } from "../../realtime/capacity";
import { clockTrouble, type Happened } from "../health/clock";
import { type Finding, ok, orOk, problem, warning } from "./findings";

/** The doctor's checks beside configuration and database: files, disk, clock, limits. */

const FOR_OTHERS = 0o077;
const WRITABLE_BY_OTHERS = 0o022;

/** Checks the permissions of files and directories. Secrets are the operator's alone. */
export function checkPermissions(): Finding[] {
  const directory = config["data.dir"];
  // Also taken if this user may not see whether it exists.
  if (!existsSync(directory)) return checkPlace(directory);
  const stats = statSync(directory);
  if (!stats.isDirectory())
    return [problem("data directory", `${directory} is no directory; choose another data.dir`)];
  const found: Finding[] = [];
  try {
    accessSync(directory, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    found.push(problem("data directory", `${directory} ${cureOf(error)}`));
  }
  // The content of a directory that can't be entered is unknown.
  if (!canEnter(directory)) return found;
  if (stats.mode & WRITABLE_BY_OTHERS)
    found.push(
      problem(
        "data directory",
        `other users may write to ${directory}, and so replace database and key: chmod 700 ${directory}`,
      ),
    );
  else if (stats.mode & FOR_OTHERS)
    found.push(warning("data directory", `other users may look into ${directory}: chmod 700 ${directory}`));
  const secret = ["fairlead.db", "fairlead.db-wal", "master.key"].map((name) => join(directory, name));
  for (const path of secret) {
    const file = statSync(path, { throwIfNoEntry: false });
    if (!file) continue;
    if (file.mode & FOR_OTHERS)
      found.push(problem("data directory", `other users may read ${path}: chmod 600 ${path}`));
    if (file.uid !== stats.uid)
      found.push(
        warning(
          "data directory",
          `${path} belongs to another user than ${directory}: chown both to the server's user`,
        ),
      );
  }
  return orOk(found, "data directory", `${directory} is the operator's alone`);
}

/** Checks that a missing data directory can be made. */
function checkPlace(directory: string): Finding[] {
  let parent = dirname(directory);
  while (!existsSync(parent)) parent = dirname(parent);
  try {
    accessSync(parent, constants.W_OK | constants.X_OK);
  } catch (error) {
    return [
      problem("data directory", `${directory} is not there, or not seen, and ${parent} ${cureOf(error)}`),
    ];
  }
  return [ok("data directory", `${directory} is not there yet: the first start makes it`)];
}

/** The reason why a file or directory can't be used, and the remedy. */
function cureOf(error: unknown): string {
  return (error as { code?: string }).code === "EROFS"
    ? "lies on a file system that is read-only: remount it; the kernel makes it so when a disk fails (dmesg)"
    : "cannot be written by this user: run the doctor as the server's user, or chown and chmod it";
}

/** True if a path certainly doesn't exist; false for one in a directory that this user may not enter. */
export function isAbsent(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) === undefined;
  } catch {
    return false;
  }
}

/** True if this user may read a directory's content. */
export function canEnter(directory: string): boolean {
  try {
    accessSync(directory, constants.R_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * Checks the master key. `closed` names the secrets in the database that no key here opens: the database's
 * check reports them.
 */
export function checkKey(closed: string[]): Finding[] {
  try {
    if (readMasterKey())
      return closed.length > 0
        ? []
        : [ok("master key", "it is there; keep a copy of it apart from the backups")];
  } catch (error) {
    return [problem("master key", (error as Error).message)];
  }
  if (closed.length > 0) return [];
  return [
    existsSync(dataPath.database())
      ? warning(
          "master key",
          "there is none, and nothing in the database needs one yet: the next start makes it; put the former back if there was one",
        )
      : ok("master key", "the first start makes one"),
  ];
}

/** Bytes; with less free than this a server is near its end. */
const LITTLE = 100_000_000;

/** Checks free space: migrations and backups need as much as the database. */
export function checkDisk(): Finding[] {
  const database = statSync(dataPath.database(), { throwIfNoEntry: false })?.size ?? 0;
  return [config["data.dir"], dataPath.backups()].flatMap((directory, at) => {
    // The backup directory counts only if it lies elsewhere.
    if (!existsSync(directory) || (at === 1 && config["backup.dir"] === null)) return [];
    const { bavail, bsize, files, ffree } = statfsSync(directory);
    const free = bavail * bsize;
    const told = `${sizeInWords(free)} are free for ${directory}`;
    if (free < LITTLE || (files > 0 && ffree < 100))
      return [problem("disk", `${told}: make room, or writes will fail`)];
    if (free < 2 * database)
      return [
        warning(
          "disk",
          `${told}, and the database has ${sizeInWords(database)}: make room before backups and upgrades fail`,
        ),
      ];
    return [ok("disk", told)];
  });
}

const SOME = MINUTE;
const MUCH = 60 * MINUTE;

/**
 * Checks the machine's clock: not behind what has `happened`, and equal to the clocks of others (`outside`);
 * epoch milliseconds. Two-factor codes bear half a minute.
 */
export function checkClock(time: number, happened: Happened[], outside: number[]): Finding[] {
  const told = iso(time);
  const trouble = clockTrouble(time, happened);
  if (trouble !== null) return [problem("clock", trouble)];
  const gaps = outside.map((other) => Math.abs(time - other)).sort((a, b) => a - b);
  const gap = gaps[Math.floor(gaps.length / 2)] ?? 0;
  const others = `it is ${Math.round(gap / SECOND)} s off the time outside: let it be set by NTP or GPS (timedatectl)`;
  if (gap > MUCH) return [problem("clock", others)];
  if (gap > SOME) return [warning("clock", others)];
  return [ok("clock", gaps.length > 0 ? `${told}, as outside` : told)];
}

/** Tries to listen on the server's address. No finding if a server runs: it listens already. */
export async function checkAddress(): Promise<Finding[]> {
  if (isServed()) return [];
  try {
    await tryAddress();
  } catch (error) {
    return [problem("address", (error as Error).message)];
  }
  return [ok("address", `${config["server.host"]}:${config["server.port"]} can be listened on`)];
}

/** Open files; each client takes one. */
const MANY_FILES = 1_024;

export function checkLimits(): Finding[] {
  const files = openFilesLimit();
  const told = `${files} at once, which makes room for ${connectionsFor(files)} WebSockets`;
  return files < MANY_FILES
    ? [warning("open files", `${told}: raise it (ulimit -Hn, LimitNOFILE=65536 of systemd)`)]
    : [ok("open files", told)];
}

/**
 * Checks the directory where the executable unpacks the password hash, which is native code, and the demo
 * keeps its data.
 */
export function checkTemporaryDirectory(): Finding[] {
  const directory = process.env.BUN_TMPDIR || tmpdir();
  try {
    accessSync(directory, constants.W_OK | constants.X_OK);
  } catch (error) {
    return [
      problem(
        "temporary directory",
        `${directory} cannot be used (${reason(error)}): make it, or set TMPDIR to one that can be written`,
      ),
    ];
  }
  const [, mountPoint = "", options = ""] = mountOf(resolve(directory)) ?? [];
  return options.split(",").includes("noexec")
    ? [
        warning(
          "temporary directory",
          `${directory} does not permit execution (${mountPoint} is mounted noexec): the executable needs BUN_TMPDIR set to one that does`,
        ),
      ]
    : [ok("temporary directory", `${directory} can be written, and permits execution`)];
}

/** Checks that passwords can be hashed here, and measures the time that it takes. */
export async function checkPasswordHash(): Promise<Finding[]> {
  try {
    await requirePasswordHash();
  } catch (error) {
    return [problem("password hash", (error as Error).message)];
  }
  const started = performance.now();
  await hashPassword("doctor");
  return [ok("password hash", `works, in ${Math.round(performance.now() - started)} ms`)];
}

/** The mount that a path lies on: device, mount point and options (proc(5)). */
function mountOf(path: string): string[] | undefined {
  if (!existsSync("/proc/mounts")) return undefined;
  return readFileSync("/proc/mounts", "utf8")
    .split("\n")
    .map((line) => line.split(" "))
    .filter(([, point = ""]) => point === "/" || path === point || path.startsWith(`${point}/`))
    .sort(([, a = ""], [, b = ""]) => b.length - a.length)
    .map(([device = "", point = "", , options = ""]) => [device, point, options])[0];
}

export function checkGeoip(time: number): Finding[] {
  const path = config["geoip.database"];
  if (path === null) return [];
  try {
    const days = Math.floor((time - geoipBuilt(path).getTime()) / DAY);
    return days > 365
      ? [
          warning(
            "GeoIP",
            `${path} is ${days} days old: put a newer one there, which the server then notices`,
          ),
        ]
      : [ok("GeoIP", `${path} is ${days} days old`)];
  } catch (error) {
    return [problem("GeoIP", `${path} cannot be read (${reason(error)}): the server would not start`)];
  }
}
