import { createHash, randomBytes } from "node:crypto";
import type { Answer } from "../../support/api";
import { done } from "../../support/expectations";
import type { TestServer } from "../../support/server";
import { unescaped } from "../oauth/agent";

/** A browser on its way to a provider and back, step by step. */

export interface Step {
  status: number;
  /** The address that the answer leads to: by its header, or by the page. */
  to: string | null;
  html: string;
  headers: Headers;
}

export class Browser {
  readonly server: TestServer;
  cookies = new Map<string, string>();
  /** Cookies of providers, by their origin. */
  readonly #elsewhere = new Map<string, Map<string, string>>();

  constructor(server: TestServer) {
    this.server = server;
  }

  get cookie(): string {
    return [...this.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  }

  /** Opens an address, with the cookies of its origin. */
  async open(url: string, headers: Record<string, string> = {}): Promise<Step> {
    const { origin } = new URL(url);
    const known = url.startsWith(`${this.server.url}/`)
      ? this.cookies
      : (this.#elsewhere.get(origin) ?? new Map<string, string>());
    this.#elsewhere.set(origin, known);
    const cookie = [...known].map(([name, value]) => `${name}=${value}`).join("; ");
    const answer = await fetch(url, {
      redirect: "manual",
      headers: { ...(cookie !== "" && { cookie }), ...headers },
    });
    this.keep(answer.headers, known);
    const html = await answer.text();
    const refresh = /<meta http-equiv="refresh" content="0; url=([^"]*)">/.exec(html)?.[1];
    const to = answer.headers.get("location") ?? (refresh ? unescaped(refresh) : null);
    return { status: answer.status, to, html, headers: answer.headers };
  }

  keep(headers: Headers, cookies = this.cookies): void {
    for (const cookie of headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      if (/max-age=0(?:;|$)/i.test(cookie)) cookies.delete(name);
      else cookies.set(name, value);
    }
  }

  /** Goes to a provider, by the door of sign-ins. */
  begin(name: string, query: Record<string, string> = {}): Promise<Step> {
    const parameters = new URLSearchParams(query).toString();
    return this.open(`${this.server.url}/v1/auth/oidc/${name}${parameters && `?${parameters}`}`);
  }

  /** Signs in at a provider, and returns the address of the call-back. */
  async callbackOf(name: string, query: Record<string, string> = {}): Promise<string> {
    const begun = await this.begin(name, query);
    if (!begun.to) throw new Error(`nothing begins: ${begun.status} ${begun.html}`);
    return this.atProvider(begun.to);
  }

  /** Signs in at the address of a provider, and returns the address of the call-back. */
  async atProvider(address: string): Promise<string> {
    const back = await this.open(address);
    if (!back.to) throw new Error(`the provider refuses: ${back.status} ${back.html}`);
    return back.to;
  }

  /** Goes there and back: the code with which it ends, or the reason that the page shows. */
  async goThrough(name: string, query: Record<string, string> = {}): Promise<Ended> {
    return ended(await this.open(await this.callbackOf(name, query)));
  }

  /** A request of the page that this browser shows. */
  asPage(method: string, path: string, body?: unknown): Promise<Answer> {
    return this.server
      .request(method, path, {
        body,
        headers: { "x-fairlead-page": "1", ...(this.cookies.size > 0 && { cookie: this.cookie }) },
      })
      .then((answer) => {
        this.keep(answer.headers);
        return answer;
      });
  }
}

export interface Ended {
  code: string | null;
  /** The reason on the page. */
  reason: string | null;
  step: Step;
}

export function ended(step: Step): Ended {
  const code = /#\/elsewhere\/\w+\/([\w-]{43})$/.exec(step.to ?? "")?.[1] ?? null;
  const reason = /<code>(\w+)<\/code>/.exec(step.html)?.[1] ?? null;
  return { code, reason, step };
}

/** Signs in through a provider on the page. Returns the answer for the page, and the token of the session in its cookie. */
export async function signInThrough(server: TestServer, name: string) {
  const browser = new Browser(server);
  const { code, reason } = await browser.goThrough(name);
  if (code === null) throw new Error(`no code came: ${reason}`);
  const session = done(await browser.asPage("POST", "/bridge/session/oidc", { code }));
  return { browser, session, token: browser.cookies.get("fairlead_session") ?? "" };
}

export const newVerifier = (): string => randomBytes(32).toString("base64url");
export const challengeOf = (verifier: string): string =>
  createHash("sha256").update(verifier).digest("base64url");

let subjects = 0;

/** Somebody whom no server knows, as a provider tells of them. */
export const newAccount = (more: Record<string, unknown> = {}) => {
  const number = ++subjects;
  return {
    sub: `subject-${number}`,
    preferred_username: `Sailor.${number}`,
    email: `sailor_${number}@provider.example`,
    email_verified: true,
    ...more,
  };
};
