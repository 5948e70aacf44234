import { randomBytes } from "node:crypto";
import { and, asc, count, desc, eq } from "drizzle-orm";
import { type Actor, transactAs } from "../../identity/access/actor";
import type { Caller } from "../../identity/access/caller";
import { makerOf } from "../../identity/access/maker";
import { manages } from "../../identity/access/visible-devices";
import { recordAudit } from "../../identity/audit/service";
import { findUser } from "../../identity/directory/users";
import { emailLocale } from "../../identity/email/locale";
import { mintToken } from "../../kernel/crypto/crypto";
import { newId } from "../../kernel/crypto/id";
import { db } from "../../kernel/db/connection";
import { conflict, forbidden, invalid, notFound } from "../../kernel/errors/errors";
import { isPrivateHost } from "../../kernel/http/client";
import { type PageOf, type PageRequest, readPage } from "../../kernel/http/paging";
import { reachableUrl } from "../../kernel/http/reachable-url";
import { checkChanged } from "../../kernel/http/validation";
import { drawQrCode } from "../../kernel/limits/qr-code";
import { log } from "../../kernel/logs/log";
import { iso, isoOrNull, now } from "../../kernel/time/clock";
import type { Locale } from "../../kernel/values/bilingual";
import { changedOnly, isEmpty } from "../../kernel/values/changes";
import { requireOwn } from "../../sync/owner/owner";
import { getDevice } from "../devices/service";
import type { Rejection } from "../ingest/fix";
import { trackerKeys, trackersChanged } from "./authenticate";
import { instructionsFor } from "./instructions";
import type { CreatedTracker, NewTracker, Tracker, TrackerChange } from "./schema";
import { setupOf } from "./setup";
import { trackers } from "./table";

type Row = typeof trackers.$inferSelect;

/** Length of `token_prefix`: enough to tell tokens apart, too little to use one (rule C1). */
const PREFIX_LENGTH = 12;

/** Most trackers of a device: an app on each phone aboard. */
const MAX_TRACKERS = 50;

/** Bytes of a secret for OwnTracks, which takes 32 characters: as many as these make in base64url. */
const SECRET_BYTES = 24;

const toTracker = (row: Row): Tracker => ({
  id: row.id,
  device_id: row.device_id,
  name: row.name,
  format: row.format,
  token_prefix: row.token_prefix,
  send_zones: row.send_zones,
  is_encrypted: row.encryption_key !== null,
  expires_at: isoOrNull(row.expires_at),
  created_at: iso(row.created_at),
  updated_at: iso(row.updated_at),
  last_used_at: isoOrNull(row.last_used_at),
  is_active: row.is_active,
  rejected_total: row.rejected_total,
  last_rejection:
    row.last_rejection_at === null
      ? null
      : { at: iso(row.last_rejection_at), reason: row.last_rejection_reason as Rejection },
});

const countOf = (deviceId: string): number =>
  db.select({ n: count() }).from(trackers).where(eq(trackers.device_id, deviceId)).get()?.n ?? 0;

/** A page of a device's trackers, newest first. Throws 404. */
export function listTrackers(deviceId: string, request: PageRequest): PageOf<Tracker> {
  getDevice(deviceId);
  return readPage(request, countOf(deviceId), (fromEnd, offset, limit) =>
    db
      .select()
      .from(trackers)
      .where(eq(trackers.device_id, deviceId))
      .orderBy(fromEnd ? asc(trackers.id) : desc(trackers.id))
      .limit(limit)
      .offset(offset)
      .all()
      .map(toTracker),
  );
}

/** The trackers that a user made, newest first. */
export const trackersMadeBy = (userId: string): Tracker[] =>
  db
    .select()
    .from(trackers)
    .where(eq(trackers.user_id, userId))
    .orderBy(desc(trackers.id))
    .all()
    .map(toTracker);

export const getTracker = (deviceId: string, id: string): Tracker => toTracker(existing(deviceId, id));

function existing(deviceId: string, id: string): Row {
  const row = db
    .select()
    .from(trackers)
    .where(and(eq(trackers.id, id), eq(trackers.device_id, deviceId)))
    .get();
  if (!row) throw notFound("Tracker");
  return row;
}

/**
 * Creates a tracker of a device, with all that sets its app up. Throws 400, 403 for a caller who may not post positions or
 * read the zones that are to be sent, 404, and 409 where no address is known that the app can reach, a device has too
 * many trackers or is a box's own. Token and secret appear in the answer and nowhere else.
 */
export async function createTracker(
  actor: Actor,
  deviceId: string,
  input: NewTracker,
): Promise<CreatedTracker> {
  const { caller } = actor;
  const device = getDevice(deviceId);
  requireOwn(device);
  // The tracker acts while its maker may post, or manages the device.
  if (!manages(caller, deviceId)) requireHeld(caller, "gps:write");
  checkOwnTracks(input.format, input);
  if (input.send_zones) requireHeld(caller, "geofences:read");
  const expires_at = checkExpiry(input.expires_at) ?? null;
  const base = reachableUrl(input.base_url);
  const id = newId();
  const { token, hash } = mintToken("flt_");
  const encryptionKey = input.with_encryption ? randomBytes(SECRET_BYTES).toString("base64url") : null;
  const setup = setupOf(input.format, { base, token, deviceName: device.name, encryptionKey });
  const isInClear = leadsInClear(base) || actor.client.inClear === true;
  const instructions = instructionsFor(
    localeOf(actor),
    input.format,
    { ...setup, base, token, encryptionKey, sendsZones: input.send_zones === true },
    isInClear,
  );
  const qr_code = await drawQrCode(setup.setup_link ?? setup.url);
  const row = await transactAs(actor, () => {
    requireOwn(getDevice(deviceId));
    if (countOf(deviceId) >= MAX_TRACKERS)
      throw conflict(`A device can have at most ${MAX_TRACKERS} trackers; delete one first`);
    const time = now();
    const inserted = db
      .insert(trackers)
      .values({
        id,
        device_id: deviceId,
        name: input.name,
        format: input.format,
        token_hash: hash,
        token_prefix: token.slice(0, PREFIX_LENGTH),
        send_zones: input.send_zones ?? false,
        encryption_key: encryptionKey === null ? null : trackerKeys.seal(encryptionKey, id),
        ...makerOf(caller),
        expires_at,
        created_at: time,
        updated_at: time,
      })
      .returning()
      .get();
    audit("tracker_created", inserted, { expires_at: isoOrNull(expires_at) });
    return inserted;
  });
  if (isInClear)
    log.warn("a tracker sends its token in clear text through the internet; give its app an https address", {
      tracker: id,
      host: new URL(base).host,
    });
  return { ...toTracker(row), token, encryption_key: encryptionKey, ...setup, qr_code, instructions };
}

/** True for an address in whose requests others than the local network can read along. */
const leadsInClear = (base: string): boolean => {
  const { protocol, hostname } = new URL(base);
  return protocol === "http:" && !isPrivateHost(hostname);
};

/** The user's own language, else that of the request. */
function localeOf({ caller, client }: Actor): Locale {
  const user = caller.userId === null ? undefined : findUser(caller.userId);
  return emailLocale(user?.preferred_locale ?? null, client.acceptLanguage);
}

/** Changes the given fields; the next request of the app sees them. Throws 400, 403 and 404. */
export function updateTracker(
  actor: Actor,
  deviceId: string,
  id: string,
  { name, is_active, send_zones, ...input }: TrackerChange,
): Promise<Tracker> {
  checkChanged({ name, is_active, send_zones, ...input });
  const expires_at = checkExpiry(input.expires_at);
  return transactAs(actor, () => {
    const before = existing(deviceId, id);
    checkOwnTracks(before.format, { send_zones });
    if (send_zones && !before.send_zones) requireHeld(actor.caller, "geofences:read");
    const change = changedOnly(before, { name, is_active, expires_at, send_zones });
    if (isEmpty(change)) return toTracker(before);
    const row = db
      .update(trackers)
      .set({ ...change, updated_at: now() })
      .where(eq(trackers.id, id))
      .returning()
      .get();
    audit("tracker_updated", row, { changed: Object.keys(change) });
    trackersChanged();
    return toTracker(row);
  });
}

/** Deletes a tracker: its token is refused at once. Throws 404. */
export function deleteTracker(actor: Actor, deviceId: string, id: string): Promise<void> {
  return transactAs(actor, () => {
    const row = existing(deviceId, id);
    db.delete(trackers).where(eq(trackers.id, id)).run();
    audit("tracker_deleted", row, {});
    trackersChanged();
  });
}

// --- Rules ------------------------------------------------------------------------------------------------

function requireHeld(caller: Caller, permission: "gps:write" | "geofences:read"): void {
  if (!caller.isSuperAdmin && !caller.permissions.has(permission))
    throw forbidden(`This needs the permission ${permission}`);
}

/** Refuses what OwnTracks alone can do for another app. Throws 400. */
function checkOwnTracks(
  format: Row["format"],
  { send_zones, with_encryption }: Pick<NewTracker, "send_zones" | "with_encryption">,
): void {
  if (format === "owntracks") return;
  if (send_zones) throw invalid("/send_zones", "is for OwnTracks alone");
  if (with_encryption) throw invalid("/with_encryption", "is for OwnTracks alone");
}

/** Epoch milliseconds; undefined when no value was given, null for never. Throws 400. */
function checkExpiry(expiresAt: string | null | undefined): number | null | undefined {
  if (expiresAt === undefined || expiresAt === null) return expiresAt;
  const time = Date.parse(expiresAt);
  if (time <= now()) throw invalid("/expires_at", "must be in the future");
  return time;
}

function audit(
  event_type: "tracker_created" | "tracker_updated" | "tracker_deleted",
  { id, user_id, device_id, format }: Row,
  metadata: Record<string, unknown>,
): void {
  recordAudit({
    event_type,
    user_id,
    resource_type: "tracker",
    resource_id: id,
    metadata: { device_id, format, ...metadata },
  });
}
