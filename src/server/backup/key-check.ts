import type { Database } from "bun:sqlite";
import { secretOf as targetSecretOf } from "../../alerts/targets/secrets";
import { ConfigError, config } from "../../configuration/config";
import { purpose as emailOf } from "../../identity/email/service";
import { secretOf } from "../../identity/two-factor-codes/service";
import { decrypt, keyedHash, useMasterKey } from "../../kernel/crypto/encryption";
import { record, recorded } from "../../kernel/db/program-record";
import { log } from "../../kernel/logs/log";
import { dataPath, loadMasterKey, readMasterKey } from "../../kernel/process/data-dir";
import { boundTo } from "../../operations/integrations/tokens";
import { encryptionOf } from "../../tracking/trackers/authenticate";
import { rows } from "./soundness";

interface Sealed {
  what: string;
  table: string;
  id: string;
  sealed: string;
  /** The rows of a table that holds others too. */
  where?: string;
  boundTo: (id: string) => string;
}

/**
 * Values encrypted under the master key: their columns, and the record that each value is bound to. The keys that sign ID
 * tokens are not among them: nothing is lost with one, since another is made in its place.
 */
const SEALED: Sealed[] = [
  { what: "two-factor secrets", table: "two_factor", id: "user_id", sealed: "secret", boundTo: secretOf },
  {
    what: "queued emails",
    table: "outbox",
    id: "id",
    sealed: "message",
    where: "lane = 'email'",
    boundTo: emailOf,
  },
  // Databases of 0.1.0 have emails in a table of their own.
  { what: "queued emails", table: "email_queue", id: "id", sealed: "message", boundTo: emailOf },
  {
    what: "tokens of connected accounts",
    table: "integrations",
    id: "id",
    sealed: "access_token",
    boundTo: (id) => boundTo(id, "access"),
  },
  {
    what: "secrets of OwnTracks' encryption",
    table: "trackers",
    id: "id",
    sealed: "encryption_key",
    boundTo: encryptionOf,
  },
  {
    what: "secrets of notification targets",
    table: "notification_targets",
    id: "id",
    sealed: "secret",
    boundTo: targetSecretOf,
  },
];

/** Kinds of secrets in a database that the current master key can't open, as words; empty if all is well. */
export const unreadable = (database: Database): string[] => trySecrets(database).unreadable;

/** Tries the oldest and the newest value of each kind: a key is exchanged at one time. */
function trySecrets(database: Database): { unreadable: string[]; opensSome: boolean } {
  const tables = new Set(rows(database, "SELECT name FROM sqlite_schema WHERE type = 'table'").flat());
  let opensSome = false;
  const unreadable = SEALED.filter(({ table, id, sealed, where = "1", boundTo }) => {
    if (!tables.has(table)) return false;
    const at = (order: "ASC" | "DESC") =>
      rows(
        database,
        `SELECT ${id}, ${sealed} FROM ${table} WHERE ${sealed} IS NOT NULL AND ${where} ORDER BY rowid ${order} LIMIT 1`,
      );
    const opened = [...at("ASC"), ...at("DESC")].map(([id, value]) =>
      opens(String(value), boundTo(String(id))),
    );
    if (opened.includes(true)) opensSome = true;
    return opened.includes(false);
  }).map(({ what }) => what);
  return { unreadable, opensSome };
}

/**
 * Takes the master key into use, if there is one. Throws ConfigError if the database holds secrets and the
 * key opens none of them: a new key, made silently, would lock them away for good. With `isLost` the operator
 * confirms the loss; a missing key is then made, and its acceptance is recorded in the database.
 */
export function requireKey(database: Database, isLost: boolean): void {
  const key = readMasterKey();
  if (key) useMasterKey(key);
  const { unreadable, opensSome } = trySecrets(database);
  if (unreadable.length === 0) return;
  const secrets = unreadable.join(", ");
  if (!opensSome) {
    if (isLost) {
      useMasterKey(loadMasterKey());
      record(database, "accepted_key", fingerprint());
    } else if (!key || recorded(database, "accepted_key") !== fingerprint())
      throw new ConfigError(
        `${whyClosed(key !== null, secrets)}; if it is lost for good, start once with fairlead serve --key-lost, which gives them up`,
      );
  }
  log.error("the master key cannot decrypt everything in the database", { cannot_read: secrets });
}

/** Tells two keys apart, and reveals nothing about either. */
const fingerprint = (): string => keyedHash("", "accepted key");

/** The reason why the named secrets can't be opened, and the remedy. */
export function whyClosed(isThere: boolean, secrets: string): string {
  const held = `the ${secrets} in the database`;
  if (config["security.encryption_key"] !== null)
    return `security.encryption_key cannot decrypt ${held}; set the key that was in use when they were written`;
  const path = dataPath.key();
  return isThere
    ? `${path} cannot decrypt ${held}; restore the key that was in use when they were written`
    : `the key file ${path}, which decrypts ${held}, is missing; restore your copy of it (backups don't contain it), or set security.encryption_key`;
}

function opens(sealed: string, boundTo: string): boolean {
  try {
    decrypt(sealed, boundTo);
    return true;
  } catch {
    return false;
  }
}
