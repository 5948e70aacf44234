import { expect, test } from "bun:test";
import type { AlertWords } from "../../../src/alerts/texts/alert-words";
import { LANGUAGES } from "../../../src/alerts/texts/language";

const WORDS: AlertWords = {
  ...{ occasion: "alert.cleared", severity: "alarm", condition: "zone", event: "exit", device: "Van 3" },
  ...{
    subject: "a zone",
    subjectName: "Depot",
    value: null,
    message: null,
    rule: "Leaves at night",
    note: null,
  },
  place: { latitude: 54.0967, longitude: 13.4553, time: Date.UTC(2026, 4, 4, 23, 10) },
  raisedAt: Date.UTC(2026, 4, 4, 23, 22),
  clearedAt: Date.UTC(2026, 4, 5, 5, 1),
};

test("an alert tells when it was raised, and the position with its own time", () => {
  expect(LANGUAGES.en.alert(WORDS)).toEqual({
    title: "Over: Van 3 left Depot",
    body: [
      "Since 2026-05-04 23:22 UTC",
      "Until 2026-05-05 05:01 UTC",
      "Position: 54.09670, 13.45530 at 2026-05-04 23:10 UTC",
      "Rule: Leaves at night",
    ].join("\n"),
  });
  expect(LANGUAGES.de.alert(WORDS)).toEqual({
    title: "Vorbei: Van 3 hat Depot verlassen",
    body: [
      "Seit 2026-05-04 23:22 UTC",
      "Bis 2026-05-05 05:01 UTC",
      "Position: 54.09670, 13.45530 um 2026-05-04 23:10 UTC",
      "Regel: Leaves at night",
    ].join("\n"),
  });
});
