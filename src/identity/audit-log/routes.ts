import { Elysia } from "elysia";
import { errors, file, Single } from "../../kernel/http/answers";
import { eventPage, pageRequest, single } from "../../kernel/http/envelopes";
import { ListQuery, readList } from "../../kernel/http/lists";
import { IdParams, optionalBody, query, t } from "../../kernel/http/schema";
import { HOUR, SECOND } from "../../kernel/time/clock";
import { guard, type RateRule } from "../access/guard";
import { EVENT_TYPE_TABLE } from "../audit/event-types";
import { existingUser, ownId } from "../directory/users";
import { writeEvent } from "./internal";
import { exportAuditLog, NDJSON, verifyAuditLog } from "./proof";
import { allReports, changeReport, ownReports, reportEvent } from "./reports";
import {
  AdminAuditQuery,
  AuditEvent,
  AuditPage,
  AuditQuery,
  AuditReport,
  AuditVerification,
  DEFAULT_LIMIT,
  EventParams,
  ExportQuery,
  InternalEvent,
  NewReport,
  ReportChange,
  ReportParams,
  ReportQuery,
  ReportResult,
  VerifyQuery,
} from "./schema";
import { listEvents, listEventsOf, listOwnEvents } from "./service";

const tags = ["Audit log"];

/** Reports that one credential may file. */
const reportLimit: RateRule = {
  name: "audit-report",
  rate: () => ({ requests: 30, seconds: HOUR / SECOND }),
};

export const ownAuditRoutes = new Elysia({ prefix: "/v1/users/me/audit", tags })
  .use(guard)
  .get(
    "",
    ({ actor, query, request }) => {
      const asked = pageRequest(query, DEFAULT_LIMIT);
      return eventPage(
        "/v1/users/me/audit",
        asked,
        listOwnEvents(ownId(actor.caller), query, asked),
        request,
      );
    },
    {
      access: { requires: "audit:read", orSession: true },
      ...query(AuditQuery),
      response: { 200: AuditPage },
      detail: {
        operationId: "listOwnAuditEvents",
        summary: "List the caller's audit events",
        description:
          "What happened to the caller's account, newest first. What somebody else did shows who, but not from where.",
      },
    },
  )
  .post(
    "/:event_id/report",
    async ({ actor, params, body, set }) => {
      const report = await reportEvent(actor, ownId(actor.caller), params.event_id, body);
      set.status = 201;
      set.headers.location = `/v1/admin/audit/reports/${report.id}`;
      return { success: true, report, error: null };
    },
    {
      access: { requires: "audit:write", orSession: true, limit: reportLimit },
      params: EventParams,
      body: NewReport,
      response: { 201: ReportResult, ...errors(403, 404, 409) },
      detail: {
        operationId: "reportAuditEvent",
        summary: "Report an audit event",
        description:
          "Tells the administrators that an event of the caller's account looks wrong. 409 when it was reported already, 404 for an event of somebody else.",
      },
    },
  )
  .get("/reports", ({ actor, query }) => readList(query, ownReports(ownId(actor.caller))), {
    access: { requires: "audit:read", orSession: true },
    ...query(ListQuery),
    response: { 200: t.Array(AuditReport), ...errors(400) },
    detail: {
      operationId: "listOwnAuditReports",
      summary: "List the caller's audit reports",
      description: "The reports of the caller, newest first. A bare array.",
    },
  });

export const userAuditRoutes = new Elysia({ prefix: "/v1/users", tags }).use(guard).get(
  "/:id/audit",
  ({ params, query, request }) => {
    const asked = pageRequest(query, DEFAULT_LIMIT);
    const { id } = existingUser(params.id);
    return eventPage(`/v1/users/${id}/audit`, asked, listEventsOf(id, query, asked), request);
  },
  {
    access: "audit:read",
    params: IdParams,
    ...query(AuditQuery),
    response: { 200: AuditPage, ...errors(404) },
    detail: {
      operationId: "listAuditEventsOfUser",
      summary: "List audit events of a user",
      description: "What happened to the user's account, newest first.",
    },
  },
);

export const adminAuditRoutes = new Elysia({ prefix: "/v1/admin/audit", tags })
  .use(guard)
  .get(
    "",
    ({ query, request }) => {
      const asked = pageRequest(query, DEFAULT_LIMIT);
      return eventPage("/v1/admin/audit", asked, listEvents(query, asked), request);
    },
    {
      access: "audit:read",
      ...query(AdminAuditQuery),
      response: { 200: AuditPage },
      detail: {
        operationId: "listAuditEvents",
        summary: "List audit events",
        description: `Everybody's events, newest first unless sorted otherwise; ties are ordered by time, in the same direction. All filters must hold. 400 for a \`user_search\` that finds more than 500 users.\n\n${EVENT_TYPE_TABLE}`,
      },
    },
  )
  .get("/verify", ({ query, request }) => verifyAuditLog(query.after ?? 0, request), {
    access: "audit:read",
    ...query(VerifyQuery),
    response: { 200: AuditVerification },
    detail: {
      operationId: "verifyAuditLog",
      summary: "Verify the audit log",
      description:
        "Computes the hash of each event anew, and names the first one that isn't what was hashed or doesn't follow from the one before. At most 100,000 events a request, of which `is_intact` speaks: `next_after` leads on. The last one counts all events too, and begins anew with the first event if there are more or fewer than places in the chain. Only the oldest events may be missing, by age. 400 where the event at `after` has aged out meanwhile. Whoever can write the database could compute a whole new chain: compare `head` with one that was kept elsewhere.",
    },
  })
  .get("/export", ({ actor, query, request }) => exportAuditLog(actor.caller, query, request), {
    access: "audit:read",
    ...query(ExportQuery),
    response: {
      200: file(NDJSON, "The events, one a line, after a line that tells of them"),
      ...errors(503),
    },
    detail: {
      operationId: "exportAuditLog",
      summary: "Export the audit log",
      description:
        "All events of a span of time, and what was written between them, as lines of JSON that a third party can verify (docs/verify-audit.mjs). The first line tells the ends of this part of the chain and the head; each other one has `event`, whose canonical JSON (RFC 8785) has the SHA-256 `hash`, and `personal`, whose canonical JSON has the SHA-256 `event.personal_hash`, unless `salt` is null: then the account was scrubbed.",
    },
  })
  .get("/reports", ({ query }) => readList(query, allReports(query.status)), {
    access: "audit:read",
    ...query(ReportQuery),
    response: { 200: t.Array(AuditReport) },
    detail: {
      operationId: "listAuditReports",
      summary: "List audit reports",
      description: "The reports, of one status or of all, newest first. A bare array.",
    },
  })
  .patch(
    "/reports/:report_id",
    async ({ actor, params, body }) =>
      single(
        await changeReport(actor, params.report_id, body ?? {}),
        `/v1/admin/audit/reports/${params.report_id}`,
      ),
    {
      access: "audit:write",
      params: ReportParams,
      body: optionalBody(ReportChange),
      response: { 200: Single(AuditReport), ...errors(404) },
      detail: {
        operationId: "handleAuditReport",
        summary: "Handle an audit report",
        description:
          "Sets the status, the notes or both, and tells the user who reported what is new by email, five times an hour at most.",
      },
    },
  );

export const internalAuditRoutes = new Elysia({ prefix: "/v1/internal/audit", tags }).use(guard).post(
  "",
  async ({ actor, body, set }) => {
    const event = await writeEvent(actor, body);
    set.status = 201;
    // An event has no address of its own: this is the list that holds it.
    set.headers.location = "/v1/admin/audit";
    return single(event, "/v1/internal/audit");
  },
  {
    access: { requires: "audit:write", orAppKey: true },
    body: InternalEvent,
    response: { 201: Single(AuditEvent), ...errors(429) },
    detail: {
      operationId: "writeAuditEvent",
      summary: "Write an audit event",
      description:
        "For the other services of an installation. `user_id` names an existing user unless another service than `api` writes the event: a bot may name a user of its own platform, or nobody (null). `actor_id` names an existing user. `event_type` may be any word of lower-case letters, digits and underscores. The event keeps which key, user or app wrote it, in `recorded_by`. An address that sends wrong app keys gets 429 after some.",
    },
  },
);
