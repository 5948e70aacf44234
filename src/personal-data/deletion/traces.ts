import { eq } from "drizzle-orm";
import { namesOf } from "../../identity/accounts/former-names";
import { deleteEmailsTo } from "../../identity/email/outbox";
import { emailIdsOf, emailsArrived } from "../../identity/email/service";
import { users } from "../../identity/users/table";
import { db } from "../../kernel/db/connection";
import { emptyWriteAheadLog, transact } from "../../kernel/db/transactions";
import { eraseEventsOf } from "./event-traces";
import { scrubNames } from "./table";

/**
 * The numerous traces of a scrubbed account: its audit events, and its emails in the outbox. They go after
 * the account, in steps that let requests in between, and the work starts anew after a crash.
 */

/** Removes from audit events and the outbox all that names a scrubbed account or shows its whereabouts. */
export async function eraseTraces(userId: string): Promise<void> {
  const names = namesOf(userId);
  await eraseEventsOf(userId, names?.external_ids ?? []);
  // A message that was read before the account went would be written after its files were looked for.
  await emailsArrived();
  if (names) await deleteEmailsTo(names.addresses, emailIdsOf(userId), scrubbedAt(userId));
  await transact(() => {
    db.delete(scrubNames).where(eq(scrubNames.user_id, userId)).run();
    db.update(users).set({ scrub_pending: false }).where(eq(users.id, userId)).run();
  });
  emptyWriteAheadLog();
}

/** Time of the scrub in epoch milliseconds. From then on the addresses may belong to somebody else. */
const scrubbedAt = (userId: string): number =>
  db.select({ at: users.scrubbed_at }).from(users).where(eq(users.id, userId)).get()?.at ?? 0;
