import { badRequest, invalid } from "../../kernel/errors/errors";
import { giveSeconds } from "../../kernel/http/client";
import { headOfStreamed, streamed } from "../../kernel/http/streamed";
import { now, spanOf } from "../../kernel/time/clock";
import { requireStillAdmitted } from "../access/actor";
import { type Caller, isUnchanged } from "../access/caller";
import { exportChain } from "./export";
import type { AuditVerification, ExportQuery } from "./schema";
import { headNow, verifyChain } from "./verify";

/** The audit log's proof, as the API gives it. */

/** Events that one request verifies: about a second of work, in steps. */
const EVENTS_OF_REQUEST = 100_000;
/** A busy server takes longer. */
const PATIENCE = 120;

/** Verifies the chain from a place on, as far as one request goes. Throws 400 for a place that there is not. */
export async function verifyAuditLog(after: number, request: Request): Promise<AuditVerification> {
  // Anew with each step: a broken log may be verified from its first event on.
  const giveTime = () => giveSeconds(request, PATIENCE);
  giveTime();
  const verdict = await verifyChain(after, EVENTS_OF_REQUEST, giveTime);
  if (!verdict)
    throw badRequest("There is no event at that place (any more); begin at the first one, without `after`");
  const { entries, scrubbed, aged_out, last, first_break, isAtEnd } = verdict;
  return {
    is_intact: first_break === null,
    ...{ entries, scrubbed, aged_out, first_break },
    head: headNow(),
    next_after: isAtEnd || first_break ? null : last.number,
  };
}

export const NDJSON = "application/x-ndjson";

/** Streams the events of a span of time with what proves them. Throws 400, and 503 where too many files are sent already. */
export function exportAuditLog(caller: Caller, { from, to }: ExportQuery, request: Request): Response {
  const begin = from === undefined ? 0 : spanOf(from)[0];
  const end = to === undefined ? now() : spanOf(to)[1];
  if (end < begin)
    throw to === undefined
      ? invalid("/from", "must not be in the future")
      : invalid("/to", "must not be before from");
  const headers = {
    "content-type": NDJSON,
    "content-disposition": `attachment; filename="audit-log-${new Date(end).toISOString().slice(0, 10)}.ndjson"`,
    "cache-control": "no-store",
  };
  if (request.method === "HEAD") return headOfStreamed(headers);
  const check = () => {
    if (!isUnchanged(caller)) requireStillAdmitted(caller);
  };
  return streamed(request, caller.id, exportChain(begin, end, check), headers);
}
