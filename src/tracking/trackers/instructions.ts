import type { Locale } from "../../kernel/values/bilingual";
import { english } from "./english";
import type { TrackerFormat } from "./formats";
import { german } from "./german";
import type { Setup } from "./setup";

/** The facts that the steps of a set-up name. */
export interface Facts extends Setup {
  base: string;
  token: string;
  encryptionKey: string | null;
  sendsZones: boolean;
}

export interface Steps extends Record<TrackerFormat, (facts: Facts) => string[]> {
  shownOnce: string;
  /** A warning for an address outside of the local network that begins with http. */
  inClear: string;
}

const LANGUAGES: Record<Locale, Steps> = { en: english, de: german };

/** The steps to set an app up, each a short sentence or two. */
export function instructionsFor(
  locale: Locale,
  format: TrackerFormat,
  facts: Facts,
  isInClear: boolean,
): string[] {
  const language = LANGUAGES[locale];
  return [...language[format](facts), language.shownOnce, ...(isInClear ? [language.inClear] : [])];
}
