import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { done } from "../../support/expectations";
import { externalUser } from "../../support/people";
import { rows } from "../../support/rows";
import { TestServer } from "../../support/server";
import { Agent } from "./agent";
import { authorizationOf, codeFor, errorOf, exchange, newClient, refresh, type TestClient } from "./support";

/** Parallel requests for what counts once: one wins, and since the others are a second use, all of the sign-in ends. */
let server: TestServer;
let client: TestClient;
beforeAll(async () => {
  server = await TestServer.start();
  client = await newClient(server);
});
afterAll(() => server.stop());

const AT_ONCE = 8;
const times = <T>(make: () => Promise<T>): Promise<T[]> => Promise.all(Array.from({ length: AT_ONCE }, make));
const member = async () => (await externalUser(server)).token;
const grants = (client_id: string) =>
  rows<{ n: number }>(server, "SELECT count(*) AS n FROM oauth_grants WHERE client_id = ?", client_id)[0]?.n;

describe("of parallel requests", () => {
  test("with one code, one gets tokens, and they end", async () => {
    const { code, verifier } = await codeFor(server, client, await member(), {
      scope: "profile offline_access",
    });
    const answers = await times(() => exchange(server, client, code, verifier));
    const won = answers.filter(({ status }) => status === 200);
    expect(won).toHaveLength(1);
    for (const answer of answers)
      if (answer.status !== 200) expect(errorOf(answer)).toEqual([400, "invalid_grant"]);
    const { access_token, refresh_token } = won[0]?.body ?? {};
    expect((await server.get("/v1/users/me", { token: access_token })).status).toBe(401);
    expect(errorOf(await refresh(server, client, refresh_token))).toEqual([400, "invalid_grant"]);
  });

  test("with one refresh token, one gets the next, and all of the family ends", async () => {
    const { code, verifier } = await codeFor(server, client, await member(), {
      scope: "profile offline_access",
    });
    const tokens = done(await exchange(server, client, code, verifier));
    const answers = await times(() => refresh(server, client, tokens.refresh_token));
    const won = answers.filter(({ status }) => status === 200);
    expect(won).toHaveLength(1);
    for (const { access_token } of [tokens, won[0]?.body ?? {}])
      expect((await server.get("/v1/users/me", { token: access_token })).status).toBe(401);
    const again = await refresh(server, client, won[0]?.body.refresh_token);
    expect(errorOf(again)).toEqual([400, "invalid_grant"]);
  });

  test("for a first consent, all are for one and the same", async () => {
    const user = await externalUser(server);
    const agents = await times(async () => {
      const agent = Agent.signedIn(server, user.token);
      await agent.open(authorizationOf(server, client).url);
      return agent;
    });
    await Promise.all(agents.map((agent) => agent.submit({ decision: "allow" })));
    for (const { answer } of agents) expect(answer.code).toStartWith("flc_");
    const consents = rows(server, "SELECT id FROM oauth_consents WHERE user_id = ?", user.id);
    expect(consents).toHaveLength(1);
  });

  test("for the tokens of a client that acts for itself, all are of one grant", async () => {
    const acting = await newClient(server, {}, { approved: ["gps:read"] });
    const form = new URLSearchParams({
      grant_type: "client_credentials",
      client_id: acting.id,
      client_secret: acting.secret ?? "",
    });
    const answers = await times(() =>
      fetch(`${server.url}/oauth/token`, { method: "POST", body: form }).then((answer) => answer.status),
    );
    expect(answers).toEqual(Array(AT_ONCE).fill(200));
    expect(grants(acting.id)).toBe(1);
  });

  test("a code that races the end of its consent gives tokens that end with it", async () => {
    const user = await externalUser(server);
    const { code, verifier } = await codeFor(server, client, user.token, { scope: "profile" });
    const { data } = done(await server.get("/v1/users/me/consents", { token: user.token }));
    const [answer, revoked] = await Promise.all([
      exchange(server, client, code, verifier),
      server.delete(`/v1/users/me/consents/${data[0].id}`, { token: user.token }),
    ]);
    expect(revoked.status).toBe(204);
    if (answer.status === 200)
      expect((await server.get("/v1/users/me", { token: answer.body.access_token })).status).toBe(401);
    else expect(errorOf(answer)).toEqual([400, "invalid_grant"]);
  });
});
