import { findAlert } from "../alerts/alerts/service";
import { type Change, cursorOf } from "../feed/journal";
import { type ChangeKind, type ChangeType, SILENT_KINDS } from "../feed/kinds";
import type { Permission } from "../identity/access/permissions";
import { findDevice } from "../tracking/devices/service";
import { findPoint } from "../tracking/gps/service";
import { toldPoint } from "../tracking/ingest/columns";
import { findTrip } from "../tracking/trips/service";

/** A change as readers are told of it, with its record as it is now. */
export interface ToldChange {
  cursor: string;
  type: ChangeType;
  data: object;
}

/** The right to hear of each type: that of its channel. */
export const RIGHTS: Record<ChangeType, Permission> = {
  gpsUpdate: "gps:read",
  gpsLate: "gps:read",
  geofenceEvent: "geofences:read",
  geofenceCorrection: "geofences:read",
  tripUpdate: "trips:read",
  deviceUpdate: "devices:read",
  alertRaised: "alerts:read",
  alertUpdated: "alerts:read",
  alertAcknowledged: "alerts:read",
  alertCleared: "alerts:read",
};

const alert = ({ record }: Change): object | null => (record === null ? null : findAlert(record));

const RECORDS: Record<ChangeType, (change: Change) => object | null> = {
  gpsUpdate: ({ record }) => {
    const point = record === null ? null : findPoint(record);
    return point && toldPoint(point);
  },
  gpsLate: ({ detail }) => detail,
  geofenceEvent: ({ detail }) => detail,
  geofenceCorrection: ({ detail }) => detail,
  tripUpdate: ({ record }) => (record === null ? null : findTrip(record)),
  deviceUpdate: ({ record }) => (record === null ? null : findDevice(record)),
  alertRaised: alert,
  alertUpdated: alert,
  alertAcknowledged: alert,
  alertCleared: alert,
};

/** A change with its record as it is now, or told as gone. */
export function told(change: Change & { kind: ChangeType }): ToldChange {
  const { number, kind, record, device_id } = change;
  const data = RECORDS[kind](change) ?? { id: record, device_id, is_deleted: true };
  return { cursor: cursorOf(number), type: kind, data };
}

/** True for a change that somebody is told of by itself. */
export const isTold = (change: Change): change is Change & { kind: ChangeType } =>
  !(SILENT_KINDS as readonly ChangeKind[]).includes(change.kind);

/** True if a change is one of a device; also of a trip that was this device's until then. */
export const isOf = ({ device_id, kind, detail }: Change, deviceId: string): boolean =>
  device_id === deviceId || (kind === "tripUpdate" && detail?.former_device_id === deviceId);

/** The channels that carry a change. */
export function channelsOf({ kind, device_id, detail }: Change & { kind: ChangeType }): string[] {
  switch (kind) {
    case "gpsUpdate":
    case "gpsLate":
      return device_id === null ? ["gps"] : ["gps", `gps:${device_id}`];
    case "geofenceEvent":
      return ["geofence", `geofence:${detail?.geofence_id}`];
    case "geofenceCorrection":
      return ["geofence"];
    case "tripUpdate":
      return ["trips"];
    case "deviceUpdate":
      return ["devices"];
    case "alertRaised":
    case "alertUpdated":
    case "alertAcknowledged":
    case "alertCleared":
      return ["alerts"];
  }
}
