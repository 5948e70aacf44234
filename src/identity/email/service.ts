import { and, asc, count, eq, gt, inArray, isNotNull, isNull, lt, lte, or, sql } from "drizzle-orm";
import { config } from "../../config";
import { DAY, HOUR, now, SECOND } from "../../kernel/clock";
import { afterCommit, db, transact } from "../../kernel/db";
import { decrypt, encrypt } from "../../kernel/encryption";
import { newId } from "../../kernel/id";
import { log } from "../../kernel/log";
import { logFailure } from "../../kernel/trouble";
import { DeliveryError } from "./delivery-error";
import { deliverToOutbox } from "./outbox";
import { deliverThroughResend } from "./resend";
import { deliverThroughSmtp } from "./smtp";
import { emailQueue } from "./table";
import type { Email } from "./templates";

/** The first pause after a failed attempt, and the longest; each pause is twice the one before. */
const FIRST_PAUSE = 30 * SECOND;
const LONGEST_PAUSE = 6 * HOUR;

/** A message that could not be delivered for so long is given up. */
const PATIENCE = 3 * DAY;

/** How long a stop waits for a message on its way; one that is cut off is sent again at the next start. */
const STOP_PATIENCE = 5 * SECOND;

/** How long the queue remembers a message that is over (without its body), and how many it forgets in one step. */
const MEMORY = 30 * DAY;
const PURGE_STEP = 1_000;

/**
 * Hands a message to the configured transport now. `id` is a UUIDv7 of the occasion: the same message sent again with
 * it arrives once where the transport supports that. Throws DeliveryError, whose message holds nothing of the email.
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

/** What a queued message is encrypted for: moved to another row, it can't be read. */
export const purpose = (id: string) => `email ${id}`;

/** Promises an email, in the current transaction; it goes out once that is committed. `userId` is whose it is. */
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

/** How many messages wait to be delivered. */
export const waitingEmails = (): number =>
  db.select({ n: count() }).from(emailQueue).where(isNotNull(emailQueue.next_attempt_at)).get()?.n ?? 0;

function deliverInBackground(): void {
  deliverQueued().catch((error) => logFailure("the email queue failed; it is tried again soon", error));
}

let working: Promise<void> | null = null;
/** Something may have become due since the worker looked last. */
let wanted = false;
let stopped = false;

/**
 * Delivers what is due, oldest first, until nothing is left or the transport takes nothing. One worker at a time: a
 * call while it works makes it look again.
 */
export function deliverQueued(): Promise<void> {
  if (stopped) return Promise.resolve();
  wanted = true;
  working ??= work().finally(() => {
    working = null;
  });
  return working;
}

/** Lets the message that is on its way arrive, and begins no other: before the database is closed. */
export async function stopDeliveries(): Promise<void> {
  stopped = true;
  await Promise.race([working?.catch(() => {}), Bun.sleep(STOP_PATIENCE)]);
}

async function work(): Promise<void> {
  while (wanted) {
    wanted = false;
    for (let row = nextDue(); row && !stopped; row = nextDue()) {
      const setback = await attempt(row);
      if (setback === "down") return;
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
  // One that waits for longer than any pause was put off by a clock that has been set back since.
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

/** Tries to deliver one message and writes down what came of it. Returns the setback, if any. */
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
  if (error.setback === "refused" || now() - row.created_at >= PATIENCE) {
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
    // Not a refusal but a mistake of ours: its words may hold anything.
    return new DeliveryError(`unexpected: ${error instanceof Error ? error.name : "unknown"}`, "later");
  }
}

/** The row may be gone: the account was deleted meanwhile. */
function update(id: string, values: Partial<typeof emailQueue.$inferInsert>): Promise<void> {
  return transact(() => {
    db.update(emailQueue).set(values).where(eq(emailQueue.id, id)).run();
  });
}

/** 30 seconds, doubled with each attempt up to 6 hours, a fifth more or less so that messages spread out. */
function pauseAfter(attempts: number): number {
  const pause = Math.min(FIRST_PAUSE * 2 ** (attempts - 1), LONGEST_PAUSE);
  return Math.round(pause * (0.8 + 0.4 * Math.random()));
}

/** Takes back what still waits for a user, in the current transaction. */
export function cancelQueuedEmails(userId: string): void {
  db.delete(emailQueue)
    .where(and(eq(emailQueue.user_id, userId), isNotNull(emailQueue.next_attempt_at)))
    .run();
}

/** Forgets messages that have been over for 30 days, in steps that leave the database to others in between. */
export async function purgeEmailQueue(): Promise<void> {
  const before = now() - MEMORY;
  const isOld = and(
    isNull(emailQueue.next_attempt_at),
    lt(sql`coalesce(${emailQueue.delivered_at}, ${emailQueue.failed_at})`, before),
  );
  const step = () =>
    transact(() => {
      const old = db.select({ id: emailQueue.id }).from(emailQueue).where(isOld).limit(PURGE_STEP);
      return db.delete(emailQueue).where(inArray(emailQueue.id, old)).returning({ id: emailQueue.id }).all()
        .length;
    });
  while ((await step()) === PURGE_STEP);
}
