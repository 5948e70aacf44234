import type { Actor } from "../access/actor";
import { isSystemKey } from "../access/caller";
import { takeFromLimit } from "../access/guard";
import { passwordLimit } from "../passwords/limit";
import type { Proof } from "../proof/schema";
import { countCodeOf } from "../two-factor-codes/tries";
import { minutesFor } from "./service";

/**
 * Counts the password and the code in the body of an operation that needs a recent sign-in, wherever one is
 * required at all. Throws 429.
 */
export function countProof(
  actor: Actor,
  { password, code }: Proof,
  headers: Parameters<typeof takeFromLimit>[2],
  minutes = minutesFor(actor),
): void {
  if (minutes === 0 || isSystemKey(actor.caller) || actor.caller.userId === null) return;
  // A user may have any number of keys, but all try the same password.
  if (password)
    takeFromLimit(
      passwordLimit,
      actor.caller.kind === "session" ? actor.caller.id : actor.caller.userId,
      headers,
    );
  if (code) countCodeOf(actor.caller.userId, actor.client, headers);
}
