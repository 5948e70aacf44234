import Negotiator from "negotiator";
import { LOCALES, type Locale } from "../values/bilingual";
import { oneOf, t } from "./schema";

/** The best of what a request accepts (RFC 9110, section 12.5). A header that names nothing accepts anything. */

const of = (header: string, value: string) => new Negotiator({ headers: { [header]: value } });

/** The best of the given media types; undefined if the header accepts none of them. */
export const acceptedType = (header: string, types: string[]): string | undefined =>
  of("accept", header).mediaType(types);

/** The best of the given languages, of `de` for `de-AT` too; undefined if the header accepts none of them. */
export const acceptedLanguage = (header: string, languages: string[]): string | undefined =>
  of("accept-language", header).language(languages);

/** The query's parameter for the language of texts; `of` names them. */
export const localeQuery = (of: string) =>
  t.Optional(
    oneOf(LOCALES, `Language of ${of}; without it, the best that \`Accept-Language\` names, else English`),
  );

/** The language of an answer: the one that is asked for, else the best of the Accept-Language header, else English. */
export const localeOf = (asked: Locale | undefined, header: string | null): Locale =>
  asked ?? (acceptedLanguage(header ?? "", [...LOCALES]) as Locale | undefined) ?? "en";
