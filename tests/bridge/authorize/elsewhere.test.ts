import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { Agent, unescaped } from "../../identity/oauth/agent";
import { authorizationOf, claimsOf, exchange, newClient } from "../../identity/oauth/support";
import { Browser, newAccount } from "../../identity/oidc/support";
import { guarded, nextCode } from "../../identity/two-factor/support";
import { OidcStandIn } from "../../stand-ins/oidc";
import { done } from "../../support/expectations";
import { freePort } from "../../support/program";
import { TestServer } from "../../support/server";

/** Sign-in to an application, by way of a provider: two servers' codes one after the other, in one browser. */

let provider: OidcStandIn;
let server: TestServer;

beforeAll(async () => {
  provider = await OidcStandIn.start();
  server = await TestServer.start({
    settings: provider.settings("harbour", { allow_registration: "true", trust_email: "true" }),
    clock: "movable",
  });
});
afterAll(async () => {
  await server.stop();
  await provider.stop();
});
beforeEach(() => {
  provider.account = newAccount();
  provider.authTime = null;
  provider.wrongs = {};
});

/** Opens the page of an application, takes the provider's way, and returns the agent where it has come back. */
async function throughProvider(url: string): Promise<Agent> {
  const agent = new Agent(server);
  await agent.open(url);
  const link = /href="([^"]*v1\/auth\/oidc\/harbour[^"]*)"/.exec(agent.shown.html)?.[1] ?? "";
  await agent.visit(new URL(unescaped(link), agent.shown.url).href);
  // It stopped at the provider, which is another server.
  const callback = await new Browser(server).atProvider(agent.shown.url);
  // The way back begins on another site: the cookie of the browser alone comes along.
  await agent.visit(callback);
  return agent;
}

describe("an application's user", () => {
  test("signs in at the provider, agrees, and the application gets its code", async () => {
    const client = await newClient(server);
    const { url, verifier } = authorizationOf(server, client);
    const agent = await throughProvider(url);
    expect(agent.title).toBe("Allow Crew app?");
    await agent.submit({ decision: "allow" });
    const tokens = done(await exchange(server, client, agent.answer.code ?? "", verifier));
    expect(tokens.access_token).toMatch(/^fla_/);
  });

  test("gives the second factor after the provider", async () => {
    const user = await guarded(server);
    provider.account = newAccount({ email: user.email });
    const agent = await throughProvider(authorizationOf(server, await newClient(server)).url);
    expect(agent.text).toContain("Your account has a second factor.");
    await agent.submit({ code: await nextCode(server, user.secret) });
    expect(agent.title).toBe("Allow Crew app?");
  });

  test("is led back to the application's request where a code comes twice", async () => {
    const { url } = authorizationOf(server, await newClient(server));
    const agent = await throughProvider(url);
    const used = agent.visited.length;
    expect(used).toBeGreaterThan(1);
    const query = new URLSearchParams({
      code: "x".repeat(43),
      request: new URL(url).search.slice(1),
    });
    await agent.visit(`${server.url}/oauth/elsewhere?${query}`);
    expect([agent.shown.status, agent.text.includes("completed already")]).toEqual([400, true]);
  });
});

describe("a sign-in that an application wants anew", () => {
  const hours = (number: number) => Math.floor(Date.now() / 1_000) - number * 3_600;

  test.each([
    [{ max_age: "60" }, { max_age: "60" }],
    [{ prompt: "login" }, { prompt: "login", max_age: "0" }],
    [{ prompt: "select_account" }, { prompt: "select_account" }],
    [{}, {}],
  ] as Record<string, string>[][])("is asked for at the provider: %p", async (asked, told) => {
    const agent = await throughProvider(authorizationOf(server, await newClient(server), asked).url);
    const { prompt, max_age } = provider.authorization;
    expect({ ...(prompt && { prompt }), ...(max_age && { max_age }) }).toEqual(told as object);
    expect(agent.title).toBe("Allow Crew app?");
  });

  test.each([{ max_age: "60" }, { prompt: "login" }] as Record<string, string>[])(
    "is none where the provider's is older, or it doesn't say: %p",
    async (asked) => {
      const client = await newClient(server, { is_first_party: true });
      const { url } = authorizationOf(server, client, asked);
      provider.authTime = hours(24);
      expect((await throughProvider(url)).text).toContain("not_fresh");
      provider.authTime = null;
      provider.wrongs = { claims: { auth_time: null } };
      expect((await throughProvider(url)).text).toContain("not_fresh");
      provider.wrongs = {};
      expect((await throughProvider(url)).answer.code).toBeDefined();
    },
  );

  test("may be as old as the application lets it be, and is told as old as it is", async () => {
    const client = await newClient(server, { is_first_party: true });
    const { url, verifier } = authorizationOf(server, client, { max_age: "86400" });
    provider.authTime = hours(5);
    const { answer } = await throughProvider(url);
    const tokens = done(await exchange(server, client, answer.code ?? "", verifier));
    expect(claimsOf(tokens.id_token).auth_time).toBe(provider.authTime);
  });

  test("is refused before the way there where the client could not have asked for it", async () => {
    const client = await newClient(server);
    const { url } = authorizationOf(server, client, { redirect_uri: "https://evil.example/" });
    provider.asked = [];
    const step = await new Browser(server).begin("harbour", { request: new URL(url).search.slice(1) });
    expect([step.status, step.to, provider.asked]).toEqual([400, null, []]);
  });
});

describe("a browser that came by another name than the configured one", () => {
  test("is led to the configured one once, before it gets its cookie", async () => {
    const port = await freePort();
    const configured = await TestServer.start({
      settings: {
        ...provider.settings("harbour"),
        "server.port": String(port),
        "server.public_url": "https://fleet.example/boat",
      },
    });
    try {
      const begin = (query: string) =>
        fetch(`http://127.0.0.1:${port}/v1/auth/oidc/harbour?${query}`, { redirect: "manual" });
      const first = await begin("request=client_id%3Dx");
      expect([first.status, first.headers.get("location"), first.headers.get("set-cookie")]).toEqual([
        ...[303, "https://fleet.example/boat/v1/auth/oidc/harbour?request=client_id%3Dx&led=1", null],
      ]);
      // A proxy that hides the name leads to no loop.
      const second = new URL((await begin("led=1")).headers.get("location") ?? "");
      expect(second.searchParams.get("redirect_uri")).toBe(
        "https://fleet.example/boat/v1/auth/oidc/harbour/callback",
      );
    } finally {
      await configured.stop();
    }
  });
});
