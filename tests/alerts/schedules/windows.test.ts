import { describe, expect, test } from "bun:test";
import type { Day } from "../../../src/alerts/schedules/days";
import { checkSchedule, windowAt } from "../../../src/alerts/schedules/windows";

/** The windows of a schedule, by the clock of a place. */

const EVERY_DAY: Day[] = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];
const berlin = (from: string, to: string, days = EVERY_DAY) => ({
  timezone: "Europe/Berlin",
  windows: [{ days, from, to }],
});

const at = (schedule: Parameters<typeof windowAt>[0], time: string) => {
  const span = windowAt(schedule, Date.parse(time));
  return span && [span.from, span.until].map((moment) => new Date(moment).toISOString());
};

describe("a window", () => {
  test("holds its begin, and not its end", () => {
    const noon = berlin("12:00", "13:00");
    expect(at(noon, "2026-01-05T10:59:59.999Z")).toBeNull();
    expect(at(noon, "2026-01-05T11:00:00Z")).toEqual([
      "2026-01-05T11:00:00.000Z",
      "2026-01-05T12:00:00.000Z",
    ]);
    expect(at(noon, "2026-01-05T11:59:59.999Z")).not.toBeNull();
    expect(at(noon, "2026-01-05T12:00:00Z")).toBeNull();
  });

  test("goes over midnight, and belongs to the day on which it begins", () => {
    const friday = berlin("22:00", "06:00", ["fri"]);
    // 2026-01-09 is a Friday.
    expect(at(friday, "2026-01-09T20:59:00Z")).toBeNull();
    const night = ["2026-01-09T21:00:00.000Z", "2026-01-10T05:00:00.000Z"];
    expect(at(friday, "2026-01-09T22:00:00Z")).toEqual(night);
    expect(at(friday, "2026-01-10T04:59:00Z")).toEqual(night);
    expect(at(friday, "2026-01-10T05:00:00Z")).toBeNull();
    expect(at(friday, "2026-01-10T22:00:00Z")).toBeNull();
  });

  test("is a whole day where it ends as it begins, and ends with the day at 24:00", () => {
    expect(at(berlin("08:00", "08:00", ["mon"]), "2026-01-06T06:00:00Z")).toEqual([
      "2026-01-05T07:00:00.000Z",
      "2026-01-06T07:00:00.000Z",
    ]);
    expect(at(berlin("08:00", "24:00", ["mon"]), "2026-01-05T22:59:00Z")).toEqual([
      "2026-01-05T07:00:00.000Z",
      "2026-01-05T23:00:00.000Z",
    ]);
  });

  test("follows the clock where it is set forward: the night is an hour shorter", () => {
    expect(at(berlin("22:00", "06:00"), "2026-03-29T00:30:00Z")).toEqual([
      "2026-03-28T21:00:00.000Z",
      "2026-03-29T04:00:00.000Z",
    ]);
    // There is no half past two: it is then half past three.
    expect(at(berlin("02:30", "04:00"), "2026-03-29T01:30:00Z")).toEqual([
      "2026-03-29T01:30:00.000Z",
      "2026-03-29T02:00:00.000Z",
    ]);
  });

  test("follows the clock where it is set back: the night is an hour longer", () => {
    expect(at(berlin("22:00", "06:00"), "2026-10-25T02:00:00Z")).toEqual([
      "2026-10-24T20:00:00.000Z",
      "2026-10-25T05:00:00.000Z",
    ]);
    // Half past two comes twice: the first one counts.
    expect(at(berlin("02:30", "04:00"), "2026-10-25T00:30:00Z")).toEqual([
      "2026-10-25T00:30:00.000Z",
      "2026-10-25T03:00:00.000Z",
    ]);
  });

  test("is that of its time zone", () => {
    const tongan = { ...berlin("00:00", "01:00", ["mon"]), timezone: "Pacific/Tongatapu" };
    expect(at(tongan, "2026-01-04T11:30:00Z")).not.toBeNull();
    expect(at({ ...tongan, timezone: "Asia/Kathmandu" }, "2026-01-04T18:20:00Z")).not.toBeNull();
    expect(at({ ...tongan, timezone: "Asia/Kathmandu" }, "2026-01-04T18:14:59Z")).toBeNull();
  });
});

test("of several windows the one that ends last counts", () => {
  const { windows } = berlin("10:00", "12:00");
  const both = { timezone: "UTC", windows: [...windows, { days: EVERY_DAY, from: "11:00", to: "14:00" }] };
  expect(at(both, "2026-01-05T11:30:00Z")).toEqual(["2026-01-05T11:00:00.000Z", "2026-01-05T14:00:00.000Z"]);
  expect(at(both, "2026-01-05T10:30:00Z")).toEqual(["2026-01-05T10:00:00.000Z", "2026-01-05T12:00:00.000Z"]);
});

test("every minute of two years is in a window or not, as the clock of the place says", () => {
  const schedule = berlin("22:15", "05:45", ["tue", "fri", "sun"]);
  const clock = new Intl.DateTimeFormat("en-GB", {
    ...{ timeZone: "Europe/Berlin", weekday: "short", hour: "2-digit", minute: "2-digit", hourCycle: "h23" },
  });
  const wrong: string[] = [];
  // A step that meets every minute of the hour in time.
  for (let time = Date.UTC(2026, 0, 1); time < Date.UTC(2028, 0, 1); time += 37 * 60_000) {
    const parts = Object.fromEntries(clock.formatToParts(time).map(({ type, value }) => [type, value]));
    const [day, minute] = [parts.weekday?.toLowerCase() ?? "", `${parts.hour}:${parts.minute}`];
    const isIn =
      (["tue", "fri", "sun"].includes(day) && minute >= "22:15") ||
      (["wed", "sat", "mon"].includes(day) && minute < "05:45");
    if ((windowAt(schedule, time) !== null) !== isIn) wrong.push(new Date(time).toISOString());
  }
  expect(wrong).toEqual([]);
});

test("a time zone that nobody knows is refused", () => {
  expect(() => checkSchedule("/quiet", { ...berlin("22:00", "06:00"), timezone: "Europe/Atlantis" })).toThrow(
    "quiet.timezone must be a time zone",
  );
  // A fixed offset would not follow the changes of the clock.
  expect(() => checkSchedule("/quiet", { ...berlin("22:00", "06:00"), timezone: "+02:00" })).toThrow(
    "quiet.timezone must be a time zone",
  );
  checkSchedule("/quiet", berlin("22:00", "06:00"));
});
