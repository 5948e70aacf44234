import type { Database } from "bun:sqlite";
import { ConfigError, config } from "../../configuration/config";
import { fingerprintOf, hashKeyOf, openWith, useMasterKey } from "../../kernel/crypto/encryption";
import type { SealedColumn } from "../../kernel/crypto/sealed";
import { hasColumn, hashKeysIn } from "../../kernel/db/master-key";
import { record, recorded } from "../../kernel/db/program-record";
import { rows } from "../../kernel/db/rows";
import { log } from "../../kernel/logs/log";
import {
  brokenLink,
  dataPath,
  loadMasterKey,
  missingKeyFile,
  readMasterKeys,
  requireKeyFiles,
} from "../../kernel/process/data-dir";
import { type Bilingual, inEach } from "../../kernel/values/bilingual";
import { itemsIn, SEALED } from "./columns";

/** Databases of 0.1.0 have emails in a table of their own. */
const EARLIER: SealedColumn[] = SEALED.filter(({ table }) => table === "outbox").map(
  ({ where: _, ...emails }) => ({ ...emails, table: "email_queue" }),
);

/** The columns of a database that may be of an earlier version. A value that is replaceable is no loss. */
const CHECKED = [...SEALED, ...EARLIER].filter(({ isReplaceable }) => !isReplaceable);
const REPLACEABLE = SEALED.filter(({ isReplaceable }) => isReplaceable);

/** The meaning of the keys that are here for a database: the start and the doctor go by the same. */
export interface KeyState {
  /** Secrets that they don't decrypt; what is replaceable aside. */
  closed: Closed[];
  /** True if they decrypt any of the secrets; what is replaceable aside. Another key in their place would lock these away. */
  opensSome: boolean;
  /** True if they decrypt none of the secrets, and none of them is known to be the right one: the server does not start. */
  isRefused: boolean;
  /** Of what is replaceable, what they don't decrypt. */
  replaced: SealedColumn[];
  /** True for a former key, beside the present one, that no rotation of this database has left. */
  hasForeign: boolean;
}

/** Secrets of a kind that can't be decrypted. */
export interface Closed extends Pick<SealedColumn, "what" | "ifLost"> {
  /** The identifier of one whose they are; null where there is but one. */
  example: string | null;
}

/** Judges the present master key and, while a rotation goes on, the former one; none if there is no master key. */
export function judgeKeys(database: Database, keys: Buffer[]): KeyState {
  const opens = opensBy(keys);
  const { closed, opensSome } = trySecrets(database, CHECKED, opens);
  const [key, former] = keys;
  return {
    closed,
    opensSome,
    isRefused: closed.length > 0 && !opensSome && !isAccepted(database, keys),
    // The newest one counts: an older one was replaced already.
    replaced: REPLACEABLE.filter((column) => newest(database, column, opens).includes(false)),
    hasForeign: key !== undefined && former !== undefined && isForeign(database, key, former),
  };
}

/** True if one of the keys is the one with which the database was used last: the right one, whatever has become of its secrets. */
function isAccepted(database: Database, keys: Buffer[]): boolean {
  const accepted = recorded(database, "accepted_key");
  return keys.some((key) => fingerprintOf(key) === accepted);
}

/**
 * Records, in the current transaction, that the database is used with the first of the keys. If it was used with the former one
 * last, a rotation was killed early: its record stays until that one goes on, which is how it is told from a foreign key.
 */
export function acceptKey(database: Database, keys: Buffer[]): void {
  const [key] = keys;
  if (key && !isAccepted(database, keys)) record(database, "accepted_key", fingerprintOf(key));
}

/** True for a former key of which nothing in the database tells: somebody keeps it there, and it may be the only copy. */
export function isForeign(database: Database, key: Buffer, former: Buffer): boolean {
  if (key.equals(former) || isAccepted(database, [former])) return false;
  if (trySecrets(database, [...CHECKED, ...REPLACEABLE], opensBy([former])).opensSome) return false;
  const hashKeys = hashKeysIn(database, [key]);
  return !hashKeys?.[1]?.equals(hashKeyOf(former));
}

type Opens = (sealed: string, boundTo: string) => boolean;

const opensBy =
  (keys: Buffer[]): Opens =>
  (sealed, boundTo) =>
    keys.some((key) => openWith(key, sealed, boundTo) !== null);

/** Tries the oldest and the newest value of each kind: a key is exchanged at one time. */
function trySecrets(
  database: Database,
  columns: SealedColumn[],
  opens: Opens,
): { closed: Closed[]; opensSome: boolean } {
  let opensSome = false;
  const closed = new Map<string, Closed>();
  for (const column of columns)
    for (const order of ["ASC", "DESC"] as const)
      for (const { id, isOpen } of some(database, column, order, opens)) {
        if (isOpen) opensSome = true;
        // A number is the place in a table of one row.
        else closed.set(column.what.en, { ...column, example: typeof id === "string" ? id : null });
      }
  return { closed: [...closed.values()], opensSome };
}

/** Tells of the newest values of a column if they can be opened. */
const newest = (database: Database, column: SealedColumn, opens: Opens): boolean[] =>
  some(database, column, "DESC", opens).map(({ isOpen }) => isOpen);

/** Tells of the values in the first row that has any, by an order, if they can be opened. */
function some(
  database: Database,
  column: SealedColumn,
  order: "ASC" | "DESC",
  opens: Opens,
): { id: unknown; isOpen: boolean }[] {
  const { table, id, column: name, where = "1", boundTo } = column;
  if (!hasColumn(database, column)) return [];
  const found = rows(
    database,
    `SELECT ${id}, ${name} FROM ${table} WHERE ${name} IS NOT NULL AND ${where} ORDER BY rowid ${order} LIMIT 1`,
  );
  return found.flatMap(([id, stored]) =>
    valuesIn(column, String(stored)).map((value) => ({ id, isOpen: opens(value, boundTo(String(id))) })),
  );
}

/** The encrypted values in what a column stores. */
const valuesIn = (column: SealedColumn, stored: string): string[] =>
  itemsIn(column, stored)?.map(({ secret }) => secret) ?? [stored];

/**
 * Takes the master key into use, if there is one, and changes nothing. Throws ConfigError if the database holds secrets and the
 * key opens none of them and is not known: a new key, made silently, would lock them away for good. With `isLost` the operator
 * confirms the loss. Returns what it leaves closed.
 */
export function requireKey(database: Database, isLost: boolean): Closed[] {
  const keys = readMasterKeys();
  useMasterKey(...keys);
  const { closed, isRefused } = judgeKeys(database, keys);
  if (isRefused && !isLost) {
    const isOthersToMake = keys.length === 0 && missingKeyFile() !== null;
    throw new ConfigError(
      `${whyClosed(keys.length > 0, listed(closed)).en}; if it is lost for good, ${isOthersToMake ? "make a new one there (openssl rand -base64 32) and " : ""}start once with fairlead serve --key-lost, which gives them up`,
    );
  }
  return closed;
}

/**
 * `requireKey` at the start of a server, which also needs key files that can be read, and logs what can't be decrypted. There is no
 * database before the first start.
 */
export function requireKeyAtStart(database: Database | null, isLost: boolean): void {
  const closed = database ? requireKey(database, isLost) : [];
  requireKeyFiles();
  if (closed.length > 0)
    log.error("the master key cannot decrypt everything in the database", { cannot_read: listed(closed).en });
}

/**
 * Makes the master key where there is none, and records the present one, in the current transaction: a start that has come as far
 * goes on with it. The log says so where another one was here before.
 */
export function provideKey(database: Database): void {
  const keys = readMasterKeys();
  const isThere = keys.length > 0;
  const replaced = isThere && isAccepted(database, keys) ? [] : replacedFor(database, keys);
  loadMasterKey();
  if (replaced.length > 0) warnOfAnother(isThere, replaced);
  acceptKey(database, readMasterKeys());
}

/** The kinds of what is replaceable whose newest value was encrypted by another key; none if these keys open anything at all. */
function replacedFor(database: Database, keys: Buffer[]): SealedColumn[] {
  const { opensSome, replaced } = judgeKeys(database, keys);
  return opensSome || trySecrets(database, REPLACEABLE, opensBy(keys)).opensSome ? [] : replaced;
}

/** Says that another master key was here before. */
function warnOfAnother(isThere: boolean, replaced: SealedColumn[]): void {
  const what = isThere
    ? "the master key is another one than before"
    : "master.key was missing, and a new one was made";
  log.warn(
    `${what}; if you have a copy of the former one, stop the server and put it back at once: what is encrypted with the new one is lost then`,
    { file: keyName(), replaced: consequences(replaced).en },
  );
}

/** The name of the key's place: its file, or the key of the configuration. */
export const keyName = (): string =>
  config["security.encryption_key"] === null ? dataPath.key() : "security.encryption_key";

/** The consequences, or remedies, of values that can't be decrypted. */
export const consequences = (lost: readonly Pick<SealedColumn, "ifLost">[]): Bilingual =>
  inEach((locale) => lost.map(({ ifLost }) => ifLost[locale]).join("; "));

/** The trouble with a former key that is of no rotation, and the remedy. */
export const foreignKey = (): Bilingual => ({
  en: `${dataPath.formerKey()} holds a key of no rotation of this database, and a rotation removes that file in the end; give it another name`,
  de: `${dataPath.formerKey()} enthält einen Schlüssel, der von keinem Wechsel in dieser Datenbank stammt, und ein Wechsel entfernt diese Datei am Ende; benenne sie um`,
});

/** Kinds of secrets in one line. */
export const listed = (kinds: readonly Pick<SealedColumn, "what">[]): Bilingual =>
  inEach((locale) => kinds.map(({ what }) => what[locale]).join(", "));

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
  const link = isThere ? null : brokenLink(path);
  if (link)
    return {
      en: `${link.en}: it decrypts ${held.en}`,
      de: `${link.de}: Er entschlüsselt ${held.de}`,
    };
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
