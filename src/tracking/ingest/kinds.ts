/** The doors by which positions come in. */
export const SOURCES = [
  "api",
  "batch",
  "owntracks",
  "osmand",
  "overland",
  "gpslogger",
  "traccar",
  "generic",
  "nmea",
  "gpsd",
  "signalk",
  "gpx",
  "csv",
  "mqtt",
  "sync",
] as const;
export type Source = (typeof SOURCES)[number];

/** True for the ways of the box's own receiver, whose fixes are not held against the clock. */
export const isOwn = (source: Source): boolean =>
  source === "nmea" || source === "gpsd" || source === "signalk";

/** True for files, which say nothing of the time at which a device sent something. */
export const isFile = (source: Source): boolean => source === "gpx" || source === "csv";

/**
 * Judgements of a fix; null for one that counts: `speed` (too fast from both neighbours), `held` (the newest one, too fast
 * from the one before, which counts for nothing until the next one tells), `hand` (marked by somebody), `cleared`
 * (unmarked by somebody, so that it stays unmarked).
 */
export const JUDGEMENTS = ["speed", "held", "hand", "cleared"] as const;
export type Judgement = (typeof JUDGEMENTS)[number];
