import { describe, expect, test } from "bun:test";
import { Value } from "@sinclair/typebox/value";
import { AppError } from "../../../src/kernel/errors/errors";
import {
  dateTime,
  isEmail,
  isUuid,
  latitude,
  name,
  nullable,
  oneOf,
  optional,
  query,
  queryBoolean,
  queryInteger,
  queryNumber,
  t,
  uuid,
} from "../../../src/kernel/http/schema";
import { checkChanged, explain } from "../../../src/kernel/http/validation";

describe("a UUID is well-formed", () => {
  test("in any version and case", () => {
    for (const value of [
      "0192f3a1-5c00-7d1e-9a55-3f1f6c1f0a01",
      "f47ac10b-58cc-4372-a567-0e02b2c3d479",
      "6BA7B810-9DAD-11D1-80B4-00C04FD430C8",
      "00000000-0000-0000-0000-000000000000",
      "ffffffff-ffff-ffff-ffff-ffffffffffff",
    ])
      expect([value, isUuid(value), Value.Check(uuid(""), value)]).toEqual([value, true, true]);
  });

  test("in no other form", () => {
    for (const value of [
      "",
      "0192f3a15c007d1e9a553f1f6c1f0a01",
      "{0192f3a1-5c00-7d1e-9a55-3f1f6c1f0a01}",
      "0192f3a1-5c00-7d1e-9a55-3f1f6c1f0a0",
      "0192f3a1-5c00-7d1e-9a55-3f1f6c1f0a011",
      "0192f3a1-5c00-7d1e-9a55-3f1f6c1f0g01",
      " 0192f3a1-5c00-7d1e-9a55-3f1f6c1f0a01",
      "0192f3a1-5c00-7d1e-9a55-3f1f6c1f0a01\n",
    ])
      expect([value, isUuid(value), Value.Check(uuid(""), value)]).toEqual([value, false, false]);
  });
});

describe("a date and time is taken", () => {
  const takes = (value: string) => Value.Check(dateTime(""), value);

  test("in the forms of RFC 3339", () => {
    for (const value of [
      "2026-05-04T09:30:00Z",
      "2026-05-04T09:30:00.123Z",
      "2026-05-04t09:30:00z",
      "2026-05-04T09:30:00+02:00",
      "2026-05-04T09:30:00.123456789-11:30",
      "2024-02-29T00:00:00Z",
      "2000-02-29T23:59:59Z",
      "1970-01-01T00:00:00Z",
      "9999-12-31T23:59:59Z",
      "0099-12-31T00:00:00Z",
    ])
      expect([value, takes(value)]).toEqual([value, true]);
  });

  test("not on a day or at a time that does not exist", () => {
    for (const value of [
      "2026-02-29T00:00:00Z",
      "1900-02-29T00:00:00Z",
      "2026-02-30T00:00:00Z",
      "2026-04-31T00:00:00Z",
      "2026-13-01T00:00:00Z",
      "2026-00-01T00:00:00Z",
      "2026-01-00T00:00:00Z",
      "2026-01-32T00:00:00Z",
      "2026-01-01T24:00:00Z",
      "2026-01-01T12:60:00Z",
      "2026-01-01T12:00:61Z",
      "2026-01-01T12:00:00+24:00",
      "2026-01-01T12:00:00+01:60",
      // In UTC these fall outside of the years 0000 to 9999.
      "9999-12-31T23:59:59-23:59",
      "0000-01-01T00:00:00+00:01",
    ])
      expect([value, takes(value)]).toEqual([value, false]);
  });

  test("in no other form", () => {
    for (const value of [
      "",
      "2026-05-04",
      "2026-05-04T09:30:00",
      "2026-05-04T09:30Z",
      "2026-05-04 09:30:00Z",
      "20260504T093000Z",
      "04.05.2026 09:30",
      "May 4, 2026",
      "1777887000",
      "+002026-05-04T09:30:00Z",
      "2026-05-04T09:30:00.Z",
      "2026-05-04T09:30:00Z ",
      "2026-05-04T09:30:00Z\n",
      "２026-05-04T09:30:00Z",
    ])
      expect([value, takes(value)]).toEqual([value, false]);
  });

  test("exactly for the days that the calendar has, in every month of four kinds of year", () => {
    for (const year of [1900, 2000, 2023, 2024])
      for (let month = 1; month <= 12; month++) {
        const days = new Date(Date.UTC(year, month, 0)).getUTCDate();
        for (const day of [1, 28, 29, 30, 31]) {
          const value = `${year}-${String(month).padStart(2, "0")}-${day.toString().padStart(2, "0")}T12:00:00Z`;
          expect([value, takes(value)]).toEqual([value, day <= days]);
        }
      }
  });
});

describe("an email address is taken", () => {
  const label = "x".repeat(63);

  test("as people use them", () => {
    for (const value of [
      "a@b",
      "skipper@example.org",
      "first.last+tag@sub.example.co.uk",
      "o'brien_99@xn--bcher-kva.example",
      `${"x".repeat(64)}@${label}.example`,
      `a@${label}.${label}.${label}.${"x".repeat(60)}`,
    ])
      expect([value, isEmail(value)]).toEqual([value, true]);
  });

  test("but not when it is none, or too long", () => {
    for (const value of [
      "",
      "skipper",
      "@example.org",
      "skipper@",
      "a b@example.org",
      "a@b@c",
      "a@-example.org",
      "a@example-.org",
      "a@example..org",
      "a@.example",
      "a@example.org.",
      "a@exa mple.org",
      "a@example.org\n",
      "a\u0000@example.org",
      "ä@example.org",
      '"a b"@example.org',
      "a@[127.0.0.1]",
      "<a@example.org>",
      `${"x".repeat(65)}@example.org`,
      `a@${"x".repeat(64)}.org`,
      `a@${label}.${label}.${label}.${"x".repeat(61)}`,
    ])
      expect([value, isEmail(value)]).toEqual([value, false]);
  });
});

describe("what is wrong with an input", () => {
  const Schema = t.Object({
    name: name("", ""),
    latitude: latitude(""),
    count: t.Integer({ minimum: 1, maximum: 5 }),
    radius: t.Number({ exclusiveMinimum: 0, maximum: 10 }),
    kind: oneOf(["a", "b"], ""),
    flag: t.Boolean(),
    tags: t.Optional(t.Array(t.String({ minLength: 1, maxLength: 3 }), { maxItems: 2 })),
    id: optional(uuid("")),
    at: optional(dateTime("")),
    choice: t.Optional(nullable(oneOf(["x", "y"], ""))),
    nested: t.Optional(t.Object({ deep: t.String() })),
  });
  const good = { name: "n", latitude: 1, count: 1, radius: 1, kind: "a", flag: true };
  const wrong = (change: object) => explain(Value.Errors(Schema, { ...good, ...change }));

  test("is nothing where all is right", () => {
    expect(wrong({ tags: ["a"], id: null, at: null, choice: null, nested: { deep: "" } })).toEqual([]);
  });

  const cases: [change: object, path: string, message: string][] = [
    [{ name: undefined }, "/name", "is required"],
    [{ name: "" }, "/name", "must be a string of 1 to 200 characters"],
    [{ name: 5 }, "/name", "must be a string of 1 to 200 characters"],
    [{ latitude: 91 }, "/latitude", "must be a number from -90 to 90"],
    [{ latitude: "1" }, "/latitude", "must be a number from -90 to 90"],
    [{ count: 1.5 }, "/count", "must be a whole number from 1 to 5"],
    [{ radius: 0 }, "/radius", "must be a number above 0 and at most 10"],
    [{ kind: "c" }, "/kind", "must be one of a, b"],
    [{ flag: "true" }, "/flag", "must be true or false"],
    [{ tags: "a" }, "/tags", "must be an array of at most 2 items"],
    [{ tags: ["a", "b", "c"] }, "/tags", "must be an array of at most 2 items"],
    [{ tags: ["a", "toolong"] }, "/tags/1", "must be a string of 1 to 3 characters"],
    [{ id: "x" }, "/id", "must be a UUID, or null"],
    [{ at: "x" }, "/at", "must be a date and time in ISO 8601, such as 2026-05-04T09:30:00Z, or null"],
    [{ choice: "z" }, "/choice", "must be one of x, y, or null"],
    [{ nested: {} }, "/nested/deep", "is required"],
    [{ nested: [] }, "/nested", "must be an object"],
  ];
  for (const [change, path, message] of cases)
    test(`is told at its path: ${path} ${message}`, () => {
      expect(wrong(change)).toContainEqual({ path, message });
    });

  test("is told once for each path, and for twenty of them at most", () => {
    const Many = t.Object(
      Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`f${at}`, t.String({ minLength: 1 })])),
    );
    const details = explain(Value.Errors(Many, {}));
    expect(details).toHaveLength(20);
    expect(new Set(details.map(({ path }) => path)).size).toBe(20);
  });

  test("never repeats what was sent", () => {
    const MARK = "sEcReT";
    const details = wrong({
      name: [MARK],
      latitude: MARK,
      kind: MARK,
      tags: [MARK, MARK, { [MARK]: 1 }],
      id: MARK,
    });
    expect(details.length).toBeGreaterThan(4);
    expect(JSON.stringify(details)).not.toContain(MARK);
  });
});

describe("numbers and booleans of a query", () => {
  const Query = t.Object({
    whole: t.Optional(queryInteger({ minimum: 1 })),
    number: t.Optional(queryNumber({ minimum: -10, maximum: 10 })),
    flag: t.Optional(queryBoolean({})),
  });
  const { query: schema, transform } = query(Query);
  const read = (raw: Record<string, string>) => {
    const values: Record<string, unknown> = { ...raw };
    transform({ query: values });
    return Value.Check(schema, values) ? values : null;
  };

  test("are read from their text", () => {
    expect(read({ whole: "12", number: "-1.5", flag: "true" })).toEqual({
      whole: 12,
      number: -1.5,
      flag: true,
    });
    expect(read({ whole: "007", flag: "false" })).toEqual({ whole: 7, flag: false });
    expect(read({})).toEqual({});
  });

  test("are refused in any other form", () => {
    for (const whole of ["0", "-1", "1.5", "1.0", "1e3", "0x10", "+1", " 1", "", "Infinity", "NaN"])
      expect([whole, read({ whole })]).toEqual([whole, null]);
    for (const number of ["11", "1e1", ".5", "5.", "--1", "0x1", "", "Infinity", "1,5"])
      expect([number, read({ number })]).toEqual([number, null]);
    for (const flag of ["1", "0", "TRUE", "yes", "", "on"])
      expect([flag, read({ flag })]).toEqual([flag, null]);
  });
});

test("a change without a known field is a validation error, null and false count as fields", () => {
  expect(() => checkChanged({})).toThrow(AppError);
  expect(() => checkChanged({ name: undefined })).toThrow(AppError);
  checkChanged({ name: null });
  checkChanged({ is_active: false });
});
