/**
 * The kinds of changes, by their number in the database: none may be renumbered. All but `position` and `crossing` are types
 * of messages: nobody is told of those by themselves, as of a batch. A `geofenceEvent` numbers its crossing. Positions that age
 * out, and those that lose the trip or the device that is deleted, are not numbered: the one is no change of the record's
 * owner, the other is told by that deletion.
 */
export const CHANGE_KINDS = [
  "gpsUpdate",
  "gpsLate",
  "geofenceEvent",
  "tripUpdate",
  "deviceUpdate",
  "position",
  "geofenceCorrection",
  "alertRaised",
  "alertUpdated",
  "alertAcknowledged",
  "alertCleared",
  "crossing",
] as const;
export type ChangeKind = (typeof CHANGE_KINDS)[number];

/** Kinds that are numbered, and told to nobody by themselves. */
export type SilentKind = "position" | "crossing";

/** Types of messages that changes are told by. */
export type ChangeType = Exclude<ChangeKind, SilentKind>;
export const CHANGE_TYPES: readonly ChangeType[] = [
  "gpsUpdate",
  "gpsLate",
  "geofenceEvent",
  "geofenceCorrection",
  "tripUpdate",
  "deviceUpdate",
  "alertRaised",
  "alertUpdated",
  "alertAcknowledged",
  "alertCleared",
];
