import { and, eq, lt, placeholder, sql } from "drizzle-orm";
import { deleteInBatches } from "../../kernel/db/batches";
import { db, statement } from "../../kernel/db/connection";
import { AppError, badRequest } from "../../kernel/errors/errors";
import { DAY, now } from "../../kernel/time/clock";
import { idempotentAnswers } from "../gps/table";
import { type GpsPoint, NewGpsPoint } from "./schema";

/** A request that may come again because its answer was lost: the first answer is given again for a day. */
export interface Idempotency {
  /** The session or the key. */
  credentialId: string;
  key: string;
  /** SHA-256 of the body's known fields. */
  bodyHash: string;
}

const KEY = /^[\x20-\x7e]{1,255}$/;

/** In one order: a client that writes its body anew may have another, and add what nobody knows. */
const FIELDS = Object.keys(NewGpsPoint.properties);

/** Reads the header `Idempotency-Key`; null without one. Throws 400 for a malformed one. */
export function idempotencyOf(request: Request, credentialId: string, body: object): Idempotency | null {
  const key = request.headers.get("idempotency-key");
  if (key === null) return null;
  if (!KEY.test(key)) throw badRequest("Idempotency-Key must have 1 to 255 printable ASCII characters");
  const bodyHash = new Bun.CryptoHasher("sha256").update(JSON.stringify(body, FIELDS)).digest("base64");
  return { credentialId, key, bodyHash };
}

const answerTo = statement(() =>
  db
    .select()
    .from(idempotentAnswers)
    .where(
      and(
        eq(idempotentAnswers.credential_id, placeholder("credentialId")),
        eq(idempotentAnswers.key, placeholder("key")),
      ),
    )
    .prepare(),
);
const remember = statement(() =>
  db
    .insert(idempotentAnswers)
    .values({
      credential_id: placeholder("credentialId"),
      key: placeholder("key"),
      body_hash: placeholder("bodyHash"),
      answer: placeholder("answer"),
      created_at: placeholder("time"),
    })
    .onConflictDoUpdate({
      target: [idempotentAnswers.credential_id, idempotentAnswers.key],
      set: {
        body_hash: sql`excluded.body_hash`,
        answer: sql`excluded.answer`,
        created_at: sql`excluded.created_at`,
      },
    })
    .prepare(),
);

/**
 * The first answer to this request, in the current transaction; null if it is the first. Throws 422 for a key that came with
 * another body.
 */
export function rememberedAnswer(idempotency: Idempotency): GpsPoint | null {
  const found = answerTo().get({ ...idempotency });
  if (!found || found.created_at <= now() - DAY) return null;
  if (found.body_hash !== idempotency.bodyHash)
    throw new AppError(
      "IdempotencyKeyReused",
      "This Idempotency-Key came with another body; choose a new one",
    );
  return JSON.parse(found.answer) as GpsPoint;
}

/** Keeps the answer to a request for a day, in the current transaction. */
export function rememberAnswer(idempotency: Idempotency, point: GpsPoint): void {
  remember().run({ ...idempotency, answer: JSON.stringify(point), time: now() });
}

/** The job: forgets answers that are older than a day. */
export const forgetOldAnswers = (): Promise<void> =>
  deleteInBatches(idempotentAnswers, lt(idempotentAnswers.created_at, now() - DAY));
