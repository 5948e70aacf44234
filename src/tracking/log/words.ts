import type { Locale } from "../../kernel/values/bilingual";
import { english } from "./english";
import { german } from "./german";
import type { EntryKind } from "./kinds";
import type { MapWords } from "./sheet-map";

/** The words of a sheet. Numbers come as texts. */
export interface Words {
  /** Tag of the language and country for dates and numbers (BCP 47). */
  tag: string;
  title: string;
  page: (current: number, all: number) => string;
  fields: Record<"device" | "trip" | "from" | "to" | "distance" | "entries" | "exported" | "head", string>;
  columns: Record<"number" | "time" | "kind" | "entry" | "author", string>;
  kinds: Record<EntryKind, string>;
  underWay: string;
  recorded: (time: string) => string;
  course: (degrees: string) => string;
  speed: (knots: string) => string;
  sinceLast: (miles: string) => string;
  inAll: (miles: string) => string;
  struck: (byNumber: number, reason: string) => string;
  strikes: (number: number) => string;
  automatic: string;
  deletedUser: string;
  user: (id: string) => string;
  key: (id: string) => string;
  track: string;
  noTrack: string;
  noEntries: string;
  broken: (number: number) => string;
  map: MapWords;
  placeAndDate: string;
  master: string;
  /** Explains the hash below the table. */
  proof: string;
}

export const WORDS: Record<Locale, Words> = { en: english, de: german };
