import { eq } from "drizzle-orm";
import { db } from "../../kernel/db/connection";
import { forbidden, invalid } from "../../kernel/errors/errors";
import { now } from "../../kernel/time/clock";
import { findDevice } from "../../tracking/devices/service";
import { isFull, requireMay } from "../../tracking/shares/service";
import type { Actor } from "../access/actor";
import { findKeyCaller, userAccess } from "../access/caller";
import { isUserActive } from "../access/maker";
import { checkHoldsRole, holdsRole } from "../access/rank";
import { reaches, type ShareLevel } from "../access/share-levels";
import { SHOWN_BY, seesDevice, shareOf } from "../access/visible-devices";
import { roles } from "../roles/table";
import type { invitations } from "./table";

/** Nobody invites to more than they hold: when the invitation is made, and when it is accepted. */

/** A device that will be shared; `expiresAt` is in epoch milliseconds, null for no end. */
export interface Promised {
  deviceId: string;
  level: ShareLevel;
  expiresAt: number | null;
}

type Inviter = Pick<typeof invitations.$inferSelect, "made_by" | "made_by_key">;

/**
 * Refuses an invitation to more than the caller holds: roles as their assignment does, devices as their sharing does. Throws
 * 400 for what there is not, and 403.
 */
export function checkMayGive(actor: Actor, roleIds: string[], promised: Promised[]): void {
  for (const [at, roleId] of roleIds.entries()) {
    if (!db.select({ id: roles.id }).from(roles).where(eq(roles.id, roleId)).get())
      throw invalid(`/role_ids/${at}`, "names no role");
    checkHoldsRole(actor.caller, roleId);
  }
  for (const [at, { deviceId, level, expiresAt }] of promised.entries()) {
    if (!seesDevice(actor.caller, "devices:write", "manage", deviceId))
      throw forbidden("Sharing a device needs the permission devices:write, or a share that manages it");
    if (!findDevice(deviceId)) throw invalid(`/device_shares/${at}/device_id`, "names no device");
    requireMay(actor, deviceId, NOBODY_YET, level, expiresAt);
  }
}

/** In place of the invited user, on whom no share rests. */
const NOBODY_YET = "";

/** The rights of an inviter now; null for one who may invite no more. */
function accessNow({ made_by, made_by_key }: Inviter): ReturnType<typeof userAccess> | null {
  const access =
    made_by_key !== null
      ? findKeyCaller(made_by_key)
      : made_by !== null && isUserActive(made_by)
        ? userAccess(made_by)
        : null;
  return access && (access.isSuperAdmin || access.permissions.has("users:write")) ? access : null;
}

/** The part of a promise that the inviter may still give; null if it may not invite any more. */
export function stillGiven(
  inviter: Inviter,
  roleIds: string[],
  promised: Promised[],
): { roleIds: string[]; shares: Promised[] } | null {
  const access = accessNow(inviter);
  if (!access) return null;
  const manages = ({ deviceId, level }: Promised): boolean => {
    if (inviter.made_by === null || inviter.made_by_key !== null) return false;
    const own = shareOf(inviter.made_by, deviceId);
    return own?.level === "manage" && reaches(own.level, level);
  };
  const mayShare = (share: Promised): boolean =>
    access.permissions.hasAll(["devices:write", ...SHOWN_BY[share.level]]) || manages(share);
  return {
    roleIds: roleIds.filter((roleId) => holdsRole(access, roleId)),
    shares: promised.filter(
      (share) =>
        (share.expiresAt === null || share.expiresAt > now()) && mayShare(share) && !isFull(share.deviceId),
    ),
  };
}
