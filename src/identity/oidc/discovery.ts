import {
  type AuthorizationServer,
  allowInsecureRequests,
  type Client,
  type ClientAuth,
  ClientSecretBasic,
  ClientSecretPost,
  clockSkew,
  clockTolerance,
  customFetch,
  discoveryRequest,
  None,
  processDiscoveryResponse,
} from "oauth4webapi";
import type { Provider } from "../../configuration/provider-options";
import { HOUR, now, SECOND } from "../../kernel/time/clock";
import { faultOf } from "./faults";
import { askProvider } from "./outbound";
import { SignInRefused } from "./refusals";

/** The metadata of providers (OpenID Connect Discovery 1.0), kept for an hour. */

const KEPT = 1 * HOUR;

/** Time for which a provider that failed isn't asked again: strangers can make this server ask. */
const PAUSE = 3 * SECOND;

interface Known {
  issuer: string;
  server: AuthorizationServer | null;
  /** The last answer, or the last failure. */
  failure: SignInRefused | null;
  at: number;
}

const known = new Map<string, Known>();
const asking = new Map<string, Promise<AuthorizationServer>>();

const isWithin = (at: number, span: number): boolean => Math.abs(now() - at) < span;

/** The metadata of a provider. One that fails keeps what it told before. Throws SignInRefused. */
export async function serverOf(provider: Provider): Promise<AuthorizationServer> {
  const held = known.get(provider.name);
  if (held?.server && isWithin(held.at, KEPT)) return held.server;
  if (held?.failure && isWithin(held.at, PAUSE)) throw held.failure;
  const running = asking.get(provider.name) ?? ask(provider);
  asking.set(provider.name, running);
  try {
    const server = await running;
    known.set(provider.name, { issuer: provider.issuer, server, failure: null, at: now() });
    return server;
  } catch (error) {
    if (!(error instanceof SignInRefused)) throw error;
    if (held?.server) return held.server;
    known.set(provider.name, { issuer: provider.issuer, server: null, failure: error, at: now() });
    throw error;
  } finally {
    asking.delete(provider.name);
  }
}

async function ask(provider: Provider): Promise<AuthorizationServer> {
  try {
    const issuer = new URL(provider.issuer);
    const server = await processDiscoveryResponse(
      issuer,
      await discoveryRequest(issuer, { algorithm: "oidc", ...optionsOf(provider) }),
    );
    const entrance = URL.parse(server.authorization_endpoint ?? "");
    const isFit = entrance?.protocol === "https:" || (entrance?.protocol === "http:" && isInsecure(provider));
    if (!isFit)
      throw new SignInRefused("bad_answer", "the provider names no authorization_endpoint by https");
    return server;
  } catch (error) {
    throw faultOf(error, "discovery");
  }
}

/** Forgets the keys of a provider, for they are remembered with its metadata. */
export function forgetKeys({ name }: Provider): void {
  const held = known.get(name);
  if (held?.server) known.set(name, { ...held, server: { ...held.server } });
}

/** True for an issuer by http, on this machine or in its network: then its endpoints may be so too. */
const isInsecure = ({ issuer }: Provider): boolean => new URL(issuer).protocol === "http:";

/** The options of requests to a provider. */
export const optionsOf = (provider: Provider) => ({
  [customFetch]: (url: string, init: RequestInit) => askProvider(provider.issuer, url, init),
  [allowInsecureRequests]: isInsecure(provider),
});

/** Seconds by which the clocks of both may differ. */
const TOLERANCE = 60;

/** This installation as a client of a provider. */
export const clientOf = ({ client_id }: Provider): Client => ({
  client_id,
  // The library's own clock can't be set.
  [clockSkew]: Math.round((now() - Date.now()) / SECOND),
  [clockTolerance]: TOLERANCE,
});

/** The proof that a request to the token endpoint comes from this installation (RFC 6749, section 2.3.1). */
export function authenticationOf({ client_secret }: Provider, server: AuthorizationServer): ClientAuth {
  if (client_secret === null) return None();
  const methods = server.token_endpoint_auth_methods_supported;
  const isBasic = methods === undefined || methods.includes("client_secret_basic");
  return isBasic ? ClientSecretBasic(client_secret) : ClientSecretPost(client_secret);
}
