import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Answer, Token } from "../../support/api";
import { commandLineKey } from "../../support/credentials";
import { auditRows } from "../../support/events";
import { expectInvalid, expectRefused, expectStatus, UNKNOWN } from "../../support/expectations";
import { type ExternalUser, externalUser, newUser, type User } from "../../support/people";
import { rows } from "../../support/rows";
import { TestServer } from "../../support/server";
import { accountsOf, accountsState, link } from "./support";

/** Platform accounts and the limits of unlinking them (rules A7 to A9, C5 and R3). */
let server: TestServer;
let superAdmin: Token;
/** A user who signs in with a password alone. */
let anna: User;
/** A user with all permissions who isn't a super admin. */
let boss: User;
beforeAll(async () => {
  server = await TestServer.start();
  superAdmin = await server.admin();
  [anna, boss] = await Promise.all([newUser(server), newUser(server, "role_admin")]);
});
afterAll(() => server.stop());

const list = (id: string, token: Token) => server.get(`/v1/users/${id}/accounts`, { token });
const makePrimary = (id: string, accountId: string, token: Token) =>
  server.put(`/v1/users/${id}/accounts/${accountId}/primary`, { token });
const unlink = (id: string, accountId: string, token: Token) =>
  server.delete(`/v1/users/${id}/accounts/${accountId}`, { token });
const primaryOf = async (id: string) =>
  (await server.get(`/v1/users/${id}`, { token: superAdmin })).body.data.primary_platform_account_id;
const slugsOf = async (id: string) =>
  (await accountsOf(server, id)).map((account: { platform_slug: string }) => account.platform_slug);
/** A user known by Discord, and a Twitch account beside it. */
async function withTwo(): Promise<ExternalUser & { second: string }> {
  const user = await externalUser(server);
  return { ...user, second: await link(server, user, "twitch") };
}

interface Case {
  name: string;
  permission: "users:read" | "users:write";
  request: (user: ExternalUser & { second: string }, token?: Token) => Promise<Answer>;
  status: number;
}
const cases: Case[] = [
  {
    name: "listing accounts",
    permission: "users:read",
    request: ({ id }, token) => server.get(`/v1/users/${id}/accounts`, token ? { token } : {}),
    status: 200,
  },
  {
    name: "making an account primary",
    permission: "users:write",
    request: ({ id, second }, token) =>
      server.put(`/v1/users/${id}/accounts/${second}/primary`, token ? { token } : {}),
    status: 200,
  },
  {
    name: "unlinking an account",
    permission: "users:write",
    request: ({ id, second }, token) =>
      server.delete(`/v1/users/${id}/accounts/${second}`, token ? { token } : {}),
    status: 204,
  },
];

describe.each(cases)("$name", ({ permission, request, status }) => {
  test("is refused to strangers, to other users and to keys without the permission, and changes nothing", async () => {
    const user = await withTwo();
    const ownKey = (await commandLineKey(server, { owner: user.username, scopes: ["*:*"] })).key;
    const otherPermission = permission === "users:read" ? "users:write" : "users:read";
    const key = await server.key(otherPermission, "two_factor:*");
    const before = accountsState(server);
    expectRefused(await request(user), 401, "Unauthorized");
    expectRefused(await request(user, `ses_${"x".repeat(43)}`), 401, "Unauthorized");
    for (const token of [anna.token, ownKey, key])
      expectRefused(await request(user, token), 403, "Forbidden");
    expect(accountsState(server)).toEqual(before);
  });

  test("is open to the user's own session, also by the identifier in upper case", async () => {
    const user = await withTwo();
    const shouted = { ...user, id: user.id.toUpperCase(), second: user.second.toUpperCase() };
    expect((await request(shouted, user.token)).status).toBe(status);
  });

  test("is open to whoever holds the permission, and to a system key", async () => {
    const key = await server.key(permission, "two_factor:*");
    for (const token of [superAdmin, boss.token, server.systemKey, key])
      expect((await request(await withTwo(), token)).status).toBe(status);
  });

  test("answers 400 for a malformed and 404 for an unknown user", async () => {
    const user = await withTwo();
    expectInvalid(await request({ ...user, id: "not-me" }, superAdmin), "/id");
    expectRefused(await request({ ...user, id: UNKNOWN }, superAdmin), 404, "NotFound");
  });
});

describe.each(cases.slice(1))("$name", ({ request }) => {
  test("answers 400 for a malformed account, 404 for an unknown one and for somebody else's", async () => {
    const [user, other] = await Promise.all([withTwo(), withTwo()]);
    const before = accountsState(server);
    for (const token of [user.token, superAdmin]) {
      expectInvalid(await request({ ...user, second: "discord" }, token), "/account_id");
      for (const second of [UNKNOWN, other.second, other.accountId])
        expectRefused(await request({ ...user, second }, token), 404, "NotFound");
    }
    expect(accountsState(server)).toEqual(before);
  });

  test("is refused to a caller who may do less than the user, and changes nothing", async () => {
    const user = await withTwo();
    await server.post(`/v1/users/${user.id}/roles`, { token: superAdmin, body: { role_id: "role_admin" } });
    const key = await server.key("users:write", "two_factor:*");
    const before = accountsState(server);
    expectRefused(await request(user, key), 403, "Forbidden");
    expect(accountsState(server)).toEqual(before);
    await server.post(`/v1/users/${user.id}/roles`, {
      token: superAdmin,
      body: { role_id: "role_super_admin" },
    });
    const after = accountsState(server);
    expectRefused(await request(user, boss.token), 403, "Forbidden");
    expect(accountsState(server)).toEqual(after);
  });

  test("answers 404 for a deleted user, and changes nothing", async () => {
    const user = await withTwo();
    expectStatus(await server.delete(`/v1/users/${user.id}`, { token: superAdmin }), 204);
    const before = accountsState(server);
    expectRefused(await request(user, superAdmin), 404, "NotFound");
    expect(accountsState(server)).toEqual(before);
  });
});

describe("GET /v1/users/{id}/accounts", () => {
  test("shows each account with exactly the fields of the specification, newest first", async () => {
    const user = await externalUser(server, { name: "Ben", image: "https://cdn.example.org/ben.png" });
    const second = await link(server, user, "twitch");
    const { status, body } = await list(user.id, user.token);
    expect([status, body._links]).toEqual([200, { self: `/v1/users/${user.id}/accounts` }]);
    const [twitch, discord] = body.data;
    expect(body.data).toHaveLength(2);
    expect(twitch).toMatchObject({ id: second, platform_slug: "twitch", is_primary: false });
    const platform = (await server.get("/v1/platforms/discord")).body.data;
    expect(discord).toEqual({
      id: user.accountId,
      platform_id: platform.id,
      platform_name: "Discord",
      platform_slug: "discord",
      platform_user_id: user.providerId,
      is_oauth: true,
      is_primary: true,
      username: "Ben",
      email: user.email,
      avatar_url: "https://cdn.example.org/ben.png",
      created_at: expect.stringMatching(/Z$/),
      updated_at: discord.created_at,
    });
  });

  test("shows the email account under its address", async () => {
    const { body } = await list(anna.id, anna.token);
    expect(body.data).toMatchObject([
      {
        platform_slug: "email",
        platform_name: "Email",
        platform_user_id: anna.email,
        is_oauth: false,
        is_primary: true,
        username: anna.username,
        email: anna.email,
        avatar_url: null,
      },
    ]);
  });

  test("shows those of a deleted user", async () => {
    const user = await externalUser(server);
    await server.delete(`/v1/users/${user.id}`, { token: superAdmin });
    expect(await slugsOf(user.id)).toEqual(["discord"]);
  });
});

describe("PUT /v1/users/{id}/accounts/{account_id}/primary", () => {
  test("answers the account, which stands for the user from now on", async () => {
    const user = await withTwo();
    const { status, body } = await makePrimary(user.id, user.second, user.token);
    expect(status).toBe(200);
    expect(body._links).toEqual({ self: `/v1/users/${user.id}/accounts/${user.second}` });
    const [twitch, discord] = await accountsOf(server, user.id);
    expect(body.data).toEqual(twitch);
    expect(twitch).toMatchObject({ id: user.second, platform_slug: "twitch", is_primary: true });
    expect(discord).toMatchObject({ id: user.accountId, is_primary: false });
    expect(await primaryOf(user.id)).toBe(user.second);
    const profile = (await server.get(`/v1/users/${user.id}/profile`, { token: user.token })).body;
    expect(profile).toMatchObject({
      display_name: twitch.username,
      picture: twitch.avatar_url,
      primary_provider: "twitch",
    });
  });

  test("leaves user_updated in the audit log, with who did it, and no second one for the same account", async () => {
    const user = await withTwo();
    const before = auditRows(server, user.id).length;
    await makePrimary(user.id, user.second, user.token);
    await makePrimary(user.id, user.second, user.token);
    await makePrimary(user.id, user.accountId, boss.token);
    const events = auditRows(server, user.id).slice(before);
    expect(events).toMatchObject([
      { event_type: "user_updated", user_id: user.id, actor_id: null, resource_type: "user" },
      { event_type: "user_updated", user_id: user.id, actor_id: boss.id, resource_type: "user" },
    ]);
    expect(events.map(({ metadata }) => JSON.parse(metadata ?? "null"))).toEqual([
      { changed: ["primary_platform_account_id"] },
      { changed: ["primary_platform_account_id"] },
    ]);
  });

  test("answers the primary account unchanged when it is asked for again", async () => {
    const user = await withTwo();
    const before = accountsState(server);
    const { status, body } = await makePrimary(user.id, user.accountId, user.token);
    expect([status, body.data.is_primary]).toEqual([200, true]);
    expect(accountsState(server)).toEqual(before);
  });
});

describe("DELETE /v1/users/{id}/accounts/{account_id}", () => {
  test("removes the account, so that it is unknown from now on", async () => {
    const user = await withTwo();
    const { status, body } = await unlink(user.id, user.second, user.token);
    expect([status, body]).toEqual([204, null]);
    expect(await slugsOf(user.id)).toEqual(["discord"]);
    expectRefused(await unlink(user.id, user.second, user.token), 404, "NotFound");
    expect((await server.get("/v1/users/me", { token: user.token })).status).toBe(200);
  });

  test("leaves account_unlinked in the audit log, with the platform and who did it", async () => {
    const [own, other] = await Promise.all([withTwo(), withTwo()]);
    await unlink(own.id, own.second, own.token);
    await unlink(other.id, other.second, boss.token);
    const [last, ...more] = auditRows(server, own.second).filter(
      (row) => row.event_type === "account_unlinked",
    );
    expect(more).toEqual([]);
    expect(last).toMatchObject({
      user_id: own.id,
      actor_id: null,
      resource_type: "platform_account",
      ip_address: "127.0.0.1",
      status: "success",
    });
    expect(JSON.parse(last?.metadata ?? "null")).toEqual({ platform: "twitch" });
    expect(auditRows(server, other.second).at(-1)).toMatchObject({
      event_type: "account_unlinked",
      user_id: other.id,
      actor_id: boss.id,
    });
  });

  test("refuses the email account, primary or not, and changes nothing", async () => {
    const user = await newUser(server);
    const other = await link(server, user, "twitch");
    const email = await primaryOf(user.id);
    for (const primary of [email, other]) {
      await makePrimary(user.id, primary, user.token);
      const before = accountsState(server);
      for (const token of [user.token, superAdmin]) {
        const answer = await unlink(user.id, email, token);
        expectRefused(answer, 409, "Conflict");
        expect(answer.body.message).toContain("email account");
      }
      expect(accountsState(server)).toEqual(before);
    }
    expectStatus(await unlink(user.id, await link(server, user, "google"), user.token), 204);
  });

  test("refuses the last remaining account, and changes nothing", async () => {
    const user = await externalUser(server);
    const before = accountsState(server);
    for (const token of [user.token, superAdmin]) {
      const answer = await unlink(user.id, user.accountId, token);
      expectRefused(answer, 409, "Conflict");
      expect(answer.body.message).toContain("last");
    }
    expect(accountsState(server)).toEqual(before);
  });

  test("refuses the primary account until another one is primary", async () => {
    const user = await withTwo();
    const before = accountsState(server);
    const answer = await unlink(user.id, user.accountId, user.token);
    expectRefused(answer, 409, "Conflict");
    expect(answer.body.message).toContain("primary");
    expect(accountsState(server)).toEqual(before);
    await makePrimary(user.id, user.second, user.token);
    expect((await unlink(user.id, user.accountId, user.token)).status).toBe(204);
    expect(await slugsOf(user.id)).toEqual(["twitch"]);
  });
});

describe("at the same time", () => {
  /** Whichever request comes first, the primary account is one that exists. */
  const expectWhole = (id: string) =>
    expect(
      rows(
        server,
        `SELECT u.id FROM users u JOIN platform_accounts a ON a.id = u.primary_platform_account_id AND a.user_id = u.id
         WHERE u.id = ?`,
        id,
      ),
    ).toHaveLength(1);

  test.each([true, false])(
    "of unlinking an account and making it primary, one is refused (%#)",
    async (unlinkFirst) => {
      const user = await withTwo();
      const steps = [
        () => unlink(user.id, user.second, user.token),
        () => makePrimary(user.id, user.second, user.token),
      ];
      const answers = await Promise.all((unlinkFirst ? steps : steps.reverse()).map((step) => step()));
      const statuses = answers.map(({ status }) => status).sort();
      // Unlinked first: the other request finds it gone. Primary first: it can't be unlinked any more.
      expect([
        [204, 404],
        [200, 409],
      ]).toContainEqual(statuses);
      expectWhole(user.id);
    },
  );

  test("an account is unlinked once", async () => {
    const user = await withTwo();
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => unlink(user.id, user.second, user.token)),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([204, ...Array(7).fill(404)]);
    const events = auditRows(server, user.second).filter((row) => row.event_type === "account_unlinked");
    expect(events).toHaveLength(1);
  });

  test("all accounts are asked to go, and the primary one stays", async () => {
    const user = await withTwo();
    const third = await link(server, user, "google");
    const all = [user.second, user.accountId, third];
    const answers = await Promise.all(all.map((account) => unlink(user.id, account, user.token)));
    expect(answers.map(({ status }) => status)).toEqual([204, 409, 204]);
    expect(await slugsOf(user.id)).toEqual(["discord"]);
    expectWhole(user.id);
  });
});
