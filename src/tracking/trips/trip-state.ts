/** The life of a trip, as Part 1's table of transitions states it. */
export const TRIP_STATUSES = ["draft", "active", "paused", "completed"] as const;

export type TripStatus = (typeof TRIP_STATUSES)[number];

const NEXT: Record<TripStatus, readonly TripStatus[]> = {
  draft: ["active"],
  active: ["paused", "completed"],
  paused: ["active", "completed"],
  completed: [],
};

/** What a permitted change of status does to the trip's times. */
export interface Transition {
  starts: boolean;
  ends: boolean;
}

/** The change from one status to another; null when Part 1 doesn't permit it (a change to itself included). */
export function transition(from: TripStatus, to: TripStatus): Transition | null {
  if (!NEXT[from].includes(to)) return null;
  return { starts: from === "draft", ends: to === "completed" };
}

/** Only a trip that isn't under way may be deleted. */
export function isDeletable(status: TripStatus): boolean {
  return status === "draft" || status === "completed";
}
