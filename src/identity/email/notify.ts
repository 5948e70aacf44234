import { contactAddress } from "../directory/accounts";
import type { UserRow } from "../directory/users";
import { emailLocale } from "./locale";
import { queueEmail } from "./service";
import { composeEmail, type EmailContent } from "./templates";

/**
 * Queues an email to a user, in the current transaction, in the language that the user chose or that the
 * request asks for. Does nothing for a user without an address.
 */
export function notify(user: UserRow, content: EmailContent, acceptLanguage: string | null = null): void {
  const address = contactAddress(user);
  if (address !== null) notifyAt(address, user, content, acceptLanguage);
}

/** The same, to an address that may no longer be the user's. */
export function notifyAt(
  address: string,
  user: UserRow,
  content: EmailContent,
  acceptLanguage: string | null,
): void {
  const locale = emailLocale(user.preferred_locale, acceptLanguage);
  queueEmail(composeEmail({ address, username: user.username, locale }, content), user.id);
}
