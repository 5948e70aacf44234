import { computed } from "@preact/signals";
import { stored } from "./stored";

/** Languages of the page: the browser's, until its reader chooses another. */

export type Locale = "en" | "de";

const LOCALES: readonly Locale[] = ["en", "de"];

const ofBrowser = (): Locale => {
  for (const language of navigator.languages) {
    const found = LOCALES.find((locale) => language.toLowerCase().startsWith(locale));
    if (found) return found;
  }
  return "en";
};

export const chosenLocale = stored("language", ["auto", ...LOCALES], "auto");

export const locale = computed<Locale>(() =>
  chosenLocale.value === "auto" ? ofBrowser() : chosenLocale.value,
);

locale.subscribe((value) => {
  document.documentElement.lang = value;
});

/** The texts of a panel in each language. Call the result while rendering: the panel is drawn anew when the language changes. */
export const inLanguages =
  <T>(texts: Record<Locale, T>): (() => T) =>
  () =>
    texts[locale.value];

/** The tag by which `Intl` writes numbers and dates. */
export const tag = computed(() => (locale.value === "de" ? "de-DE" : "en-GB"));
