import {
  type AuthorizationServer,
  allowInsecureRequests,
  authorizationCodeGrantRequest,
  type Client,
  ClientSecretPost,
  calculatePKCECodeChallenge,
  customFetch,
  generateRandomCodeVerifier,
  nopkce,
  processAuthorizationCodeResponse,
  processRefreshTokenResponse,
  refreshTokenGrantRequest,
  revocationRequest,
  type TokenEndpointResponse,
  validateAuthResponse,
} from "oauth4webapi";
import { publicUrl } from "../../configuration/config";
import { AppError } from "../../kernel/errors/errors";
import { mayLog } from "../../kernel/errors/trouble";
import { boundedFetch, OutboundError, retryAfter } from "../../kernel/http/outbound";
import { log } from "../../kernel/logs/log";
import { DAY, now, SECOND } from "../../kernel/time/clock";
import { platformOf, registrationWith } from "./platforms";
import type { PlatformSlug } from "./words";

/** The authorization-code flow (RFC 6749, section 4.1) with PKCE (RFC 7636), by oauth4webapi, within bounds. */

const BOUNDS = { timeout: 10 * SECOND, maxBytes: 262_144 };

export interface Tokens {
  accessToken: string;
  refreshToken: string | null;
  /** Epoch milliseconds; null if the platform doesn't say. */
  expiresAt: number | null;
  /** The granted scopes; null if the platform doesn't say: then all requested ones were granted. */
  scopes: string[] | null;
}

/** The platform refuses the grant: the user has to consent again. */
export class GrantRefused extends Error {}

/** A 503: the platform can't be reached, or sends an unusable answer. */
export function platformTrouble(slug: PlatformSlug, why: string, wait: number | null = null): AppError {
  const { name } = platformOf(slug);
  if (mayLog(`platform ${slug}`))
    log.warn("a platform does not answer as it should", { platform: slug, why });
  return new AppError("ServiceUnavailable", `${name} is not available; try again later`, {
    headers: { "retry-after": String(Math.ceil((wait ?? 30 * SECOND) / SECOND)) },
  });
}

const callbackUrl = (slug: PlatformSlug): string => `${publicUrl()}/v1/integrations/callback/${slug}`;

function partiesOf(slug: PlatformSlug) {
  const { clientId, clientSecret, authorizeUrl, tokenUrl, revokeUrl } = registrationWith(slug);
  const server: AuthorizationServer = {
    issuer: new URL(authorizeUrl).origin,
    authorization_endpoint: authorizeUrl,
    token_endpoint: tokenUrl,
    revocation_endpoint: revokeUrl,
  };
  const client: Client = { client_id: clientId };
  return { server, client, authentication: ClientSecretPost(clientSecret) };
}

/** A stand-in, or a gateway of the operator's, may lack TLS: the address is configured. */
const options = {
  [customFetch]: (url: string, init: RequestInit) => boundedFetch(url, init, BOUNDS),
  [allowInsecureRequests]: true,
};

// --- Authorization ------------------------------------------------------------------------------------------

/**
 * The address where the browser is sent to consent, and the PKCE verifier to keep, if the platform has PKCE.
 */
export async function authorizationUrl(slug: PlatformSlug, scopes: string[], state: string) {
  const { pkce, authorization } = platformOf(slug);
  const { clientId, authorizeUrl } = registrationWith(slug);
  const verifier = pkce ? generateRandomCodeVerifier() : null;
  const url = new URL(authorizeUrl);
  const parameters = {
    response_type: "code",
    client_id: clientId,
    redirect_uri: callbackUrl(slug),
    scope: scopes.join(" "),
    state,
    ...authorization,
    ...(verifier !== null && {
      code_challenge: await calculatePKCECodeChallenge(verifier),
      code_challenge_method: "S256",
    }),
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return { url: url.href, verifier };
}

/** Exchanges the code of a call-back for tokens. Throws GrantRefused and 503. */
export async function exchangeCode(
  slug: PlatformSlug,
  callback: URLSearchParams,
  state: string,
  verifier: string | null,
): Promise<Tokens> {
  const { server, client, authentication } = partiesOf(slug);
  return grant(slug, async () => {
    const parameters = validateAuthResponse(server, client, callback, state);
    const answer = await authorizationCodeGrantRequest(
      server,
      client,
      authentication,
      parameters,
      callbackUrl(slug),
      verifier ?? nopkce,
      options,
    );
    return processAuthorizationCodeResponse(server, client, await usable(slug, answer));
  });
}

/** Renews tokens. Throws GrantRefused and 503. */
export async function renew(slug: PlatformSlug, refreshToken: string): Promise<Tokens> {
  const { server, client, authentication } = partiesOf(slug);
  return grant(slug, async () => {
    const answer = await refreshTokenGrantRequest(server, client, authentication, refreshToken, options);
    return processRefreshTokenResponse(server, client, await usable(slug, answer));
  });
}

async function grant(slug: PlatformSlug, request: () => Promise<TokenEndpointResponse>): Promise<Tokens> {
  try {
    return toTokens(await request());
  } catch (error) {
    if (error instanceof GrantRefused || error instanceof AppError) throw error;
    // The library's own errors quote the answer, tokens and all: log their class or code alone.
    const { code, name } = error as { code?: string; name?: string };
    throw platformTrouble(slug, error instanceof OutboundError ? error.message : (code ?? name ?? "unknown"));
  }
}

/** Longest lifetime of a token (seconds) that is believed, whatever a platform says. */
const LONGEST_LIFETIME = (3_650 * DAY) / SECOND;

const expiryAfter = (seconds: number): number =>
  now() + Math.min(Math.floor(seconds), LONGEST_LIFETIME) * SECOND;

const toTokens = (answer: TokenEndpointResponse): Tokens => ({
  accessToken: answer.access_token,
  refreshToken: answer.refresh_token ?? null,
  expiresAt: answer.expires_in === undefined ? null : expiryAfter(answer.expires_in),
  scopes: answer.scope === undefined ? null : answer.scope.split(/[ ,]+/).filter((scope) => scope !== ""),
});

/** Errors that mean that this installation is refused, not the user's grant (RFC 6749, section 5.2). */
const OUR_FAULT = /invalid_client|unauthorized_client|unsupported_grant_type|invalid client/i;

/**
 * A token endpoint's answer in standard form: a refusal is thrown, however the platform words it, and
 * Twitch's list of scopes becomes the text that it should be.
 */
async function usable(slug: PlatformSlug, answer: Response): Promise<Response> {
  const text = await answer.text();
  const { status, headers } = answer;
  if (status === 400 || status === 401) {
    if (!OUR_FAULT.test(text)) throw new GrantRefused();
    log.error("a platform refuses this installation: check its client_id and client_secret", {
      platform: slug,
    });
  }
  if (status !== 200) throw platformTrouble(slug, `status ${status}`, retryAfter(answer, now()));
  return new Response(JSON.stringify(standardized(JSON.parse(text))), {
    status,
    headers: { "content-type": headers.get("content-type") ?? "application/json" },
  });
}

/** Drops null fields, and joins a list of scopes into a text. */
function standardized(body: unknown): unknown {
  if (typeof body !== "object" || body === null || Array.isArray(body)) return body;
  const fields = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null));
  return Array.isArray(fields.scope) ? { ...fields, scope: fields.scope.join(" ") } : fields;
}

// --- Revocation ---------------------------------------------------------------------------------------------

/**
 * Revokes tokens, one after the other. Pass the refresh token first: on some platforms that revokes its
 * access tokens as well. Returns true if the platform confirmed all; never throws.
 */
export async function revokeTokens(slug: PlatformSlug, tokens: string[]): Promise<boolean> {
  let done = true;
  for (const token of tokens) done = (await revokeToken(slug, token)) && done;
  return done;
}

/** Google's and Twitch's wording for a token that is invalid already, which is as good as revoked. */
const COUNTS_NO_MORE = /invalid[_ ]token/i;

/** Revokes a token (RFC 7009). Returns true if the platform confirmed it; never throws. */
async function revokeToken(slug: PlatformSlug, token: string): Promise<boolean> {
  try {
    const { server, client, authentication } = partiesOf(slug);
    const answer = await revocationRequest(server, client, authentication, token, options);
    if (answer.status === 400) return COUNTS_NO_MORE.test(await answer.text());
    return answer.status === 200 || answer.status === 204;
  } catch (error) {
    const { name } = error as { name?: string };
    log.warn("a token could not be revoked", { platform: slug, why: name });
    return false;
  }
}
