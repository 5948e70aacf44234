import { expect, test } from "bun:test";
import { didYouMean, distance, nearest } from "../../../src/kernel/values/nearest";

test("a letter too many, too few, wrong or swapped is one step", () => {
  for (const near of ["port", "ports", "prt", "pert", "prot"])
    expect(distance("port", near)).toBe(near === "port" ? 0 : 1);
  expect(distance("", "port")).toBe(4);
  expect(distance("sevre", "serve")).toBe(1);
  expect(distance("doctor", "rollback")).toBeGreaterThan(4);
});

test("the nearest word is found whatever its case, and none that is far", () => {
  const known = ["serve", "restore", "rollback", "doctor"];
  expect(nearest("SEVRE", known)).toBe("serve");
  expect(nearest("retsore", known)).toBe("restore");
  for (const far of ["", "x", "xyz", "health", "serve".repeat(40)]) expect(nearest(far, known)).toBeNull();
  expect(didYouMean(nearest("dokter", known))).toBe("; did you mean doctor?");
  expect(didYouMean(null)).toBe("");
});
