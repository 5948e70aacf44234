import type { Server } from "bun";

/**
 * Resend's POST /emails on loopback, as its API reference describes it (resend.com/docs), error answers
 * included.
 */

export interface ResendEmail {
  from: string;
  to: string[];
  subject: string;
  text: string;
  html: string;
  headers: Record<string, string>;
  tags: { name: string; value: string }[];
}

interface Failure {
  status: number;
  name: string;
  headers?: Record<string, string>;
}

interface Accepted {
  payload: string;
  id: string;
}

const error = (status: number, name: string, message: string, headers: Record<string, string> = {}) =>
  Response.json({ statusCode: status, name, message }, { status, headers });

export class ResendStandIn {
  readonly key = "re_stand_in";
  /** The accepted emails, once for each idempotency key. */
  readonly emails: ResendEmail[] = [];
  /** The headers of every request. */
  readonly requests: Headers[] = [];
  readonly #server: Server<undefined>;
  readonly #remembered = new Map<string, Accepted>();
  #failures: (Failure | "broken")[] = [];
  #accepted: () => void = () => {};
  #hold: Promise<void> | null = null;

  constructor() {
    this.#server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: (request) => this.#answer(request) });
  }

  get url(): string {
    return `http://127.0.0.1:${this.#server.port}`;
  }

  /** The settings that make Fairlead use this stand-in. */
  get settings() {
    return {
      "email.transport": "resend",
      "email.resend_api_key": this.key,
      "email.resend_base_url": this.url,
    };
  }

  /** The next requests fail like this, one after the other. `broken` is an answer that isn't JSON. */
  failNext(...failures: (Failure | "broken")[]): void {
    this.#failures.push(...failures);
  }

  /** Accepts or refuses the next emails, but doesn't answer until the returned function is called. */
  holdAnswers(): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#hold = promise;
    return () => {
      this.#hold = null;
      resolve();
    };
  }

  /** Resolves with the next accepted email. */
  async nextEmail(): Promise<ResendEmail> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#accepted = resolve;
    await promise;
    return this.emails.at(-1) as ResendEmail;
  }

  async stop(): Promise<void> {
    await this.#server.stop(true);
  }

  async #answer(request: Request): Promise<Response> {
    this.requests.push(request.headers);
    if (!request.headers.get("user-agent")) return new Response("error code: 1010", { status: 403 });
    const authorization = request.headers.get("authorization");
    if (!authorization?.startsWith("Bearer re_"))
      return error(401, "missing_api_key", "Missing API key in the authorization header");
    if (authorization !== `Bearer ${this.key}`) return error(403, "invalid_api_key", "API key is invalid");
    if (new URL(request.url).pathname !== "/emails")
      return error(404, "not_found", "The endpoint was not found");
    if (request.method !== "POST") return error(405, "method_not_allowed", "Method is not allowed");
    const key = request.headers.get("idempotency-key");
    if (key !== null && (key.length < 1 || key.length > 256))
      return error(400, "invalid_idempotency_key", "The key must be between 1-256 chars");

    const payload = await request.text();
    const email = JSON.parse(payload) as ResendEmail;
    const failure = this.#failures.shift();
    if (failure === "broken") return new Response("<html>Bad gateway</html>", { status: 502 });
    // Real refusals quote the request.
    if (failure) {
      await this.#hold;
      return error(failure.status, failure.name, `Not taken: ${payload}`, failure.headers);
    }
    const missing = (["from", "to", "subject"] as const).find((field) => !email[field]?.length);
    if (missing) return error(422, "missing_required_field", `Missing \`${missing}\` field`);

    const before = key === null ? undefined : this.#remembered.get(key);
    if (before && before.payload !== payload)
      return error(
        409,
        "invalid_idempotent_request",
        "Same idempotency key used with a different request payload",
      );
    const id = before?.id ?? crypto.randomUUID();
    if (!before) {
      this.emails.push(email);
      if (key !== null) this.#remembered.set(key, { payload, id });
      this.#accepted();
    }
    await this.#hold;
    return Response.json({ id });
  }
}
