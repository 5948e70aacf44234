import { asc, count, desc, eq, inArray, lte, type SQL } from "drizzle-orm";
import { type Actor, transactAs } from "../../identity/access/actor";
import type { Caller } from "../../identity/access/caller";
import { makerOf } from "../../identity/access/maker";
import type { Permission } from "../../identity/access/permissions";
import { recordAudit } from "../../identity/audit/service";
import { mintToken } from "../../kernel/crypto/crypto";
import { newId } from "../../kernel/crypto/id";
import { db } from "../../kernel/db/connection";
import { publish } from "../../kernel/db/events";
import { transact } from "../../kernel/db/transactions";
import { conflict, forbidden, invalid, notFound } from "../../kernel/errors/errors";
import { type PageOf, type PageRequest, readPage } from "../../kernel/http/paging";
import { reachableUrl } from "../../kernel/http/reachable-url";
import { DAY, iso, isoOrNull, now } from "../../kernel/time/clock";
import { devices } from "../devices/table";
import { geofences } from "../geofences/table";
import { trips } from "../trips/table";
import { openingsOf } from "./openings";
import type { CreatedShareLink, NewShareLink, ShareLink } from "./schema";
import { deviceIdsOf, isSilent, neededFor, type Row, zoneIdsOf } from "./standing";
import { shareLinkDevices, shareLinks, shareLinkZones } from "./table";

/** Links that show devices or a trip to whoever has them. What they show is in tracking/shared. */

declare module "../../kernel/db/events" {
  interface EventMap {
    /** Links have ended. */
    "share-links.ended": { ids: string[] };
  }
}

/** Most links of an installation. */
const MAX_LINKS = 1_000;

/** Longest life of a link: a leap year. */
const LONGEST_LIFE = 366 * DAY;

// --- Reading ----------------------------------------------------------------------------------------------

function toLink(row: Row): ShareLink {
  const { openedCount, lastOpenedAt } = openingsOf(row);
  return {
    id: row.id,
    label: row.label,
    level: row.level,
    device_ids: deviceIdsOf(row.id),
    trip_id: row.trip_id,
    from: isoOrNull(row.from_time),
    to: isoOrNull(row.to_time),
    expires_at: iso(row.expires_at),
    delay_seconds: row.delay_seconds,
    precision_m: row.precision_m,
    hide_zone_ids: zoneIdsOf(row.id),
    made_by: row.made_by,
    is_silent: isSilent(row),
    opened_count: openedCount,
    last_opened_at: isoOrNull(lastOpenedAt),
    created_at: iso(row.created_at),
  };
}

const countOf = (): number => db.select({ n: count() }).from(shareLinks).get()?.n ?? 0;

/** A page of links, newest first. */
export const listLinks = (request: PageRequest): PageOf<ShareLink> =>
  readPage(request, countOf(), (fromEnd, offset, limit) =>
    db
      .select()
      .from(shareLinks)
      .orderBy(fromEnd ? asc(shareLinks.id) : desc(shareLinks.id))
      .limit(limit)
      .offset(offset)
      .all()
      .map(toLink),
  );

/** A link. Throws 404. */
export function getLink(id: string): ShareLink {
  const row = db.select().from(shareLinks).where(eq(shareLinks.id, id)).get();
  if (!row) throw notFound("Link");
  return toLink(row);
}

/** The links that a user has made, newest first. */
export const linksMadeBy = (userId: string): ShareLink[] =>
  db
    .select()
    .from(shareLinks)
    .where(eq(shareLinks.made_by, userId))
    .orderBy(desc(shareLinks.id))
    .all()
    .map(toLink);

// --- Making -----------------------------------------------------------------------------------------------

/**
 * Makes a link, whose token appears in the answer and nowhere else. Throws 400, 403 for a caller who may not see all that it
 * shows, and 409 where there are too many or no address is known that leads others here.
 */
export async function createLink(actor: Actor, input: NewShareLink): Promise<CreatedShareLink> {
  const deviceIds = distinct(input.device_ids, "/device_ids");
  const zoneIds = distinct(input.hide_zone_ids, "/hide_zone_ids");
  const tripId = input.trip_id ?? null;
  if (deviceIds.length > 0 === (tripId !== null))
    throw invalid("/device_ids", "either these or a trip_id must be given");
  const times = timesOf(input, tripId !== null);
  requireHeld(actor.caller, neededFor(input.level, tripId !== null));
  const base = reachableUrl(input.base_url);
  const { token, hash } = mintToken("");
  const id = newId();
  const row = await transactAs(actor, () => {
    requireThere(deviceIds, tripId, zoneIds);
    if (countOf() >= MAX_LINKS) throw conflict(`There can be at most ${MAX_LINKS} links; delete one first`);
    const { user_id, api_key_id } = makerOf(actor.caller);
    const made = db
      .insert(shareLinks)
      .values({
        ...{
          id,
          token_hash: hash,
          label: input.label ?? null,
          level: input.level,
          trip_id: tripId,
          ...times,
        },
        ...{ delay_seconds: input.delay_seconds ?? 0, precision_m: input.precision_m ?? null },
        ...{ made_by: user_id, made_by_key: api_key_id, created_at: now() },
      })
      .returning()
      .get();
    for (const device_id of deviceIds) db.insert(shareLinkDevices).values({ link_id: id, device_id }).run();
    for (const geofence_id of zoneIds) db.insert(shareLinkZones).values({ link_id: id, geofence_id }).run();
    audit("share_link_created", made, {
      ...{ level: made.level, device_ids: deviceIds, trip_id: tripId },
      expires_at: iso(made.expires_at),
    });
    return made;
  });
  return { ...toLink(row), url: `${base}/s/#${token}` };
}

/** Identifiers in lower case. Throws 400 for one that is there twice. */
function distinct(ids: string[] | undefined, path: string): string[] {
  const canonical = (ids ?? []).map((id) => id.toLowerCase());
  const at = canonical.findIndex((id, index) => canonical.indexOf(id) !== index);
  if (at !== -1) throw invalid(`${path}/${at}`, "is there twice");
  return canonical;
}

/** The times of a link in epoch milliseconds. Throws 400. */
function timesOf(
  { level, from, to, expires_at }: NewShareLink,
  isTrip: boolean,
): Pick<Row, "from_time" | "to_time" | "expires_at"> {
  const end = Date.parse(expires_at);
  if (end <= now()) throw invalid("/expires_at", "must be in the future");
  if (end > now() + LONGEST_LIFE) throw invalid("/expires_at", "must be at most a year ahead");
  if (level === "live" && from) throw invalid("/from", "is for the level history");
  if (level === "live" && to) throw invalid("/to", "is for the level history");
  if (level === "history" && !isTrip && !from) throw invalid("/from", "is required for a history of devices");
  const [from_time, to_time] = [from ? Date.parse(from) : null, to ? Date.parse(to) : null];
  if (from_time !== null && to_time !== null && to_time < from_time)
    throw invalid("/to", "must not be before from");
  return { from_time, to_time, expires_at: end };
}

function requireHeld(caller: Caller, needed: readonly Permission[]): void {
  const missing = needed.filter((each) => !caller.isSuperAdmin && !caller.permissions.has(each));
  if (missing.length > 0)
    throw forbidden(`Nobody shows more than they see: this link needs ${missing.join(", ")} too`);
}

function requireThere(deviceIds: string[], tripId: string | null, zoneIds: string[]): void {
  const missing = (ids: string[], found: { id: string }[]) => {
    const there = new Set(found.map(({ id }) => id));
    return ids.findIndex((id) => !there.has(id));
  };
  const device = missing(
    deviceIds,
    db.select({ id: devices.id }).from(devices).where(inArray(devices.id, deviceIds)).all(),
  );
  if (device !== -1) throw invalid(`/device_ids/${device}`, "names no device");
  if (tripId !== null && !db.select({ id: trips.id }).from(trips).where(eq(trips.id, tripId)).get())
    throw invalid("/trip_id", "names no trip");
  const zone = missing(
    zoneIds,
    db.select({ id: geofences.id }).from(geofences).where(inArray(geofences.id, zoneIds)).all(),
  );
  if (zone !== -1) throw invalid(`/hide_zone_ids/${zone}`, "names no zone");
}

// --- Ending -----------------------------------------------------------------------------------------------

/** Ends a link: its token is refused at once, and its sockets are closed. Throws 404. */
export function deleteLink(actor: Actor, id: string): Promise<void> {
  return transactAs(actor, () => {
    if (end(eq(shareLinks.id, id), null).length === 0) throw notFound("Link");
  });
}

/** Its event doesn't tell whence: that would be an address of a person whose account is gone. */
const ACCOUNT_DELETED = "account deleted";

/** Ends links in the current transaction; returns them. */
function end(which: SQL, reason: string | null): Row[] {
  const ended = db.delete(shareLinks).where(which).returning().all();
  for (const row of ended) audit("share_link_ended", row, reason === null ? {} : { reason });
  if (ended.length > 0) publish("share-links.ended", { ids: ended.map(({ id }) => id) });
  return ended;
}

/** Takes a device that is about to be deleted out of all links, and ends those that show no other one. */
export function endLinksOfDevice(deviceId: string): void {
  const shownBy = db
    .delete(shareLinkDevices)
    .where(eq(shareLinkDevices.device_id, deviceId))
    .returning({ id: shareLinkDevices.link_id })
    .all();
  const empty = shownBy.filter(({ id }) => deviceIdsOf(id).length === 0).map(({ id }) => id);
  end(inArray(shareLinks.id, empty), "device deleted");
}

/** Ends the links to a trip that is about to be deleted. */
export const endLinksOfTrip = (tripId: string): void => {
  end(eq(shareLinks.trip_id, tripId), "trip deleted");
};

/** Ends the links that hide a zone which is about to be deleted: they would show what lies in it. */
export function endLinksHiding(zoneId: string): void {
  const hiding = db
    .select({ id: shareLinkZones.link_id })
    .from(shareLinkZones)
    .where(eq(shareLinkZones.geofence_id, zoneId));
  end(inArray(shareLinks.id, hiding), "hidden zone deleted");
}

/** Ends the links that a user has made, in the current transaction, as its account is deleted. */
export const endLinksMadeBy = (userId: string): void => {
  end(eq(shareLinks.made_by, userId), ACCOUNT_DELETED);
};

/** Links that end in one transaction. */
const AT_ONCE = 100;

/** The job: ends the links whose time has come. */
export async function endExpiredLinks(): Promise<void> {
  const expired = () =>
    db.select({ id: shareLinks.id }).from(shareLinks).where(lte(shareLinks.expires_at, now())).limit(AT_ONCE);
  while (expired().all().length > 0)
    await transact(() => void end(inArray(shareLinks.id, expired()), "expired"));
}

function audit(
  event_type: "share_link_created" | "share_link_ended",
  { id, made_by }: Row,
  metadata: { reason?: string; [field: string]: unknown },
): void {
  recordAudit({
    event_type,
    user_id: made_by,
    resource_type: "share_link",
    resource_id: id,
    metadata,
    ...(metadata.reason === ACCOUNT_DELETED && { actor_id: null, withoutOrigin: true }),
  });
}
