/** Levels of a link: the newest position, or the track of a span too. */
export const LINK_LEVELS = ["live", "history"] as const;
export type LinkLevel = (typeof LINK_LEVELS)[number];
