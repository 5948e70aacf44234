import { asc, eq, placeholder } from "drizzle-orm";
import { isUserActive, type Maker, makersRights } from "../../identity/access/maker";
import type { Permission } from "../../identity/access/permissions";
import { SHOWN_BY } from "../../identity/access/visible-devices";
import { hashToken } from "../../kernel/crypto/crypto";
import { db, statement } from "../../kernel/db/connection";
import { now, SECOND } from "../../kernel/time/clock";
import type { LinkLevel } from "./kinds";
import { shareLinkDevices, shareLinks, shareLinkZones } from "./table";

/** Links as they stand now: what they show, while whoever made them may see that. */

export type Row = typeof shareLinks.$inferSelect;

/** A link that shows something. Times are epoch milliseconds, `delay` milliseconds. */
export interface Link {
  id: string;
  label: string | null;
  level: LinkLevel;
  /** Empty for a link to a trip. */
  deviceIds: readonly string[];
  tripId: string | null;
  from: number | null;
  to: number | null;
  expiresAt: number;
  delay: number;
  precisionM: number | null;
  hideZoneIds: readonly string[];
}

/** Whoever makes a link holds these: all that it shows, and the right to show it. */
export const neededFor = (level: LinkLevel, isTrip: boolean): readonly Permission[] => [
  "devices:write",
  ...SHOWN_BY[level === "live" ? "now" : "history"],
  ...(isTrip && level === "live" ? (["trips:read"] as const) : []),
];

const makerOfLink = ({ made_by, made_by_key }: Row): Maker => ({
  user_id: made_by,
  api_key_id: made_by_key,
});

/** True for a link whose maker may not see or share so much any more. */
export function isSilent(row: Row): boolean {
  const maker = makerOfLink(row);
  if (maker.user_id !== null && !isUserActive(maker.user_id)) return true;
  return !makersRights(maker)?.hasAll([...neededFor(row.level, row.trip_id !== null)]);
}

const devicesOf = statement(() =>
  db
    .select({ id: shareLinkDevices.device_id })
    .from(shareLinkDevices)
    .where(eq(shareLinkDevices.link_id, placeholder("id")))
    .orderBy(asc(shareLinkDevices.device_id))
    .prepare(),
);
const zonesOf = statement(() =>
  db
    .select({ id: shareLinkZones.geofence_id })
    .from(shareLinkZones)
    .where(eq(shareLinkZones.link_id, placeholder("id")))
    .orderBy(asc(shareLinkZones.geofence_id))
    .prepare(),
);

export const deviceIdsOf = (id: string): string[] =>
  devicesOf()
    .all({ id })
    .map((device) => device.id);
export const zoneIdsOf = (id: string): string[] =>
  zonesOf()
    .all({ id })
    .map((zone) => zone.id);

const byHash = statement(() =>
  db
    .select()
    .from(shareLinks)
    .where(eq(shareLinks.token_hash, placeholder("hash")))
    .prepare(),
);
const byId = statement(() =>
  db
    .select()
    .from(shareLinks)
    .where(eq(shareLinks.id, placeholder("id")))
    .prepare(),
);

function standing(row: Row | undefined): Link | null {
  if (!row || row.expires_at <= now() || isSilent(row)) return null;
  return {
    id: row.id,
    label: row.label,
    level: row.level,
    deviceIds: deviceIdsOf(row.id),
    tripId: row.trip_id,
    from: row.from_time,
    to: row.to_time,
    expiresAt: row.expires_at,
    delay: row.delay_seconds * SECOND,
    precisionM: row.precision_m,
    hideZoneIds: zoneIdsOf(row.id),
  };
}

/** The link with a token; null for one that is wrong or has ended, and while its maker may not see so much. */
export const linkByToken = (token: string): Link | null => standing(byHash().get({ hash: hashToken(token) }));

/** A link by its identifier, as it stands now; null likewise. */
export const linkById = (id: string): Link | null => standing(byId().get({ id }));
