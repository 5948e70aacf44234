import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { TestServer } from "../support/server";

let server: TestServer;

beforeAll(async () => {
  server = await TestServer.start();
});
afterAll(() => server.stop());

const PATHS = ["/verify-email", "/reset-password", "/invitation"];
const page = (path: string, language = "en") =>
  server.get(path, { headers: { "accept-language": language } });

const sha256 = (source: string) => new Bun.CryptoHasher("sha256").update(source).digest("base64");
const between = (text: string, pattern: RegExp) => pattern.exec(text)?.[1] ?? "";

describe.each(PATHS)("%s", (path) => {
  test("is a page that nobody keeps, and whose address nobody is told", async () => {
    const { status, headers } = await page(path);
    expect(status).toBe(200);
    expect(headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(headers.get("cache-control")).toBe("no-store");
    expect(headers.get("referrer-policy")).toBe("no-referrer");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
  });

  test("runs its own script, shows its own style, and nothing else", async () => {
    const { headers, body } = await page(path);
    const script = between(body, /<script type="module">([\s\S]*?)<\/script>/);
    const style = between(body, /<style>([\s\S]*?)<\/style>/);
    expect(script).toContain("fetch(");
    expect(headers.get("content-security-policy")?.split("; ")).toEqual([
      "default-src 'none'",
      `style-src 'sha256-${sha256(style)}'`,
      `script-src 'sha256-${sha256(script)}'`,
      "connect-src 'self'",
      "img-src data:",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ]);
    expect(body.split("<script").length - 1).toBe(1);
    // The origins of passkeys are named, not asked.
    const named = / data-origins="[^"]*"/;
    expect(body.replace(script, "").replace(named, "")).not.toMatch(
      /\son\w+=|\sstyle=|\ssrc=|https?:|<(img|iframe|object)/,
    );
    expect([...body.matchAll(/\shref="([^"]*)"/g)].map(([, href]) => href)).toEqual(["data:,", "./"]);
  });

  test("is in the browser's language", async () => {
    const german = await page(path, "de-AT,de;q=0.9,en;q=0.5");
    expect(german.headers.get("content-language")).toBe("de");
    expect(german.body).toStartWith('<!doctype html>\n<html lang="de">');
    const english = await page(path, "en-GB");
    expect(english.body).toStartWith('<!doctype html>\n<html lang="en">');
    const heading = /<h1>(.*?)<\/h1>/;
    expect(between(german.body, heading)).not.toBe(between(english.body, heading));
  });

  test("is no part of the API's document", async () => {
    expect((await server.contract()).document.paths).not.toHaveProperty([path]);
  });
});

// --- The script -------------------------------------------------------------------------------------------------

interface Answered {
  ok: boolean;
  message: string;
}

/** As much of a browser as the script touches. */
class FakeBrowser {
  address: string;
  readonly posted: { path: string; body: unknown }[] = [];
  readonly form = { hidden: true, dataset: {} as Record<string, string> };
  readonly password: { type: string; value: string } | null;
  readonly show: { checked: boolean } | null;
  readonly revoke: { checked: boolean } | null;
  readonly username: { value: string } | null;
  readonly email: { value: string; required?: boolean } | null;
  readonly addressField = { hidden: false };
  readonly button = { disabled: false };
  readonly next = { hidden: true };
  readonly status = { className: "", texts: [] as string[] };
  reloads = 0;
  readonly #listeners = new Map<string, (event: object) => unknown>();

  constructor(html: string, fragment: string, answer: () => Answered) {
    this.address = `/page${fragment}`;
    this.form.dataset = Object.fromEntries(
      [...html.matchAll(/ data-(\w+)="([^"]*)"/g)].map(([, name = "", value = ""]) => [name, value]),
    );
    this.password = html.includes('id="password"') ? { type: "password", value: "" } : null;
    this.show = html.includes('id="show"') ? { checked: false } : null;
    const revoke = /<input id="revoke" type="checkbox"( checked)?>/.exec(html);
    this.revoke = revoke && { checked: revoke[1] !== undefined };
    this.username = html.includes('id="username"') ? { value: "" } : null;
    this.email = html.includes('id="email"') ? { value: "" } : null;
    const on = (element: object, name: string) =>
      Object.assign(element, {
        addEventListener: (event: string, listener: (event: object) => unknown) =>
          this.#listeners.set(`${name} ${event}`, listener),
      });
    const children: Record<string, object | null> = {
      "#password": this.password,
      "#show": this.show && on(this.show, "show"),
      "#revoke": this.revoke,
      "#username": this.username,
      "#email": this.email,
      "#address": this.addressField,
      button: this.button,
    };
    on(this.form, "form");
    Object.assign(this.form, {
      querySelector: (selector: string) => children[selector],
      querySelectorAll: () => [this.button],
    });
    Object.assign(this.status, {
      replaceChildren: (...elements: { textContent: string }[]) => {
        this.status.texts = elements.map(({ textContent }) => textContent);
      },
    });
    const globals = {
      document: {
        getElementById: (id: string) => (id === "next" ? this.next : this.status),
        querySelector: () => (html.includes("<form") ? this.form : null),
        createElement: () => ({}),
      },
      location: {
        hash: fragment,
        pathname: "/page",
        search: "",
        reload: () => this.reloads++,
      },
      history: {
        replaceState: (_state: unknown, _title: string, address: string) => {
          this.address = address;
        },
      },
      addEventListener: (event: string, listener: (event: object) => unknown) =>
        this.#listeners.set(`window ${event}`, listener),
      fetch: async (path: string, request: { body: string }) => {
        this.posted.push({ path, body: JSON.parse(request.body) });
        const { ok, message } = answer();
        return { ok, json: async () => ({ message }) };
      },
    };
    const script = between(html, /<script type="module">([\s\S]*?)<\/script>/);
    new Function(...Object.keys(globals), script)(...Object.values(globals));
  }

  async fire(event: string): Promise<void> {
    await this.#listeners.get(event)?.({ preventDefault: () => {} });
  }
}

const done = () => ({ ok: true, message: "Well done" });

describe("the script", () => {
  test("takes the token out of the address, and posts it when the reader presses the button", async () => {
    const browser = new FakeBrowser((await page("/verify-email")).body, "#token=abc-_%2B1", done);
    expect(browser.address).toBe("/page");
    expect(browser.form.hidden).toBeFalse();
    expect(browser.posted).toEqual([]);
    await browser.fire("form submit");
    expect(browser.posted).toEqual([{ path: "v1/auth/verify-email", body: { token: "abc-_+1" } }]);
    expect(browser.status).toMatchObject({ className: "good", texts: ["Done.", "Well done"] });
    expect(browser.form.hidden).toBeTrue();
  });

  test("posts the new password with the token, and leaves the form when the API refuses it", async () => {
    const refused = () => ({ ok: false, message: "new_password must be longer" });
    const browser = new FakeBrowser((await page("/reset-password", "de")).body, "#token=abc", refused);
    if (browser.password) browser.password.value = "a new passphrase";
    await browser.fire("form submit");
    expect(browser.posted).toEqual([
      {
        path: "v1/auth/reset-password/complete",
        body: { token: "abc", new_password: "a new passphrase", revoke_api_keys: true },
      },
    ]);
    expect(browser.status).toMatchObject({
      className: "bad",
      texts: ["Das hat nicht geklappt.", "new_password must be longer"],
    });
    expect(browser.form.hidden).toBeFalse();
    expect(browser.button.disabled).toBeFalse();
  });

  test("has the reader's API keys switched off unless the box is unticked, whose label names the trackers'", async () => {
    const [english, german] = [await page("/reset-password"), await page("/reset-password", "de")];
    expect(english.body).toMatch(/<input id="revoke" type="checkbox" checked> [^<]*API keys[^<]*trackers/);
    expect(german.body).toMatch(/<input id="revoke" type="checkbox" checked> [^<]*API-Schlüssel[^<]*Tracker/);
    const browser = new FakeBrowser(german.body, "#token=abc", done);
    if (browser.password) browser.password.value = "a new passphrase";
    if (browser.revoke) browser.revoke.checked = false;
    await browser.fire("form submit");
    expect(browser.posted).toEqual([
      {
        path: "v1/auth/reset-password/complete",
        body: { token: "abc", new_password: "a new passphrase", revoke_api_keys: false },
      },
    ]);
  });

  test.each([
    ["", {}],
    ["&ask=email", { email: "anna@example.org" }],
  ])("posts what a new account takes, an address only where the link asks for it: %p", async (ask, asked) => {
    const browser = new FakeBrowser((await page("/invitation")).body, `#token=a-_%2Fb${ask}`, done);
    expect(browser.addressField.hidden).toBe(ask === "");
    expect(browser.email?.required).toBe(ask !== "");
    if (browser.username) browser.username.value = "anna";
    if (browser.password) browser.password.value = "a new passphrase";
    if (browser.email) browser.email.value = "anna@example.org";
    await browser.fire("form submit");
    const body = { username: "anna", password: "a new passphrase", ...asked };
    expect(browser.posted).toEqual([{ path: "v1/invitations/a-_%2Fb/accept", body }]);
    expect(browser.status).toMatchObject({
      className: "good",
      texts: ["Done.", expect.stringContaining("sign in")],
    });
    expect(browser.next.hidden).toBeFalse();
  });

  test("says so when the server can't be reached", async () => {
    const browser = new FakeBrowser((await page("/verify-email")).body, "#token=abc", () => {
      throw new TypeError("Failed to fetch");
    });
    await browser.fire("form submit");
    expect(browser.status.texts[0]).toContain("cannot be reached");
    expect(browser.button.disabled).toBeFalse();
  });

  test("offers no form without a token, and says why", async () => {
    const browser = new FakeBrowser((await page("/verify-email")).body, "", done);
    expect(browser.form.hidden).toBeTrue();
    expect(browser.status.texts[0]).toContain("link is incomplete");
  });

  test("shows the password on request", async () => {
    const browser = new FakeBrowser((await page("/reset-password")).body, "#token=abc", done);
    if (browser.show) browser.show.checked = true;
    await browser.fire("show change");
    expect(browser.password?.type).toBe("text");
  });

  test("starts over when another link is opened in the same tab", async () => {
    const browser = new FakeBrowser((await page("/verify-email")).body, "#token=abc", done);
    await browser.fire("window hashchange");
    expect(browser.reloads).toBe(1);
  });
});

test("the password's bounds are the API's", async () => {
  const { body } = await page("/reset-password");
  expect(body).toContain('autocomplete="new-password" required minlength="8" maxlength="128"');
});

test("with bot protection the reset page refers to the operator's app, and still clears the address", async () => {
  const guarded = await TestServer.start({
    settings: { "bot_protection.provider": "hcaptcha", "bot_protection.secret": "s" },
  });
  const { body } = await guarded.get("/reset-password");
  expect(body).not.toContain("<form");
  expect(body).toContain("bot check");
  expect(new FakeBrowser(body, "#token=abc", done).address).toBe("/page");
  expect((await guarded.get("/verify-email")).body).toContain("<form");
  await guarded.stop();
});
