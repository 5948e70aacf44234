/** The life of a trip: the table of its transitions (rule T7). */
export const TRIP_STATUSES = ["draft", "active", "paused", "completed"] as const;

export type TripStatus = (typeof TRIP_STATUSES)[number];

const NEXT: Record<TripStatus, readonly TripStatus[]> = {
  draft: ["active"],
  active: ["paused", "completed"],
  paused: ["active", "completed"],
  completed: [],
};

/** The effect of a permitted change of status on the trip's times. */
export interface Transition {
  starts: boolean;
  ends: boolean;
}

/** The change from one status to another; null if rule T7 doesn't permit it (a change to itself included). */
export function transition(from: TripStatus, to: TripStatus): Transition | null {
  if (!NEXT[from].includes(to)) return null;
  return { starts: from === "draft", ends: to === "completed" };
}

/** Only a trip that isn't under way may be deleted. */
export function isDeletable(status: TripStatus): boolean {
  return status === "draft" || status === "completed";
}
