import type { Fields } from "../../kernel/http/form";
import { isUuid } from "../../kernel/http/schema";
import { type ClientRow, findActiveClient } from "../oauth-clients/find";
import { registeredUri } from "../oauth-clients/redirect-uri";
import { invalidRequest, OAuthError } from "./errors";
import { permittedScopes, scopesIn } from "./scopes";

/**
 * The authorization request: RFC 6749, section 4.1.1, as OAuth 2.1 and RFC 9700 narrow it (codes alone, PKCE with S256
 * of every client, registered addresses), and OpenID Connect Core 1.0, section 3.1.2.1.
 */

/** The parameters that count, in the order of their fixed form. Any other is ignored (RFC 6749, section 3.1). */
const PARAMETERS = [
  ...(["response_type", "response_mode", "client_id", "redirect_uri", "scope", "state", "nonce"] as const),
  ...(["code_challenge", "code_challenge_method", "prompt", "max_age", "login_hint"] as const),
  ...(["id_token_hint", "ui_locales", "acr_values"] as const),
] as const;

/** Parameters that would change the meaning of a request, so that ignoring them would be wrong. */
const UNSUPPORTED = {
  request: "request_not_supported",
  request_uri: "request_uri_not_supported",
  registration: "registration_not_supported",
} as const;

/** Characters that a parameter may have. */
const MOST: Partial<Record<(typeof PARAMETERS)[number], number>> = {
  ...{ state: 2_048, nonce: 512, scope: 2_048, redirect_uri: 2_048, id_token_hint: 4_096, login_hint: 320 },
};
const MOST_OF_OTHERS = 256;

const PROMPTS = ["none", "login", "consent", "select_account"] as const;
type Prompt = (typeof PROMPTS)[number];

export interface AuthorizationRequest {
  client: ClientRow;
  redirectUri: string;
  scopes: readonly string[];
  state: string | undefined;
  nonce: string | undefined;
  codeChallenge: string;
  prompts: ReadonlySet<Prompt>;
  /** Seconds since the user's last proof of identity that are permitted. */
  maxAge: number | undefined;
  loginHint: string | undefined;
  idTokenHint: string | undefined;
  uiLocales: string | undefined;
  /** The request as a query in a fixed form: the same request has the same text. */
  query: string;
}

/** A refusal that the client is told of at an address of its own. */
export interface Refused {
  error: OAuthError;
  client: ClientRow;
  redirectUri: string;
  state: string | undefined;
  uiLocales: string | undefined;
  /** True with `prompt=none`: the user is not to see anything. */
  isSilent: boolean;
}

/** Visible ASCII and blanks (RFC 6749, appendix A). */
const VISIBLE = /^[\x20-\x7e]+$/;
const CHALLENGE = /^[A-Za-z0-9_-]{43}$/;

/**
 * The client and the address that an answer may go to. Throws for a client that is unknown or switched off, and for an
 * address that it hasn't registered: such a refusal goes to nobody but the user (RFC 9700, section 4.11.2).
 */
function partiesOf({ values, repeated }: Fields): { client: ClientRow; redirectUri: string } {
  for (const name of ["client_id", "redirect_uri"])
    if (repeated.has(name)) throw invalidRequest(`${name} stands there twice`);
  const { client_id: clientId, redirect_uri: redirectUri } = values;
  if (!clientId) throw invalidRequest("client_id is missing");
  const client = isUuid(clientId) ? findActiveClient(clientId.toLowerCase()) : undefined;
  if (!client) throw new OAuthError("invalid_client", "There is no client with this client_id");
  if (!redirectUri) throw invalidRequest("redirect_uri is missing");
  if (!registeredUri(client, redirectUri))
    throw invalidRequest("This redirect_uri is not registered for the client");
  return { client, redirectUri };
}

/**
 * Reads an authorization request. Returns the refusal that the client is to be told of, where it may be. Throws a refusal
 * that it may not be told of.
 */
export function readAuthorization(fields: Fields): AuthorizationRequest | Refused {
  const parties = partiesOf(fields);
  const { state, prompt = "", ui_locales: uiLocales } = fields.values;
  try {
    return { ...parties, ...readRest(fields, parties.client), query: fixedForm(fields) };
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error;
    return {
      ...parties,
      error,
      state: isWellFormed("state", state) ? state : undefined,
      uiLocales: isWellFormed("ui_locales", uiLocales) ? uiLocales : undefined,
      isSilent: prompt.split(" ").includes("none"),
    };
  }
}

const isWellFormed = (name: (typeof PARAMETERS)[number], value: string | undefined): boolean =>
  value !== undefined && value.length <= (MOST[name] ?? MOST_OF_OTHERS) && VISIBLE.test(value);

/** An empty parameter counts as left out (RFC 6749, section 3.1). */
function readRest(
  { values, repeated }: Fields,
  client: ClientRow,
): Omit<AuthorizationRequest, "client" | "redirectUri" | "query"> {
  for (const [name, code] of Object.entries(UNSUPPORTED))
    if (values[name])
      throw new OAuthError(code as OAuthError["code"], `The parameter ${name} is not supported`);
  for (const name of PARAMETERS) {
    if (repeated.has(name)) throw invalidRequest(`${name} stands there twice`);
    // Names of people, in any script.
    if (values[name] && name !== "login_hint" && !isWellFormed(name, values[name]))
      throw invalidRequest(`${name} is too long, or has other characters than visible ASCII`);
  }
  if (!values.response_type) throw invalidRequest("response_type is missing");
  if (values.response_type !== "code")
    throw new OAuthError("unsupported_response_type", "The only response_type is code");
  if ((values.response_mode || "query") !== "query") throw invalidRequest("The only response_mode is query");
  return {
    scopes: permittedScopes(client, scopesIn(values.scope ?? "")),
    state: values.state || undefined,
    nonce: values.nonce || undefined,
    codeChallenge: challengeOf(values),
    prompts: promptsOf(values.prompt ?? ""),
    maxAge: maxAgeOf(values.max_age),
    loginHint: values.login_hint?.slice(0, MOST.login_hint) || undefined,
    idTokenHint: values.id_token_hint || undefined,
    uiLocales: values.ui_locales || undefined,
  };
}

/** The challenge of PKCE (RFC 7636, section 4.3). `plain` is refused: it shows the verifier to whoever sees the request. */
function challengeOf({ code_challenge: challenge, code_challenge_method: method }: Fields["values"]): string {
  if (!challenge) throw invalidRequest("code_challenge is missing: PKCE is required of every client");
  if (method !== "S256") throw invalidRequest("code_challenge_method must be S256");
  if (!CHALLENGE.test(challenge)) throw invalidRequest("code_challenge must be 43 characters of base64url");
  return challenge;
}

function promptsOf(text: string): ReadonlySet<Prompt> {
  const prompts = new Set(text.split(" ").filter(Boolean));
  for (const prompt of prompts)
    if (!(PROMPTS as readonly string[]).includes(prompt))
      throw invalidRequest("prompt may hold none, login, consent and select_account");
  if (prompts.has("none") && prompts.size > 1) throw invalidRequest("prompt has none beside another value");
  return prompts as ReadonlySet<string> as ReadonlySet<Prompt>;
}

function maxAgeOf(text: string | undefined): number | undefined {
  if (!text) return undefined;
  if (!/^\d{1,9}$/.test(text)) throw invalidRequest("max_age must be a number of seconds");
  return Number(text);
}

/** The parameters that count, as a query. */
function fixedForm({ values }: Fields): string {
  const form = new URLSearchParams();
  for (const name of PARAMETERS) {
    const value = values[name];
    if (value) form.set(name, value);
  }
  return form.toString();
}

/** The address to send a browser to with an answer. It names the issuer (RFC 9207), so that no other's can be mixed up. */
export function answerAddress(
  { redirectUri, state }: { redirectUri: string; state: string | undefined },
  issuer: string,
  answer: Record<string, string>,
): string {
  const parameters = new URLSearchParams(answer);
  if (state !== undefined) parameters.set("state", state);
  parameters.set("iss", issuer);
  // As registered, byte for byte: parsing it would change the form of some.
  return `${redirectUri}${redirectUri.includes("?") ? "&" : "?"}${parameters}`;
}

/** The address to send a browser to with a refusal. */
export const refusalAddress = (
  to: { redirectUri: string; state: string | undefined },
  issuer: string,
  error: OAuthError,
): string => answerAddress(to, issuer, { error: error.code, error_description: error.message });
