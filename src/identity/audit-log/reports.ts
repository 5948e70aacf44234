import { and, asc, desc, eq, type SQL } from "drizzle-orm";
import { newId } from "../../kernel/crypto/id";
import { db } from "../../kernel/db/connection";
import { counter } from "../../kernel/db/counters";
import { conflict, notFound } from "../../kernel/errors/errors";
import type { Records } from "../../kernel/http/lists";
import { readAt } from "../../kernel/http/paging";
import { takeToken } from "../../kernel/limits/rate-limit";
import { iso, isoOrNull, now } from "../../kernel/time/clock";
import { type Actor, transactAs } from "../access/actor";
import { recordAudit } from "../audit/service";
import { auditEvents, auditReports } from "../audit/table";
import type { REPORT_STATUSES } from "../audit/words";
import { findUser } from "../directory/users";
import { notify } from "../email/notify";
import type { AuditReport, NewReport, ReportChange } from "./schema";

type Row = typeof auditReports.$inferSelect;

const toReport = (row: Row): AuditReport => ({
  ...row,
  reviewed_at: isoOrNull(row.reviewed_at),
  created_at: iso(row.created_at),
  updated_at: iso(row.updated_at),
});

const select = (which: SQL | undefined, fromEnd = false) =>
  db
    .select()
    .from(auditReports)
    .where(which)
    .orderBy(fromEnd ? asc(auditReports.id) : desc(auditReports.id));

/** Reports, newest first, read from the nearer end. Triggers keep their counter. */
const reports = (which: SQL | undefined, counted: string): Records<AuditReport> => ({
  read: (offset, limit) =>
    readAt(offset, limit, counter(counted), (fromEnd, skip, rows) =>
      select(which, fromEnd).limit(rows).offset(skip).all().map(toReport),
    ),
  count: () => counter(counted),
});

/** A user's reports, newest first. */
export const ownReports = (userId: string): Records<AuditReport> =>
  reports(eq(auditReports.user_id, userId), `audit_reports of ${userId}`);

/** Everybody's reports, newest first. */
export const allReports = (status: (typeof REPORT_STATUSES)[number] | undefined): Records<AuditReport> =>
  status === undefined
    ? reports(undefined, "audit_reports")
    : reports(eq(auditReports.status, status), `audit_reports ${status}`);

/** All reports of a user, newest first. */
export const reportsOf = (userId: string): AuditReport[] =>
  select(eq(auditReports.user_id, userId)).all().map(toReport);

/** Reports a suspicious event of the user's own. Throws 404 for another user's, 409 for a second report. */
export function reportEvent(
  actor: Actor,
  userId: string,
  eventId: string,
  input: NewReport,
): Promise<AuditReport> {
  return transactAs(actor, () => {
    const event = db
      .select({ is_reported: auditEvents.is_reported })
      .from(auditEvents)
      .where(and(eq(auditEvents.id, eventId), eq(auditEvents.user_id, userId)))
      .get();
    if (!event) throw notFound("Audit event");
    if (event.is_reported) throw conflict("This event has already been reported");
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
      resource_type: "audit_event",
      resource_id: eventId,
      metadata: { reason: input.reason },
    });
    return toReport(row);
  });
}

/** Emails about one report, and about all reports of one user. The report itself always shows its status. */
const EMAILS_OF_REPORT = { requests: 5, seconds: 3_600 };
const EMAILS_OF_USER = { requests: 30, seconds: 3_600 };

/** Counts an email about a report: somebody who changes it over and over must not flood its user. */
const mayTell = (reportId: string, userId: string): boolean =>
  takeToken(`report-emails ${reportId}`, EMAILS_OF_REPORT).allowed &&
  takeToken(`report-emails of ${userId}`, EMAILS_OF_USER).allowed;

/**
 * Updates the handling of a report, and tells its user by email what is new; does nothing without a field.
 * Throws 404.
 */
export function changeReport(actor: Actor, id: string, input: ReportChange): Promise<AuditReport> {
  return transactAs(actor, () => {
    const before = db.select().from(auditReports).where(eq(auditReports.id, id)).get();
    if (!before) throw notFound("Audit report");
    const { status = before.status, resolution_notes = before.resolution_notes } = input;
    if (Object.keys(input).length === 0) return toReport(before);
    const time = now();
    const row = db
      .update(auditReports)
      .set({
        status,
        resolution_notes,
        reviewed_by: actor.caller.userId,
        reviewed_at: time,
        updated_at: time,
      })
      .where(eq(auditReports.id, id))
      .returning()
      .get();
    const user = findUser(row.user_id);
    const isNews = status !== before.status || resolution_notes !== before.resolution_notes;
    if (isNews && user && user.deleted_at === null && mayTell(id, user.id))
      notify(user, { kind: "audit_report_updated", status, notes: resolution_notes });
    return toReport(row);
  });
}

/** Erases a scrubbed user's words, and the answers to them, from the reports, in the current transaction. */
export function eraseReports(userId: string): void {
  db.update(auditReports)
    .set({ description: null, resolution_notes: null })
    .where(eq(auditReports.user_id, userId))
    .run();
}
