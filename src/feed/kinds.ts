/**
 * The kinds of changes, by their number in the database: none may be renumbered. All but `position`, `crossing` and `logEntry`
 * are types of messages: nobody is told of those by themselves, as of a batch. A `geofenceEvent` numbers its crossing. Records
 * that age out, and positions that lose the trip or the device that is deleted, are not numbered: the one is no change of the
 * record's owner, the other is told by that deletion, as is the end of a trip's log.
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
  "logEntry",
] as const;
export type ChangeKind = (typeof CHANGE_KINDS)[number];

/** Kinds that are numbered, and told to nobody by themselves. */
export const SILENT_KINDS = ["position", "crossing", "logEntry"] as const satisfies readonly ChangeKind[];
export type SilentKind = (typeof SILENT_KINDS)[number];

/** Kinds of which there are as many as positions: all others have an index of their own. */
export const FREQUENT_KINDS = [
  "gpsUpdate",
  "gpsLate",
  "position",
  "geofenceCorrection",
] as const satisfies readonly ChangeKind[];

/** The number of a kind in the database. */
export const numberOfKind = (kind: ChangeKind): number => CHANGE_KINDS.indexOf(kind);

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
