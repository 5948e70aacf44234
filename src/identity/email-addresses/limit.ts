import type { HookContext } from "../../kernel/http/http";
import { HOUR, SECOND } from "../../kernel/time/clock";
import { type Caller, isSystemKey } from "../access/caller";
import { type RateRule, takeFromLimit } from "../access/limit";

/** Verification emails per user, counted across sessions: the user chooses the addresses that they go to. */
const verificationEmails: RateRule = {
  name: "verification-email",
  rate: () => ({ requests: 30, seconds: HOUR / SECOND }),
};

/**
 * Counts an email to an address of the caller's choice, against the caller; for a system key, which serves
 * everybody, against the user concerned. Throws 429.
 */
export function countVerificationEmail(
  caller: Caller,
  userId: string,
  headers: HookContext["set"]["headers"],
): void {
  const subject = isSystemKey(caller) ? userId : (caller.userId ?? caller.id);
  takeFromLimit(verificationEmails, subject, headers);
}
