import { expect, test } from "bun:test";
import { COLUMNS, NAMES, PLACEHOLDERS, type Row, valuesOf } from "../../../src/tracking/ingest/columns";

test("the values of a row come in the order of the columns, and none is left out", () => {
  const row = Object.fromEntries(NAMES.map((name) => [name, `the ${name}`])) as unknown as Row;
  expect(valuesOf(row)).toEqual(NAMES.map((name) => row[name]));
  expect(COLUMNS.split(", ")).toEqual(NAMES);
  expect(PLACEHOLDERS.split(", ")).toHaveLength(NAMES.length);
});
