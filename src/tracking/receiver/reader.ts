import type { Reading } from "../ingest/fix";

/** The result of a line or message. */
export interface Taken {
  /** False for noise, and for anything that a source of this kind doesn't send. */
  makesSense: boolean;
  /** Fixes that are complete now, and news that there is none. */
  readings: Reading[];
}

/** Reads what a source sends, one line or message after the other. It knows no clock. */
export interface Reader {
  take: (text: string) => Taken;
  /** The source pauses: returns the fix that waited for more to belong to it. */
  flush: () => Reading[];
}

export const NOISE: Taken = { makesSense: false, readings: [] };
export const understood = (readings: Reading[] = []): Taken => ({ makesSense: true, readings });

/** Values of dilution outside of these bounds are how receivers write that they know none (99.99, 0.00). */
const DILUTION = { least: 0.01, most: 89.99 };

/** A dilution of precision, or null for one that stands for "unknown". */
export const dilution = (value: unknown): number | null =>
  typeof value === "number" && value >= DILUTION.least && value <= DILUTION.most ? value : null;

/** Degrees that name a place on Earth. */
export const isPlace = (latitude: number, longitude: number): boolean =>
  Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180;

export const finite = (value: unknown): number | null =>
  typeof value === "number" && Number.isFinite(value) ? value : null;
