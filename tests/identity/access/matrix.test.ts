import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { PERMISSIONS } from "../../../src/identity/access/permissions";
import { alertsOf, newRule, send } from "../../alerts/support";
import type { Answer, RequestOptions, Token } from "../../support/api";
import type { OperationDocument } from "../../support/contract";
import { done } from "../../support/expectations";
import { externalUser, newUser } from "../../support/people";
import { permissionId } from "../../support/roles";
import { reading } from "../../support/rows";
import { TestServer } from "../../support/server";
import { accountsOf } from "../accounts/support";
import { asClient, newClient, postForm, type TestClient, tokensFor as userTokens } from "../oauth/support";

/**
 * The access matrix of every operation that the server's own document names, so that a new one is covered on
 * the day it is added (rules C4, C5 and H14).
 */
let server: TestServer;
let operations: Operation[];
beforeAll(async () => {
  server = await TestServer.start();
  const { paths } = (await server.contract()).document;
  operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      permission: operation["x-permission"],
      further: operation["x-further-permission"],
      // Open even if a credential permits more: the empty scheme is among them.
      isPublic:
        operation.security.length === 0 ||
        operation.security.some((scheme) => Object.keys(scheme).length === 0),
      takesBody: operation.requestBody !== undefined,
      example: operation.requestBody?.content["application/json"]?.example,
      description: operation.description,
    })),
  );
});
afterAll(() => server.stop());

interface Operation extends Pick<OperationDocument, "description"> {
  method: string;
  path: string;
  permission: string | undefined;
  /** A second permission that is needed as well. */
  further: string | undefined;
  isPublic: boolean;
  takesBody: boolean;
  /** A body that the operation accepts. */
  example: unknown;
}

const NOTHING = "0192f3a1-5c00-7d1e-9a55-3f1f6c1f0a01";
const WRONG_KEY = `flk_${"x".repeat(43)}`;
const WRONG_SESSION = `ses_${"x".repeat(43)}`;
const WRONG_TOKEN = `fla_${"x".repeat(43)}`;
const SOCKET = "/v1/ws";

/**
 * A request that does no harm whoever makes it: its record doesn't exist and its body is no JSON, so a caller
 * who is let in gets 404 or 400.
 */
function ask({ method, path, takesBody }: Operation, { headers, ...options }: RequestOptions = {}) {
  return server.request(method, path.replaceAll(/\{\w+\}/g, NOTHING), {
    ...(takesBody && { raw: "{ this is no JSON" }),
    ...options,
    // Pages say that they are some; anywhere else nobody asks.
    headers: {
      ...(takesBody && { "content-type": "application/json" }),
      ...(path.startsWith("/bridge/") && { "x-fairlead-page": "1" }),
      ...headers,
    },
  });
}

/** The operations with a wrong answer, each with that answer: none when all is well. */
async function offenders(
  chosen: Operation[],
  request: (operation: Operation) => Promise<Answer>,
  isRight: (status: number, operation: Operation) => boolean,
): Promise<string[]> {
  expect(chosen).not.toEqual([]);
  const found = [];
  for (const operation of chosen) {
    const { status, body } = await request(operation);
    if (!isRight(status, operation))
      found.push(`${operation.method} ${operation.path} ${status} ${body?.message ?? ""}`);
  }
  return found;
}
const guarded = () => operations.filter(({ isPublic }) => !isPublic);
const withPermission = () => operations.filter(({ permission }) => permission !== undefined);
const is = (wanted: number) => (status: number) => status === wanted;
const isLetIn = (status: number) => status !== 401 && status !== 403 && status !== 500;

/** Requests whose faults only a caller who was let in may hear about (rule H14). */
const MALFORMED: [what: string, options: (operation: Operation) => RequestOptions][] = [
  ["a body that is no JSON", () => ({})],
  [
    "a body of another type",
    ({ takesBody }) => (takesBody ? { headers: { "content-type": "text/plain" } } : {}),
  ],
  ["no body", ({ takesBody }) => (takesBody ? { raw: "" } : {})],
];

describe("an operation that isn't public answers 401", () => {
  test.each(MALFORMED)("without a credential, to %s", async (_, options) => {
    expect(await offenders(guarded(), (operation) => ask(operation, options(operation)), is(401))).toEqual(
      [],
    );
  });

  test.each(MALFORMED)("to a wrong key, session token and access token, with %s", async (_, options) => {
    for (const token of [WRONG_KEY, WRONG_SESSION, WRONG_TOKEN])
      expect(
        await offenders(guarded(), (operation) => ask(operation, { token, ...options(operation) }), is(401)),
      ).toEqual([]);
  });

  test("to a malformed Authorization header", async () => {
    const session = await server.admin();
    for (const authorization of ["", "Bearer", session, `Basic ${session}`, `Bearer ${session} ${session}`])
      expect(
        await offenders(guarded(), (operation) => ask(operation, { headers: { authorization } }), is(401)),
      ).toEqual([]);
  });

  test("before it looks at the path and the query", async () => {
    const malformed = ({ path }: Operation) =>
      `${path.replaceAll(/\{\w+\}/g, "%21")}?page=x&limit=x&status=x`;
    const request = (operation: Operation) => ask({ ...operation, path: malformed(operation) });
    expect(await offenders(guarded(), request, is(401))).toEqual([]);
  });

  test("to HEAD in place of GET", async () => {
    const reads = guarded().filter(({ method, path }) => method === "GET" && path !== SOCKET);
    expect(await offenders(reads, (operation) => ask({ ...operation, method: "HEAD" }), is(401))).toEqual([]);
  });

  test("to a good session token outside the Authorization header, but for the WebSocket and pages", async () => {
    const session = await server.admin();
    const rest = guarded().filter(({ path }) => path !== SOCKET && !path.startsWith("/bridge/"));
    const inQuery = (operation: Operation) =>
      ask({ ...operation, path: `${operation.path}?token=${session}` });
    const inCookie = (operation: Operation) =>
      ask(operation, { headers: { cookie: `fairlead_session=${session}`, origin: server.url } });
    expect(await offenders(rest, inQuery, is(401))).toEqual([]);
    expect(await offenders(rest, inCookie, is(401))).toEqual([]);
  });

  test("with the error body and a challenge", async () => {
    for (const options of [{}, { token: WRONG_KEY }]) {
      const { body, headers } = await server.get("/v1/trips", options);
      expect(body).toEqual({ error: "Unauthorized", message: expect.any(String) });
      expect(headers.get("www-authenticate")).toStartWith("Bearer");
      expect(headers.get("cache-control")).toBe("no-store");
    }
  });
});

describe("an operation that needs a permission", () => {
  const needed = ({ permission = "", further }: Operation) =>
    further ? [permission, further] : [permission];

  /** One key for each permission, or two together, that operations ask for. */
  async function keysFor(scopesOf: (...needed: string[]) => string[]): Promise<Map<string, Token>> {
    const keys = new Map<string, Token>();
    for (const operation of withPermission()) {
      const name = needed(operation).join(" ");
      if (!keys.has(name)) keys.set(name, await server.key(...scopesOf(...needed(operation))));
    }
    return keys;
  }
  const resourceOf = (permission: string) => permission.split(":")[0] as string;
  const catalogue = Object.keys(PERMISSIONS);
  const resources = [...new Set(catalogue.map(resourceOf))];
  const askWith =
    (keys: Map<string, Token>) =>
    (operation: Operation, options: RequestOptions = {}) =>
      ask(operation, { token: keys.get(needed(operation).join(" ")) as Token, ...options });

  test.each(MALFORMED)(
    "answers 403 to a key that has every other permission, with %s",
    async (_, options) => {
      const request = askWith(
        await keysFor((permission) => catalogue.filter((other) => other !== permission)),
      );
      const all = (operation: Operation) => request(operation, options(operation));
      expect(await offenders(withPermission(), all, is(403))).toEqual([]);
    },
  );

  test("answers 403 to a key that has every wildcard but that of its resource", async () => {
    const keys = await keysFor((permission) =>
      resources.filter((resource) => resource !== resourceOf(permission)).map((resource) => `${resource}:*`),
    );
    expect(await offenders(withPermission(), askWith(keys), is(403))).toEqual([]);
  });

  test("answers 403 to a key without any scope", async () => {
    const token = await server.key();
    expect(await offenders(withPermission(), (operation) => ask(operation, { token }), is(403))).toEqual([]);
  });

  test("lets a key in that has exactly it", async () => {
    expect(await offenders(withPermission(), askWith(await keysFor((...names) => names)), isLetIn)).toEqual(
      [],
    );
  });

  test("lets a key in that has the wildcard of its resource", async () => {
    const keys = await keysFor((...permissions) =>
      permissions.map((permission) => `${resourceOf(permission)}:*`),
    );
    expect(await offenders(withPermission(), askWith(keys), isLetIn)).toEqual([]);
  });

  test("lets *:* in: of a key, a system key, the Admin role and a super admin", async () => {
    const tokens = [
      await server.key("*:*"),
      server.systemKey,
      (await newUser(server, "role_admin")).token,
      await server.admin(),
    ];
    for (const token of tokens)
      expect(await offenders(withPermission(), (operation) => ask(operation, { token }), isLetIn)).toEqual(
        [],
      );
  });

  test("answers 403 to a plain user, who holds two-factor permissions alone", async () => {
    const { token } = await newUser(server);
    const own = ["two_factor:read", "two_factor:write"];
    const others = withPermission().filter(
      ({ permission = "", description }) =>
        !own.includes(permission) && !description.includes("any session will do"),
    );
    expect(await offenders(others, (operation) => ask(operation, { token }), is(403))).toEqual([]);
  });

  test("says which one in an error body", async () => {
    const { status, body } = await server.get("/v1/trips", { token: await server.key() });
    expect([status, body.error]).toEqual([403, "Forbidden"]);
    expect(body.message).toContain("trips:read");
  });
});

describe("an operation without a permission", () => {
  const saying = (words: string) => operations.filter(({ description }) => description.endsWith(words));

  test("that is public answers without a credential", async () => {
    const open = operations.filter(({ isPublic }) => isPublic);
    expect(await offenders(open, (operation) => ask(operation), isLetIn)).toEqual([]);
  });

  test("that needs an administrator answers 403 to everybody else, and lets administrators in", async () => {
    const marked = saying("Needs an administrator: a holder of `*:*`.");
    const everythingElse = await server.key(
      ...new Set(
        Object.keys(PERMISSIONS).flatMap((permission) => [permission, permission.replace(/:.*/, ":*")]),
      ),
    );
    for (const token of [everythingElse, (await externalUser(server)).token])
      expect(await offenders(marked, (operation) => ask(operation, { token }), is(403))).toEqual([]);
    for (const token of [
      await server.key("*:*"),
      server.systemKey,
      (await newUser(server, "role_admin")).token,
      await server.admin(),
    ])
      expect(await offenders(marked, (operation) => ask(operation, { token }), isLetIn)).toEqual([]);
  });

  test("that needs a system key answers 403 to sessions and users' keys, and lets system keys in", async () => {
    const marked = saying("Needs a system API key.");
    for (const token of [await server.admin(), await server.key("*:*"), (await externalUser(server)).token])
      expect(await offenders(marked, (operation) => ask(operation, { token }), is(403))).toEqual([]);
    const token = server.systemKey;
    expect(await offenders(marked, (operation) => ask(operation, { token }), isLetIn)).toEqual([]);
  });

  test("that is open to all credentials lets a key without any scope in", async () => {
    const marked = [
      ...saying("Open to any session token or API key."),
      ...saying("Open to any session token, API key or access token."),
    ].filter(({ path }) => path !== SOCKET);
    for (const token of [await server.key(), (await externalUser(server)).token])
      expect(
        await offenders(
          marked,
          (operation) => ask(operation, { token }),
          // The operation's own rules may refuse a key, for example for somebody else's address.
          (status) => status !== 401 && status !== 500,
        ),
      ).toEqual([]);
  });

  test("that needs a session token lets a session in", async () => {
    const marked = saying("Needs a session token.");
    for (const operation of marked) {
      // Each has a session of its own, since some operations end it.
      const { token } = await externalUser(server);
      expect(await offenders([operation], () => ask(operation, { token }), isLetIn)).toEqual([]);
    }
  });

  test("that needs a session token answers 401 to a key", async () => {
    for (const token of [await server.key("*:*"), server.systemKey])
      expect(
        await offenders(saying("Needs a session token."), (operation) => ask(operation, { token }), is(401)),
      ).toEqual([]);
  });

  test("says who may use it", () => {
    const known = [
      "Open to anyone.",
      "Open to any session token or API key.",
      "Open to any session token, API key or access token.",
      "Needs an access token with the scope `openid`.",
      "Open to anyone; some requests need a credential.",
      "Needs a session token.",
      "Needs a system API key.",
      "Needs a box's token.",
      "Needs a tracker's token, or the API key of a device with `gps:write` as Bearer.",
      "Needs an administrator: a holder of `*:*`.",
    ];
    for (const { description, permission } of operations)
      if (permission === undefined) expect(known).toContain(description.split("\n").at(-1) ?? "");
  });
});

describe("an access token", () => {
  const catalogue = Object.keys(PERMISSIONS);
  const saying = (words: string) => operations.filter(({ description }) => description.endsWith(words));
  const needed = ({ permission = "", further }: Operation) =>
    further ? [permission, further] : [permission];

  let client: TestClient;
  beforeAll(async () => {
    client = await newClient(server, {}, { approved: catalogue });
  });

  /** A token of a client that acts for itself, whose owner is a super admin: its scopes alone bound it. */
  const tokenWith = async (scopes: string[]): Promise<Token> => {
    const form = { ...asClient(client), grant_type: "client_credentials", scope: scopes.join(" ") };
    return done(await postForm(server, "/oauth/token", form)).access_token;
  };

  async function tokensFor(scopesOf: (...needed: string[]) => string[]) {
    const tokens = new Map<string, Token>();
    for (const operation of withPermission()) {
      const name = needed(operation).join(" ");
      if (!tokens.has(name)) tokens.set(name, await tokenWith(scopesOf(...needed(operation))));
    }
    return (operation: Operation, options: RequestOptions = {}) =>
      ask(operation, { token: tokens.get(needed(operation).join(" ")) as Token, ...options });
  }

  test("is let in by exactly the permission that an operation needs", async () => {
    expect(await offenders(withPermission(), await tokensFor((...names) => names), isLetIn)).toEqual([]);
  });

  test("gets 403 with every other one", async () => {
    const request = await tokensFor((permission) => catalogue.filter((other) => other !== permission));
    expect(await offenders(withPermission(), request, is(403))).toEqual([]);
  });

  test("of a super admin with every permission is no administrator, no session and no system key", async () => {
    const token = await tokenWith(catalogue);
    const request = (operation: Operation) => ask(operation, { token });
    const admins = saying("Needs an administrator: a holder of `*:*`.");
    expect(await offenders(admins, request, is(403))).toEqual([]);
    expect(await offenders(saying("Needs a system API key."), request, is(403))).toEqual([]);
    expect(await offenders(saying("Needs a session token."), request, is(401))).toEqual([]);
  });

  test("is no credential for what is the user's own: downloads of all data, doors of apps", async () => {
    const token = await tokenWith(catalogue);
    const request = (operation: Operation) => ask(operation, { token });
    const own = saying("Open to any session token or API key.");
    expect(own.map(({ path }) => path)).toEqual(["/v1/user/export", "/v1/user/export/logs"]);
    expect(await offenders(own, request, is(403))).toEqual([]);
    const doors = saying("or the API key of a device with `gps:write` as Bearer.");
    expect(await offenders(doors, request, is(401))).toEqual([]);
  });

  test("is taken wherever any credential is, and shows no more of its user than its scopes say", async () => {
    const token = await tokenWith(["gps:read"]);
    // A stream that lets it in has no end.
    const marked = saying("Open to any session token, API key or access token.").filter(
      ({ path }) => path !== SOCKET && !path.endsWith("/stream"),
    );
    const own = (status: number) => status !== 401 && status !== 500;
    expect(await offenders(marked, (operation) => ask(operation, { token }), own)).toEqual([]);
    expect((await server.get("/v1/users/me", { token })).status).toBe(403);
    expect((await server.get("/v1/users/me/2fa/status", { token })).status).toBe(403);
  });

  test("alone shows claims, and with the scope openid alone", async () => {
    const marked = saying("Needs an access token with the scope `openid`.");
    const without = await tokenWith(["gps:read"]);
    expect(await offenders(marked, (operation) => ask(operation, { token: without }), is(403))).toEqual([]);
    for (const token of [await server.admin(), await server.key("*:*"), server.systemKey])
      expect(await offenders(marked, (operation) => ask(operation, { token }), is(401))).toEqual([]);
    const { access_token } = await userTokens(server, client, await server.admin());
    const withIt = (operation: Operation) => ask(operation, { token: access_token });
    expect(await offenders(marked, withIt, isLetIn)).toEqual([]);
  });
});

describe("a refusal changes nothing", () => {
  /** Identifiers of existing records, by the part of a path that stands before the parameter. */
  const records = new Map<string, string>();
  let readers: Map<string, Token>;

  /** The document's example, with references to existing records. */
  const bodyOf = ({ example }: Operation): Record<string, unknown> =>
    Object.fromEntries(
      Object.entries((example ?? {}) as object).flatMap(([key, value]) => {
        if (key === "role_id") return [[key, "role_moderator"]];
        return key.endsWith("_id") ? [[key, records.get(key) ?? null]] : [[key, value]];
      }),
    );

  /** A request that would succeed if it were let in. */
  function earnest(operation: Operation, token?: Token): Promise<Answer> {
    const { method, path, takesBody } = operation;
    const filled = path
      .replace("{role_id}", path.startsWith("/v1/users") ? "role_developer" : "role_user")
      .replaceAll(/([\w-]+)\/\{\w+\}/g, (_, before) => `${before}/${records.get(before) ?? NOTHING}`);
    return server.request(method, filled, {
      ...(token && { token }),
      ...(takesBody && { body: bodyOf(operation) }),
    });
  }

  /** Everything that is stored, except for the times at which credentials were last used. */
  const dump = (): string[] =>
    // In one connection: each that is opened reads the whole schema.
    reading(server, (database) =>
      database
        .query<{ name: string }, []>("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
        .all()
        // The server notes now and then that it runs.
        .filter(({ name }) => name !== "server_life")
        .flatMap(({ name }) =>
          database
            .query<Record<string, unknown>, []>(`SELECT * FROM "${name}"`)
            .all()
            .map((row) => JSON.stringify([name, { ...row, last_used_at: null, last_activity_at: null }])),
        ),
    );

  const writing = () => withPermission().filter(({ method }) => method !== "GET");

  beforeAll(async () => {
    // One record of each kind, made of the document's own examples.
    const token = await server.admin();
    for (const operation of writing()) {
      const { method, path, takesBody } = operation;
      if (method !== "POST" || !takesBody || path.includes("{")) continue;
      const { body } = await earnest(operation, token);
      const made = body?.data?.id ?? body?.data?.key ?? body?.id;
      if (made) records.set(path.split("/").at(-1) ?? "", String(made));
    }
    const { id } = await newUser(server, "role_developer");
    records.set("users", id);
    records.set("accounts", (await accountsOf(server, id))[0].id);
    const tracker = { name: "phone", format: "generic", base_url: "https://boat.example.org" };
    const path = `/v1/devices/${records.get("devices")}/trackers`;
    records.set("trackers", done(await server.post(path, { token, body: tracker })).data.id);
    await newRule(server, { type: "speed", above_knots: 1 });
    await send(server, await server.device());
    records.set("alerts", (await alertsOf(server))[0].id);
    records.set("platforms", "discord");
    records.set("permissions", permissionId(server, "gps:read"));
    records.set("permission_id", permissionId(server, "trips:read"));
    for (const [method, path, body] of [
      [
        "POST",
        `/v1/roles/${records.get("roles")}/permissions`,
        { permission_id: records.get("permissions") },
      ],
      ["POST", `/v1/api-keys/${records.get("api-keys")}/roles`, { role_id: "role_user" }],
    ] as const)
      done(await server.request(method, path, { token, body }));
    const catalogue = Object.keys(PERMISSIONS);
    readers = new Map();
    for (const { permission = "" } of withPermission())
      if (!readers.has(permission))
        readers.set(permission, await server.key(...catalogue.filter((other) => other !== permission)));
  });

  test("of a request without a credential, and of one with every permission but the needed one", async () => {
    const before = dump();
    const without = (operation: Operation) => earnest(operation);
    expect(await offenders(guarded(), without, is(401))).toEqual([]);
    const lacking = (operation: Operation) => earnest(operation, readers.get(operation.permission ?? ""));
    expect(await offenders(withPermission(), lacking, is(403))).toEqual([]);
    expect(dump()).toEqual(before);
  });

  test("of a request about somebody else's account", async () => {
    const { token } = await externalUser(server);
    const own = withPermission().filter(({ path }) => path.startsWith("/v1/users/{id}"));
    const before = dump();
    expect(await offenders(own, (operation) => earnest(operation, token), is(403))).toEqual([]);
    expect(dump()).toEqual(before);
  });

  test("and the same requests of somebody who may do change something, many of them", async () => {
    const token = await server.admin();
    const effective: string[] = [];
    // Deletions come last, those of parts before those of wholes: they remove the records of the others.
    const weight = ({ method, path }: Operation) =>
      (method === "DELETE" || path.includes("force-delete") ? 100 : 0) - path.split("/").length;
    const inOrder = writing().toSorted((a, b) => weight(a) - weight(b));
    let before = dump().join();
    for (const operation of inOrder) {
      const { status } = await earnest(operation, token);
      const after = dump().join();
      if (status < 300 && after !== before) effective.push(`${operation.method} ${operation.path}`);
      before = after;
    }
    expect(effective.length).toBeGreaterThan(writing().length * 0.4);
    // Notifications go to addresses that are asked for over the network, with timeouts of their own.
  });
});

/** The credential that each operation must require; operations that don't exist yet are skipped. */
const SPECIFIED = `
GET /health none
GET /v1/health none
GET /v1 none
GET /v1/gps gps:read
GET /v1/gps/current gps:read
GET /v1/gps/current/devices gps:read
GET /v1/gps/{id} gps:read
POST /v1/gps gps:write
DELETE /v1/gps/{id} gps:delete
GET /v1/devices devices:read
GET /v1/devices/{id} devices:read
POST /v1/devices devices:write
PATCH /v1/devices/{id} devices:write
DELETE /v1/devices/{id} devices:delete
GET /v1/trips trips:read
GET /v1/trips/{id} trips:read
POST /v1/trips trips:write
PATCH /v1/trips/{id} trips:write
DELETE /v1/trips/{id} trips:delete
GET /v1/trips/{id}/gps trips:read
GET /v1/trips/{id}/history trips:read
GET /v1/locations locations:read
GET /v1/locations/{id} locations:read
POST /v1/locations locations:write
PATCH /v1/locations/{id} locations:write
DELETE /v1/locations/{id} locations:delete
POST /v1/locations/{id}/contacts locations:write
PATCH /v1/locations/{id}/contacts/{cid} locations:write
DELETE /v1/locations/{id}/contacts/{cid} locations:write
GET /v1/geofences geofences:read
GET /v1/geofences/{id} geofences:read
POST /v1/geofences geofences:write
PATCH /v1/geofences/{id} geofences:write
DELETE /v1/geofences/{id} geofences:delete
GET /v1/geofences/{id}/devices geofences:read
GET /v1/geofences/{id}/visits geofences:read
GET /v1/geofence-presence geofences:read
GET /v1/geofence-events geofences:read
GET /v1/geofence-events/{id} geofences:read
GET /v1/trip-categories trip_categories:read
GET /v1/trip-categories/{id} trip_categories:read
POST /v1/trip-categories trip_categories:write
PATCH /v1/trip-categories/{id} trip_categories:write
DELETE /v1/trip-categories/{id} trip_categories:delete
GET /v1/trip-templates trips:read
GET /v1/trip-templates/{id} trips:read
POST /v1/trip-templates trips:write
PATCH /v1/trip-templates/{id} trips:write
DELETE /v1/trip-templates/{id} trips:delete
POST /v1/trip-templates/{id}/create-trip trips:write
GET /v1/settings settings:read
GET /v1/settings/public none
GET /v1/settings/{key} settings:read
POST /v1/settings settings:write
PUT /v1/settings/{key} settings:write
DELETE /v1/settings/{key} settings:delete
GET /v1/system-config settings:read
GET /v1/system-config/{key} settings:read
PATCH /v1/system-config/{key} settings:write
GET /v1/pegel/history pegel:read
GET /v1/pegel/nearby pegel:read
GET /v1/pegel/nearest pegel:read
GET /v1/pegel/stations pegel:read
GET /v1/pegel/stations/{station_id}/history pegel:read
GET /v1/stats/public none
GET /v1/community/guilds community:read
GET /v1/community/guilds/{guild_id} community:read
GET /v1/community/guilds/{guild_id}/channels community:read
GET /v1/community/guilds/{guild_id}/full community:read
POST /v1/community/sync community:sync
DELETE /v1/community/guilds/{guild_id} community:delete
GET /v1/community/settings community:read
PUT /v1/community/settings community:edit
GET /v1/community/guilds/{guild_id}/settings community:read
PUT /v1/community/guilds/{guild_id}/settings community:edit
GET /v1/community/guilds/{guild_id}/members community:read
GET /v1/community/guilds/{guild_id}/members/{user_id} community:read
POST /v1/community/guilds/{guild_id}/members/sync community:guild.sync
POST /v1/auth/register none
POST /v1/auth/register/verify none
POST /v1/auth/verify-email none
POST /v1/auth/login none
POST /v1/auth/2fa/verify none
POST /v1/auth/reset-password none
POST /v1/auth/reset-password/complete none
POST /v1/auth/signin none
POST /v1/auth/validate none
POST /v1/users/{id}/2fa/unlock two_factor:manage
GET /v1/oauth/clients oauth_clients:read
GET /v1/oauth/clients/{id} oauth_clients:read
POST /v1/oauth/clients oauth_clients:write
PATCH /v1/oauth/clients/{id} oauth_clients:write
POST /v1/oauth/clients/{id}/regenerate-secret oauth_clients:write
DELETE /v1/oauth/clients/{id} oauth_clients:write
GET /v1/users users:read
GET /v1/users/{id} users:read
GET /v1/users/{id}/profile users:read
PATCH /v1/users/{id} users:write
PATCH /v1/users/{id}/locale users:write
PATCH /v1/users/{id}/username users:write
GET /v1/users/{id}/permissions users:read
GET /v1/users/{id}/roles users:read
POST /v1/users/{id}/email/request-change users:write
GET /v1/users/{id}/email/pending users:read
DELETE /v1/users/{id}/email/pending users:write
POST /v1/users/{id}/email-link/request users:write
GET /v1/users/{id}/email-link/pending users:read
DELETE /v1/users/{id}/email-link/pending users:write
GET /v1/users/{id}/accounts users:read
PUT /v1/users/{id}/accounts/{account_id}/primary users:write
DELETE /v1/users/{id}/accounts/{account_id} users:write
GET /v1/users/{id}/ban users:read
DELETE /v1/users/{id} users:delete
POST /v1/users/{id}/roles users:write
DELETE /v1/users/{id}/roles/{role_id} users:write
GET /v1/platforms none
GET /v1/platforms/enabled none
GET /v1/platforms/{id_or_slug} none
PATCH /v1/platforms/{id_or_slug}/enabled settings:write
PATCH /v1/platforms/{id_or_slug}/settings settings:write
POST /v1/users/{id}/ban users:ban
DELETE /v1/users/{id}/ban users:ban
GET /v1/users/{id}/bans users:read
GET /v1/admin/users/{id}/deletion-status users:read
POST /v1/admin/users/{id}/force-delete users:delete
POST /v1/admin/users/{id}/cancel-deletion users:write
GET /v1/api-keys api_keys:read
GET /v1/api-keys/{id} api_keys:read
POST /v1/api-keys api_keys:write
PATCH /v1/api-keys/{id} api_keys:write
POST /v1/api-keys/{id}/regenerate api_keys:write
DELETE /v1/api-keys/{id} api_keys:delete
GET /v1/api-keys/{id}/roles api_keys:read
POST /v1/api-keys/{id}/roles api_keys:write
DELETE /v1/api-keys/{id}/roles/{role_id} api_keys:write
GET /v1/roles roles:read
GET /v1/roles/{id} roles:read
POST /v1/roles roles:write
PATCH /v1/roles/{id} roles:write
DELETE /v1/roles/{id} roles:delete
GET /v1/roles/{id}/permissions roles:read
POST /v1/roles/{id}/permissions roles:write
DELETE /v1/roles/{id}/permissions/{permission_id} roles:write
GET /v1/permissions permissions:read
GET /v1/permissions/{id} permissions:read
POST /v1/permissions permissions:write
GET /v1/users/{user_id}/audit audit:read
GET /v1/admin/audit audit:read
GET /v1/admin/audit/reports audit:read
PATCH /v1/admin/audit/reports/{report_id} audit:write
`;

test("every operation asks for what the specification says", () => {
  /** Names of parameters may differ. */
  const anonymous = (path: string) => path.replaceAll(/\{\w+\}/g, "{}");
  const specified = new Map(
    SPECIFIED.trim()
      .split("\n")
      .map((line) => {
        const [method, path = "", permission] = line.split(" ");
        return [`${method} ${anonymous(path)}`, permission];
      }),
  );
  const asked = operations.map(({ method, path, permission, isPublic }) => [
    `${method} ${anonymous(path)}`,
    isPublic ? "none" : permission,
  ]);
  const compared = asked.filter(([operation]) => specified.has(operation ?? ""));
  expect(compared.length).toBeGreaterThan(30);
  expect(compared).toEqual(compared.map(([operation]) => [operation, specified.get(operation ?? "")]));
});
