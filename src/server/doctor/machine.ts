import { accessSync, constants, existsSync, readFileSync, statfsSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { config } from "../../configuration/config";
import { geoipBuilt } from "../../identity/audit/geoip";
import { hashPassword, requirePasswordHash } from "../../kernel/crypto/crypto";
import { tryAddress } from "../../kernel/process/address";
import { dataPath, readMasterKey } from "../../kernel/process/data-dir";
import { isServed } from "../../kernel/process/data-lock";
import { reason } from "../../kernel/process/disk";
import { sizeInWords } from "../../kernel/process/print";
import { DAY, iso, MINUTE, SECOND } from "../../kernel/time/clock";
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
    return [problem("data directory", `${directory} is not a directory; choose another data.dir`)];
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
        `other users can write to ${directory}, and so replace the database and the key; run chmod 700 ${directory}`,
      ),
    );
  else if (stats.mode & FOR_OTHERS)
    found.push(warning("data directory", `other users can list ${directory}; run chmod 700 ${directory}`));
  const secret = ["fairlead.db", "fairlead.db-wal", "master.key"].map((name) => join(directory, name));
  for (const path of secret) {
    const file = statSync(path, { throwIfNoEntry: false });
    if (!file) continue;
    if (file.mode & FOR_OTHERS)
      found.push(problem("data directory", `other users can read ${path}; run chmod 600 ${path}`));
    if (file.uid !== stats.uid)
      found.push(
        warning(
          "data directory",
          `${path} and ${directory} belong to different users; chown both to the server's user`,
        ),
      );
  }
  return orOk(found, "data directory", `only the operator can access ${directory}`);
}

/** Checks that a missing data directory can be made. */
function checkPlace(directory: string): Finding[] {
  let parent = dirname(directory);
  while (!existsSync(parent)) parent = dirname(parent);
  try {
    accessSync(parent, constants.W_OK | constants.X_OK);
  } catch (error) {
    return [
      problem(
        "data directory",
        `${directory} does not exist or is not visible, and ${parent} ${cureOf(error)}`,
      ),
    ];
  }
  return [ok("data directory", `${directory} does not exist yet; the first start creates it`)];
}

/** The reason why a file or directory can't be used, and the remedy. */
function cureOf(error: unknown): string {
  return (error as { code?: string }).code === "EROFS"
    ? "is on a read-only file system; remount it, and check the disk: the kernel does this when a disk fails (dmesg)"
    : "is not writable for this user; run the doctor as the server's user, or chown and chmod it";
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
    const left = dataPath.formerKey();
    if (config["security.encryption_key"] === null && existsSync(left))
      return [
        warning(
          "master key",
          `its rotation is not done: ${left} is still there. Call fairlead key rotate-master, which goes on with it`,
        ),
      ];
    if (readMasterKey())
      return closed.length > 0
        ? []
        : [ok("master key", "present; keep a copy of it, separate from the backups")];
  } catch (error) {
    return [problem("master key", (error as Error).message)];
  }
  if (closed.length > 0) return [];
  return [
    existsSync(dataPath.database())
      ? warning(
          "master key",
          "missing, but nothing in the database needs it yet; the next start creates one. If you had one, restore it first",
        )
      : ok("master key", "the first start creates one"),
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
    const told = `${sizeInWords(free)} free for ${directory}`;
    if (free < LITTLE || (files > 0 && ffree < 100))
      return [problem("disk", `${told}; free some space, or writes will fail`)];
    if (free < 2 * database)
      return [
        warning(
          "disk",
          `${told}, and the database takes ${sizeInWords(database)}; free some space, or backups and upgrades may fail`,
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
  const others = `it differs by ${Math.round(gap / SECOND)} s from the clocks of external services; synchronize it by NTP or GPS (timedatectl)`;
  if (gap > MUCH) return [problem("clock", others)];
  if (gap > SOME) return [warning("clock", others)];
  return [ok("clock", gaps.length > 0 ? `${told}, in agreement with external services` : told)];
}

/** Tries to listen on the server's address. No finding if a server runs: it listens already. */
export async function checkAddress(): Promise<Finding[]> {
  if (isServed()) return [];
  try {
    await tryAddress();
  } catch (error) {
    return [problem("address", (error as Error).message)];
  }
  return [ok("address", `${config["server.host"]}:${config["server.port"]} is free`)];
}

/** Open files; each client takes one. */
const MANY_FILES = 1_024;

export function checkLimits(): Finding[] {
  const files = openFilesLimit();
  const told = `up to ${files}, enough for ${connectionsFor(files)} WebSockets`;
  return files < MANY_FILES
    ? [
        warning(
          "open files",
          `${told}; raise the limit (ulimit -Hn, or LimitNOFILE=65536 in the systemd unit)`,
        ),
      ]
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
        `${directory} cannot be used (${reason(error)}); create it, or set TMPDIR to a writable directory`,
      ),
    ];
  }
  const [, mountPoint = "", options = ""] = mountOf(resolve(directory)) ?? [];
  return options.split(",").includes("noexec")
    ? [
        warning(
          "temporary directory",
          `${directory} does not permit execution (${mountPoint} is mounted noexec); set BUN_TMPDIR to a directory that does, which the executable needs`,
        ),
      ]
    : [ok("temporary directory", `${directory} is writable and permits execution`)];
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
  return [ok("password hash", `works; takes ${Math.round(performance.now() - started)} ms`)];
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
            `${path} is ${days} days old; replace it with a newer one, which the server picks up by itself`,
          ),
        ]
      : [ok("GeoIP", `${path} is ${days} days old`)];
  } catch (error) {
    return [
      problem(
        "GeoIP",
        `${path} cannot be read (${reason(error)}), so the server would not start; fix the path or the file`,
      ),
    ];
  }
}
