import type { TProperties, TSchema } from "@sinclair/typebox";
import { ALERT_STATUSES } from "../../alerts/alerts/words";
import { CONDITION_TYPES, SEVERITIES, ZONE_EVENTS } from "../../alerts/kinds";
import { checkerOf, isUuid, t } from "../../kernel/http/schema";
import { AutoTrip } from "../../tracking/devices/schema";
import { JUDGEMENTS, type Judgement, SOURCES, type Source } from "../../tracking/ingest/kinds";
import { ENTRY_KINDS } from "../../tracking/log/kinds";
import { TRIP_STATUSES } from "../../tracking/trips/trip-state";
import type { RecordKind, SentRecord } from "./batch";
import type { SentPosition } from "./positions";

/**
 * The rows of records as batches carry them: the fields of a record as its box has it, without those that are null. Fields that a
 * newer box adds are left alone, and those that an older one lacks are null. Whatever comes is checked here, since the words of a
 * box are those of a stranger.
 */

/** Epoch milliseconds; lists count by spans of time until the year 4000. */
const time = t.Integer({ minimum: 0, maximum: 64_060_588_800_000 });
const id = t.String({ format: "uuid", maxLength: 36 });
/** Ashore no text is longer than aboard: the longest one that a request could bring, and more. */
const text = t.String({ maxLength: 65_536 });
const number = t.Number();
const latitude = t.Number({ minimum: -90, maximum: 90 });
const longitude = t.Number({ minimum: -180, maximum: 180 });
const whole = t.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
const oneOf = <T extends string>(words: readonly T[]) => t.Union(words.map((word) => t.Literal(word)));
const { Optional: maybe } = t;

const ZONE_CROSSINGS = ["enter", "exit", "passed", "dwell"] as const;

export const DeviceRow = t.Object({
  name: text,
  description: maybe(text),
  device_type: maybe(text),
  is_active: t.Boolean(),
  external_id: maybe(text),
  max_speed_kmh: maybe(number),
  stop_radius_m: t.Number({ minimum: 1, maximum: 1_000_000 }),
  stop_minutes: t.Integer({ minimum: 1, maximum: 1_000_000 }),
  gap_minutes: t.Integer({ minimum: 1, maximum: 1_000_000 }),
  /** Shown as it is: an answer that breaks its schema would take the list of devices along. */
  auto_trip: maybe(AutoTrip),
  created_at: time,
  updated_at: time,
});

/** Changes of status, and spans, of a trip at most: it has to fit into a part, and is stored in one go. */
export const MOST_OF_TRIP = 2_000;

export const TripRow = t.Object({
  name: text,
  description: maybe(text),
  status: oneOf(TRIP_STATUSES),
  gps_logging_enabled: t.Boolean(),
  device_id: maybe(id),
  weight_kg: maybe(number),
  notes: maybe(text),
  tags: t.Array(text, { maxItems: 1_000 }),
  start_latitude: maybe(latitude),
  start_longitude: maybe(longitude),
  end_latitude: maybe(latitude),
  end_longitude: maybe(longitude),
  started_at: maybe(time),
  ended_at: maybe(time),
  created_at: time,
  updated_at: time,
  log_interval_minutes: whole,
  /** Its changes of status, oldest first, and the spans in which devices logged for it: the newest ones. */
  history: t.Array(
    t.Object({
      id,
      old_status: oneOf(TRIP_STATUSES),
      new_status: oneOf(TRIP_STATUSES),
      changed_by: maybe(id),
      latitude: maybe(latitude),
      longitude: maybe(longitude),
      changed_at: time,
    }),
    { maxItems: MOST_OF_TRIP },
  ),
  spans: t.Array(t.Object({ device_id: maybe(id), from_time: time, until_time: maybe(time) }), {
    maxItems: MOST_OF_TRIP,
  }),
});

export const EntryRow = t.Object({
  trip_id: id,
  number: t.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
  kind: oneOf(ENTRY_KINDS),
  occurred_at: time,
  recorded_at: time,
  user_id: maybe(id),
  api_key_id: maybe(id),
  is_automatic: t.Boolean(),
  text: maybe(text),
  /** Canonical JSON: the hash covers it letter by letter. */
  data: maybe(text),
  strikes_id: maybe(id),
  previous_hash: maybe(t.String({ maxLength: 64 })),
  hash: t.String({ maxLength: 64 }),
});

export const CrossingRow = t.Object({
  geofence_id: id,
  geofence_name: text,
  device_id: id,
  device_name: text,
  event: oneOf(ZONE_CROSSINGS),
  occurred_at: time,
  recorded_at: time,
  latitude,
  longitude,
  distance_km: number,
  gps_point_id: maybe(id),
  trip_id: maybe(id),
  is_late: t.Boolean(),
  superseded_at: maybe(time),
});

export const AlertRow = t.Object({
  key: text,
  rule_id: maybe(id),
  rule_name: maybe(text),
  condition: oneOf(CONDITION_TYPES),
  event: maybe(oneOf(ZONE_EVENTS)),
  severity: oneOf(SEVERITIES),
  status: oneOf(ALERT_STATUSES),
  device_id: maybe(id),
  device_name: maybe(text),
  subject: maybe(text),
  subject_name: maybe(text),
  crossing_id: maybe(id),
  message: maybe(text),
  value: maybe(number),
  latitude: maybe(latitude),
  longitude: maybe(longitude),
  position_at: maybe(time),
  count: whole,
  is_corrected: t.Boolean(),
  raised_at: time,
  last_seen_at: time,
  cleared_at: maybe(time),
  acknowledged_at: maybe(time),
  acknowledge_note: maybe(text),
  escalated_at: maybe(time),
});

/** A row with null for each field that it lacks, and without those that aren't known. */
type Whole<T> = {
  [K in keyof T]-?: undefined extends T[K] ? Exclude<T[K], undefined> | null : WholeItems<T[K]>;
};
type WholeItems<T> = T extends (infer Item)[] ? (Item extends object ? Whole<Item>[] : T) : T;

export interface Rows {
  device: (typeof DeviceRow)["static"];
  trip: (typeof TripRow)["static"];
  entry: (typeof EntryRow)["static"];
  crossing: (typeof CrossingRow)["static"];
  alert: (typeof AlertRow)["static"];
}
/** Kinds of records that come as rows: a position comes so only when it is deleted. */
export type RowKind = keyof Rows;
export type WholeRow<K extends RowKind> = Whole<Rows[K]>;

const SCHEMAS = { device: DeviceRow, trip: TripRow, entry: EntryRow, crossing: CrossingRow, alert: AlertRow };

const CHECKS: Record<RowKind, (row: unknown) => boolean> = {
  device: checkerOf(DeviceRow),
  trip: checkerOf(TripRow),
  entry: checkerOf(EntryRow),
  crossing: checkerOf(CrossingRow),
  alert: checkerOf(AlertRow),
};

/** A value of a schema with null for each field that it lacks, and without those that the schema doesn't know. */
function completed(schema: TSchema, value: unknown): unknown {
  if (value === undefined) return null;
  if (schema.type === "array") return (value as unknown[]).map((item) => completed(schema.items, item));
  if (schema.type !== "object") return value;
  const fields = value as Record<string, unknown>;
  return Object.fromEntries(
    Object.entries(schema.properties as TProperties).map(([name, field]) => [
      name,
      completed(field, fields[name]),
    ]),
  );
}

/** SQLite keeps no half a character, and comparisons with what was sent would fail. */
const isWellFormed = (value: unknown): boolean =>
  typeof value === "string"
    ? value.isWellFormed()
    : typeof value !== "object" || value === null || Object.values(value).every(isWellFormed);

/** A record that can be stored: its row was checked and is whole, or it is deleted. */
export type SoundRecord =
  | { [K in RowKind]: { kind: K; id: string; row: WholeRow<K> | null } }[RowKind]
  | { kind: "position"; id: string; row: null };

/** A record in the form in which it is stored; null for one that can't be. */
export function soundRecord({ kind, id: identifier, row }: SentRecord): SoundRecord | null {
  if (!isUuid(identifier) || identifier !== identifier.toLowerCase()) return null;
  if (row === null) return { kind, id: identifier, row };
  if (kind === "position" || !CHECKS[kind](row)) return null;
  const complete = completed(SCHEMAS[kind], row);
  return isWellFormed(complete) ? ({ kind, id: identifier, row: complete } as SoundRecord) : null;
}

const isMeasure = (value: number | null): boolean => value === null || Number.isFinite(value);

type Speeds = Pick<SentPosition, "speed_mps" | "speed_kmh" | "speed_knots" | "speed_mph">;

/** Far beyond anything measured, and finite in any other unit. */
const MOST_CONVERTED = 1e300;

/** True for speeds that are finite in each unit: POST /v1/gps takes any finite ones, but in all units. */
function areSpeeds({ speed_mps, speed_kmh, speed_knots, speed_mph }: Speeds): boolean {
  const speeds = [speed_mps, speed_kmh, speed_knots, speed_mph];
  const most = speeds.includes(null) ? MOST_CONVERTED : Number.MAX_VALUE;
  return speeds.every((speed) => speed === null || Math.abs(speed) <= most);
}

/** A position whose source and judgement this version knows. */
export type SoundPosition = SentPosition & { source: Source; judgement: Judgement | null };

const LATEST = 64_060_588_800_000;

/** True for a position that can be stored. */
export const isSoundPosition = (position: SentPosition): position is SoundPosition =>
  Math.abs(position.latitude) <= 90 &&
  Math.abs(position.longitude) <= 180 &&
  position.timestamp >= 0 &&
  position.timestamp <= LATEST &&
  position.timestamp % 1_000 === 0 &&
  position.created_at >= 0 &&
  position.created_at <= LATEST &&
  (SOURCES as readonly string[]).includes(position.source) &&
  (position.judgement === null || (JUDGEMENTS as readonly string[]).includes(position.judgement)) &&
  isMeasure(position.altitude) &&
  isMeasure(position.heading) &&
  areSpeeds(position) &&
  isMeasure(position.pdop) &&
  isMeasure(position.hdop) &&
  isMeasure(position.vdop) &&
  isMeasure(position.accuracy_m) &&
  isMeasure(position.battery_percent);

export type { RecordKind };
