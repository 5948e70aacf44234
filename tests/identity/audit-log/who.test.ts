import { afterAll, beforeAll, expect, test } from "bun:test";
import { exported } from "../../personal-data/export/support";
import { auditRows } from "../../support/events";
import { done } from "../../support/expectations";
import { externalUser } from "../../support/people";
import { rows } from "../../support/rows";
import { TestServer } from "../../support/server";

/** An event names its actor. Its user learns who that is, but not the actor's address and agent. */
let server: TestServer;
beforeAll(async () => {
  server = await TestServer.start();
});
afterAll(() => server.stop());

const HERS = "Admins own browser/1.0";

test.each([
  ["REST", "/v1/auth/logout", undefined],
  ["GraphQL", "/v1/graphql", { query: "mutation { logout }" }],
])(
  "of six requests at once that sign out by %s with one token, one leaves an event",
  async (_, path, body) => {
    const { id, token } = await externalUser(server);
    await Promise.all(Array.from({ length: 6 }, () => server.post(path, { token, body })));
    const written = auditRows(server).filter((row) => row.user_id === id && row.event_type === "logout");
    expect(written).toHaveLength(1);
  },
);

test("what an API key does names the key, also where nobody owns it", async () => {
  const [{ id }, key] = [await externalUser(server), server.systemKey];
  done(await server.post(`/v1/users/${id}/ban`, { token: key, body: {} }));
  const [{ id: keyId } = { id: "" }] = rows<{ id: string }>(
    server,
    "SELECT id FROM api_keys WHERE key_prefix = ?",
    key.slice(0, 12),
  );
  const written = auditRows(server).filter((row) => row.user_id === id);
  const banned = written.filter(({ event_type }) => /banned|revoked/.test(event_type));
  expect(banned.map(({ metadata }) => JSON.parse(metadata ?? "{}").api_key)).toEqual([keyId, keyId]);
  for (const { metadata } of written.filter((row) => !banned.includes(row)))
    expect(JSON.parse(metadata ?? "{}").api_key).toBeUndefined();
});

test("a user learns who did something to the account, but not from where; whoever did it, both", async () => {
  const admin = await server.admin();
  const { id, token } = await externalUser(server);
  done(
    await server.post(`/v1/users/${id}/roles`, {
      token: admin,
      body: { role_id: "role_moderator" },
      headers: { "user-agent": HERS },
    }),
  );
  const own = done(await server.get("/v1/users/me/audit?event_type=role_assigned", { token })).events;
  expect(own).toHaveLength(1);
  expect(own[0]).toMatchObject({ ip_address: null, user_agent: null, country_code: null, city: null });
  expect(own[0].actor_id).toBeString();
  const seen = done(await server.get(`/v1/users/${id}/audit?event_type=role_assigned`, { token: admin }));
  expect(seen.events[0]).toMatchObject({ user_agent: HERS, ip_address: "127.0.0.1" });

  const theirs = (await exported(server, token)).files;
  expect(theirs["data.json"].toString()).not.toContain(HERS);
  const actions = JSON.parse((await exported(server, admin)).files["data.json"].toString()).auditActions;
  expect(actions).toContainEqual(
    expect.objectContaining({ eventType: "role_assigned", userId: id, userAgent: HERS }),
  );
});
