import { Elysia } from "elysia";
import type { Actor } from "../../identity/access/actor";
import { guard } from "../../identity/access/guard";
import type { VisibleDevices } from "../../identity/access/visible-devices";
import { localeOf } from "../../kernel/http/accept";
import { errors, Single } from "../../kernel/http/answers";
import { letWait } from "../../kernel/http/client";
import { page, pageRequest, single } from "../../kernel/http/envelopes";
import { IdParams, query } from "../../kernel/http/schema";
import { headOfStreamed } from "../../kernel/http/streamed";
import { countUnsent, SHARED } from "../../kernel/http/unsent";
import type { Locale } from "../../kernel/values/bilingual";
import { bodyOf, csvFile, fileName, jsonFile } from "./files";
import { printLog } from "./printed";
import {
  DEFAULT_LIMIT,
  EntryParams,
  type FORMATS,
  LogEntry,
  LogPageOrFile,
  LogQuery,
  NewLogEntry,
  NewStrike,
  Verification,
} from "./schema";
import { getEntry, listEntries, loggedTrip, strikeEntry, verifyLog, writeEntry } from "./service";

/** The log as a file, or its headers alone. */
async function logFile(
  { caller, client }: Actor,
  tripId: string,
  { format, locale }: { format: (typeof FORMATS)[number]; locale?: Locale },
  request: Request,
  visible: VisibleDevices,
): Promise<Response> {
  const trip = loggedTrip(tripId, visible);
  const headers = {
    "content-type": TYPES[format],
    "content-disposition": `attachment; filename="${fileName(trip.name, format)}"`,
  };
  if (request.method === "HEAD") return headOfStreamed(headers);
  countUnsent(request, SHARED);
  if (format !== "pdf")
    return new Response(bodyOf(format === "csv" ? csvFile(tripId) : jsonFile(tripId)), { headers });
  const language = localeOf(locale, client.acceptLanguage);
  const sheet = await letWait(request, () => printLog(caller, trip, language));
  return new Response(sheet, { headers });
}

const TYPES = {
  pdf: "application/pdf",
  csv: "text/csv; charset=utf-8; header=present",
  json: "application/json;charset=utf-8",
};

const logOf = (tripId: string): string => `/v1/trips/${tripId}/log`;

export const logRoutes = new Elysia({ prefix: "/v1/trips/:id/log", tags: ["Trips"] })
  .use(guard)
  .get(
    "",
    ({ actor, params, query, request, visible }) => {
      if (query.format !== undefined)
        return logFile(actor, params.id, { ...query, format: query.format }, request, visible);
      const asked = pageRequest(query, DEFAULT_LIMIT);
      const { strikes, ...found } = listEntries(params.id, asked, visible);
      return { ...page(logOf(params.id), asked, found, request), strikes };
    },
    {
      access: { requires: "trips:read", orShare: "history" },
      params: IdParams,
      ...query(LogQuery),
      response: { 200: LogPageOrFile, ...errors(404, 409, 503) },
      detail: {
        operationId: "getLogOfTrip",
        summary: "Get the log of a trip",
        description:
          "The entries, oldest first, exactly as they were hashed; `strikes` tells which of the page are struck out. With `format` the whole log as a file: `json` (`LogFile`), `csv`, or `pdf`, a sheet with the track to print and sign, in English or German; 409 where a log is too long for a sheet. On the sheet, names of authors are for callers who may read users.",
      },
    },
  )
  .get("/verify", ({ actor, params, visible }) => verifyLog(actor, params.id, visible), {
    access: { requires: "trips:read", orShare: "history" },
    params: IdParams,
    response: { 200: Verification, ...errors(404) },
    detail: {
      operationId: "verifyLogOfTrip",
      summary: "Verify the log of a trip",
      description:
        "Computes the hash of each entry anew. Entries that were cut off at the end leave no trace in the chain: compare `head` with that of an earlier export.",
    },
  })
  .get(
    "/:entry_id",
    ({ params, visible }) =>
      single(getEntry(params.id, params.entry_id, visible), `${logOf(params.id)}/${params.entry_id}`),
    {
      access: { requires: "trips:read", orShare: "history" },
      params: EntryParams,
      response: { 200: Single(LogEntry), ...errors(404) },
      detail: {
        operationId: "getLogEntry",
        summary: "Get an entry of a log",
        description: "One entry, exactly as it was hashed.",
      },
    },
  )
  .post(
    "",
    async ({ actor, params, body, set }) => {
      const entry = await writeEntry(actor, params.id, body);
      set.status = 201;
      return single(entry, `${logOf(params.id)}/${entry.id}`);
    },
    {
      access: "trips:write",
      params: IdParams,
      body: NewLogEntry,
      response: { 201: Single(LogEntry), ...errors(404, 409) },
      detail: {
        operationId: "writeLogEntry",
        summary: "Write an entry into a log",
        description:
          "Adds an entry to the log of a trip in any status. It can't be changed or deleted afterwards, only struck out. 409 `OwnedByBox` for a trip that belongs to a box.",
      },
    },
  )
  .post(
    "/:entry_id/strike",
    async ({ actor, params, body, set }) => {
      const entry = await strikeEntry(actor, params.id, params.entry_id, body.reason);
      set.status = 201;
      return single(entry, `${logOf(params.id)}/${entry.id}`);
    },
    {
      access: "trips:write",
      params: EntryParams,
      body: NewStrike,
      response: { 201: Single(LogEntry), ...errors(404, 409) },
      detail: {
        operationId: "strikeLogEntry",
        summary: "Strike an entry out",
        description:
          "Adds an entry of the kind `strike` with the reason. The struck one stays readable. 409 for one that is struck out already, and for a strike; `OwnedByBox` for a trip that belongs to a box.",
      },
    },
  );
