import { characters, oneOf, record, t } from "../../kernel/http/schema";
import { DAYS } from "./days";

/** A time of day on the clock of a place, to the minute; `24:00` is the end of a day. */
const clockTime = (description: string, example: string, pattern: string) =>
  t.String({
    pattern,
    maxLength: 5,
    "x-expected": "must be a time of day such as 22:00",
    description,
    examples: [example],
  });

const Window = record(
  "ScheduleWindow",
  {
    days: t.Array(oneOf(DAYS, "A day of the week"), {
      minItems: 1,
      maxItems: 7,
      description: "Days on which the window begins",
      examples: [["fri", "sat"]],
    }),
    from: clockTime("Begin, by the clock of the time zone", "22:00", "^(?:[01][0-9]|2[0-3]):[0-5][0-9]$"),
    to: clockTime(
      "End; on the next day if it isn't after the begin",
      "06:00",
      "^(?:(?:[01][0-9]|2[0-3]):[0-5][0-9]|24:00)$",
    ),
  },
  "A span of each of some days",
);

/** Spans of the week in a time zone. */
export const Schedule = record(
  "Schedule",
  {
    timezone: characters({
      minLength: 1,
      maxLength: 64,
      description: "Time zone, as the IANA database names it",
      examples: ["Europe/Berlin"],
    }),
    windows: t.Array(Window, {
      minItems: 1,
      maxItems: 50,
      description: "The spans",
      examples: [[{ days: ["mon"], from: "22:00", to: "06:00" }]],
    }),
  },
  "Spans of the week, by the clock of a place",
);
export type Schedule = (typeof Schedule)["static"];
