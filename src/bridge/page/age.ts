import { present } from "./times";

/** The age of a position: `fresh` up to 5 minutes, `old` up to an hour, then `lost`. */
export type Age = "fresh" | "old" | "lost" | "none";

export function ageOf(fix: { timestamp: string } | null, now: number = present.value): Age {
  if (!fix) return "none";
  const minutes = (now - Date.parse(fix.timestamp)) / 60_000;
  if (minutes <= 5) return "fresh";
  return minutes <= 60 ? "old" : "lost";
}
