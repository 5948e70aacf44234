import { computed } from "@preact/signals";
import { isolated } from "./direction";
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

/** The same texts, where those that take names and numbers in keep names apart that run from right to left. */
function isolating<T>(texts: T): T {
  if (typeof texts === "function")
    return ((...values: unknown[]) =>
      texts(...values.map((value) => (typeof value === "string" ? isolated(value) : value)))) as T;
  if (typeof texts !== "object" || texts === null || Array.isArray(texts)) return texts;
  return Object.fromEntries(Object.entries(texts).map(([key, value]) => [key, isolating(value)])) as T;
}

/** The texts of a panel in each language. Call the result while rendering: the panel is drawn anew when the language changes. */
export function inLanguages<T>(texts: Record<Locale, T>): () => T {
  const made: Record<Locale, T> = { en: isolating(texts.en), de: isolating(texts.de) };
  return () => made[locale.value];
}

/** The tag by which `Intl` writes numbers and dates. */
export const tag = computed(() => (locale.value === "de" ? "de-DE" : "en-GB"));
