import { signal } from "@preact/signals";
import { api, call } from "./api";
import { may } from "./session";

/** The user's rights to single devices: all of them by permissions, or those that a share gives. */

type Level = "now" | "history" | "manage";

const LEVELS: readonly Level[] = ["now", "history", "manage"];
const levels = signal<ReadonlyMap<string, Level>>(new Map());

/** Learns which devices are shared with the user. Throws an ApiError. */
export async function readShares(): Promise<void> {
  const { data } = await call(() => api.GET("/v1/users/me/shares"));
  levels.value = new Map(data.map(({ device_id, level }) => [device_id, level]));
}

/** True if anything is shared with the user. */
export const hasShares = (): boolean => levels.value.size > 0;

/** True if the user holds the permission, or sees the device by a share of at least this level. */
export function mayBy(permission: string, deviceId: string, level: Level): boolean {
  const share = levels.value.get(deviceId);
  return may(permission) || (share !== undefined && LEVELS.indexOf(share) >= LEVELS.indexOf(level));
}

/** True if a device is shared with the user so that they manage it. */
export const managesAny = (): boolean => [...levels.value.values()].includes("manage");

/** True if a device is shared with the user with its past. */
export const hasHistories = (): boolean => [...levels.value.values()].some((level) => level !== "now");
