import { eq } from "drizzle-orm";
import { type Actor, transactAs } from "../../identity/access/actor";
import type { Caller } from "../../identity/access/caller";
import type { VisibleDevices } from "../../identity/access/visible-devices";
import { db } from "../../kernel/db/connection";
import { conflict, invalid, notFound } from "../../kernel/errors/errors";
import type { PageOf, PageRequest } from "../../kernel/http/paging";
import { semaphore } from "../../kernel/limits/semaphore";
import { now, SECOND } from "../../kernel/time/clock";
import { canonicalJson, NotCanonical } from "../../kernel/values/canonical-json";
import { systemValue } from "../../runtime-settings/service";
import { requireOwn } from "../../sync/owner/owner";
import { isTripShown } from "../shares/trips";
import { trips } from "../trips/table";
import { type Checked, checkNext, NOTHING_CHECKED } from "./chain";
import type { LogEntry, NewLogEntry, Strike, Verification } from "./schema";
import { append, countEntries, entriesInTurns, findEntry, readEntries, strikesOf } from "./stored";

/** The log of a trip: entries are added and struck out, and never changed. */

/** The trip of a log that a caller sees. Throws 404. */
export function loggedTrip(tripId: string, visible: VisibleDevices = "all"): typeof trips.$inferSelect {
  const trip = db.select().from(trips).where(eq(trips.id, tripId)).get();
  if (!trip || !isTripShown(tripId, visible)) throw notFound("Trip");
  return trip;
}

/** A page of a log, oldest first, and which of its entries are struck out. Throws 404. */
export function listEntries(
  tripId: string,
  asked: PageRequest,
  visible: VisibleDevices,
): PageOf<LogEntry> & { strikes: Strike[] } {
  loggedTrip(tripId, visible);
  const skip = Math.min((asked.page - 1) * asked.limit, Number.MAX_SAFE_INTEGER);
  const rows = readEntries(tripId, skip, asked.limit);
  return { rows, total: countEntries(tripId), strikes: strikesOf(rows.map(({ id }) => id)) };
}

/** An entry of a log. Throws 404. */
export function getEntry(tripId: string, id: string, visible: VisibleDevices = "all"): LogEntry {
  loggedTrip(tripId, visible);
  const entry = findEntry(tripId, id);
  if (!entry) throw notFound("Log entry");
  return entry;
}

/** The author of an entry, by identifiers alone: a name would outlive its account. */
const authorOf = (caller: Caller) => ({
  user_id: caller.userId,
  api_key_id: caller.kind === "key" ? caller.id : null,
});

/** Adds an entry. Throws 400, 404, and 409 for the trip of a box. */
export function writeEntry(actor: Actor, tripId: string, input: NewLogEntry): Promise<LogEntry> {
  const { kind = "note", text = null, data = null } = input;
  if ((text ?? "").trim() === "" && data === null)
    throw invalid("/text", "is required where there is no data");
  checkData(data);
  return transactAs(actor, () => {
    requireOwn(loggedTrip(tripId));
    const occurred_at = timeOf(input.occurred_at ?? null);
    return append({ trip_id: tripId, kind, occurred_at, text, data, ...authorOf(actor.caller) });
  });
}

function timeOf(occurredAt: string | null): number {
  if (occurredAt === null) return now();
  const time = Date.parse(occurredAt);
  const ahead = systemValue("ingest.max_future_seconds");
  if (time > now() + ahead * SECOND)
    throw invalid("/occurred_at", `is more than ${ahead} seconds in the future`);
  return time;
}

const MAX_DATA_BYTES = 16_384;
const MAX_DATA_LEVELS = 16;

function checkData(data: LogEntry["data"]): void {
  if (data === null) return;
  try {
    if (Buffer.byteLength(canonicalJson(data, MAX_DATA_LEVELS)) <= MAX_DATA_BYTES) return;
  } catch (error) {
    if (error instanceof NotCanonical) throw invalid("/data", error.message);
    throw error;
  }
  throw invalid("/data", "must be at most 16 KiB of JSON");
}

/**
 * Strikes an entry out, by another entry that says why. Throws 400, 404, and 409 for one that is struck out already or is
 * a strike itself, and for the trip of a box.
 */
export function strikeEntry(actor: Actor, tripId: string, id: string, reason: string): Promise<LogEntry> {
  return transactAs(actor, () => {
    requireOwn(loggedTrip(tripId));
    const { kind } = getEntry(tripId, id);
    if (kind === "strike") throw conflict("A strike can't be struck out: write another entry");
    if (strikesOf([id]).length > 0) throw conflict("This entry is struck out already");
    return append({
      ...{ trip_id: tripId, kind: "strike", occurred_at: now(), text: reason, data: null, strikes_id: id },
      ...authorOf(actor.caller),
    });
  });
}

/** Logs that are checked at once; further ones wait in turn. */
const checks = semaphore({ atOnce: 1 });

/** Checks the chain of a log, in turns. Throws 404. */
export function verifyLog({ caller }: Actor, tripId: string, visible: VisibleDevices): Promise<Verification> {
  loggedTrip(tripId, visible);
  return checks.run(caller.id, async () => {
    let checked: Checked = NOTHING_CHECKED;
    for await (const part of entriesInTurns(tripId, Number.MAX_SAFE_INTEGER))
      checked = part.reduce(checkNext, checked);
    const { entries, head, firstBreak } = checked;
    return { is_intact: firstBreak === null, entries, head, first_break: firstBreak };
  });
}
