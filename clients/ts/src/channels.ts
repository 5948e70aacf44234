import type { components } from "./document.gen.js";

type Schemas = components["schemas"];

/** Whoever has a change's cursor knows of this change and of all before. */
type Numbered<Told> = Told & { cursor: string };

export type GpsUpdate = Numbered<Schemas["SocketGpsUpdate"]>;
export type GpsLate = Numbered<Schemas["SocketGpsLate"]>;
export type GeofenceEvent = Numbered<Schemas["SocketGeofenceEvent"]>;
export type GeofenceCorrection = Numbered<Schemas["SocketGeofenceCorrection"]>;
export type TripUpdate = Numbered<Schemas["SocketTripUpdate"]>;
export type DeviceUpdate = Numbered<Schemas["SocketDeviceUpdate"]>;
export type AlertRaised = Numbered<Schemas["SocketAlertRaised"]>;
export type AlertUpdated = Numbered<Schemas["SocketAlertUpdated"]>;
export type AlertAcknowledged = Numbered<Schemas["SocketAlertAcknowledged"]>;
export type AlertCleared = Numbered<Schemas["SocketAlertCleared"]>;
export type AlertChange = AlertRaised | AlertUpdated | AlertAcknowledged | AlertCleared;

export type VesselsUpdate = Schemas["SocketVesselsUpdate"] & { cursor?: never };
export type AnchorUpdate = Schemas["SocketAnchorUpdate"];

/** A message that carries no number: nobody is told of it again. */
export type Message =
  | VesselsUpdate
  | AnchorUpdate
  | Schemas["SocketAccountDeleted"]
  | Schemas["SocketAccountBanned"]
  | Schemas["SocketSessionRevoked"]
  | Schemas["SocketForceLogout"]
  | Schemas["SocketPermissionsUpdated"]
  | Schemas["SocketRolesUpdated"]
  | Schemas["SocketRolePermissionsChanged"]
  | Schemas["SocketEmailLinkVerified"]
  | Schemas["SocketEmailChangeVerified"]
  | Schemas["SocketOAuthConsentRevoked"];

interface Told {
  gps: GpsUpdate | GpsLate;
  geofence: GeofenceEvent | GeofenceCorrection;
  trips: TripUpdate;
  devices: DeviceUpdate;
  alerts: AlertChange;
  vessels: VesselsUpdate;
}

/** The part of a channel's name before the colon. */
export type Family = keyof Told;

/** `gps` and `geofence` tell of all devices and zones, or with an identifier of one. */
export type Channel = Family | `gps:${string}` | `geofence:${string}`;

/** A change of one of these channels. */
export type Change<C extends Channel = Channel> = C extends Family
  ? Told[C]
  : C extends `gps:${string}`
    ? Told["gps"]
    : GeofenceEvent;

/** `expired`: the changes are not kept any more; `epoch`: a backup was restored. */
export type ResetReason = Schemas["SocketReset"]["reason"];

const TYPES: { [F in Family]: readonly Told[F]["type"][] } = {
  gps: ["gpsUpdate", "gpsLate"],
  geofence: ["geofenceEvent", "geofenceCorrection"],
  trips: ["tripUpdate"],
  devices: ["deviceUpdate"],
  alerts: ["alertRaised", "alertUpdated", "alertAcknowledged", "alertCleared"],
  vessels: ["vesselsUpdate"],
};

/** The parts of a channel's name: the identifier is empty where it has none. */
export function partsOf(channel: Channel): { family: Family; id: string } {
  const [family = "", id = ""] = channel.split(":");
  return { family: family as Family, id };
}

/** False for the one channel whose messages carry no number. */
export const isNumbered = (channel: Channel): boolean => channel !== "vessels";

/** The types of a channel's messages; none for a channel that the client doesn't know. */
export const typesOf = (channel: Channel): readonly Change["type"][] => TYPES[partsOf(channel).family] ?? [];

/** True if a channel tells of everything, or of the device or zone that a message is about. */
export function isAbout(channel: Channel, { data }: Change): boolean {
  const { family, id } = partsOf(channel);
  const { device_id, geofence_id } = data as { device_id?: string | null; geofence_id?: string };
  return id === "" || id === (family === "gps" ? device_id : geofence_id);
}

/** True if one socket can't carry two channels: their messages could be either's, since they don't name theirs. */
export function areAlike(one: Channel, other: Channel): boolean {
  const [a, b] = [partsOf(one), partsOf(other)];
  return a.family === b.family && (a.id === b.id || a.id === "" || b.id === "");
}
