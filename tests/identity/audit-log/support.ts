import type { Database } from "bun:sqlite";
import type { Answer, Token } from "../../support/api";
import { done } from "../../support/expectations";
import { onDatabase, rows } from "../../support/rows";
import type { TestServer } from "../../support/server";
import { DAY, MINUTE } from "../../support/time";

/** Shared by the tests of the audit log. */

/** An event as it is stored. */
export interface StoredEvent {
  id: string;
  user_id: string | null;
  event_type: string;
  resource_type: string | null;
  resource_id: string | null;
  actor_id: string | null;
  ip_address: string | null;
  user_agent: string | null;
  description: string | null;
  /** JSON. */
  metadata: string | null;
  status: string;
  error_message: string | null;
  country_code: string | null;
  country_name: string | null;
  city: string | null;
  region: string | null;
  source_service: string;
  recorded_by_kind: string | null;
  recorded_by_id: string | null;
  is_reported: number;
  created_at: number;
}

const COLUMNS = [
  ...["id", "user_id", "event_type", "resource_type", "resource_id", "actor_id", "ip_address", "user_agent"],
  ...["description", "metadata", "status", "error_message", "country_code", "country_name", "city", "region"],
  ...["source_service", "recorded_by_kind", "recorded_by_id", "is_reported", "created_at"],
] as const;

/** An event of the present without user and resource. */
export const storedEvent = (overrides: Partial<StoredEvent> = {}): StoredEvent => ({
  ...(Object.fromEntries(COLUMNS.map((column) => [column, null])) as unknown as StoredEvent),
  id: Bun.randomUUIDv7(),
  event_type: "login",
  status: "success",
  source_service: "api",
  is_reported: 0,
  created_at: Date.now(),
  ...overrides,
});

/** Brings the log into the order of its times, as if each event had been written when it says. */
export function sortByTime(server: TestServer): void {
  onDatabase(server, (database) =>
    database.run("UPDATE audit_events SET rowid = created_at / 1000 * 10000 + rowid"),
  );
}

/** Inserts events in this order, past the server. Returns them. */
export function insertEvents(server: TestServer, events: Partial<StoredEvent>[]): StoredEvent[] {
  const full = events.map(storedEvent);
  onDatabase(server, (database) => writeEvents(database, full));
  return full;
}

export function writeEvents(database: Database, events: StoredEvent[]): void {
  const insert = database.prepare(
    `INSERT INTO audit_events (${COLUMNS.join(", ")}) VALUES (${COLUMNS.map(() => "?").join(", ")})`,
  );
  for (const event of events) insert.run(...COLUMNS.map((column) => event[column]));
}

/** An event as a list shows it. */
export const shown = ({ recorded_by_kind: kind, recorded_by_id: id, ...event }: StoredEvent) => ({
  ...event,
  recorded_by: kind === null ? null : { kind, id },
  metadata: JSON.parse(event.metadata ?? "null"),
  is_reported: event.is_reported === 1,
  // Events that a test wrote itself are no part of the chain.
  hash: null,
  created_at: new Date(event.created_at).toISOString(),
});

/** All that is stored, in the order in which it was written. */
export const storedEvents = (server: TestServer): StoredEvent[] =>
  rows<StoredEvent & OfChain>(server, "SELECT * FROM audit_events ORDER BY rowid").map(withoutChain);

/** The columns of the hash chain, which chain.test.ts tries. */
interface OfChain {
  number: number | null;
  hash: Uint8Array | null;
  personal_hash: Uint8Array | null;
  salt: Uint8Array | null;
}

/** A row without the columns of the chain. */
export function withoutChain<T extends OfChain>(row: T): Omit<T, keyof OfChain> {
  const { number: _number, hash: _hash, personal_hash: _personalHash, salt: _salt, ...rest } = row;
  return rest;
}

/** The list of everybody's events, as a system key sees it. */
export const admins = (server: TestServer, query: Record<string, string | number> = {}): Promise<Answer> =>
  server.get(`/v1/admin/audit?${new URLSearchParams(query as Record<string, string>)}`, {
    token: server.systemKey,
  });

export interface EventPage {
  events: (ReturnType<typeof shown> & Record<string, unknown>)[];
  total_count: number;
  page: number;
  limit: number;
  total_pages: number;
  _links: Record<string, string>;
}

/** The page of everybody's events that such a query finds. */
export const find = async (server: TestServer, query: Record<string, string | number>): Promise<EventPage> =>
  done(await admins(server, query));

/** Reports an event on behalf of the token's holder. */
export const report = (
  server: TestServer,
  token: Token,
  eventId: string,
  body: object = { reason: "not_me" },
): Promise<Answer> => server.post(`/v1/users/me/audit/${eventId}/report`, { token, body });

export const reportsOf = (server: TestServer): Record<string, unknown>[] =>
  rows(server, "SELECT * FROM audit_reports ORDER BY id");

const KINDS = "event_type, resource_type, status, source_service, is_reported";

/** The tables of counts, each with the columns that it counts by besides the kinds. */
const COUNTS = {
  audit_days: { day: DAY },
  audit_user_days: { user_id: null, day: DAY },
  audit_quarters: { quarter: 15 * MINUTE },
  audit_user_minutes: { user_id: null, minute: MINUTE },
};

/** Queries for the counts that differ from the stored events, one for each table. */
export const DIFFERENT_COUNTS = Object.entries(COUNTS).map(([table, by]) => {
  const columns = Object.keys(by).join(", ");
  const values = Object.entries(by).map(([column, length]) =>
    length === null ? column : `created_at / ${length} AS ${column}`,
  );
  const counted = `SELECT ${columns}, ${KINDS}, count(*) AS n FROM (
      SELECT ${values}, event_type, coalesce(resource_type, '') AS resource_type, status, source_service, is_reported
      FROM audit_events ${"user_id" in by ? "WHERE user_id IS NOT NULL" : ""}) GROUP BY ${columns}, ${KINDS}`;
  const kept = `SELECT ${columns}, ${KINDS}, n FROM ${table}`;
  return `SELECT * FROM (${counted} EXCEPT ${kept}) UNION ALL SELECT * FROM (${kept} EXCEPT ${counted})`;
});

/** The counts that differ from the stored events. */
export const countsDiffer = (server: TestServer): unknown[] =>
  DIFFERENT_COUNTS.flatMap((sql) => rows(server, sql));
