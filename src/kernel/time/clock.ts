/** The one source of time. Everything that reads the time calls `now()`, so that a test can move it. */
let source: () => number = Date.now;

/** Time as it goes by on this machine, whatever its clock is set to in between. */
const sinceStart = (): number => performance.timeOrigin + performance.now();
let steadySource: () => number = sinceStart;

/** Milliseconds since 1970-01-01T00:00:00Z. */
export function now(): number {
  return source();
}

/** Milliseconds that have gone by since some moment: a clock that is set, forward or back, changes nothing here. */
export function steadyNow(): number {
  return steadySource();
}

/**
 * Replaces the source of time; without an argument, the machine's clock returns. By default time goes by as the clock shows
 * it; `steady` is for one that is set.
 */
export function setClock(
  next: () => number = Date.now,
  steady = next === Date.now ? sinceStart : next,
): void {
  source = next;
  steadySource = steady;
}

/** The times of a record that is made now: one look at the clock, so that they are equal. */
export function madeNow(): { created_at: number; updated_at: number } {
  const time = now();
  return { created_at: time, updated_at: time };
}

export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** Times whose texts are remembered, a power of two: the fixes of one commit share the time at which they were stored. */
const REMEMBERED = 64;
const times = new Array<number>(REMEMBERED).fill(Number.NaN);
const texts = new Array<string>(REMEMBERED).fill("");

/** ISO 8601 in UTC with milliseconds, from epoch milliseconds. */
export function iso(milliseconds: number): string {
  const at = milliseconds & (REMEMBERED - 1);
  const known = times[at] === milliseconds ? texts[at] : undefined;
  if (known !== undefined) return known;
  const text = new Date(milliseconds).toISOString();
  times[at] = milliseconds;
  texts[at] = text;
  return text;
}

/** `iso` that keeps null. */
export function isoOrNull(milliseconds: number | null): string | null {
  return milliseconds === null ? null : iso(milliseconds);
}

/** The first and the last millisecond of a time or a date (a day in UTC): `[start, end]`. */
export function spanOf(moment: string): [start: number, end: number] {
  const start = Date.parse(moment);
  return moment.length === "2026-05-04".length ? [start, start + DAY - 1] : [start, start];
}
