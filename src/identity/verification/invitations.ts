import { and, eq, isNotNull, isNull, ne, type SQL } from "drizzle-orm";
import { db } from "../../kernel/db/connection";
import { now } from "../../kernel/time/clock";
import { isUnexpiredIn } from "../../kernel/time/lifetime";
import { invitations } from "../invitations/table";

/** Matches invitations that can be accepted. */
export const isOpen = (): SQL | undefined =>
  and(isNull(invitations.accepted_at), isNull(invitations.revoked_at), isUnexpiredIn(invitations));

/**
 * Revokes invitations that can still be accepted, in the current transaction, and returns their identifiers. Those of a
 * credential that ends out of caution go with it: a thief would accept them afterwards, and so stay.
 */
export const revokeInvitations = (which: SQL | undefined): { id: string; made_by: string | null }[] =>
  db
    .update(invitations)
    .set({ revoked_at: now() })
    .where(and(which, isOpen()))
    .returning({ id: invitations.id, made_by: invitations.made_by })
    .all();

export const madeInSession = (sessionId: string): SQL => eq(invitations.made_by_session, sessionId);
export const madeWithKey = (keyId: string): SQL => eq(invitations.made_by_key, keyId);

/** Made by a user in any session but `keptId`, also in one that is gone. */
export const madeElsewhere = (userId: string, keptId: string | null): SQL | undefined =>
  and(
    eq(invitations.made_by, userId),
    keptId === null ? isNotNull(invitations.made_by_session) : ne(invitations.made_by_session, keptId),
  );
