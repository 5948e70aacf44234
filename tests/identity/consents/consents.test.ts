import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { done, expectRefused, UNKNOWN } from "../../support/expectations";
import { externalUser } from "../../support/people";
import { rows } from "../../support/rows";
import { TestServer } from "../../support/server";
import { Client } from "../../support/socket";
import { newClient, type TestClient, tokensFor } from "../oauth/support";

/** Consents: kept, listed, taken back, told, exported, and gone with the account. */
const PATH = "/v1/users/me/consents";

let server: TestServer;
let client: TestClient;
beforeAll(async () => {
  server = await TestServer.start();
  client = await newClient(server, { homepage_url: "https://app.example/" }, { approved: ["gps:read"] });
});
afterAll(() => server.stop());

const list = async (token: string) => done(await server.get(PATH, { token }));

const events = (userId: string) =>
  rows<{ event_type: string; resource_id: string; metadata: string }>(
    server,
    "SELECT event_type, resource_id, metadata FROM audit_events WHERE user_id = ? AND event_type LIKE 'consent%' ORDER BY rowid",
    userId,
  ).map(({ metadata, ...row }) => ({ ...row, metadata: JSON.parse(metadata) }));

describe("a consent", () => {
  test("is listed with its application, and with the time of its last use", async () => {
    const user = await externalUser(server);
    expect(await list(user.token)).toMatchObject({ data: [], pagination: { total: 0 } });
    const { access_token } = await tokensFor(server, client, user.token, "openid profile gps:read");
    const { data, pagination } = await list(user.token);
    expect(pagination.total).toBe(1);
    expect(data[0]).toEqual({
      id: expect.any(String),
      client: {
        id: client.id,
        name: "Crew app",
        homepage_url: "https://app.example/",
        privacy_policy_url: null,
        is_first_party: false,
        is_active: true,
      },
      scopes: ["openid", "profile", "gps:read"],
      last_used_at: null,
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
    await server.get("/v1/users/me", { token: access_token });
    expect((await list(user.token)).data[0].last_used_at).toBeString();
  });

  test("grows with what is agreed to, in one event each", async () => {
    const user = await externalUser(server);
    await tokensFor(server, client, user.token, "openid");
    await tokensFor(server, client, user.token, "openid email");
    await tokensFor(server, client, user.token, "openid");
    const { data } = await list(user.token);
    expect(data.map(({ scopes }: { scopes: string[] }) => scopes)).toEqual([["openid", "email"]]);
    expect(events(user.id)).toEqual(
      [["openid"], ["openid", "email"]].map((scopes) => ({
        event_type: "consent_granted",
        resource_id: client.id,
        metadata: { name: "Crew app", scopes, by: "user" },
      })),
    );
  });

  test("that is taken back is told, to the user alone, and audited", async () => {
    const user = await externalUser(server);
    const stranger = await Client.open(server, { token: (await externalUser(server)).token });
    const socket = await Client.open(server, { token: user.token });
    await tokensFor(server, client, user.token);
    const [{ id }] = (await list(user.token)).data;
    const { status } = await server.delete(`${PATH}/${id}`, { token: user.token });
    expect(status).toBe(204);
    expect(await socket.next()).toEqual({
      type: "oauthConsentRevoked",
      userId: user.id,
      clientId: client.id,
      timestamp: expect.any(String),
    });
    expect(await stranger.heard()).toEqual([]);
    expect(events(user.id).at(-1)).toEqual({
      event_type: "consent_revoked",
      resource_id: client.id,
      metadata: { scopes: ["openid"] },
    });
    expect((await list(user.token)).data).toEqual([]);
    expectRefused(await server.delete(`${PATH}/${id}`, { token: user.token }), 404, "NotFound");
    await Promise.all([socket.close(), stranger.close()]);
  });

  test("is its user's alone, in a session", async () => {
    const user = await externalUser(server);
    const other = await externalUser(server);
    const { access_token } = await tokensFor(server, client, user.token);
    const [{ id }] = (await list(user.token)).data;
    expectRefused(await server.delete(`${PATH}/${id}`, { token: other.token }), 404, "NotFound");
    expectRefused(await server.delete(`${PATH}/${UNKNOWN}`, { token: user.token }), 404, "NotFound");
    for (const token of [access_token, await server.key("*:*"), server.systemKey]) {
      expectRefused(await server.get(PATH, { token }), 401, "Unauthorized");
      expectRefused(await server.delete(`${PATH}/${id}`, { token }), 401, "Unauthorized");
    }
    expect((await list(user.token)).data).toHaveLength(1);
  });

  test("is listed in pages, newest first", async () => {
    const user = await externalUser(server);
    const names = ["First", "Second", "Third"];
    for (const name of names) await tokensFor(server, await newClient(server, { name }), user.token);
    const page = async (query: string) =>
      done(await server.get(`${PATH}?${query}`, { token: user.token })).data.map(
        (consent: { client: { name: string } }) => consent.client.name,
      );
    expect(await page("limit=2")).toEqual(["Third", "Second"]);
    expect(await page("limit=2&page=2")).toEqual(["First"]);
  });

  test("goes with its client, and with the account: nothing of either is left", async () => {
    const user = await externalUser(server);
    const own = await newClient(server);
    await tokensFor(server, own, user.token, "openid offline_access");
    await tokensFor(server, client, user.token, "openid offline_access");
    done(await server.delete(`/v1/oauth/clients/${own.id}`, { token: await server.admin() }));
    expect((await list(user.token)).data).toHaveLength(1);
    const body = { reason: "asked for" };
    const path = `/v1/admin/users/${user.id}/force-delete`;
    done(await server.post(path, { token: await server.admin(), body }));
    for (const table of ["oauth_consents", "oauth_grants"])
      expect(rows(server, `SELECT id FROM ${table} WHERE user_id = ?`, user.id)).toEqual([]);
    for (const table of ["oauth_codes", "oauth_access_tokens", "oauth_refresh_tokens"])
      expect(
        rows(server, `SELECT grant_id FROM ${table} WHERE grant_id NOT IN (SELECT id FROM oauth_grants)`),
      ).toEqual([]);
  });
});
