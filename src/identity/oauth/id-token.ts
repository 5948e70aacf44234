import { createHash } from "node:crypto";
import { compactVerify, createLocalJWKSet } from "jose";
import { isUuid } from "../../kernel/http/schema";
import { MINUTE, now, SECOND } from "../../kernel/time/clock";
import type { GrantRow } from "./grants";
import { publishedKeys, type Signer, sign } from "./keys";

/** ID tokens: OpenID Connect Core 1.0, sections 2 and 3.1.3.6. */

const LIFETIME = 15 * MINUTE;

/** Classes of sign-ins (`acr`): with one factor, and with two. */
export const ONE_FACTOR = "urn:fairlead:acr:1fa";
export const TWO_FACTORS = "urn:fairlead:acr:2fa";

const seconds = (milliseconds: number): number => Math.floor(milliseconds / SECOND);

/** The left half of a token's SHA-256, in base64url: binds it to the ID token beside it (section 3.1.3.6). */
const halfHash = (token: string): string =>
  createHash("sha256").update(token).digest().subarray(0, 16).toString("base64url");

/** An ID token of a grant. */
export function idToken(
  grant: GrantRow,
  nonce: string | null,
  accessToken: string,
  key: Signer,
): Promise<string> {
  const time = now();
  return sign(
    {
      iss: grant.issuer,
      // Never the address, which changes and may go to somebody else.
      sub: grant.user_id,
      aud: grant.client_id,
      iat: seconds(time),
      exp: seconds(time + LIFETIME),
      ...(grant.authenticated_at !== null && { auth_time: seconds(grant.authenticated_at) }),
      ...(grant.session_id !== null && { sid: grant.session_id }),
      ...(grant.amr !== null && {
        amr: grant.amr,
        acr: grant.amr.includes("mfa") ? TWO_FACTORS : ONE_FACTOR,
      }),
      ...(nonce !== null && { nonce }),
      at_hash: halfHash(accessToken),
    },
    key,
  );
}

/** The claims of an ID token that is shown again as a hint. */
export interface Hint {
  userId: string;
  clientId: string;
  sessionId: string | null;
}

/**
 * Whom an `id_token_hint` is about: one that this server has signed for this issuer, expired or not (RP-Initiated Logout
 * 1.0, section 4). Null for any other.
 */
export async function readHint(token: string, issuer: string): Promise<Hint | null> {
  try {
    const { payload } = await compactVerify(token, createLocalJWKSet(await publishedKeys()), {
      algorithms: ["ES256"],
    });
    const { iss, sub, aud, sid } = JSON.parse(new TextDecoder().decode(payload));
    if (iss !== issuer || !isUuid(String(sub)) || !isUuid(String(aud))) return null;
    return { userId: sub, clientId: aud, sessionId: typeof sid === "string" ? sid : null };
  } catch {
    // Whatever isn't an ID token of ours is no hint.
    return null;
  }
}
