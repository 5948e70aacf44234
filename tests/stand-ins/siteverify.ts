import type { Server } from "bun";

/**
 * The siteverify address of Turnstile, hCaptcha and reCAPTCHA on loopback: their documentation describes one
 * contract.
 */

export class SiteVerifyStandIn {
  readonly secret = "site-secret";
  /** The forms that were posted. */
  readonly asked: Record<string, string>[] = [];
  readonly #server: Server<undefined>;
  readonly #spent = new Set<string>();
  #instead: (() => Response | Promise<Response>) | null = null;

  constructor() {
    this.#server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: (request) => this.#answer(request) });
  }

  get url(): string {
    return `http://127.0.0.1:${this.#server.port}/siteverify`;
  }

  settings(provider: "turnstile" | "hcaptcha" | "recaptcha") {
    return {
      "bot_protection.provider": provider,
      "bot_protection.secret": this.secret,
      "bot_protection.verify_url": this.url,
    };
  }

  /** Answers like this from now on; without an argument, by the contract again. */
  answer(instead: (() => Response | Promise<Response>) | null = null): void {
    this.#instead = instead;
  }

  async stop(): Promise<void> {
    await this.#server.stop(true);
  }

  async #answer(request: Request): Promise<Response> {
    if (request.method !== "POST") return new Response(null, { status: 405 });
    const isForm = request.headers.get("content-type")?.startsWith("application/x-www-form-urlencoded");
    const form = Object.fromEntries(new URLSearchParams(await request.text()));
    this.asked.push(form);
    if (this.#instead) return this.#instead();
    const code = isForm ? this.#refusal(form) : "bad-request";
    return code
      ? Response.json({ success: false, "error-codes": [code] })
      : Response.json({ success: true, challenge_ts: new Date().toISOString(), hostname: "localhost" });
  }

  /** Tokens that begin with `solved` are good, once each. */
  #refusal({ secret, response }: Record<string, string>): string | null {
    if (!secret) return "missing-input-secret";
    if (secret !== this.secret) return "invalid-input-secret";
    if (!response) return "missing-input-response";
    if (!response.startsWith("solved")) return "invalid-input-response";
    if (this.#spent.has(response)) return "timeout-or-duplicate";
    this.#spent.add(response);
    return null;
  }
}
