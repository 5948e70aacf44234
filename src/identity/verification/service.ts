import { and, desc, eq, gt, inArray, isNotNull, isNull, lte, ne, not, or, type SQL } from "drizzle-orm";
import { hashToken, mintToken } from "../../kernel/crypto/crypto";
import { keyedHashes } from "../../kernel/crypto/encryption";
import { newId } from "../../kernel/crypto/id";
import { deleteInBatches } from "../../kernel/db/batches";
import { db } from "../../kernel/db/connection";
import { badRequest } from "../../kernel/errors/errors";
import { addressBlock, type Client } from "../../kernel/http/client";
import { HOUR, MINUTE, now } from "../../kernel/time/clock";
import { isUnexpiredIn } from "../../kernel/time/lifetime";
import { passwordResets } from "../auth/table";
import { madeElsewhere, madeInSession, madeWithKey, revokeInvitations } from "./invitations";
import { type VERIFICATION_KINDS, verifications } from "./table";

export type VerificationKind = (typeof VERIFICATION_KINDS)[number];
export type VerificationRow = typeof verifications.$inferSelect;

/** Lifetime of the link in a verification email (rule C8). */
export const VERIFICATION_LIFETIME = 24 * HOUR;

/** A registration whose email was not handed over within this time was cut off by a crash. */
const SENDING_LIMIT = 5 * MINUTE;

interface NewVerification {
  kind: VerificationKind;
  userId: string | null;
  /** The user who requested it, if another one. */
  requestedBy?: string | null;
  /** The key that requested it. */
  requestedByKey?: string | null;
  /** The session that requested it. */
  requestedBySession?: string | null;
  email: string;
  username?: string;
  passwordHash?: string;
  blockHash?: string;
}

/**
 * Stores a pending proof of an address, in the current transaction; it replaces an earlier one of the same
 * kind and user. The token appears in the result and nowhere else.
 */
export function insertVerification(input: NewVerification) {
  const { token, hash } = mintToken("");
  const id = newId();
  const time = now();
  const expiresAt = time + VERIFICATION_LIFETIME;
  if (input.userId !== null) cancelVerification(input.userId, input.kind);
  db.insert(verifications)
    .values({
      id,
      kind: input.kind,
      token_hash: hash,
      user_id: input.userId,
      requested_by: input.requestedBy ?? null,
      requested_by_key: input.requestedByKey ?? null,
      requested_by_session: input.requestedBySession ?? null,
      email: input.email,
      username: input.username ?? null,
      password_hash: input.passwordHash ?? null,
      block_hash: input.blockHash ?? null,
      created_at: time,
      expires_at: expiresAt,
    })
    .run();
  return { id, token, expiresAt };
}

/** Matches verifications that still count. */
const isPending = () =>
  and(
    isUnexpiredIn(verifications),
    or(
      isNotNull(verifications.sent_at),
      gt(verifications.created_at, now() - SENDING_LIMIT),
      isNotNull(verifications.user_id),
    ),
  );

/**
 * Time for which an unconfirmed registration holds its address and name. It can be confirmed for longer, but
 * until then it owns neither, and another registration may win: so nobody can keep a name or an address from
 * its rightful owner.
 *
 * The first of a series holds against everybody. Those that follow while it waits hold against the client
 * address block that made them alone: otherwise a stranger who registers again every ten minutes would hold
 * the address for good.
 */
const HOLD = 10 * MINUTE;

/**
 * Maximum number of registrations of one client address block that wait for one email address: the newest
 * ones. At that number, the newest holds for longer: a stranger sends another's mailbox four emails within
 * half an hour, then one an hour.
 */
const CROWD = 4;
const HOLD_IN_CROWD = 1 * HOUR;

/**
 * Maximum numbers of registration emails to one mailbox within an hour, from all client address blocks. One
 * from a network (an IPv4 address or a /48) that none waits from is taken beyond the first of them: to keep the owner
 * out, a stranger needs eight new networks in each hour of the 24 for which a registration waits.
 */
const MAILS = 8;
const MAILS_FROM_NEW_NETWORKS = 16;

const networkHashesOf = (address: string): string[] =>
  keyedHashes(addressBlock(address, 48), "registration network");

/**
 * Identifies network and client address block of a registration; it is kept with what waits and goes with it. The newest first,
 * then those under former keys.
 */
function blockHashesOf(address: string): string[] {
  const hashes = keyedHashes(addressBlock(address), "registration address");
  return networkHashesOf(address).map((network, at) => `${network}:${hashes[at]}`);
}

/** The registrations that wait for what `which` matches. */
const registrations = (which: SQL) =>
  db
    .select({
      id: verifications.id,
      block_hash: verifications.block_hash,
      created_at: verifications.created_at,
    })
    .from(verifications)
    .where(and(eq(verifications.kind, "registration"), which, isPending()))
    .orderBy(desc(verifications.created_at), desc(verifications.id))
    .all();

type Waiting = ReturnType<typeof registrations>;

/** Number made in the last `milliseconds`. Those from a clock that was ahead count no longer than that. */
const madeWithin = (waiting: Waiting, milliseconds: number): number => {
  const time = now();
  return waiting.filter(({ created_at: at }) => at > time - milliseconds && at <= time + milliseconds).length;
};

function ofBlock(waiting: Waiting, { address }: Client): Waiting {
  const blocks = blockHashesOf(address);
  return waiting.filter(({ block_hash }) => block_hash !== null && blocks.includes(block_hash));
}

function isFromNewNetwork(waiting: Waiting, { address }: Client): boolean {
  const networks = networkHashesOf(address);
  return !waiting.some(({ block_hash }) => networks.some((network) => block_hash?.startsWith(`${network}:`)));
}

/** True if waiting registrations hold their address or name against a client address block. */
function isHeld(waiting: Waiting, mine: Waiting, hold: number): boolean {
  return madeWithin(mine, hold) > 0 || madeWithin(waiting.slice(-1), HOLD) > 0;
}

/** True if registrations that wait hold a username now, against a client or, by default, for a user's new name. */
export function isNameHeld(username: string, client: Client | null = null): boolean {
  const waiting = registrations(eq(verifications.username, username));
  return isHeld(waiting, client === null ? [] : ofBlock(waiting, client), HOLD);
}

/** True if registrations that wait hold an address now against a client. */
export function isAddressHeld(email: string, client: Client): boolean {
  const waiting = registrations(eq(verifications.email, email));
  const mine = ofBlock(waiting, client);
  return (
    isHeld(waiting, mine, mine.length < CROWD ? HOLD : HOLD_IN_CROWD) ||
    madeWithin(waiting, HOUR) >= (isFromNewNetwork(waiting, client) ? MAILS_FROM_NEW_NETWORKS : MAILS)
  );
}

/**
 * Stores a pending registration, in the current transaction. It takes the place of the oldest one of the same
 * client address block where four wait, and never of another block's: nobody pushes out the owner's.
 */
export function insertRegistration(
  input: { email: string; username: string; passwordHash: string },
  client: Client,
) {
  const mine = ofBlock(registrations(eq(verifications.email, input.email)), client);
  const ids = mine.slice(CROWD - 1).map(({ id }) => id);
  db.delete(verifications).where(inArray(verifications.id, ids)).run();
  return insertVerification({
    kind: "registration",
    userId: null,
    blockHash: blockHashesOf(client.address)[0] ?? "",
    ...input,
  });
}

/** Removes registrations of this address or username that no longer count, so that they block nobody. */
export function dropStaleRegistrations(email: string, username: string): void {
  db.delete(verifications)
    .where(
      and(
        eq(verifications.kind, "registration"),
        or(eq(verifications.email, email), eq(verifications.username, username)),
        not(isPending() as SQL),
      ),
    )
    .run();
}

/** Records that the email of a registration was handed over. */
export function markSent(id: string): void {
  db.update(verifications).set({ sent_at: now() }).where(eq(verifications.id, id)).run();
}

export function deleteVerification(id: string): void {
  db.delete(verifications).where(eq(verifications.id, id)).run();
}

/** A user's pending verification of this kind; undefined when there is none. */
export function pendingVerification(userId: string, kind: VerificationKind): VerificationRow | undefined {
  return db
    .select()
    .from(verifications)
    .where(and(eq(verifications.user_id, userId), eq(verifications.kind, kind), isPending()))
    .get();
}

/** Cancels a user's pending verification of this kind. Returns false when there is none. */
export function cancelVerification(userId: string, kind: VerificationKind): boolean {
  const isPendingStill = pendingVerification(userId, kind) !== undefined;
  db.delete(verifications)
    .where(and(eq(verifications.user_id, userId), eq(verifications.kind, kind)))
    .run();
  return isPendingStill;
}

/**
 * Cancels what a session requested, in the current transaction: called for one that is revoked, which may have
 * been stolen. The thief's link would otherwise work for the rest of its day.
 */
export function cancelRequestsOf(sessionId: string): void {
  db.delete(verifications).where(eq(verifications.requested_by_session, sessionId)).run();
  revokeInvitations(madeInSession(sessionId));
}

/**
 * Cancels what a user requested in any session but `keptId`, for anybody, in the current transaction: also in
 * sessions that are gone, since a thief may sign out before the user looks.
 */
export function cancelRequestsBy(userId: string, keptId: string | null): void {
  const byUser = or(
    eq(verifications.requested_by, userId),
    and(isNull(verifications.requested_by), eq(verifications.user_id, userId)),
  );
  const elsewhere =
    keptId === null
      ? isNotNull(verifications.requested_by_session)
      : ne(verifications.requested_by_session, keptId);
  db.delete(verifications).where(and(byUser, elsewhere)).run();
  revokeInvitations(madeElsewhere(userId, keptId));
}

/** Cancels what a key requested, in the current transaction: called as it gets a new value, since the old one may be known. */
export function cancelRequestsOfKey(keyId: string): void {
  db.delete(verifications).where(eq(verifications.requested_by_key, keyId)).run();
  revokeInvitations(madeWithKey(keyId));
}

/**
 * Consumes a token in the current transaction and returns its verification: of parallel requests only one
 * gets it. `allows` restricts which verifications may be consumed. Throws the same 400 for every fault.
 */
export function takeVerification(
  token: string,
  kinds: VerificationKind[],
  allows: (row: VerificationRow) => boolean = () => true,
): VerificationRow {
  const row = db
    .select()
    .from(verifications)
    .where(
      and(
        eq(verifications.token_hash, hashToken(token)),
        inArray(verifications.kind, kinds),
        isUnexpiredIn(verifications),
      ),
    )
    .get();
  if (!row || !allows(row)) throw badRequest("The token is not valid, was used, or has expired");
  deleteVerification(row.id);
  return row;
}

/** The job: removes expired verifications and password resets. They are refused even before it runs. */
export async function deleteExpiredTokens(): Promise<void> {
  for (const table of [verifications, passwordResets])
    await deleteInBatches(table, lte(table.expires_at, now()));
}
