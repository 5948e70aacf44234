import { takeToken } from "../../kernel/limits/rate-limit";
import { HOUR, now, SECOND } from "../../kernel/time/clock";
import type { Actor } from "../access/actor";
import { contactAddress, isAddressProved } from "../directory/accounts";
import { findUser, type UserRow } from "../directory/users";
import { emailLocale } from "./locale";
import { queueEmail } from "./service";
import { composeEmail, type EmailContent } from "./templates";

/** Notices to one mailbox whose address nobody proved: a stranger's, perhaps, who must not be sent emails at will. */
const TO_UNPROVED = { requests: 8, seconds: HOUR / SECOND };

const mayNotify = (user: UserRow, address: string): boolean =>
  isAddressProved(user.id, address) || takeToken(`unproved-mailbox ${address}`, TO_UNPROVED).allowed;

/**
 * Queues an email to a user, in the current transaction, in the language that the user chose or that the
 * request asks for. Does nothing for a user without an address, and sends an address that nobody proved a few
 * an hour.
 */
export function notify(user: UserRow, content: EmailContent, acceptLanguage: string | null = null): void {
  const address = contactAddress(user);
  if (address !== null && mayNotify(user, address)) notifyAt(address, user, content, acceptLanguage);
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

/** Emails of one sort to a user within an hour: the last of them says that more may follow without an email. */
const OF_ONE_SORT = { requests: 21, seconds: HOUR / SECOND };

/**
 * Tells the owner of something that a thief of the session could have changed, in the current transaction. What is
 * counted together is `sort`; `contentOf` gets the time until when no further email of the sort is sent, or null.
 * Does nothing where there is no owner.
 */
export function notifyOwner(
  ownerId: string | null,
  sort: string,
  { caller, client }: Actor,
  contentOf: (silentUntil: number | null) => EmailContent,
): void {
  const owner = ownerId === null ? undefined : findUser(ownerId);
  if (!owner) return;
  const { allowed, remaining, resetSeconds } = takeToken(`${sort} ${owner.id}`, OF_ONE_SORT);
  if (!allowed) return;
  const silentUntil = remaining === 0 ? now() + resetSeconds * SECOND : null;
  notify(owner, contentOf(silentUntil), caller.userId === owner.id ? client.acceptLanguage : null);
}
