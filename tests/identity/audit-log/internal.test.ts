import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { Answer, RequestOptions } from "../../support/api";
import { done, expectInvalid, expectRefused, UNKNOWN } from "../../support/expectations";
import { outputOfWholeRun } from "../../support/log";
import { newUser, staff, type User } from "../../support/people";
import { filesWith } from "../../support/rows";
import { APP_KEY, type Settings, TestServer } from "../../support/server";
import { countsDiffer, find, storedEvents } from "./support";

/** `POST /v1/internal/audit`, with `security.id_app_key` (rules E2, E4 and H7 to H9). */
const SOURCES = ["api", "id", "backend", "policies", "community_bot", "stream_bot"];
let server: TestServer;
let user: User;
let other: User;
beforeAll(async () => {
  server = await TestServer.start({ settings: { "security.id_app_key": APP_KEY } });
  user = await newUser(server);
  other = await newUser(server);
});
afterAll(() => server.stop());

/** An event about the user as a service writes it. */
const event = (overrides: object = {}) => ({
  user_id: user.id,
  event_type: "consent_granted",
  resource_type: "client",
  status: "success",
  source_service: "api",
  metadata: { scope: "profile" },
  ...overrides,
});

const asApp = { headers: { "x-id-app-key": APP_KEY } };
const write = (overrides: object = {}, as: RequestOptions = asApp, to = server): Promise<Answer> =>
  to.post("/v1/internal/audit", { body: event(overrides), ...as });

/** Expects that none of these is stored. */
async function expectNothingStored(act: () => Promise<unknown>): Promise<void> {
  const before = storedEvents(server);
  await act();
  expect(storedEvents(server)).toEqual(before);
}

describe("an event", () => {
  test("is stored and answered with every field that was sent", async () => {
    const sent = event({
      actor_id: other.id,
      resource_id: "crew-app",
      description: "Granted access 🌊",
      ip_address: "203.0.113.7",
      user_agent: "Crew/1.0",
      error_message: "none really",
      status: "failure",
      metadata: { scope: ["profile", null, 1.5, { deep: true }], ключ: "τιμή" },
    });
    const { status, body } = await write(sent);
    expect(status).toBe(201);
    expect(body).toEqual({
      data: {
        ...sent,
        id: expect.any(String),
        country_code: null,
        country_name: null,
        city: null,
        region: null,
        recorded_by: { kind: "app", id: "id-app" },
        is_reported: false,
        hash: expect.stringMatching(/^[0-9a-f]{64}$/),
        created_at: expect.stringMatching(/Z$/),
      },
      _links: { self: "/v1/internal/audit" },
    });
    expect(Math.abs(Date.parse(body.data.created_at) - Date.now())).toBeLessThan(60_000);
    const { events } = await find(server, {
      user_id: user.id,
      event_type: "consent_granted",
      status: "failure",
    });
    expect(events).toEqual([body.data]);
    expect(countsDiffer(server)).toEqual([]);
  });

  test("has null for what was left out or null, and takes neither identifier nor time nor place from outside", async () => {
    const foreign = {
      id: UNKNOWN,
      created_at: "2020-01-01T00:00:00Z",
      country_code: "DE",
      is_reported: true,
    };
    const optional = ["actor_id", "resource_id", "description", "ip_address", "user_agent", "error_message"];
    const nulls = Object.fromEntries(optional.map((name) => [name, null]));
    for (const overrides of [foreign, nulls]) {
      const { data } = done(await write(overrides));
      expect(data).toMatchObject({ ...nulls, country_code: null, is_reported: false });
      expect(data.id).not.toBe(UNKNOWN);
      expect(data.created_at).not.toStartWith("2020");
    }
    expect(done(await write({ metadata: null })).data.metadata).toBeNull();
  });

  test("never has the address and agent of the service that writes it", async () => {
    const headers = { ...asApp.headers, "user-agent": "Service/1.0" };
    expect(done(await write({}, { headers })).data).toMatchObject({ ip_address: null, user_agent: null });
  });

  test("writes nothing but itself", async () => {
    const before = storedEvents(server).length;
    const { data } = done(await write());
    expect(
      storedEvents(server)
        .slice(before)
        .map(({ id }) => id),
    ).toEqual([data.id]);
  });
});

describe("the credential", () => {
  test("may be the app key alone, or a key or session with audit:write", async () => {
    const writer = await staff(server, "audit:write");
    for (const as of [
      asApp,
      { token: await server.key("audit:write") },
      { token: server.systemKey },
      { token: writer.token },
    ])
      expect((await write({}, as)).status).toBe(201);
  });

  test("that is missing or wrong gets 401, one without audit:write 403, before the body is looked at", async () => {
    const reader = await staff(server, "audit:read");
    const readersKey = await server.key("audit:read");
    const wrong = `${APP_KEY.slice(0, -1)}x`;
    await expectNothingStored(async () => {
      for (const as of [
        {},
        { token: "nonsense" },
        { token: APP_KEY },
        { headers: { "x-id-app-key": wrong } },
        { headers: { "x-id-app-key": APP_KEY.slice(0, -1) } },
        { headers: { "x-id-app-key": `${APP_KEY}x` } },
        { headers: { "x-id-app-key": APP_KEY.toUpperCase() } },
        { headers: { "x-id-app-key": `Bearer ${APP_KEY}` } },
        { headers: { "x-id-app-key": "" } },
      ])
        for (const overrides of [{}, { event_type: "NOT A TYPE" }])
          expectRefused(await write(overrides, as), 401, "Unauthorized");
      for (const token of [user.token, reader.token, readersKey])
        for (const overrides of [{}, { event_type: "NOT A TYPE" }])
          expectRefused(await write(overrides, { token }), 403, "Forbidden");
    });
  });

  test("is the app key when one is sent: a bearer token beside it makes it neither better nor worse", async () => {
    expect((await write({}, { ...asApp, token: user.token })).status).toBe(201);
    expect((await write({}, { ...asApp, token: "nonsense" })).status).toBe(201);
    await expectNothingStored(async () => {
      for (const given of ["wrong", ""])
        expectRefused(
          await write({}, { token: server.systemKey, headers: { "x-id-app-key": given } }),
          401,
          "Unauthorized",
        );
    });
  });

  test("opens no other door: the app key does nothing elsewhere", async () => {
    const body = { requires: "nothing" };
    for (const path of ["/v1/admin/audit", "/v1/users", "/v1/admin/audit/reports"])
      expectRefused(await server.get(path, asApp), 401, "Unauthorized");
    expectRefused(await server.post("/v1/auth/2fa/check", { ...asApp, body }), 401, "Unauthorized");
  });
});

test("wrong app keys of an address are limited, and the right one and bearer tokens are not", async () => {
  const limited = await TestServer.start({
    settings: { "security.id_app_key": APP_KEY, "rate_limit.enabled": "true", "rate_limit.login": "3/60" },
    clock: "movable",
  });
  try {
    const attempt = (given: string) =>
      write({ user_id: null, source_service: "id" }, { headers: { "x-id-app-key": given } }, limited);
    const guess = (n: number) => attempt(`${APP_KEY.slice(0, -2)}${n}`);
    expect((await attempt(APP_KEY)).headers.get("ratelimit-limit")).toBeNull();
    for (const remaining of ["2", "1", "0"]) {
      const answer = await guess(Number(remaining));
      expectRefused(answer, 401, "Unauthorized");
      expect(answer.headers.get("ratelimit-remaining")).toBe(remaining);
    }
    const refused = await guess(4);
    expectRefused(refused, 429, "TooManyRequests");
    expect(refused.headers.get("retry-after")).toBe(refused.headers.get("ratelimit-reset"));
    // A stranger at the same address doesn't silence the services.
    expect((await attempt(APP_KEY)).status).toBe(201);
    const token = { token: limited.systemKey };
    expect((await write({ user_id: null, source_service: "id" }, token, limited)).status).toBe(201);
    expectRefused(await guess(5), 429, "TooManyRequests");
    await limited.advance(60_000);
    expectRefused(await guess(6), 401, "Unauthorized");
  } finally {
    await limited.stop();
  }
});

test("without a configured app key the header is refused, whatever it says", async () => {
  for (const settings of [{}, { "security.id_app_key": "" }] as Settings[]) {
    const closed = await TestServer.start({ settings });
    try {
      user = await newUser(closed);
      for (const given of ["", "null", "undefined", APP_KEY])
        for (const bearer of [{}, { token: closed.systemKey }])
          expectRefused(
            await write({}, { ...bearer, headers: { "x-id-app-key": given } }, closed),
            401,
            "Unauthorized",
          );
      expect(storedEvents(closed).filter(({ event_type }) => event_type === "consent_granted")).toEqual([]);
      expect((await write({}, { token: closed.systemKey }, closed)).status).toBe(201);
    } finally {
      await closed.stop();
    }
  }
});

test("the app key, right or wrong, stands in no answer, no log line and no file", async () => {
  const talking = await TestServer.start({
    settings: { "security.id_app_key": APP_KEY, "log.level": "debug", "log.format": "json" },
  });
  user = await newUser(talking);
  const guess = "a-guess-at-the-app-key";
  const answers = [
    await write({}, asApp, talking),
    await write({ event_type: "NOT A TYPE" }, asApp, talking),
    await write({}, { headers: { "x-id-app-key": guess } }, talking),
  ];
  expect(answers.map(({ status }) => status)).toEqual([201, 400, 401]);
  const said = JSON.stringify(answers.map(({ body, headers }) => [body, [...headers]]));
  const output = await outputOfWholeRun(talking);
  expect(output).toContain("/v1/internal/audit");
  for (const secret of [APP_KEY, guess]) {
    expect(said).not.toContain(secret);
    expect(output).not.toContain(secret);
    expect(filesWith(talking, secret)).toEqual([]);
  }
});

describe("the user", () => {
  beforeEach(async () => {
    user = await newUser(server);
  });

  test("of an event from `api` must exist", async () => {
    await expectNothingStored(async () => {
      for (const user_id of [UNKNOWN, "discord-1", null]) expectInvalid(await write({ user_id }), "/user_id");
    });
    const { data } = done(await write({ user_id: user.id.toUpperCase() }));
    expect(data.user_id).toBe(user.id);
  });

  test("of an event from another service may be ours, a stranger or nobody", async () => {
    for (const source_service of SOURCES.slice(1))
      for (const user_id of [user.id, UNKNOWN, "discord:4711", "🌊", null]) {
        const { data } = done(await write({ user_id, source_service }));
        expect(data).toMatchObject({ user_id, source_service });
      }
  });

  test("must be named, or null, and no longer than 128 characters", async () => {
    await expectNothingStored(async () => {
      for (const user_id of [undefined, "", 7, "🌊".repeat(129)])
        expectInvalid(await write({ user_id, source_service: "id" }), "/user_id");
    });
    const longest = "🌊".repeat(128);
    expect(done(await write({ user_id: longest, source_service: "id" })).data.user_id).toBe(longest);
    for (const name of ["user_id", "user_search"])
      expect((await find(server, { [name]: longest })).total_count).toBe(1);
  });
});

describe("the actor", () => {
  test("must exist, whatever service writes", async () => {
    await expectNothingStored(async () => {
      for (const source_service of SOURCES)
        expectInvalid(await write({ actor_id: UNKNOWN, source_service, user_id: user.id }), "/actor_id");
      for (const actor_id of ["discord-1", "", 7]) expectInvalid(await write({ actor_id }), "/actor_id");
    });
    for (const source_service of SOURCES) {
      const { data } = done(await write({ actor_id: other.id.toUpperCase(), source_service }));
      expect(data.actor_id).toBe(other.id);
    }
  });

  test("is null when it is the user itself", async () => {
    expect(done(await write({ actor_id: user.id })).data.actor_id).toBeNull();
    const nobody = { user_id: null, source_service: "backend", actor_id: user.id };
    expect(done(await write(nobody)).data.actor_id).toBe(user.id);
  });
});

describe("a field", () => {
  test("that is required can't be left out", async () => {
    await expectNothingStored(async () => {
      for (const name of Object.keys(event())) expectInvalid(await write({ [name]: undefined }), `/${name}`);
      for (const name of ["event_type", "resource_type", "status", "source_service"])
        expectInvalid(await write({ [name]: null }), `/${name}`);
    });
  });

  test("event_type is 1 to 64 lower-case letters, digits and underscores, known or not", async () => {
    for (const event_type of ["login", "a", "0", "_", "2fa_enabled", "x".repeat(64)])
      expect(done(await write({ event_type })).data.event_type).toBe(event_type);
    await expectNothingStored(async () => {
      for (const event_type of [
        "",
        "Login",
        "log-in",
        "log in",
        "login ",
        "login\n",
        "ä",
        "a.b",
        "x".repeat(65),
        7,
      ])
        expectInvalid(await write({ event_type }), "/event_type");
    });
  });

  test("status and source_service are words of the list", async () => {
    await expectNothingStored(async () => {
      for (const status of ["", "ok", "Success", 1]) expectInvalid(await write({ status }), "/status");
      for (const source_service of ["", "web", "API", "discord"])
        expectInvalid(await write({ source_service }), "/source_service");
    });
  });

  test("holds as many characters as fit, and not one more", async () => {
    const bounds: [name: string, most: number, letter: string][] = [
      ["resource_type", 64, "🌊"],
      ["resource_id", 128, "🌊"],
      ["description", 10_000, "🌊"],
      ["user_agent", 512, "🌊"],
      ["error_message", 1_000, "🌊"],
    ];
    for (const [name, most, letter] of bounds) {
      const longest = letter.repeat(most);
      expect(done(await write({ [name]: longest })).data[name]).toBe(longest);
      if (name === "resource_type") expect((await find(server, { [name]: longest })).total_count).toBe(1);
      await expectNothingStored(async () =>
        expectInvalid(await write({ [name]: longest + letter }), `/${name}`),
      );
    }
    await expectNothingStored(async () =>
      expectInvalid(await write({ resource_type: "" }), "/resource_type"),
    );
  });

  test("metadata is an object of at most 16 KiB, however it is spaced", async () => {
    const ofSize = (bytes: number, letter = "x") => {
      const room = bytes - Buffer.byteLength('{"a":""}');
      return { a: letter.repeat(Math.floor(room / Buffer.byteLength(letter))) };
    };
    const largest = ofSize(16_384);
    expect(done(await write({ metadata: largest })).data.metadata).toEqual(largest);
    const bytes = ofSize(16_384, "ü");
    expect(done(await write({ metadata: bytes })).data.metadata).toEqual(bytes);
    const spaced = JSON.stringify(event({ metadata: largest }), null, 8).replace(
      '"a":',
      `"a":${" ".repeat(2_000)}`,
    );
    const raw = { raw: spaced, headers: { ...asApp.headers, "content-type": "application/json" } };
    expect((await server.post("/v1/internal/audit", raw)).status).toBe(201);
    await expectNothingStored(async () => {
      for (const metadata of [ofSize(16_385), ofSize(16_386, "ü"), { [largest.a]: "key" }])
        expectInvalid(await write({ metadata }), "/metadata");
    });
  });

  test("metadata may be nested and empty, but is nothing else than an object or null", async () => {
    const nested = (depth: number): object => (depth === 0 ? {} : { in: [nested(depth - 1)] });
    for (const metadata of [{}, nested(30), { "": 0, a: [[], {}, null, "\u0000", 1e300, -0.5] }])
      expect(done(await write({ metadata })).data.metadata).toEqual(metadata);
    await expectNothingStored(async () => {
      for (const metadata of [[], [1], "x", "{}", 7, true])
        expectInvalid(await write({ metadata }), "/metadata");
      expectRefused(await write({ metadata: nested(40) }), 400, "BadRequest");
    });
  });

  test("ip_address is an address as people write it, of either family", async () => {
    for (const ip_address of [
      ...["203.0.113.7", "0.0.0.0", "255.255.255.255", "10.1.2.3"],
      ...["::", "::1", "2001:db8::7", "2001:DB8:0:0:0:0:0:7", "::ffff:203.0.113.7", "fe80::1"],
    ])
      expect(done(await write({ ip_address })).data.ip_address).toBe(ip_address);
    await expectNothingStored(async () => {
      for (const ip_address of [
        ...["", " ", "unknown", "localhost", "203.0.113", "203.0.113.256", "203.0.113.7.1", "203.0.113.7:80"],
        // Spellings that the C library would accept as addresses.
        ...["1", "0x7f000001", "0x7f.1", "127.1", "010.0.0.1", "3405803783"],
        ...[" 203.0.113.7", "203.0.113.7 ", "203.0.113.0/24", "[::1]", ":::", "1:2:3:4:5:6:7:8:9", "g::1"],
        ...["fe80::1%eth0", 7, {}, "x".repeat(46)],
      ])
        expectInvalid(await write({ ip_address }), "/ip_address");
    });
  });
});

describe("about an account that was scrubbed", () => {
  const traces = { ip_address: "203.0.113.7", user_agent: "Crew/1.0" };
  const gone = { ip_address: null, user_agent: null };

  test("an event keeps neither address nor agent, whether it is its user or its actor", async () => {
    const leaver = await newUser(server);
    done(await server.post(`/v1/admin/users/${leaver.id}/force-delete`, { token: server.systemKey }));
    expect(done(await write({ user_id: leaver.id, ...traces })).data).toMatchObject(gone);
    expect(done(await write({ user_id: other.id, actor_id: leaver.id, ...traces })).data).toMatchObject(gone);
    const nobodys = { user_id: null, source_service: "backend", actor_id: leaver.id, ...traces };
    expect(done(await write(nobodys)).data).toMatchObject(gone);
    expect(done(await write({ user_id: other.id, ...traces })).data).toMatchObject(traces);
  });
});
