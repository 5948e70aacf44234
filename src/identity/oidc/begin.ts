import { calculatePKCECodeChallenge, generateRandomCodeVerifier } from "oauth4webapi";
import { config } from "../../configuration/config";
import { mintToken } from "../../kernel/crypto/crypto";
import { sealedColumn } from "../../kernel/crypto/sealed";
import { db } from "../../kernel/db/connection";
import { invalid } from "../../kernel/errors/errors";
import { parseWebAddress } from "../../kernel/http/web-address";
import { MINUTE, now } from "../../kernel/time/clock";
import { type AnyActor, transactAs } from "../access/actor";
import type { RateRule } from "../access/limit";
import type { Purpose } from "../oidc-codes/codes";
import { serverOf } from "./discovery";
import { providerOf } from "./providers";
import { oidcStates } from "./table";

/** Sends a browser to a provider (OpenID Connect Core 1.0, section 3.1.2). */

/** Time for a user to sign in there (rule C19). */
export const STATE_LIFETIME = 10 * MINUTE;

/** Ways that one address begins, and those back: each kind by itself, since a sign-in takes one of each. */
export const beginLimit: RateRule = { name: "oidc-begin", rate: () => config["rate_limit.login"] };
export const callbackLimit: RateRule = { name: "oidc-callback", rate: () => config["rate_limit.login"] };
export const exchangeLimit: RateRule = { name: "oidc-session", rate: () => config["rate_limit.login"] };

export interface Beginning {
  purpose: Purpose;
  /** The user who links an identity or proves again who they are; null at a sign-in. */
  userId: string | null;
  /** The address of this server as the browser knows it, without a slash at its end. */
  base: string;
  /** Hash of the browser's cookie; null where an app sends a browser whose cookies it doesn't have. */
  browserHash: string | null;
  /** The address of a client that the browser goes to in the end; null for a page of this server. */
  redirectUri?: string | null;
  clientState?: string | null;
  codeChallenge?: string | null;
  /** The request of an application that the sign-in is for: the query of `/oauth/authorize`. */
  applicationRequest?: string | null;
}

/** The sign-in that a provider is asked for, beyond one that may be days old there. */
interface Renewal {
  prompt?: "login" | "select_account";
  /** Seconds since the user last proved who they are. */
  max_age?: string;
}

/**
 * The sign-in that a purpose, or the application that it is for, wants of the provider (OpenID Connect Core 1.0, section 3.1.2.1):
 * being signed in there may not be enough. `max_age` has the provider say when its user signed in.
 */
export function renewalOf({
  purpose,
  applicationRequest,
}: Pick<Beginning, "purpose" | "applicationRequest">): Renewal {
  if (purpose === "reauthenticate") return { prompt: "login", max_age: "0" };
  const asked = new URLSearchParams(applicationRequest ?? "");
  const prompts = asked.get("prompt")?.split(" ") ?? [];
  const maxAge = asked.get("max_age");
  if (prompts.includes("login")) return { prompt: "login", max_age: "0" };
  return {
    ...(prompts.includes("select_account") && { prompt: "select_account" }),
    ...(maxAge && { max_age: maxAge }),
  };
}

export const verifiersOfSignIns = sealedColumn({
  what: {
    en: "verifiers of sign-ins at providers under way",
    de: "Prüfwerte laufender Anmeldungen bei Anbietern",
  },
  ifLost: {
    en: "sign-ins at providers that are under way have to be begun anew",
    de: "laufende Anmeldungen bei Anbietern müssen neu begonnen werden",
  },
  table: "oidc_states",
  id: "state_hash",
  column: "code_verifier",
  isReplaceable: true,
  boundTo: (stateHash) => `oidc code verifier ${stateHash}`,
});

/** The call-back of a provider, as it is registered there. */
export const callbackOf = (base: string, name: string): string => `${base}/v1/auth/oidc/${name}/callback`;

/**
 * Starts a sign-in, a link or a proof, and returns the address to send the browser to. Throws SignInRefused for an unknown
 * provider and for one that fails.
 */
export async function begin(actor: AnyActor, name: string, beginning: Beginning): Promise<string> {
  const provider = providerOf(name);
  const server = await serverOf(provider);
  const { token: state, hash } = mintToken("");
  const nonce = mintToken("").token;
  const verifier = generateRandomCodeVerifier();
  const callback = callbackOf(beginning.base, name);
  const url = new URL(server.authorization_endpoint ?? "");
  const parameters = {
    response_type: "code",
    client_id: provider.client_id,
    redirect_uri: callback,
    scope: provider.scopes.join(" "),
    state,
    nonce,
    code_challenge: await calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
    ...renewalOf(beginning),
  };
  for (const [key, value] of Object.entries(parameters)) url.searchParams.set(key, value);
  const time = now();
  await transactAs(actor, () => {
    db.insert(oidcStates)
      .values({
        state_hash: hash,
        browser_hash: beginning.browserHash,
        provider: name,
        purpose: beginning.purpose,
        user_id: beginning.userId,
        nonce,
        code_verifier: verifiersOfSignIns.seal(verifier, hash),
        callback,
        redirect_uri: beginning.redirectUri ?? null,
        application_request: beginning.applicationRequest ?? null,
        client_state: beginning.clientState ?? null,
        code_challenge: beginning.codeChallenge ?? null,
        created_at: time,
        expires_at: time + STATE_LIFETIME,
      })
      .run();
  });
  return url.href;
}

/**
 * Checks that the browser ends up on a page that the operator knows: an open redirector would lend its name to anybody. Throws
 * 400.
 */
export function permittedRedirect(asked: string): string {
  const url = parseWebAddress(asked);
  const isPermitted = url !== null && config["integrations.allowed_redirects"].includes(url.origin);
  if (!isPermitted || url.hash !== "")
    throw invalid(
      "/redirect_uri",
      "must lead to one of the origins in integrations.allowed_redirects, without a fragment",
    );
  return url.href;
}
