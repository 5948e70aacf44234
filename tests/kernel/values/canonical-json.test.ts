import { describe, expect, test } from "bun:test";
import { canonicalJson, NotCanonical } from "../../../src/kernel/values/canonical-json";

/** The canonical form of JSON against the examples of RFC 8785. */

/** A double by its bits in hex, as appendix B of the standard names them. */
const double = (bits: string): number => Buffer.from(bits, "hex").readDoubleBE();

describe("numbers are those of RFC 8785, appendix B:", () => {
  test.each([
    ["0000000000000000", "0"],
    ["8000000000000000", "0"],
    ["0000000000000001", "5e-324"],
    ["8000000000000001", "-5e-324"],
    ["7fefffffffffffff", "1.7976931348623157e+308"],
    ["ffefffffffffffff", "-1.7976931348623157e+308"],
    ["4340000000000000", "9007199254740992"],
    ["c340000000000000", "-9007199254740992"],
    ["4430000000000000", "295147905179352830000"],
    ["44b52d02c7e14af5", "9.999999999999997e+22"],
    ["44b52d02c7e14af6", "1e+23"],
    ["44b52d02c7e14af7", "1.0000000000000001e+23"],
    ["444b1ae4d6e2ef4e", "999999999999999700000"],
    ["444b1ae4d6e2ef4f", "999999999999999900000"],
    ["444b1ae4d6e2ef50", "1e+21"],
    ["3eb0c6f7a0b5ed8c", "9.999999999999997e-7"],
    ["3eb0c6f7a0b5ed8d", "0.000001"],
    ["41b3de4355555553", "333333333.3333332"],
    ["41b3de4355555554", "333333333.33333325"],
    ["41b3de4355555555", "333333333.3333333"],
    ["41b3de4355555556", "333333333.3333334"],
    ["41b3de4355555557", "333333333.33333343"],
    ["becbf647612f3696", "-0.0000033333333333333333"],
    ["43143ff3c1cb0959", "1424953923781206.2"],
  ])("%s", (bits, text) => {
    expect(canonicalJson(double(bits))).toBe(text);
  });

  test.each(["7fffffffffffffff", "7ff0000000000000", "fff0000000000000"])("%s is refused", (bits) => {
    expect(() => canonicalJson([double(bits)])).toThrow(NotCanonical);
  });
});

test("members are ordered by the UTF-16 code units of their names (section 3.2.3)", () => {
  const value = {
    "\u20ac": "Euro Sign",
    "\r": "Carriage Return",
    "\ufb33": "Hebrew Letter Dalet With Dagesh",
    "1": "One",
    "\ud83d\ude00": "Emoji: Grinning Face",
    "\u0080": "Control",
    "\u00f6": "Latin Small Letter O With Diaeresis",
  };
  const order = [...canonicalJson(value).matchAll(/:"([^"]+)"/g)].map(([, text]) => text);
  expect(order).toEqual([
    "Carriage Return",
    "One",
    "Control",
    "Latin Small Letter O With Diaeresis",
    "Euro Sign",
    "Emoji: Grinning Face",
    "Hebrew Letter Dalet With Dagesh",
  ]);
});

test("a whole value is the one of section 3.2.4, byte by byte", () => {
  const value = {
    // biome-ignore lint/correctness/noPrecisionLoss: the standard's own example
    numbers: [333333333.33333329, 1e30, 4.5, 2e-3, 0.000000000000000000000000001],
    string: "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"/",
    literals: [null, true, false],
  };
  const bytes =
    "7b226c69746572616c73223a5b6e756c6c2c747275652c66616c73655d2c226e756d62657273223a5b3333333333333333332e333333333333332c31652b33302c342e352c302e3030322c31652d32375d2c22737472696e67223a22e282ac245c75303030665c6e4127425c225c5c5c5c5c222f227d";
  expect(Buffer.from(canonicalJson(value)).toString("hex")).toBe(bytes);
});

test("objects inside of arrays are ordered too, and a member may be called as in JavaScript's own objects", () => {
  expect(canonicalJson(JSON.parse('[{"b":[],"__proto__":{"z":1,"a":2},"10":0,"9":0}]'))).toBe(
    '[{"10":0,"9":0,"__proto__":{"a":2,"z":1},"b":[]}]',
  );
});

test("what has no canonical form is refused, and so is what is nested too deeply", () => {
  for (const value of ["\ud800", { "\udc00": 1 }, undefined, [() => 1], { a: 1n }])
    expect(() => canonicalJson(value)).toThrow(NotCanonical);
  expect(canonicalJson([[]], 2)).toBe("[[]]");
  expect(() => canonicalJson([[[]]], 2)).toThrow(NotCanonical);
});
