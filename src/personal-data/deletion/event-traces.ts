import { IS_FOREIGN } from "../../identity/audit/event-types";
import { MODERATION_ACTIONS, RESOURCE_TYPES } from "../../identity/audit/words";
import { sqlite, statement } from "../../kernel/db/connection";
import { transact } from "../../kernel/db/transactions";
import type { FormerId } from "./table";

/**
 * Taking a scrubbed account out of the audit log, in steps that let requests in between. Raw SQL: an account
 * may have millions of events, found by the row values of an index and reduced by what their JSON holds.
 */

/** Reasons for a deletion that the audit log may keep: fixed words, none written by a person. */
export const KEPT_REASONS = {
  schedule: "scheduled deletion",
  administrator: "The account was deleted by an administrator",
} as const;

/** Later than any event. */
const ALWAYS = Number.MAX_SAFE_INTEGER;

/**
 * Erases a user's traces from the audit log: from the events about the user and by the user, from those that
 * bots wrote about the accounts elsewhere, under each identifier up to its time, and from others whose
 * resource is the user or such an account.
 */
export async function eraseEventsOf(userId: string, externalIds: (string | FormerId)[]): Promise<void> {
  const ids = externalIds.map((id) => (typeof id === "string" ? { id, until: ALWAYS } : id));
  await eraseEvents(userId, eventsAbout(userId));
  await eraseEvents(userId, eventsBy(userId));
  for (const { id, until } of ids) await eraseEvents(id, eventsOfBots(id, until));
  if (ids.length > 0) await eraseModerations(ids);
  await eraseMentions(userId, ids);
}

/** Audit events checked in one transaction, which takes some milliseconds. */
const EVENTS_AT_ONCE = 500;

interface Place {
  at: number;
  rowid: number;
}

/** Finds the next events after a place, using an index only. */
type NextEvents = (after: Place) => Place[];

const about = (condition: string) =>
  statement(() =>
    sqlite.prepare<Place, [string, number, number, number]>(
      `SELECT created_at AS at, rowid FROM audit_events
       WHERE user_id = ? AND (created_at, rowid) > (?, ?) ${condition} ORDER BY created_at, rowid LIMIT ?`,
    ),
  );
const selectAbout = about("");
const selectOfBots = about("AND source_service IN ('community_bot', 'stream_bot')");
const selectBy = statement(() =>
  sqlite.prepare<Place, [string, number, number]>(
    "SELECT 0 AS at, rowid FROM audit_events WHERE actor_id = ? AND rowid > ? ORDER BY rowid LIMIT ?",
  ),
);

const eventsAbout =
  (id: string): NextEvents =>
  ({ at, rowid }) =>
    selectAbout().all(id, at, rowid, EVENTS_AT_ONCE);
const eventsOfBots =
  (id: string, until: number): NextEvents =>
  ({ at, rowid }) =>
    selectOfBots()
      .all(id, at, rowid, EVENTS_AT_ONCE)
      .filter((event) => event.at <= until);
const eventsBy =
  (id: string): NextEvents =>
  ({ rowid }) =>
    selectBy().all(id, rowid, EVENTS_AT_ONCE);

interface Moderation extends Place {
  /** The member and the moderator, as the platform calls them. */
  member: string | null;
  moderator: string | null;
}

const selectModerations = statement(() =>
  sqlite.prepare<Moderation, [number, number, number]>(
    `SELECT created_at AS at, rowid, resource_id AS member, json_extract(metadata, '$.moderator_id') AS moderator
     FROM audit_events WHERE event_type = 'moderation_action' AND (created_at, rowid) > (?, ?)
     ORDER BY created_at, rowid LIMIT ?`,
  ),
);

const words = (list: readonly string[]) => list.map((word) => `'${word}'`).join();

/** Our identifiers are UUIDs; any other `resource_id` from a service may be a name. */
const IS_UUID = "resource_id GLOB '????????-????-????-????-????????????'";

/**
 * Reduces an event to its type, time and identifiers: place, agent and free text go, as does all metadata
 * from a service except for a moderator's action. So does the salt: by the hash in the log's chain, what was there can't be
 * guessed any more.
 */
const erase = statement(() =>
  sqlite.prepare<unknown, [number, string]>(
    `UPDATE audit_events
     SET salt = NULL, ip_address = NULL, user_agent = NULL,
       country_code = NULL, country_name = NULL, city = NULL, region = NULL,
       description = NULL,
       error_message = iif(${IS_FOREIGN}, NULL, error_message),
       resource_id = iif(${IS_FOREIGN} AND (user_id = ?2 OR resource_id = ?2) AND NOT ${IS_UUID}, NULL, resource_id),
       metadata = CASE
         WHEN ${IS_FOREIGN} THEN
           iif(event_type = 'moderation_action' AND json_extract(metadata, '$.action') IN (${words(MODERATION_ACTIONS)}),
             json_object('action', json_extract(metadata, '$.action')), NULL)
         WHEN event_type = 'user_deleted' AND json_extract(metadata, '$.reason') NOT IN (${words(Object.values(KEPT_REASONS))}) THEN
           json_remove(metadata, '$.reason')
         WHEN user_id = ?2 AND resource_type IN ('api_key', 'oauth_client') THEN json_remove(metadata, '$.name')
         ELSE metadata END
     WHERE rowid = ?1
       AND (ip_address IS NOT NULL OR user_agent IS NOT NULL OR description IS NOT NULL OR ${IS_FOREIGN}
         OR event_type = 'user_deleted' OR json_extract(metadata, '$.name') IS NOT NULL)`,
  ),
);

/**
 * Blanks a resource type in a service's own words. The counts of events follow a change of `is_reported`
 * alone, so that it is turned over here, and back by the second statement.
 */
const eraseType = statement(() =>
  sqlite.prepare<unknown, [number]>(
    `UPDATE audit_events SET salt = NULL, resource_type = NULL, is_reported = 1 - is_reported
     WHERE rowid = ? AND ${IS_FOREIGN} AND resource_type NOT IN (${words(RESOURCE_TYPES)})`,
  ),
);
const turnBack = statement(() =>
  sqlite.prepare<unknown, [number]>("UPDATE audit_events SET is_reported = 1 - is_reported WHERE rowid = ?"),
);

function eraseEvent(rowid: number, subject: string): void {
  erase().run(rowid, subject);
  if (eraseType().run(rowid).changes > 0) turnBack().run(rowid);
}

/** Erases the events that `next` finds. More goes from those about `subject`, the account's `user_id`. */
async function eraseEvents(subject: string, next: NextEvents): Promise<void> {
  for (let after: Place | undefined = { at: 0, rowid: 0 }; after; ) {
    const from: Place = after;
    after = await transact(() => {
      const events = next(from);
      for (const { rowid } of events) eraseEvent(rowid, subject);
      return events.length === EVENTS_AT_ONCE ? events.at(-1) : undefined;
    });
  }
}

/** Tells if an account elsewhere was a user's at a time. */
const belonging = (ids: FormerId[]) => {
  const untilOf = new Map(ids.map(({ id, until }) => [id, until]));
  return (id: string | null, at: number) => id !== null && at <= (untilOf.get(id) ?? -1);
};

/**
 * Erases what bots told of moderation before the account elsewhere was linked: such an event names no user of
 * ours. No index leads there, so all events of moderation are gone through.
 */
async function eraseModerations(ids: FormerId[]): Promise<void> {
  const isOurs = belonging(ids);
  for (let after: Place | undefined = { at: 0, rowid: 0 }; after; ) {
    const from: Place = after;
    after = await transact(() => {
      const events = selectModerations().all(from.at, from.rowid, EVENTS_AT_ONCE);
      for (const { at, rowid, member, moderator } of events)
        if (isOurs(member, at)) eraseEvent(rowid, member ?? "");
        else if (isOurs(moderator, at)) eraseEvent(rowid, moderator ?? "");
      return events.length === EVENTS_AT_ONCE ? events.at(-1) : undefined;
    });
  }
}

interface Mention extends Place {
  resource: string;
  isByBot: number;
}

const rowsOfLog = statement(() =>
  sqlite.prepare<{ first: number; last: number }, []>(
    `SELECT (SELECT coalesce(min(rowid), 1) FROM audit_events) AS first,
            (SELECT coalesce(max(rowid), 0) FROM audit_events) AS last`,
  ),
);
const selectMentions = statement(() =>
  sqlite.prepare<Mention, [number, number, string]>(
    `SELECT created_at AS at, rowid, resource_id AS resource,
       source_service IN ('community_bot', 'stream_bot') AS isByBot
     FROM audit_events
     WHERE rowid >= ? AND rowid < ? AND resource_id IN (SELECT value FROM json_each(?)) AND ${IS_FOREIGN}`,
  ),
);

/** Audit events looked at in one transaction, of which few are changed: some milliseconds. */
const ROWS_AT_ONCE = 5_000;

/**
 * Erases what services wrote about a user, or bots about the accounts elsewhere, in events that concern
 * somebody else or nobody. No index leads there, so the whole log is gone through.
 */
async function eraseMentions(userId: string, ids: FormerId[]): Promise<void> {
  const isOurs = belonging(ids);
  const named = JSON.stringify([userId, ...ids.map(({ id }) => id)]);
  const { first, last } = rowsOfLog().get() ?? { first: 1, last: 0 };
  for (let from = first; from <= last; from += ROWS_AT_ONCE)
    await transact(() => {
      for (const { rowid, at, resource, isByBot } of selectMentions().all(from, from + ROWS_AT_ONCE, named))
        if (resource === userId || (isByBot && isOurs(resource, at))) eraseEvent(rowid, resource);
    });
}
