import { existsSync } from "node:fs";
import { and, count, eq, gt, inArray, lt, max, ne } from "drizzle-orm";
import { config } from "../../configuration/config";
import { newId } from "../../kernel/crypto/id";
import { sealedColumn } from "../../kernel/crypto/sealed";
import { deleteInBatches } from "../../kernel/db/batches";
import { db } from "../../kernel/db/connection";
import { log } from "../../kernel/logs/log";
import { dataPath } from "../../kernel/process/data-dir";
import { DAY, now, SECOND } from "../../kernel/time/clock";
import { putIntoOutbox } from "../../outbox/put";
import { isWaiting } from "../../outbox/queue";
import { type End, type Outcome, sendLane } from "../../outbox/sender";
import { finished } from "../../outbox/settle";
import { type OutboxRow, outbox } from "../../outbox/table";
import { EMAILS } from "../../outbox/words";
import { attemptsEnded } from "../../outbox/worker";
import type { Email } from "./templates";
import { tryEmail } from "./transport";

/** The emails of the installation: a lane of the outbox. */

/** Shortest time for which a finished message is remembered, without its body. */
const MEMORY = 30 * DAY;

const isEmail = eq(outbox.lane, EMAILS);

/** A queued message that is moved to another row can't be read. */
export const queuedEmails = sealedColumn({
  what: { en: "queued emails", de: "wartende E-Mails" },
  ifLost: {
    en: "these emails are given up after three days",
    de: "diese E-Mails werden nach drei Tagen aufgegeben",
  },
  table: "outbox",
  id: "id",
  column: "message",
  where: `lane = '${EMAILS}'`,
  boundTo: (id) => `email ${id}`,
});

/** Queues an email in the current transaction; it goes out after the commit. `userId` is its owner. */
export function queueEmail(email: Email, userId: string | null): void {
  const id = newId();
  const time = now();
  putIntoOutbox({
    ...{ id, lane: EMAILS, alert_id: null, kind: email.kind, severity: null, urgency: 1, user_id: userId },
    message: queuedEmails.seal(JSON.stringify(email), id),
    next_attempt_at: time,
    created_at: time,
  });
}

/**
 * Notes a message that was sent before its user existed, in the current transaction, so that it is found when
 * the account is deleted.
 */
export function noteSentEmail(id: string, kind: Email["kind"], userId: string, sentAt: number): void {
  db.insert(outbox)
    .values({
      ...{ id, lane: EMAILS, kind, user_id: userId, urgency: 1, status: "delivered", attempts: 1 },
      first_attempt_at: sentAt,
      last_attempt_at: sentAt,
      finished_at: sentAt,
      created_at: sentAt,
    })
    .onConflictDoNothing()
    .run();
}

/** Number and newest of the messages of a kind queued for a user since a time, except those given up. */
export function emailsSince(userId: string, kind: Email["kind"], since: number) {
  const found = db
    .select({ sent: count(), newest: max(outbox.created_at) })
    .from(outbox)
    .where(
      and(
        isEmail,
        eq(outbox.user_id, userId),
        eq(outbox.kind, kind),
        gt(outbox.created_at, since),
        inArray(outbox.status, ["waiting", "delivered"]),
      ),
    )
    .get();
  return found ?? { sent: 0, newest: null };
}

/** Number of messages that wait for delivery. */
export const waitingEmails = (): number =>
  db.select({ n: count() }).from(outbox).where(and(isEmail, isWaiting)).get()?.n ?? 0;

// One at a time: they arrive in the order in which they were queued.
sendLane(EMAILS, () => ({
  atOnce: 1,
  keepsFailed: false,
  heldUntil: () => null,
  send,
  report,
  close: () => {},
}));

async function send({ id, message }: OutboxRow): Promise<Outcome> {
  let email: Email;
  try {
    email = JSON.parse(queuedEmails.open(message ?? "", id));
  } catch {
    const error = "the message can't be decrypted: is the master key another one?";
    return { result: "later", status: null, error };
  }
  return tryEmail(email, id);
}

function report({ id, kind }: OutboxRow, told: End): void {
  const { end, attempts, outcome } = told;
  const facts = { email: id, kind, attempts, reason: outcome.error ?? "" };
  if (end === "given_up")
    log.error("an email is given up: check the reason, the address and email.* of the configuration", facts);
  if (end === "failed")
    log.warn("an email could not be delivered yet", {
      ...facts,
      retry_seconds: Math.round(told.retryIn / SECOND),
    });
}

/** Resolves once the emails on their way have arrived, or after some seconds. */
export const emailsArrived = (): Promise<void> => attemptsEnded([EMAILS]);

/**
 * Cancels the messages that still wait for a user, in the current transaction. Their identifiers stay: the file of one
 * that is being delivered is found by it.
 */
export function cancelQueuedEmails(userId: string): void {
  db.update(outbox)
    .set({ ...finished("cancelled"), message: null, error: "the account was deleted" })
    .where(and(isEmail, eq(outbox.user_id, userId), isWaiting))
    .run();
}

/** Time for which finished messages are remembered: as long as there are files that are found by their identifier. */
function memory(): number {
  const days = config["email.outbox_days"];
  if (!existsSync(dataPath.outbox())) return MEMORY;
  return days === 0 ? Number.POSITIVE_INFINITY : Math.max(MEMORY, days * DAY);
}

/** Forgets messages that were finished long ago, in steps that leave the database to others in between. */
export async function forgetOldEmails(): Promise<void> {
  const before = now() - memory();
  await deleteInBatches(outbox, and(isEmail, ne(outbox.status, "waiting"), lt(outbox.finished_at, before)));
}

/** The messages of a user that are remembered. */
export const emailIdsOf = (userId: string): string[] =>
  db
    .select({ id: outbox.id })
    .from(outbox)
    .where(and(isEmail, eq(outbox.user_id, userId)))
    .all()
    .map(({ id }) => id);
