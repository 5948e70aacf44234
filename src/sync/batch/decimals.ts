import { MalformedBatch, type Reader, type Writer } from "./bytes";
import { isHeld, readBits, readIntegers, writeBits, writeIntegers } from "./integers";

/**
 * Columns of numbers that receivers tell with few decimals. A grid makes whole numbers of them, and gives exactly the same
 * numbers back; those that no grid holds are told as they are in memory.
 */

interface Grid {
  /** The nearest point of the grid. */
  at: (value: number) => number;
  value: (point: number) => number;
}

const decimal = (places: number): Grid => {
  const scale = 10 ** places;
  return { at: (value) => Math.round(value * scale), value: (point) => point / scale };
};

/**
 * Degrees as NMEA 0183 tells them, in minutes with some decimals: the degrees were rounded to nine, so that they look like
 * noise.
 */
const minutes = (places: number): Grid => {
  const scale = 10 ** places;
  const degree = 60 * scale;
  return {
    at: (value) => Math.round(value * degree),
    value: (point) => Math.round((point / degree) * 1e9) / 1e9,
  };
};

/** By their number in the format: 0 to 15 decimals of the unit, then 2 to 7 decimals of its sixtieth. */
const GRIDS: readonly Grid[] = [
  ...Array.from({ length: 16 }, (_, places) => decimal(places)),
  ...Array.from({ length: 6 }, (_, places) => minutes(places + 2)),
];

function isOn({ at, value }: Grid, number: number): boolean {
  const point = at(number);
  // The grid knows no sign of zero.
  return isHeld(point) && value(point) === number && !Object.is(number, -0);
}

/** Of so many numbers one may lie off the grid. */
const RARE = 50;

/** The coarsest grid that holds nearly all of some numbers; grids in minutes last, since they are costlier to find. */
function gridFor(numbers: readonly number[]): number {
  const off = (grid: Grid): number => {
    let count = 0;
    for (const number of numbers) if (!isOn(grid, number) && ++count * RARE > numbers.length) return count;
    return count;
  };
  // In minutes a number has fewer digits than in degrees, if it was told so.
  const order = [0, 1, 2, 3, 4, 5, 6, 16, 17, 18, 19, 20, 21, 7, 8, 9, 10, 11, 12, 13, 14, 15];
  return order.find((index) => off(GRIDS[index] as Grid) * RARE <= numbers.length) ?? 15;
}

/** Writes numbers, or null. `groups` names the group of each: its values resemble each other. */
export function writeDecimals(
  to: Writer,
  values: readonly (number | null)[],
  groups: readonly number[],
): void {
  writeBits(
    to,
    values.map((value) => value === null),
  );
  const known: number[] = [];
  const knownGroups: number[] = [];
  for (const [at, value] of values.entries())
    if (value !== null) {
      known.push(value);
      knownGroups.push(groups[at] as number);
    }
  const index = gridFor(known);
  const grid = GRIDS[index] as Grid;
  const isOff = known.map((value) => !isOn(grid, value));
  to.byte(index);
  writeBits(to, isOff);
  for (const [at, value] of known.entries()) if (isOff[at]) to.double(value);
  const on = (_: unknown, at: number) => !isOff[at];
  writeIntegers(
    to,
    known.filter(on).map((value) => grid.at(value)),
    knownGroups.filter(on),
  );
}

export function readDecimals(from: Reader, groups: readonly number[]): (number | null)[] {
  const isNull = readBits(from, groups.length);
  const grid = GRIDS[from.byte()];
  if (!grid) throw new MalformedBatch("a column lies on no known grid");
  const knownGroups = groups.filter((_, at) => !isNull[at]);
  const isOff = readBits(from, knownGroups.length);
  const off = isOff.filter(Boolean).map(() => from.double());
  const points = readIntegers(
    from,
    knownGroups.filter((_, at) => !isOff[at]),
  );
  let [nextOff, nextPoint, nextKnown] = [0, 0, 0];
  return groups.map((_, at) => {
    if (isNull[at]) return null;
    return isOff[nextKnown++] ? (off[nextOff++] as number) : grid.value(points[nextPoint++] as number);
  });
}
