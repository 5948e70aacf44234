import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Glob } from "bun";
import { ENGLISH } from "../../../src/bridge/page/refusals/english";
import { GERMAN } from "../../../src/bridge/page/refusals/german";
import { knownWords, wordsIn } from "../../../src/bridge/page/refusals/table";

/** The words of the server's refusals on the page. */

const SRC = join(import.meta.dir, "../../../src");

/** All that the server's sources say, without line breaks between the parts of a text. */
const said = [...new Glob("**/*.ts").scanSync(SRC)]
  .filter((path) => !path.startsWith("bridge/page/"))
  .map((path) => readFileSync(join(SRC, path), "utf8"))
  .join("\n");

const refusal = (message: string, details: { path: string; message: string }[] = []) => ({
  ...{ status: 400, kind: "ValidationError", message, details },
});

describe.each([
  ["English", ENGLISH],
  ["German", GERMAN],
])("the table in %s", (_, table) => {
  test("has words for nothing but what the server says", () => {
    const exact = [...Object.keys(table.messages), ...Object.keys(table.faults)];
    const composed = exact.filter((text) => !said.includes(text));
    expect(composed).toEqual([]);
  });

  test("leaves no placeholder that nothing fills", () => {
    for (const [pattern, words] of [...table.faultPatterns, ...table.messagePatterns]) {
      const groups = new RegExp(`${pattern.source}|`).exec("")?.length ?? 0;
      for (const [, number] of words.matchAll(/\$(\d)/g)) expect(Number(number)).toBeLessThan(groups);
    }
  });
});

describe("a refusal", () => {
  test.each([
    [
      refusal("This username is taken"),
      "Diesen Benutzernamen hat schon jemand anderes. Wähle einen anderen.",
    ],
    [
      refusal("This needs the permission trips:write"),
      "Das darf dein Konto nicht: Ihm fehlt das Recht trips:write. Bitte die Verwaltung darum.",
    ],
    [
      refusal("Too many wrong codes; try again in 42 s"),
      "Das war zu oft. Warte 42 Sekunden und versuche es dann noch einmal.",
    ],
    [
      refusal("There can be at most 5,000 alert rules; delete one first"),
      "Mehr als 5,000 gehen nicht. Lösche zuerst etwas.",
    ],
    [
      refusal("condition.speed_kmh must be a number from 0 to 500", [
        { path: "/name", message: "must be a string of 1 to 200 characters" },
        { path: "/radius_km", message: "must be a number above 0 and at most 500, or null" },
      ]),
      "Name: muss 1 bis 200 Zeichen haben. Radius: muss über 0 und höchstens 500 sein.",
    ],
    [
      refusal("device_shares.0.expires_at must be in the future", [
        { path: "/device_shares/0/expires_at", message: "must be in the future" },
      ]),
      "Ende: muss in der Zukunft liegen.",
    ],
  ])("is told in German: %o", (given, words) => {
    expect(knownWords(given, GERMAN, false)).toBe(words);
  });

  test("that nobody translated is told as a whole by its kind", () => {
    const details = [
      { path: "/name", message: "is required" },
      { path: "/name", message: "rhymes with nothing" },
    ];
    expect(knownWords(refusal("name is required", details), GERMAN, false)).toBeNull();
    expect(knownWords(refusal("constructor"), GERMAN, false)).toBeNull();
    expect(wordsIn("constructor", GERMAN.faults, [])).toBeNull();
  });

  test("is told once in English, by the names that the page has for fields", () => {
    const details = [{ path: "/warning_radius_m", message: "must be smaller than radius_m" }];
    expect(
      knownWords(refusal("warning_radius_m must be smaller than radius_m", details), ENGLISH, true),
    ).toBe("The warning radius must be smaller than the radius.");
  });
});
