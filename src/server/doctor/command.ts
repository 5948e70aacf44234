import { existsSync, readdirSync, statSync } from "node:fs";
import { config, providers } from "../../configuration/config";
import { dataPath } from "../../kernel/process/data-dir";
import { isServed } from "../../kernel/process/data-lock";
import { reasonIn } from "../../kernel/process/disk";
import { OperatorError } from "../../kernel/process/operator";
import { print, printJson } from "../../kernel/process/print";
import { now } from "../../kernel/time/clock";
import type { Bilingual } from "../../kernel/values/bilingual";
import { backupsAmong, newestBy } from "../backup/names";
import { checkBroker } from "./broker";
import { checkCharts } from "./charts";
import {
  checkAccounts,
  checkBackups,
  checkConfiguration,
  checkEmail,
  checkNotifications,
} from "./configuration";
import { checkDatabase, type DatabaseReport, nothingKnown } from "./database";
import { type Check, type Finding, problem } from "./findings";
import {
  canEnter,
  checkAddress,
  checkClock,
  checkDisk,
  checkGeoip,
  checkLimits,
  checkPasswordHash,
  checkPermissions,
  checkTemporaryDirectory,
  isAbsent,
} from "./machine";
import { checkKey } from "./master-key";
import { checkMemory } from "./memory";
import { checkOutside } from "./outside";
import { type Printed, printed } from "./printed";
import { checkReceiver } from "./receiver";
import { checkShore } from "./shore";
import { checkSignIns } from "./sign-ins";

/**
 * The command `doctor`: checks everything that an installation depends on, changes nothing, and says what to
 * do. Throws OperatorError if there is a problem.
 */
export async function examineInstallation(asJson: boolean): Promise<void> {
  const findings = await examine();
  const count = (verdict: Finding["verdict"]) => findings.filter((found) => found.verdict === verdict).length;
  const [problems, warnings] = [count("problem"), count("warning")];
  if (asJson) await printJson({ problems, warnings, findings: findings.map(printed) } satisfies Printed);
  else {
    const width = Math.max(...findings.map(({ check }) => check.length));
    for (const { check, verdict, message } of findings)
      await print(`${verdict.padEnd(7)}  ${check.padEnd(width)}  ${message.en}`);
  }
  if (problems > 0)
    throw new OperatorError(
      `${problems} ${problems === 1 ? "problem" : "problems"} found; see above for what to do`,
    );
}

async function examine(): Promise<Finding[]> {
  const time = now();
  const isOpaque = !isAbsent(config["data.dir"]) && !canEnter(config["data.dir"]);
  const database: DatabaseReport = isOpaque ? nothingKnown() : checkDatabase();
  const [outside, hash] = await Promise.all([
    checkOutside(database.usesTelegram),
    attempt("password hash", checkPasswordHash),
  ]);
  const dates = outside.flatMap(({ date }) => (date === null ? [] : [date]));
  return [
    ...checkConfiguration(config),
    ...checkAccounts(config),
    ...checkSignIns(config, providers, database),
    ...(isOpaque ? [] : await attempt("address", checkAddress)),
    ...(await attempt("data directory", checkPermissions)),
    ...(isOpaque ? [] : checkKey(database.keys)),
    ...database.findings,
    ...(await attempt("disk", checkDisk)),
    ...checkClock(time, database.happened, dates),
    ...checkLimits(),
    ...(await attempt("memory", checkMemory)),
    ...checkTemporaryDirectory(),
    ...hash,
    ...checkEmail(config, database.waitingEmails),
    ...checkNotifications(database.waitingNotifications, database.headTarget),
    ...checkGeoip(time),
    ...(await attempt("own position", () => checkReceiver(database.knowsPositionDevice))),
    ...(await attempt("MQTT broker", checkBroker)),
    ...(await attempt("shore", checkShore)),
    ...(await attempt("charts", checkCharts)),
    ...(await attempt("backups", () => checkBackups(config, backupFacts(time), time))),
    ...outside.map(({ finding }) => finding),
  ];
}

/** The findings of a check, or one saying that it could not be made. */
async function attempt(check: Check, make: () => Finding[] | Promise<Finding[]>): Promise<Finding[]> {
  try {
    return await make();
  } catch (error) {
    const [why, way] = [reasonIn(error), wayOut(error)];
    return [
      problem(check, {
        en: `cannot be checked: ${why.en}; ${way.en}`,
        de: `lässt sich nicht prüfen: ${why.de}; ${way.de}`,
      }),
    ];
  }
}

/** The remedy for a file that can't be inspected. */
function wayOut(error: unknown): Bilingual {
  const { code, path = config["data.dir"] } = error as { code?: string; path?: string };
  return /^(EACCES|EPERM|SQLITE_(CANTOPEN|PERM|READONLY))/.test(String(code))
    ? {
        en: "run the doctor as the server's user",
        de: "rufe fairlead doctor als Benutzer des Servers auf",
      }
    : { en: `check ${path}`, de: `prüfe ${path}` };
}

function backupFacts(time: number): Parameters<typeof checkBackups>[1] {
  const directory = dataPath.backups();
  const running = { isServed: isServed() };
  // The default one is made with the first backup.
  if (!existsSync(directory))
    return { newest: null, sameDisk: config["backup.dir"] === null ? true : null, ...running };
  const newest = newestBy(backupsAmong(readdirSync(directory)), time);
  const diskOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.dev;
  return { newest, sameDisk: diskOf(directory) === diskOf(config["data.dir"]), ...running };
}
