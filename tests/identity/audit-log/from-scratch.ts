import type { EventFilters, EventOrder } from "../../../src/identity/audit-log/conditions";
import { sqlite } from "../../../src/kernel/db/connection";

/** The expected identifiers of a list, found by going through all events. */
export function idsFromScratch(filters: EventFilters, { field, direction }: EventOrder): string[] {
  const conditions = ["true"];
  if (filters.userIds) conditions.push(`user_id IN (${filters.userIds.map((id) => `'${id}'`).join()})`);
  for (const name of ["event_type", "resource_type", "status", "source_service"] as const)
    if (filters[name] !== undefined) conditions.push(`${name} = '${filters[name]}'`);
  if (filters.is_reported !== undefined) conditions.push(`is_reported = ${filters.is_reported ? 1 : 0}`);
  if (filters.from !== undefined) conditions.push(`created_at >= ${filters.from}`);
  if (filters.to !== undefined) conditions.push(`created_at <= ${filters.to}`);
  const from = `FROM audit_events NOT INDEXED WHERE ${conditions.join(" AND ")}`;
  const order = `ORDER BY ${field} ${direction}, created_at ${direction}, rowid ${direction}`;
  return sqlite
    .query<{ id: string }, []>(`SELECT id ${from} ${order}`)
    .all()
    .map(({ id }) => id);
}
