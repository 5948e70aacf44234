import { and, asc, desc, eq, inArray, lt } from "drizzle-orm";
import { newId } from "../../kernel/crypto/id";
import { db } from "../../kernel/db/connection";
import { counter } from "../../kernel/db/counters";
import { deleteOlderThan } from "../../kernel/db/delete-older-than";
import { rowid } from "../../kernel/db/table";
import type { Client } from "../../kernel/http/client";
import { readAt } from "../../kernel/http/paging";
import { iso, now } from "../../kernel/time/clock";
import type { Locale } from "../../kernel/values/bilingual";
import { systemValue } from "../../runtime-settings/service";
import { exportLogs } from "../export/table";
import { type ExportLog, MAX_LOGS } from "./schema";

const toLog = (row: typeof exportLogs.$inferSelect): ExportLog => ({
  id: row.id,
  exportedAt: iso(row.exported_at),
  ipAddress: row.ip_address,
  userAgent: row.user_agent,
  exportFormat: row.export_format,
  fileSizeBytes: row.file_size_bytes,
  locale: row.locale,
  createdAt: iso(row.created_at),
});

/** Number of a user's exports, kept by triggers. */
export const countLogs = (userId: string): number => counter(`export_logs ${userId}`);

/** A user's exports, newest first. `limit` is clamped to 1 to 100. */
export function listLogs(userId: string, limit: number, offset: number) {
  const total = countLogs(userId);
  const most = Math.min(Math.max(limit, 1), MAX_LOGS);
  const logs = readAt(offset, most, total, (fromEnd, skip, rows) =>
    db
      .select()
      .from(exportLogs)
      .where(eq(exportLogs.user_id, userId))
      .orderBy(fromEnd ? asc(exportLogs.id) : desc(exportLogs.id))
      .limit(rows)
      .offset(skip)
      .all()
      .map(toLog),
  );
  return { logs, total, hasMore: offset + logs.length < total };
}

/** A user's exports, newest first, in parts of `size`. */
export function* logsOf(userId: string, size: number): Generator<ExportLog[]> {
  for (let before: string | undefined = "\uffff"; before !== undefined; ) {
    const part: ExportLog[] = db
      .select()
      .from(exportLogs)
      .where(and(eq(exportLogs.user_id, userId), lt(exportLogs.id, before)))
      .orderBy(desc(exportLogs.id))
      .limit(size)
      .all()
      .map(toLog);
    yield part;
    before = part.length === size ? part.at(-1)?.id : undefined;
  }
}

/** Records an export, in the current transaction. */
export function insertLog(
  userId: string,
  exportedAt: number,
  size: number,
  locale: Locale,
  client: Client,
): string {
  const id = newId();
  db.insert(exportLogs)
    .values({
      id,
      user_id: userId,
      exported_at: exportedAt,
      ip_address: client.address,
      user_agent: client.userAgent,
      export_format: "zip",
      file_size_bytes: size,
      locale,
      created_at: now(),
    })
    .run();
  return id;
}

/** Forgets a scrubbed user's exports, in the current transaction. */
export function eraseLogs(userId: string): void {
  db.delete(exportLogs).where(eq(exportLogs.user_id, userId)).run();
}

function deleteOldest(before: number, limit: number): number {
  const oldest = db
    .select({ rowid })
    .from(exportLogs)
    .where(lt(exportLogs.created_at, before))
    .orderBy(asc(exportLogs.created_at))
    .limit(limit);
  return db.delete(exportLogs).where(inArray(rowid, oldest)).returning({ rowid }).all().length;
}

/** The job: deletes entries older than `export.log_retention_days`; 0 keeps all. */
export const deleteOldLogs = (): Promise<void> =>
  deleteOlderThan(() => systemValue("export.log_retention_days"), deleteOldest);
