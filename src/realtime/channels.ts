import type { Caller } from "../identity/access/caller";
import type { Permission } from "../identity/access/permissions";
import { seesDevice, shareOf } from "../identity/access/visible-devices";
import { isUuid } from "../kernel/http/schema";

/** Names of channels, and the right to hear them (rule W2). */
interface Rule {
  /** The forms of its names, for a client that asked for another one. */
  forms: string;
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
    forms: "user:<own user id>",
    suffix: isRecordId,
    bare: false,
    allows: (caller, userId) => caller.kind === "session" && caller.userId === userId,
  },
  admin: { forms: "admin:<name>", suffix: isLabel, bare: false, allows: holds("admin:read") },
  public: { forms: "public, public:<name>", suffix: isLabel, bare: true, allows: () => true },
  gps: {
    forms: "gps, gps:<device id>",
    suffix: isRecordId,
    bare: true,
    allows: (caller, deviceId) => seesDevice(caller, "gps:read", "now", deviceId),
  },
  geofence: {
    forms: "geofence, geofence:<geofence id>",
    suffix: isRecordId,
    bare: true,
    allows: holds("geofences:read"),
  },
  trips: { forms: "trips", bare: true, allows: holds("trips:read") },
  devices: { forms: "devices", bare: true, allows: holds("devices:read") },
  alerts: { forms: "alerts", bare: true, allows: holds("alerts:read") },
  vessels: { forms: "vessels", bare: true, allows: holds("gps:read") },
  [COMMUNITY]: {
    forms: COMMUNITY,
    bare: true,
    allows: (caller) => caller.kind !== "session" && holds("community:sync")(caller),
  },
};

/** The rule of a channel, and the part of its name after the colon; null for a name of no known form. */
function find(channel: string): { rule: Rule; suffix: string } | null {
  const colon = channel.indexOf(":");
  const family = colon === -1 ? channel : channel.slice(0, colon);
  if (!Object.hasOwn(FAMILIES, family)) return null;
  const rule = FAMILIES[family] as Rule;
  if (colon === -1) return rule.bare ? { rule, suffix: "" } : null;
  const suffix = channel.slice(colon + 1);
  return rule.suffix?.(suffix) === true ? { rule, suffix } : null;
}

/**
 * True if the caller may hear a channel. A name of no known form is refused like a forbidden one (rule W2).
 */
export function mayHear(caller: Caller, channel: string): boolean {
  const found = find(channel);
  return found?.rule.allows(caller, found.suffix) === true;
}

/** True if the caller may hear what a channel has told before: a share of the lowest level shows the present alone. */
export const mayHearPast = (caller: Caller, channel: string): boolean =>
  !channel.startsWith("gps:") || seesDevice(caller, "gps:read", "history", channel.slice("gps:".length));

/** True if the caller may hear of the anchor watch of a device: whoever may read it. */
export const mayHearAnchor = (caller: Caller, deviceId: string): boolean =>
  seesDevice(caller, "alerts:read", "manage", deviceId);

/** True for a channel that a caller hears by a share, which ends without an event where its time has come. */
export const isHeardByShare = ({ isSuperAdmin, permissions, kind }: Caller, channel: string): boolean =>
  kind === "session" && channel.startsWith("gps:") && !isSuperAdmin && !permissions.has("gps:read");

/** When the share ends by which a caller hears a channel, in epoch milliseconds; infinity for never. */
export const endOfShare = ({ userId }: Caller, channel: string): number =>
  shareOf(userId ?? "", channel.slice("gps:".length))?.expiresAt ?? Number.POSITIVE_INFINITY;

const FORMS = Object.values(FAMILIES)
  .map(({ forms }) => forms)
  .join(", ");

/** The words behind the refusal of a channel: nothing for a known form, else the forms that there are. */
export const hintFor = (channel: string): string =>
  find(channel) ? "" : ` (there is no such channel; there are ${FORMS}, with identifiers in lower case)`;
