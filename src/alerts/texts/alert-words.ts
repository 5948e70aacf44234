import type { ConditionType, Severity, ZoneEvent } from "../kinds";

/** An alert as texts tell of it. */
export interface AlertWords {
  occasion: "alert.raised" | "alert.acknowledged" | "alert.cleared";
  severity: Severity;
  condition: ConditionType;
  /** Of a rule on zones. */
  event: ZoneEvent | null;
  device: string;
  /** See the table of alerts. */
  subject: string | null;
  subjectName: string;
  value: number | null;
  /** The text of the rule's own, with its places filled in. */
  message: string | null;
  rule: string | null;
  /** The position of the crossing or the fix, and its own time (epoch milliseconds): the alert may have come later. */
  place: { latitude: number; longitude: number; time: number } | null;
  /** Epoch milliseconds. */
  raisedAt: number;
  clearedAt: number | null;
  note: string | null;
}

/** "2026-05-04 09:30 UTC". */
export const clock = (time: number): string =>
  `${new Date(time).toISOString().slice(0, 16).replace("T", " ")} UTC`;

/** "54.09670, 13.45530": a metre, as degrees have it. */
export const coordinates = ({ latitude, longitude }: { latitude: number; longitude: number }): string =>
  `${latitude.toFixed(5)}, ${longitude.toFixed(5)}`;

/** A measure with at most one decimal. */
export const rounded = (value: number | null): string =>
  value === null ? "?" : String(Math.round(value * 10) / 10);

/** A span of seconds in the two largest units of it: "1 h 30 min". */
export function span(seconds: number | null): string {
  if (seconds === null) return "?";
  const whole = Math.round(seconds);
  const parts = [
    [Math.floor(whole / 86_400), "d"],
    [Math.floor(whole / 3_600) % 24, "h"],
    [Math.floor(whole / 60) % 60, "min"],
    [whole % 60, "s"],
  ] as const;
  const first = parts.findIndex(([count]) => count > 0);
  if (first === -1) return "0 s";
  return parts
    .slice(first, first + 2)
    .filter(([count]) => count > 0)
    .map(([count, unit]) => `${count} ${unit}`)
    .join(" ");
}
