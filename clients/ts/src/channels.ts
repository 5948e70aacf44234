import type { components } from "./document.gen.js";

type Schemas = components["schemas"];

/** Whoever has a change's cursor knows of this change and of all before. */
type Numbered<Message> = Message & { cursor: string };

export type GpsUpdate = Numbered<Schemas["SocketGpsUpdate"]>;
export type GpsLate = Numbered<Schemas["SocketGpsLate"]>;
export type GeofenceEvent = Numbered<Schemas["SocketGeofenceEvent"]>;
export type TripUpdate = Numbered<Schemas["SocketTripUpdate"]>;
export type DeviceUpdate = Numbered<Schemas["SocketDeviceUpdate"]>;

interface Told {
  gps: GpsUpdate | GpsLate;
  geofence: GeofenceEvent;
  trips: TripUpdate;
  devices: DeviceUpdate;
}

/** The part of a channel's name before the colon. */
export type Family = keyof Told;

/** `gps` and `geofence` tell of all devices and zones, or with an identifier of one. */
export type Channel = Family | `gps:${string}` | `geofence:${string}`;

/** A change of one of these channels. */
export type Change<C extends Channel = Channel> = Told[C extends `${infer F extends Family}:${string}`
  ? F
  : C extends Family
    ? C
    : never];

/** `expired`: the changes are not kept any more; `epoch`: a backup was restored. */
export type ResetReason = Schemas["SocketReset"]["reason"];

const TYPES: { [F in Family]: readonly Told[F]["type"][] } = {
  gps: ["gpsUpdate", "gpsLate"],
  geofence: ["geofenceEvent"],
  trips: ["tripUpdate"],
  devices: ["deviceUpdate"],
};

/** The parts of a channel's name: the identifier is empty where it has none. */
export function partsOf(channel: Channel): { family: Family; id: string } {
  const [family = "", id = ""] = channel.split(":");
  return { family: family as Family, id };
}

/** The types of a channel's changes; none for a channel that isn't numbered. */
export const typesOf = (channel: Channel): readonly Change["type"][] => TYPES[partsOf(channel).family] ?? [];
