import { greatCircleKm, type Place } from "../support";

/** A timeline by the definition alone: each run is looked at from scratch, with vectors for the distances. */

export interface Fix extends Place {
  /** Unix seconds. */
  time: number;
  speed_kmh?: number | null;
}

export interface Measures {
  radiusM: number;
  stopMinutes: number;
  gapMinutes: number;
}

export const DEFAULTS: Measures = { radiusM: 75, stopMinutes: 5, gapMinutes: 30 };

export interface Expected {
  kind: "move" | "stop" | "gap";
  /** Unix seconds. */
  from: number;
  to: number;
  points: number;
  distanceKm: number;
  /** Of the fixes to which its legs lead, the highest speeds first, in km/h. */
  speeds: number[];
}

/** The first fix of each second, oldest first. */
export function firstOfEach(fixes: readonly Fix[]): Fix[] {
  const bySecond = new Map<number, Fix>();
  for (const fix of fixes) if (!bySecond.has(fix.time)) bySecond.set(fix.time, fix);
  return [...bySecond.values()].toSorted((a, b) => a.time - b.time);
}

/** The number of fixes from one on that are within the radius of it. */
function runFrom(fixes: readonly Fix[], begin: number, radiusM: number): number {
  const first = fixes[begin] as Fix;
  const rest = fixes.slice(begin);
  const end = rest.findIndex((fix) => greatCircleKm(first, fix) * 1_000 > radiusM);
  return end === -1 ? rest.length : end;
}

/** The stop that each fix belongs to, by the index of its first one; -1 for none. */
function stopsOf(fixes: readonly Fix[], { radiusM, stopMinutes }: Measures): number[] {
  const stops = fixes.map(() => -1);
  for (let begin = 0; begin < fixes.length; ) {
    const count = runFrom(fixes, begin, radiusM);
    const lasted = (fixes[begin + count - 1] as Fix).time - (fixes[begin] as Fix).time;
    if (lasted < stopMinutes * 60) begin++;
    else {
      stops.fill(begin, begin, begin + count);
      begin += count;
    }
  }
  return stops;
}

/** The kind of the leg to each fix but the first. */
export function legsOf(fixes: readonly Fix[], measures: Measures = DEFAULTS): Expected["kind"][] {
  const stops = stopsOf(fixes, measures);
  return fixes.slice(1).map((to, at) => {
    const from = fixes[at] as Fix;
    if (stops[at] !== -1 && stops[at] === stops[at + 1]) return "stop";
    const isSilent = to.time - from.time >= measures.gapMinutes * 60;
    return isSilent && greatCircleKm(from, to) * 1_000 > measures.radiusM ? "gap" : "move";
  });
}

export const speedOf = (from: Fix, to: Fix): number =>
  to.speed_kmh ?? (greatCircleKm(from, to) / (to.time - from.time)) * 3_600;

/** The segments of a track: legs of one kind in a row, and each gap by itself. */
export function timelineOf(all: readonly Fix[], measures: Measures = DEFAULTS): Expected[] {
  const fixes = firstOfEach(all);
  const segments: Expected[] = [];
  for (const [at, kind] of legsOf(fixes, measures).entries()) {
    const [from, to] = [fixes[at] as Fix, fixes[at + 1] as Fix];
    let open = segments.at(-1);
    if (!open || kind === "gap" || open.kind !== kind) {
      open = { kind, from: from.time, to: from.time, points: 1, distanceKm: 0, speeds: [] };
      segments.push(open);
    }
    open.to = to.time;
    open.points++;
    open.distanceKm += greatCircleKm(from, to);
    open.speeds.push(speedOf(from, to));
  }
  for (const { speeds } of segments) speeds.sort((a, b) => b - a);
  return segments;
}
