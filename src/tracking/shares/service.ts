import { and, asc, count, desc, eq, lte, or, type SQL } from "drizzle-orm";
import { type Actor, transactAs } from "../../identity/access/actor";
import { accessChanged } from "../../identity/access/caller";
import { isUserActive, type Maker, makerOf } from "../../identity/access/maker";
import { reaches, type ShareLevel } from "../../identity/access/share-levels";
import { SHOWN_BY, shareNow, shareOf } from "../../identity/access/visible-devices";
import { recordAudit } from "../../identity/audit/service";
import { users } from "../../identity/users/table";
import { db } from "../../kernel/db/connection";
import { transact } from "../../kernel/db/transactions";
import { conflict, forbidden, invalid, notFound } from "../../kernel/errors/errors";
import { type PageOf, type PageRequest, readPage } from "../../kernel/http/paging";
import { iso, isoOrNull, now } from "../../kernel/time/clock";
import { devices } from "../devices/table";
import type { DeviceShare, NewShare } from "./schema";
import { deviceShares } from "./table";

/** Devices that are shared with single users. What such a user sees is decided in identity/access/visible-devices.ts. */

type Row = typeof deviceShares.$inferSelect;

/** Most shares of a device. */
const MAX_SHARES = 500;

const toShare = (row: Row & { username: string }): DeviceShare => ({
  device_id: row.device_id,
  user_id: row.user_id,
  username: row.username,
  level: row.level,
  expires_at: isoOrNull(row.expires_at),
  made_by: row.made_by,
  is_silent: shareNow(row) === null,
  created_at: iso(row.created_at),
  updated_at: iso(row.updated_at),
});

const selectShares = (which: SQL | undefined) =>
  db
    .select({
      ...{ user_id: deviceShares.user_id, device_id: deviceShares.device_id, level: deviceShares.level },
      ...{ expires_at: deviceShares.expires_at, username: users.username },
      ...{ made_by: deviceShares.made_by, made_by_key: deviceShares.made_by_key },
      ...{ created_at: deviceShares.created_at, updated_at: deviceShares.updated_at },
    })
    .from(deviceShares)
    .innerJoin(users, eq(users.id, deviceShares.user_id))
    .where(which);

const ofDevice = (deviceId: string): SQL => eq(deviceShares.device_id, deviceId);
const ofBoth = (deviceId: string, userId: string): SQL | undefined =>
  and(ofDevice(deviceId), eq(deviceShares.user_id, userId));

const countOf = (deviceId: string): number =>
  db.select({ n: count() }).from(deviceShares).where(ofDevice(deviceId)).get()?.n ?? 0;

/** True for a device that can be shared with nobody else. */
export const isFull = (deviceId: string): boolean => countOf(deviceId) >= MAX_SHARES;

function requireExisting(deviceId: string): void {
  if (!db.select({ id: devices.id }).from(devices).where(eq(devices.id, deviceId)).get())
    throw notFound("Device");
}

/** A page of the shares of a device, by user. Throws 404. */
export function listShares(deviceId: string, request: PageRequest): PageOf<DeviceShare> {
  requireExisting(deviceId);
  return readPage(request, countOf(deviceId), (fromEnd, offset, limit) =>
    selectShares(ofDevice(deviceId))
      .orderBy(fromEnd ? desc(deviceShares.user_id) : asc(deviceShares.user_id))
      .limit(limit)
      .offset(offset)
      .all()
      .map(toShare),
  );
}

/** The share of a user in a device. Throws 404. */
export const getShare = (deviceId: string, userId: string): DeviceShare =>
  toShare(existing(deviceId, userId));

function existing(deviceId: string, userId: string) {
  const row = find(deviceId, userId);
  if (!row) throw notFound("Share");
  return row;
}

const find = (deviceId: string, userId: string) => selectShares(ofBoth(deviceId, userId)).get();

/** The shares that a user has or has made, by device. */
export const sharesAbout = (userId: string, side: "user_id" | "made_by"): DeviceShare[] =>
  selectShares(eq(deviceShares[side], userId)).orderBy(asc(deviceShares.device_id)).all().map(toShare);

/** The shares by which a user sees devices now, by device: those that ended, or show nothing, are none. */
export const sharesNow = (userId: string): DeviceShare[] =>
  sharesAbout(userId, "user_id").filter(({ is_silent }) => !is_silent);

// --- Sharing ----------------------------------------------------------------------------------------------

/**
 * Shares a device with a user, or changes the share that there is; tells which. Throws 400, 404, 409 for too many, and 403
 * for more or longer than the caller holds, and for those by whose share the caller holds it.
 */
export async function putShare(
  actor: Actor,
  deviceId: string,
  userId: string,
  input: NewShare,
): Promise<{ share: DeviceShare; isNew: boolean }> {
  const expiresAt = checkedEnd(input.expires_at);
  if (actor.caller.userId === userId) throw invalid("/user_id", "must be somebody else");
  return transactAs(actor, () => {
    requireExisting(deviceId);
    if (!isUserActive(userId)) throw notFound("User");
    const before = find(deviceId, userId);
    requireMay(actor, deviceId, userId, input.level, expiresAt);
    if (!before && isFull(deviceId))
      throw conflict(`A device can be shared with at most ${MAX_SHARES} users; end a share first`);
    store(makerOf(actor.caller), deviceId, userId, input.level, expiresAt);
    return { share: getShare(deviceId, userId), isNew: !before };
  });
}

function checkedEnd(expiresAt: string | null | undefined): number | null {
  if (expiresAt === undefined || expiresAt === null) return null;
  const time = Date.parse(expiresAt);
  if (time <= now()) throw invalid("/expires_at", "must be in the future");
  return time;
}

/** Stores a share in the current transaction. Whoever calls this has checked that its maker may. */
export function store(
  maker: Maker,
  deviceId: string,
  userId: string,
  level: ShareLevel,
  expiresAt: number | null,
): void {
  const time = now();
  const values = {
    ...{ level, expires_at: expiresAt, updated_at: time },
    ...{ made_by: maker.user_id, made_by_key: maker.api_key_id },
  };
  db.insert(deviceShares)
    .values({ user_id: userId, device_id: deviceId, created_at: time, ...values })
    .onConflictDoUpdate({ target: [deviceShares.user_id, deviceShares.device_id], set: values })
    .run();
  recordAudit({
    event_type: "device_shared",
    user_id: userId,
    resource_type: "device",
    resource_id: deviceId,
    metadata: { level, expires_at: isoOrNull(expiresAt) },
  });
  sharesChanged(userId);
}

const sharesChanged = (userId: string): void =>
  accessChanged((caller) => caller.kind === "session" && caller.userId === userId);

/** Refuses to share more or longer than a caller holds. Throws 403. */
export function requireMay(
  { caller, admittedBy }: Actor,
  deviceId: string,
  userId: string,
  level: ShareLevel,
  expiresAt: number | null,
): void {
  const missing = SHOWN_BY[level].filter((each) => !caller.permissions.has(each));
  if (!admittedBy && (caller.isSuperAdmin || missing.length === 0)) return;
  const own = caller.kind === "session" ? shareOf(caller.userId, deviceId) : null;
  if (caller.userId === null || !own || own.level !== "manage" || !reaches(own.level, level))
    throw forbidden(`Nobody shares more than they see: this level needs ${missing.join(", ")} too`);
  if (own.expiresAt !== null && (expiresAt === null || expiresAt > own.expiresAt))
    throw forbidden(`Nobody shares longer than they see: your share ends at ${iso(own.expiresAt)}`);
  requireNotAbove(caller.userId, deviceId, userId);
}

/** Refuses to change the share on which that of a user rests. Throws 403. */
function requireNotAbove(ownId: string, deviceId: string, userId: string): void {
  const seen = new Set<string>();
  for (let next: string | null = ownId; next !== null && !seen.has(next); ) {
    seen.add(next);
    next = find(deviceId, next)?.made_by ?? null;
    if (next === userId) throw forbidden("Your own share rests on the rights of this user");
  }
}

/** Ends the share of a user in a device. Throws 404, and 403 for one on which the caller's own rests. */
export function endShare(actor: Actor, deviceId: string, userId: string): Promise<void> {
  return transactAs(actor, () => {
    const row = existing(deviceId, userId);
    const { caller, admittedBy } = actor;
    if (admittedBy && caller.userId !== null) requireNotAbove(caller.userId, deviceId, userId);
    end(row, null);
  });
}

/** Its event doesn't tell whence: that would be an address of a person whose account is gone. */
const ACCOUNT_DELETED = "account deleted";

function end({ device_id, user_id }: Pick<Row, "device_id" | "user_id">, reason: string | null): void {
  db.delete(deviceShares).where(ofBoth(device_id, user_id)).run();
  recordAudit({
    event_type: "device_unshared",
    user_id,
    resource_type: "device",
    resource_id: device_id,
    ...(reason !== null && { metadata: { reason } }),
    ...(reason === ACCOUNT_DELETED && { actor_id: null, withoutOrigin: true }),
  });
  sharesChanged(user_id);
}

/** Ends the shares of a device that is about to be deleted, in the current transaction. */
export function endSharesOf(deviceId: string): void {
  for (const row of selectShares(ofDevice(deviceId)).all()) end(row, "device deleted");
}

/** Ends the shares that a user has and those that it has made, in the current transaction, as its account is deleted. */
export function endSharesAbout(userId: string): void {
  const about = or(eq(deviceShares.user_id, userId), eq(deviceShares.made_by, userId));
  for (const row of selectShares(about).all()) end(row, ACCOUNT_DELETED);
}

/** Shares that end in one transaction. */
const AT_ONCE = 100;

/** The job: ends the shares whose time has come. */
export async function endExpiredShares(): Promise<void> {
  const expired = () => selectShares(lte(deviceShares.expires_at, now())).limit(AT_ONCE).all();
  while (expired().length > 0)
    await transact(() => {
      for (const row of expired()) end(row, "expired");
    });
}
