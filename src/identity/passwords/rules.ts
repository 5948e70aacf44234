import { config } from "../../configuration/config";
import { invalid } from "../../kernel/errors/errors";

const COMMON = 10_000;

let common: Set<string> | undefined;

/** The most common passwords in lower case, most common first; read at the first use, since few switch it on. */
function commonPasswords(): Set<string> {
  if (!common) {
    const list = require("@zxcvbn-ts/language-common/src/passwords.json") as string[];
    common = new Set(list.slice(0, COMMON));
  }
  return common;
}

/**
 * Refuses a password that is among the 10,000 most common or contains the username, both in any case (ASVS
 * 6.2.4; rule A1), if `security.reject_common_passwords` is on. `path` is the password's place in the
 * request. Throws 400.
 */
export function checkPassword(password: string, username: string, path = "/password"): void {
  if (!config["security.reject_common_passwords"]) return;
  const lower = password.toLowerCase();
  if (commonPasswords().has(lower)) throw invalid(path, "is among the most common passwords");
  if (username !== "" && lower.includes(username.toLowerCase()))
    throw invalid(path, "must not contain the username");
}
