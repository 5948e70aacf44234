import { PageLinks } from "../../kernel/http/answers";
import { pageQuery } from "../../kernel/http/envelopes";
import { listQuery } from "../../kernel/http/lists";
import {
  characters,
  EXAMPLE_UUID,
  fromTo,
  jsonObjectOrNull,
  moment,
  nullable,
  oneOf,
  optional,
  out,
  queryBoolean,
  queryInteger,
  record,
  t,
  uuid,
} from "../../kernel/http/schema";
import {
  BREAKS,
  MODERATION_ACTIONS,
  RECORDER_KINDS,
  REPORT_REASONS,
  REPORT_STATUSES,
  SORT_FIELDS,
  SOURCES,
  STATUSES,
} from "../audit/words";
import { MAX_DURATION_SECONDS } from "../bans/schema";

/** Maximum length of another system's user identifier, as a bot knows it: it may be longer than ours. */
const MAX_EXTERNAL_ID = 128;

/** Default `limit` of the lists of events. */
export const DEFAULT_LIMIT = 20;

const text = (description: string, example: string) => nullable(out.string(description, example));

const HASH = "9c56cc51b374c3ba189210d5b6d4bf57790d351c96c47c02190ecf1e430635ab";

export const AuditEvent = record(
  "AuditEvent",
  {
    id: out.uuid("Identifier"),
    user_id: text("Whom it concerns; null for a system event", EXAMPLE_UUID),
    event_type: out.string("What happened", "login"),
    resource_type: text("What it is about", "session"),
    resource_id: text("Identifier of that resource", "0192f3a1-5c00-7d1e-9a55-3f1f6c1f0a02"),
    actor_id: text("Who did it, when that is somebody else", "0192f3a1-5c00-7d1e-9a55-3f1f6c1f0a03"),
    ip_address: text("Address from which it was done", "203.0.113.7"),
    user_agent: text("User agent as the client sent it", "Mozilla/5.0 …"),
    description: text("Description in words", "Signed in"),
    metadata: nullable(
      t.Record(t.String(), t.Unknown(), { description: "Details", examples: [{ provider: "email" }] }),
    ),
    status: oneOf(STATUSES, "Whether it succeeded"),
    error_message: text("Why it failed", "wrong password"),
    country_code: text("Country of the address, ISO 3166-1 alpha-2", "DE"),
    country_name: text("Its name", "Germany"),
    city: text("City of the address", "Greifswald"),
    region: text("Region of the address", "Mecklenburg-Vorpommern"),
    source_service: out.string("Service that wrote it, under the name that it gives itself", "api"),
    recorded_by: nullable(
      t.Object(
        {
          kind: oneOf(
            RECORDER_KINDS,
            "An API key, a user's session, the services that send `X-ID-App-Key`, which are one, or an application with an access token",
          ),
          id: out.string(
            "Identifier of the key, the user or the OAuth client; `id-app` for the services",
            EXAMPLE_UUID,
          ),
        },
        {
          description:
            "The credential with which an event came from outside; null for events that Fairlead wrote",
        },
      ),
    ),
    created_at: out.time("When it happened"),
    is_reported: out.boolean("Whether its user reported it", false),
    hash: text(
      "Hash of the event in the log's chain, SHA-256 in hexadecimal; null while those of an earlier version are chained",
      HASH,
    ),
  },
  "Something that happened",
);
export type AuditEvent = (typeof AuditEvent)["static"];

const Place = (description: string) =>
  t.Object(
    {
      number: out.integer("Place in the chain, from 1 on; 0 before the first event", 4711),
      hash: text("Hash of the event there, SHA-256 in hexadecimal; null before the first event", HASH),
    },
    { description },
  );

export const VerifyQuery = t.Object({
  after: t.Optional(
    queryInteger({
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      default: 0,
      description: "Begin after the event at this place: `next_after` of the answer before",
      examples: [100_000],
    }),
  ),
});
export type VerifyQuery = (typeof VerifyQuery)["static"];

export const AuditVerification = record(
  "AuditVerification",
  {
    is_intact: out.boolean(
      "True if all that was looked at follows one from another, and is what was hashed",
      true,
    ),
    entries: out.integer("Events that were looked at", 4711),
    scrubbed: out.integer(
      "Those of them whose account was scrubbed: what was personal is gone; `resource_type`, `resource_id`, `error_message` and `metadata`, so far as they are left, are not proved any more",
      3,
    ),
    aged_out: out.integer(
      "Events that have aged out, which are all before the oldest that is left: they are counted where the first event is looked at",
      1200,
    ),
    head: Place("The newest event now"),
    first_break: nullable(
      t.Object(
        {
          event_id: text("The event; null where the newest ones are missing", EXAMPLE_UUID),
          number: out.integer("Its place in the chain; if it has none of its own, the next one there", 815),
          reason: oneOf(
            BREAKS,
            "`changed`: it isn't what was hashed; `missing`: the events before it are gone, or the newest ones; `unchained`: it was written past the chain",
          ),
        },
        { description: "The first event that isn't proved; null if all are" },
      ),
    ),
    next_after: nullable(
      out.integer(
        "`after` of the next request, where events are left that were not looked at; null at the end",
        100_000,
      ),
    ),
  },
  "What came of verifying the audit log",
);
export type AuditVerification = (typeof AuditVerification)["static"];

export const ExportQuery = t.Object(fromTo("events"));
export type ExportQuery = (typeof ExportQuery)["static"];

export const AuditPage = record(
  "AuditPage",
  {
    events: t.Array(AuditEvent, { description: "The events of this page" }),
    total_count: out.integer("Events in all pages", 42),
    page: out.integer("This page, counted from 1", 1),
    limit: out.integer("Events a page", DEFAULT_LIMIT),
    total_pages: out.integer("Pages; 0 when there is no event", 3),
    _links: PageLinks,
  },
  "A page of audit events",
);

const word = (description: string, example: string) =>
  t.Optional(characters({ minLength: 1, maxLength: 64, description, examples: [example] }));

const filters = {
  event_type: word("Only events of this type", "login"),
  resource_type: word("Only events about this type of resource", "session"),
  status: t.Optional(oneOf(STATUSES, "Only events that succeeded, or failed")),
};

export const AuditQuery = t.Object({ ...pageQuery(DEFAULT_LIMIT), ...filters });
export type AuditQuery = (typeof AuditQuery)["static"];

export const AdminAuditQuery = t.Object({
  ...pageQuery(DEFAULT_LIMIT),
  ...filters,
  user_id: t.Optional(
    characters({
      minLength: 1,
      maxLength: MAX_EXTERNAL_ID,
      description: "Only events of this user",
      examples: [EXAMPLE_UUID],
    }),
  ),
  user_search: t.Optional(
    characters({
      minLength: 1,
      maxLength: 254,
      description:
        "Only events of users with this identifier, or whose username or email address holds this text",
      examples: ["skipper"],
    }),
  ),
  source_service: t.Optional(oneOf(SOURCES, "Only events that this service wrote")),
  start_date: t.Optional(moment("Only events at or after this time, or from this day (UTC) on")),
  end_date: t.Optional(moment("Only events at or before this time, or up to the end of this day (UTC)")),
  sort_field: t.Optional(oneOf(SORT_FIELDS, "Order; `created_at` when left out")),
  sort_direction: t.Optional(oneOf(["asc", "desc"], "Direction; `desc` when left out")),
  is_reported: t.Optional(
    queryBoolean({ description: "Only events that were reported, or were not", examples: [true] }),
  ),
});
export type AdminAuditQuery = (typeof AdminAuditQuery)["static"];

export const EventParams = t.Object({ event_id: uuid("The event") });
export const ReportParams = t.Object({ report_id: uuid("The report") });

// --- Reports ----------------------------------------------------------------------------------------------

export const NewReport = t.Object(
  {
    reason: oneOf(REPORT_REASONS, "Why the event looks wrong"),
    description: optional(
      characters({ maxLength: 10_000, description: "Description in words", examples: ["I was asleep"] }),
    ),
  },
  { title: "NewAuditReport" },
);
export type NewReport = (typeof NewReport)["static"];

export const AuditReport = record(
  "AuditReport",
  {
    id: out.uuid("Identifier"),
    audit_event_id: out.uuid("The event"),
    user_id: out.uuid("Who reported it"),
    reason: oneOf(REPORT_REASONS, "Why the event looks wrong"),
    description: text("Description in words", "I was asleep"),
    status: oneOf(REPORT_STATUSES, "State of its handling"),
    reviewed_by: text("Who handled it last", "0192f3a1-5c00-7d1e-9a55-3f1f6c1f0a03"),
    reviewed_at: nullable(out.time("When it was last handled")),
    resolution_notes: text("Outcome, as the user is told", "The session was revoked"),
    created_at: out.time("When it was reported"),
    updated_at: out.time("When it was last changed"),
  },
  "A user's report of an event that looks wrong",
);
export type AuditReport = (typeof AuditReport)["static"];

export const ReportResult = record(
  "AuditReportResult",
  {
    success: out.boolean("true"),
    report: AuditReport,
    error: t.Null({ description: "null" }),
  },
  "A report that was accepted",
);

export const ReportQuery = t.Object({
  ...listQuery(),
  status: t.Optional(oneOf(REPORT_STATUSES, "Only reports of this status")),
});

export const ReportChange = t.Object(
  {
    status: t.Optional(oneOf(REPORT_STATUSES, "State of its handling", "resolved")),
    resolution_notes: optional(
      characters({
        maxLength: 10_000,
        description: "Outcome, as the user is told",
        examples: ["All is well"],
      }),
    ),
  },
  { title: "AuditReportChange" },
);
export type ReportChange = (typeof ReportChange)["static"];

// --- Internal ---------------------------------------------------------------------------------------------

const field = (maxLength: number, description: string, example: string) =>
  optional(characters({ maxLength, description, examples: [example] }));

export const InternalEvent = t.Object(
  {
    user_id: nullable(
      characters({
        minLength: 1,
        maxLength: MAX_EXTERNAL_ID,
        description: "Whom it concerns: an existing user, unless another service than `api` writes the event",
        examples: [EXAMPLE_UUID],
      }),
    ),
    event_type: t.String({
      pattern: "^[a-z0-9_]{1,64}$",
      maxLength: 64,
      "x-expected": "must be 1 to 64 lower-case letters, digits or underscores",
      description: "What happened",
      examples: ["consent_granted"],
    }),
    resource_type: characters({
      minLength: 1,
      maxLength: 64,
      description: "What it is about",
      examples: ["client"],
    }),
    status: oneOf(STATUSES, "Whether it succeeded"),
    source_service: oneOf(SOURCES, "Service that writes it"),
    metadata: jsonObjectOrNull({
      description: "Details: at most 16 KiB of JSON",
      examples: [{ scope: "profile" }],
    }),
    actor_id: optional(uuid("Who did it, when that is somebody else: an existing user")),
    resource_id: field(128, "Identifier of that resource", "0192f3a1-5c00-7d1e-9a55-3f1f6c1f0a02"),
    description: field(10_000, "Description in words", "Granted access to the crew app"),
    ip_address: field(45, "IP address from which it was done", "203.0.113.7"),
    user_agent: field(512, "User agent of the client", "Mozilla/5.0 …"),
    error_message: field(1_000, "Why it failed", "denied by the user"),
  },
  { title: "NewAuditEvent" },
);
export type InternalEvent = (typeof InternalEvent)["static"];

/** An event that a service may write over the socket: there it may be about no resource. */
export const SocketEvent = t.Object({
  ...InternalEvent.properties,
  resource_type: optional(InternalEvent.properties.resource_type),
});
export type SocketEvent = (typeof SocketEvent)["static"];

const externalId = (description: string) =>
  characters({
    minLength: 1,
    maxLength: MAX_EXTERNAL_ID,
    description,
    examples: ["80351110224678912"],
  });

/** An action of a community bot on a member of a guild; identifiers are those of the community platform. */
export const ModerationAction = t.Object({
  guild_id: externalId("The guild"),
  user_id: externalId("Whom it was done to"),
  moderator_id: externalId("Who did it"),
  action: oneOf(MODERATION_ACTIONS, "What was done"),
  reason: field(1_000, "Why", "Repeated spam"),
  duration_seconds: optional(
    t.Integer({ minimum: 0, maximum: MAX_DURATION_SECONDS, description: "For how long", examples: [600] }),
  ),
});
export type ModerationAction = (typeof ModerationAction)["static"];
