import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Agent } from "../../identity/oauth/agent";
import { authorizationOf, newClient, type TestClient } from "../../identity/oauth/support";
import { newHolder, originOf, requestOptions, withPasskey } from "../../identity/passkeys/support";
import { challenge, guarded } from "../../identity/two-factor/support";
import type { Spoiled } from "../../support/authenticator";
import { done } from "../../support/expectations";
import { TestServer } from "../../support/server";

/** Passkeys on the pages of a sign-in to an application, as forms: a browser's part is in tests/bridge/page/passkeys.test.ts. */

let server: TestServer;
let client: TestClient;
let holder: Awaited<ReturnType<typeof newHolder>>;
beforeAll(async () => {
  server = await TestServer.start();
  client = await newClient(server, { is_first_party: true });
  holder = await newHolder(server);
});
afterAll(() => server.stop());

const opened = async (): Promise<Agent> => {
  const agent = new Agent(server);
  await agent.open(authorizationOf(server, client).url);
  return agent;
};

const send = (agent: Agent, fields: Record<string, string>, door = "passkey", headers = {}) => {
  const { request = "" } = agent.form.fields;
  return agent.ask("POST", `${server.url}/oauth/${door}`, { form: { request, ...fields }, headers });
};

const answered = async (spoiled: Spoiled = {}): Promise<string> =>
  JSON.stringify(await holder.authenticator.get(await requestOptions(server), spoiled));

describe("the page", () => {
  test("has a form for a passkey, and a challenge, where it is opened at an origin of passkeys alone", async () => {
    const { search } = new URL(authorizationOf(server, client).url);
    const page = async (base: string) => (await fetch(`${base}/oauth/continue${search}`)).text();
    const [there, elsewhere] = [await page(originOf(server)), await page(server.url)];
    expect(there).toMatch(/<form class="way" method="post" action="passkey" data-passkey="[^"]+" hidden>/);
    expect(there).toContain('<script type="module" src="passkey.js"></script>');
    expect(elsewhere).not.toContain("passkey");
  });

  test("loads a script of its own, which asks nobody", async () => {
    const script = await fetch(`${server.url}/oauth/passkey.js`);
    expect(script.headers.get("content-type")).toStartWith("text/javascript");
    expect(await script.text()).not.toContain("fetch");
  });
});

describe("a passkey in the form", () => {
  test("signs in, keeps the session in the cookie, and ends the one before", async () => {
    const agent = await opened();
    const shown = await send(agent, { credential: await answered(), stay: "1" });
    expect(shown.status).toBe(200);
    expect(agent.cookies.get("fairlead_session")).toStartWith("ses_");
    expect(shown.headers.get("set-cookie")).toContain("Max-Age=");
    expect(shown.html).toContain('http-equiv="refresh"');
    expect(shown.html).not.toContain("ses_");
  });

  test.each([
    ["of another key", () => answered({ foreignKey: true })],
    ["without a verified user", () => answered({ isVerified: false })],
    ["that is no JSON", async () => "{"],
    ["that is something else", async () => "[]"],
    ["that is left out", async () => ""],
  ])("%s is refused on the page, which asks again", async (_, credential) => {
    const agent = await opened();
    const shown = await send(agent, { credential: await credential() });
    expect(shown.status).toBe(401);
    expect(shown.html).toContain("The passkey was not accepted. Try again, or choose another way.");
    expect(agent.cookies.size).toBe(0);
    expect(shown.html).toContain('action="sign-in"');
  });

  test("from a page of another site is refused", async () => {
    const agent = await opened();
    const origin = { origin: "https://evil.example" };
    const shown = await send(agent, { credential: await answered() }, "passkey", origin);
    expect(shown.status).toBe(403);
    expect(agent.cookies.size).toBe(0);
  });

  test("completes a sign-in with a password; one that isn't accepted leads back to the code", async () => {
    const user = await withPasskey(server, await guarded(server));
    const temp_token = await challenge(server, user);
    const answer = async (spoiled: Spoiled = {}) => {
      const body = { temp_token };
      const { public_key } = done(await server.post("/v1/auth/2fa/passkey/options", { body }));
      return JSON.stringify(await user.authenticator.get(public_key, spoiled));
    };
    const agent = await opened();
    const wrong = await send(
      agent,
      { temp_token, credential: await answer({ foreignKey: true }) },
      "passkey-code",
    );
    expect(wrong.status).toBe(401);
    expect(wrong.html).toContain("The passkey was not accepted.");
    expect(wrong.html).toContain('action="code"');
    const right = await send(agent, { temp_token, credential: await answer() }, "passkey-code");
    expect(right.status).toBe(200);
    expect(agent.cookies.get("fairlead_session")).toStartWith("ses_");
  });
});
