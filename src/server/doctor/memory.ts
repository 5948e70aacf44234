import { readFileSync, statSync } from "node:fs";
import { totalmem } from "node:os";
import { dirname, join } from "node:path";
import { type Config, config } from "../../configuration/config";
import { sizeInEach } from "../../kernel/process/print";
import { type Finding, ok, orOk, warning } from "./findings";

/** The doctor's look at the memory that the program may have, which `performance.profile` should suit. */

const MEBIBYTE = 1024 * 1024;
/** Bytes below which the profile should be `small`: the standard one may grow to some 500 MB in use. */
const LITTLE = 512 * MEBIBYTE;
/** Bytes that `small` is made for. */
const LEAST = 256 * MEBIBYTE;
/** Bytes of a GeoIP database, which is held in memory, that are much for the profile `small`. */
const LARGE_GEOIP = 16 * MEBIBYTE;

const GROUPS = "/sys/fs/cgroup";
const V1 = join(GROUPS, "memory");

/** The text of a file; null where it can't be read. */
type Read = (path: string) => string | null;

const readText: Read = (path) => {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return null;
  }
};

/**
 * The least limit of memory of this process's control groups in bytes, by cgroups(7), version 1 or 2; null without any. A group's
 * limit holds for all below it.
 */
export function limitOfGroups(read: Read = readText): number | null {
  const lines = (read("/proc/self/cgroup") ?? "").split("\n");
  const limits = lines.flatMap((line) => {
    const [id = "", controllers = "", ...rest] = line.split(":");
    const path = rest.join(":");
    if (id === "0" && controllers === "") return limitsAbove(GROUPS, path, "memory.max", read);
    return controllers.split(",").includes("memory")
      ? limitsAbove(V1, path, "memory.limit_in_bytes", read)
      : [];
  });
  return limits.length > 0 ? Math.min(...limits) : null;
}

function limitsAbove(root: string, path: string, name: string, read: Read): number[] {
  const found: number[] = [];
  for (let group = join("/", path); ; group = dirname(group)) {
    // "max" stands for none.
    const limit = Number.parseInt(read(join(root, group, name)) ?? "", 10);
    if (limit > 0) found.push(limit);
    if (group === "/") return found;
  }
}

/** Checks that the profile suits the memory. The command may be in another control group than a service: see the documentation. */
export function checkMemory(): Finding[] {
  const limit = limitOfGroups();
  const machine = totalmem();
  const geoip = config["geoip.database"];
  const geoipBytes = geoip === null ? 0 : (statSync(geoip, { throwIfNoEntry: false })?.size ?? 0);
  return judgeMemory(config["performance.profile"], { limit, machine, geoipBytes });
}

export function judgeMemory(
  profile: Config["performance.profile"],
  { limit, machine, geoipBytes }: { limit: number | null; machine: number; geoipBytes: number },
): Finding[] {
  const isLimited = limit !== null && limit < machine;
  const bytes = isLimited ? limit : machine;
  const size = sizeInEach(bytes);
  const told = isLimited
    ? { en: `this process may have ${size.en}`, de: `dieser Prozess darf ${size.de} belegen` }
    : { en: `the machine has ${size.en}`, de: `der Rechner hat ${size.de}` };
  const enoughFor = (profile: string) => ({
    en: `${told.en}, enough for performance.profile ${profile}`,
    de: `${told.de}, das reicht für performance.profile ${profile}`,
  });
  if (profile !== "small")
    return [
      bytes < LITTLE
        ? warning("memory", {
            en: `${told.en}, and the server may grow beyond that and be ended; set performance.profile to small`,
            de: `${told.de}, und der Server kann darüber hinauswachsen und beendet werden; setze performance.profile auf small`,
          })
        : ok("memory", enoughFor(profile)),
    ];
  const found: Finding[] = [];
  const geoip = sizeInEach(geoipBytes);
  // A machine of 256 MiB tells somewhat less, which its kernel has kept.
  if (bytes < LEAST * (isLimited ? 1 : 0.85))
    found.push(
      warning("memory", {
        en: `${told.en}, less than the 256 MiB that performance.profile small is made for`,
        de: `${told.de}, weniger als die 256 MiB, für die performance.profile small gemacht ist`,
      }),
    );
  if (geoipBytes > LARGE_GEOIP)
    found.push(
      warning("memory", {
        en: `the file of geoip.database has ${geoip.en}, all of which is held in memory; leave it out, or give the server as much more`,
        de: `die Datei von geoip.database hat ${geoip.de}, die ganz im Arbeitsspeicher liegen; lass sie weg, oder gib dem Server entsprechend mehr`,
      }),
    );
  return orOk(found, "memory", enoughFor(profile));
}
