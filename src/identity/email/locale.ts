import { config } from "../../configuration/config";
import { acceptedLanguage } from "../../kernel/http/accept";
import type { Locale } from "../../kernel/values/bilingual";

/**
 * The language of an email: the user's own choice where it is supported, else the best of an Accept-Language header
 * (RFC 9110, section 12.5.4), else the first of `email.supported_locales`.
 */
export function emailLocale(preferred: string | null, acceptLanguage: string | null): Locale {
  const supported = config["email.supported_locales"] as Locale[];
  const own = supported.find((locale) => locale === languageOf(preferred ?? ""));
  const accepted = acceptLanguage === null ? undefined : acceptedLanguage(acceptLanguage, supported);
  return own ?? (accepted as Locale | undefined) ?? supported[0] ?? "en";
}

/** `de` of `de-AT` and `DE_ch`. */
const languageOf = (tag: string): string => tag.trim().toLowerCase().split(/[-_]/, 1)[0] ?? "";
