import type { Reader, Writer } from "./bytes";
import { readDecimals, writeDecimals } from "./decimals";
import { readIntegers, writeIntegers } from "./integers";

/**
 * The four speeds of a fix. Mostly one was told and the others follow from it, so that one is enough. The arithmetic is a part
 * of the format, and never changes.
 */

export const SPEEDS = ["speed_mps", "speed_kmh", "speed_knots", "speed_mph"] as const;
export type Speeds = Record<(typeof SPEEDS)[number], number | null>;

/** Units in one metre a second. */
const PER_MPS = [1, 3.6, 3_600 / 1_852, 3_600 / 1_609.344] as const;

const NONE = 0;
/** One more than the place of the speed from which the others follow. */
const FOLLOWING = 1;
/** The same for a speed that is alone. */
const ALONE = 5;
const EACH = 9;
const FORMS = 10;

/** A speed in another unit, rounded to a millionth. */
const converted = (value: number, from: number, to: number): number =>
  from === to ? value : Math.round((value / (PER_MPS[from] as number)) * (PER_MPS[to] as number) * 1e6) / 1e6;

function formOf(speeds: readonly (number | null)[]): number {
  const known = speeds.flatMap((speed, at) => (speed === null ? [] : [at]));
  if (known.length === 0) return NONE;
  if (known.length === 1) return ALONE + (known[0] as number);
  if (known.length < SPEEDS.length) return EACH;
  const follow = (from: number) =>
    speeds.every((speed, to) => Object.is(speed, converted(speeds[from] as number, from, to)));
  // The one that was told has fewer decimals than those that were computed.
  const [from] = known
    .filter(follow)
    .sort((a, b) => placesOf(speeds[a] as number) - placesOf(speeds[b] as number));
  return from === undefined ? EACH : FOLLOWING + from;
}

/** Decimals of a number, up to seven. */
function placesOf(value: number): number {
  let places = 0;
  for (let scale = 1; places < 7 && Math.round(value * scale) / scale !== value; scale *= 10) places++;
  return places;
}

/** The speed that is told by itself, of a form that has one. */
const toldBy = (form: number): number | null => {
  if (form === NONE || form === EACH) return null;
  return form < ALONE ? form - FOLLOWING : form - ALONE;
};

/** Writes the speeds of fixes. `groups` names the group of each: its speeds resemble each other. */
export function writeSpeeds(to: Writer, fixes: readonly Speeds[], groups: readonly number[]): void {
  const speeds = fixes.map((fix) => SPEEDS.map((name) => fix[name]));
  const forms = speeds.map(formOf);
  writeIntegers(to, forms, groups);
  writeDecimals(
    to,
    speeds.map((each, at) => {
      const told = toldBy(forms[at] as number);
      return told === null ? null : (each[told] as number);
    }),
    groups,
  );
  const rest = speeds.filter((_, at) => forms[at] === EACH);
  for (const place of SPEEDS.keys())
    writeDecimals(
      to,
      rest.map((each) => each[place] as number | null),
      rest.map(() => 0),
    );
}

export function readSpeeds(from: Reader, groups: readonly number[]): Speeds[] {
  const forms = readIntegers(from, groups);
  const told = readDecimals(from, groups);
  const rest = forms.filter((form) => form === EACH).map(() => 0);
  const columns = SPEEDS.map(() => readDecimals(from, rest));
  let next = 0;
  return forms.map((form, at) => {
    if (form === EACH) {
      const index = next++;
      return speedsOf((place) => columns[place]?.[index] ?? null);
    }
    const known = form > NONE && form < FORMS ? toldBy(form) : null;
    const value = told[at] ?? null;
    if (known === null || value === null) return speedsOf(() => null);
    return form < ALONE
      ? speedsOf((place) => converted(value, known, place))
      : speedsOf((place) => (place === known ? value : null));
  });
}

const speedsOf = (value: (place: number) => number | null): Speeds =>
  Object.fromEntries(SPEEDS.map((name, place) => [name, value(place)])) as Speeds;
