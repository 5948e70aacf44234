import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Token } from "../../support/api";
import { commandLineKey } from "../../support/credentials";
import { audited, auditRows, withoutAudit } from "../../support/events";
import { done, expectInvalid, expectRefused, UNKNOWN } from "../../support/expectations";
import { externalUser, newUser } from "../../support/people";
import { newRole } from "../../support/roles";
import { filesWith, rows } from "../../support/rows";
import { TestServer } from "../../support/server";
import { expectNoChange, expectRefusal } from "../roles/support";

/** OAuth clients (rules C1, H7, H9, R4 and E1). Valid redirect URIs: redirect-uri.test.ts. */
const PATH = "/v1/oauth/clients";
const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const SECRET = /^fls_[A-Za-z0-9_-]{43}$/;
const LEAST = { name: "Crew app", redirect_uris: ["https://app.example/callback"] };
const ADDRESSES = ["logo_url", "homepage_url", "privacy_policy_url", "terms_of_service_url"];

let server: TestServer;
let superAdmin: Token;
/** Holds `*:*`, but isn't a super admin. */
let manager: { id: string; token: Token };
let owner: { id: string; username: string; token: Token };
let stranger: { id: string; token: Token };
beforeAll(async () => {
  server = await TestServer.start({ settings: { "oauth.max_clients_per_user": "1000" } });
  superAdmin = await server.admin();
  manager = await newUser(server, "role_admin");
  [owner, stranger] = [await externalUser(server), await externalUser(server)];
});
afterAll(() => server.stop());

const post = (body: unknown, token = owner.token) => server.post(PATH, { token, body });
const patch = (id: string, body: unknown, token = owner.token) =>
  server.patch(`${PATH}/${id}`, { token, body });
const regenerate = (id: string, token = owner.token) =>
  server.post(`${PATH}/${id}/regenerate-secret`, { token });
const remove = (id: string, token = owner.token) => server.delete(`${PATH}/${id}`, { token });
const read = async (id: string, token = owner.token) =>
  done(await server.get(`${PATH}/${id}`, { token })).data;
const idsOf = async (path: string, token: Token): Promise<string[]> =>
  done(await server.get(path, { token })).data.map(({ id }: { id: string }) => id);

async function newClient(fields: object = {}, token = owner.token): Promise<{ id: string; secret: string }> {
  const { client, client_secret } = done(await post({ ...LEAST, ...fields }, token));
  return { id: client.id, secret: client_secret };
}
const hashOf = (secret: string) => new Bun.CryptoHasher("sha256").update(secret).digest("base64");
const storedHash = (id: string) =>
  rows<{ secret_hash: string | null }>(server, "SELECT secret_hash FROM oauth_clients WHERE id = ?", id)[0]
    ?.secret_hash;

describe("POST /v1/oauth/clients", () => {
  test("registers a client of the caller's, and shows its secret only once", async () => {
    const sent = {
      ...LEAST,
      description: "Shows the crew",
      logo_url: "https://app.example/logo.png",
      homepage_url: "http://app.example/",
      privacy_policy_url: "https://app.example/privacy",
      terms_of_service_url: "https://app.example/terms",
      redirect_uris: ["https://app.example/callback", "com.example.app:/callback"],
      allowed_scopes: ["openid", "profile", "email"],
      client_type: "confidential",
    };
    const { status, body } = await post(sent);
    expect(status).toBe(201);
    const { client, client_secret } = body;
    expect(client_secret).toMatch(SECRET);
    expect(body).toEqual({
      client: { id: client.id, name: sent.name, client_type: "confidential", is_active: true },
      client_secret,
    });
    const shown = (await server.get(`${PATH}/${client.id}`, { token: owner.token })).body;
    expect(shown).toEqual({
      data: {
        ...sent,
        id: client.id,
        approved_scopes: [],
        post_logout_redirect_uris: [],
        is_active: true,
        is_first_party: false,
        created_at: TIME,
        updated_at: TIME,
      },
      _links: { self: `${PATH}/${client.id}` },
    });
  });

  test("needs no more than a name and a redirect URI: the client is then confidential", async () => {
    const { id, secret } = await newClient();
    expect(secret).toMatch(SECRET);
    const cleared = Object.fromEntries([...ADDRESSES, "description"].map((field) => [field, null]));
    expect(await read(id)).toMatchObject({
      ...cleared,
      allowed_scopes: [],
      client_type: "confidential",
      is_first_party: false,
      is_active: true,
    });
  });

  test("gives a public client no secret", async () => {
    const { id, secret } = await newClient({ client_type: "public" });
    expect(secret).toBeNull();
    expect(storedHash(id)).toBeNull();
    expect((await read(id)).client_type).toBe("public");
  });

  test("makes secrets that differ, and stores their hash alone", async () => {
    const clients = [await newClient(), await newClient()];
    expect(clients[0]?.secret).not.toBe(clients[1]?.secret);
    for (const { id, secret } of clients) {
      expect(storedHash(id)).toBe(hashOf(secret));
      expect(filesWith(server, secret)).toEqual([]);
      expect(server.output).not.toContain(secret);
    }
  });

  test("ignores what isn't the caller's to choose", async () => {
    const { id } = await newClient({
      id: UNKNOWN,
      owner_id: stranger.id,
      secret_hash: "x",
      is_active: false,
    });
    expect(id).not.toBe(UNKNOWN);
    expect((await read(id)).is_active).toBe(true);
    expect(storedHash(id)).not.toBe("x");
    expectRefused(await server.get(`${PATH}/${id}`, { token: stranger.token }), 403, "Forbidden");
  });

  test("keeps a redirect URI and a scope once, as they were written", async () => {
    const uris = ["HTTP://localhost:80/cb", "http://localhost/cb"];
    const { id } = await newClient({
      redirect_uris: [...uris, uris[0]],
      allowed_scopes: ["openid", "email", "openid"],
    });
    expect(await read(id)).toMatchObject({ redirect_uris: uris, allowed_scopes: ["openid", "email"] });
  });

  test.each<[string, object, string]>([
    ["no name", { name: undefined }, "/name"],
    ["an empty name", { name: "" }, "/name"],
    ["a name of 201 characters", { name: "x".repeat(201) }, "/name"],
    ["a long description", { description: "d".repeat(10_001) }, "/description"],
    ["no redirect URI", { redirect_uris: undefined }, "/redirect_uris"],
    ["an empty list of redirect URIs", { redirect_uris: [] }, "/redirect_uris"],
    ["a string for redirect URIs", { redirect_uris: "https://app.example" }, "/redirect_uris"],
    ["21 redirect URIs", { redirect_uris: Array(21).fill("https://app.example") }, "/redirect_uris"],
    ["a bad second redirect URI", { redirect_uris: ["https://a.example", "/cb"] }, "/redirect_uris/1"],
    ["a redirect URI with a fragment", { redirect_uris: ["https://a.example/#x"] }, "/redirect_uris/0"],
    ["http to another host", { redirect_uris: ["http://app.example/cb"] }, "/redirect_uris/0"],
    ["javascript:", { redirect_uris: ["javascript:alert(1)"] }, "/redirect_uris/0"],
    [
      "a long redirect URI",
      { redirect_uris: [`https://a.example/${"x".repeat(2_048)}`] },
      "/redirect_uris/0",
    ],
    ["a scope with a blank", { allowed_scopes: ["openid profile"] }, "/allowed_scopes/0"],
    ["an empty scope", { allowed_scopes: ["openid", ""] }, "/allowed_scopes/1"],
    ["another client type", { client_type: "native" }, "/client_type"],
    ["a word for a flag", { is_first_party: "false" }, "/is_first_party"],
    ...ADDRESSES.flatMap((field): [string, object, string][] => [
      [`javascript: as ${field}`, { [field]: "javascript:alert(1)" }, `/${field}`],
      [`data: as ${field}`, { [field]: "data:text/html,x" }, `/${field}`],
      [`a path as ${field}`, { [field]: "/logo.png" }, `/${field}`],
    ]),
  ])("refuses %s, at creation and by change", async (_, fields, path) => {
    const { id } = await newClient();
    await expectNoChange(server, async () => {
      expectInvalid(await post({ ...LEAST, ...fields }), path);
      if (!Object.values(fields).includes(undefined)) expectInvalid(await patch(id, fields), path);
    });
  });

  test("is for any session, and for a key that holds oauth_clients:write, whose owner then owns the client", async () => {
    expectRefused(await server.post(PATH, { body: LEAST }), 401, "Unauthorized");
    const key = await server.key("oauth_clients:write");
    const { id } = await newClient({}, key);
    expect(await idsOf(PATH, superAdmin)).toContain(id);
    const without = await server.key("oauth_clients:read", "gps:*", "api_keys:*", "users:*");
    await expectRefusal(server, 403, "Forbidden", () => post(LEAST, without));
    // A key can do no more than its owner. The owner's roles grant none of it; sessions manage the own
    // clients.
    const plain = await commandLineKey(server, { owner: owner.username, scopes: ["oauth_clients:*"] });
    await expectRefusal(server, 403, "Forbidden", () => post(LEAST, plain.key));
  });

  test("refuses a system key without an owner, which could own no client", async () => {
    await expectRefusal(server, 400, "BadRequest", () => post(LEAST, server.systemKey));
  });

  test("creates nothing when its event can't be written", async () => {
    await expectNoChange(server, () =>
      withoutAudit(server, "client_created", async () =>
        expectRefused(await post(LEAST), 500, "InternalServerError"),
      ),
    );
  });
});

describe("is_first_party", () => {
  test("keeps redirects and type for super admins and system keys, whoever the owner is", async () => {
    const { id } = await newClient();
    done(await patch(id, { is_first_party: true }, superAdmin));
    for (const token of [owner.token, manager.token]) {
      for (const change of [{ redirect_uris: ["https://evil.example/cb"] }, { client_type: "public" }])
        await expectRefusal(server, 403, "Forbidden", () => patch(id, change, token));
      // Unchanged values need no permission; and the owner can always replace a secret that leaked.
      const { redirect_uris, client_type } = await read(id, token);
      done(await patch(id, { description: "Ours", redirect_uris, client_type }, token));
      done(await server.post(`/v1/oauth/clients/${id}/regenerate-secret`, { token }));
    }
    for (const token of [superAdmin, server.systemKey])
      done(await patch(id, { redirect_uris: ["https://good.example/cb"] }, token));
  });

  test("is set and taken back by super admins alone", async () => {
    const { id } = await newClient();
    const [managers, supers] = [await newClient({}, manager.token), await newClient({}, superAdmin)];
    const narrow = await server.key("oauth_clients:write");
    for (const token of [owner.token, manager.token, narrow])
      await expectRefusal(server, 403, "Forbidden", () => post({ ...LEAST, is_first_party: true }, token));
    for (const [client, token] of [
      [id, owner.token],
      [id, manager.token],
      [id, server.systemKey],
      [managers.id, manager.token],
      [supers.id, narrow],
    ] as const)
      await expectRefusal(server, 403, "Forbidden", () =>
        patch(client, { is_first_party: true, name: "Ours" }, token),
      );
    expect(done(await patch(id, { is_first_party: true }, superAdmin)).data.is_first_party).toBe(true);
    for (const token of [owner.token, manager.token])
      await expectRefusal(server, 403, "Forbidden", () => patch(id, { is_first_party: false }, token));
    expect(done(await patch(id, { is_first_party: false }, superAdmin)).data.is_first_party).toBe(false);
    const { id: first } = await newClient({ is_first_party: true }, superAdmin);
    expect((await read(first, superAdmin)).is_first_party).toBe(true);
  });

  test("may be sent by anybody as it is", async () => {
    const { id } = await newClient({ is_first_party: false });
    done(await patch(id, { is_first_party: false, name: "Renamed" }));
    done(await patch(id, { is_first_party: true }, superAdmin));
    expect(done(await patch(id, { is_first_party: true, name: "Ours" })).data).toMatchObject({
      name: "Ours",
      is_first_party: true,
    });
  });
});

describe("GET /v1/oauth/clients", () => {
  test("lists the caller's own, the newest first, without secrets", async () => {
    const user = await externalUser(server);
    expect(done(await server.get(PATH, { token: user.token }))).toEqual({ data: [], _links: { self: PATH } });
    const clients = [await newClient({}, user.token), await newClient({}, user.token)];
    const { body } = await server.get(PATH, { token: user.token });
    expect(body.data.map(({ id }: { id: string }) => id)).toEqual(clients.map(({ id }) => id).reverse());
    expect(body.data[0]).toEqual(await read(clients[1]?.id ?? "", user.token));
    for (const { id, secret } of clients) {
      expect(JSON.stringify(body)).not.toContain(secret);
      expect(JSON.stringify(body)).not.toContain(storedHash(id) ?? "missing");
    }
  });

  test("needs oauth_clients:read of a key", async () => {
    const [without, reader] = [
      await server.key("oauth_clients:write"),
      await server.key("oauth_clients:read"),
    ];
    expectRefused(await server.get(PATH, { token: without }), 403, "Forbidden");
    const { id } = await newClient({}, superAdmin);
    expect(await idsOf(PATH, reader)).toContain(id);
  });

  test("shows an administrator no more than the own ones either", async () => {
    const { id } = await newClient();
    for (const token of [manager.token, superAdmin, server.systemKey])
      expect(await idsOf(PATH, token)).not.toContain(id);
    expect(await idsOf(PATH, server.systemKey)).toEqual([]);
  });
});

describe("GET /v1/oauth/clients/all", () => {
  test("lists everybody's for administrators, the newest first", async () => {
    const [older, newer] = [await newClient(), await newClient({}, stranger.token)];
    const wide = await server.key("*:*");
    for (const token of [manager.token, superAdmin, server.systemKey, wide]) {
      const { data, _links } = done(await server.get(`${PATH}/all`, { token }));
      expect(_links).toEqual({ self: `${PATH}/all` });
      expect(data.slice(0, 2).map(({ id }: { id: string }) => id)).toEqual([newer.id, older.id]);
      expect(data).toHaveLength(rows(server, "SELECT id FROM oauth_clients").length);
    }
  });

  test("refuses everybody else", async () => {
    const narrow = await server.key("users:*", "admin:read", "settings:*");
    for (const token of [owner.token, narrow])
      expectRefused(await server.get(`${PATH}/all`, { token }), 403, "Forbidden");
    expectRefused(await server.get(`${PATH}/all`), 401, "Unauthorized");
  });
});

/** Every operation on one client, with a body that it accepts. */
const OPERATIONS: [method: string, rest: string, body?: object][] = [
  ["GET", ""],
  ["PATCH", "", { name: "Mine now", redirect_uris: ["https://evil.example"] }],
  ["POST", "/regenerate-secret"],
  ["DELETE", ""],
];
describe.each(OPERATIONS)("%s /v1/oauth/clients/{id}%s", (method, rest, body) => {
  const ask = (id: string, token?: Token) =>
    server.request(method, `${PATH}/${id}${rest}`, { ...(token && { token }), ...(body && { body }) });

  test("refuses everybody but the owner and administrators", async () => {
    const { id } = await newClient();
    const [ofAdmin] = [await newClient({}, superAdmin)];
    const narrow = await server.key("users:*", "admin:read", "oauth_clients:*");
    const otherKey = await commandLineKey(server, { owner: owner.username, scopes: ["*:*"] });
    await expectRefusal(server, 403, "Forbidden", () => ask(id, stranger.token));
    await expectRefusal(server, 403, "Forbidden", () => ask(id, narrow));
    await expectRefusal(server, 403, "Forbidden", () => ask(ofAdmin.id, otherKey.key));
    await expectRefusal(server, 401, "Unauthorized", () => ask(id));
  });

  test("is for the owner's sessions and administrators; for a key of the owner's where it holds the permission", async () => {
    const needed = `oauth_clients:${method === "GET" ? "read" : "write"}`;
    const keysOwner = await newUser(
      server,
      (await newRole(server, "oauth_clients:read", "oauth_clients:write", "gps:read")).id,
    );
    const keyWith = async (...scopes: string[]) =>
      (await commandLineKey(server, { owner: keysOwner.username, scopes })).key;
    const others = [
      "gps:read",
      needed === "oauth_clients:read" ? "oauth_clients:write" : "oauth_clients:read",
    ];
    for (const scopes of [[], others]) {
      const [{ id }, token] = [await newClient({}, keysOwner.token), await keyWith(...scopes)];
      await expectRefusal(server, 403, "Forbidden", () => ask(id, token));
    }
    for (const scopes of [[needed], ["oauth_clients:*"]]) {
      const [{ id }, token] = [await newClient({}, keysOwner.token), await keyWith(...scopes)];
      expect((await ask(id, token)).status).toBe(method === "DELETE" ? 204 : 200);
      const { id: foreign } = await newClient();
      await expectRefusal(server, 403, "Forbidden", () => ask(foreign, token));
    }
    const { key } = await commandLineKey(server, { owner: owner.username });
    for (const token of [owner.token, manager.token, superAdmin, server.systemKey]) {
      const { id } = await newClient();
      expect((await ask(id, token)).status).toBe(method === "DELETE" ? 204 : 200);
    }
    const { id } = await newClient();
    await expectRefusal(server, 403, "Forbidden", () => ask(id, key));
  });

  test("answers 404 to an unknown client and 400 to a malformed identifier", async () => {
    for (const token of [stranger.token, superAdmin]) {
      await expectRefusal(server, 404, "NotFound", () => ask(UNKNOWN, token));
      await expectNoChange(server, async () => expectInvalid(await ask("crew-app", token), "/id"));
    }
  });
});

describe("PATCH /v1/oauth/clients/{id}", () => {
  test("changes the fields that are sent, keeps the others, and clears with null", async () => {
    const { id, secret } = await newClient({
      description: "d",
      logo_url: "https://app.example/logo.png",
      homepage_url: "https://app.example",
      privacy_policy_url: "https://app.example/privacy",
      terms_of_service_url: "https://app.example/terms",
      allowed_scopes: ["openid"],
    });
    const before = await read(id);
    const change = { name: "Other", redirect_uris: ["https://b.example/cb"], allowed_scopes: [] };
    expect(done(await patch(id, change)).data).toEqual({
      ...before,
      ...change,
      updated_at: TIME,
    });
    for (const field of [...ADDRESSES, "description"]) {
      expect(done(await patch(id, { [field]: null })).data[field]).toBeNull();
      expect((await read(id))[field]).toBeNull();
    }
    expect(done(await patch(id, { is_active: false })).data).toMatchObject({
      is_active: false,
      name: "Other",
    });
    expect(storedHash(id)).toBe(hashOf(secret));
  });

  test("refuses null where a value is needed", async () => {
    const { id } = await newClient();
    for (const field of ["name", "redirect_uris", "client_type", "is_active", "is_first_party"])
      await expectNoChange(server, async () =>
        expectInvalid(await patch(id, { [field]: null }), `/${field}`),
      );
  });

  // Every field is optional, and none is required to remain (rule H7).
  test("leaves the client as it is without a known field, and what isn't to be chosen", async () => {
    const { id } = await newClient();
    const sent = { id: UNKNOWN, owner_id: stranger.id, secret_hash: "x", created_at: 1, unknown: true };
    for (const body of [{}, sent])
      await expectNoChange(server, async () => expect(done(await patch(id, body)).data.id).toBe(id));
    done(await patch(id, { ...sent, name: "Known" }));
    expect((await read(id)).name).toBe("Known");
    expect(storedHash(id)).not.toBe("x");
    expectRefused(await server.get(`${PATH}/${id}`, { token: stranger.token }), 403, "Forbidden");
  });

  test("takes the secret from a client that becomes public, and a regeneration gives a later one", async () => {
    const { id, secret } = await newClient();
    expect(done(await patch(id, { client_type: "public" })).data.client_type).toBe("public");
    expect(storedHash(id)).toBeNull();
    await expectRefusal(server, 400, "BadRequest", () => regenerate(id));
    done(await patch(id, { client_type: "confidential" }));
    expect(storedHash(id)).toBeNull();
    const { client_secret } = done(await regenerate(id));
    expect(client_secret).not.toBe(secret);
    expect(storedHash(id)).toBe(hashOf(client_secret));
  });
});

describe("POST /v1/oauth/clients/{id}/regenerate-secret", () => {
  test("shows a new secret this once; the former one is gone", async () => {
    const { id, secret } = await newClient();
    const { status, body } = await regenerate(id);
    expect(status).toBe(200);
    const { client_secret } = body;
    expect(body).toEqual({ client_id: id, client_secret, message: expect.stringMatching(/./) });
    expect(client_secret).toMatch(SECRET);
    expect(client_secret).not.toBe(secret);
    expect(storedHash(id)).toBe(hashOf(client_secret));
    expect(filesWith(server, client_secret)).toEqual([]);
  });

  test("of many at once leaves the secret of one answer", async () => {
    const { id } = await newClient();
    const answers = await Promise.all(Array.from({ length: 5 }, () => regenerate(id)));
    const hashes = answers.map((answer) => hashOf(done(answer).client_secret));
    expect(new Set(hashes).size).toBe(5);
    expect(hashes).toContain(storedHash(id) ?? "none");
  });
});

describe("DELETE /v1/oauth/clients/{id}", () => {
  test("removes the client", async () => {
    const { id } = await newClient();
    const { status, body } = await remove(id);
    expect([status, body]).toEqual([204, null]);
    for (const token of [owner.token, superAdmin])
      expectRefused(await server.get(`${PATH}/${id}`, { token }), 404, "NotFound");
    expect(await idsOf(PATH, owner.token)).not.toContain(id);
    expectRefused(await remove(id), 404, "NotFound");
  });
});

describe("the audit log", () => {
  test("has an event for each change, about the owner, with who did it and never the secret", async () => {
    const secrets: string[] = [];
    let id = "";
    const events = await audited(server, async () => {
      const client = await newClient();
      id = client.id;
      done(await patch(id, { name: "New", description: null }, manager.token));
      secrets.push(client.secret, done(await regenerate(id, superAdmin)).client_secret);
      done(await remove(id));
    });
    const { id: adminId } = done(await server.get("/v1/users/me", { token: superAdmin })).data;
    expect(
      events.map((row) => [row.event_type, row.user_id, row.actor_id, row.resource_type, row.resource_id]),
    ).toEqual([
      ["client_created", owner.id, null, "oauth_client", id],
      ["client_updated", owner.id, manager.id, "oauth_client", id],
      ["client_secret_regenerated", owner.id, adminId, "oauth_client", id],
      ["client_deleted", owner.id, null, "oauth_client", id],
    ]);
    expect(JSON.parse(events[1]?.metadata ?? "")).toMatchObject({ changed: ["name"] });
    for (const secret of secrets) {
      expect(JSON.stringify(auditRows(server))).not.toContain(secret);
      expect(JSON.stringify(auditRows(server))).not.toContain(hashOf(secret));
    }
  });

  test("is written together with the change: what can't be audited doesn't happen", async () => {
    const { id, secret } = await newClient();
    const acts: [string, () => ReturnType<typeof remove>][] = [
      ["client_updated", () => patch(id, { name: "Ghost", client_type: "public" })],
      ["client_secret_regenerated", () => regenerate(id)],
      ["client_deleted", () => remove(id)],
    ];
    for (const [event, act] of acts)
      await expectNoChange(server, () =>
        withoutAudit(server, event, async () => expectRefused(await act(), 500, "InternalServerError")),
      );
    expect(storedHash(id)).toBe(hashOf(secret));
  });
});
