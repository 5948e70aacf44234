import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Token } from "../../support/api";
import { commandLineKey, isAccepted, signsIn } from "../../support/credentials";
import { auditRows, changesOf, eventsOf } from "../../support/events";
import {
  expectInvalid,
  expectKept,
  expectPermission,
  expectRefused,
  UNKNOWN,
} from "../../support/expectations";
import { newestMail } from "../../support/mail";
import {
  externalLogin,
  externalUser,
  newUser,
  readUser,
  signInExternally,
  staff,
  type User,
} from "../../support/people";
import { rows } from "../../support/rows";
import { ADMIN, TestServer } from "../../support/server";
import { accountsOf, accountsState, link } from "../accounts/support";

/**
 * Users and profiles (rules H1 to H9, C5, A7 and A10). Roles: roles.test.ts; access by self:
 * tests/identity/access/self.test.ts; external sign-in: tests/identity/accounts/external-login.test.ts.
 */
const PATH = "/v1/users";

let server: TestServer;
let admin: Token;
let user: User;
beforeAll(async () => {
  server = await TestServer.start();
  admin = await server.admin();
  user = await newUser(server);
});
afterAll(() => server.stop());

const pathOf = (id: string, rest = "") => `${PATH}/${id}${rest}`;
const get = (path: string, token = admin) => server.get(path, { token });
const patch = (path: string, body: object, token = admin) => server.patch(path, { token, body });

const stored = () => accountsState(server);

describe("GET /v1/users/{id}", () => {
  test("answers a user in an envelope with exactly the fields of the specification", async () => {
    const { id, username } = await newUser(server);
    const { status, headers, body } = await get(pathOf(id));
    expect(status).toBe(200);
    expect(headers.get("cache-control")).toBe("no-store");
    expect(body._links).toEqual({ self: pathOf(id) });
    const { created_at, updated_at, last_login_at, primary_platform_account_id, ...rest } = body.data;
    expect(rest).toEqual({
      id,
      username,
      deleted_at: null,
      privacy_mode: false,
      preferred_locale: null,
      avatars_enabled: true,
    });
    const [account] = await accountsOf(server, id);
    expect(primary_platform_account_id).toBe(account.id);
    expect(updated_at).toBe(created_at);
    expect(Date.parse(last_login_at)).toBeGreaterThanOrEqual(Date.parse(created_at));
  });

  test("has no last_login_at before the first sign-in", async () => {
    const [row] = rows<{ id: string }>(server, "SELECT id FROM users WHERE username = ?", ADMIN.username);
    expect((await readUser(server, row?.id ?? "")).last_login_at).not.toBeNull();
    const fresh = await TestServer.start();
    try {
      const { body } = await fresh.get(PATH, { token: fresh.systemKey });
      expect(body.data).toMatchObject([{ username: ADMIN.username, last_login_at: null }]);
    } finally {
      await fresh.stop();
    }
  });

  test("takes the identifier in upper case", async () => {
    const { body } = await get(pathOf(user.id.toUpperCase()));
    expect(body.data.id).toBe(user.id);
  });

  test.each(["", "/profile", "/permissions", "/roles"])(
    "%s answers 404 to an unknown user and 400 to a malformed identifier",
    async (rest) => {
      expectRefused(await get(pathOf(UNKNOWN, rest)), 404, "NotFound");
      expectInvalid(await get(pathOf("skipper", rest)), "/id");
    },
  );
});

describe("GET /v1/users/me", () => {
  test("answers a session its user", async () => {
    const { status, body } = await get(`${PATH}/me`, user.token);
    expect(status).toBe(200);
    const { email, roles, permissions, ...rest } = body.data;
    expect(rest).toEqual(await readUser(server, user.id));
    expect(body._links).toEqual({ self: `${PATH}/me` });
  });

  test("tells address, roles, and what the credential may do", async () => {
    const { body } = await get(`${PATH}/me`, user.token);
    const { permissions } = (await get(`${PATH}/${user.id}/permissions`, user.token)).body;
    const [{ email }] = rows<{ email: string }>(
      server,
      "SELECT email FROM platform_accounts WHERE user_id = ?",
      user.id,
    ) as [{ email: string }];
    expect(email).toContain("@");
    expect(body.data).toMatchObject({ email, roles: ["role_user"], permissions });
    expect(permissions).not.toBeEmpty();
    const [permission] = permissions;
    const { key } = await commandLineKey(server, { owner: user.username, scopes: [permission] });
    expect((await get(`${PATH}/me`, key)).body.data).toMatchObject({ email, permissions: [permission] });
    const none = await commandLineKey(server, { owner: user.username, scopes: [] });
    expect((await get(`${PATH}/me`, none.key)).body.data.permissions).toEqual([]);
    expect((await get(`${PATH}/me`)).body.data).toMatchObject({ permissions: ["*:*"] });
  });

  test("answers an API key its owner, whatever its scopes", async () => {
    const { key } = await commandLineKey(server, { owner: user.username, scopes: [] });
    expect((await get(`${PATH}/me`, key)).body.data.id).toBe(user.id);
    const owned = await commandLineKey(server, { owner: user.username, system: true });
    expect((await get(`${PATH}/me`, owned.key)).body.data.id).toBe(user.id);
  });

  test("answers 400 to a system key that belongs to nobody, and 401 to a stranger", async () => {
    expectRefused(await get(`${PATH}/me`, server.systemKey), 400, "BadRequest");
    expectRefused(await server.get(`${PATH}/me`), 401, "Unauthorized");
  });
});

describe("GET /v1/users/{id}/profile", () => {
  test("answers exactly the fields of the specification, without an envelope", async () => {
    const { status, body } = await get(pathOf(user.id, "/profile"));
    const { created_at, last_login_at } = await readUser(server, user.id);
    expect(status).toBe(200);
    expect(body).toEqual({
      name: user.username,
      display_name: user.username,
      picture: null,
      provider: "email",
      primary_provider: "email",
      last_login_at,
      created_at,
      privacy_mode: false,
      avatars_enabled: true,
    });
  });

  test("shows name and picture of the primary platform, and where the user signed in last", async () => {
    const body = externalLogin({ name: "Käpt’n Blaubär", image: "https://cdn.example.org/b.png" });
    const { id, username } = await signInExternally(server, body);
    const profile = async () => (await get(pathOf(id, "/profile"))).body;
    expect(await profile()).toMatchObject({
      name: username,
      display_name: "Käpt’n Blaubär",
      picture: "https://cdn.example.org/b.png",
      provider: "discord",
      primary_provider: "discord",
    });
    await link(server, { id, email: body.email }, "twitch");
    expect(await profile()).toMatchObject({ provider: "twitch", primary_provider: "discord" });
  });
});

describe("GET /v1/users", () => {
  const usernames = (body: { data: { username: string }[] }) => body.data.map(({ username }) => username);

  test("pages through all users, newest first, with links", async () => {
    const fresh = await TestServer.start();
    try {
      const names = [ADMIN.username];
      const signUp = (name: string) =>
        fresh.post(`${PATH}/oauth`, {
          token: fresh.systemKey,
          body: { email: null, name, oauthProvider: "discord", oauthProviderId: name },
        });
      for (let number = 1; number <= 24; number++) {
        expect((await signUp(`crew_${number}`)).status).toBe(200);
        names.unshift(`crew_${number}`);
      }
      const read = async (query: string) => (await fresh.get(PATH + query, { token: fresh.systemKey })).body;
      const first = await read("");
      expect(usernames(first)).toEqual(names.slice(0, 20));
      expect(first.pagination).toEqual({ page: 1, limit: 20, total: 25, total_pages: 2 });
      expect(first._links).toEqual({
        self: `${PATH}?page=1&limit=20`,
        first: `${PATH}?page=1&limit=20`,
        last: `${PATH}?page=2&limit=20`,
        next: `${PATH}?page=2&limit=20`,
      });
      const middle = await read("?page=3&limit=7");
      expect(usernames(middle)).toEqual(names.slice(14, 21));
      expect(middle._links).toMatchObject({
        prev: `${PATH}?page=2&limit=7`,
        next: `${PATH}?page=4&limit=7`,
        last: `${PATH}?page=4&limit=7`,
      });
      const last = await read("?page=4&limit=7");
      expect(usernames(last)).toEqual(names.slice(21));
      expect(last._links.next).toBeUndefined();
      const beyond = await read("?page=9&limit=7");
      expect(beyond).toMatchObject({ data: [], pagination: { page: 9, total: 25, total_pages: 4 } });
      const most = await read("?limit=5000");
      expect(most.pagination.limit).toBe(100);
      expect(usernames(most)).toEqual(names);
    } finally {
      await fresh.stop();
    }
  });

  test("shows each user as GET /v1/users/{id} does, deleted ones too", async () => {
    const gone = await externalUser(server);
    expect((await server.delete(pathOf(gone.id), { token: admin })).status).toBe(204);
    const { body } = await get(`${PATH}?limit=1`);
    expect(body.data).toEqual([await readUser(server, gone.id)]);
    expect(body.data[0].deleted_at).not.toBeNull();
  });

  test.each(["page=0", "page=-1", "page=x", "page=1.5", "limit=0", "limit=ten", "limit="])(
    "refuses %s",
    async (query) => {
      expectInvalid(await get(`${PATH}?${query}`), `/${query.split("=")[0]}`);
    },
  );

  test("needs users:read, of a session and of a key", async () => {
    await expectPermission(server, "users:read", 200, (token) =>
      server.get(PATH, { ...(token && { token }) }),
    );
    expectRefused(await get(PATH, user.token), 403, "Forbidden");
    const reader = await staff(server, "users:read");
    expect((await get(PATH, reader.token)).status).toBe(200);
  });
});

describe("PATCH /v1/users/{id}", () => {
  test("changes the fields that are sent and no others, and answers the user", async () => {
    const { id, token } = await externalUser(server);
    const before = await readUser(server, id);
    const { status, body } = await patch(pathOf(id), { privacy_mode: true }, token);
    expect(status).toBe(200);
    expect(body._links).toEqual({ self: pathOf(id) });
    const { updated_at, ...rest } = body.data;
    expect(rest).toEqual({ ...before, privacy_mode: true, updated_at: undefined });
    expect(Date.parse(updated_at)).toBeGreaterThanOrEqual(Date.parse(before.updated_at));
    expect(await readUser(server, id)).toEqual(body.data);
    expect((await get(pathOf(id, "/profile"))).body.privacy_mode).toBe(true);
    expect(changesOf(server, id)).toEqual([["privacy_mode"]]);
  });

  test("writes into the audit log which fields changed and who did it, and no value", async () => {
    const { id, email } = await newUser(server);
    const clerk = await staff(server, "users:write");
    const change = {
      username: "Blackbeard",
      email: "Blackbeard@Example.net",
      avatar_url: "https://cdn.example.org/black.png",
      privacy_mode: true,
    };
    const { status, body } = await server.patch(pathOf(id), {
      token: clerk.token,
      body: change,
      headers: { "user-agent": "the back office" },
    });
    expect(status).toBe(200);
    expect(body.data).toMatchObject({ username: "blackbeard", privacy_mode: true });
    const events = eventsOf(server, id, "user_updated");
    expect(events.flatMap(({ metadata }) => metadata.changed).sort()).toEqual(Object.keys(change).sort());
    for (const event of events)
      expect(event).toMatchObject({
        actor_id: clerk.id,
        resource_type: "user",
        resource_id: id,
        status: "success",
        ip_address: "127.0.0.1",
        user_agent: "the back office",
      });
    const written = JSON.stringify(events).toLowerCase();
    for (const secret of ["blackbeard", "black.png", email]) expect(written).not.toContain(secret);
  });

  test("notes no actor where users change themselves", async () => {
    const { id, token } = await externalUser(server);
    await patch(pathOf(id), { privacy_mode: true }, token);
    expect(eventsOf(server, id, "user_updated")).toMatchObject([{ actor_id: null }]);
  });

  test("changes and writes nothing when nothing is sent, or nothing new, or nothing known", async () => {
    const { id, username, token } = await externalUser(server);
    const before = await readUser(server, id);
    for (const body of [
      {},
      { username },
      { username: username.toUpperCase() },
      { privacy_mode: false, avatars_enabled: true },
      { nickname: "Salty", id: UNKNOWN, deleted_at: "2026-01-01T00:00:00Z", created_at: null },
    ])
      await expectKept(stored, async () => {
        const answer = await patch(pathOf(id), body, token);
        expect([answer.status, answer.body.data]).toEqual([200, before]);
      });
  });

  test.each([
    ["a username that is too short", { username: "ab" }, "/username"],
    ["a username that is too long", { username: "a".repeat(31) }, "/username"],
    ["a username with other characters", { username: "jörg" }, "/username"],
    ["a username with a space", { username: "sea dog" }, "/username"],
    ["a username with a line break", { username: "seadog\n" }, "/username"],
    ["no username", { username: null }, "/username"],
    ["an address that is none", { email: "nobody" }, "/email"],
    ["no address", { email: null }, "/email"],
    ["an avatar that is no URL", { avatar_url: "cat.png" }, "/avatar_url"],
    ["an avatar that is a script", { avatar_url: "javascript:alert(1)" }, "/avatar_url"],
    ["a privacy mode that is no boolean", { privacy_mode: "true" }, "/privacy_mode"],
    ["a privacy mode of null", { privacy_mode: null }, "/privacy_mode"],
    ["an avatar switch that is no boolean", { avatars_enabled: 0 }, "/avatars_enabled"],
  ])("refuses %s, and changes nothing of the rest either", async (_, body, path) => {
    await expectKept(stored, async () => {
      expectInvalid(await patch(pathOf(user.id), { privacy_mode: true, ...body }), path);
    });
  });

  test("refuses a body that is none", async () => {
    await expectKept(stored, async () => {
      expect((await server.patch(pathOf(user.id), { token: admin })).status).toBe(400);
      expectInvalid(await server.patch(pathOf(user.id), { token: admin, body: [] }), "/");
    });
  });

  test("refuses a name and an address in use as a whole", async () => {
    const taken = await newUser(server);
    for (const body of [
      { privacy_mode: true, username: taken.username },
      { privacy_mode: true, username: taken.username.toUpperCase() },
      { privacy_mode: true, email: taken.email },
      { username: "not_taken", email: taken.email.toUpperCase() },
    ])
      await expectKept(stored, async () => {
        expectRefused(await patch(pathOf(user.id), body), 409, "Conflict");
      });
  });

  test("refuses an address that another platform vouches for", async () => {
    const { email } = await externalUser(server);
    await expectKept(stored, async () => {
      expectRefused(await patch(pathOf(user.id), { email }), 409, "Conflict");
    });
  });

  test("answers 404 to an unknown and to a deleted user", async () => {
    const { id } = await externalUser(server);
    expect((await server.delete(pathOf(id), { token: admin })).status).toBe(204);
    await expectKept(stored, async () => {
      for (const which of [UNKNOWN, id]) {
        expectRefused(await patch(pathOf(which), { privacy_mode: true }), 404, "NotFound");
        expectRefused(await patch(pathOf(which, "/locale"), { locale: "de" }), 404, "NotFound");
        expectRefused(await patch(pathOf(which, "/username"), { username: "ghost" }), 404, "NotFound");
      }
    });
  });

  describe("email", () => {
    test("takes effect at once with users:write, and in lower case", async () => {
      const { id, email, password } = await newUser(server);
      const { status } = await patch(pathOf(id), { email: "Captain.Nemo@Nautilus.example" });
      expect(status).toBe(200);
      expect(await accountsOf(server, id)).toMatchObject([
        { email: "captain.nemo@nautilus.example", platform_user_id: "captain.nemo@nautilus.example" },
      ]);
      expect(await signsIn(server, "captain.nemo@nautilus.example", password)).toBe(true);
      expect(await signsIn(server, email, password)).toBe(false);
      expect(changesOf(server, id)).toEqual([["email"]]);
      // No email was sent, and no change is pending.
      expect((await get(pathOf(id, "/email/pending"))).body.pending).toBe(false);
    });

    test("of oneself takes effect at once as well with users:write", async () => {
      const clerk = await staff(server, "users:write");
      expect((await patch(pathOf(clerk.id), { email: "clerk@new.example" }, clerk.token)).status).toBe(200);
      expect(await signsIn(server, "clerk@new.example", clerk.password)).toBe(true);
    });

    test("of oneself without it starts the verified change and answers the unchanged user", async () => {
      const { id, email, password, token } = await newUser(server);
      const before = await readUser(server, id);
      const { status, body } = await patch(pathOf(id), { email: "New.One@Example.net" }, token);
      expect(status).toBe(200);
      expect(body.data).toEqual(before);
      expect((await get(pathOf(id, "/email/pending"), token)).body).toMatchObject({
        pending: true,
        new_email: "new.one@example.net",
      });
      expect(await signsIn(server, email, password)).toBe(true);
      expect(await signsIn(server, "new.one@example.net", password)).toBe(false);
    });

    test("beside other fields changes these at once", async () => {
      const { id, token } = await newUser(server);
      const body = { email: "later@example.net", privacy_mode: true };
      expect((await patch(pathOf(id), body, token)).body.data.privacy_mode).toBe(true);
      expect((await get(pathOf(id, "/email/pending"), token)).body.pending).toBe(true);
      expect((await accountsOf(server, id))[0].email).not.toBe("later@example.net");
    });

    test("that is the present one is no change", async () => {
      const { id, email, token } = await newUser(server);
      for (const credential of [token, admin])
        await expectKept(stored, async () => {
          expect((await patch(pathOf(id), { email: email.toUpperCase() }, credential)).status).toBe(200);
        });
      expect((await patch(pathOf(id), { email, privacy_mode: true }, token)).body.data.privacy_mode).toBe(
        true,
      );
      expect((await get(pathOf(id, "/email/pending"), token)).body.pending).toBe(false);
    });

    test("of an account that wasn't created with one is refused", async () => {
      const { id, token } = await externalUser(server);
      for (const credential of [admin, token])
        await expectKept(stored, async () => {
          const body = { email: "first@example.net", privacy_mode: true };
          expectRefused(await patch(pathOf(id), body, credential), 400, "BadRequest");
        });
    });
  });

  describe("avatars", () => {
    const picture = "https://cdn.example.org/me.png";

    test("avatar_url goes to the primary platform account, and null clears it", async () => {
      const { id, token, email, accountId } = await externalUser(server);
      await link(server, { id, email }, "twitch");
      const pictures = async () =>
        new Map(
          (await accountsOf(server, id)).map((account: { id: string; avatar_url: string | null }) => [
            account.id === accountId ? "primary" : "other",
            account.avatar_url,
          ]),
        );
      const other = (await pictures()).get("other");
      expect((await patch(pathOf(id), { avatar_url: picture }, token)).status).toBe(200);
      expect(await pictures()).toEqual(
        new Map([
          ["primary", picture],
          ["other", other],
        ]),
      );
      expect((await get(pathOf(id, "/profile"))).body.picture).toBe(picture);
      expect((await patch(pathOf(id), { avatar_url: null }, token)).status).toBe(200);
      expect((await pictures()).get("primary")).toBeNull();
      expect(changesOf(server, id)).toEqual([["avatar_url"], ["avatar_url"]]);
      await expectKept(stored, async () => {
        expect((await patch(pathOf(id), { avatar_url: null }, token)).status).toBe(200);
      });
    });

    test("switched off removes all pictures, and sign-ins bring none back", async () => {
      const body = externalLogin();
      const { id } = await signInExternally(server, body);
      await link(server, { id, email: body.email }, "twitch");
      const pictures = async () =>
        (await accountsOf(server, id)).map((account: { avatar_url: string | null }) => account.avatar_url);
      expect(await pictures()).not.toContain(null);
      const { status, body: answer } = await patch(pathOf(id), { avatars_enabled: false });
      expect([status, answer.data.avatars_enabled]).toEqual([200, false]);
      expect(await pictures()).toEqual([null, null]);
      expect((await get(pathOf(id, "/profile"))).body).toMatchObject({
        picture: null,
        avatars_enabled: false,
      });
      await signInExternally(server, { ...body, image: picture });
      await link(server, { id, email: body.email }, "google");
      expect(await pictures()).toEqual([null, null, null]);
      await expectKept(stored, async () => {
        expectInvalid(await patch(pathOf(id), { avatar_url: picture }), "/avatar_url");
      });

      expect((await patch(pathOf(id), { avatars_enabled: true })).status).toBe(200);
      await signInExternally(server, { ...body, image: picture });
      expect((await get(pathOf(id, "/profile"))).body.picture).toBe(picture);
    });
  });
});

describe("PATCH /v1/users/{id}/username", () => {
  const rename = (id: string, username: unknown, token = admin) =>
    patch(pathOf(id, "/username"), { username }, token);

  test("changes the name, which signs in from then on, and the old one no longer", async () => {
    const { id, token, username, password } = await newUser(server);
    const { status, body } = await rename(id, "Long_John_3", token);
    expect(status).toBe(200);
    expect(body._links).toEqual({ self: pathOf(id) });
    expect(body.data).toMatchObject({ id, username: "long_john_3" });
    expect(await readUser(server, id)).toEqual(body.data);
    expect(await signsIn(server, "LONG_JOHN_3", password)).toBe(true);
    expect(await signsIn(server, username, password)).toBe(false);
    expect(await isAccepted(server, token)).toBe(true);
    expect(changesOf(server, id)).toEqual([["username"]]);
  });

  test.each(["abc", "a".repeat(30), "A_1", "___", "123"])("takes %s", async (name) => {
    const { id } = await externalUser(server);
    expect((await rename(id, name)).body.data.username).toBe(name.toLowerCase());
  });

  test.each([
    "ab",
    "a".repeat(31),
    "",
    "a-b",
    "a b",
    "a.b",
    "müller",
    "abc\n",
    " abc",
    "a@b.c",
    "аbc",
    123,
    null,
  ])("refuses %j", async (name) => {
    await expectKept(stored, async () => expectInvalid(await rename(user.id, name), "/username"));
  });

  test("refuses a missing name", async () => {
    await expectKept(stored, async () =>
      expectInvalid(await patch(pathOf(user.id, "/username"), {}), "/username"),
    );
  });

  test("refuses a name that is taken, in any case, by a deleted user too", async () => {
    const taken = await newUser(server);
    const gone = await externalUser(server);
    expect((await server.delete(pathOf(gone.id), { token: admin })).status).toBe(204);
    await expectKept(stored, async () => {
      for (const name of [taken.username, taken.username.toUpperCase(), gone.username])
        expectRefused(await rename(user.id, name), 409, "Conflict");
    });
  });

  test("refuses a name that a registration reserves, which can be completed still", async () => {
    const email = "in-time@example.net";
    const registration = { email, username: "waited_for", password: "a long passphrase" };
    expect((await server.post("/v1/auth/register", { body: registration })).status).toBe(200);
    const { id } = await externalUser(server);
    await expectKept(stored, async () => {
      expectRefused(await rename(id, "Waited_For"), 409, "Conflict");
      expectRefused(await patch(pathOf(id), { username: "waited_for" }), 409, "Conflict");
    });
    const { token } = await newestMail(server, email);
    const { status, body } = await server.post("/v1/auth/register/verify", { body: { token } });
    expect([status, body.username]).toEqual([201, "waited_for"]);
  });

  test("frees the old name", async () => {
    const [first, second] = [await externalUser(server), await externalUser(server)];
    expect((await rename(first.id, "moved_on")).status).toBe(200);
    expect((await rename(second.id, first.username)).body.data.username).toBe(first.username);
  });

  test("lets one of many have a name that all want at once", async () => {
    const people = await Promise.all([1, 2, 3, 4, 5].map(() => externalUser(server)));
    const answers = await Promise.all(people.map(({ id, token }) => rename(id, "Highlander", token)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409]);
    const winner = people[answers.findIndex(({ status }) => status === 200)];
    for (const { id, username } of people)
      expect((await readUser(server, id)).username).toBe(id === winner?.id ? "highlander" : username);
    expect(people.flatMap(({ id }) => changesOf(server, id))).toEqual([["username"]]);
  });
});

describe("PATCH /v1/users/{id}/locale", () => {
  const choose = (id: string, locale: unknown, token = admin) =>
    patch(pathOf(id, "/locale"), { locale }, token);

  test("chooses a supported locale, and null clears the choice", async () => {
    const { id, token } = await newUser(server);
    for (const locale of ["de", "en", null]) {
      const { status, body } = await choose(id, locale, token);
      expect(status).toBe(200);
      expect(body.data).toMatchObject({ id, preferred_locale: locale });
      expect(await readUser(server, id)).toEqual(body.data);
    }
    expect(changesOf(server, id)).toEqual([["preferred_locale"], ["preferred_locale"], ["preferred_locale"]]);
    expect((await choose(id, null, token)).status).toBe(200);
    expect(changesOf(server, id)).toHaveLength(3);
  });

  test("is told at the next sign-in", async () => {
    const { id, username, password } = await newUser(server);
    await choose(id, "de");
    const { body } = await server.post("/v1/auth/login", { body: { identifier: username, password } });
    expect(body.preferred_locale).toBe("de");
  });

  test.each(["fr", "DE", "de-AT", "", "xx", 1, true])("refuses %j", async (locale) => {
    await expectKept(stored, async () => expectInvalid(await choose(user.id, locale), "/locale"));
  });

  test("refuses a missing locale", async () => {
    await expectKept(stored, async () =>
      expectInvalid(await patch(pathOf(user.id, "/locale"), {}), "/locale"),
    );
  });

  test("knows the locales of the configuration alone", async () => {
    const german = await TestServer.start({ settings: { "email.supported_locales": "de" } });
    try {
      const token = await german.admin();
      const { id } = (await german.get(`${PATH}/me`, { token })).body.data;
      const path = pathOf(id, "/locale");
      expect((await german.patch(path, { token, body: { locale: "de" } })).status).toBe(200);
      expectInvalid(await german.patch(path, { token, body: { locale: "en" } }), "/locale");
    } finally {
      await german.stop();
    }
  });
});

describe("DELETE /v1/users/{id}", () => {
  test("deletes softly: the record stays, and sessions and keys end at once", async () => {
    const leaver = await newUser(server);
    const { key, id: keyId } = await commandLineKey(server, { owner: leaver.username });
    expect(await isAccepted(server, key)).toBe(true);
    const before = await readUser(server, leaver.id);
    const { status, body } = await server.delete(pathOf(leaver.id), { token: admin });
    expect(status).toBe(204);
    expect(body).toBeNull();
    const { deleted_at, updated_at, ...rest } = await readUser(server, leaver.id);
    expect(rest).toEqual({ ...before, deleted_at: undefined, updated_at: undefined });
    expect(Date.parse(deleted_at)).toBeGreaterThanOrEqual(Date.parse(before.created_at));
    expect(updated_at).toBe(deleted_at);
    expect(await isAccepted(server, leaver.token)).toBe(false);
    expect(await isAccepted(server, key)).toBe(false);
    expect(await signsIn(server, leaver.username, leaver.password)).toBe(false);
    expect(eventsOf(server, leaver.id, "user_deleted")).toHaveLength(1);
    expect(auditRows(server, keyId).map((row) => row.event_type)).toContain("api_key_revoked");
  });

  test("answers 404 to an unknown user and to one who is deleted already", async () => {
    const { id } = await externalUser(server);
    expect((await server.delete(pathOf(id), { token: admin })).status).toBe(204);
    await expectKept(stored, async () => {
      for (const which of [id, UNKNOWN])
        expectRefused(await server.delete(pathOf(which), { token: admin }), 404, "NotFound");
      expectInvalid(await server.delete(pathOf("not-me"), { token: admin }), "/id");
    });
  });

  test("needs users:delete, on the own account too", async () => {
    await expectKept(stored, async () => {
      expectRefused(await server.delete(pathOf(user.id), { token: user.token }), 403, "Forbidden");
    });
    const { id } = await externalUser(server);
    await expectPermission(server, "users:delete", 204, (token) =>
      server.delete(pathOf(id), { ...(token && { token }) }),
    );
  });

  test("keeps the last super admin", async () => {
    const { id } = (await get(`${PATH}/me`)).body.data;
    await expectKept(stored, async () => {
      expectRefused(await server.delete(pathOf(id), { token: admin }), 409, "Conflict");
    });
    expect(await isAccepted(server, admin)).toBe(true);
  });
});
