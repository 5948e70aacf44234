import type { Database } from "bun:sqlite";
import { purpose as emailOf } from "../../identity/email/service";
import { secretOf } from "../../identity/two-factor/service";
import { decrypt } from "../../kernel/encryption";
import { boundTo } from "../integrations/tokens";
import { rows } from "./soundness";

/** What is encrypted under the master key: where it stands, and what each value is bound to. */
const SEALED: { what: string; table: string; id: string; sealed: string; boundTo: (id: string) => string }[] =
  [
    { what: "two-factor secrets", table: "two_factor", id: "user_id", sealed: "secret", boundTo: secretOf },
    { what: "emails that wait", table: "email_queue", id: "id", sealed: "message", boundTo: emailOf },
    {
      what: "tokens of connected accounts",
      table: "integrations",
      id: "id",
      sealed: "access_token",
      boundTo: (id) => boundTo(id, "access"),
    },
  ];

/**
 * What a database holds that the master key in use can't open, as words; nothing when all is well. Of each kind the
 * oldest and the newest value are tried: a key is exchanged at one time.
 */
export function unreadable(database: Database): string[] {
  const tables = new Set(rows(database, "SELECT name FROM sqlite_schema WHERE type = 'table'").flat());
  return SEALED.filter(({ table, id, sealed, boundTo }) => {
    if (!tables.has(table)) return false;
    const at = (order: "ASC" | "DESC") =>
      rows(
        database,
        `SELECT ${id}, ${sealed} FROM ${table} WHERE ${sealed} IS NOT NULL ORDER BY rowid ${order} LIMIT 1`,
      );
    return [...at("ASC"), ...at("DESC")].some(([id, value]) => !opens(String(value), boundTo(String(id))));
  }).map(({ what }) => what);
}

function opens(sealed: string, boundTo: string): boolean {
  try {
    decrypt(sealed, boundTo);
    return true;
  } catch {
    return false;
  }
}
