import { expect, test } from "bun:test";
import { sizeInWords } from "../../../src/kernel/process/print";

test("sizes are told in GB from a thousand MB on", () => {
  const told = [0, 49_000, 99_960_000, 999_900_000, 999_960_000, 38_449_000_000].map(sizeInWords);
  expect(told).toEqual(["0.0 MB", "0.0 MB", "100.0 MB", "999.9 MB", "1.0 GB", "38.4 GB"]);
});
