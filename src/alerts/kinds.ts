/** Words that rules, alerts and deliveries share, and conditions as they are stored. */

export const SEVERITIES = ["info", "warning", "alarm"] as const;
export type Severity = (typeof SEVERITIES)[number];

export const CONDITION_TYPES = [
  "zone",
  "silence",
  "speed",
  "anchor",
  "battery",
  "water_level",
  "system",
] as const;
export type ConditionType = (typeof CONDITION_TYPES)[number];

export const ZONE_EVENTS = ["enter", "exit", "passed", "dwell"] as const;
export type ZoneEvent = (typeof ZONE_EVENTS)[number];

/** Measures of the installation itself. */
export const SYSTEM_MEASURES = [
  "backup_age",
  "disk_free",
  "position_source",
  "vessel_source",
  "sync_backlog",
  "email_queue",
] as const;
export type SystemMeasure = (typeof SYSTEM_MEASURES)[number];

/** A condition of a rule: the type of `Condition` in schema.ts, for the table. */
export type StoredCondition =
  | { type: "zone"; event: ZoneEvent; geofence_ids: string[] }
  | { type: "silence"; seconds: number }
  | { type: "speed"; above_knots: number }
  | { type: "anchor" }
  | { type: "battery"; below_percent: number }
  | { type: "water_level"; station: string; above_cm?: number; below_cm?: number }
  | { type: "system"; what: SystemMeasure; above?: number; below?: number };
