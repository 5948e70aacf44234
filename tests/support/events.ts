import { rows, write } from "./rows";
import type { TestServer } from "./server";

/** The audit log of a running server. */

export interface AuditRow {
  event_type: string;
  user_id: string | null;
  actor_id: string | null;
  resource_type: string | null;
  resource_id: string | null;
  ip_address: string | null;
  user_agent: string | null;
  status: string;
  error_message: string | null;
  metadata: string | null;
}

/** The audit events in the order of writing; those about one record if it is named. */
export function auditRows(server: TestServer, resourceId?: string): AuditRow[] {
  const all = rows<AuditRow>(server, "SELECT * FROM audit_events ORDER BY id");
  return resourceId === undefined ? all : all.filter((row) => row.resource_id === resourceId);
}

/** The audit events about a user in the order of writing; of these types if any are named. */
export const eventsAbout = (server: TestServer, userId: string, ...types: string[]): AuditRow[] =>
  auditRows(server).filter(
    (row) => row.user_id === userId && (types.length === 0 || types.includes(row.event_type)),
  );

/** The same with their metadata parsed. */
export const eventsOf = (server: TestServer, userId: string, ...types: string[]) =>
  eventsAbout(server, userId, ...types).map((row) => ({
    ...row,
    metadata: JSON.parse(row.metadata ?? "null"),
  }));

/** The fields of a user that changed according to the audit log, change by change. */
export const changesOf = (server: TestServer, userId: string): string[][] =>
  eventsOf(server, userId, "user_updated").map(({ metadata }) => metadata.changed);

/** The audit events that `act` writes. */
export async function audited(server: TestServer, act: () => Promise<unknown>): Promise<AuditRow[]> {
  const before = auditRows(server).length;
  await act();
  return auditRows(server).slice(before);
}

/** The result of `act` while the server can't write audit events of one type. */
export async function withoutAudit<T>(
  server: TestServer,
  eventType: string,
  act: () => Promise<T>,
): Promise<T> {
  write(
    server,
    `CREATE TRIGGER no_audit BEFORE INSERT ON audit_events WHEN NEW.event_type = '${eventType}'
     BEGIN SELECT RAISE(ABORT, 'refused by the test'); END`,
  );
  try {
    return await act();
  } finally {
    write(server, "DROP TRIGGER no_audit");
  }
}
