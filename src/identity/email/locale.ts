import { config } from "../../config";
import type { LOCALES } from "./locales";

/** Languages that emails are written in. */
export type Locale = (typeof LOCALES)[number];

/**
 * The language of an email: the user's own choice where it is supported, else the best of an Accept-Language header
 * (RFC 9110, section 12.5.4), else the first of `email.supported_locales`.
 */
export function emailLocale(preferred: string | null, acceptLanguage: string | null): Locale {
  const supported = config["email.supported_locales"] as Locale[];
  const own = supported.find((locale) => locale === languageOf(preferred ?? ""));
  return own ?? best(acceptLanguage ?? "", supported) ?? supported[0] ?? "en";
}

/** `de` of `de-AT` and `DE_ch`. */
const languageOf = (tag: string): string => tag.trim().toLowerCase().split(/[-_]/, 1)[0] ?? "";

/** `*` is any language that the header doesn't name. Of equal weights the first one wins. */
function best(header: string, supported: Locale[]): Locale | undefined {
  const weights = new Map<string, number>();
  for (const item of header.split(",")) {
    const [range = "", ...parameters] = item.split(";");
    const language = languageOf(range);
    const weight = weightOf(parameters);
    if (language !== "" && weight > (weights.get(language) ?? -1)) weights.set(language, weight);
  }
  const anyOther = weights.get("*") ?? 0;
  const order = [...weights.keys()];
  const candidates = supported
    .map((locale) => ({
      locale,
      weight: weights.get(locale) ?? anyOther,
      place: order.indexOf(weights.has(locale) ? locale : "*"),
    }))
    .filter(({ weight }) => weight > 0)
    .sort((a, b) => b.weight - a.weight || a.place - b.place);
  return candidates[0]?.locale;
}

/** The `q` of a range: 1 where there is none, 0 where it is malformed. */
function weightOf(parameters: string[]): number {
  const q = parameters.map((parameter) => parameter.trim()).find((parameter) => /^q\s*=/i.test(parameter));
  if (q === undefined) return 1;
  const value = q.slice(q.indexOf("=") + 1).trim();
  return /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(value) ? Number(value) : 0;
}
