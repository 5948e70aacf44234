import { and, eq, placeholder } from "drizzle-orm";
import { db, statement } from "../../kernel/db/connection";
import { forbidden, notFound } from "../../kernel/errors/errors";
import { now } from "../../kernel/time/clock";
import { BoundedMap } from "../../kernel/values/bounded-map";
import { deviceShares } from "../../tracking/shares/table";
import { accessEpoch, type Caller, findKeyCaller } from "./caller";
import { isUserActive, makersRights } from "./maker";
import type { Permission } from "./permissions";
import { reaches, type ShareLevel } from "./share-levels";

/**
 * The devices that a caller sees. Every door asks here: REST, socket, feed and links. Whoever holds the permission of a door
 * sees all devices there; a session without it sees those that are shared with its user, at a level that the door names.
 */
export type VisibleDevices = "all" | ReadonlySet<string>;

/** All that a share of a level shows: whoever shares it holds these, or manages the device by a share. */
export const SHOWN_BY: Record<ShareLevel, readonly Permission[]> = {
  now: ["devices:read", "gps:read"],
  history: ["devices:read", "gps:read", "trips:read", "geofences:read"],
  manage: [
    ...(["devices:read", "gps:read", "trips:read", "geofences:read", "devices:write"] as const),
    ...(["gps:write", "alerts:read", "alerts:write"] as const),
  ],
};

/** A share that counts. */
export interface Share {
  level: ShareLevel;
  /** Epoch milliseconds, of the share or of one that it rests on; null for no end. */
  expiresAt: number | null;
}

// --- Shares of a user -------------------------------------------------------------------------------------

const ofUser = statement(() =>
  db
    .select()
    .from(deviceShares)
    .where(eq(deviceShares.user_id, placeholder("userId")))
    .prepare(),
);

type Row = typeof deviceShares.$inferSelect;

/** A chain of shares that is longer counts for nothing. */
const LONGEST_CHAIN = 16;

/** The share of a row as it counts now; null where whoever made it may not share so much any more. */
function standing(row: Row, chain: readonly string[] = []): Share | null {
  const { level, expires_at, made_by, made_by_key } = row;
  const key = made_by_key === null ? null : findKeyCaller(made_by_key);
  const ends = [expires_at, key?.expiresAt ?? null];
  const own = key?.permissions ?? makersRights({ user_id: made_by, api_key_id: null });
  if (own?.hasAll(SHOWN_BY[level])) return { level, expiresAt: earliest(ends) };
  if (made_by === null || chain.includes(made_by) || chain.length >= LONGEST_CHAIN || !isUserActive(made_by))
    return null;
  const above = ofUser()
    .all({ userId: made_by })
    .find(({ device_id }) => device_id === row.device_id);
  const rest = above && above.level === "manage" ? standing(above, [...chain, row.user_id]) : null;
  if (rest === null) return null;
  return { level, expiresAt: earliest([...ends, rest.expiresAt]) };
}

const earliest = (times: (number | null)[]): number | null => {
  const given = times.filter((time) => time !== null);
  return given.length > 0 ? Math.min(...given) : null;
};

interface Known {
  epoch: number;
  shares: ReadonlyMap<string, Share>;
}
/** By user. What was read before rights or shares changed counts as unknown. */
const known = new BoundedMap<string, Known>(10_000);

/** The shares of a user that stand, by device, also those that have expired since. */
function sharesOf(userId: string): ReadonlyMap<string, Share> {
  const found = known.get(userId);
  if (found?.epoch === accessEpoch()) return found.shares;
  const shares = new Map<string, Share>();
  const epoch = accessEpoch();
  const rows = ofUser().all({ userId });
  for (const row of rows) {
    const share = standing(row);
    if (share) shares.set(row.device_id, share);
  }
  // A silent one speaks again as a ban ends, which is no change of rights.
  if (shares.size === rows.length) known.renew(userId, { epoch, shares });
  return shares;
}

const isOpen = ({ expiresAt }: Share): boolean => expiresAt === null || expiresAt > now();

/** The share of a user in a device now; null without one. */
export function shareOf(userId: string, deviceId: string): Share | null {
  const share = sharesOf(userId).get(deviceId);
  return share && isOpen(share) ? share : null;
}

/** The share that a row gives now; null for one that ended, or whose maker may not share so much any more. */
export const shareNow = (row: Row): Share | null => {
  const share = standing(row);
  return share && isOpen(share) ? share : null;
};

/** The share by which a request was admitted to a device. */
export interface AdmittedBy {
  deviceId: string;
  least: ShareLevel;
}

// --- Questions of doors -----------------------------------------------------------------------------------

const NONE: ReadonlySet<string> = new Set();

/** Shares count for sessions alone: a key's rights are its scopes. */
function sharedWith(caller: Caller, least: ShareLevel): ReadonlySet<string> {
  if (caller.kind !== "session") return NONE;
  const shares = sharesOf(caller.userId);
  if (shares.size === 0) return NONE;
  const shown = [...shares].filter(([, share]) => reaches(share.level, least) && isOpen(share));
  return new Set(shown.map(([deviceId]) => deviceId));
}

const holds = ({ isSuperAdmin, permissions }: Caller, permission: Permission): boolean =>
  isSuperAdmin || permissions.has(permission);

/** The devices that a caller sees at a door with a permission and a level. Throws 403 where it is none. */
export function visibleDevices(caller: Caller, permission: Permission, least: ShareLevel): VisibleDevices {
  if (holds(caller, permission)) return "all";
  const shared = sharedWith(caller, least);
  if (shared.size === 0) throw forbidden(`This needs the permission ${permission}`);
  return shared;
}

/** True if a caller sees a device at a door with a permission and a level. */
export const seesDevice = (
  caller: Caller,
  permission: Permission,
  least: ShareLevel,
  deviceId: string,
): boolean => holds(caller, permission) || sharedWith(caller, least).has(deviceId);

export const isVisible = (visible: VisibleDevices, deviceId: string | null): boolean =>
  visible === "all" || (deviceId !== null && visible.has(deviceId));

/**
 * Refuses a device that a caller doesn't see at a door. Throws 403 for one that is shared at a lower level than it takes, and
 * the same 404 for any other and for none.
 */
export function requireDevice(caller: Caller, visible: VisibleDevices, deviceId: string): void {
  if (isVisible(visible, deviceId)) return;
  if (sharedWith(caller, "now").has(deviceId))
    throw forbidden("This device is shared with you at a lower level");
  throw notFound("Device");
}

/** True if a device is shared with a caller's user so that it manages it. */
export const manages = (caller: Caller, deviceId: string): boolean =>
  sharedWith(caller, "manage").has(deviceId);

const ofBoth = statement(() =>
  db
    .select()
    .from(deviceShares)
    .where(
      and(
        eq(deviceShares.user_id, placeholder("userId")),
        eq(deviceShares.device_id, placeholder("deviceId")),
      ),
    )
    .prepare(),
);

/** Throws 403 if a caller whom a share has admitted to a device has lost it since, also in the current transaction. */
export function requireStillShared({ userId }: Caller, { deviceId, least }: AdmittedBy): void {
  const row = userId === null ? undefined : ofBoth().get({ userId, deviceId });
  const share = row && shareNow(row);
  if (!share || !reaches(share.level, least))
    throw forbidden("You lost permissions while this was under way");
}

/** True if a user, who is active, manages a device by a share. */
export const userManages = (userId: string, deviceId: string): boolean =>
  isUserActive(userId) && shareOf(userId, deviceId)?.level === "manage";
