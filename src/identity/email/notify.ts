import { contactAddress, type UserRow } from "../users/service";
import { emailLocale } from "./locale";
import { queueEmail } from "./service";
import { composeEmail, type EmailContent } from "./templates";

/**
 * Promises a user an email, in the current transaction, in the language that the user chose or that the request asks
 * for. Nothing for a user without an address.
 */
export function notify(user: UserRow, content: EmailContent, acceptLanguage: string | null = null): void {
  const address = contactAddress(user);
  if (address === null) return;
  const locale = emailLocale(user.preferred_locale, acceptLanguage);
  queueEmail(composeEmail({ address, username: user.username, locale }, content), user.id);
}
