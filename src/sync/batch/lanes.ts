/**
 * The lanes of a transfer, in their order: one never waits for a later one. Each has its own place in the feed of the box, and its
 * own number in the format of batches, which none may lose.
 */
export const LANES = ["alerts", "newest", "trips", "zones", "thinned", "backlog", "history"] as const;
export type Lane = (typeof LANES)[number];

/** The number of a lane in batches, from 1 on. */
export const numberOfLane = (lane: Lane): number => LANES.indexOf(lane) + 1;

/** The lane of a number; null for one that this version doesn't know. */
export const laneOfNumber = (number: number): Lane | null => LANES[number - 1] ?? null;
