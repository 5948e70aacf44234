import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { usernameCandidates } from "../../../src/identity/accounts/username";
import { commandLineKey } from "../../support/credentials";
import { type AuditRow, eventsAbout } from "../../support/events";
import { expectInvalid, expectRefused, expectStatus } from "../../support/expectations";
import { externalLogin, externalUser, newUser, signInExternally, upsert } from "../../support/people";
import { rows } from "../../support/rows";
import { TestServer } from "../../support/server";
import { accountsOf, accountsState } from "./support";

/**
 * POST `/v1/users/oauth`: users who signed in elsewhere (rules A9 and H8). A platform that is off:
 * tests/identity/platforms/platforms.test.ts.
 */
let server: TestServer;
beforeAll(async () => {
  server = await TestServer.start();
});
afterAll(() => server.stop());

interface UserRow {
  id: string;
  username: string;
  last_login_at: number | null;
  last_login_provider: string | null;
  avatars_enabled: number;
}
interface AccountRow {
  id: string;
  user_id: string;
  platform_user_id: string;
  username: string;
  email: string | null;
  email_verified: number;
  avatar_url: string | null;
  updated_at: number;
}

const userRow = (id: string) => rows<UserRow>(server, "SELECT * FROM users WHERE id = ?", id)[0];
const accountRow = (providerId: string) =>
  rows<AccountRow>(server, "SELECT * FROM platform_accounts WHERE platform_user_id = ?", providerId)[0];
const platformsOf = async (id: string) =>
  (await accountsOf(server, id)).map((account: { platform_slug: string }) => account.platform_slug);
const types = (events: AuditRow[]) => events.map((event) => event.event_type);
const metadataOf = (event: AuditRow | undefined) => JSON.parse(event?.metadata ?? "null");

/** Signs in, expects a refusal, and that it changed nothing. */
async function expectNothing(body: object, status: number, error: string): Promise<void> {
  const before = accountsState(server);
  expectRefused(await upsert(server, body), status, error);
  expect(accountsState(server)).toEqual(before);
}

describe("access", () => {
  test("is for system keys alone", async () => {
    const body = externalLogin();
    const user = await externalUser(server);
    const admin = await server.admin();
    const key = await commandLineKey(server, { owner: "admin", scopes: ["*:*"] });
    const before = accountsState(server);
    const post = (token?: string) => server.post("/v1/users/oauth", { ...(token && { token }), body });
    expectRefused(await post(), 401, "Unauthorized");
    expectRefused(await post(`flk_${"x".repeat(43)}`), 401, "Unauthorized");
    for (const token of [admin, user.token, key.key]) expectRefused(await post(token), 403, "Forbidden");
    expect(accountsState(server)).toEqual(before);
    const system = await commandLineKey(server, { system: true, owner: "admin" });
    expect((await post(system.key)).status).toBe(200);
  });
});

describe("input", () => {
  test("may leave out email, image and email_verified, or send email and image as null", async () => {
    const { name, oauthProvider, oauthProviderId } = externalLogin();
    const body = { name, oauthProvider, oauthProviderId };
    const first = await signInExternally(server, body);
    expect(first).toMatchObject({ email: null, avatar_url: null, platform: "discord" });
    expect((await signInExternally(server, { ...body, email: null, image: null })).id).toBe(first.id);
    const other = await signInExternally(server, externalLogin({ email: null, image: null }));
    expect(other).toMatchObject({ email: null, avatar_url: null });
    expect(other.id).not.toBe(first.id);
  });

  test.each([
    ["/name", { name: undefined }],
    ["/name", { name: "" }],
    ["/name", { name: "n".repeat(201) }],
    ["/name", { name: null }],
    ["/email", { email: "nobody" }],
    ["/email", { email: "" }],
    ["/email", { email: 7 }],
    ["/email", { email: `${"a".repeat(250)}@b.org` }],
    ["/oauthProvider", { oauthProvider: undefined }],
    ["/oauthProvider", { oauthProvider: "" }],
    ["/oauthProvider", { oauthProvider: "myspace" }],
    ["/oauthProvider", { oauthProvider: "Discord" }],
    ["/oauthProvider", { oauthProvider: "email" }],
    ["/oauthProviderId", { oauthProviderId: undefined }],
    ["/oauthProviderId", { oauthProviderId: "" }],
    ["/oauthProviderId", { oauthProviderId: 42 }],
    ["/oauthProviderId", { oauthProviderId: "i".repeat(256) }],
    ["/image", { image: "picture.png" }],
    ["/image", { image: "javascript:alert(1)" }],
    ["/image", { image: `https://example.org/${"i".repeat(2_048)}` }],
    ["/email_verified", { email_verified: "false" }],
    ["/email_verified", { email_verified: null }],
  ])("refuses a wrong %s and creates nothing (%#)", async (path, wrong) => {
    const before = accountsState(server);
    expectInvalid(await upsert(server, externalLogin(wrong)), path);
    expect(accountsState(server)).toEqual(before);
  });
});

describe("somebody new", () => {
  test("becomes a user with one account, the role User, and the time of the sign-in", async () => {
    const body = externalLogin({ name: "Jane Doe", email: "Jane.Doe@Example.org" });
    const before = Date.now();
    const { status, body: answer } = await upsert(server, body);
    const { id } = answer.data;
    expect(status).toBe(200);
    expect(answer).toEqual({
      data: {
        id,
        primary_platform_account_id: accountRow(body.oauthProviderId)?.id,
        username: "jane_doe",
        email: "jane.doe@example.org",
        avatar_url: body.image,
        platform: "discord",
        created_at: answer.data.updated_at,
        updated_at: expect.stringMatching(/Z$/),
        last_login_at: expect.stringMatching(/Z$/),
        privacy_mode: false,
        is_banned: false,
      },
      _links: { self: `/v1/users/${id}` },
    });
    expect(Date.parse(answer.data.last_login_at)).toBeGreaterThanOrEqual(before);
    expect(userRow(id)?.last_login_provider).toBe("discord");
    expect(await accountsOf(server, id)).toMatchObject([
      { platform_slug: "discord", username: "Jane Doe", email: "jane.doe@example.org", is_primary: true },
    ]);
    const roles = (await server.get(`/v1/users/${id}/roles`, { token: server.systemKey })).body.roles;
    expect(roles.map((role: { id: string }) => role.id)).toEqual(["role_user"]);
  });

  test("leaves user_created in the audit log, and nothing personal in it", async () => {
    const body = externalLogin();
    const { id } = await signInExternally(server, body);
    const events = eventsAbout(server, id);
    expect(types(events)).toEqual(["user_created"]);
    expect(events[0]).toMatchObject({ resource_type: "user", resource_id: id, ip_address: "127.0.0.1" });
    for (const personal of [body.email, body.name, body.oauthProviderId])
      expect(JSON.stringify(events)).not.toContain(personal);
  });

  test("is counted among the users", async () => {
    const count = async () =>
      (await server.get("/v1/users?limit=1", { token: server.systemKey })).body.pagination.total;
    const before = await count();
    const body = externalLogin();
    await signInExternally(server, body);
    await signInExternally(server, body);
    expect(await count()).toBe(before + 1);
  });

  test("is somebody else than who has the same identifier on another platform", async () => {
    const body = externalLogin({ email: null });
    const discord = await signInExternally(server, body);
    const twitch = await signInExternally(server, { ...body, oauthProvider: "twitch" });
    expect(twitch.id).not.toBe(discord.id);
    expect([discord.platform, twitch.platform]).toEqual(["discord", "twitch"]);
  });

  test("with an address that the platform doesn't vouch for keeps it, and isn't known by it", async () => {
    const body = externalLogin({ email_verified: false });
    const first = await signInExternally(server, body);
    expect(first.email).toBeNull();
    expect(accountRow(body.oauthProviderId)).toMatchObject({ email: body.email, email_verified: 0 });
    const second = await signInExternally(server, externalLogin({ email: body.email }));
    expect(second.id).not.toBe(first.id);
  });

  test("doesn't wait for a registration with the same address, which fails then", async () => {
    const body = externalLogin();
    const registration = { email: body.email, username: "pending_one", password: "a long password" };
    expectStatus(await server.post("/v1/auth/register", { body: registration }), 200);
    const { id } = await signInExternally(server, body);
    expect(await platformsOf(id)).toEqual(["discord"]);
    const again = { ...registration, username: "pending_two" };
    expectRefused(await server.post("/v1/auth/register", { body: again }), 409, "Conflict");
  });
});

describe("a known account", () => {
  test("is found again: no other user, no new event, only the time of the sign-in", async () => {
    const body = externalLogin();
    const { id } = await signInExternally(server, body);
    const before = accountsState(server);
    const earlier = userRow(id);
    // The clock has milliseconds.
    while (Date.now() <= (earlier?.last_login_at ?? 0)) await Bun.sleep(1);
    const answer = await signInExternally(server, { ...body, email: body.email.toUpperCase() });
    const later = userRow(id);
    expect(answer.id).toBe(id);
    expect(later?.last_login_at).toBeGreaterThan(earlier?.last_login_at ?? Number.POSITIVE_INFINITY);
    expect({ ...later, last_login_at: 0 }).toEqual({ ...earlier, last_login_at: 0 });
    const after = accountsState(server);
    expect([after.accounts, after.events]).toEqual([before.accounts, before.events]);
  });

  test.each([
    ["username", { name: "Another Name" }, "Another Name"],
    ["email", { email: "Another@Example.org" }, "another@example.org"],
    ["email_verified", { email_verified: false }, 0],
    ["avatar_url", { image: "https://cdn.example.org/another.png" }, "https://cdn.example.org/another.png"],
    ["avatar_url", { image: null }, null],
  ])("takes over a new %s, with one event (%#)", async (field, change, value) => {
    const body = externalLogin();
    const { id } = await signInExternally(server, body);
    const account = accountRow(body.oauthProviderId);
    const before = userRow(id);
    await signInExternally(server, { ...body, ...change });
    expect(accountRow(body.oauthProviderId)).toEqual({
      ...(account as AccountRow),
      [field]: value,
      updated_at: expect.any(Number),
    });
    expect(userRow(id)?.username).toBe(before?.username ?? "");
    const [created, updated, ...more] = eventsAbout(server, id);
    expect([created?.event_type, more]).toEqual(["user_created", []]);
    expect(updated).toMatchObject({
      event_type: "user_updated",
      resource_type: "platform_account",
      resource_id: account?.id,
    });
    expect(metadataOf(updated)).toEqual({ platform: "discord", changed: [field] });
  });

  test("shows the changed address and picture in the answer, and when", async () => {
    const body = externalLogin();
    const first = await signInExternally(server, body);
    const change = { email: `other-${body.email}`, image: "https://cdn.example.org/other.png" };
    const { status, body: answer } = await upsert(server, { ...body, ...change });
    expect(status).toBe(200);
    expect(answer.data).toMatchObject({ id: first.id, email: change.email, avatar_url: change.image });
    expect(Date.parse(answer.data.updated_at)).toBeGreaterThan(Date.parse(first.updated_at) - 1);
    expect(answer.data.created_at).toBe(first.created_at);
  });

  test("keeps address and picture when they are left out, and drops them when they are null", async () => {
    const { email, image, ...body } = externalLogin();
    await signInExternally(server, { ...body, email, image });
    await signInExternally(server, body);
    expect(accountRow(body.oauthProviderId)).toMatchObject({ email, email_verified: 1, avatar_url: image });
    await signInExternally(server, { ...body, email: null, image: null });
    expect(accountRow(body.oauthProviderId)).toMatchObject({
      email: null,
      email_verified: 0,
      avatar_url: null,
    });
    expect((await signInExternally(server, externalLogin({ email }))).email).toBe(email);
  });

  test("keeps its address when the new one belongs to somebody else, and is updated otherwise", async () => {
    const owner = await newUser(server);
    const body = externalLogin();
    const { id } = await signInExternally(server, body);
    for (const email_verified of [true, false]) {
      const name = `Renamed ${email_verified}`;
      const answer = await signInExternally(server, { ...body, name, email: owner.email, email_verified });
      expect(answer).toMatchObject({ id, email: body.email });
      expect(accountRow(body.oauthProviderId)).toMatchObject({
        user_id: id,
        username: name,
        email: body.email,
        email_verified: 1,
      });
      expect(metadataOf(eventsAbout(server, id).at(-1))).toEqual({
        platform: "discord",
        changed: ["username"],
      });
    }
    expect(await platformsOf(owner.id)).toEqual(["email"]);
    expect((await server.login(owner.email, owner.password)).user_id).toBe(owner.id);
  });

  test("takes over an address that another user holds without proof", async () => {
    const claimed = externalLogin({ email_verified: false });
    await signInExternally(server, claimed);
    const body = externalLogin();
    const { id } = await signInExternally(server, body);
    expect(await signInExternally(server, { ...body, email: claimed.email })).toMatchObject({
      id,
      email: claimed.email,
    });
    // The earlier claimant can't have the address any more, with or without a proof.
    await signInExternally(server, { ...claimed, email_verified: true });
    expect(accountRow(claimed.oauthProviderId)).toMatchObject({ email: claimed.email, email_verified: 0 });
    const path = `/v1/users/email/${encodeURIComponent(claimed.email)}`;
    expect((await server.get(path, { token: server.systemKey })).body.data.id).toBe(id);
  });

  test("gets no picture while the user keeps none", async () => {
    const body = externalLogin();
    const user = await externalUser(server, body);
    const change = { token: user.token, body: { avatars_enabled: false } };
    expectStatus(await server.patch(`/v1/users/${user.id}`, change), 200);
    expect(
      await signInExternally(server, { ...body, image: "https://cdn.example.org/new.png" }),
    ).toMatchObject({
      id: user.id,
      avatar_url: null,
    });
    await signInExternally(server, externalLogin({ email: user.email, oauthProvider: "twitch" }));
    const accounts = await accountsOf(server, user.id);
    expect(accounts.map((account: AccountRow) => account.avatar_url)).toEqual([null, null]);
    const back = { token: user.token, body: { avatars_enabled: true } };
    expectStatus(await server.patch(`/v1/users/${user.id}`, back), 200);
    expect((await signInExternally(server, body)).avatar_url).toBe(body.image);
  });
});

describe("an account with the address of a user", () => {
  test("is linked to that user, whose primary account stays", async () => {
    const user = await newUser(server);
    const body = externalLogin({ email: user.email.toUpperCase() });
    const before = Date.now();
    const answer = await signInExternally(server, body);
    expect(answer).toMatchObject({
      id: user.id,
      username: user.username,
      email: user.email,
      platform: "email",
      avatar_url: null,
    });
    expect(Date.parse(answer.last_login_at)).toBeGreaterThanOrEqual(before);
    expect(userRow(user.id)?.last_login_provider).toBe("discord");
    expect(await accountsOf(server, user.id)).toMatchObject([
      {
        platform_slug: "discord",
        platform_user_id: body.oauthProviderId,
        username: body.name,
        email: user.email,
        avatar_url: body.image,
        is_primary: false,
      },
      { platform_slug: "email", is_primary: true },
    ]);
    expect((await signInExternally(server, { ...body, email: null })).id).toBe(user.id);
  });

  test("leaves account_linked in the audit log, once", async () => {
    const user = await externalUser(server);
    const body = externalLogin({ email: user.email, oauthProvider: "twitch" });
    await signInExternally(server, body);
    await signInExternally(server, body);
    const events = eventsAbout(server, user.id).filter(({ event_type }) => event_type.startsWith("account_"));
    expect(events).toMatchObject([
      {
        event_type: "account_linked",
        resource_type: "platform_account",
        resource_id: accountRow(body.oauthProviderId)?.id,
        status: "success",
      },
    ]);
    expect(metadataOf(events[0])).toEqual({ platform: "twitch" });
  });

  test("is linked by the address of an external account as well", async () => {
    const first = externalLogin();
    const { id } = await signInExternally(server, first);
    expect(
      (await signInExternally(server, externalLogin({ email: first.email, oauthProvider: "github" }))).id,
    ).toBe(id);
    expect(await platformsOf(id)).toEqual(["github", "discord"]);
  });

  test("is refused when the platform doesn't vouch for the address, and links nothing", async () => {
    const user = await externalUser(server);
    await expectNothing(externalLogin({ email: user.email, email_verified: false }), 409, "Conflict");
    await expectNothing(
      externalLogin({ email: user.email.toUpperCase(), email_verified: false }),
      409,
      "Conflict",
    );
    expect(await platformsOf(user.id)).toEqual(["discord"]);
  });

  test("is refused when the user has another account on this platform, and links nothing", async () => {
    const user = await externalUser(server);
    await expectNothing(externalLogin({ email: user.email }), 409, "Conflict");
    await signInExternally(server, externalLogin({ email: user.email, oauthProvider: "twitch" }));
    await expectNothing(externalLogin({ email: user.email, oauthProvider: "twitch" }), 409, "Conflict");
    expect(await platformsOf(user.id)).toEqual(["twitch", "discord"]);
  });

  test("is linked while registration is off, and while a new user is refused", async () => {
    const token = server.systemKey;
    const set = (registration_enabled: boolean) =>
      server.patch("/v1/platforms/twitch/settings", { token, body: { registration_enabled } });
    const user = await externalUser(server);
    await set(false);
    try {
      const linked = await signInExternally(
        server,
        externalLogin({ email: user.email, oauthProvider: "twitch" }),
      );
      expect(linked.id).toBe(user.id);
      await expectNothing(externalLogin({ oauthProvider: "twitch" }), 400, "BadRequest");
    } finally {
      await set(true);
    }
  });
});

describe("registration switched off as a whole", () => {
  test("refuses a new user, and lets in who is known", async () => {
    const closed = await TestServer.start({ settings: { "registration.enabled": "false" } });
    const before = accountsState(closed);
    expectRefused(await upsert(closed, externalLogin()), 400, "BadRequest");
    expect(accountsState(closed)).toEqual(before);
    const body = externalLogin({ email: "admin@example.org" });
    expect((await signInExternally(closed, body)).username).toBe("admin");
    expect((await signInExternally(closed, body)).username).toBe("admin");
    await closed.stop();
  });
});

describe("a user who may not sign in", () => {
  test("for a ban is answered with is_banned, and hasn't signed in", async () => {
    const body = externalLogin();
    const user = await externalUser(server, body);
    const ban = { token: server.systemKey, body: { reason: "spam" } };
    expectStatus(await server.post(`/v1/users/${user.id}/ban`, ban), 200);
    const before = userRow(user.id);
    const linked = externalLogin({ email: body.email, oauthProvider: "twitch" });
    for (const attempt of [body, linked])
      expect(await signInExternally(server, attempt)).toMatchObject({ id: user.id, is_banned: true });
    expect(userRow(user.id)).toEqual(before as UserRow);
    expectStatus(await server.delete(`/v1/users/${user.id}/ban`, { token: server.systemKey }), 200);
    expect((await signInExternally(server, body)).is_banned).toBe(false);
  });

  test("for a deletion gets 403, and somebody else with that address 409: nothing changes", async () => {
    const body = externalLogin();
    const user = await externalUser(server, body);
    expectStatus(await server.delete(`/v1/users/${user.id}`, { token: server.systemKey }), 204);
    await expectNothing({ ...body, name: "Back again" }, 403, "Forbidden");
    await expectNothing(externalLogin({ email: body.email, oauthProvider: "twitch" }), 409, "Conflict");
    await expectNothing(externalLogin({ email: body.email, email_verified: false }), 409, "Conflict");
  });
});

describe("the address that the answer shows", () => {
  test("is one that a platform vouches for, when the primary account's isn't proved", async () => {
    const claimed = externalLogin({ email_verified: false });
    const { id } = await signInExternally(server, claimed);
    const proved = { ...claimed, email: `proved-${claimed.email}`, email_verified: true };
    expect(await signInExternally(server, proved)).toMatchObject({ id, email: proved.email });
    // The primary account loses its proof; the one on Twitch keeps it.
    await signInExternally(server, externalLogin({ email: proved.email, oauthProvider: "twitch" }));
    const unproved = { ...claimed, email: `unproved-${claimed.email}` };
    expect(await signInExternally(server, unproved)).toMatchObject({
      id,
      platform: "discord",
      email: proved.email,
    });
  });
});

describe("at the same time", () => {
  test("of many sign-ins of one new account, one creates the user", async () => {
    const body = externalLogin();
    const answers = await Promise.all(Array.from({ length: 20 }, () => signInExternally(server, body)));
    expect(new Set(answers.map(({ id }) => id)).size).toBe(1);
    expect(types(eventsAbout(server, answers[0].id))).toEqual(["user_created"]);
  });

  test("of new accounts with one address on several platforms, one creates the user and the others are linked", async () => {
    const { email } = externalLogin();
    const slugs = ["discord", "twitch", "google", "github", "youtube"];
    const answers = await Promise.all(
      slugs.map((oauthProvider) => signInExternally(server, externalLogin({ email, oauthProvider }))),
    );
    const ids = new Set(answers.map(({ id }) => id));
    expect(ids.size).toBe(1);
    const [id] = ids;
    expect((await platformsOf(id)).sort()).toEqual(slugs.sort());
    expect(types(eventsAbout(server, id)).sort()).toEqual([
      ...Array(4).fill("account_linked"),
      "user_created",
    ]);
  });

  test("people of one name get different usernames", async () => {
    const answers = await Promise.all(
      Array.from({ length: 15 }, () => signInExternally(server, externalLogin({ name: "Same Name" }))),
    );
    const names = answers.map(({ username }) => username);
    expect(new Set(names).size).toBe(15);
    expect(names.filter((name) => name === "same_name")).toHaveLength(1);
    for (const name of names) expect(name).toMatch(/^same_name(_\d+)?$/);
  });
});

describe("the username", () => {
  test.each([
    ["Skipper", "skipper"],
    ["Mary  Smith!", "mary_smith"],
    ["jörg.müller", "j_rg_m_ller"],
    ["_x_y_", "x_y"],
    ["Bo", "user_bo"],
    ["x".repeat(31), "x".repeat(30)],
    [`${"😀 ".repeat(60)}abc`, "abc"],
  ])("of %p is %p", async (name, username) => {
    expect((await signInExternally(server, externalLogin({ name }))).username).toBe(username);
  });

  test.each(["😀😀😀", "日本語", "___", "-", " "])(
    "of %p, which has nothing usable, is user_ and digits",
    async (name) => {
      expect((await signInExternally(server, externalLogin({ name }))).username).toMatch(/^user_\d{8}$/);
    },
  );

  test("gets a number where it is taken, and is never longer than 30", async () => {
    const name = "A Very Long Name That Goes On And On";
    const first = await signInExternally(server, externalLogin({ name }));
    const second = await signInExternally(server, externalLogin({ name }));
    expect(first.username).toBe("a_very_long_name_that_goes_on_");
    expect(second.username).toMatch(/^a_very_long_name_that_goes_o_\d$/);
  });

  test("leaves alone a name that a pending registration reserves", async () => {
    const registration = {
      email: "reserved@example.org",
      username: "Reserved_Name",
      password: "a long password",
    };
    expectStatus(await server.post("/v1/auth/register", { body: registration }), 200);
    expect((await signInExternally(server, externalLogin({ name: "Reserved Name" }))).username).toMatch(
      /^reserved_name_\d$/,
    );
  });

  test("leaves alone the name of a deleted user", async () => {
    const user = await externalUser(server, { name: "Gone for good" });
    expectStatus(await server.delete(`/v1/users/${user.id}`, { token: server.systemKey }), 204);
    expect((await signInExternally(server, externalLogin({ name: "Gone for good" }))).username).toMatch(
      /^gone_for_good_\d$/,
    );
  });

  test.each(["Skipper", "", "ab", "x".repeat(200), "ß", "İstanbul"])(
    "made of %p has 3 to 30 letters, digits and underscores at every try",
    (name) => {
      const candidates = usernameCandidates(name);
      const seen = Array.from({ length: 40 }, () => candidates.next().value);
      for (const username of seen) expect(username).toMatch(/^[a-z0-9_]{3,30}$/);
      expect(new Set(seen).size).toBeGreaterThan(30);
    },
  );
});
