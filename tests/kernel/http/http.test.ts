import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Answer } from "../../support/api";
import { freePort } from "../../support/program";
import { RawConnection, type RawRequest, rawRequest } from "../../support/raw-http";
import { TestServer } from "../../support/server";
import { fix } from "../../tracking/support";

const MAX_BODY = 4_096;
const ORIGIN = "https://app.example";
const SOME_ID = "0192f3a1-5c00-7d1e-9a55-3f1f6c1f0a01";

let server: TestServer;
let token: string;
beforeAll(async () => {
  server = await TestServer.start({
    settings: { "server.max_body_bytes": String(MAX_BODY), "server.cors_origins": ORIGIN },
  });
  token = await server.admin();
});
afterAll(() => server.stop());

/** One answer of each kind. */
const answers = async (headers: Record<string, string> = {}): Promise<Answer[]> => [
  await server.get("/v1/health", { headers }),
  await server.get("/v1/gps", { token, headers }),
  await server.post("/v1/gps", { token, body: fix(), headers }),
  await server.post("/v1/gps", { token, body: {}, headers }),
  await server.post("/v1/gps", {
    token,
    raw: "{",
    headers: { ...headers, "content-type": "application/json" },
  }),
  await server.get("/v1/gps", { headers }),
  await server.get("/v1/nothing", { headers }),
  await server.put("/v1/gps", { headers }),
  await server.request("OPTIONS", "/v1/gps", { headers }),
  await server.request("HEAD", "/v1/health", { headers }),
  await server.get("/docs", { headers }),
  await server.get("/docs/json", { headers }),
  await server.get("/", { headers }),
  await server.get("/v1/ws", { headers }),
];

describe("every answer", () => {
  test("carries nosniff and X-Request-Id, and says nothing of the software", async () => {
    for (const { headers } of await answers()) {
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      expect(headers.get("x-request-id")).toMatch(/^[A-Za-z0-9._-]{1,64}$/);
      for (const name of ["server", "x-powered-by", "via"]) expect(headers.get(name)).toBeNull();
    }
  });

  test("is nothing that a browser runs or frames: pages alone permit themselves more", async () => {
    for (const { headers } of await answers())
      if (!headers.get("content-type")?.startsWith("text/html"))
        expect(headers.get("content-security-policy")).toBe(
          "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
        );
    for (const path of ["/docs", "/v1/graphql", "/verify-email", "/reset-password"]) {
      const { headers } = await server.get(path, { headers: { accept: "text/html" } });
      const policy = headers.get("content-security-policy")?.split("; ") ?? [];
      for (const directive of ["base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"])
        expect([path, policy]).toEqual([path, expect.arrayContaining([directive])]);
      const none = policy.filter((directive) => /^(default|object)-src 'none'$/.test(directive));
      expect([path, none.length]).toEqual([path, 1]);
      expect(headers.get("referrer-policy")).toBe("no-referrer");
      for (const name of ["cross-origin-opener-policy", "cross-origin-resource-policy"])
        expect([path, name, headers.get(name)]).toEqual([path, name, "same-origin"]);
    }
  });

  test("tells browsers to keep to TLS where users come by https, and nobody elsewhere", async () => {
    const cases: [string, string | null][] = [
      ["https://fleet.example", "max-age=31536000"],
      ["https://fleet.example:8443/api", "max-age=31536000"],
      ["http://fleet.example", null],
      ["https://localhost:3000", null],
      ["https://127.0.0.1", null],
    ];
    const judge = async ([url, expected]: [string, string | null]) => {
      const settings = { "server.public_url": url, "server.port": String(freePort()) };
      const other = await TestServer.start({ settings });
      try {
        for (const path of ["/v1/health", "/v1/gps", "/v1/nothing", "/docs", "/verify-email"]) {
          const { headers } = await other.get(path);
          expect([url, path, headers.get("strict-transport-security")]).toEqual([url, path, expected]);
        }
      } finally {
        await other.stop();
      }
    };
    for (const one of cases) await judge(one);
    for (const { headers } of await answers()) expect(headers.get("strict-transport-security")).toBeNull();
  });

  test("carries a request id of its own", async () => {
    const ids = (await answers()).map(({ headers }) => headers.get("x-request-id"));
    expect(new Set(ids).size).toBe(ids.length);
  });

  test("carries the request's X-Request-Id when it is a sane token", async () => {
    for (const id of ["a", "Trace-1_2.3", "x".repeat(64), SOME_ID])
      for (const { headers } of await answers({ "x-request-id": id }))
        expect(headers.get("x-request-id")).toBe(id);
  });

  test("carries another one when the request's is not", async () => {
    for (const id of ["", " ", "a b", "x".repeat(65), "<script>", 'a"b', "a;b", "a/b", "ä", "\u0001"]) {
      const { status, headers } = await rawRequest(server, {
        path: "/v1/health",
        headers: [["x-request-id", id]],
      });
      expect([id, status]).toEqual([id, status === 400 && id === "\u0001" ? 400 : 200]);
      if (status === 200) expect(headers.get("x-request-id")).toMatch(/^[a-z0-9]+-[a-z0-9]+$/);
    }
  });
});

test("what holds personal data or a token is not to be stored by caches, whatever became of it", async () => {
  const login = await server.post("/v1/auth/login", { body: { identifier: "admin", password: "wrong" } });
  const own = [
    await server.get("/v1/gps", { token }),
    await server.get("/v1/api-keys", { token }),
    await server.post("/v1/api-keys", { token, body: { name: "k" } }),
    await server.get("/v1", {}),
    await server.get("/v1/gps"),
    login,
  ];
  for (const { headers } of own) expect(headers.get("cache-control")).toBe("no-store");
});

describe("paths and methods:", () => {
  test("an unknown path is 404 in the error shape", async () => {
    for (const path of [
      "/nothing",
      "/v1/nothing",
      "/v2/gps",
      "/v1/gps/current/x",
      "/V1/gps",
      "/v1/GPS",
      "/docs/x",
    ])
      for (const method of ["GET", "POST", "DELETE"]) {
        const { status, body } = await server.request(method, path, { token });
        expect([path, status]).toEqual([path, 404]);
        expect(body).toEqual({ error: "NotFound", message: expect.any(String) });
      }
  });

  test("a path with an empty segment is another path, which is unknown", async () => {
    for (const path of ["//v1/health", "/v1//health", "/v1/gps//current", "//"]) {
      const { status, body } = await rawRequest(server, {
        path,
        headers: [["authorization", `Bearer ${token}`]],
      });
      expect([path, status]).toEqual([path, 404]);
      expect(JSON.parse(body).error).toBe("NotFound");
    }
  });

  test("a known path with another method is 405, and Allow names the methods it takes", async () => {
    const wrong: [method: string, path: string, allow: string][] = [
      ["POST", "/health", "GET, HEAD"],
      ["PUT", "/v1/gps", "GET, HEAD, POST"],
      ["DELETE", "/v1/gps", "GET, HEAD, POST"],
      ["PUT", `/v1/gps/${SOME_ID}`, "DELETE, GET, HEAD, PATCH"],
      ["GET", "/v1/auth/login", "POST"],
      ["POST", "/v1/ws", "GET, HEAD"],
      ["PUT", `/v1/api-keys/${SOME_ID}`, "DELETE, GET, HEAD, PATCH"],
    ];
    for (const [method, path, allow] of wrong) {
      const { status, body, headers } = await server.request(method, path, { token });
      expect([method, path, status]).toEqual([method, path, 405]);
      expect(body).toEqual({ error: "MethodNotAllowed", message: expect.any(String) });
      expect(headers.get("allow")).toBe(allow);
    }
  });

  test("a method that no path takes is 405", async () => {
    for (const method of ["TRACE", "CONNECT", "PURGE"]) {
      const { status, headers } = await rawRequest(server, { method, path: "/v1/health" });
      expect([method, status, headers.get("allow")]).toEqual([method, 405, "GET, HEAD"]);
    }
  });

  test("HEAD answers what GET answers, without the body", async () => {
    for (const [path, status] of [
      ["/v1/health", 200],
      ["/docs", 200],
      ["/v1/gps", 401],
      ["/v1/nothing", 404],
    ] as const) {
      const head = await server.request("HEAD", path);
      expect([path, head.status, head.body]).toEqual([path, status, null]);
      const get = await server.get(path);
      expect(head.headers.get("content-type")).toBe(get.headers.get("content-type"));
    }
  });

  test("OPTIONS answers 204 with Allow, and 404 for an unknown path", async () => {
    const { status, headers, body } = await server.request("OPTIONS", "/v1/gps");
    expect({ status, body, allow: headers.get("allow") }).toEqual({
      status: 204,
      body: null,
      allow: "GET, HEAD, POST",
    });
    expect((await server.request("OPTIONS", "/v1/nothing")).status).toBe(404);
  });

  test("a slash at the end makes no difference", async () => {
    const statuses = async (end: string) => {
      const withToken: [string, string][] = [["authorization", `Bearer ${token}`]];
      const requests: RawRequest[] = [
        { path: `/v1/health${end}` },
        { path: `/v1/gps${end}` },
        { path: `/v1/gps${end}?limit=1`, headers: withToken },
        { path: `/v1/gps/${SOME_ID}${end}`, headers: withToken },
        { path: `/v1/gps${end}`, method: "PUT" },
      ];
      return Promise.all(requests.map(async (request) => (await rawRequest(server, request)).status));
    };
    expect(await statuses("/")).toEqual([200, 401, 200, 404, 405]);
    expect(await statuses("")).toEqual([200, 401, 200, 404, 405]);
  });

  test("the root is a page to look at", async () => {
    const { status, headers } = await server.get("/");
    expect({ status, type: headers.get("content-type") }).toEqual({
      status: 200,
      type: "text/html; charset=utf-8",
    });
  });
});

describe("bodies:", () => {
  const json = { "content-type": "application/json" };
  const total = async () => (await server.get("/v1/gps", { token })).body.pagination.total;
  /** A body of POST /v1/gps with this many bytes. */
  const ofSize = (bytes: number) => {
    const text = JSON.stringify(fix({ pad: "" }));
    return text.replace('"pad":""', `"pad":"${"x".repeat(bytes - text.length)}"`);
  };

  test("one of server.max_body_bytes is taken, and a larger one is 413 and stores nothing", async () => {
    expect((await server.post("/v1/gps", { token, raw: ofSize(MAX_BODY), headers: json })).status).toBe(201);
    const before = await total();
    const { status, body } = await server.post("/v1/gps", {
      token,
      raw: ofSize(MAX_BODY + 1),
      headers: json,
    });
    expect(status).toBe(413);
    expect(body).toEqual({ error: "PayloadTooLarge", message: expect.any(String) });
    expect(await total()).toBe(before);
  });

  test("one that is declared too large is 413 before it is sent", async () => {
    for (const length of [MAX_BODY + 1, 10 * 1024 ** 3, Number.MAX_SAFE_INTEGER]) {
      const { status, body } = await rawRequest(server, {
        method: "POST",
        path: "/v1/gps",
        headers: [
          ["authorization", `Bearer ${token}`],
          ["content-type", "application/json"],
          ["content-length", String(length)],
        ],
      });
      expect(status).toBe(413);
      expect(JSON.parse(body).error).toBe("PayloadTooLarge");
    }
  });

  const chunk = (text: string) => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;
  const chunkedHead = () =>
    [
      "POST /v1/gps HTTP/1.1",
      `host: ${new URL(server.url).host}`,
      `authorization: Bearer ${token}`,
      "content-type: application/json",
      "transfer-encoding: chunked",
    ].join("\r\n");

  test("one in chunks is read to its end, and is 413 as soon as it is too large", async () => {
    const connection = new RawConnection(server);
    connection.write(`${chunkedHead()}\r\n\r\n`);
    const text = JSON.stringify(fix());
    connection.write(chunk(text.slice(0, 20)));
    connection.write(`${chunk(text.slice(20))}0\r\n\r\n`);
    expect((await connection.answer()).status).toBe(201);
    connection.close();

    const before = await total();
    const endless = new RawConnection(server);
    endless.write(`${chunkedHead()}\r\n\r\n`);
    // The request never ends: the answer must not wait for that.
    for (let sent = 0; sent <= MAX_BODY; sent += 1_000) endless.write(chunk(" ".repeat(1_000)));
    const { status, body } = await endless.answer();
    expect(status).toBe(413);
    expect(JSON.parse(body).error).toBe("PayloadTooLarge");
    endless.close();
    expect(await total()).toBe(before);
  });

  test("one that is too large is 413 on an operation that takes none, which is not carried out", async () => {
    const { body: zone } = await server.post("/v1/geofences", {
      token,
      body: { name: "z", latitude: 1, longitude: 1, radius_km: 1 },
    });
    const path = `/v1/geofences/${zone.data.id}`;
    const send = async (body: string | ReadableStream) => {
      const headers = { authorization: `Bearer ${token}` };
      const answer = await fetch(server.url + path, { method: "DELETE", headers, body });
      return [answer.status, answer.status === 204 ? null : (await answer.json()).error];
    };
    const inChunks = (text: string) =>
      new ReadableStream({
        start(controller) {
          for (let at = 0; at < text.length; at += 10_000)
            controller.enqueue(Buffer.from(text.slice(at, at + 10_000)));
          controller.close();
        },
      });
    const large = "x".repeat(MAX_BODY + 1);
    expect(await send(large)).toEqual([413, "PayloadTooLarge"]);
    expect(await send(inChunks(large))).toEqual([413, "PayloadTooLarge"]);
    expect((await server.get(path, { token })).status).toBe(200);
    expect(await send(inChunks(large.slice(1)))).toEqual([204, null]);
    expect(await send(large.slice(1))).toEqual([404, "NotFound"]);
  });

  test("the 415 names what is accepted, of a PATCH by RFC 5789", async () => {
    const send = (method: string, path: string) =>
      server.request(method, path, { token, raw: "x", headers: { "content-type": "text/plain" } });
    const posted = (await send("POST", "/v1/gps")).headers;
    expect([posted.get("accept"), posted.get("accept-patch")]).toEqual(["application/json", null]);
    const patched = (await send("PATCH", `/v1/trips/${Bun.randomUUIDv7()}`)).headers;
    expect([patched.get("accept"), patched.get("accept-patch")]).toEqual([null, "application/json"]);
  });

  test("one of another type than JSON, or of none, is 415", async () => {
    const before = await total();
    for (const type of [
      "text/plain",
      "application/x-www-form-urlencoded",
      "application/jsonp",
      "text/json",
      "json",
      "",
      "multipart/form-data; boundary=x",
      "application/xml;json",
    ]) {
      const { status, body } = await rawRequest(server, {
        method: "POST",
        path: "/v1/gps",
        headers: [
          ["authorization", `Bearer ${token}`],
          ...(type === "" ? [] : [["content-type", type] as [string, string]]),
        ],
        body: JSON.stringify(fix()),
      });
      expect([type, status]).toEqual([type, 415]);
      expect(JSON.parse(body)).toEqual({ error: "UnsupportedMediaType", message: expect.any(String) });
    }
    expect(await total()).toBe(before);
  });

  test("one of JSON under any of its names is taken", async () => {
    for (const type of [
      "application/json; charset=utf-8",
      "Application/JSON",
      "application/vnd.fairlead+json",
      "application/json ;x=y",
    ])
      expect(
        (
          await server.post("/v1/gps", {
            token,
            raw: JSON.stringify(fix()),
            headers: { "content-type": type },
          })
        ).status,
      ).toBe(201);
  });

  test("one that is no JSON is 400 and stores nothing", async () => {
    const before = await total();
    for (const raw of [
      "{",
      "}",
      "{'a':1}",
      '{"a":1,}',
      "undefined",
      "NaN",
      '{"a":1}{',
      "\u0000",
      '"\u0001"',
      "[1",
      " ",
    ]) {
      const { status, body } = await server.post("/v1/gps", { token, raw, headers: json });
      expect([raw, status]).toEqual([raw, 400]);
      expect(body).toEqual({ error: "BadRequest", message: expect.any(String) });
    }
    expect(await total()).toBe(before);
  });

  test("one that is missing, or no object, is a validation error", async () => {
    for (const raw of ["", "null", "[]", "5", '"x"', "true"]) {
      const { status, body } = await server.post("/v1/gps", {
        token,
        headers: json,
        ...(raw === "" ? {} : { raw }),
      });
      expect([raw, status, body.error]).toEqual([raw, 400, "ValidationError"]);
    }
  });

  test("one nested too deep is 400, whatever it is, and brackets in strings don't count", async () => {
    const nested = (depth: number) =>
      JSON.stringify(fix()).replace("{", `{"x":${"[".repeat(depth)}${"]".repeat(depth)},`);
    for (const raw of [nested(1_000), nested(64), "[".repeat(2_000), '{"a":'.repeat(600)]) {
      const { status, body } = await server.post("/v1/gps", { token, raw, headers: json });
      expect([status, body.error]).toEqual([400, "BadRequest"]);
    }
    expect((await server.post("/v1/gps", { token, raw: nested(63), headers: json })).status).toBe(201);
    const inString = JSON.stringify(fix({ note: `\\"${'[{"'.repeat(300)}` }));
    expect((await server.post("/v1/gps", { token, raw: inString, headers: json })).status).toBe(201);
  });

  test("the caller's rights come before the body: 401 and 403 whatever it is", async () => {
    const narrow = await server.key("gps:read");
    for (const [credentials, expected] of [
      [{}, 401],
      [{ token: narrow }, 403],
    ] as const)
      for (const [raw, type] of [
        ["{", "application/json"],
        ["x", "text/plain"],
        ["{}", "application/json"],
        ["x".repeat(MAX_BODY + 1), "application/json"],
      ] as const) {
        const { status } = await server.post("/v1/gps", {
          ...credentials,
          raw,
          headers: { "content-type": type },
        });
        expect(status).toBe(expected);
      }
  });
});

describe("CORS", () => {
  const preflight = (origin: string, path = "/v1/gps", to = server) =>
    to.request("OPTIONS", path, {
      headers: {
        origin,
        "access-control-request-method": "PATCH",
        "access-control-request-headers": "authorization, content-type",
      },
    });
  const allowed = ({ headers }: Answer) => headers.get("access-control-allow-origin");

  test("lets an allowed origin read every answer, errors too, with the headers that it needs", async () => {
    for (const answer of await answers({ origin: ORIGIN })) {
      expect(allowed(answer)).toBe(ORIGIN);
      expect(answer.headers.get("vary")).toContain("Origin");
      for (const name of ["X-Request-Id", "Retry-After", "RateLimit-Remaining"])
        expect(answer.headers.get("access-control-expose-headers")).toContain(name);
      expect(answer.headers.get("access-control-allow-credentials")).toBeNull();
    }
  });

  test("answers an allowed origin's preflight, on every path, without a credential", async () => {
    for (const path of ["/v1/gps", `/v1/trips/${SOME_ID}`, "/v1/auth/login"]) {
      const answer = await preflight(ORIGIN, path);
      expect([answer.status, answer.body, allowed(answer)]).toEqual([204, null, ORIGIN]);
      for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE"])
        expect(answer.headers.get("access-control-allow-methods")).toContain(method);
      expect(answer.headers.get("access-control-allow-headers")?.toLowerCase()).toContain("authorization");
      expect(answer.headers.get("access-control-allow-headers")?.toLowerCase()).toContain("content-type");
    }
  });

  test("gives a foreign origin nothing, and a request without an origin no CORS headers", async () => {
    for (const origin of [
      "https://evil.example",
      `${ORIGIN}.evil.example`,
      "http://app.example",
      "null",
      "*",
      ORIGIN.toUpperCase(),
    ]) {
      for (const answer of [
        await preflight(origin),
        await server.get("/v1/health", { headers: { origin } }),
      ]) {
        expect([origin, allowed(answer)]).toEqual([origin, null]);
        expect(answer.headers.get("access-control-allow-methods")).toBeNull();
      }
    }
    const { headers } = await server.get("/v1/health");
    expect([...headers.keys()].filter((name) => name.startsWith("access-control"))).toEqual([]);
  });

  test("lets every origin in with *, and none where no origin is configured", async () => {
    const open = await TestServer.start({ settings: { "server.cors_origins": "*" } });
    const closed = await TestServer.start();
    try {
      for (const origin of [ORIGIN, "https://other.example"]) {
        expect(allowed(await preflight(origin, "/v1/gps", open))).toBe("*");
        expect(allowed(await open.get("/v1/gps", { headers: { origin } }))).toBe("*");
        expect(allowed(await closed.get("/v1/gps", { headers: { origin } }))).toBeNull();
      }
    } finally {
      await Promise.all([open.stop(), closed.stop()]);
    }
  });
});
