import { existsSync } from "node:fs";
import { and, asc, count, eq, gt, inArray, isNotNull, isNull, lt, lte, max, or, sql } from "drizzle-orm";
import { config } from "../../configuration/config";
import { decrypt, encrypt } from "../../kernel/crypto/encryption";
import { newId } from "../../kernel/crypto/id";
import { deleteInBatches, inBatches } from "../../kernel/db/batches";
import { db } from "../../kernel/db/connection";
import { publish } from "../../kernel/db/events";
import { afterCommit, transact } from "../../kernel/db/transactions";
import { logFailure } from "../../kernel/errors/trouble";
import { log } from "../../kernel/logs/log";
import { dataPath } from "../../kernel/process/data-dir";
import { DAY, HOUR, now, SECOND } from "../../kernel/time/clock";
import { DeliveryError } from "./delivery-error";
import { deliverToOutbox } from "./outbox";
import { deliverThroughResend } from "./resend";
import { deliverThroughSmtp } from "./smtp";
import { emailQueue } from "./table";
import type { Email } from "./templates";

/** The first pause after a failed attempt, and the longest; each pause is twice the one before. */
const FIRST_PAUSE = 30 * SECOND;
const LONGEST_PAUSE = 6 * HOUR;

/** A message that could not be delivered for this long is given up. */
const RETRIED_FOR = 3 * DAY;

/** Longest wait of a stop for a message on its way; an interrupted one is sent again at the next start. */
const SETTLE_TIMEOUT = 5 * SECOND;

/** Shortest time for which the queue remembers a finished message, without its body. */
const MEMORY = 30 * DAY;

/**
 * Hands a message to the configured transport now. `id` is a UUIDv7 of the occasion: sent again with it, a
 * message arrives only once if the transport supports that. Throws DeliveryError, whose message holds nothing
 * of the email.
 */
export async function sendEmail(email: Email, id: string): Promise<void> {
  switch (config["email.transport"]) {
    case "outbox":
      return deliverToOutbox(email, id);
    case "resend":
      return deliverThroughResend(email, id);
    case "smtp":
      return deliverThroughSmtp(email, id);
  }
}

/** Purpose that a queued message is encrypted for: moved to another row, it can't be read. */
export const purpose = (id: string) => `email ${id}`;

/** Queues an email in the current transaction; it goes out after the commit. `userId` is its owner. */
export function queueEmail(email: Email, userId: string | null): void {
  const id = newId();
  db.insert(emailQueue)
    .values({
      id,
      kind: email.kind,
      user_id: userId,
      message: encrypt(JSON.stringify(email), purpose(id)),
      next_attempt_at: now(),
      created_at: now(),
    })
    .run();
  afterCommit(() => setImmediate(deliverInBackground));
}

/**
 * Notes a message that was sent before its user existed, in the current transaction, so that it is found when
 * the account is deleted.
 */
export function noteSentEmail(id: string, kind: Email["kind"], userId: string, sentAt: number): void {
  db.insert(emailQueue)
    .values({ id, kind, user_id: userId, attempts: 1, delivered_at: sentAt, created_at: sentAt })
    .onConflictDoNothing()
    .run();
}

/** Number and newest of the messages of a kind queued for a user since a time, except those given up. */
export function emailsSince(userId: string, kind: Email["kind"], since: number) {
  const found = db
    .select({ sent: count(), newest: max(emailQueue.created_at) })
    .from(emailQueue)
    .where(
      and(
        eq(emailQueue.user_id, userId),
        eq(emailQueue.kind, kind),
        gt(emailQueue.created_at, since),
        isNull(emailQueue.failed_at),
      ),
    )
    .get();
  return found ?? { sent: 0, newest: null };
}

/** Number of messages that wait for delivery. */
export const waitingEmails = (): number =>
  db.select({ n: count() }).from(emailQueue).where(isNotNull(emailQueue.next_attempt_at)).get()?.n ?? 0;

function deliverInBackground(): void {
  deliverQueued().catch((error) => logFailure("the email queue failed; it is tried again soon", error));
}

let working: Promise<void> | null = null;
/** Set when a message may have become due since the worker looked last. */
let wanted = false;
let stopped = false;

/**
 * Delivers all due messages, oldest first, until none is left or the transport accepts none. One worker at a
 * time: a call while it works makes it look again.
 */
export function deliverQueued(): Promise<void> {
  if (stopped) return Promise.resolve();
  wanted = true;
  working ??= work().finally(() => {
    working = null;
  });
  return working;
}

/** Tries what failed before at once, since the way out is open again. */
export async function retryQueuedEmails(): Promise<void> {
  const time = now();
  const { attempts, next_attempt_at } = emailQueue;
  await inBatches((limit) => {
    const failed = db
      .select({ id: emailQueue.id })
      .from(emailQueue)
      .where(and(isNotNull(next_attempt_at), gt(attempts, 0), gt(next_attempt_at, time)))
      .limit(limit);
    return db
      .update(emailQueue)
      .set({ next_attempt_at: time })
      .where(inArray(emailQueue.id, failed))
      .returning({ id: emailQueue.id })
      .all().length;
  });
  deliverInBackground();
}

declare module "../../kernel/db/events" {
  interface EventMap {
    /** An email went out after one could not. */
    "email.back": Record<never, never>;
  }
}

/** True if no message at all was accepted at the last attempt. */
let wasDown = false;

/** Resolves once the messages on their way have arrived, or after some seconds. */
export const deliveriesUnderWay = (): Promise<void> =>
  Promise.race([(working ?? Promise.resolve()).catch(() => {}), Bun.sleep(SETTLE_TIMEOUT)]);

/** Lets the message on its way arrive, and starts no other: call it before the database is closed. */
export async function stopDeliveries(): Promise<void> {
  stopped = true;
  await deliveriesUnderWay();
}

async function work(): Promise<void> {
  while (wanted) {
    wanted = false;
    for (let row = nextDue(); row && !stopped; row = nextDue()) {
      const setback = await attempt(row);
      if (setback === null && wasDown) publish("email.back", {});
      wasDown = setback === "down";
      if (wasDown) return;
    }
  }
}

interface Queued {
  id: string;
  kind: string;
  message: string | null;
  attempts: number;
  created_at: number;
}

function nextDue(): Queued | undefined {
  const time = now();
  // A wait longer than any pause means that the clock has been set back since.
  const isLeftBehind = gt(emailQueue.next_attempt_at, time + 2 * LONGEST_PAUSE);
  return db
    .select({
      id: emailQueue.id,
      kind: emailQueue.kind,
      message: emailQueue.message,
      attempts: emailQueue.attempts,
      created_at: emailQueue.created_at,
    })
    .from(emailQueue)
    .where(or(lte(emailQueue.next_attempt_at, time), isLeftBehind))
    .orderBy(asc(emailQueue.next_attempt_at), asc(emailQueue.id))
    .limit(1)
    .get();
}

/** Tries to deliver one message and stores the outcome. Returns the setback, if any. */
async function attempt(row: Queued): Promise<DeliveryError["setback"] | null> {
  const error = await deliver(row);
  const attempts = row.attempts + 1;
  if (!error) {
    await update(row.id, {
      attempts,
      message: null,
      next_attempt_at: null,
      delivered_at: now(),
      last_error: null,
    });
    return null;
  }
  const facts = { email: row.id, kind: row.kind, attempts, reason: error.message };
  if (error.setback === "refused" || now() - row.created_at >= RETRIED_FOR) {
    log.error("an email is given up: check the reason, the address and email.* of the configuration", facts);
    const last_error = error.message;
    await update(row.id, { attempts, message: null, next_attempt_at: null, failed_at: now(), last_error });
  } else {
    const pause = pauseAfter(attempts);
    log.warn("an email could not be delivered yet", { ...facts, retry_seconds: Math.round(pause / SECOND) });
    await update(row.id, { attempts, next_attempt_at: now() + pause, last_error: error.message });
  }
  return error.setback;
}

async function deliver(row: Queued): Promise<DeliveryError | null> {
  let email: Email;
  try {
    email = JSON.parse(decrypt(row.message ?? "", purpose(row.id)));
  } catch {
    return new DeliveryError("the message can't be decrypted: is the master key another one?", "later");
  }
  try {
    await sendEmail(email, row.id);
    return null;
  } catch (error) {
    if (error instanceof DeliveryError) return error;
    // Not a refusal but a mistake of ours: its message may hold anything.
    return new DeliveryError(`unexpected: ${error instanceof Error ? error.name : "unknown"}`, "later");
  }
}

/** Updates a message, unless it was cancelled meanwhile. */
function update(id: string, values: Partial<typeof emailQueue.$inferInsert>): Promise<void> {
  return transact(() => {
    db.update(emailQueue)
      .set(values)
      .where(and(eq(emailQueue.id, id), isNotNull(emailQueue.next_attempt_at)))
      .run();
  });
}

/**
 * Pause before the next attempt: 30 seconds, doubled each time up to 6 hours, a fifth more or less to spread
 * messages out.
 */
function pauseAfter(attempts: number): number {
  const pause = Math.min(FIRST_PAUSE * 2 ** (attempts - 1), LONGEST_PAUSE);
  return Math.round(pause * (0.8 + 0.4 * Math.random()));
}

/**
 * Cancels the messages that still wait for a user, in the current transaction. Their identifiers stay: the file of one
 * that is being delivered is found by it.
 */
export function cancelQueuedEmails(userId: string): void {
  db.update(emailQueue)
    .set({ message: null, next_attempt_at: null, failed_at: now(), last_error: "the account was deleted" })
    .where(and(eq(emailQueue.user_id, userId), isNotNull(emailQueue.next_attempt_at)))
    .run();
}

/** Time for which the queue remembers: as long as the outbox keeps files that are found by their identifier. */
function memory(): number {
  const days = config["email.outbox_days"];
  if (!existsSync(dataPath.outbox())) return MEMORY;
  return days === 0 ? Number.POSITIVE_INFINITY : Math.max(MEMORY, days * DAY);
}

/** Forgets messages that were finished long ago, in steps that leave the database to others in between. */
export async function purgeEmailQueue(): Promise<void> {
  const before = now() - memory();
  const isOld = and(
    isNull(emailQueue.next_attempt_at),
    lt(sql`coalesce(${emailQueue.delivered_at}, ${emailQueue.failed_at})`, before),
  );
  await deleteInBatches(emailQueue, isOld);
}

/** The messages of a user that the queue remembers. */
export const emailIdsOf = (userId: string): string[] =>
  db
    .select({ id: emailQueue.id })
    .from(emailQueue)
    .where(eq(emailQueue.user_id, userId))
    .all()
    .map(({ id }) => id);
