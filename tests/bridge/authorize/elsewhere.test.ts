import { afterAll, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { Agent, unescaped } from "../../identity/oauth/agent";
import { authorizationOf, exchange, newClient } from "../../identity/oauth/support";
import { Browser, newAccount } from "../../identity/oidc/support";
import { guarded, nextCode } from "../../identity/two-factor/support";
import { OidcStandIn } from "../../stand-ins/oidc";
import { done } from "../../support/expectations";
import { freePort } from "../../support/program";
import { TestServer } from "../../support/server";

/** Sign-in to an application, by way of a provider: two servers' codes one after the other, in one browser. */

setDefaultTimeout(30_000);

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
