import { Elysia } from "elysia";
import { guard } from "../../identity/access/guard";
import { errors, Single } from "../../kernel/http/answers";
import { page, pageRequest, single } from "../../kernel/http/envelopes";
import { IdParams, query } from "../../kernel/http/schema";
import {
  DEFAULT_LIMIT,
  EntryParams,
  LogEntry,
  LogPage,
  LogQuery,
  NewLogEntry,
  NewStrike,
  Verification,
} from "./schema";
import { getEntry, listEntries, strikeEntry, verifyLog, writeEntry } from "./service";

const logOf = (tripId: string): string => `/v1/trips/${tripId}/log`;

export const logRoutes = new Elysia({ prefix: "/v1/trips/:id/log", tags: ["Trips"] })
  .use(guard)
  .get(
    "",
    ({ params, query, request }) => {
      const asked = pageRequest(query, DEFAULT_LIMIT);
      const { strikes, ...found } = listEntries(params.id, asked);
      return { ...page(logOf(params.id), asked, found, request), strikes };
    },
    {
      access: "trips:read",
      params: IdParams,
      ...query(LogQuery),
      response: { 200: LogPage, ...errors(404) },
      detail: {
        operationId: "getLogOfTrip",
        summary: "Get the log of a trip",
        description:
          "The entries, oldest first, exactly as they were hashed; `strikes` tells which of the page are struck out.",
      },
    },
  )
  .get("/verify", ({ actor, params }) => verifyLog(actor, params.id), {
    access: "trips:read",
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
    ({ params }) => single(getEntry(params.id, params.entry_id), `${logOf(params.id)}/${params.entry_id}`),
    {
      access: "trips:read",
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
      response: { 201: Single(LogEntry), ...errors(404) },
      detail: {
        operationId: "writeLogEntry",
        summary: "Write an entry into a log",
        description:
          "Adds an entry to the log of a trip in any status. It can't be changed or deleted afterwards, only struck out.",
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
          "Adds an entry of the kind `strike` with the reason. The struck one stays readable. 409 for one that is struck out already, and for a strike.",
      },
    },
  );
