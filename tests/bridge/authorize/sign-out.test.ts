import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Agent } from "../../identity/oauth/agent";
import { newClient, type TestClient, tokensFor } from "../../identity/oauth/support";
import { externalUser, openSession } from "../../support/people";
import { TestServer } from "../../support/server";

/** Sign-outs that an application asks for (RP-Initiated Logout 1.0). */
const BYE = "https://app.example/bye?from=fairlead";

let server: TestServer;
let client: TestClient;
beforeAll(async () => {
  server = await TestServer.start({ clock: "movable" });
  client = await newClient(server, { post_logout_redirect_uris: [BYE] });
});
afterAll(() => server.stop());

const address = (parameters: Record<string, string>) =>
  `${server.url}/oauth/logout?${new URLSearchParams(parameters)}`;

const isOpen = async (token: string) => (await server.get("/v1/users/me", { token })).status === 200;

describe("with the ID token of this very session", () => {
  test.each(["GET", "POST"] as const)("by %s it ends at once, and leads back", async (method) => {
    const { token } = await externalUser(server);
    const { id_token } = await tokensFor(server, client, token);
    const agent = Agent.signedIn(server, token);
    const parameters = { id_token_hint: id_token, post_logout_redirect_uri: BYE, state: "a b" };
    if (method === "GET") await agent.open(address(parameters));
    else await agent.post(`${server.url}/oauth/logout`, parameters);
    expect(agent.shown.url).toBe(`${BYE}&state=a+b`);
    expect([await isOpen(token), agent.cookies.size]).toEqual([false, 0]);
  });

  test("also when that has expired, and without an address it ends on a page", async () => {
    const { token } = await externalUser(server);
    const { id_token } = await tokensFor(server, client, token);
    await server.advance(60 * 60_000);
    const agent = Agent.signedIn(server, token);
    await agent.open(address({ id_token_hint: id_token }));
    expect([agent.title, await isOpen(token)]).toEqual(["You are signed out", false]);
    await agent.open(address({ id_token_hint: id_token }));
    expect(agent.text).toContain("Nobody is signed in in this browser.");
  });

  test("what lasts as long as the session ends with it, what is offline stays", async () => {
    const { token } = await externalUser(server);
    const bound = await tokensFor(server, client, token, "openid profile");
    const kept = await tokensFor(server, client, token, "openid profile offline_access");
    await Agent.signedIn(server, token).open(address({ id_token_hint: bound.id_token }));
    expect([await isOpen(bound.access_token), await isOpen(kept.access_token)]).toEqual([false, true]);
  });
});

describe("in any other case the user is asked", () => {
  test.each([
    ["without an ID token", async () => ({})],
    [
      "with one of another session of the user",
      async (id: string) => hintOf((await openSession(server, id)).token),
    ],
    ["with one of another user", async () => hintOf((await externalUser(server)).token)],
    ["with one that isn't", async () => ({ id_token_hint: "a.b.c" })],
  ])("%s", async (_, hint) => {
    const { id, token, username } = await externalUser(server);
    const agent = Agent.signedIn(server, token);
    await agent.open(address({ ...(await hint(id)) }));
    expect(agent.title).toBe("Sign out?");
    expect(agent.text).toContain(`You are signed in as ${username}.`);
    await agent.submit({ decision: "stay" });
    expect([agent.shown.url, await isOpen(token)]).toEqual([`${server.url}/`, true]);
    await agent.open(address({ ...(await hint(id)) }));
    await agent.submit({ decision: "leave" });
    expect([agent.title, await isOpen(token), agent.cookies.size]).toEqual(["You are signed out", false, 0]);
  });

  const hintOf = async (token: string) => ({
    id_token_hint: (await tokensFor(server, client, token)).id_token,
  });

  test("which client asks is told, and the way back is the one that it registered", async () => {
    const { token } = await externalUser(server);
    const agent = Agent.signedIn(server, token);
    await agent.open(address({ client_id: client.id, post_logout_redirect_uri: BYE }));
    expect(agent.text).toContain("Crew app asks you to sign out.");
    await agent.submit({ decision: "leave" });
    expect([agent.shown.url, await isOpen(token)]).toEqual([BYE, false]);
  });

  test("in German to whoever reads German", async () => {
    const agent = Agent.signedIn(server, (await externalUser(server)).token);
    await agent.open(address({ ui_locales: "de" }));
    expect(agent.title).toBe("Abmelden?");
  });
});
