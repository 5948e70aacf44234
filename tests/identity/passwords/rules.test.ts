import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { loadConfig } from "../../../src/configuration/config";
import { checkPassword } from "../../../src/identity/passwords/rules";
import { AppError } from "../../../src/kernel/errors/errors";

const switchRules = (on: boolean) =>
  loadConfig({ environment: { FAIRLEAD_SECURITY_REJECT_COMMON_PASSWORDS: String(on) } });

afterAll(() => {
  switchRules(false);
});

/** The details of a refusal; null when the password is taken. */
function refusal(password: string, username = "harbourmaster", path?: string) {
  try {
    checkPassword(password, username, path);
    return null;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { name: error.name, status: error.status, details: error.details };
  }
}

describe("switched on", () => {
  beforeEach(() => {
    switchRules(true);
  });

  test.each(["password", "12345678", "1234567890", "Password", "QWERTYUIOP", "baseball", "1qaz2wsx"])(
    "refuses the common password %s",
    (password) => {
      expect(refusal(password)).toEqual({
        name: "ValidationError",
        status: 400,
        details: [{ path: "/password", message: "is among the most common passwords" }],
      });
    },
  );

  test("knows the list to its 10,000th entry and no further", () => {
    const list = require("@zxcvbn-ts/language-common/src/passwords.json") as string[];
    expect(refusal(list[9_999] ?? "")).not.toBeNull();
    expect(refusal(list[10_000] ?? "")).toBeNull();
  });

  test.each(["harbourmaster", "my-HARBOURMASTER-1987", "1Harbourmaster1"])(
    "refuses %s, which contains the username",
    (password) => {
      expect(refusal(password, "HarbourMaster")?.details).toEqual([
        { path: "/password", message: "must not contain the username" },
      ]);
    },
  );

  test("names the field that it was told", () => {
    expect(refusal("password", "skipper", "/new_password")?.details?.[0]?.path).toBe("/new_password");
  });

  test.each(["correct horse battery", "password of the harbour", "harbourmaste", "пароль моряка", ""])(
    "takes %p",
    (password) => {
      expect(refusal(password)).toBeNull();
    },
  );

  test("holds an empty username against nobody", () => {
    expect(refusal("correct horse battery", "")).toBeNull();
  });
});

test("switched off, as it is by default, takes any password", () => {
  loadConfig({ environment: {} });
  expect(refusal("password")).toBeNull();
  expect(refusal("skipper1", "skipper")).toBeNull();
});
