import { expect } from "bun:test";
import fc from "fast-check";
import { REJECTIONS, type Reading } from "../../../../src/tracking/ingest/fix";

/** Least and greatest value of each field of a fix. */
const BOUNDS: Record<string, [number, number]> = {
  latitude: [-90, 90],
  longitude: [-180, 180],
  time: [-8.64e12, 8.64e12],
  altitude: [-12_000, 100_000],
  heading: [0, 360],
  speed_mps: [0, 100_000],
  speed_kmh: [0, 100_000],
  speed_mph: [0, 100_000],
  speed_knots: [0, 100_000],
  pdop: [0, 100],
  hdop: [0, 100],
  vdop: [0, 100],
  accuracy_m: [0, 20_040_000],
  battery_percent: [0, 100],
};
const REQUIRED = ["latitude", "longitude", "time"];

/** Fails unless each reading is a known rejection, or a fix with finite values within bounds and nothing else. */
export function expectSound(readings: readonly Reading[]): void {
  for (const reading of readings) {
    if ("rejected" in reading) {
      expect(REJECTIONS).toContain(reading.rejected);
      continue;
    }
    for (const field of REQUIRED) expect(reading).toHaveProperty(field, expect.any(Number));
    for (const [field, value] of Object.entries(reading)) {
      const [low, high] = BOUNDS[field] ?? [Number.NaN, Number.NaN];
      const isSound = value === null || (value >= low && value <= high && !Object.is(value, -0));
      if (!isSound) throw new Error(`${field} is ${value}`);
    }
  }
}

const NUMBERS = [0, -0, -1, 1, 90.000001, 180, 360, 99.99, 1e11, 1.7e12, 1e308, -1e308, 2 ** 31];
const TEXTS = ["", " ", "-1", "0.0", "NaN", "Infinity", "0x10", "1e400", "54,1", "5".repeat(99), "{0}"];
const TIMES = [
  "2024-06-30T07:41:09Z",
  "2024-02-30T00:00:00Z",
  "2024-06-30 07:41:09",
  "1719733269",
  1_719_733_269,
];

/** A value that a field may have: mostly a plausible one, else one of the stand-ins and traps, else any JSON. */
const value: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 4, arbitrary: fc.double({ min: -60, max: 60, noNaN: true }) },
  { weight: 2, arbitrary: fc.constantFrom<unknown>(...NUMBERS, ...TEXTS, ...TIMES, true, false, null) },
  { weight: 1, arbitrary: fc.double() },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 2 }) },
);

/** Objects with some of these fields, whose values are good, bad and absurd. */
export const objectOf = (...fields: string[]): fc.Arbitrary<Record<string, unknown>> =>
  fc.record(Object.fromEntries(fields.map((field) => [field, value])), { requiredKeys: [] });

/** Any JSON, or one of these shapes. */
export const jsonOr = (...shapes: fc.Arbitrary<unknown>[]): fc.Arbitrary<unknown> =>
  fc.oneof(
    { weight: 1, arbitrary: fc.jsonValue() },
    ...shapes.map((arbitrary) => ({ weight: 4, arbitrary })),
  );

const textOf = (value: unknown): string =>
  typeof value === "object" ? JSON.stringify(value) : String(value);

/** Queries with some of these parameters. */
export const paramsOf = (...names: string[]): fc.Arbitrary<URLSearchParams> =>
  objectOf(...names).map(
    (fields) => new URLSearchParams(Object.entries(fields).map(([name, field]) => [name, textOf(field)])),
  );

export { fc };
