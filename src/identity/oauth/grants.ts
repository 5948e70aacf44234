import { and, asc, count, eq, isNull } from "drizzle-orm";
import { mintToken } from "../../kernel/crypto/crypto";
import { newId } from "../../kernel/crypto/id";
import { db } from "../../kernel/db/connection";
import { DAY, MINUTE, now, SECOND } from "../../kernel/time/clock";
import { idleSpan } from "../access/open-session";
import { endSomeGrants } from "../grants/service";
import { oauthAccessTokens, oauthCodes, oauthGrants, oauthRefreshTokens } from "../grants/table";
import type { ClientRow } from "../oauth-clients/find";
import { sessions } from "../sessions/table";

/** Grants, and the codes and tokens that come of them: each is kept as a hash alone. */

export type GrantRow = typeof oauthGrants.$inferSelect;

/** Lifetimes (rules C13 and C14). */
export const CODE_LIFETIME = 60 * SECOND;
export const ACCESS_LIFETIME = 15 * MINUTE;
/** A refresh token that nobody uses ends after a while, and all of them with their grant (RFC 9700, section 4.14.2). */
const REFRESH_LIFETIME = 30 * DAY;
const GRANT_LIFETIME = 180 * DAY;

/** Grants of one consent at a time: the oldest ones make room. Each device of a user has one, and each sign-in. */
const MOST_GRANTS = 50;

/** Makes room for one more grant of a consent, in the current transaction. */
function makeRoom(consentId: string): void {
  const ofConsent = eq(oauthGrants.consent_id, consentId);
  const held = db.select({ n: count() }).from(oauthGrants).where(ofConsent).get()?.n ?? 0;
  const surplus = held - MOST_GRANTS + 1;
  if (surplus <= 0) return;
  const oldest = db
    .select({ id: oauthGrants.id })
    .from(oauthGrants)
    .where(ofConsent)
    .orderBy(asc(oauthGrants.id))
    .limit(surplus)
    .all();
  endSomeGrants(
    oldest.map(({ id }) => id),
    "too many sign-ins",
  );
}

interface NewGrant {
  consentId: string;
  client: ClientRow;
  userId: string;
  sessionId: string;
  scopes: readonly string[];
  authenticatedAt: number;
  amr: string[] | null;
  issuer: string;
}

interface NewCode {
  redirectUri: string;
  codeChallenge: string;
  nonce: string | undefined;
}

/** Stores a grant and the code that is exchanged for its tokens, in the current transaction. Returns the code. */
export function storeGrant(grant: NewGrant, { redirectUri, codeChallenge, nonce }: NewCode): string {
  makeRoom(grant.consentId);
  const id = newId();
  const time = now();
  const expiresAt = time + CODE_LIFETIME;
  db.insert(oauthGrants)
    .values({
      id,
      consent_id: grant.consentId,
      client_id: grant.client.id,
      user_id: grant.userId,
      session_id: grant.sessionId,
      scopes: [...grant.scopes],
      is_offline: grant.scopes.includes("offline_access"),
      authenticated_at: grant.authenticatedAt,
      amr: grant.amr,
      issuer: grant.issuer,
      created_at: time,
      expires_at: expiresAt,
    })
    .run();
  const { token, hash } = mintToken("flc_");
  db.insert(oauthCodes)
    .values({
      code_hash: hash,
      grant_id: id,
      redirect_uri: redirectUri,
      code_challenge: codeChallenge,
      nonce: nonce ?? null,
      created_at: time,
      expires_at: expiresAt,
    })
    .run();
  return token;
}

/** The grant of a client that acts for itself, in the current transaction; true if it is new. */
export function ownGrant(client: ClientRow, issuer: string): { grant: GrantRow; isNew: boolean } {
  const own = and(eq(oauthGrants.client_id, client.id), isNull(oauthGrants.consent_id));
  const known = db.select().from(oauthGrants).where(own).get();
  const time = now();
  if (known) {
    const kept = { expires_at: time + GRANT_LIFETIME, scopes: client.approved_scopes, issuer };
    db.update(oauthGrants).set(kept).where(eq(oauthGrants.id, known.id)).run();
    return { grant: { ...known, ...kept }, isNew: false };
  }
  const grant = db
    .insert(oauthGrants)
    .values({
      id: newId(),
      client_id: client.id,
      user_id: client.owner_id,
      scopes: client.approved_scopes,
      is_offline: false,
      issuer,
      created_at: time,
      expires_at: time + GRANT_LIFETIME,
    })
    .returning()
    .get();
  return { grant, isNew: true };
}

/** When the session of a grant ends, in epoch milliseconds; null where it has ended, infinity where it doesn't matter. */
function endOfSession({ session_id, is_offline }: GrantRow): number | null {
  if (is_offline || session_id === null) return Number.POSITIVE_INFINITY;
  const session = db.select().from(sessions).where(eq(sessions.id, session_id)).get();
  return session ? Math.min(session.expires_at, session.last_activity_at + idleSpan()) : null;
}

/** Tokens as they are handed out. */
export interface Tokens {
  accessToken: string;
  /** Seconds until the access token ends. */
  expiresIn: number;
  scopes: readonly string[];
  refreshToken: string | null;
}

/**
 * Makes tokens of a grant with some of its scopes, in the current transaction: an offline one gets a refresh token too.
 * Null if the session that it rests on has ended.
 */
export function makeTokens(grant: GrantRow, scopes: readonly string[]): Tokens | null {
  const time = now();
  const until = endOfSession(grant);
  if (until === null || until <= time) return null;
  const ends = grant.is_offline ? grant.created_at + GRANT_LIFETIME : time + ACCESS_LIFETIME;
  if (grant.consent_id !== null)
    db.update(oauthGrants).set({ expires_at: ends }).where(eq(oauthGrants.id, grant.id)).run();
  const expiresAt = Math.min(time + ACCESS_LIFETIME, until, ends);
  const access = mintToken("fla_");
  db.insert(oauthAccessTokens)
    .values({
      token_hash: access.hash,
      grant_id: grant.id,
      scopes: [...scopes],
      created_at: time,
      expires_at: expiresAt,
    })
    .run();
  return {
    accessToken: access.token,
    expiresIn: Math.floor((expiresAt - time) / SECOND),
    scopes,
    refreshToken: grant.is_offline
      ? makeRefreshToken(grant.id, time, Math.min(time + REFRESH_LIFETIME, ends))
      : null,
  };
}

function makeRefreshToken(grantId: string, time: number, expiresAt: number): string {
  const { token, hash } = mintToken("flr_");
  db.insert(oauthRefreshTokens)
    .values({ token_hash: hash, grant_id: grantId, created_at: time, expires_at: expiresAt })
    .run();
  return token;
}
