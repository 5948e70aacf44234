import Negotiator from "negotiator";

/** The best of what a request accepts (RFC 9110, section 12.5). A header that names nothing accepts anything. */

const of = (header: string, value: string) => new Negotiator({ headers: { [header]: value } });

/** The best of the given media types; undefined if the header accepts none of them. */
export const acceptedType = (header: string, types: string[]): string | undefined =>
  of("accept", header).mediaType(types);

/** The best of the given languages, of `de` for `de-AT` too; undefined if the header accepts none of them. */
export const acceptedLanguage = (header: string, languages: string[]): string | undefined =>
  of("accept-language", header).language(languages);
