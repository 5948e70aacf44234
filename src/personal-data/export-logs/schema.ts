import { locale } from "../../identity/users/schema";
import { nullable, out, queryInteger, record, t } from "../../kernel/http/schema";

const ExportLog = record(
  "ExportLog",
  {
    id: out.uuid("Identifier"),
    exportedAt: out.time("When the data was exported"),
    ipAddress: nullable(out.string("Address that asked for it", "203.0.113.7")),
    userAgent: nullable(out.string("User agent as the client sent it", "Mozilla/5.0 …")),
    exportFormat: out.string("Form of the archive", "zip"),
    fileSizeBytes: out.integer("Size of the archive in bytes", 48_231),
    locale: locale("Language of the report"),
    createdAt: out.time("When this entry was written"),
  },
  "One export of personal data",
);

export type ExportLog = (typeof ExportLog)["static"];

export const ExportLogs = record(
  "ExportLogs",
  {
    logs: t.Array(ExportLog, { description: "The exports" }),
    total: out.integer("Exports in all", 3),
    hasMore: out.boolean("Whether there are more after these", false),
  },
  "The exports that a user made, newest first",
);

export const DEFAULT_LOGS = 50;

export const MAX_LOGS = 100;

/** A `limit` out of range is clamped at both ends, not refused as elsewhere (rule H4). */
export const LogsQuery = t.Object({
  limit: t.Optional(
    queryInteger({
      default: DEFAULT_LOGS,
      description: `Entries in the answer; less than 1 is raised to 1, more than ${MAX_LOGS} lowered to ${MAX_LOGS}`,
      examples: [DEFAULT_LOGS],
    }),
  ),
  offset: t.Optional(queryInteger({ minimum: 0, default: 0, description: "Entries to skip", examples: [0] })),
});
