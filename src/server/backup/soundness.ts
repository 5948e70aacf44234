import type { Database } from "bun:sqlite";
import { migrations } from "../../kernel/db/migrations.gen";
import { rows } from "../../kernel/db/rows";
import { BilingualError } from "../../kernel/values/bilingual";

/** A file that can't be served as database; its words are a phrase: "is damaged (…)". */
export class UnsoundDatabase extends BilingualError {}

/** The schema of a sound database, compared with this version's. */
export interface SchemaState {
  /** Migrations that it holds, oldest first. */
  applied: string[];
  /** Migrations of a newer version, unknown to this one. */
  unknown: string[];
  /** Migrations that the next start applies. */
  pending: string[];
}

/**
 * Reads a database through: its pages (`quick` doesn't compare the indexes with the tables), its identity as
 * a database of Fairlead, its references. Throws UnsoundDatabase, and SQLiteError if it can't be read.
 */
export function checkSoundness(database: Database, depth: "quick" | "whole"): SchemaState {
  // SQLite may answer with a heading in a line of its own.
  const verdict = firstValue(
    database,
    depth === "quick" ? "PRAGMA quick_check(1)" : "PRAGMA integrity_check(1)",
  )?.replaceAll("\n", " ");
  if (verdict !== "ok")
    throw new UnsoundDatabase({
      en: `is damaged (${verdict ?? "no answer"})`,
      de: `ist beschädigt (${verdict ?? "keine Antwort"})`,
    });
  const state = schemaState(database);
  const broken = firstValue(database, "PRAGMA foreign_key_check");
  if (broken !== null)
    throw new UnsoundDatabase({
      en: `has broken references in the table ${broken}`,
      de: `hat in der Tabelle ${broken} Verweise ins Leere`,
    });
  return state;
}

function firstValue(database: Database, sql: string): string | null {
  const [row] = rows(database, sql);
  return row?.[0] === undefined ? null : String(row[0]);
}

/** Recognizes a database of Fairlead by its first migration. Throws UnsoundDatabase for any other. */
export function schemaState(database: Database): SchemaState {
  const isThere = firstValue(database, "SELECT 1 FROM sqlite_schema WHERE name = '__migrations'") !== null;
  const applied = new Map(
    isThere
      ? rows(database, "SELECT tag, hash FROM __migrations ORDER BY tag").map(([tag, hash]) => [
          String(tag),
          String(hash),
        ])
      : [],
  );
  const known = new Map(
    migrations.map(({ tag, sql }) => [tag, new Bun.CryptoHasher("sha256").update(sql).digest("hex")]),
  );
  const [first] = known.keys();
  if (first === undefined || applied.get(first) !== known.get(first))
    throw new UnsoundDatabase({
      en: "is not a Fairlead database",
      de: "ist keine Datenbank von Fairlead",
    });
  for (const [tag, hash] of applied)
    if (known.has(tag) && known.get(tag) !== hash)
      throw new UnsoundDatabase({
        en: `was changed by a different version of the migration ${tag}`,
        de: `wurde von einer anderen Fassung der Migration ${tag} geändert`,
      });
  return {
    applied: [...applied.keys()],
    unknown: [...applied.keys()].filter((tag) => !known.has(tag)),
    pending: [...known.keys()].filter((tag) => !applied.has(tag)),
  };
}
