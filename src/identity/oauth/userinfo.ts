import { now, SECOND } from "../../kernel/time/clock";
import type { Caller } from "../access/caller";
import { contactAddress, isAddressProved, primaryAccount } from "../directory/accounts";
import { existingUser, ownId } from "../directory/users";
import type { UserInfo } from "./schema";

/** The claims about a user that the scopes of an access token show (OpenID Connect Core 1.0, sections 5.1 and 5.4). */
export function userInfo(caller: Caller): UserInfo {
  const user = existingUser(ownId(caller));
  const has = (scope: string) => caller.kind === "token" && caller.scopes.includes(scope);
  const email = has("email") ? contactAddress(user) : null;
  const primary = has("profile") ? primaryAccount(user) : undefined;
  return {
    sub: user.id,
    ...(has("profile") && {
      name: primary?.username ?? user.username,
      preferred_username: user.username,
      ...(primary?.avatar_url && { picture: primary.avatar_url }),
      ...(user.preferred_locale !== null && { locale: user.preferred_locale }),
      updated_at: Math.floor(Math.min(user.updated_at, now()) / SECOND),
    }),
    ...(email !== null && { email, email_verified: isAddressProved(user.id, email) }),
  };
}
