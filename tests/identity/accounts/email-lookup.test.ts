import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Token } from "../../support/api";
import { commandLineKey, createKey } from "../../support/credentials";
import { expectInvalid, expectRefused, expectStatus } from "../../support/expectations";
import { externalLogin, externalUser, newUser, signInExternally, type User } from "../../support/people";
import { ADMIN, TestServer } from "../../support/server";
import { link } from "./support";

/** GET `/v1/users/email/{email}` (rules C5 and A9). */
let server: TestServer;
let anna: User;
let boss: User;
beforeAll(async () => {
  server = await TestServer.start();
  [anna, boss] = await Promise.all([newUser(server), newUser(server, "role_admin")]);
});
afterAll(() => server.stop());

const find = (address: string, token?: Token) =>
  server.get(`/v1/users/email/${encodeURIComponent(address)}`, token ? { token } : {});
const NOBODY = "nobody@example.org";

test("answers exactly the extended form of the user", async () => {
  const user = await externalUser(server, { image: "https://cdn.example.org/a.png" });
  const { status, body } = await find(user.email, server.systemKey);
  expect(status).toBe(200);
  expect(body).toEqual({
    data: {
      id: user.id,
      primary_platform_account_id: user.accountId,
      username: user.username,
      email: user.email,
      avatar_url: "https://cdn.example.org/a.png",
      platform: "discord",
      created_at: expect.stringMatching(/Z$/),
      updated_at: expect.stringMatching(/Z$/),
      last_login_at: expect.stringMatching(/Z$/),
      privacy_mode: false,
      is_banned: false,
    },
    _links: { self: `/v1/users/${user.id}` },
  });
});

describe("who may ask", () => {
  test("for any address: a system key, a super admin, and holders of users:read", async () => {
    const reader = await createKey(server, boss.token, ["users:read"]);
    const askers = [server.systemKey, await server.admin(), boss.token, reader.key];
    for (const token of askers) {
      expect((await find(anna.email, token)).body.data.id).toBe(anna.id);
      expectRefused(await find(NOBODY, token), 404, "NotFound");
    }
  });

  test("for the own address: a session, whichever account has the address", async () => {
    const user = await newUser(server);
    const own = externalLogin({ email: `second-${user.email}`, oauthProvider: "twitch" });
    await link(server, user, "discord");
    expect((await find(user.email, user.token)).body.data.id).toBe(user.id);
    // The account on Twitch is linked by the first address, and gets an address of its own there.
    await signInExternally(server, { ...own, email: user.email });
    await signInExternally(server, own);
    expect((await find(own.email, user.token)).body.data).toMatchObject({ id: user.id, email: user.email });
  });

  test("for another's address, or for one that nobody has, no user without users:read: both get the same 403", async () => {
    const answers = await Promise.all(
      [boss.email, ADMIN.email, NOBODY].map((address) => find(address, anna.token)),
    );
    for (const answer of answers) expectRefused(answer, 403, "Forbidden");
    expect(new Set(answers.map(({ body }) => body.message)).size).toBe(1);
  });

  test("for no address, not even the owner's: a user's key without users:read", async () => {
    // The key's scopes are as wide as can be; its owner's permissions narrow them.
    const { key } = await commandLineKey(server, { owner: anna.username, scopes: ["*:*"] });
    for (const address of [anna.email, boss.email, NOBODY])
      expectRefused(await find(address, key), 403, "Forbidden");
  });

  test("for no address: strangers", async () => {
    for (const address of [anna.email, NOBODY, "not an address"]) {
      expectRefused(await find(address), 401, "Unauthorized");
      expectRefused(await find(address, `ses_${"x".repeat(43)}`), 401, "Unauthorized");
    }
  });
});

describe("an address", () => {
  test("may be written in any case, and with characters that a URL encodes", async () => {
    expect((await find(anna.email.toUpperCase(), anna.token)).body.data.id).toBe(anna.id);
    const email = "o'brien+a/b#c?d%41&e@example.org";
    const user = await signInExternally(server, externalLogin({ email }));
    expect((await find(email, server.systemKey)).body.data).toMatchObject({ id: user.id, email });
    const plain = await server.get("/v1/users/email/o'brien+a%2Fb%23c%3Fd%2541&e@example.org", {
      token: server.systemKey,
    });
    expect(plain.body.data.id).toBe(user.id);
  });

  test.each([
    "nobody",
    "@example.org",
    "a b@example.org",
    "a@b@c",
    "a@example..org",
    `${"a".repeat(255)}@b.org`,
  ])("that is none, like %p, gets 400", async (address) => {
    for (const token of [server.systemKey, anna.token]) expectInvalid(await find(address, token), "/email");
  });

  test.each(["%", "%zz", "%C3%28@example.org"])("with the broken encoding %p gets 400", async (raw) => {
    const { status } = await server.get(`/v1/users/email/${raw}`, { token: server.systemKey });
    expect(status).toBe(400);
  });

  test("that no platform vouches for is nobody's, its holder's neither", async () => {
    const user = await externalUser(server, { email_verified: false });
    expectRefused(await find(user.email, server.systemKey), 404, "NotFound");
    expectRefused(await find(user.email, user.token), 403, "Forbidden");
  });

  test("that an account had before is unknown once the account has another", async () => {
    const body = externalLogin();
    const { id } = await signInExternally(server, body);
    await signInExternally(server, { ...body, email: `new-${body.email}` });
    expectRefused(await find(body.email, server.systemKey), 404, "NotFound");
    expect((await find(`new-${body.email}`, server.systemKey)).body.data.id).toBe(id);
  });

  test("of a banned user tells so, and that of a deleted user is still known", async () => {
    const token = await server.admin();
    const user = await externalUser(server);
    expectStatus(await server.post(`/v1/users/${user.id}/ban`, { token, body: {} }), 200);
    expect((await find(user.email, server.systemKey)).body.data).toMatchObject({
      id: user.id,
      is_banned: true,
    });
    expectStatus(await server.delete(`/v1/users/${user.id}`, { token }), 204);
    expect((await find(user.email, server.systemKey)).body.data.id).toBe(user.id);
  });
});
