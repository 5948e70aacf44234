import { createHash, randomBytes } from "node:crypto";
import type { Server } from "bun";
import { exportJWK, generateKeyPair, type JWK, SignJWT } from "jose";

/**
 * A stand-in of an OpenID provider (OpenID Connect Core 1.0, the code flow with PKCE): a real server on loopback, as strict as real
 * ones, which signs in at once whoever the test names, and does wrong what the test asks for.
 */

export interface Account {
  sub: string;
  preferred_username?: string;
  name?: string;
  email?: string;
  email_verified?: unknown;
  groups?: unknown;
  [claim: string]: unknown;
}

interface Issued {
  account: Account;
  nonce: string;
  challenge: string;
  redirectUri: string;
  authTime: number;
  isUsed: boolean;
}

export interface Wrongs {
  /** Claims of ID tokens in place of the right ones; null leaves one out. */
  claims?: Record<string, unknown>;
  /** Claims that only the endpoint of claims about the user tells. */
  onlyInUserInfo?: string[];
  /** The ID token in place of the signed one. */
  idToken?: (claims: Record<string, unknown>) => string | Promise<string>;
  /** `iss` of the answer in place of the issuer; null leaves it out. */
  answerIssuer?: string | null;
  /** The answer to the browser in place of a code. */
  error?: string;
  /** An answer in place of that of a path, such as `/token`. */
  instead?: Record<string, () => Response | Promise<Response>>;
  /** Fields of the discovery document in place of the right ones. */
  metadata?: Record<string, unknown>;
}

/** Both parts are encoded as in a form (RFC 6749, section 2.3.1). */
function isBasic(request: Request, id: string, secret: string): boolean {
  const [, sent = ""] = /^Basic (.+)$/.exec(request.headers.get("authorization") ?? "") ?? [];
  const parts = Buffer.from(sent, "base64").toString().split(":");
  const [givenId, givenSecret] = parts.map((part) => decodeURIComponent(part.replaceAll("+", " ")));
  return parts.length === 2 && givenId === id && givenSecret === secret;
}

export class OidcStandIn {
  readonly clientId = "fairlead";
  readonly clientSecret = "a secret of the provider";
  account: Account = { sub: "nobody" };
  wrongs: Wrongs = {};
  /** Time of the sign-in at the provider, in seconds; now by default. */
  authTime: number | null = null;
  /** Seconds by which its clock is ahead, as that of a server that a test has moved. */
  ahead = 0;
  /** Paths that were asked for, by method. */
  asked: string[] = [];
  /** The parameters of the last authorization request. */
  authorization: Record<string, string> = {};
  readonly #server: Server<undefined>;
  readonly #codes = new Map<string, Issued>();
  readonly #access = new Map<string, Account>();
  #key!: { kid: string; privateKey: CryptoKey; jwk: JWK };

  private constructor() {
    this.#server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: (request) => this.#answer(request) });
  }

  static async start(): Promise<OidcStandIn> {
    const provider = new OidcStandIn();
    await provider.rotate();
    return provider;
  }

  get issuer(): string {
    return `http://127.0.0.1:${this.#server.port}`;
  }

  get #time(): number {
    return Math.floor(Date.now() / 1_000) + this.ahead;
  }

  /** Settings of a server for which this is the provider `name`. */
  settings(name: string, more: Record<string, string> = {}): Record<string, string> {
    const own = { issuer: this.issuer, client_id: this.clientId, client_secret: this.clientSecret, ...more };
    return Object.fromEntries(Object.entries(own).map(([key, value]) => [`oidc.${name}.${key}`, value]));
  }

  /** Replaces the key that signs ID tokens; the former one is published no more. */
  async rotate(): Promise<void> {
    const { privateKey, publicKey } = await generateKeyPair("ES256", { extractable: true });
    const kid = randomBytes(6).toString("hex");
    this.#key = { kid, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg: "ES256", use: "sig" } };
  }

  stop(): Promise<void> {
    return this.#server.stop(true);
  }

  async #answer(request: Request): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url);
    this.asked.push(`${request.method} ${pathname}`);
    const instead = this.wrongs.instead?.[pathname];
    if (instead) return instead();
    if (pathname === "/.well-known/openid-configuration") return Response.json(this.#metadata());
    if (pathname === "/jwks") return Response.json({ keys: [this.#key.jwk] });
    if (pathname === "/authorize") return this.#authorize(searchParams);
    if (pathname === "/token" && request.method === "POST") return this.#token(request);
    if (pathname === "/userinfo") return this.#userInfo(request);
    return new Response(null, { status: 404 });
  }

  #metadata(): Record<string, unknown> {
    const { issuer } = this;
    return {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      userinfo_endpoint: `${issuer}/userinfo`,
      jwks_uri: `${issuer}/jwks`,
      response_types_supported: ["code"],
      id_token_signing_alg_values_supported: ["ES256"],
      token_endpoint_auth_methods_supported: ["client_secret_basic"],
      authorization_response_iss_parameter_supported: true,
      ...this.wrongs.metadata,
    };
  }

  #authorize(query: URLSearchParams): Response {
    const asked = Object.fromEntries(query);
    this.authorization = asked;
    const { client_id, redirect_uri = "", response_type, code_challenge_method, code_challenge = "" } = asked;
    const isFit =
      client_id === this.clientId &&
      response_type === "code" &&
      code_challenge_method === "S256" &&
      code_challenge.length === 43 &&
      (asked.scope ?? "").split(" ").includes("openid");
    if (!isFit) return new Response("a faulty request", { status: 400 });
    const to = new URL(redirect_uri);
    to.searchParams.set("state", asked.state ?? "");
    const { answerIssuer = this.issuer, error } = this.wrongs;
    if (answerIssuer !== null) to.searchParams.set("iss", answerIssuer);
    if (error) to.searchParams.set("error", error);
    else {
      const code = randomBytes(16).toString("hex");
      this.#codes.set(code, {
        account: this.account,
        nonce: asked.nonce ?? "",
        challenge: code_challenge,
        redirectUri: redirect_uri,
        authTime: this.authTime ?? this.#time,
        isUsed: false,
      });
      to.searchParams.set("code", code);
    }
    return new Response(null, { status: 302, headers: { location: to.href } });
  }

  async #token(request: Request): Promise<Response> {
    const refuse = (error: string, status = 400) => Response.json({ error }, { status });
    if (!isBasic(request, this.clientId, this.clientSecret))
      return Response.json(
        { error: "invalid_client" },
        { status: 401, headers: { "www-authenticate": 'Basic realm="provider"' } },
      );
    const form = new URLSearchParams(await request.text());
    const issued = this.#codes.get(form.get("code") ?? "");
    const challenge = createHash("sha256")
      .update(form.get("code_verifier") ?? "")
      .digest("base64url");
    if (!issued || issued.isUsed || issued.challenge !== challenge) return refuse("invalid_grant");
    if (form.get("redirect_uri") !== issued.redirectUri) return refuse("invalid_grant");
    issued.isUsed = true;
    const access_token = randomBytes(16).toString("hex");
    this.#access.set(access_token, issued.account);
    const time = this.#time;
    const all: Record<string, unknown> = {
      ...issued.account,
      iss: this.issuer,
      aud: this.clientId,
      iat: time,
      exp: time + 300,
      auth_time: issued.authTime,
      nonce: issued.nonce,
      ...this.wrongs.claims,
    };
    const hidden = this.wrongs.onlyInUserInfo ?? [];
    const claims = Object.fromEntries(
      Object.entries(all).filter(([name, value]) => value !== null && !hidden.includes(name)),
    );
    const id_token = await (this.wrongs.idToken?.(claims) ?? this.sign(claims));
    return Response.json({ access_token, token_type: "Bearer", expires_in: 300, id_token });
  }

  sign(claims: Record<string, unknown>): Promise<string> {
    return new SignJWT(claims)
      .setProtectedHeader({ alg: "ES256", kid: this.#key.kid })
      .sign(this.#key.privateKey);
  }

  #userInfo(request: Request): Response {
    const token = request.headers.get("authorization")?.replace(/^Bearer /, "") ?? "";
    const account = this.#access.get(token);
    if (!account) return new Response(null, { status: 401, headers: { "www-authenticate": "Bearer" } });
    return Response.json(account);
  }
}
