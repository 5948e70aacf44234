import { afterAll, describe, expect, test } from "bun:test";
import { emailLocale } from "../../../src/identity/email/locale";
import { configure } from "../../support/in-process";

afterAll(() => {
  configure();
});

describe("the language of an email", () => {
  const cases: [preferred: string | null, header: string | null, expected: "en" | "de", why: string][] = [
    [null, null, "en", "the first supported one when nothing is known"],
    ["de", "en", "de", "the user's own choice before the header"],
    ["de-AT", null, "de", "the user's own choice with a region"],
    ["fr", "de", "de", "the header when the own choice is not supported"],
    ["fr", null, "en", "the first supported one when neither is supported"],
    [null, "de", "de", "the header's only language"],
    [null, "de-CH, en;q=0.9", "de", "a language with a region"],
    [null, "DE", "de", "in any case"],
    [null, "en;q=0.5, de;q=0.8", "de", "the heaviest"],
    [null, "fr, de;q=0.1", "de", "the heaviest that is supported"],
    [null, "de;q=0.5,en;q=0.5", "de", "of equal ones the first"],
    [null, "de;q=0", "en", "none that is refused"],
    [null, "en;q=0, *", "de", "any other for a star"],
    [null, "*;q=0.5, de;q=0.1", "en", "a star's weight for what isn't named"],
    [null, "*", "en", "the first supported one for a star alone"],
    [null, "en;q=0, de;q=0", "en", "the first supported one when all are refused"],
    [null, " de ; Q = 0.9 , en ; q=0.8 ", "de", "with spaces"],
    [null, ",,;;q=,=", "en", "the first supported one for nonsense"],
    [null, "fr, it", "en", "the first supported one when the header names others"],
  ];
  for (const [preferred, header, expected, why] of cases)
    test(`is ${why} (${preferred}, ${header})`, () => {
      configure();
      expect(emailLocale(preferred, header)).toBe(expected);
    });

  test("is one of email.supported_locales, the first of them by default", () => {
    configure({ "email.supported_locales": "de" });
    expect(emailLocale("en", "en")).toBe("de");
    configure({ "email.supported_locales": "de,en" });
    expect(emailLocale(null, null)).toBe("de");
    expect(emailLocale(null, "*")).toBe("de");
    expect(emailLocale(null, "en")).toBe("en");
  });
});
