import { eq } from "drizzle-orm";
import { hashToken, sameSecret } from "../../kernel/crypto/crypto";
import { db } from "../../kernel/db/connection";
import type { Fields } from "../../kernel/http/form";
import { now } from "../../kernel/time/clock";
import { isUnexpired } from "../../kernel/time/lifetime";
import { type AnyActor, transactAs } from "../access/actor";
import { isUserActive } from "../access/maker";
import { recordAudit } from "../audit/service";
import { endStolenGrant } from "../grants/service";
import { oauthCodes, oauthGrants, oauthRefreshTokens } from "../grants/table";
import type { ClientRow } from "../oauth-clients/find";
import { authenticatedClient } from "./client";
import { invalidGrant, invalidRequest, invalidScope, OAuthError } from "./errors";
import { type GrantRow, makeTokens, ownGrant, type Tokens } from "./grants";
import { idToken } from "./id-token";
import { issuerOf } from "./issuer";
import { type Signer, signer } from "./keys";
import type { TokenResponse } from "./schema";
import { ownScopes, scopesIn, stillPermitted } from "./scopes";

/** The token endpoint: RFC 6749, sections 4.1.3, 4.4.2 and 6; OpenID Connect Core 1.0, sections 3.1.3 and 12. */

/** Tokens that were made, or the refusal, which is thrown after the commit: that may hold the end of a family. */
type Outcome = { grant: GrantRow; tokens: Tokens; nonce: string | null } | OAuthError;

/** Answers a request for tokens. Throws OAuthError. */
export async function answerTokenRequest(
  actor: AnyActor,
  request: Request,
  form: Fields,
): Promise<TokenResponse> {
  for (const name of form.repeated) throw invalidRequest(`A parameter stands there twice: ${known(name)}`);
  const client = authenticatedClient(request, form);
  const key = await signer();
  switch (form.values.grant_type) {
    case "authorization_code":
      return answer(await redeemCode(actor, client, form.values), key);
    case "refresh_token":
      return answer(await refresh(actor, client, form.values), key);
    case "client_credentials":
      return answer(await actForItself(actor, client, form.values, issuerOf(request)), key);
    case undefined:
    case "":
      throw invalidRequest("grant_type is missing");
    default:
      throw new OAuthError(
        "unsupported_grant_type",
        "grant_type must be authorization_code, refresh_token or client_credentials",
      );
  }
}

/** A parameter's name if it is one of ours: nothing of a request is repeated otherwise. */
const known = (name: string): string => (/^[a-z_]{1,32}$/.test(name) ? name : "an unknown one");

async function answer(outcome: Outcome, key: Signer): Promise<TokenResponse> {
  if (outcome instanceof OAuthError) throw outcome;
  const { grant, tokens, nonce } = outcome;
  const { accessToken, expiresIn, scopes, refreshToken } = tokens;
  return {
    access_token: accessToken,
    token_type: "Bearer",
    expires_in: expiresIn,
    scope: scopes.join(" "),
    ...(refreshToken !== null && { refresh_token: refreshToken }),
    ...(scopes.includes("openid") && { id_token: await idToken(grant, nonce, accessToken, key) }),
  };
}

// --- authorization_code -----------------------------------------------------------------------------------

const VERIFIER = /^[A-Za-z0-9._~-]{43,128}$/;

/** The challenge of a verifier by the method S256 (RFC 7636, section 4.6). */
const challengeOf = (verifier: string): string =>
  Bun.SHA256.hash(verifier, "base64").replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");

function redeemCode(actor: AnyActor, client: ClientRow, values: Fields["values"]): Promise<Outcome> {
  const { code, redirect_uri: redirectUri, code_verifier: verifier } = values;
  if (!code) throw invalidRequest("code is missing");
  if (!redirectUri) throw invalidRequest("redirect_uri is missing");
  if (!verifier) throw invalidRequest("code_verifier is missing");
  if (!VERIFIER.test(verifier)) throw invalidRequest("code_verifier must be 43 to 128 unreserved characters");
  return transactAs(actor, (): Outcome => {
    const found = db
      .select({ code: oauthCodes, grant: oauthGrants })
      .from(oauthCodes)
      .innerJoin(oauthGrants, eq(oauthGrants.id, oauthCodes.grant_id))
      .where(eq(oauthCodes.code_hash, hashToken(code)))
      .get();
    if (!found || found.grant.client_id !== client.id)
      return invalidGrant("The code is not valid, or is not this client's");
    if (found.code.used_at !== null) return endFamily(found.grant, "the code was used twice");
    if (!isUnexpired(found.code.created_at, found.code.expires_at))
      return invalidGrant("The code has expired");
    if (found.code.redirect_uri !== redirectUri)
      return invalidGrant("redirect_uri is not that of the authorization");
    if (!sameSecret(challengeOf(verifier), found.code.code_challenge))
      return invalidGrant("code_verifier does not belong to the code");
    db.update(oauthCodes)
      .set({ used_at: now() })
      .where(eq(oauthCodes.code_hash, hashToken(code)))
      .run();
    const outcome = tokensOf(client, found.grant, found.grant.scopes, found.code.nonce);
    if (!(outcome instanceof OAuthError)) auditCreation(found.grant);
    return outcome;
  });
}

/** Tokens of a grant that still stands, for what the client may still ask for, in the current transaction. */
function tokensOf(
  client: ClientRow,
  grant: GrantRow,
  scopes: readonly string[],
  nonce: string | null,
): Outcome {
  if (!isUserActive(grant.user_id)) return invalidGrant("The user may not sign in now");
  const left = stillPermitted(client, scopes);
  if (left.length === 0) return invalidScope("The client may no longer ask for any of these scopes");
  const tokens = makeTokens(grant, left);
  return tokens ? { grant, tokens, nonce } : invalidGrant("The session that this rests on has ended");
}

/**
 * Ends a grant of which a code or a token came a second time, in the current transaction: one of the two who sent it has
 * stolen it, and nobody knows which (RFC 6749, section 4.1.2; RFC 9700, section 4.14.2).
 */
function endFamily(grant: GrantRow, why: string): OAuthError {
  endStolenGrant(grant.id, why);
  return invalidGrant(`Not valid any more: ${why}, so all tokens of this sign-in have ended`);
}

const auditCreation = (grant: GrantRow): void =>
  recordAudit({
    event_type: "oauth_grant_created",
    user_id: grant.user_id,
    resource_type: "oauth_grant",
    resource_id: grant.id,
    metadata: { client_id: grant.client_id, scopes: grant.scopes },
  });

// --- refresh_token ----------------------------------------------------------------------------------------

function refresh(actor: AnyActor, client: ClientRow, values: Fields["values"]): Promise<Outcome> {
  const { refresh_token: token, scope } = values;
  if (!token) throw invalidRequest("refresh_token is missing");
  return transactAs(actor, (): Outcome => {
    const found = db
      .select({ token: oauthRefreshTokens, grant: oauthGrants })
      .from(oauthRefreshTokens)
      .innerJoin(oauthGrants, eq(oauthGrants.id, oauthRefreshTokens.grant_id))
      .where(eq(oauthRefreshTokens.token_hash, hashToken(token)))
      .get();
    if (!found || found.grant.client_id !== client.id)
      return invalidGrant("The refresh token is not valid, or is not this client's");
    if (found.token.used_at !== null) return endFamily(found.grant, "the refresh token was used twice");
    if (!isUnexpired(found.token.created_at, found.token.expires_at))
      return invalidGrant("The refresh token has expired");
    const scopes = scope ? scopesIn(scope) : found.grant.scopes;
    if (scopes.length === 0 || scopes.some((each) => !found.grant.scopes.includes(each)))
      return invalidScope("A refresh can't ask for more than was granted");
    db.update(oauthRefreshTokens)
      .set({ used_at: now() })
      .where(eq(oauthRefreshTokens.token_hash, hashToken(token)))
      .run();
    return tokensOf(client, found.grant, scopes, null);
  });
}

// --- client_credentials -----------------------------------------------------------------------------------

function actForItself(
  actor: AnyActor,
  client: ClientRow,
  { scope }: Fields["values"],
  issuer: string,
): Promise<Outcome> {
  if (client.client_type !== "confidential")
    throw new OAuthError("unauthorized_client", "Only a confidential client can act for itself");
  const scopes = ownScopes(client, scope || undefined);
  return transactAs(actor, (): Outcome => {
    const { grant, isNew } = ownGrant(client, issuer);
    const outcome = tokensOf(client, grant, scopes, null);
    if (isNew && !(outcome instanceof OAuthError)) auditCreation(grant);
    return outcome;
  });
}
