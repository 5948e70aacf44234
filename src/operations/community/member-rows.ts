import type { SQLQueryBindings } from "bun:sqlite";
import { sqlite } from "../../kernel/db/connection";
import { readAt } from "../../kernel/http/paging";
import { BoundedMap } from "../../kernel/values/bounded-map";
import type { MembersQuery } from "./schema";
import { quoted, wanted } from "./search";

/**
 * Finding the rows of members. Raw SQL: Drizzle can't describe a full-text index. The indexes are searched
 * for the rows of one guild alone; tests/operations/community/store.test.ts holds the plans to that.
 */

/** The rows from one to another that pass the filters, highest first: a page of them, and their number. */
export function findRows(
  query: MembersQuery,
  from: number,
  to: number,
  offset: number,
  limit: number,
): { rows: number[]; total: number } {
  const those = matching(query, from, to);
  const total = countOf(those);
  if (total === to - from + 1) return { rows: neighbours(from, to, offset, limit), total };
  const rows = readAt(offset, limit, total, (fromEnd, skip, most) =>
    sqlite
      .query<{ row: number }, SQLQueryBindings[]>(
        `SELECT ${those.sql} ORDER BY 1 ${fromEnd ? "ASC" : "DESC"} LIMIT +? OFFSET +?`,
      )
      .all(...those.values, most, skip),
  );
  return { rows: rows.map(({ row }) => row), total };
}

/** The rows of a page if no row between two is missing or left out: nothing is walked over. */
function neighbours(from: number, to: number, offset: number, limit: number): number[] {
  const rows = Math.max(0, Math.min(limit, to - offset - from + 1));
  return Array.from({ length: rows }, (_, at) => to - offset - at);
}

/** SQL and its parameters. */
interface Part {
  sql: string;
  values: SQLQueryBindings[];
}

/** An index that is searched for the rows of members, with its query. */
interface Source {
  index: "community_member_trigrams" | "community_member_roles";
  query: string;
}

/**
 * The SQL after SELECT: the rows between two that a source finds (all, without one) and that pass the
 * conditions.
 */
function found(source: Source | null, between: [from: number, to: number], conditions: Part[] = []): Part {
  const names = "community_member_names n";
  const joined = conditions.length > 0 ? ` CROSS JOIN ${names} ON n.row = i.rowid` : "";
  const where: Part[] = source
    ? [
        { sql: `${source.index} MATCH ?`, values: [source.query] },
        { sql: "i.rowid BETWEEN ? AND ?", values: between },
      ]
    : [{ sql: "n.row BETWEEN ? AND ?", values: between }];
  where.push(...conditions);
  const from = source ? `i.rowid AS row FROM ${source.index} i${joined}` : `n.row FROM ${names}`;
  return {
    sql: `${from} WHERE ${where.map(({ sql }) => sql).join(" AND ")}`,
    values: where.flatMap(({ values }) => values),
  };
}

/**
 * The rows between two that pass the filters. Given both a role and a name, the index that finds fewer rows
 * is searched and the other filter compared: two of them can't be joined quickly.
 */
function matching(query: MembersQuery, ...between: [from: number, to: number]): Part {
  const { search, bot_only, humans_only, has_role } = query;
  const name = search ? wanted(search) : null;
  const conditions: Part[] = [];
  if (name) conditions.push({ sql: "instr(n.names, ?)", values: [name.text] });
  // The plus keeps SQLite from an index that would only make comparing the names slower.
  const bot = name ? "+n.bot" : "n.bot";
  if (bot_only) conditions.push({ sql: `${bot} = 1`, values: [] });
  if (humans_only) conditions.push({ sql: `${bot} = 0`, values: [] });

  const byName: Source | null = name?.query
    ? { index: "community_member_trigrams", query: name.query }
    : null;
  if (has_role === undefined) return found(byName, between, conditions);
  const byRole: Source = { index: "community_member_roles", query: quoted(has_role) };
  if (!byName || countOf(found(byRole, between)) <= countOf(found(byName, between)))
    return found(byRole, between, conditions);
  const hasRole = "(SELECT instr(m.roles, ?) FROM community_members m WHERE m.row = n.row)";
  return found(byName, between, [...conditions, { sql: hasRole, values: [JSON.stringify(has_role)] }]);
}

/** Numbers of rows found before. The rows between two never change, so a count stays right. */
const counts = new BoundedMap<string, number>(1_000);

function countOf({ sql, values }: Part): number {
  const key = JSON.stringify([sql, values]);
  let count = counts.get(key);
  if (count === undefined) {
    count =
      sqlite
        .query<{ n: number }, SQLQueryBindings[]>(`SELECT count(*) AS n FROM (SELECT ${sql})`)
        .get(...values)?.n ?? 0;
    counts.set(key, count);
  }
  return count;
}
