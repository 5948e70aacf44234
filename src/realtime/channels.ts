import type { Caller } from "../identity/access/caller";
import type { Permission } from "../identity/access/permissions";
import { isUuid } from "../kernel/schema";

/** Names of channels and who may hear them: the table of Part 3 with decisions 7.2. */
interface Rule {
  /** What may follow the colon; absent when nothing may. */
  suffix?: (name: string) => boolean;
  /** Whether the family's bare name is a channel too. */
  bare: boolean;
  allows: (caller: Caller, suffix: string) => boolean;
}

/** An identifier as the server writes it: in upper case it would name a channel that nothing is sent to. */
const isRecordId = (name: string) => isUuid(name) && name === name.toLowerCase();
const isLabel = (name: string) => /^[A-Za-z0-9_-]{1,64}$/.test(name);
const holds = (permission: Permission) => (caller: Caller) =>
  caller.isSuperAdmin || caller.permissions.has(permission);

/** The channel that makes a connection a community bot. */
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

/** Whether the caller may hear a channel. A name of no known form is refused like a forbidden one. */
export function mayHear(caller: Caller, channel: string): boolean {
  const colon = channel.indexOf(":");
  const family = colon === -1 ? channel : channel.slice(0, colon);
  if (!Object.hasOwn(FAMILIES, family)) return false;
  const rule = FAMILIES[family] as Rule;
  if (colon === -1) return rule.bare && rule.allows(caller, "");
  const suffix = channel.slice(colon + 1);
  return rule.suffix?.(suffix) === true && rule.allows(caller, suffix);
}
