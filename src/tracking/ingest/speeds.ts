import type { Measures } from "./columns";
import type { Fix } from "./fix";

/** Units of speed in one metre a second: a nautical mile has 1,852 m, a statute mile 1,609.344 m. */
const PER_MPS = {
  speed_mps: 1,
  speed_kmh: 3.6,
  speed_knots: 3_600 / 1_852,
  speed_mph: 3_600 / 1_609.344,
} as const;
const UNITS = Object.keys(PER_MPS) as (keyof typeof PER_MPS)[];

/** Decimals beyond a millionth are noise of the conversion. */
const round = (value: number): number => Math.round(value * 1e6) / 1e6;

/** A fix with its speed in each unit; null in each if the source told none. A speed that it told stays as it is. */
export function withAllSpeeds(fix: Fix): Measures {
  const told = UNITS.find((unit) => fix[unit] != null);
  if (told === undefined) return fix;
  const mps = (fix[told] as number) / PER_MPS[told];
  const all: Measures = { ...fix };
  for (const unit of UNITS) all[unit] ??= round(mps * PER_MPS[unit]);
  return all;
}
