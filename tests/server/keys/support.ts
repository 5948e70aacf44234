import { Database } from "bun:sqlite";
import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { SealedColumn } from "../../../src/kernel/crypto/sealed";
import { SEALED } from "../../../src/server/keys/columns";
import { openToWrite } from "../../support/rows";

/** Secrets in a database, opened and made without the program's own code. */

export const keyFile = (dataDir: string): string => join(dataDir, "master.key");
export const formerFile = (dataDir: string): string => `${keyFile(dataDir)}.old`;

export const readKey = (path: string): Buffer => Buffer.from(readFileSync(path, "utf8").trim(), "base64");

/** The keys that are in files, the present one first. */
export const keysIn = (dataDir: string): Buffer[] =>
  [keyFile(dataDir), formerFile(dataDir)].filter((path) => existsSync(path)).map(readKey);

/** AES-256-GCM: IV, tag and text, in base64. */
export function seal(key: Buffer, plain: string, boundTo: string): string {
  const iv = randomBytes(12);
  const cipher = createCipheriv("aes-256-gcm", key, iv);
  cipher.setAAD(Buffer.from(boundTo));
  const sealed = Buffer.concat([cipher.update(plain, "utf8"), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString("base64");
}

export function opened(key: Buffer, sealed: string, boundTo: string): string | null {
  const bytes = Buffer.from(sealed, "base64");
  try {
    const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, 12));
    decipher.setAAD(Buffer.from(boundTo));
    decipher.setAuthTag(bytes.subarray(12, 28));
    return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString();
  } catch {
    return null;
  }
}

export interface Secret {
  column: SealedColumn;
  id: string;
  sealed: string;
  boundTo: string;
}

/** Every encrypted value in a database. */
export function secretsIn(dataDir: string): Secret[] {
  const database = new Database(join(dataDir, "fairlead.db"), { readwrite: true, create: false });
  try {
    return SEALED.flatMap((column) =>
      database
        .query<{ id: string | number; value: string }, []>(
          `SELECT ${column.id} AS id, ${column.column} AS value FROM ${column.table}
           WHERE ${column.column} IS NOT NULL AND ${column.where ?? "1"}`,
        )
        .all()
        .flatMap(({ id, value }) => {
          const values = column.isList
            ? JSON.parse(value).map((item: { secret: string }) => item.secret)
            : [value];
          return values.map((sealed: string) => ({
            column,
            id: String(id),
            sealed,
            boundTo: column.boundTo(String(id)),
          }));
        }),
    );
  } finally {
    database.close();
  }
}

interface Column {
  name: string;
  type: string;
  notnull: number;
  dflt_value: string | null;
  pk: number;
}

/**
 * Adds rows with secrets under a key to each column that holds some, but for the hashes' keys, of which there is one row. They
 * mean nothing to a server that runs, but for those of `tables`.
 */
export function addSecrets(dataDir: string, key: Buffer, count: number, tables?: string[]): void {
  const database = openToWrite(dataDir);
  try {
    database.run("PRAGMA foreign_keys = OFF");
    const add = database.transaction(() => {
      for (const column of SEALED) {
        if (column.table === "master_key" || tables?.includes(column.table) === false) continue;
        const columns = database
          .query<Column, []>(`SELECT * FROM pragma_table_info('${column.table}')`)
          .all();
        // Of targets there may be 100, and three columns are theirs.
        const rows = column.table === "notification_targets" ? Math.min(count, 25) : count;
        for (let n = 0; n < rows; n++) addRow(database, column, columns, key, n);
      }
    });
    add.immediate();
  } finally {
    database.close();
  }
}

function addRow(database: Database, column: SealedColumn, columns: Column[], key: Buffer, n: number): void {
  const id = `${column.column}-${n}`;
  const value = seal(key, `plain ${id}`, column.boundTo(id));
  const row: Record<string, string | number> = {
    [column.id]: id,
    [column.column]: column.isList ? JSON.stringify([{ secret: value, until: 1 }]) : value,
    ...(column.table === "outbox" && {
      lane: "email",
      status: "waiting",
      next_attempt_at: 9e15,
      number: 1e6 + n,
    }),
  };
  for (const { name, type, notnull, dflt_value, pk } of columns)
    if ((notnull || pk) && dflt_value === null) row[name] ??= type === "INTEGER" ? 1 : `${name} ${id}`;
  const names = Object.keys(row);
  database.run(
    `INSERT INTO ${column.table} (${names.join()}) VALUES (${names.map(() => "?").join()})`,
    Object.values(row),
  );
}
