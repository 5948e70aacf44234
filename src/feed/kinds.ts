/**
 * The kinds of changes, by their number in the database: none may be renumbered. All are types of messages but `position`,
 * of which nobody is told by itself, as of a batch.
 */
export const CHANGE_KINDS = [
  "gpsUpdate",
  "gpsLate",
  "geofenceEvent",
  "tripUpdate",
  "deviceUpdate",
  "position",
  "geofenceCorrection",
] as const;
export type ChangeKind = (typeof CHANGE_KINDS)[number];

/** Types of messages that changes are told by. */
export type ChangeType = Exclude<ChangeKind, "position">;
export const CHANGE_TYPES: readonly ChangeType[] = [
  "gpsUpdate",
  "gpsLate",
  "geofenceEvent",
  "geofenceCorrection",
  "tripUpdate",
  "deviceUpdate",
];
