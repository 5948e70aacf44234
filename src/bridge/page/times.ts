import { computed, signal } from "@preact/signals";
import { inLanguages, tag } from "./language";

export { dayName, spanOfDay } from "./days";

/** Times as a reader says them: relative, and exact on demand. */

/** The present in epoch milliseconds, every five seconds: whatever reads it is drawn anew. */
export const present = signal(Date.now());

setInterval(() => {
  present.value = Date.now();
}, 5_000);
addEventListener("visibilitychange", () => {
  present.value = Date.now();
});

const formats = computed(() => ({
  relative: new Intl.RelativeTimeFormat(tag.value, { numeric: "auto", style: "long" }),
  exact: new Intl.DateTimeFormat(tag.value, { dateStyle: "medium", timeStyle: "medium" }),
  day: new Intl.DateTimeFormat(tag.value, {
    weekday: "short",
    day: "numeric",
    month: "short",
    year: "numeric",
  }),
  clock: new Intl.DateTimeFormat(tag.value, { hour: "2-digit", minute: "2-digit" }),
  second: new Intl.DateTimeFormat(tag.value, { timeStyle: "medium" }),
  dayAndClock: new Intl.DateTimeFormat(tag.value, {
    ...({ day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" } as const),
  }),
}));

const STEPS: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ["year", 31_536_000],
  ["month", 2_592_000],
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
];

const words = inLanguages({ en: { now: "just now" }, de: { now: "gerade eben" } });

/** The distance of a time (epoch milliseconds) from now, in words. */
export function relative(time: number): string {
  const seconds = (time - present.value) / 1_000;
  for (const [unit, size] of STEPS)
    if (Math.abs(seconds) >= size) return formats.value.relative.format(Math.trunc(seconds / size), unit);
  return Math.abs(seconds) < 15 ? words().now : formats.value.relative.format(Math.trunc(seconds), "second");
}

export const exact = (time: number): string => formats.value.exact.format(time);
export const day = (time: number): string => formats.value.day.format(time);
export const clock = (time: number): string => formats.value.clock.format(time);
/** A clock with seconds. */
export const clockToSecond = (time: number): string => formats.value.second.format(time);
export const dayAndClock = (time: number): string => formats.value.dayAndClock.format(time);

/** A duration in hours and minutes, or in minutes and seconds, from seconds. */
export function duration(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  const [hours, minutes] = [Math.floor(whole / 3_600), Math.floor((whole % 3_600) / 60)];
  if (hours >= 48) return `${Math.floor(hours / 24)} d ${hours % 24} h`;
  if (hours > 0) return `${hours} h ${String(minutes).padStart(2, "0")} min`;
  return minutes > 0 ? `${minutes} min` : `${whole} s`;
}
