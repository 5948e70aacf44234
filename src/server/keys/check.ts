import type { Database } from "bun:sqlite";
import { ConfigError, config } from "../../configuration/config";
import { decrypt, fingerprintOf, openWith, useMasterKey } from "../../kernel/crypto/encryption";
import type { SealedColumn } from "../../kernel/crypto/sealed";
import { record, recorded } from "../../kernel/db/program-record";
import { rows } from "../../kernel/db/rows";
import { log } from "../../kernel/logs/log";
import { dataPath, loadMasterKey, readMasterKeys } from "../../kernel/process/data-dir";
import { type Bilingual, inEach } from "../../kernel/values/bilingual";
import { SEALED } from "./columns";

/** Databases of 0.1.0 have emails in a table of their own. */
const EARLIER: SealedColumn[] = SEALED.filter(({ table }) => table === "outbox").map(
  ({ where: _, ...emails }) => ({ ...emails, table: "email_queue" }),
);

/** The columns of a database that may be of an earlier version. A value that is replaceable is no loss. */
const CHECKED = [...SEALED, ...EARLIER].filter(({ isReplaceable }) => !isReplaceable);

/** Kinds of secrets in a database that the current master key can't open, as words; empty if all is well. */
export const unreadable = (database: Database): Bilingual[] => trySecrets(database).unreadable;

/** True if the database holds secrets, and a key opens none of them. */
export function opensNothing(database: Database, key: Buffer): boolean {
  const tried = trySecrets(database, (sealed, boundTo) => openWith(key, sealed, boundTo) !== null);
  return tried.unreadable.length > 0 && !tried.opensSome;
}

type Opens = (sealed: string, boundTo: string) => boolean;

/** Tries the oldest and the newest value of each kind: a key is exchanged at one time. */
function trySecrets(
  database: Database,
  opens: Opens = opensNow,
): { unreadable: Bilingual[]; opensSome: boolean } {
  let opensSome = false;
  const closed = CHECKED.filter((column) => {
    if (!isThere(database, column)) return false;
    const opened = [...some(database, column, "ASC", opens), ...some(database, column, "DESC", opens)];
    if (opened.includes(true)) opensSome = true;
    return opened.includes(false);
  });
  const kinds = new Map(closed.map(({ what }) => [what.en, what]));
  return { unreadable: [...kinds.values()], opensSome };
}

/** True if the database has the column: an earlier version may lack it. */
const isThere = (database: Database, { table, column }: SealedColumn): boolean =>
  rows(database, `SELECT 1 FROM pragma_table_info('${table}') WHERE name = '${column}'`).length > 0;

/** Tells of the values in the first row that has any, by an order, if they can be opened. */
function some(database: Database, column: SealedColumn, order: "ASC" | "DESC", opens: Opens): boolean[] {
  const { table, id, column: name, where = "1", boundTo } = column;
  const found = rows(
    database,
    `SELECT ${id}, ${name} FROM ${table} WHERE ${name} IS NOT NULL AND ${where} ORDER BY rowid ${order} LIMIT 1`,
  );
  return found.flatMap(([id, stored]) =>
    valuesIn(column, String(stored)).map((value) => opens(value, boundTo(String(id)))),
  );
}

/** The encrypted values in what a column stores. */
const valuesIn = ({ isList }: SealedColumn, stored: string): string[] =>
  isList ? (JSON.parse(stored) as { secret: string }[]).map(({ secret }) => secret) : [stored];

/**
 * Takes the master key into use, if there is one. Throws ConfigError if the database holds secrets and the
 * key opens none of them: a new key, made silently, would lock them away for good. With `isLost` the operator
 * confirms the loss; a missing key is then made, and its acceptance is recorded in the database.
 */
export function requireKey(database: Database, isLost: boolean): void {
  const keys = readMasterKeys();
  useMasterKey(...keys);
  const { unreadable, opensSome } = trySecrets(database);
  if (unreadable.length === 0) return;
  const secrets = listed(unreadable);
  const [key] = keys;
  if (!opensSome) {
    if (isLost) {
      const made = loadMasterKey();
      useMasterKey(made);
      record(database, "accepted_key", fingerprintOf(made));
    } else if (!key || recorded(database, "accepted_key") !== fingerprintOf(key))
      throw new ConfigError(
        `${whyClosed(key !== undefined, secrets).en}; if it is lost for good, start once with fairlead serve --key-lost, which gives them up`,
      );
  }
  log.error("the master key cannot decrypt everything in the database", { cannot_read: secrets.en });
}

/** Kinds of secrets in one line. */
export const listed = (kinds: readonly Bilingual[]): Bilingual =>
  inEach((locale) => kinds.map((kind) => kind[locale]).join(", "));

/** The reason why the named secrets can't be opened, and the remedy. */
export function whyClosed(isThere: boolean, secrets: Bilingual): Bilingual {
  const held = {
    en: `the ${secrets.en} in the database`,
    de: `diese Geheimnisse der Datenbank (${secrets.de})`,
  };
  if (config["security.encryption_key"] !== null)
    return {
      en: `security.encryption_key cannot decrypt ${held.en}; set the key that was in use when they were written`,
      de: `security.encryption_key entschlüsselt ${held.de} nicht; setze den Schlüssel, mit dem sie geschrieben wurden`,
    };
  const path = dataPath.key();
  return isThere
    ? {
        en: `${path} cannot decrypt ${held.en}; restore the key that was in use when they were written`,
        de: `${path} entschlüsselt ${held.de} nicht; stelle den Schlüssel wieder her, mit dem sie geschrieben wurden`,
      }
    : {
        en: `the key file ${path}, which decrypts ${held.en}, is missing; restore your copy of it (backups don't contain it), or set security.encryption_key`,
        de: `die Schlüsseldatei ${path} fehlt, die ${held.de} entschlüsselt; stelle deine Kopie davon wieder her (Sicherungen enthalten sie nicht), oder setze security.encryption_key`,
      };
}

/** True for a value that the keys in use open. */
function opensNow(sealed: string, boundTo: string): boolean {
  try {
    decrypt(sealed, boundTo);
    return true;
  } catch {
    return false;
  }
}
