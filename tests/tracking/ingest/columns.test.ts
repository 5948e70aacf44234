import { expect, test } from "bun:test";
import {
  COLUMNS,
  NAMES,
  PLACEHOLDERS,
  RecordedPoint,
  type Row,
  toGpsPoint,
  toldPoint,
  valuesOf,
} from "../../../src/tracking/ingest/columns";

test("the values of a row come in the order of the columns, and none is left out", () => {
  const row = Object.fromEntries(NAMES.map((name) => [name, `the ${name}`])) as unknown as Row;
  expect(valuesOf(row)).toEqual(NAMES.map((name) => row[name]));
  expect(COLUMNS.split(", ")).toEqual(NAMES);
  expect(PLACEHOLDERS.split(", ")).toHaveLength(NAMES.length);
});

test("the JSON text that a broadcast carries has the fields of the first version alone, as the answer tells them", () => {
  const times = {
    timestamp: Date.UTC(2026, 4, 4),
    created_at: Date.UTC(2026, 4, 4, 0, 0, 1),
    judgement: null,
  };
  const row = { ...Object.fromEntries(NAMES.map((name, at) => [name, at])), ...times } as unknown as Row;
  for (const each of [row, { ...row, device_id: null, trip_id: null, accuracy_m: null }]) {
    const point = toGpsPoint(each);
    const recorded = new RecordedPoint(point);
    expect(recorded.json).toBe(JSON.stringify(point));
    expect(recorded.toldJson).toBe(JSON.stringify(toldPoint(point)));
  }
});
