import type { Caller } from "../identity/access/caller";
import type { Permission } from "../identity/access/permissions";
import { isUuid } from "../kernel/http/schema";

/** Names of channels, and the right to hear them (rule W2). */
interface Rule {
  /** Accepts the part after the colon; absent if there can't be one. */
  suffix?: (name: string) => boolean;
  /** True if the family's bare name is a channel too. */
  bare: boolean;
  allows: (caller: Caller, suffix: string) => boolean;
}

/** An identifier as the server writes it: nothing is sent to a channel named in upper case. */
const isRecordId = (name: string) => isUuid(name) && name === name.toLowerCase();
const isLabel = (name: string) => /^[A-Za-z0-9_-]{1,64}$/.test(name);
const holds = (permission: Permission) => (caller: Caller) =>
  caller.isSuperAdmin || caller.permissions.has(permission);

/** The channel that makes a connection a community bot (rule M1). */
export const COMMUNITY = "community";

const FAMILIES: Record<string, Rule> = {
  user: {
    suffix: isRecordId,
    bare: false,
    allows: (caller, userId) => caller.kind === "session" && caller.userId === userId,
  },
  admin: { suffix: isLabel, bare: false, allows: holds("admin:read") },
  public: { suffix: isLabel, bare: true, allows: () => true },
  gps: { suffix: isRecordId, bare: true, allows: holds("gps:read") },
  geofence: { suffix: isRecordId, bare: true, allows: holds("geofences:read") },
  vessels: { bare: true, allows: holds("gps:read") },
  [COMMUNITY]: { bare: true, allows: (caller) => caller.kind === "key" && holds("community:sync")(caller) },
};

/**
 * True if the caller may hear a channel. A name of no known form is refused like a forbidden one (rule W2).
 */
export function mayHear(caller: Caller, channel: string): boolean {
  const colon = channel.indexOf(":");
  const family = colon === -1 ? channel : channel.slice(0, colon);
  if (!Object.hasOwn(FAMILIES, family)) return false;
  const rule = FAMILIES[family] as Rule;
  if (colon === -1) return rule.bare && rule.allows(caller, "");
  const suffix = channel.slice(colon + 1);
  return rule.suffix?.(suffix) === true && rule.allows(caller, suffix);
}
