/** Texts that come in each language of the page. */

/** Languages of the page and of emails, which users choose from. */
export const LOCALES = ["en", "de"] as const;
export type Locale = (typeof LOCALES)[number];

/** A text in each language. A text without one of them does not compile. */
export type Bilingual = Readonly<Record<Locale, string>>;

/** A text that has no language, such as a name or a code, or one for the log alone. */
export const alike = (text: string): Bilingual => ({ en: text, de: text });

/** Makes a text of others in each language. */
export const inEach = (make: (locale: Locale) => string): Bilingual => ({ en: make("en"), de: make("de") });

/** An error that is told in each language; its message is the English one, for the log and the terminal. */
export class BilingualError extends Error {
  readonly words: Bilingual;

  /** A mere text is told as it is in either language. */
  constructor(words: Bilingual | string) {
    const each = typeof words === "string" ? alike(words) : words;
    super(each.en);
    this.words = each;
  }
}

const GERMAN_TIME = new Intl.DateTimeFormat("de-DE", {
  dateStyle: "medium",
  timeStyle: "short",
  timeZone: "UTC",
});

/** A time as German texts of the server write it, which knows no zone of its reader's: "04.05.2026, 09:30 UTC"; epoch milliseconds. */
export const dateInGerman = (time: number): string => `${GERMAN_TIME.format(time)} UTC`;

/** A number as German texts write it: "1.234,5". */
export const numberInGerman = (value: number, digits = 0): string =>
  value.toLocaleString("de-DE", { minimumFractionDigits: digits, maximumFractionDigits: digits });
