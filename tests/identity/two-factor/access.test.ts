import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Answer, Token } from "../../support/api";
import { commandLineKey } from "../../support/credentials";
import { eventsAbout } from "../../support/events";
import { done, expectInvalid, expectRefused, UNKNOWN } from "../../support/expectations";
import { mailsTo } from "../../support/mail";
import { externalUser, newUser, staff } from "../../support/people";
import { rows, write } from "../../support/rows";
import { TestServer } from "../../support/server";
import {
  disable,
  enable,
  type Guarded,
  guarded,
  nextCode,
  regenerate,
  requirement,
  setUp,
  status,
  stored,
  turnOn,
  verifyLogin,
  wrongCode,
} from "./support";

/**
 * Access to the second factors of others and to the own, and the roles that require one (rules C4, C5, R3 and
 * H10).
 */

let server: TestServer;
beforeAll(async () => {
  server = await TestServer.start({ clock: "movable" });
});
afterAll(() => server.stop());

type Request = (token: Token, user_id?: unknown) => Promise<Answer>;

const CODE = "123456";
const asQuery = (user_id: unknown) => (user_id === undefined ? "" : `?user_id=${user_id}`);

/** All six operations, with a code that is almost certainly wrong. */
const READS: [string, Request][] = [
  ["status", (token, user_id) => status(server, token, asQuery(user_id))],
  ["requirement", (token, user_id) => requirement(server, token, asQuery(user_id))],
];
const WRITES: [string, Request][] = [
  ["setup", (token, user_id) => setUp(server, token, { user_id })],
  ["verify", (token, user_id) => enable(server, token, { code: CODE, user_id })],
  ["disable", (token, user_id) => disable(server, token, { code: CODE, user_id })],
  ["regenerate", (token, user_id) => regenerate(server, token, { code: CODE, user_id })],
];
const ALL = [...READS, ...WRITES];

/** A user who holds, beside the role User, exactly these permissions. */

/** Expects that all of these requests are refused, and that the user's second factor stays as it was. */
async function expectAllRefused(
  requests: [string, Request][],
  token: Token,
  user_id: unknown,
  [code, error]: [number, string],
  subject = "nobody",
): Promise<void> {
  const before = stored(server, subject);
  for (const [name, request] of requests) {
    const answer = await request(token, user_id);
    expect({ name, status: answer.status, error: answer.body.error }).toEqual({ name, status: code, error });
    if (code === 400) expectInvalid(answer, "/user_id");
  }
  expect(stored(server, subject)).toEqual(before);
}

const FORBIDDEN: [number, string] = [403, "Forbidden"];
const INVALID: [number, string] = [400, "ValidationError"];

describe("the own account", () => {
  test("is refused without a credential and with a wrong one", async () => {
    for (const [path, method] of [
      ["/status", "GET"],
      ["/requirement", "GET"],
      ["/setup", "POST"],
      ["/verify", "POST"],
      ["", "DELETE"],
      ["/backup-codes/regenerate", "POST"],
    ] as const)
      for (const token of [undefined, `ses_${"x".repeat(43)}`, `2fa_${"x".repeat(43)}`])
        expectRefused(
          await server.request(method, `/v1/users/me/2fa${path}`, token === undefined ? {} : { token }),
          401,
          "Unauthorized",
        );
  });

  test("needs no permission in a session", async () => {
    const user = await newUser(server);
    done(await server.delete(`/v1/users/${user.id}/roles/role_user`, { token: await server.admin() }));
    const { permissions } = done(await server.get(`/v1/users/${user.id}/permissions`, { token: user.token }));
    expect(permissions).toEqual([]);
    const on = await turnOn(server, user);
    for (const [, request] of READS) done(await request(user.token));
    const code = await nextCode(server, on.secret);
    const { backup_codes } = done(await regenerate(server, user.token, { code }));
    done(await disable(server, user.token, { code: backup_codes[0] }));
  });

  test("may be named by its identifier in either case", async () => {
    const user = await newUser(server);
    for (const id of [user.id, user.id.toUpperCase()]) {
      for (const [, request] of READS) done(await request(user.token, id));
      done(await setUp(server, user.token, { user_id: id }));
    }
  });

  test("needs two_factor:read for reading with an API key, and two_factor:write for changes", async () => {
    const { user_id } = await server.login("admin", "correct horse battery");
    const read = await server.key("two_factor:read");
    for (const [, request] of READS) for (const id of [undefined, user_id]) done(await request(read, id));
    await expectAllRefused(WRITES, read, undefined, FORBIDDEN, user_id);
    await expectAllRefused(WRITES, read, user_id, FORBIDDEN, user_id);

    const writes = await server.key("two_factor:write");
    await expectAllRefused(READS, writes, undefined, FORBIDDEN);
    for (const [name, request] of WRITES)
      expect([name, (await request(writes)).status]).toEqual([name, name === "setup" ? 200 : 400]);

    for (const scopes of [[], ["two_factor:manage"], ["users:write", "users:read"]])
      await expectAllRefused(ALL, await server.key(...scopes), undefined, FORBIDDEN, user_id);
    const all = await server.key("two_factor:*");
    for (const [name, request] of ALL) expect([name, (await request(all)).status]).not.toEqual([name, 403]);
  });

  test("can be managed wholly with an API key that has two_factor:write", async () => {
    const user = await newUser(server);
    const { key } = await commandLineKey(server, { owner: user.username, scopes: ["two_factor:write"] });
    const on = await turnOn(server, { ...user, token: key });
    expectInvalid(await disable(server, key, {}), "/code");
    done(await disable(server, key, { code: on.backupCodes[0] }));
    expect(eventsAbout(server, user.id, "2fa_disabled")).toMatchObject([{ actor_id: null }]);
  });
});

describe("somebody else's account", () => {
  let user: Guarded;
  beforeAll(async () => {
    user = await guarded(server);
  });

  test("is refused without two_factor:manage, whether or not there is such a user", async () => {
    const other = await staff(server, "users:read", "users:write", "users:delete", "users:ban");
    const deleted = await newUser(server);
    done(await server.delete(`/v1/users/${deleted.id}`, { token: server.systemKey }));
    const tokens = [
      (await newUser(server)).token,
      other.token,
      await server.key("two_factor:read", "two_factor:write", "users:*"),
    ];
    for (const token of tokens)
      for (const id of [user.id, UNKNOWN, deleted.id])
        await expectAllRefused(ALL, token, id, FORBIDDEN, user.id);
  });

  test("can be managed from set-up to the end with two_factor:manage", async () => {
    const manager = await staff(server, "two_factor:manage");
    const subject = await newUser(server);
    const user_id = subject.id;
    const { secret } = done(await setUp(server, manager.token, { user_id }));
    const code = wrongCode(server, secret);
    expectInvalid(await enable(server, manager.token, { code, user_id }), "/code");
    done(await enable(server, manager.token, { code: await nextCode(server, secret), user_id }));
    expect(done(await status(server, manager.token, asQuery(user_id))).enabled).toBe(true);
    expect(done(await requirement(server, manager.token, asQuery(user_id))).enabled).toBe(true);
    expectInvalid(await regenerate(server, manager.token, { user_id }), "/code");
    done(await regenerate(server, manager.token, { code: await nextCode(server, secret), user_id }));
    done(await disable(server, manager.token, { code: await nextCode(server, secret), user_id }));
    expect(done(await status(server, subject.token)).enabled).toBe(false);
    // The manager's own second factor is unaffected.
    expect(done(await status(server, manager.token)).enabled).toBe(false);

    const events = eventsAbout(server, user_id).filter(({ event_type }) => event_type.startsWith("2fa_"));
    expect(events).toMatchObject(
      ["2fa_verified", "2fa_enabled", "2fa_backup_codes_regenerated", "2fa_disabled"].map((event_type) => ({
        event_type,
        actor_id: manager.id,
      })),
    );
    expect((await mailsTo(server, subject.email)).map(({ kind }) => kind)).toEqual([
      "registration",
      "two_factor_enabled",
      "backup_codes_regenerated",
      "two_factor_disabled",
    ]);
    expect((await mailsTo(server, manager.email)).map(({ kind }) => kind)).toEqual(["registration"]);
  });

  test("is turned off with a code alone, whoever manages it", async () => {
    const manager = await staff(server, "two_factor:manage");
    const subject = await guarded(server);
    const before = stored(server, subject.id);
    const code = wrongCode(server, subject.secret);
    const { key } = await commandLineKey(server, { owner: manager.username, scopes: ["two_factor:manage"] });
    for (const token of [manager.token, key])
      for (const body of [{}, { code }])
        expectInvalid(await disable(server, token, { ...body, user_id: subject.id }), "/code");
    expect(stored(server, subject.id)).toEqual(before);
    done(await disable(server, key, { code: await nextCode(server, subject.secret), user_id: subject.id }));
    for (const token of [manager.token, key])
      expectRefused(await disable(server, token, { code, user_id: subject.id }), 400, "BadRequest");
  });

  test("is no way around the code of one's own", async () => {
    const manager = await turnOn(server, await staff(server, "two_factor:manage"));
    const { key } = await commandLineKey(server, {
      owner: manager.username,
      scopes: ["two_factor:manage", "two_factor:write"],
    });
    const before = stored(server, manager.id);
    for (const token of [manager.token, key])
      for (const body of [{}, { user_id: manager.id }, { user_id: manager.id.toUpperCase() }])
        expectInvalid(await disable(server, token, body), "/code");
    expect(stored(server, manager.id)).toEqual(before);
  });

  test("of somebody who may do more can be read, and not changed", async () => {
    const manager = await staff(server, "two_factor:manage");
    const { user_id: admin } = await server.login("admin", "correct horse battery");
    const higher = await turnOn(server, await staff(server, "gps:read"));
    for (const id of [higher.id, admin]) {
      await expectAllRefused(WRITES, manager.token, id, FORBIDDEN, id);
      expectRefused(await disable(server, manager.token, { code: "000000", user_id: id }), 403, "Forbidden");
      for (const [, request] of READS) done(await request(manager.token, id));
    }
    expect(done(await status(server, higher.token)).enabled).toBe(true);
    // A manager of equal rank may.
    const equal = await staff(server, "two_factor:manage", "gps:read");
    done(
      await disable(server, equal.token, { code: await nextCode(server, higher.secret), user_id: higher.id }),
    );
  });

  test("is the super admin's to manage, and of a super admin nobody else's", async () => {
    const [administrator, owner] = [
      await newUser(server, "role_admin"),
      await turnOn(server, await newUser(server, "role_super_admin")),
    ];
    await expectAllRefused(WRITES, administrator.token, owner.id, FORBIDDEN, owner.id);
    const attempt = await disable(server, administrator.token, { code: "000000", user_id: owner.id });
    expectRefused(attempt, 403, "Forbidden");
    const superAdmin = await server.admin();
    done(
      await disable(server, superAdmin, { code: await nextCode(server, owner.secret), user_id: owner.id }),
    );
    const held = await turnOn(server, administrator);
    done(await disable(server, owner.token, { code: await nextCode(server, held.secret), user_id: held.id }));
  });

  test("must exist for whoever may manage it", async () => {
    const manager = await staff(server, "two_factor:manage");
    const deleted = await newUser(server);
    done(await server.delete(`/v1/users/${deleted.id}`, { token: server.systemKey }));
    for (const token of [manager.token, server.systemKey])
      for (const id of [UNKNOWN, deleted.id, "nonsense", "me"])
        await expectAllRefused(ALL, token, id, INVALID);
  });
});

describe("a system key", () => {
  test("must name the user, whether or not it has an owner", async () => {
    const owner = await newUser(server);
    const { key } = await commandLineKey(server, { owner: owner.username, system: true });
    for (const token of [server.systemKey, key])
      await expectAllRefused(ALL, token, undefined, INVALID, owner.id);
    expectInvalid(await setUp(server, server.systemKey), "/user_id");
  });

  test("acts on any user, as that user would: turning it off needs a code", async () => {
    for (const role of [[], ["role_super_admin"]]) {
      const user = await newUser(server, ...role);
      const user_id = user.id;
      const token = server.systemKey;
      const { secret } = done(await setUp(server, token, { user_id }));
      const code = await nextCode(server, secret);
      const { backup_codes } = done(await enable(server, token, { code, user_id }));
      expect(done(await status(server, token, asQuery(user_id))).backup_codes_remaining).toBe(10);
      expect(done(await requirement(server, token, asQuery(user_id))).enabled).toBe(true);
      expectInvalid(await disable(server, token, { user_id }), "/code");
      expectInvalid(await disable(server, token, { user_id, code: "AAAAA-AAAAA" }), "/code");
      expect(done(await status(server, user.token)).enabled).toBe(true);
      const again = await nextCode(server, secret);
      const renewed = done(await regenerate(server, token, { code: again, user_id }));
      expectInvalid(await disable(server, token, { user_id, code: backup_codes[0] }), "/code");
      expect(eventsAbout(server, user_id, "2fa_enabled")).toMatchObject([{ actor_id: null }]);
      done(await disable(server, token, { user_id, code: renewed.backup_codes[0] }));
    }
  });
});

describe("the requirement", () => {
  const SET_UP = "POST /v1/users/me/2fa/setup";
  const requiring = async (name: string): Promise<string> =>
    done(
      await server.post("/v1/roles", {
        token: await server.admin(),
        body: { name, requires_two_factor: true },
      }),
    ).data.id;
  const requirementOf = async (token: Token) => done(await requirement(server, token));
  const requirePlatform = async (slug: string, two_factor_required: boolean) =>
    done(
      await server.patch(`/v1/platforms/${slug}/settings`, {
        token: await server.admin(),
        body: { two_factor_required },
      }),
    );

  test("is none by default, and says that it can be set up", async () => {
    const user = await newUser(server);
    const body = await requirementOf(user.token);
    expect(body).toEqual({
      required: false,
      enabled: false,
      required_by_roles: [],
      can_enable: true,
      reason: expect.stringMatching(/^Not required/),
    });
    expect(body.reason).toContain(SET_UP);
  });

  test("says that it is on, and then no longer how to set it up", async () => {
    const user = await guarded(server);
    const body = await requirementOf(user.token);
    expect(body).toMatchObject({ required: false, enabled: true, required_by_roles: [], can_enable: false });
    expect(body.reason).not.toContain(SET_UP);
  });

  test("names the roles that ask for it, at once when one is given, changed or taken", async () => {
    const [first, second] = [await requiring("Bosun"), await requiring("Admiral")];
    const user = await newUser(server, first);
    const one = await requirementOf(user.token);
    expect(one).toMatchObject({
      required: true,
      enabled: false,
      required_by_roles: ["Bosun"],
      can_enable: true,
    });
    expect(one.reason).toStartWith("Required by the role Bosun");
    expect(one.reason).toContain(SET_UP);

    const token = await server.admin();
    done(await server.post(`/v1/users/${user.id}/roles`, { token, body: { role_id: second } }));
    const both = await requirementOf(user.token);
    expect(both.required_by_roles).toEqual(["Admiral", "Bosun"]);
    expect(both.reason).toStartWith("Required by the roles Admiral, Bosun");

    done(await server.patch(`/v1/roles/${first}`, { token, body: { requires_two_factor: false } }));
    expect((await requirementOf(user.token)).required_by_roles).toEqual(["Admiral"]);

    const on = await turnOn(server, user);
    const met = await requirementOf(user.token);
    expect(met).toMatchObject({
      required: true,
      enabled: true,
      required_by_roles: ["Admiral"],
      can_enable: false,
    });
    expect(met.reason).not.toContain(SET_UP);
    // It can be turned off even where it is required.
    done(await disable(server, user.token, { code: on.backupCodes[0] }));

    done(await server.delete(`/v1/users/${user.id}/roles/${second}`, { token }));
    expect(await requirementOf(user.token)).toMatchObject({ required: false, required_by_roles: [] });
  });

  test("doesn't lock out who hasn't met it", async () => {
    const user = await newUser(server, await requiring("Purser"));
    expect((await requirementOf(user.token)).required).toBe(true);
    expect((await server.login(user.username, user.password)).session_token).toBeString();
  });

  test("names the platforms that ask for it, of those that are linked", async () => {
    const [sailor, gamer] = [await newUser(server), await externalUser(server)];
    await requirePlatform("discord", true);
    try {
      const required = await requirementOf(gamer.token);
      expect(required).toMatchObject({ required: true, required_by_roles: [], can_enable: true });
      expect(required.reason).toStartWith("Required by the platform Discord");
      expect(required.reason).toContain(SET_UP);
      expect((await requirementOf(sailor.token)).required).toBe(false);
      const role = await requiring("Gunner");
      done(
        await server.post(`/v1/users/${gamer.id}/roles`, {
          token: await server.admin(),
          body: { role_id: role },
        }),
      );
      const { required_by_roles, reason } = await requirementOf(gamer.token);
      expect(required_by_roles).toEqual(["Gunner"]);
      expect(reason).toStartWith("Required by the role Gunner and the platform Discord");
    } finally {
      await requirePlatform("discord", false);
    }
  });

  test("names the platform to set it up from where that isn't email, and says when there is none", async () => {
    const gamer = await externalUser(server);
    const supports = (supported: 0 | 1, ...slugs: string[]) =>
      write(
        server,
        `UPDATE platforms SET two_factor_supported = ${supported} WHERE slug IN ('${slugs.join("','")}')`,
      );
    try {
      supports(0, "discord");
      expect(await requirementOf(gamer.token)).toMatchObject({ can_enable: true });
      supports(1, "discord");
      supports(0, "email");
      const { can_enable, reason } = await requirementOf(gamer.token);
      expect([can_enable, reason.includes("the platform_id of Discord")]).toEqual([true, true]);
      supports(0, "discord");
      expect(await requirementOf(gamer.token)).toMatchObject({
        can_enable: false,
        reason: expect.stringContaining("no platform"),
      });
    } finally {
      supports(1, "discord", "email");
    }
  });
});

describe("with the default limit", () => {
  let limited: TestServer;
  beforeAll(async () => {
    limited = await TestServer.start({
      settings: {
        "rate_limit.enabled": "true",
        "rate_limit.register": "100/60",
        "rate_limit.login": "100/60",
        "server.trusted_proxies": "127.0.0.1",
      },
    });
  });
  afterAll(() => limited.stop());

  function expectLimited(answer: Answer): void {
    expectRefused(answer, 429, "TooManyRequests");
    expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(answer.headers.get("ratelimit-remaining")).toBe("0");
  }

  test("a user has 10 codes in 60 seconds, for whatever they are and through any session or key", async () => {
    const user = await newUser(limited);
    const { session_token } = await limited.login(user.username, user.password);
    const { key } = await commandLineKey(limited, { owner: user.username, scopes: ["two_factor:write"] });
    const credentials = [user.token, session_token, key];
    const { secret } = done(await setUp(limited, user.token));
    const code = wrongCode(limited, secret);
    const tries = [enable, disable, regenerate];
    for (let attempt = 0; attempt < 10; attempt++) {
      const token = credentials[attempt % 3] ?? "";
      const answer = await (tries[attempt % 3] as typeof enable)(limited, token, { code });
      expect(answer.status).toBe(400);
      expect(answer.headers.get("ratelimit-limit")).toBe("10");
      expect(answer.headers.get("ratelimit-remaining")).toBe(String(9 - attempt));
    }
    const right = { code: await nextCode(limited, secret) };
    for (const attempt of tries)
      for (const token of credentials) expectLimited(await attempt(limited, token, right));
    expect(rows(limited, "SELECT enabled_at FROM two_factor WHERE user_id = ?", user.id)).toEqual([
      { enabled_at: null },
    ]);
    // A request that tries no code isn't limited.
    expect(done(await status(limited, user.token)).enabled).toBe(false);
    // Another user has a limit of its own, also through the system key that serves everybody.
    const other = await newUser(limited);
    done(await setUp(limited, other.token));
    for (const token of [other.token, limited.systemKey])
      expectInvalid(await enable(limited, token, { code, user_id: other.id }), "/code");
    expectLimited(await enable(limited, limited.systemKey, { ...right, user_id: user.id }));
  });

  test("an address has 10 second steps in 60 seconds", async () => {
    const user = await guarded(limited);
    const from = (address: string) => ({ "x-forwarded-for": address });
    const login = await limited.post("/v1/auth/login", {
      body: { identifier: user.username, password: user.password },
    });
    const { temp_token } = done(login);
    for (let attempt = 0; attempt < 10; attempt++) {
      const answer = await verifyLogin(limited, `2fa_${attempt}`, CODE, from("203.0.113.1"));
      expect(answer.status).toBe(401);
      expect(answer.headers.get("ratelimit-remaining")).toBe(String(9 - attempt));
    }
    const [code] = user.backupCodes;
    const before = stored(limited, user.id);
    expectLimited(await verifyLogin(limited, temp_token, code, from("203.0.113.1")));
    expect(stored(limited, user.id)).toEqual(before);
    done(await verifyLogin(limited, temp_token, code, from("203.0.113.2")));
  });
});
