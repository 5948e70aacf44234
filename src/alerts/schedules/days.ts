/** Days of a week as schedules name them, from Monday on. */
export const DAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] as const;
export type Day = (typeof DAYS)[number];

/** A schedule as it is stored: the type of `Schedule` in schema.ts, for tables. */
export interface StoredSchedule {
  timezone: string;
  windows: { days: Day[]; from: string; to: string }[];
}
