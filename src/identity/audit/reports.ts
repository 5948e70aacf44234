import { and, desc, eq, type SQL } from "drizzle-orm";
import type { Client } from "../../kernel/client";
import { iso, isoOrNull, now } from "../../kernel/clock";
import { db } from "../../kernel/db";
import { conflict, notFound } from "../../kernel/errors";
import { newId } from "../../kernel/id";
import { type Caller, transactAs } from "../access/caller";
import { notify } from "../email/notify";
import { findUser } from "../users/service";
import type { AuditReport, NewReport, ReportChange } from "./schema";
import { recordAudit } from "./service";
import { auditEvents, auditReports } from "./table";
import type { REPORT_STATUSES } from "./words";

type Row = typeof auditReports.$inferSelect;

const toReport = (row: Row): AuditReport => ({
  ...row,
  reviewed_at: isoOrNull(row.reviewed_at),
  created_at: iso(row.created_at),
  updated_at: iso(row.updated_at),
});

/** Reports in one answer: the lists have no pages. */
const MAX_LISTED = 1_000;

const select = (which: SQL | undefined) =>
  db.select().from(auditReports).where(which).orderBy(desc(auditReports.id));

const list = (which: SQL | undefined): AuditReport[] => select(which).limit(MAX_LISTED).all().map(toReport);

/** A user's newest reports, newest first. */
export const listReportsOf = (userId: string): AuditReport[] => list(eq(auditReports.user_id, userId));

/** Everybody's newest reports, newest first. */
export const listReports = (status: (typeof REPORT_STATUSES)[number] | undefined): AuditReport[] =>
  list(status && eq(auditReports.status, status));

/** All reports of a user, newest first. */
export const reportsOf = (userId: string): AuditReport[] =>
  select(eq(auditReports.user_id, userId)).all().map(toReport);

/** Reports an event of the user's that looks wrong. Throws 404 for somebody else's event, 409 for a second report. */
export function reportEvent(
  caller: Caller,
  userId: string,
  eventId: string,
  input: NewReport,
  client: Client,
): Promise<AuditReport> {
  return transactAs(caller, () => {
    const event = db
      .select({ is_reported: auditEvents.is_reported })
      .from(auditEvents)
      .where(and(eq(auditEvents.id, eventId), eq(auditEvents.user_id, userId)))
      .get();
    if (!event) throw notFound("Audit event");
    if (event.is_reported) throw conflict("This event was reported already");
    const time = now();
    const row = db
      .insert(auditReports)
      .values({
        id: newId(),
        audit_event_id: eventId,
        user_id: userId,
        reason: input.reason,
        description: input.description ?? null,
        status: "pending",
        created_at: time,
        updated_at: time,
      })
      .returning()
      .get();
    db.update(auditEvents).set({ is_reported: true }).where(eq(auditEvents.id, eventId)).run();
    recordAudit({
      event_type: "audit_reported",
      user_id: userId,
      actor_id: caller.userId,
      resource_type: "audit_event",
      resource_id: eventId,
      metadata: { reason: input.reason },
      client,
    });
    return toReport(row);
  });
}

/** Notes how far a report is handled, and tells its user by email; nothing without a field. Throws 404. */
export function changeReport(caller: Caller, id: string, input: ReportChange): Promise<AuditReport> {
  return transactAs(caller, () => {
    const before = db.select().from(auditReports).where(eq(auditReports.id, id)).get();
    if (!before) throw notFound("Audit report");
    const { status = before.status, resolution_notes = before.resolution_notes } = input;
    if (Object.keys(input).length === 0) return toReport(before);
    const time = now();
    const row = db
      .update(auditReports)
      .set({ status, resolution_notes, reviewed_by: caller.userId, reviewed_at: time, updated_at: time })
      .where(eq(auditReports.id, id))
      .returning()
      .get();
    const user = findUser(row.user_id);
    if (user && user.deleted_at === null)
      notify(user, { kind: "audit_report_updated", status, notes: resolution_notes });
    return toReport(row);
  });
}

/** Takes a scrubbed user's words, and what was answered to them, from the reports, in the current transaction. */
export function eraseReports(userId: string): void {
  db.update(auditReports)
    .set({ description: null, resolution_notes: null })
    .where(eq(auditReports.user_id, userId))
    .run();
}
