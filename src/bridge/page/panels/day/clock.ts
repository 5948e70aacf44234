import { indexAt, type Way } from "./way";

/** The clock of a replay, which all devices share. Times are Unix seconds. */

/** Paces, as multiples of that of life. */
export const RATES = [1, 10, 60] as const;
/** For spans that would take hours even so. */
export const LONG_RATES = [600, 3_600] as const;

const DAY = 86_400;

export const ratesFor = (span: number): readonly number[] =>
  span > 2 * DAY ? [...RATES, ...LONG_RATES] : RATES;

/** The first and the last moment of ways; null where none has a point. */
export function extentOf(ways: readonly Way[]): { from: number; to: number } | null {
  const times = ways.flatMap((way) => [way[0], way.at(-1)]).flatMap((point) => (point ? [point.time] : []));
  return times.length === 0 ? null : { from: Math.min(...times), to: Math.max(...times) };
}

/** The first moment from a time on of which a way knows something. */
function knownFrom(way: Way, time: number): number {
  const at = indexAt(way, time);
  const next = way[at + 1];
  if (way[at]?.time === time || (at >= 0 && next && !next.begins)) return time;
  return next?.time ?? Number.POSITIVE_INFINITY;
}

/** The time after so many seconds of the replay. Where nothing is known of any device, it goes on with what comes next. */
export function advance(ways: readonly Way[], time: number, seconds: number): number {
  const end = extentOf(ways)?.to ?? time;
  const next = Math.min(...ways.map((way) => knownFrom(way, time + seconds)));
  return Math.min(next, end);
}

/** Seconds that a press of an arrow key moves the slider by. */
export const stepFor = (span: number): number => Math.max(1, Math.round(span / 500));

const STEPS: Record<string, number> = {
  ...{ ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 },
  ...{ PageUp: 10, PageDown: -10 },
};

/** The time to which a key of the slider leads; null for a key that means nothing to it. */
export function timeByKey(
  key: string,
  time: number,
  { from, to }: { from: number; to: number },
): number | null {
  if (key === "Home") return from;
  if (key === "End") return to;
  const steps = STEPS[key];
  return steps === undefined ? null : Math.max(from, Math.min(to, time + steps * stepFor(to - from)));
}
