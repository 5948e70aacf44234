import { mayUsePassword } from "../passwords/allowed";
import { passwordHashOf } from "../passwords/service";
import { waysIn } from "../ways-in/service";

/** The ways in which a user can sign in now, as the user's own page shows them. */
export function ownWaysIn(userId: string) {
  const ways = waysIn(userId);
  return {
    has_password: passwordHashOf(userId) !== null,
    may_use_password: mayUsePassword(userId),
    passkeys: ways.filter(({ kind }) => kind === "passkey").length,
    identities: ways.filter(({ kind }) => kind === "identity").length,
    platform_accounts: ways.filter(({ kind }) => kind === "platform").length,
  };
}
