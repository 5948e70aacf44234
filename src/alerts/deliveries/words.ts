/** Words of deliveries. */

/** Occasions of which a target is told. */
export const OCCASIONS = [
  "alert.raised",
  "alert.acknowledged",
  "alert.cleared",
  "alert.test",
  "audit.head",
] as const;
export type Occasion = (typeof OCCASIONS)[number];
