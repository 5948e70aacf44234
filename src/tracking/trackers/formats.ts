/** The apps that a tracker can be made for. The format decides how a path with two dialects is read. */
export const TRACKER_FORMATS = [
  "owntracks",
  "traccar_client",
  "osmand",
  "overland",
  "gpslogger",
  "traccar_server",
  "generic",
] as const;
export type TrackerFormat = (typeof TRACKER_FORMATS)[number];
