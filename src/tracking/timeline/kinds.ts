/** The kinds of segments of a timeline. */
export const SEGMENT_KINDS = ["move", "stop", "gap"] as const;
export type SegmentKind = (typeof SEGMENT_KINDS)[number];

/** The measures of a device by which its timeline is divided, with their defaults. */
export const STOP_RADIUS_M = 75;
export const STOP_MINUTES = 5;
export const GAP_MINUTES = 30;

/** The periods of statistics. */
export const PERIODS = ["day", "week", "month"] as const;
export type Period = (typeof PERIODS)[number];
