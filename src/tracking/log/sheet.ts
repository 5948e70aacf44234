import type { Locale } from "../../kernel/values/bilingual";
import type { LogEntry } from "./schema";
import type { TrackPoint } from "./track";

/** The content of a sheet. Plain data: it goes to another thread. */
export interface Sheet {
  locale: Locale;
  /** The host by which users know the installation. */
  site: string;
  exportedAt: string;
  trip: string;
  device: string | null;
  /** The names of the locations where the trip begins and ends. */
  origin: string | null;
  destination: string | null;
  startedAt: string | null;
  endedAt: string | null;
  distanceKm: number;
  entries: SheetEntry[];
  /** `hash` of the last entry; null without entries. */
  head: string | null;
  /** The number of the first entry that breaks the chain; null for a chain that holds. */
  brokenAt: number | null;
  track: TrackPoint[];
}

/** Of an author only what the one who asks for the sheet may know. */
export type Author =
  | { kind: "user"; name: string }
  | { kind: "deleted" | "automatic" }
  | { kind: "user id" | "key"; id: string };

export interface SheetEntry extends Omit<LogEntry, "hash" | "previous_hash" | "trip_id"> {
  author: Author;
  /** Set on an entry that was struck out. */
  struck: { number: number; reason: string } | null;
  /** The number of the entry that a strike strikes out. */
  strikes: number | null;
}
