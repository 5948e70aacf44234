import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Token } from "../../support/api";
import { auditRows } from "../../support/events";
import { expectInvalid, expectPermission, expectRefused, UNKNOWN } from "../../support/expectations";
import { externalLogin, newUser, signInExternally, upsert } from "../../support/people";
import { rows } from "../../support/rows";
import { TestServer } from "../../support/server";

/** Platforms and their settings (rules A4, H1, H5 and H8). */
const PATH = "/v1/platforms";
const SLUGS = ["github", "google", "youtube", "twitch", "discord", "email"];

let server: TestServer;
let admin: Token;
beforeAll(async () => {
  server = await TestServer.start();
  admin = await server.admin();
});
afterAll(() => server.stop());

const read = async (slug: string) => (await server.get(`${PATH}/${slug}`)).body.data;
const turn = (slug: string, enabled: unknown, token = admin) =>
  server.patch(`${PATH}/${slug}/enabled`, { token, body: { enabled } });
const set = (slug: string, body: object, token = admin) =>
  server.patch(`${PATH}/${slug}/settings`, { token, body });
const stored = () => rows<{ slug: string }>(server, "SELECT * FROM platforms ORDER BY id");
const slugs = (list: { slug: string }[]) => list.map(({ slug }) => slug);
const eventsOf = async (slug: string) => auditRows(server, (await read(slug)).id);
const changesOf = async (slug: string) =>
  (await eventsOf(slug)).map(({ metadata }) => JSON.parse(metadata ?? "null"));

describe("GET /v1/platforms", () => {
  test("lists all platforms without a credential, newest first", async () => {
    const { status, body } = await server.get(PATH);
    expect(status).toBe(200);
    expect(body._links).toEqual({ self: PATH });
    expect(slugs(body.data)).toEqual(SLUGS);
  });

  test("shows each platform with exactly the fields of the specification", async () => {
    const { data } = (await server.get(PATH)).body;
    for (const platform of data)
      expect(platform).toEqual({
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        name: expect.any(String),
        slug: platform.slug,
        is_oauth: platform.slug !== "email",
        enabled: true,
        two_factor_supported: true,
        two_factor_required: false,
        registration_enabled: true,
        created_at: platform.updated_at,
        updated_at: expect.stringMatching(/^\d{4}-.*Z$/),
      });
  });

  test("keeps a platform that is switched off, and /enabled leaves it out", async () => {
    await turn("twitch", false);
    expect(slugs((await server.get(PATH)).body.data)).toEqual(SLUGS);
    const { status, body } = await server.get(`${PATH}/enabled`);
    expect([status, body._links.self]).toEqual([200, `${PATH}/enabled`]);
    expect(slugs(body.data)).toEqual(SLUGS.filter((slug) => slug !== "twitch"));
    await turn("twitch", true);
    expect(slugs((await server.get(`${PATH}/enabled`)).body.data)).toEqual(SLUGS);
  });
});

describe("GET /v1/platforms/{id_or_slug}", () => {
  test("finds a platform by its slug and by its identifier in either case, without a credential", async () => {
    const bySlug = (await server.get(`${PATH}/discord`)).body;
    expect(bySlug._links).toEqual({ self: `${PATH}/discord` });
    expect(bySlug.data).toMatchObject({ name: "Discord", slug: "discord", is_oauth: true });
    const { id } = bySlug.data;
    for (const written of [id, id.toUpperCase()]) {
      const { status, body } = await server.get(`${PATH}/${written}`);
      expect([status, body.data]).toEqual([200, bySlug.data]);
      expect(body._links).toEqual({ self: `${PATH}/${id}` });
    }
  });

  test.each([
    UNKNOWN,
    "myspace",
    "Discord",
    "discord%00",
    "%20",
    "0192f3a1",
    "%27%20OR%201%3D1",
    "a".repeat(128),
  ])("answers 404 for %p", async (name) => {
    expectRefused(await server.get(`${PATH}/${name}`), 404, "NotFound");
  });

  test("answers 400 for what is longer than any identifier or slug", async () => {
    expectInvalid(await server.get(`${PATH}/${"a".repeat(129)}`), "/id_or_slug");
  });
});

describe("PATCH /v1/platforms/{id_or_slug}/enabled", () => {
  test("needs settings:write", async () => {
    await expectPermission(server, "settings:write", 200, (token) =>
      server.patch(`${PATH}/github/enabled`, { ...(token && { token }), body: { enabled: true } }),
    );
  });

  test("switches the platform, and answers exactly id, name, slug and enabled", async () => {
    const before = await read("github");
    for (const enabled of [false, true]) {
      const { status, body } = await turn("github", enabled);
      expect([status, body]).toEqual([
        200,
        {
          data: { id: before.id, name: "GitHub", slug: "github", enabled },
          _links: { self: `${PATH}/github` },
        },
      ]);
      expect(await read("github")).toEqual({ ...before, enabled, updated_at: expect.any(String) });
    }
    expect(Date.parse((await read("github")).updated_at)).toBeGreaterThan(Date.parse(before.updated_at));
  });

  test("takes the identifier, in either case, and changes no other platform", async () => {
    const others = stored().filter(({ slug }) => slug !== "github");
    const { id } = await read("github");
    expect((await turn(id.toUpperCase(), false)).body.data).toMatchObject({ id, enabled: false });
    expect((await turn(id, true)).body.data.enabled).toBe(true);
    expect(stored().filter(({ slug }) => slug !== "github")).toEqual(others);
  });

  test("leaves one audit event for each change, and none where nothing changes", async () => {
    const before = (await eventsOf("youtube")).length;
    await turn("youtube", true);
    await turn("youtube", false);
    await turn("youtube", false);
    await turn("youtube", true);
    const events = (await eventsOf("youtube")).slice(before);
    const { id } = await read("youtube");
    const userId = (await server.get("/v1/users/me", { token: admin })).body.data.id;
    expect(events).toHaveLength(2);
    for (const event of events)
      expect(event).toMatchObject({
        event_type: "platform_updated",
        user_id: userId,
        actor_id: null,
        resource_type: "platform",
        resource_id: id,
        status: "success",
        ip_address: "127.0.0.1",
      });
    expect((await changesOf("youtube")).slice(before)).toEqual([
      { slug: "youtube", field: "enabled", from: true, to: false },
      { slug: "youtube", field: "enabled", from: false, to: true },
    ]);
  });

  test("by a system key that belongs to nobody leaves an event without a user", async () => {
    await turn("youtube", false, server.systemKey);
    await turn("youtube", true, server.systemKey);
    expect((await eventsOf("youtube")).at(-1)).toMatchObject({ user_id: null, actor_id: null });
  });

  test.each([{}, { enabled: null }, { enabled: "true" }, { enabled: 1 }])(
    "refuses the body %j and changes nothing",
    async (body) => {
      const before = [stored(), auditRows(server).length];
      expectInvalid(await server.patch(`${PATH}/github/enabled`, { token: admin, body }), "/enabled");
      expect([stored(), auditRows(server).length]).toEqual(before);
    },
  );

  test.each([UNKNOWN, "myspace"])("answers 404 for %p", async (name) => {
    const before = [stored(), auditRows(server).length];
    expectRefused(await turn(name, false), 404, "NotFound");
    expect([stored(), auditRows(server).length]).toEqual(before);
  });
});

describe("PATCH /v1/platforms/{id_or_slug}/settings", () => {
  test("needs settings:write", async () => {
    await expectPermission(server, "settings:write", 200, (token) =>
      server.patch(`${PATH}/github/settings`, { ...(token && { token }), body: {} }),
    );
  });

  test.each(["enabled", "two_factor_required", "registration_enabled"])(
    "changes %s alone, and answers exactly the fields of the specification",
    async (field) => {
      const before = await read("google");
      const { id, name, slug, enabled, two_factor_required, registration_enabled } = before;
      const { status, body } = await set("google", { [field]: !before[field] });
      expect([status, body]).toEqual([
        200,
        {
          success: true,
          message: "The settings were changed",
          platform: {
            ...{ id, name, slug, enabled, two_factor_required, registration_enabled },
            [field]: !before[field],
          },
        },
      ]);
      const expected = { ...before, [field]: !before[field], updated_at: expect.any(String) };
      expect(await read("google")).toEqual(expected);
      expect((await changesOf("google")).at(-1)).toEqual({
        slug: "google",
        field,
        from: before[field],
        to: !before[field],
      });
      await set("google", { [field]: before[field] });
      expect((await read("google"))[field]).toBe(before[field]);
    },
  );

  test("changes several fields at once, each that is new with an event", async () => {
    const before = (await eventsOf("google")).length;
    const { body } = await set("google", {
      enabled: true,
      two_factor_required: true,
      registration_enabled: false,
    });
    expect(body.platform).toMatchObject({
      enabled: true,
      two_factor_required: true,
      registration_enabled: false,
    });
    expect((await changesOf("google")).slice(before)).toEqual([
      { slug: "google", field: "two_factor_required", from: false, to: true },
      { slug: "google", field: "registration_enabled", from: true, to: false },
    ]);
    await set("google", { two_factor_required: false, registration_enabled: true });
  });

  test.each([
    [{}, "No changes were requested"],
    [
      { name: "Mine", slug: "mine", is_oauth: false, two_factor_supported: false },
      "No changes were requested",
    ],
    [{ enabled: true }, "The settings were like that already"],
  ])("answers %j with the platform unchanged, and leaves no event", async (body, message) => {
    const before = [stored(), auditRows(server).length];
    const answer = await set("google", body);
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({
      success: true,
      message,
      platform: { slug: "google", enabled: true },
    });
    expect([stored(), auditRows(server).length]).toEqual(before);
  });

  test.each([
    ["/enabled", { enabled: "no" }],
    ["/two_factor_required", { two_factor_required: null, enabled: false }],
    ["/registration_enabled", { registration_enabled: 0 }],
  ])("refuses a wrong %s and changes nothing", async (path, body) => {
    const before = [stored(), auditRows(server).length];
    expectInvalid(await set("google", body), path);
    expect([stored(), auditRows(server).length]).toEqual(before);
  });

  test.each([UNKNOWN, "myspace"])("answers 404 for %p", async (name) => {
    for (const body of [{}, { enabled: false }]) expectRefused(await set(name, body), 404, "NotFound");
  });

  test("keeps the changes that several make at once, each with its event", async () => {
    const before = (await eventsOf("google")).length;
    const changes = [{ enabled: false }, { two_factor_required: true }, { registration_enabled: false }];
    await Promise.all([...changes, ...changes].map((body) => set("google", body)));
    expect(await read("google")).toMatchObject(Object.assign({}, ...changes));
    expect(await eventsOf("google")).toHaveLength(before + 3);
    await set("google", { enabled: true, two_factor_required: false, registration_enabled: true });
  });
});

describe("a platform that is switched off", () => {
  test("lets nobody in any more, while sessions and other platforms go on", async () => {
    const user = await newUser(server);
    const body = externalLogin({ email: user.email });
    await signInExternally(server, body);
    await turn("discord", false);
    expectRefused(await upsert(server, body), 403, "Forbidden");
    expectRefused(await upsert(server, externalLogin()), 403, "Forbidden");
    expect((await server.get("/v1/users/me", { token: user.token })).status).toBe(200);
    expect((await server.login(user.username, user.password)).user_id).toBe(user.id);
    await turn("discord", true);
    expect((await signInExternally(server, body)).id).toBe(user.id);
  });

  test("refuses sign-in with a password when it is the email platform", async () => {
    const user = await newUser(server);
    const { username: identifier, password } = user;
    await turn("email", false);
    expectRefused(await server.post("/v1/auth/login", { body: { identifier, password } }), 403, "Forbidden");
    expect((await server.get("/v1/users/me", { token: user.token })).status).toBe(200);
    await turn("email", true);
    expect((await server.login(identifier, password)).user_id).toBe(user.id);
  });

  test.each([
    ["enabled", 403],
    ["registration_enabled", 200],
  ])("with %s false, answers %i to who is known and registers nobody", async (field, status) => {
    const known = externalLogin({ oauthProvider: "twitch" });
    await signInExternally(server, known);
    await set("twitch", { [field]: false });
    expect((await upsert(server, known)).status).toBe(status);
    const before = rows(server, "SELECT id FROM users");
    expect((await upsert(server, externalLogin({ oauthProvider: "twitch" }))).status).toBe(
      status === 200 ? 400 : 403,
    );
    expect(rows(server, "SELECT id FROM users")).toEqual(before);
    await set("twitch", { [field]: true });
  });

  test.each([{ enabled: false }, { registration_enabled: false }])(
    "refuses registration by email with %j, and sends nothing",
    async (off) => {
      await set("email", off);
      const body = { email: "new@example.org", username: "newcomer", password: "a long password" };
      expectRefused(await server.post("/v1/auth/register", { body }), 400, "BadRequest");
      expect(rows(server, "SELECT id FROM verifications")).toEqual([]);
      await set("email", { enabled: true, registration_enabled: true });
    },
  );
});
