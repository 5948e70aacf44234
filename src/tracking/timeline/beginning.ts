import type { Beginning } from "./course";
import { type PartRow, partsUpTo } from "./stored";
import { addSpeed, type Box, type Spot, type Tally, widen } from "./tally";
import { fixAt } from "./track";

/** A place in a device's track from which its timeline is followed on: behind a stored part, or at the first fix. */
export interface Behind {
  /** The fix time behind which it begins. */
  after: number;
  beginning: Beginning | null;
}

/** Before any fix time. */
export const BEFORE_ALL = -1;

const boxOfPart = ({ south, north, west, east, west_360, east_360 }: PartRow): Box => ({
  ...{ south, north, west, east, west_360, east_360 },
});

/** The sums of some parts of a segment in a row, from one fix to another. */
export function sumOf(parts: readonly PartRow[], from: Spot, until: Spot): Tally {
  const [first, ...others] = parts as [PartRow, ...PartRow[]];
  const { kind, highest_kmh, second_kmh } = first;
  const sums: Tally = {
    ...{ kind, from, until, highest_kmh, second_kmh },
    ...{ legs: first.legs, distance_mm: first.distance_mm, box: boxOfPart(first) },
  };
  for (const part of others) {
    sums.legs += part.legs;
    sums.distance_mm += part.distance_mm;
    addSpeed(sums, part.highest_kmh);
    addSpeed(sums, part.second_kmh);
    widen(sums.box, boxOfPart(part));
  }
  return sums;
}

const spotOf = ({ time, latitude, longitude }: Spot): Spot => ({ time, latitude, longitude });

/**
 * The place behind a part, null for none. A part whose fixes are gone by age is as good as none: the track begins with the
 * next fix.
 */
export function behind(deviceId: string, part: PartRow | null): Behind {
  if (part === null) return { after: BEFORE_ALL, beginning: null };
  const after = part.until_time;
  const last = fixAt(deviceId, after);
  if (!last) return { after, beginning: null };
  if (part.is_last === 1) {
    const resumption = { last, stop: null, hasStopped: part.kind === "stop" };
    return { after, beginning: { resumption, segment: null } };
  }
  const parts = partsUpTo(deviceId, after);
  const first = fixAt(deviceId, (parts[0] ?? part).from_time);
  if (!first) return { after, beginning: null };
  const resumption = { last, stop: part.kind === "stop" ? first : null, hasStopped: false };
  return { after, beginning: { resumption, segment: sumOf(parts, spotOf(first), spotOf(last)) } };
}
