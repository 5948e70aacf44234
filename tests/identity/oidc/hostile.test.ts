import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { OidcStandIn, type Wrongs } from "../../stand-ins/oidc";
import { done } from "../../support/expectations";
import { freePort } from "../../support/program";
import { TestServer } from "../../support/server";
import { Browser, newAccount, signInThrough } from "./support";

/** Sign-ins that must not succeed: foreign browsers, replayed answers, and a provider that does wrong. */

let provider: OidcStandIn;
let server: TestServer;

const START = { allow_registration: "true", trust_email: "true" };

beforeAll(async () => {
  provider = await OidcStandIn.start();
  server = await TestServer.start({ settings: provider.settings("harbour", START) });
});
afterAll(async () => {
  await server.stop();
  await provider.stop();
});
beforeEach(() => {
  provider.wrongs = {};
  provider.account = newAccount();
});

const users = async (): Promise<number> =>
  done(await server.get("/v1/users?limit=1", { token: await server.admin() })).pagination.total;

/** Goes through with a provider that does wrong. Returns the reason on the page. */
async function reasonWith(wrongs: Wrongs): Promise<string | null> {
  const before = await users();
  provider.wrongs = wrongs;
  const { code, reason, step } = await new Browser(server).goThrough("harbour");
  expect(code).toBeNull();
  expect(step.html).not.toContain(provider.account.sub);
  expect(await users()).toBe(before);
  return reason;
}

describe("a browser", () => {
  test("that wasn't sent is turned away, and the one that was goes on", async () => {
    const browser = new Browser(server);
    const callback = await browser.callbackOf("harbour");
    const other = new Browser(server);
    const lured = await other.open(callback);
    expect([lured.status, /<code>(\w+)</.exec(lured.html)?.[1]]).toEqual([400, "other_browser"]);
    await other.begin("harbour");
    expect((await other.open(callback)).html).toContain("other_browser");
    expect((await browser.open(callback)).to).toContain("#/elsewhere/sign_in/");
  });

  test("that comes back twice is turned away the second time", async () => {
    const browser = new Browser(server);
    const callback = await browser.callbackOf("harbour");
    expect((await browser.open(callback)).to).toContain("#/elsewhere/sign_in/");
    expect((await browser.open(callback)).html).toContain("<code>state_unknown</code>");
  });

  test("comes back once of parallel call-backs", async () => {
    const browser = new Browser(server);
    const callback = await browser.callbackOf("harbour");
    const steps = await Promise.all(Array.from({ length: 4 }, () => browser.open(callback)));
    expect(steps.filter(({ to }) => to?.includes("#/elsewhere/sign_in/"))).toHaveLength(1);
  });

  for (const [what, change] of [
    ["another state", (url: URL) => url.searchParams.set("state", "x".repeat(43))],
    ["no state", (url: URL) => url.searchParams.delete("state")],
    [
      "the state of another provider",
      (url: URL) => {
        url.pathname = url.pathname.replace("harbour", "nobody");
      },
    ],
  ] as const)
    test(`with ${what} is turned away`, async () => {
      const browser = new Browser(server);
      const url = new URL(await browser.callbackOf("harbour"));
      change(url);
      const step = await browser.open(url.href);
      expect(step.to).toBeNull();
      expect(step.html).toMatch(/<code>(?:state_unknown|unknown_provider)<\/code>/);
    });

  test("that stays away for more than ten minutes begins anew", async () => {
    const clocked = await TestServer.start({
      settings: provider.settings("harbour", START),
      clock: "movable",
    });
    try {
      const browser = new Browser(clocked);
      const callback = await browser.callbackOf("harbour");
      await clocked.advance(601_000);
      expect((await browser.open(callback)).html).toContain("<code>state_unknown</code>");
    } finally {
      await clocked.stop();
    }
  });

  test("that asks by HEAD uses nothing up", async () => {
    const browser = new Browser(server);
    const callback = await browser.callbackOf("harbour");
    const head = await fetch(callback, { method: "HEAD", headers: { cookie: browser.cookie } });
    expect(head.status).toBe(405);
    expect((await browser.open(callback)).to).toContain("#/elsewhere/sign_in/");
  });

  test("that names no provider, whatever it writes in its place, gets a page that says so", async () => {
    for (const name of [
      "nobody",
      "%0d%0aset-cookie:%20x=1",
      "..%2f..%2foauth",
      "a".repeat(2_000),
      "<script>",
    ])
      for (const path of [name, `${name}/callback?state=x`]) {
        const step = await new Browser(server).open(`${server.url}/v1/auth/oidc/${path}`, {
          host: "other.example",
        });
        expect([name, step.status, step.to]).toEqual([name, 404, null]);
        expect(step.html).not.toContain("<script>alert");
      }
  });

  test("gets pages that no other page frames, in its own language, kept nowhere", async () => {
    const step = await new Browser(server).open(`${server.url}/v1/auth/oidc/nobody`, {
      "accept-language": "de",
    });
    expect(step.status).toBe(404);
    expect(step.html).toContain("Die Anmeldung hat nicht geklappt");
    expect(step.headers.get("content-security-policy")).toContain("default-src 'none'");
    expect(step.headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
    expect(step.headers.get("cache-control")).toBe("no-store");
  });

  test("is told in plain words where to look, by the provider's name", async () => {
    provider.wrongs = { error: "access_denied" };
    const { step, reason } = await new Browser(server).goThrough("harbour");
    expect(reason).toBe("denied");
    expect(step.html).toContain("harbour says that access was denied");
    expect(step.html).toContain("Start again");
  });
});

describe("the answer to a browser", () => {
  test("must bear the issuer, where the provider says that it does (RFC 9207)", async () => {
    expect(await reasonWith({ answerIssuer: null })).toBe("bad_answer");
    expect(await reasonWith({ answerIssuer: "https://evil.example" })).toBe("bad_answer");
  });

  test("with another error is no code, and quotes no word of a stranger's", async () => {
    expect(await reasonWith({ error: "temporarily_unavailable" })).toBe("provider_error");
    expect(await reasonWith({ error: "<script>alert(1)</script>" })).toBe("provider_error");
  });
});

describe("an ID token", () => {
  const seconds = () => Math.floor(Date.now() / 1_000);
  const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");

  for (const [what, wrongs, reason] of [
    ["of another issuer", () => ({ claims: { iss: "https://evil.example" } }), "bad_answer"],
    ["for another audience", () => ({ claims: { aud: "somebody else" } }), "bad_answer"],
    [
      "for several, of another party",
      () => ({ claims: { aud: ["fairlead", "other"], azp: "other" } }),
      "bad_answer",
    ],
    ["that has expired", () => ({ claims: { exp: seconds() - 120, iat: seconds() - 400 } }), "clock_skew"],
    ["that isn't good yet", () => ({ claims: { nbf: seconds() + 600 } }), "clock_skew"],
    ["with another nonce", () => ({ claims: { nonce: "x".repeat(43) } }), "bad_answer"],
    ["without a nonce", () => ({ claims: { nonce: null } }), "bad_answer"],
    ["without a subject", () => ({ claims: { sub: null } }), "bad_answer"],
    [
      "that is not signed",
      () => ({ idToken: (claims: object) => `${encoded({ alg: "none" })}.${encoded(claims)}.` }),
      "bad_answer",
    ],
    [
      "that says that it needs no signature, and has one",
      () => ({
        idToken: async (claims: Record<string, unknown>) => {
          const [, body, signature] = (await provider.sign(claims)).split(".");
          return `${encoded({ alg: "none" })}.${body}.${signature}`;
        },
      }),
      "bad_answer",
    ],
    [
      "whose claims were changed after it was signed",
      () => ({
        idToken: async (claims: Record<string, unknown>) => {
          const [head, , signature] = (await provider.sign(claims)).split(".");
          return `${head}.${encoded({ ...claims, sub: "the admin" })}.${signature}`;
        },
      }),
      "bad_answer",
    ],
    [
      "signed with the client's secret",
      () => ({
        idToken: (claims: object) => {
          const text = `${encoded({ alg: "HS256" })}.${encoded(claims)}`;
          const seal = new Bun.CryptoHasher("sha256", provider.clientSecret).update(text).digest("base64url");
          return `${text}.${seal}`;
        },
      }),
      "bad_answer",
    ],
    ["that is none", () => ({ idToken: () => "not.a.token" }), "bad_answer"],
    ["that is missing", () => ({ idToken: () => "" }), "bad_answer"],
  ] as const)
    test(`${what} opens nothing`, async () => {
      expect(await reasonWith(wrongs() as Wrongs)).toBe(reason);
    });

  test("signed with a new key counts, and one of the former key no more", async () => {
    await signInThrough(server, "harbour");
    const former = provider.sign.bind(provider);
    const stale = await former({ sub: "x" });
    await provider.rotate();
    await signInThrough(server, "harbour");
    expect(await reasonWith({ idToken: () => stale })).toBe("bad_answer");
  });

  test("of another user than the one that the provider tells of elsewhere opens nothing", async () => {
    expect(
      await reasonWith({
        onlyInUserInfo: ["preferred_username"],
        instead: { "/userinfo": () => Response.json({ sub: "somebody else", preferred_username: "x" }) },
      }),
    ).toBe("bad_answer");
  });
});

describe("a provider", () => {
  const json = (body: unknown, status = 200) => Response.json(body, { status });

  for (const [what, instead, reason] of [
    ["refuses the code", () => json({ error: "invalid_grant" }, 400), "code_refused"],
    ["refuses the client", () => json({ error: "invalid_client" }, 401), "client_refused"],
    ["fails", () => new Response("oops", { status: 500 }), "provider_unreachable"],
    ["answers no JSON", () => new Response("<html>"), "bad_answer"],
    ["answers something else", () => json([1, 2]), "bad_answer"],
    ["answers too much", () => new Response("x".repeat(1_000_000)), "provider_unreachable"],
    ["leads elsewhere", () => Response.redirect("https://evil.example/", 307), "provider_unreachable"],
  ] as const)
    test(`that ${what} at its token endpoint opens nothing`, async () => {
      expect(await reasonWith({ instead: { "/token": instead } })).toBe(reason);
    });

  test("whose keys can't be read opens nothing", async () => {
    await provider.rotate();
    expect(await reasonWith({ instead: { "/jwks": () => new Response(null, { status: 500 }) } })).toBe(
      "bad_answer",
    );
    expect(await reasonWith({ instead: { "/jwks": () => json({ keys: "none" }) } })).toBe("bad_answer");
    provider.wrongs = {};
    await signInThrough(server, "harbour");
  });

  test("that is slow costs no more than its time, and others nothing", async () => {
    const slow = new Promise<Response>(() => {});
    const browser = new Browser(server);
    const callback = await browser.callbackOf("harbour");
    provider.wrongs = { instead: { "/token": () => slow } };
    const waiting = browser.open(callback);
    expect((await server.get("/health/live")).status).toBe(200);
    const step = await waiting;
    expect([step.status, /<code>(\w+)</.exec(step.html)?.[1]]).toEqual([503, "provider_unreachable"]);
  });

  for (const [what, more] of [
    ["is another than the configured issuer", { metadata: { issuer: "https://evil.example" } }],
    ["names no way in", { metadata: { authorization_endpoint: undefined } }],
    [
      "names a way in that is no web address",
      { metadata: { authorization_endpoint: "javascript:alert(1)" } },
    ],
  ] as const)
    test(`that ${what} is not used`, async () => {
      const fresh = await TestServer.start({ settings: provider.settings("harbour", START) });
      try {
        provider.wrongs = more;
        const { status, html, to } = await new Browser(fresh).begin("harbour");
        expect([status, to]).toEqual([400, null]);
        expect(html).toContain("<code>bad_answer</code>");
      } finally {
        await fresh.stop();
      }
    });

  test("leads into no network but its own origin's", async () => {
    const inside: string[] = [];
    const secret = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: (request) => {
        inside.push(request.url);
        return Response.json({ access_token: "x", token_type: "bearer" });
      },
    });
    const fresh = await TestServer.start({ settings: provider.settings("harbour", START) });
    try {
      provider.wrongs = { metadata: { token_endpoint: `http://127.0.0.1:${secret.port}/token` } };
      const { reason } = await new Browser(fresh).goThrough("harbour");
      expect(reason).toBe("provider_unreachable");
      expect(inside).toEqual([]);
      expect(fresh.output).toContain("outside the origin of its issuer");
    } finally {
      await fresh.stop();
      await secret.stop(true);
    }
  });

  test("that is down is told of, and asked again soon", async () => {
    const port = await freePort();
    const fresh = await TestServer.start({
      settings: { ...provider.settings("harbour", START), "oidc.harbour.issuer": `http://127.0.0.1:${port}` },
    });
    try {
      const { status, html } = await new Browser(fresh).begin("harbour");
      expect([status, html.includes("<code>provider_unreachable</code>")]).toEqual([503, true]);
      expect(html).toContain("check the issuer in its configuration");
    } finally {
      await fresh.stop();
    }
  });

  test("with another secret than the configured one is told of, and the log names neither", async () => {
    const fresh = await TestServer.start({
      settings: provider.settings("harbour", { ...START, client_secret: "mistyped secret" }),
    });
    try {
      expect((await new Browser(fresh).goThrough("harbour")).reason).toBe("client_refused");
      expect(fresh.output).toContain("client_refused");
      expect(fresh.output).not.toContain("mistyped secret");
    } finally {
      await fresh.stop();
    }
  });
});
