import { eq, inArray, lte } from "drizzle-orm";
import { DAY, now } from "../../kernel/clock";
import { mintToken } from "../../kernel/crypto";
import { db, transact } from "../../kernel/db";
import type { Client } from "../../kernel/http";
import { newId } from "../../kernel/id";
import { accessChanged } from "../access/caller";
import { recordAudit } from "../audit/service";
import { sessions } from "./table";

/** How long a session lasts (Part 2). */
export const SESSION_LIFETIME = 30 * DAY;

/** Stores a new session in the current transaction. Its token is in the result and nowhere else. */
export function insertSession(userId: string, provider: string, client: Client) {
  const { token, hash } = mintToken("ses_");
  const id = newId();
  const time = now();
  const expiresAt = time + SESSION_LIFETIME;
  db.insert(sessions)
    .values({
      id,
      user_id: userId,
      token_hash: hash,
      provider,
      ip_address: client.address,
      user_agent: client.userAgent,
      created_at: time,
      last_activity_at: time,
      expires_at: expiresAt,
    })
    .run();
  recordAudit({
    event_type: "session_created",
    user_id: userId,
    resource_type: "session",
    resource_id: id,
    metadata: { provider },
    client,
  });
  return { id, token, expiresAt };
}

/** Removes a session in the current transaction: its token and its sockets end with the commit. */
export function endSession(id: string): void {
  db.delete(sessions).where(eq(sessions.id, id)).run();
  accessChanged((caller) => caller.kind === "session" && caller.id === id);
}

/** Sessions deleted in one transaction. */
const STEP = 500;

/** The job: removes sessions that have ended. They are refused from their end on, removed or not. */
export async function deleteExpiredSessions(): Promise<void> {
  for (let more = true; more; ) {
    more = await transact(() => {
      const ended = db
        .select({ id: sessions.id })
        .from(sessions)
        .where(lte(sessions.expires_at, now()))
        .limit(STEP)
        .all()
        .map((row) => row.id);
      db.delete(sessions).where(inArray(sessions.id, ended)).run();
      return ended.length === STEP;
    });
  }
}
