/** Levels of a share, each with all that the one before shows. */
export const SHARE_LEVELS = ["now", "history", "manage"] as const;
export type ShareLevel = (typeof SHARE_LEVELS)[number];

/** True if a level shows all that another one does. */
export const reaches = (level: ShareLevel, least: ShareLevel): boolean =>
  SHARE_LEVELS.indexOf(level) >= SHARE_LEVELS.indexOf(least);
