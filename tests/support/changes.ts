import { expect } from "bun:test";
import { emailsOut } from "./mail";
import { reading } from "./rows";
import type { TestServer } from "./server";

/** Changes of the whole database by a request. */

type Row = Record<string, unknown>;

/**
 * Times at which credentials were last used, which any request may update. The other
 * tables count the rows of `audit_events`.
 */
const IGNORED_COLUMNS = ["last_activity_at", "last_used_at"];
/** The chain of the audit log follows from the events, and differs by their times. */
const OF_CHAIN = ["number", "hash", "personal_hash", "salt"];
const IGNORED_TABLES = [
  "audit_anchors",
  "audit_chain",
  "audit_days",
  "audit_user_days",
  "audit_quarters",
  "audit_user_minutes",
  "server_life",
];

const tables = (server: TestServer): Map<string, Row[]> =>
  reading(server, (database) => {
    const names = database
      .query<{ name: string }, []>("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
      .all()
      .map(({ name }) => name)
      .filter((name) => !IGNORED_TABLES.includes(name));
    return new Map(
      names.map((name): [string, Row[]] => [name, database.query<Row, []>(`SELECT * FROM "${name}"`).all()]),
    );
  });

const rowsAsText = (table: string, rows: Row[]) =>
  rows.map((row) => {
    const ignored = table === "audit_events" ? [...IGNORED_COLUMNS, ...OF_CHAIN] : IGNORED_COLUMNS;
    const kept = Object.entries(row).filter(([column]) => !ignored.includes(column));
    return JSON.stringify(Object.fromEntries(kept));
  });

/** Rows of one list that the other lacks. */
function without(list: string[], other: string[]): string[] {
  const rest = [...other];
  return list.filter((row) => {
    const at = rest.indexOf(row);
    if (at !== -1) rest.splice(at, 1);
    return at === -1;
  });
}

/** The changes of `act` in the whole database, once all emails went out: removed and new rows, by table. */
export async function changesBy(server: TestServer, act: () => Promise<unknown>) {
  await emailsOut(server);
  const before = tables(server);
  await act();
  await emailsOut(server);
  const changes: Record<string, { gone: string[]; new: string[] }> = {};
  for (const [name, after] of tables(server)) {
    const [old, now] = [rowsAsText(name, before.get(name) ?? []), rowsAsText(name, after)];
    const change = { gone: without(old, now), new: without(now, old) };
    if (change.gone.length + change.new.length > 0) changes[name] = change;
  }
  return changes;
}

/** Expects that `act` changes nothing in the database; returns its result. */
export async function unchanged<T>(server: TestServer, act: () => Promise<T>): Promise<T> {
  let answer: T | undefined;
  const changes = await changesBy(server, async () => {
    answer = await act();
  });
  expect(changes).toEqual({});
  return answer as T;
}
