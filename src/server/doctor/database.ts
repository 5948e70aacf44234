import { Database } from "bun:sqlite";
import { accessSync, constants, existsSync, statSync } from "node:fs";
import { headTargetTrouble } from "../../alerts/gauges/head-target";
import { config } from "../../configuration/config";
import { SUPER_ADMIN } from "../../identity/access/caller";
import { useConnection } from "../../kernel/db/connection";
import { logsOf, openImmutable, troubleAround } from "../../kernel/db/database-file";
import { rows } from "../../kernel/db/rows";
import { dataPath, readMasterKeys } from "../../kernel/process/data-dir";
import { reasonIn } from "../../kernel/process/disk";
import { sizeInEach } from "../../kernel/process/print";
import type { Bilingual } from "../../kernel/values/bilingual";
import { checkSoundness, UnsoundDatabase } from "../backup/soundness";
import { type Happened, happened } from "../health/clock";
import { judgeKeys, type KeyState } from "../keys/check";
import { type Finding, ok, problem } from "./findings";

export interface DatabaseReport {
  findings: Finding[];
  /** The meaning of the master key here for it; null where either can't be read. */
  keys: KeyState | null;
  /** All that is known to have happened, by which the clock is checked. */
  happened: Happened[];
  /** Number of emails that were tried and wait. */
  waitingEmails: number;
  /** Number of notifications that were tried and wait. */
  waitingNotifications: number;
  /** The reason why the target of `audit.head_target` can't be told; null if it can, or if nothing is known. */
  headTarget: Bilingual | null;
  /** True if a target needs Telegram. */
  usesTelegram: boolean;
  /** Users who can sign in at an OpenID provider, and administrators who can with a password. */
  signIns: { identities: number; adminsWithPassword: number };
  /** Passkeys of users, and how many of them were made for which host, as far as the audit log still tells. */
  passkeys: { total: number; hosts: Record<string, number> };
  /** Names of all roles. */
  roleNames: string[];
  /** True if `position.device` names a device; null where none is named, or no database is there to ask. */
  knowsPositionDevice: boolean | null;
}

/** The report of a database of which nothing is known. */
export const nothingKnown = (): DatabaseReport => ({
  findings: [],
  keys: null,
  happened: happened(null),
  waitingEmails: 0,
  waitingNotifications: 0,
  headTarget: null,
  usesTelegram: false,
  signIns: { identities: 0, adminsWithPassword: 0 },
  passkeys: { total: 0, hosts: {} },
  roleNames: [],
  knowsPositionDevice: null,
});

/** Reads the database through, beside a server that may be running, and changes nothing. */
export function checkDatabase(): DatabaseReport {
  const path = dataPath.database();
  const report = nothingKnown();
  if (!existsSync(path)) {
    report.findings.push(
      ok("database", {
        en: "there is none yet; the first start creates it",
        de: "es gibt noch keine; der erste Start legt sie an",
      }),
    );
    return report;
  }
  if (!isOurs(path)) {
    report.findings.push(
      problem("database", {
        en: `${path} is not writable for this user; chown it to the server's user`,
        de: `dieser Benutzer darf ${path} nicht schreiben; gib die Datei mit chown dem Benutzer des Servers`,
      }),
    );
    return report;
  }
  try {
    const database = openReadOnly(path);
    try {
      report.findings = examine(database, statSync(path).size);
      if (report.findings.every(({ verdict }) => verdict === "ok")) report.keys = keysOf(database);
      report.happened = happened(database);
      report.waitingEmails = Number(
        value(
          database,
          "SELECT count(*) FROM outbox WHERE lane = 'email' AND status = 'waiting' AND attempts > 0",
        ) ??
          // Databases of 0.1.0 have emails in a table of their own.
          value(
            database,
            "SELECT count(*) FROM email_queue WHERE next_attempt_at IS NOT NULL AND attempts > 0",
          ) ??
          0,
      );
      report.waitingNotifications = Number(
        value(
          database,
          "SELECT count(*) FROM outbox WHERE lane <> 'email' AND status = 'waiting' AND attempts > 0",
        ) ?? 0,
      );
      report.headTarget = headTargetIn(database);
      report.signIns = signInsOf(database);
      report.passkeys = passkeysIn(database);
      report.roleNames = JSON.parse(
        String(value(database, "SELECT json_group_array(name) FROM roles") ?? "[]"),
      );
      report.usesTelegram =
        value(database, "SELECT 1 FROM notification_targets WHERE kind = 'telegram' AND is_active = 1") !==
        null;
      const device = config["position.device"];
      // It is an identifier: the configuration takes nothing else.
      if (device !== null)
        report.knowsPositionDevice = value(database, `SELECT 1 FROM devices WHERE id = '${device}'`) !== null;
    } finally {
      database.close();
    }
  } catch (error) {
    report.findings.push(problem("database", whyUnread(path, error)));
  }
  return report;
}

function headTargetIn(database: Database): Bilingual | null {
  const id = config["audit.head_target"];
  if (id === null) return null;
  useConnection(database);
  try {
    return headTargetTrouble(id);
  } catch {
    // A database of an older version, or a damaged one, which is reported as such.
    return null;
  }
}

/** Administrators are those who may change users: `auth.password_login = local_admins` lets them use a password. */
const ADMINS_WITH_PASSWORD = `
  SELECT count(DISTINCT users.id) FROM users
  JOIN passwords ON passwords.user_id = users.id
  JOIN user_roles ON user_roles.user_id = users.id
  LEFT JOIN role_permissions ON role_permissions.role_id = user_roles.role_id
  LEFT JOIN permissions ON permissions.id = role_permissions.permission_id
  WHERE users.deleted_at IS NULL AND (
    user_roles.role_id = '${SUPER_ADMIN}' OR permissions.resource = '*'
    OR (permissions.resource = 'users' AND permissions.action IN ('*', 'write')))`;

const WITH_IDENTITY = `
  SELECT count(DISTINCT users.id) FROM users
  JOIN oidc_identities ON oidc_identities.user_id = users.id WHERE users.deleted_at IS NULL`;

const signInsOf = (database: Database): DatabaseReport["signIns"] => ({
  identities: Number(value(database, WITH_IDENTITY) ?? 0),
  adminsWithPassword: Number(value(database, ADMINS_WITH_PASSWORD) ?? 0),
});

const PASSKEYS = `
  SELECT count(*) FROM passkeys JOIN users ON users.id = passkeys.user_id WHERE users.deleted_at IS NULL`;

const HOSTS_OF_PASSKEYS = `
  SELECT json_group_object(host, n) FROM (
    SELECT json_extract(audit_events.metadata, '$.rp_id') AS host, count(*) AS n FROM audit_events
    JOIN passkeys ON passkeys.id = audit_events.resource_id
    JOIN users ON users.id = passkeys.user_id
    WHERE audit_events.event_type = 'passkey_added' AND users.deleted_at IS NULL
    GROUP BY host HAVING host IS NOT NULL)`;

const passkeysIn = (database: Database): DatabaseReport["passkeys"] => ({
  total: Number(value(database, PASSKEYS) ?? 0),
  hosts: JSON.parse(String(value(database, HOSTS_OF_PASSKEYS) ?? "{}")),
});

/** True if this user may use a file. A read-only file system is reported by another check. */
function isOurs(path: string): boolean {
  try {
    accessSync(path, constants.R_OK | constants.W_OK);
    return true;
  } catch (error) {
    return (error as { code?: string }).code !== "EACCES";
  }
}

const openReadOnly = (path: string): Database =>
  logsOf(path).length > 0 ? new Database(path, { readonly: true }) : openImmutable(path);

/** The reason why the database can't be read through, and the remedy: a backup, unless the database may be sound. */
function whyUnread(path: string, error: unknown): Bilingual {
  const around = troubleAround(path, error);
  if (around)
    return { en: `it cannot be read: ${around.en}`, de: `sie lässt sich nicht lesen: ${around.de}` };
  const why = reasonIn(error);
  const fact =
    error instanceof UnsoundDatabase
      ? error.words
      : { en: `cannot be read: ${why.en}`, de: `lässt sich nicht lesen: ${why.de}` };
  return {
    en: `it ${fact.en}; stop the server and restore a backup (fairlead restore FILE)`,
    de: `sie ${fact.de}; halte den Server an und stelle eine Sicherung wieder her (fairlead restore DATEI)`,
  };
}

function examine(database: Database, size: number): Finding[] {
  const { unknown, pending } = checkSoundness(database, "quick");
  if (unknown.length > 0)
    return [
      problem("database", {
        en: `it was written by a newer version (migration ${unknown.at(-1)}); install that version, or restore a backup from before the upgrade`,
        de: `eine neuere Version hat sie geschrieben (Migration ${unknown.at(-1)}); installiere diese Version, oder stelle eine Sicherung von davor wieder her`,
      }),
    ];
  const bytes = sizeInEach(size);
  const state =
    pending.length > 0
      ? {
          en: `; the next start copies it to ${dataPath.backups()}, then applies ${pending.join(", ")}`,
          de: `; der nächste Start kopiert sie nach ${dataPath.backups()} und wendet dann an: ${pending.join(", ")}`,
        }
      : { en: "", de: "" };
  return [ok("database", { en: `sound, ${bytes.en}${state.en}`, de: `in Ordnung, ${bytes.de}${state.de}` })];
}

function keysOf(database: Database): KeyState | null {
  let keys: Buffer[];
  try {
    keys = readMasterKeys();
  } catch {
    // Reported as the key's own problem.
    return null;
  }
  return judgeKeys(database, keys);
}

/** A query's single value; null if there is none, or if an older schema lacks the table. */
function value(database: Database, sql: string): unknown {
  try {
    return rows(database, sql)[0]?.[0] ?? null;
  } catch {
    return null;
  }
}
