import { beforeEach, describe, expect, test } from "bun:test";
import {
  hashBackupCode,
  newBackupCodes,
  normalizeBackupCode,
} from "../../../src/identity/two-factor-codes/backup-codes";
import { matchStep, newSecret, otpauthUrl, stepAt } from "../../../src/identity/two-factor-codes/totp";
import { useMasterKey } from "../../../src/kernel/crypto/encryption";
import { codeOfStep, fromBase32 } from "../two-factor/support";

/** Codes of an authenticator app (RFC 6238) and backup codes (rule C3), without a server. */

const KEY = "12345678901234567890";
const SECRET = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";

/** RFC 6238, appendix B, for SHA-1: seconds since 1970, and eight digits. */
const VECTORS: [seconds: number, code: string][] = [
  [59, "94287082"],
  [1_111_111_109, "07081804"],
  [1_111_111_111, "14050471"],
  [1_234_567_890, "89005924"],
  [2_000_000_000, "69279037"],
  [20_000_000_000, "65353130"],
];

describe("codes of the app", () => {
  test.each(VECTORS)("are those of RFC 6238 at %d seconds", (seconds, code) => {
    const step = Math.floor(seconds / 30);
    expect(matchStep(SECRET, code.slice(-6), seconds * 1_000)).toBe(step);
    expect(stepAt(seconds * 1_000)).toBe(step);
  });

  test.each(VECTORS)("are what the app of these tests shows at %d seconds", (seconds, code) => {
    expect(fromBase32(SECRET).toString()).toBe(KEY);
    expect(codeOfStep(Buffer.from(KEY), Math.floor(seconds / 30), 8)).toBe(code);
  });

  test("count one step early and one step late, and no further", () => {
    const step = 41_152_263;
    const code = codeOfStep(Buffer.from(KEY), step);
    const at = (steps: number, offset = 0) => matchStep(SECRET, code, (step + steps) * 30_000 + offset);
    // From the first to the last millisecond of the three steps.
    expect([at(-1), at(0), at(1), at(2, -1)]).toEqual([step, step, step, step]);
    expect([at(-1, -1), at(2), at(-2), at(3)]).toEqual([null, null, null, null]);
  });

  test.each([
    "",
    "87082",
    "4287082",
    "94287082",
    "28708२",
    "28708O",
    " 287082",
    "287082 ",
    "287 082",
    "-87082",
    "0x7082",
  ])("are not %p", (code) => {
    expect(matchStep(SECRET, code, 59_000)).toBeNull();
    expect(matchStep(SECRET, "287082", 59_000)).toBe(1);
  });

  test("come from a secret of 160 bits that is never the same", () => {
    const secrets = Array.from({ length: 50 }, newSecret);
    for (const secret of secrets) {
      expect(secret).toMatch(/^[A-Z2-7]{32}$/);
      expect(fromBase32(secret)).toHaveLength(20);
    }
    expect(new Set(secrets).size).toBe(50);
  });

  test("are told to the app by an address that names algorithm, digits and period", () => {
    const url = new URL(otpauthUrl(SECRET, "Fairlead (häfen & co: x)", "erika"));
    expect([url.protocol, url.host]).toEqual(["otpauth:", "totp"]);
    expect(Object.fromEntries(url.searchParams)).toEqual({
      issuer: "Fairlead (häfen & co: x)",
      secret: SECRET,
      algorithm: "SHA1",
      digits: "6",
      period: "30",
    });
    expect(decodeURIComponent(url.pathname)).toBe("/Fairlead (häfen & co: x):erika");
  });
});

describe("backup codes", () => {
  beforeEach(() => useMasterKey(Buffer.alloc(32, 7)));

  test("are ten different ones of two groups of five letters that nobody mistakes", () => {
    const codes = Array.from({ length: 30 }, newBackupCodes);
    for (const ten of codes) {
      expect(ten).toHaveLength(10);
      for (const code of ten) expect(code).toMatch(/^[A-HJ-NP-Z2-9]{5}-[A-HJ-NP-Z2-9]{5}$/);
    }
    expect(new Set(codes.flat()).size).toBe(300);
    // All 32 letters occur: 5 bits each, 50 bits a code.
    expect(new Set(codes.flat().join("").replaceAll("-", "")).size).toBe(32);
  });

  test.each(["K7QXM-2HVNB", "k7qxm-2hvnb", "K7QXM2HVNB", "k7Qxm2HVnb", " K7QXM-2HVNB\n"])(
    "are the same however they are typed: %p",
    (typed) => expect(normalizeBackupCode(typed)).toBe("K7QXM-2HVNB"),
  );

  test.each([
    "",
    "K7QXM",
    "K7QXM--2HVNB",
    "K7QX-M2HVNB",
    "K7QXM-2HVNBX",
    "K7QXM-2HVN0",
    "K7QXM-2HVNI",
    "123456",
  ])("are not %p", (typed) => expect(normalizeBackupCode(typed)).toBeNull());

  test("are stored as hashes that hang on the user and on the master key", () => {
    const hash = hashBackupCode("user 1", "K7QXM-2HVNB");
    expect(hash).toMatch(/^[A-Za-z0-9+/]{43}=$/);
    expect(hashBackupCode("user 1", "K7QXM-2HVNB")).toBe(hash);
    expect(hashBackupCode("user 2", "K7QXM-2HVNB")).not.toBe(hash);
    expect(hashBackupCode("user 1", "K7QXM-2HVNC")).not.toBe(hash);
    useMasterKey(Buffer.alloc(32, 8));
    expect(hashBackupCode("user 1", "K7QXM-2HVNB")).not.toBe(hash);
  });
});
