import { accessSync, constants, existsSync, readFileSync, statfsSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { config } from "../../configuration/config";
import { geoipBuilt } from "../../identity/audit/geoip";
import { hashPassword, requirePasswordHash } from "../../kernel/crypto/crypto";
import { tryAddress } from "../../kernel/process/address";
import { dataPath } from "../../kernel/process/data-dir";
import { isServed } from "../../kernel/process/data-lock";
import { reasonIn } from "../../kernel/process/disk";
import { sizeInEach } from "../../kernel/process/print";
import { DAY, iso, MINUTE, SECOND } from "../../kernel/time/clock";
import { authorityOf } from "../../kernel/values/authority";
import { type Bilingual, dateInGerman, numberInGerman } from "../../kernel/values/bilingual";
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
    return [
      problem("data directory", {
        en: `${directory} is not a directory; choose another data.dir`,
        de: `${directory} ist kein Ordner; wähle einen anderen data.dir`,
      }),
    ];
  const found: Finding[] = [];
  try {
    accessSync(directory, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    found.push(problem("data directory", cureOf(directory, error)));
  }
  // The content of a directory that can't be entered is unknown.
  if (!canEnter(directory)) return found;
  if (stats.mode & WRITABLE_BY_OTHERS)
    found.push(
      problem("data directory", {
        en: `other users can write to ${directory}, and so replace the database and the key; run chmod 700 ${directory}`,
        de: `andere Benutzer können in ${directory} schreiben und so die Datenbank und den Schlüssel austauschen; rufe chmod 700 ${directory} auf`,
      }),
    );
  else if (stats.mode & FOR_OTHERS)
    found.push(
      warning("data directory", {
        en: `other users can list ${directory}; run chmod 700 ${directory}`,
        de: `andere Benutzer sehen, was in ${directory} liegt; rufe chmod 700 ${directory} auf`,
      }),
    );
  const secret = ["fairlead.db", "fairlead.db-wal", "master.key"].map((name) => join(directory, name));
  for (const path of secret) {
    const file = statSync(path, { throwIfNoEntry: false });
    if (!file) continue;
    const isForeign = file.uid !== stats.uid;
    // A server that reads it by its group could not do so after a chmod alone.
    const cure = `${isForeign ? `chown ${stats.uid}:${stats.gid} ${path} && ` : ""}chmod 600 ${path}`;
    if (file.mode & FOR_OTHERS)
      found.push(
        problem("data directory", {
          en: `other users can read ${path}; run ${cure}`,
          de: `andere Benutzer können ${path} lesen; rufe ${cure} auf`,
        }),
      );
    else if (isForeign)
      found.push(
        warning("data directory", {
          en: `${path} and ${directory} belong to different users; chown both to the server's user`,
          de: `${path} und ${directory} gehören verschiedenen Benutzern; gib beide mit chown dem Benutzer des Servers`,
        }),
      );
  }
  return orOk(found, "data directory", {
    en: `only the operator can access ${directory}`,
    de: `nur der Benutzer des Servers kommt an ${directory}`,
  });
}

/** Checks that a missing data directory can be made. */
function checkPlace(directory: string): Finding[] {
  let parent = dirname(directory);
  while (!existsSync(parent)) parent = dirname(parent);
  try {
    accessSync(parent, constants.W_OK | constants.X_OK);
  } catch (error) {
    const cure = cureOf(parent, error);
    return [
      problem("data directory", {
        en: `${directory} does not exist or is not visible, and ${cure.en}`,
        de: `${directory} gibt es nicht, oder der Ordner ist nicht zu sehen, und ${cure.de}`,
      }),
    ];
  }
  return [
    ok("data directory", {
      en: `${directory} does not exist yet; the first start creates it`,
      de: `${directory} gibt es noch nicht; der erste Start legt den Ordner an`,
    }),
  ];
}

/** The reason why a directory can't be used, and the remedy. */
function cureOf(directory: string, error: unknown): Bilingual {
  return (error as { code?: string }).code === "EROFS"
    ? {
        en: `${directory} is on a read-only file system; remount it, and check the disk: the kernel does this when a disk fails (dmesg)`,
        de: `${directory} liegt auf einem Dateisystem, das sich nur lesen lässt; hänge es neu ein, und prüfe den Datenträger: So reagiert der Kernel, wenn einer ausfällt (dmesg)`,
      }
    : {
        en: `${directory} is not writable for this user; run the doctor as the server's user, or chown and chmod it`,
        de: `dieser Benutzer darf ${directory} nicht schreiben; rufe fairlead doctor als Benutzer des Servers auf, oder ändere den Ordner mit chown und chmod`,
      };
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
    const room = sizeInEach(free);
    const told = { en: `${room.en} free for ${directory}`, de: `${room.de} frei für ${directory}` };
    if (free < LITTLE || (files > 0 && ffree < 100))
      return [
        problem("disk", {
          en: `${told.en}; free some space, or writes will fail`,
          de: `${told.de}; schaffe Platz, sonst lässt sich nichts mehr speichern`,
        }),
      ];
    const size = sizeInEach(database);
    if (free < 2 * database)
      return [
        warning("disk", {
          en: `${told.en}, and the database takes ${size.en}; free some space, or backups and upgrades may fail`,
          de: `${told.de}, und die Datenbank braucht ${size.de}; schaffe Platz, sonst können Sicherungen und neue Versionen scheitern`,
        }),
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
  const told = { en: iso(time), de: dateInGerman(time) };
  const trouble = clockTrouble(time, happened);
  if (trouble !== null) return [problem("clock", trouble)];
  const gaps = outside.map((other) => Math.abs(time - other)).sort((a, b) => a - b);
  const gap = gaps[Math.floor(gaps.length / 2)] ?? 0;
  const seconds = Math.round(gap / SECOND);
  const others = {
    en: `it differs by ${seconds} s from the clocks of external services; synchronize it by NTP or GPS (timedatectl)`,
    de: `sie weicht um ${numberInGerman(seconds)} s von den Uhren externer Dienste ab; stelle sie nach NTP oder GPS (timedatectl)`,
  };
  if (gap > MUCH) return [problem("clock", others)];
  if (gap > SOME) return [warning("clock", others)];
  if (gaps.length === 0) return [ok("clock", told)];
  return [
    ok("clock", {
      en: `${told.en}, in agreement with external services`,
      de: `${told.de}, ebenso wie bei externen Diensten`,
    }),
  ];
}

/** Tries to listen on the server's address. No finding if a server runs: it listens already. */
export async function checkAddress(): Promise<Finding[]> {
  if (isServed()) return [];
  try {
    await tryAddress();
  } catch (error) {
    return [problem("address", reasonIn(error))];
  }
  const address = authorityOf(config["server.host"], config["server.port"]);
  return [ok("address", { en: `${address} is free`, de: `${address} ist frei` })];
}

/** Open files; each client takes one. */
const MANY_FILES = 1_024;

export function checkLimits(): Finding[] {
  const files = openFilesLimit();
  const sockets = connectionsFor(files);
  const told = {
    en: `up to ${files}, enough for ${sockets} WebSockets`,
    de: `bis zu ${numberInGerman(files)}, das reicht für ${numberInGerman(sockets)} WebSockets`,
  };
  return files < MANY_FILES
    ? [
        warning("open files", {
          en: `${told.en}; raise the limit (ulimit -Hn, or LimitNOFILE=65536 in the systemd unit)`,
          de: `${told.de}; erhöhe die Grenze (ulimit -Hn, oder LimitNOFILE=65536 in der Unit von systemd)`,
        }),
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
    const why = reasonIn(error);
    return [
      problem("temporary directory", {
        en: `${directory} cannot be used (${why.en}); create it, or set TMPDIR to a writable directory`,
        de: `${directory} lässt sich nicht benutzen (${why.de}); lege den Ordner an, oder setze TMPDIR auf einen, in den sich schreiben lässt`,
      }),
    ];
  }
  const [, mountPoint = "", options = ""] = mountOf(resolve(directory)) ?? [];
  return options.split(",").includes("noexec")
    ? [
        warning("temporary directory", {
          en: `${directory} does not permit execution (${mountPoint} is mounted noexec); set BUN_TMPDIR to a directory that does, which the executable needs`,
          de: `aus ${directory} lässt sich nichts ausführen (${mountPoint} ist mit noexec eingehängt); setze BUN_TMPDIR auf einen Ordner, aus dem das geht, denn das Programm braucht ihn`,
        }),
      ]
    : [
        ok("temporary directory", {
          en: `${directory} is writable and permits execution`,
          de: `in ${directory} lässt sich schreiben und ausführen`,
        }),
      ];
}

/** Checks that passwords can be hashed here, and measures the time that it takes. */
export async function checkPasswordHash(): Promise<Finding[]> {
  try {
    await requirePasswordHash();
  } catch (error) {
    return [problem("password hash", reasonIn(error))];
  }
  const started = performance.now();
  await hashPassword("doctor");
  const took = Math.round(performance.now() - started);
  return [ok("password hash", { en: `works; takes ${took} ms`, de: `geht; einer dauert ${took} ms` })];
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
          warning("GeoIP", {
            en: `${path} is ${days} days old; replace it with a newer one, which the server picks up by itself`,
            de: `${path} ist ${numberInGerman(days)} Tage alt; ersetze die Datei durch eine neuere, die der Server von selbst übernimmt`,
          }),
        ]
      : [
          ok("GeoIP", {
            en: `${path} is ${days} days old`,
            de: `${path} ist ${days} ${days === 1 ? "Tag" : "Tage"} alt`,
          }),
        ];
  } catch (error) {
    const why = reasonIn(error);
    return [
      problem("GeoIP", {
        en: `${path} cannot be read (${why.en}), so the server would not start; fix the path or the file`,
        de: `${path} lässt sich nicht lesen (${why.de}), also würde der Server nicht starten; berichtige den Pfad oder die Datei`,
      }),
    ];
  }
}
