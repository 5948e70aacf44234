import type { TestServer } from "../../support/server";

/**
 * A browser without JavaScript, as far as sign-ins need one: cookies with SameSite=Strict, redirects, pages that lead on,
 * forms. It stops at addresses of other servers, as if their page had been shown.
 */

export interface Shown {
  /** The address that was reached: a page of the server, or one elsewhere, which is not asked. */
  url: string;
  status: number;
  html: string;
  headers: Headers;
}

const ENTITIES: Record<string, string> = {
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#39;": "'",
};
export const unescaped = (text: string): string =>
  text.replace(/&(?:amp|lt|gt|quot|#39);/g, (entity) => ENTITIES[entity] ?? "");

const attribute = (tag: string, name: string): string | undefined => {
  const found = new RegExp(`\\s${name}="([^"]*)"`).exec(tag)?.[1];
  return found === undefined ? undefined : unescaped(found);
};

export class Agent {
  readonly server: TestServer;
  readonly headers: Record<string, string>;
  cookies = new Map<string, string>();
  shown: Shown = { url: "about:blank", status: 0, html: "", headers: new Headers() };
  /** All addresses of the server that were asked since the last `open`, by method. */
  visited: string[] = [];

  constructor(server: TestServer, headers: Record<string, string> = {}) {
    this.server = server;
    this.headers = headers;
  }

  /** A browser in which a session is signed in already. */
  static signedIn(server: TestServer, token: string): Agent {
    const agent = new Agent(server);
    agent.cookies.set("fairlead_session", token);
    return agent;
  }

  get #cookie(): Record<string, string> {
    const pairs = [...this.cookies].map(([name, value]) => `${name}=${value}`);
    return pairs.length > 0 ? { cookie: pairs.join("; ") } : {};
  }

  /** One request, without going on from its answer. `isCross`: it comes from another site, without cookies. */
  async ask(
    method: string,
    url: string,
    { form, isCross = false, headers = {} }: Asking = {},
  ): Promise<Shown> {
    this.visited.push(`${method} ${new URL(url).pathname}`);
    const response = await fetch(url, {
      method,
      redirect: "manual",
      headers: {
        ...this.headers,
        ...(isCross ? {} : this.#cookie),
        ...(method === "POST" && { origin: isCross ? "https://evil.example" : this.server.url }),
        ...(form && { "content-type": "application/x-www-form-urlencoded" }),
        ...headers,
      },
      ...(form && { body: new URLSearchParams(form).toString() }),
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      if (/max-age=0(?:;|$)/i.test(cookie)) this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
    return { url, status: response.status, html: await response.text(), headers: response.headers };
  }

  /** Goes on from an answer, by redirects and pages that lead on, to a page that waits for its reader. */
  async #follow(first: Shown, isCross: boolean): Promise<Shown> {
    let shown = first;
    for (let steps = 0; steps < 10; steps++) {
      const location = shown.headers.get("location");
      const refresh = /<meta http-equiv="refresh" content="0; url=([^"]*)">/.exec(shown.html)?.[1];
      const next =
        shown.status >= 300 && shown.status < 400 && location ? location : refresh && unescaped(refresh);
      if (!next) break;
      const url = new URL(next, shown.url).href;
      if (!url.startsWith(`${this.server.url}/`)) {
        shown = { url: next, status: 0, html: "", headers: new Headers() };
        break;
      }
      // A redirect goes on as the request that led to it; a page of the server's own leads on from there.
      shown = await this.ask("GET", url, { isCross: isCross && !refresh });
    }
    this.shown = shown;
    return shown;
  }

  /** Opens an address by a link of another site. */
  async open(url: string): Promise<Shown> {
    this.visited = [];
    return this.#follow(await this.ask("GET", url, { isCross: true }), true);
  }

  /** Opens an address by typing it in, or from a page of the server. */
  async visit(url: string): Promise<Shown> {
    this.visited = [];
    return this.#follow(await this.ask("GET", url), false);
  }

  /** Sends a form of another site to an address of the server. */
  async post(url: string, form: Record<string, string>): Promise<Shown> {
    this.visited = [];
    return this.#follow(await this.ask("POST", url, { form, isCross: true }), true);
  }

  /** The fields of the form that is shown, with the values that it has. */
  get form(): { action: string; fields: Record<string, string> } {
    const [, tag = "", content = ""] = /(<form[^>]*>)([\s\S]*?)<\/form>/.exec(this.shown.html) ?? [];
    if (tag === "")
      throw new Error(`no form is shown: ${this.shown.status} ${this.shown.html.slice(0, 2_000)}`);
    const fields: Record<string, string> = {};
    for (const [input] of content.matchAll(/<input[^>]*>/g)) {
      const name = attribute(input, "name");
      const isChecked = !/type="checkbox"/.test(input) || / checked/.test(input);
      if (name && isChecked) fields[name] = attribute(input, "value") ?? "";
    }
    return { action: new URL(attribute(tag, "action") ?? "", this.shown.url).href, fields };
  }

  /** Fills the form that is shown in and sends it. */
  async submit(values: Record<string, string> = {}): Promise<Shown> {
    const { action, fields } = this.form;
    return this.#follow(await this.ask("POST", action, { form: { ...fields, ...values } }), false);
  }

  signIn(username: string, password: string): Promise<Shown> {
    return this.submit({ identifier: username, password });
  }

  /** The title of the page that is shown. */
  get title(): string {
    return unescaped(/<h1>(.*?)<\/h1>/.exec(this.shown.html)?.[1] ?? "");
  }

  /** The text of the page that is shown. */
  get text(): string {
    const [, main = ""] = /<main[^>]*>([\s\S]*)<\/main>/.exec(this.shown.html) ?? [];
    return unescaped(main.replaceAll(/<[^>]+>/g, " "))
      .replaceAll(/\s+/g, " ")
      .trim();
  }

  /** The parameters with which the browser ended up elsewhere. */
  get answer(): Record<string, string> {
    return Object.fromEntries(new URL(this.shown.url).searchParams);
  }
}

interface Asking {
  form?: Record<string, string>;
  isCross?: boolean;
  headers?: Record<string, string>;
}
