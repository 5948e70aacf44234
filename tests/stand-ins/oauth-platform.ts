import type { Server } from "bun";

/**
 * Shared by the stand-ins of Twitch, Google and Discord: a real server on loopback that speaks the
 * authorization-code flow (RFC 6749, section 4.1) with PKCE (RFC 7636) as strictly as the real ones do, and
 * fails on demand.
 */

export interface Asked {
  method: string;
  path: string;
  query: Record<string, string>;
  form: Record<string, string>;
  headers: Headers;
}

/** An answer in place of the contract's. */
export type Instead = () => Response | Promise<Response>;

/** A consent, and the tokens that were issued for it. */
export interface Grant<Account> {
  account: Account;
  scopes: string[];
  /** The valid access tokens. */
  access: Set<string>;
  /** The valid refresh token; null when there is none. */
  refresh: string | null;
  /** Refresh tokens that were exchanged for others. */
  spent: Set<string>;
}

interface Code<Account> {
  account: Account;
  scopes: string[];
  redirectUri: string;
  challenge: string | null;
  isOffline: boolean;
}

/** An address of the platform, or a path of its API. */
type Place = "token" | "revoke" | "validate" | `/${string}`;

export interface Contract {
  slug: "twitch" | "youtube" | "discord";
  paths: { authorize: string; token: string; revoke: string; validate?: string; api: string };
  scopes: string[];
  /** True if an authorization without PKCE is refused: Fairlead uses it wherever the platform has it. */
  pkce: boolean;
  /**
   * Parameters that show the consent page again to a user who has consented before, instead of redirecting at
   * once.
   */
  asksAgain: Record<string, string>;
  expiresIn: number;
  /** True if a refresh token counts once and brings its successor. */
  rotates: boolean;
}

/** The faults for which a token address refuses a request. */
export type Refusal = "client" | "code" | "refresh" | "request";

export const challengeOf = (verifier: string): string =>
  new Bun.CryptoHasher("sha256").update(verifier).digest("base64url");

export abstract class OAuthPlatform<Account> {
  readonly slug: Contract["slug"];
  readonly clientId: string;
  readonly clientSecret: string;
  /** The registered redirect address: an authorization with another one is refused. */
  redirectUri = "";
  /** The account that is signed in in the browser that consents. */
  signedIn: Account;
  /** A user's refusal to consent: the parameters of the call-back. */
  denial: Record<string, string> | null = null;
  /** The form of the scopes in an answer with tokens; null for the platform's own. */
  scopeAs: "list" | "text" | "nothing" | null = null;
  /** Every request, in order. */
  asked: Asked[] = [];
  /** All codes and tokens that were ever given out. */
  readonly issued: string[] = [];
  readonly grants: Grant<Account>[] = [];
  /** Number of refresh tokens that were presented a second time, by which the grant was lost. */
  reuses = 0;
  /** Number of codes that were exchanged, or tried, a second time. */
  spentCodes = 0;
  /** Number of times that a user was shown the consent page. */
  timesAsked = 0;

  readonly contract: Contract;
  readonly #remembered = new Set<Account>();
  readonly #codes = new Map<string, Code<Account>>();
  readonly #instead = new Map<string, Instead[]>();
  readonly #always = new Map<string, Instead>();
  #server: Server<undefined>;

  constructor(contract: Contract, account: Account) {
    this.contract = contract;
    this.slug = contract.slug;
    this.clientId = `client-of-${contract.slug}`;
    this.clientSecret = `client-secret-${contract.slug}-${crypto.randomUUID()}`;
    this.signedIn = account;
    this.#server = this.#listen(0);
  }

  #listen(port: number): Server<undefined> {
    // No time-out here: the tests observe how long Fairlead waits.
    return Bun.serve({
      hostname: "127.0.0.1",
      port,
      idleTimeout: 0,
      fetch: (request) => this.#answer(request),
    });
  }

  get url(): string {
    return `http://127.0.0.1:${this.#server.port}`;
  }

  /** The settings that make Fairlead use this stand-in. */
  get settings(): Record<string, string> {
    const { authorize, token, revoke, api } = this.contract.paths;
    const values = {
      client_id: this.clientId,
      client_secret: this.clientSecret,
      authorize_url: this.url + authorize,
      token_url: this.url + token,
      revoke_url: this.url + revoke,
      api_url: this.url + api,
    };
    return Object.fromEntries(
      Object.entries(values).map(([name, value]) => [`integrations.${this.slug}.${name}`, value]),
    );
  }

  async stop(): Promise<void> {
    await this.#server.stop(true);
  }

  /** Refuses connections until the returned function is called. */
  async goDown(): Promise<() => void> {
    const port = this.#server.port ?? 0;
    await this.stop();
    return () => {
      this.#server = this.#listen(port);
    };
  }

  /** The path of a place in requests. */
  pathOf(place: Place): string {
    const { paths } = this.contract;
    return place.startsWith("/")
      ? paths.api + place
      : (paths[place as "token" | "revoke" | "validate"] ?? "");
  }

  /** The next requests to a place are answered like this, one after the other. */
  answerNext(place: Place, ...instead: Instead[]): void {
    const path = this.pathOf(place);
    this.#instead.set(path, [...(this.#instead.get(path) ?? []), ...instead]);
  }

  /** All requests to a place are answered like this, until null restores the contract. */
  answerAlways(place: Place, instead: Instead | null): void {
    if (instead) this.#always.set(this.pathOf(place), instead);
    else this.#always.delete(this.pathOf(place));
  }

  /** The next request to a place is answered by the contract, with these fields changed. */
  changeNext(place: Place, fields: object): void {
    const path = this.pathOf(place);
    this.answerNext(place, async () => {
      const request = this.asked.findLast((one) => one.path === path) as Asked;
      return Response.json({ ...((await this.#byContract(request).json()) as object), ...fields });
    });
  }

  /**
   * Holds the next request to a place back: `arrived` resolves when it is there, and it is answered by the
   * contract once it is let go. Its effects come before that ("answer") or after ("request").
   */
  hold(place: Place, what: "request" | "answer" = "request") {
    const arrived = Promise.withResolvers<void>();
    const gate = Promise.withResolvers<void>();
    const path = this.pathOf(place);
    this.answerNext(place, async () => {
      const request = this.asked.findLast((one) => one.path === path) as Asked;
      const answer = what === "answer" ? this.#byContract(request) : null;
      arrived.resolve();
      await gate.promise;
      return answer ?? this.#byContract(request);
    });
    return { arrived: arrived.promise, letGo: gate.resolve };
  }

  /** The requests to a place. */
  askedOf(place: Place): Asked[] {
    return this.asked.filter(({ path }) => path === this.pathOf(place));
  }

  /** The requests for a renewal. */
  get renewals(): Asked[] {
    return this.askedOf("token").filter(({ form }) => form.grant_type === "refresh_token");
  }

  /** All valid access and refresh tokens. */
  get liveTokens(): string[] {
    return this.grants.flatMap(({ access, refresh }) => [...access, ...(refresh === null ? [] : [refresh])]);
  }

  /** Ends all access tokens, as if they had expired. */
  expireAccess(): void {
    for (const { access } of this.grants) access.clear();
  }

  /** Withdraws all consents at the platform, as a user can. */
  revokeAll(): void {
    for (const grant of this.grants) this.#end(grant);
  }

  // --- Requests ---------------------------------------------------------------------------------------------

  async #answer(request: Request): Promise<Response> {
    const url = new URL(request.url);
    const type = request.headers.get("content-type") ?? "";
    const isForm = type.startsWith("application/x-www-form-urlencoded");
    const asked: Asked = {
      method: request.method,
      path: url.pathname,
      query: Object.fromEntries(url.searchParams),
      form: isForm ? Object.fromEntries(new URLSearchParams(await request.text())) : {},
      headers: request.headers,
    };
    this.asked.push(asked);
    const instead = this.#instead.get(url.pathname)?.shift() ?? this.#always.get(url.pathname);
    return instead ? instead() : this.#byContract(asked);
  }

  #byContract(asked: Asked): Response {
    const { authorize, token, revoke, api } = this.contract.paths;
    if (asked.path === authorize) return this.#authorize(asked);
    if (asked.path === token) return this.#token(asked);
    if (asked.path === revoke) return this.#revoke(asked);
    if (asked.path === this.contract.paths.validate) return this.validate(asked);
    if (asked.method !== "GET" || !asked.path.startsWith(`${api}/`))
      return new Response(null, { status: 404 });
    const bearer = /^Bearer (.+)$/.exec(asked.headers.get("authorization") ?? "")?.[1] ?? "";
    const grant = this.grants.find(({ access }) => access.has(bearer));
    return grant ? this.resource(asked.path.slice(api.length), asked, grant) : this.unauthorized();
  }

  /** A resource of the API, for a valid token. */
  protected abstract resource(path: string, asked: Asked, grant: Grant<Account>): Response;
  /** The API's answer to an invalid token. */
  protected abstract unauthorized(): Response;
  /** The token address's answer to a fault. */
  abstract refuse(what: Refusal): Response;
  /** The answer to a revocation, given that the client authenticated itself, and that the token was valid. */
  protected abstract revoked(isClient: boolean, counted: boolean): Response;
  /** True if a token can be revoked by itself. */
  protected abstract isRevocable(token: string, grant: Grant<Account>): boolean;
  /** The answer to the validation of a token, where the platform has an address for that. */
  protected validate(_asked: Asked): Response {
    return new Response(null, { status: 404 });
  }
  /** Parameters of the call-back in addition to the standard's. */
  protected callbackExtras(_scopes: string[]): Record<string, string> {
    return {};
  }
  /** True if the user is shown the consent page, which is always so the first time. */
  #isAsked(query: Record<string, string>): boolean {
    const wants = Object.entries(this.contract.asksAgain).every(([name, value]) => query[name] === value);
    return wants || !this.#remembered.has(this.signedIn);
  }

  /** True if an authorization brings a refresh token. */
  protected isOffline(_query: Record<string, string>): boolean {
    return true;
  }

  #issue(kind: string): string {
    const token = `${this.slug}-${kind}-${crypto.randomUUID()}`;
    this.issued.push(token);
    return token;
  }

  // --- Authorization ----------------------------------------------------------------------------------------

  #authorize({ query }: Asked): Response {
    const { redirect_uri, client_id, state, scope = "" } = query;
    // No redirect before the client and its address are known to be right.
    if (client_id !== this.clientId || !redirect_uri || redirect_uri !== this.redirectUri)
      return new Response("redirect_uri_mismatch", { status: 400 });
    const scopes = scope.split(" ");
    const error = this.#authorizationError(query, scopes);
    const back = new URL(redirect_uri);
    if (!error && this.#isAsked(query)) this.timesAsked++;
    if (!error) this.#remembered.add(this.signedIn);
    const answer = this.denial ?? (error ? { error } : null) ?? { code: this.#code(query, scopes) };
    const extras = "code" in answer ? this.callbackExtras(scopes) : {};
    for (const [name, value] of Object.entries({ ...answer, ...extras })) back.searchParams.set(name, value);
    if (state !== undefined) back.searchParams.set("state", state);
    return new Response(null, { status: 302, headers: { location: back.href } });
  }

  #authorizationError(query: Record<string, string>, scopes: string[]): string | null {
    if (query.response_type !== "code") return "unsupported_response_type";
    if (scopes.length === 0 || scopes.some((scope) => !this.contract.scopes.includes(scope)))
      return "invalid_scope";
    const hasChallenge =
      query.code_challenge_method === "S256" && /^[\w-]{43}$/.test(query.code_challenge ?? "");
    return this.contract.pkce && !hasChallenge ? "invalid_request" : null;
  }

  #code(query: Record<string, string>, scopes: string[]): string {
    const code = this.#issue("code");
    this.#codes.set(code, {
      account: this.signedIn,
      scopes,
      redirectUri: query.redirect_uri ?? "",
      challenge: query.code_challenge ?? null,
      isOffline: this.isOffline(query),
    });
    return code;
  }

  // --- Tokens -----------------------------------------------------------------------------------------------

  #token({ method, form }: Asked): Response {
    if (method !== "POST" || !form.grant_type) return this.refuse("request");
    if (!this.#isClient(form)) return this.refuse("client");
    if (form.grant_type === "authorization_code") return this.#exchange(form);
    if (form.grant_type === "refresh_token") return this.#renew(form);
    return this.refuse("request");
  }

  #isClient(form: Record<string, string>): boolean {
    return form.client_id === this.clientId && form.client_secret === this.clientSecret;
  }

  #exchange(form: Record<string, string>): Response {
    const code = this.#codes.get(form.code ?? "");
    if (!code) {
      if (this.issued.includes(form.code ?? "")) this.spentCodes++;
      return this.refuse("code");
    }
    // A code counts once, whatever comes with it.
    this.#codes.delete(form.code ?? "");
    const isProven = code.challenge === null || code.challenge === challengeOf(form.code_verifier ?? "");
    if (!isProven || form.redirect_uri !== code.redirectUri) return this.refuse("code");
    const grant: Grant<Account> = {
      account: code.account,
      scopes: code.scopes,
      access: new Set(),
      refresh: code.isOffline ? this.#issue("refresh") : null,
      spent: new Set(),
    };
    this.grants.push(grant);
    return this.#tokens(grant, grant.refresh);
  }

  #renew({ refresh_token = "" }: Record<string, string>): Response {
    const reused = this.grants.find(({ spent }) => spent.has(refresh_token));
    if (reused) {
      this.reuses++;
      this.#end(reused);
    }
    const grant = this.grants.find(({ refresh }) => refresh === refresh_token);
    if (!grant) return this.refuse("refresh");
    if (!this.contract.rotates) return this.#tokens(grant, null);
    grant.spent.add(refresh_token);
    grant.access.clear();
    grant.refresh = this.#issue("refresh");
    return this.#tokens(grant, grant.refresh);
  }

  #tokens(grant: Grant<Account>, refresh_token: string | null): Response {
    const access_token = this.#issue("access");
    grant.access.add(access_token);
    const scopeAs = this.scopeAs ?? (this.slug === "twitch" ? "list" : "text");
    return Response.json({
      access_token,
      expires_in: this.contract.expiresIn,
      token_type: this.slug === "twitch" ? "bearer" : "Bearer",
      ...(refresh_token !== null && { refresh_token }),
      ...(scopeAs !== "nothing" && { scope: scopeAs === "list" ? grant.scopes : grant.scopes.join(" ") }),
    });
  }

  #revoke({ method, form }: Asked): Response {
    if (method !== "POST") return new Response(null, { status: 405 });
    if (!this.#isClient(form)) return this.revoked(false, false);
    const token = form.token ?? "";
    const grant = this.grants.find(({ access, refresh }) => access.has(token) || refresh === token);
    const counted = grant !== undefined && this.isRevocable(token, grant);
    if (counted) this.#end(grant);
    return this.revoked(true, counted);
  }

  #end(grant: Grant<Account>): void {
    grant.access.clear();
    grant.refresh = null;
  }
}

/** Another server on loopback, which must never be asked. */
export class Elsewhere {
  readonly asked: string[] = [];
  readonly #server: Server<undefined>;

  constructor() {
    this.#server = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      fetch: (request) => {
        this.asked.push(`${request.method} ${request.url}`);
        return Response.json({ access_token: "stolen", token_type: "bearer", id: "1", username: "stolen" });
      },
    });
  }

  get url(): string {
    return `http://127.0.0.1:${this.#server.port}`;
  }

  async stop(): Promise<void> {
    await this.#server.stop(true);
  }
}

/** Faults of any address of a platform, each of which Fairlead must take for "try again later". */
export const FAILURES = {
  "status 500": () => new Response("Internal Server Error", { status: 500 }),
  "status 502 with HTML": () =>
    new Response("<html>Bad gateway</html>", { status: 502, headers: { "content-type": "text/html" } }),
  "status 429": () => Response.json({ message: "slow down" }, { status: 429 }),
  "status 204": () => new Response(null, { status: 204 }),
  "no body": () => new Response(""),
  "invalid JSON": () =>
    new Response('{"access_token": "half', { headers: { "content-type": "application/json" } }),
  "a JSON text": () => Response.json("no object"),
  "a JSON list": () => Response.json([1, 2]),
  "JSON null": () => Response.json(null),
  "an enormous answer": () => new Response(endless(), { headers: { "content-type": "application/json" } }),
  "a small answer that unpacks to an enormous one": () =>
    new Response(Bun.gzipSync(new Uint8Array(32 * 1_048_576).fill(0x20)), {
      headers: { "content-type": "application/json", "content-encoding": "gzip" },
    }),
} satisfies Record<string, Instead>;

/** Endless blanks: a client without a bound fills its memory. */
function endless(): ReadableStream<Uint8Array> {
  const chunk = new Uint8Array(65_536).fill(0x20);
  let sent = 0;
  return new ReadableStream({
    pull(controller) {
      sent += chunk.length;
      if (sent > 64 * 1_048_576) controller.close();
      else controller.enqueue(chunk);
    },
  });
}
