import type { SentRecord } from "../../src/sync/batch/batch";
import type { SentPosition } from "../../src/sync/batch/positions";
import type { Rows } from "../../src/sync/batch/rows";
import { hashOf } from "../../src/tracking/log/chain";
import { newUuid } from "./sender";

/** Rows of a box, as its batches carry them. */

type Sent = Omit<SentRecord, "number">;

const record =
  <K extends keyof Rows>(kind: K, usual: (time: number) => Rows[K]) =>
  (
    time: number,
    fields: Partial<Rows[K]> = {},
    id = newUuid(time),
  ): Sent & { row: Rows[K] & Record<string, unknown> } => ({
    kind,
    id,
    row: { ...usual(time), ...fields },
  });

/** A record that its box has deleted. */
export const gone = (kind: SentRecord["kind"], id: string): Sent => ({ kind, id, row: null });

export const device = record("device", (time) => ({
  name: "Greif",
  is_active: true,
  stop_radius_m: 50,
  stop_minutes: 5,
  gap_minutes: 10,
  created_at: time,
  updated_at: time,
}));

export const trip = record("trip", (time) => ({
  name: "To Hiddensee",
  status: "active",
  gps_logging_enabled: true,
  tags: ["summer"],
  started_at: time,
  created_at: time,
  updated_at: time,
  log_interval_minutes: 60,
  history: [{ id: newUuid(time), old_status: "draft", new_status: "active", changed_at: time }],
  spans: [],
}));

export const alert = record("alert", (time) => ({
  key: "speed aboard",
  condition: "speed",
  severity: "warning",
  status: "open",
  count: 1,
  is_corrected: false,
  raised_at: time,
  last_seen_at: time,
}));

export const crossing = record("crossing", (time) => ({
  geofence_id: newUuid(),
  geofence_name: "Stralsund",
  device_id: newUuid(),
  device_name: "Greif",
  event: "enter",
  occurred_at: time,
  recorded_at: time,
  latitude: 54.3,
  longitude: 13.1,
  distance_km: 0.4,
  is_late: false,
}));

/** Entries of a log, each chained to the one before; from `after` on, where it goes on from an entry. */
export function entries(tripId: string, texts: string[], time: number, after?: Sent): Sent[] {
  const last = after?.row as { number: number; hash: string } | undefined;
  let [number, previous] = [last?.number ?? 0, last?.hash ?? null];
  return texts.map((text) => {
    const id = newUuid(time);
    number++;
    const at = new Date(time + number * 1_000).toISOString();
    const hash = hashOf({
      ...{ id, trip_id: tripId, number, kind: "note", occurred_at: at, recorded_at: at, is_automatic: false },
      ...{
        user_id: null,
        api_key_id: null,
        text,
        data: null,
        strikes_id: null,
        previous_hash: previous,
        hash: "",
      },
    });
    const row: Rows["entry"] = {
      ...{ trip_id: tripId, number, kind: "note", occurred_at: Date.parse(at), recorded_at: Date.parse(at) },
      ...{ is_automatic: false, text, hash, ...(previous !== null && { previous_hash: previous }) },
    };
    previous = hash;
    return { kind: "entry", id, row: { ...row } };
  });
}

/** A position of a device at a time, which is rounded down to a second. */
export function position(
  deviceId: string | null,
  time: number,
  fields: Partial<SentPosition> = {},
): Omit<SentPosition, "number"> {
  const timestamp = Math.floor(time / 1_000) * 1_000;
  return {
    ...{ id: newUuid(time), device_id: deviceId, trip_id: null, timestamp, created_at: time },
    ...{
      latitude: 54.1,
      longitude: 13.4,
      speed_mps: null,
      speed_kmh: null,
      speed_knots: null,
      speed_mph: null,
    },
    ...{ source: "nmea", judgement: null, altitude: null, heading: 212.5, pdop: null, hdop: 0.9, vdop: null },
    ...{ accuracy_m: null, battery_percent: null },
    ...fields,
  };
}

/** Positions of a device, a second apart up to a time, on a straight way. */
export const numberedPositions = (deviceId: string, count: number, until: number) =>
  Array.from({ length: count }, (_, at) =>
    position(deviceId, until - (count - at) * 1_000, {
      latitude: 54 + at / 1e5,
      speed_knots: 5 + (at % 7) / 10,
    }),
  );
