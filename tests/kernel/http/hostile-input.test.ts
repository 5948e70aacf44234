import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { type RawRequest, rawRequest } from "../../support/raw-http";
import { TestServer } from "../../support/server";
import { fix } from "../../tracking/support";

// No input causes a 500 or comes back in the answer, and the server goes on.

let server: TestServer;
let token: string;
beforeAll(async () => {
  server = await TestServer.start();
  token = await server.admin();
});
afterAll(() => server.stop());
afterEach(async () => {
  expect((await server.get("/health")).status).toBe(200);
  expect(server.output).not.toContain('"level":"error"');
});

/** Sends a request as an admin; returns its status. */
async function send({ headers = [], ...request }: RawRequest): Promise<number> {
  const all: [string, string][] = [["authorization", `Bearer ${token}`], ...headers];
  const { status, body } = await rawRequest(server, { ...request, headers: all });
  // Answers of the runtime itself: 505 for another major version (RFC 9110, section 15.6.6), and an end
  // without an answer (0).
  expect(status === 505 || status < 500).toBe(true);
  expect(body).not.toMatch(/\bat .*\.ts\b|SQLITE|SELECT |node_modules|\/src\//);
  return status;
}

const post = (body: string | Uint8Array, path = "/v1/gps") =>
  send({ method: "POST", path, body, headers: [["content-type", "application/json"]] });

describe("the request line:", () => {
  test("huge queries are refused or ignored", async () => {
    expect(await send({ path: `/v1/gps?limit=1&x=${"y".repeat(8_000)}` })).toBe(200);
    expect(await send({ path: `/v1/gps?page=${"9".repeat(8_000)}` })).toBe(400);
    expect(await send({ path: `/v1/gps?${"a=1&".repeat(2_000)}limit=1` })).toBe(200);
    // Beyond the runtime's own limit of a head.
    const tooLong = await send({ path: `/v1/gps?x=${"y".repeat(200_000)}` });
    expect([0, 400, 414, 431]).toContain(tooLong);
  });

  test("wrong percent escapes are taken for text", async () => {
    for (const path of [
      "/v1/gps/%",
      "/v1/gps/%zz",
      "/v1/gps/%E0%A4%A",
      "/v1/gps/%00",
      "/v1/gps/%2e%2e%2fsecret",
      "/v1/gps/%ff%fe",
    ])
      expect([path, await send({ path })]).toEqual([path, 400]);
    for (const query of ["%", "page=%", "%=%", "page=1&%zz=%zz", "%00=%00", "page=1%00"])
      expect([query, [200, 400].includes(await send({ path: `/v1/gps?${query}` }))]).toEqual([query, true]);
  });

  test("letters written as escapes lead to the address without them", async () => {
    for (const [path, location] of [
      ["/v1/%68ealth", "/v1/health"],
      ["/%76%31/g%50s", null],
      ["/v1/%67ps?page=%31", "/v1/gps?page=%31"],
      ["/v1/gps%2Fcurrent", null],
      ["/v1/%6Eothing", null],
    ] as const) {
      const { status, headers } = await rawRequest(server, { path });
      expect([path, status, headers.get("location")]).toEqual([
        path,
        location === null ? 404 : 308,
        location,
      ]);
      expect(headers.get("x-request-id")).not.toBeNull();
    }
    // The method stays the same.
    const { status } = await rawRequest(server, { path: "/v1/%64evices", method: "POST" });
    expect(status).toBe(308);
  });

  test("NUL bytes, control characters and other bytes in paths and values", async () => {
    for (const path of [
      "/v1/gps/\u0000",
      "/v1/gps\u0007",
      "/v1/\u00ff",
      "/v1/gps?page=\u0000",
      "/v1/gps?\u00e9=\u00e9",
    ])
      expect([path, [0, 200, 400, 404, 505].includes(await send({ path }))]).toEqual([path, true]);
  });

  test("names of JavaScript's own in queries", async () => {
    for (const query of [
      "__proto__=1",
      "__proto__[page]=0",
      "constructor=1",
      "page[]=1",
      "page[a]=1",
      "page=1&page=2",
      "toString=1",
    ])
      expect([query, [200, 400].includes(await send({ path: `/v1/gps?${query}` }))]).toEqual([query, true]);
  });

  test("numbers in forms that only look like whole ones are 400", async () => {
    for (const value of [
      "0x10",
      "1e3",
      "1.5",
      "1.0",
      "+1",
      "-1",
      "0",
      "Infinity",
      "NaN",
      "",
      " ",
      "1 ",
      "１",
      "null",
      "true",
      "1_0",
    ])
      expect([value, await send({ path: `/v1/gps?limit=${encodeURIComponent(value)}` })]).toEqual([
        value,
        400,
      ]);
  });

  test("absolute and asterisk forms", async () => {
    for (const [method, path] of [
      ["OPTIONS", "*"],
      ["GET", "http://other.example/v1/gps"],
      ["GET", "gps"],
    ] as const)
      expect([path, [0, 200, 204, 400, 404].includes(await send({ method, path }))]).toEqual([path, true]);
  });
});

describe("headers:", () => {
  test("three hundred of them, and values of 10,000 letters, are refused or ignored", async () => {
    const many = Array.from({ length: 300 }, (_, at): [string, string] => [`x-header-${at}`, "v"]);
    expect([200, 400, 431]).toContain(await send({ path: "/v1/gps", headers: many }));
    expect([200, 400, 431]).toContain(
      await send({ path: "/v1/gps", headers: [["x-long", "y".repeat(10_000)]] }),
    );
    expect([400, 431, 0]).toContain(
      await send({ path: "/v1/gps", headers: [["x-long", "y".repeat(200_000)]] }),
    );
  });

  test("Host of one to three characters works on every kind of path", async () => {
    for (const host of ["a", "ab", "api", "a:1"]) {
      const status = async (path: string) =>
        (await rawRequest(server, { path, headers: [["host", host]] })).status;
      const statuses = await Promise.all(
        ["/v1/health", "/v1/gps", "/v1/ws", "/v1/nothing", "/docs", "/"].map(status),
      );
      expect([host, ...statuses]).toEqual([host, 200, 401, 401, 404, 200, 200]);
    }
  });

  test("two Host headers, and values that name no host, are 400", async () => {
    const status = async (...hosts: string[]) =>
      (await rawRequest(server, { path: "/v1/health", headers: hosts.map((host) => ["host", host]) })).status;
    expect(await status("a", "b")).toBe(400);
    expect(await status("a", "a")).toBe(400);
    for (const host of [
      "",
      "a b",
      "a/b",
      "a?b",
      "a@b",
      "a,b",
      "<a>",
      "[::1",
      "a:x",
      "a:123456",
      "\u00e4",
      "a%20b",
    ])
      expect([host, await status(host)]).toEqual([host, 400]);
    for (const host of ["fleet.example", "fleet_1:3000", "127.0.0.1:3000", "[::1]", "[2001:db8::1]:3000"])
      expect([host, await status(host)]).toEqual([host, 200]);
  });

  test("no User-Agent, an empty one and one of 5,000 letters", async () => {
    for (const headers of [[], [["user-agent", ""]], [["user-agent", "x".repeat(5_000)]]] as [
      string,
      string,
    ][][]) {
      const { status, body } = await rawRequest(server, { path: "/v1", headers });
      expect(status).toBe(200);
      expect(JSON.parse(body).client).toMatchObject({ browser: "Unknown", os: "Unknown" });
      expect(JSON.parse(body).client.userAgent.length).toBeLessThanOrEqual(512);
      const login = JSON.stringify({ identifier: "admin", password: "correct horse battery" });
      const request = { method: "POST", path: "/v1/auth/login", body: login };
      const json: [string, string] = ["content-type", "application/json"];
      expect((await rawRequest(server, { ...request, headers: [...headers, json] })).status).toBe(200);
    }
  });

  test("wrong Authorization headers are 401", async () => {
    for (const value of [
      "",
      "Bearer",
      "Bearer ",
      "Basic x",
      "bearer",
      "Bearer a b",
      `Bearer ${"x".repeat(9_000)}`,
      "Bearer \u00ff",
      "Bearer ses_",
      "Bearer flk_",
      `Bearer  ses_${"x".repeat(43)}`,
      `Token ${token}`,
      token,
    ]) {
      const { status, headers } = await rawRequest(server, {
        path: "/v1/gps",
        headers: [["authorization", value]],
      });
      expect([value.slice(0, 20), status]).toEqual([value.slice(0, 20), 401]);
      expect(headers.get("www-authenticate")).toStartWith("Bearer");
    }
  });
});

describe("bodies:", () => {
  test("half characters are 400, in texts, keys and deep inside", async () => {
    for (const body of [
      '{"name":"\\ud800"}',
      '{"name":"\\udc00x"}',
      '{"name":"\\ud83d\\ud83d\\udea2"}',
      '{"name":"x","\\uDFFF":1}',
      '{"name":"x","metadata":{"deep":[{"\\udead":1}]}}',
      '{"name":"x","metadata":[["\\udead"]]}',
    ])
      expect([body, await post(body, "/v1/devices")]).toEqual([body, 400]);
    // An escaped backslash before the letters, and a complete surrogate pair.
    for (const body of ['{"name":"\\\\ud800"}', '{"name":"\\ud83d\\udea2"}'])
      expect([body, await post(body, "/v1/devices")]).toEqual([body, 201]);
  });

  test("NUL and other characters in texts are stored as they were sent, or refused", async () => {
    for (const name of ["\\u0000", "a\\u0000b", "\\u202e", "\\ufeff", "\u{1f6a2}"])
      expect([name, [200, 201, 400].includes(await post(`{"name":"${name}"}`, "/v1/devices"))]).toEqual([
        name,
        true,
      ]);
    const { body } = await server.get("/v1/devices?limit=100", { token });
    expect(body.data.map(({ name }: { name: string }) => name)).toContain("\u{1f6a2}");
  });

  test("bytes that are no UTF-8 are 400", async () => {
    const bytes = new Uint8Array([
      ...new TextEncoder().encode('{"name":"'),
      0xff,
      0xfe,
      0xc0,
      0x80,
      ...new TextEncoder().encode('"}'),
    ]);
    expect(await post(bytes, "/v1/devices")).toBe(400);
    expect(await post(new Uint8Array([0xff, 0xfe, 0x7b, 0x00, 0x7d, 0x00]))).toBe(400);
  });

  test("__proto__, constructor and duplicate keys change nothing but their own record", async () => {
    for (const key of ["__proto__", "constructor", "prototype"]) {
      expect(
        await post(JSON.stringify(fix()).replace("{", `{"${key}":{"isSuperAdmin":true,"data":1},`)),
      ).toBe(201);
      expect(await post(`{"name":"x","${key}":{"status":"active"}}`, "/v1/trips")).toBe(201);
    }
    expect(await post('{"name":"first","name":"second"}', "/v1/devices")).toBe(201);
    const { body } = await server.get("/v1/devices?limit=1", { token });
    expect(body.data[0].name).toBe("second");
    const plain = await server.key();
    expect((await server.get("/v1/gps", { token: plain })).status).toBe(403);
  });

  test("numbers that are none, infinite or too precise are refused or rounded", async () => {
    const text = (latitude: string) =>
      JSON.stringify(fix({ latitude: 0 })).replace('"latitude":0', `"latitude":${latitude}`);
    for (const latitude of ["1e400", "-1e400", "1e999999", "91", '"54"', "true", "[54]", "{}", "null"])
      expect([latitude, await post(text(latitude))]).toEqual([latitude, 400]);
    for (const latitude of ["-0", "0.1000000000000000055511151231257827", "5e-324", `0.${"1".repeat(1_000)}`])
      expect([latitude, await post(text(latitude))]).toEqual([latitude, 201]);
    const at = (timestamp: string) =>
      JSON.stringify(fix({ timestamp: 0 })).replace('"timestamp":0', `"timestamp":${timestamp}`);
    for (const timestamp of ["1e15", "1e400", "9007199254740993", "-1", "1.5", '"1"', "8640000000000"])
      expect([timestamp, await post(at(timestamp))]).toEqual([timestamp, 400]);
  });

  test("arrays of 100,000 items and objects of 10,000 keys", async () => {
    expect(await post(`[${"0,".repeat(100_000)}0]`)).toBe(400);
    expect(await post(`{"name":"x","tags":[${'"a",'.repeat(100_000)}"a"]}`, "/v1/trips")).toBe(400);
    const keys = Array.from({ length: 10_000 }, (_, at) => `"k${at}":1`).join();
    expect(await post(JSON.stringify(fix()).replace("{", `{${keys},`))).toBe(201);
  });

  test("of the wrong type for every field are 400, and the answer repeats nothing of them", async () => {
    const MARK = "sEcReT-4711";
    for (const value of [MARK, [MARK], { [MARK]: MARK }, { password: MARK }])
      for (const [path, fields] of [
        ["/v1/auth/login", ["identifier", "password"]],
        ["/v1/gps", ["latitude", "timestamp", "heading", "speed_kmh"]],
        ["/v1/api-keys", ["scopes", "expires_at"]],
        ["/v1/trips", ["device_id", "weight_kg", "tags"]],
      ] as const) {
        const body = { name: "x", ...Object.fromEntries(fields.map((field) => [field, value])) };
        const answer = await server.post(path, {
          token,
          body: path === "/v1/auth/login" ? { ...body, password: [MARK] } : body,
        });
        expect([path, answer.status]).toEqual([path, 400]);
        expect(JSON.stringify(answer.body)).not.toContain(MARK);
      }
    const login = await server.post("/v1/auth/login", { body: { identifier: MARK, password: MARK } });
    expect(JSON.stringify(login.body)).not.toContain(MARK);
    for (const path of [
      `/v1/${MARK}`,
      `/v1/gps/${MARK}`,
      `/v1/gps?page=${MARK}`,
      `/v1/gps/current?device_id=${MARK}`,
      `/v1/ws?token=${MARK}`,
    ]) {
      const { status, body } = await server.get(path, { token });
      expect(status).toBeGreaterThanOrEqual(400);
      expect(JSON.stringify(body)).not.toContain(MARK);
    }
  });
});
