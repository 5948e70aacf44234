import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { ADMIN, TestServer } from "../../support/server";
import { Client } from "../../support/socket";
import { fix } from "../../tracking/support";

let server: TestServer;
let token: string;
beforeAll(async () => {
  server = await TestServer.start({
    settings: { "log.level": "info", "server.trusted_proxies": "127.0.0.1" },
  });
  token = await server.admin();
});
afterAll(() => server.stop());

interface Line {
  request_id?: string;
  path?: string;
  [field: string]: unknown;
}

const lines = (): Line[] =>
  server.output
    .split("\n")
    .filter((line) => line.startsWith('{"time":'))
    .map((line) => JSON.parse(line));

/** The access line of a request; it is written after the answer. */
async function lineOf(id: string): Promise<Line> {
  for (;;) {
    const line = lines().find(({ request_id }) => request_id === id);
    if (line) return line;
    await Bun.sleep(5);
  }
}

describe("the access log", () => {
  test("has one line for each request, with exactly these fields", async () => {
    const { headers } = await server.post("/v1/gps?secret=1", {
      token,
      body: fix(),
      headers: { "x-request-id": "one-line", "x-forwarded-for": "203.0.113.9" },
    });
    expect(headers.get("x-request-id")).toBe("one-line");
    expect(await lineOf("one-line")).toEqual({
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      level: "info",
      message: "request",
      method: "POST",
      path: "/v1/gps",
      status: 201,
      ms: expect.any(Number),
      request_id: "one-line",
      address: "203.0.113.9",
    });
    await server.get("/v1", { headers: { "x-request-id": "later" } });
    await lineOf("later");
    expect(lines().filter(({ request_id }) => request_id === "one-line")).toHaveLength(1);
  });

  test("tells the status of every kind of answer", async () => {
    const requests: [status: number, method: string, path: string][] = [
      [200, "GET", "/v1"],
      [401, "GET", "/v1/gps"],
      [404, "GET", "/v1/nothing"],
      [405, "PUT", "/v1/gps"],
      [415, "POST", "/v1/auth/login"],
      [200, "GET", "/"],
      [302, "GET", "/s"],
      [200, "GET", "/docs"],
      [401, "GET", "/v1/ws"],
    ];
    for (const [at, [status, method, path]] of requests.entries()) {
      const id = `kind-${at}`;
      await server.request(method, path, {
        headers: { "x-request-id": id },
        ...(method === "POST" && { raw: "x" }),
      });
      expect(await lineOf(id)).toMatchObject({ status, method, path });
    }
  });

  test("has no line for a probe that found all well, one for a probe that is refused", async () => {
    const probes = ["/health", "/health/live", "/v1/health", "/v1/health/ready"];
    for (const path of probes) {
      const { status } = await server.get(path, { headers: { "x-request-id": "probe" } });
      expect(status).toBe(200);
    }
    await server.get("/metrics", { headers: { "x-request-id": "refused" } });
    expect(await lineOf("refused")).toMatchObject({ level: "info", path: "/metrics", status: 404 });
    expect(lines().filter(({ request_id }) => request_id === "probe")).toEqual([]);
  });

  test("tells 204 of an OPTIONS request, as it was answered", async () => {
    await server.request("OPTIONS", "/v1/gps", { headers: { "x-request-id": "options" } });
    expect(await lineOf("options")).toMatchObject({ status: 204, method: "OPTIONS" });
  });

  test("tells 101 of a request that became a WebSocket, once", async () => {
    const socket = await Client.open(server, { token, headers: { "x-request-id": "upgraded" } });
    expect(await lineOf("upgraded")).toMatchObject({ status: 101, method: "GET", path: "/v1/ws" });
    await socket.close();
  });

  test("can't be forged by what a client sends", async () => {
    const forged = "/v1/x%0a%7B%22level%22:%22error%22%7D";
    await server.get(forged, { headers: { "x-request-id": "forge" } });
    expect((await lineOf("forge")).path).toBe(forged);
    expect(lines().filter(({ level }) => level === "error")).toEqual([]);
  });
});

test("no token, key, password, query or body reaches the log", async () => {
  const key = await server.key("gps:*");
  const secrets = [
    token,
    key,
    server.systemKey,
    ADMIN.password,
    "query-4711",
    "body-4711",
    "cookie-4711",
    "agent-4711",
  ];
  await server.login(ADMIN.username, ADMIN.password);
  await server.post("/v1/auth/login", { body: { identifier: "body-4711", password: ADMIN.password } });
  await server.get("/v1/gps?x=query-4711", {
    token: key,
    headers: { cookie: "a=cookie-4711", "user-agent": "agent-4711" },
  });
  await server.post("/v1/gps", {
    token: key,
    raw: '{"a": "body-4711"',
    headers: { "content-type": "application/json" },
  });
  await server.post("/v1/trips", { token, body: { name: ["body-4711"] } });
  await server.get(`/v1/ws?token=${token}`);
  await server.get(`/v1/ws?token=${key}`);
  await server.get(`/v1/gps?token=${key}`, { token: server.systemKey });
  const socket = await Client.open(server, { token });
  await socket.ask({ type: "subscribe", channel: "body-4711" });
  await socket.ask("body-4711");
  await socket.close();
  await server.get("/v1", { headers: { "x-request-id": "the-last" } });
  await lineOf("the-last");
  expect(lines().length).toBeGreaterThan(10);
  for (const secret of secrets) expect(server.output).not.toContain(secret);
});

test("nothing but its own lines comes from the server, whatever operation is called", async () => {
  const { document } = await server.contract();
  const zone = { name: "z", latitude: 1, longitude: 1, radius_km: 1, metadata: { a: 1 } };
  expect((await server.post("/v1/geofences", { token, body: zone })).status).toBe(201);
  for (const [template, operations] of Object.entries(document.paths))
    for (const method of Object.keys(operations)) {
      const path = template.replaceAll(/\{\w+\}/g, "0192f3a1-5c00-7d1e-9a55-3f1f6c1f0a01");
      const body = method === "get" ? {} : { body: {} };
      // A stream has no end.
      const query = operations[method]?.operationId === "streamChanges" ? "?since=nothing" : "";
      await server.request(method.toUpperCase(), path + query, { token: server.systemKey, ...body });
    }
  await server.get("/v1", { headers: { "x-request-id": "all-called" } });
  await lineOf("all-called");
  const others = server.output.split("\n").filter((line) => line !== "" && !line.startsWith('{"time":'));
  expect(others.slice(0, 2)).toEqual([expect.stringMatching(/^Fairlead listens on /)]);
  expect(lines().filter(({ level }) => level === "error")).toEqual([]);
});

describe("log.format and log.level", () => {
  test("pretty is for people, and escapes what clients send", async () => {
    const pretty = await TestServer.start({ settings: { "log.level": "info", "log.format": "pretty" } });
    try {
      await pretty.get("/v1/nothing", { headers: { "x-request-id": "pretty" } });
      while (!pretty.output.includes("pretty")) await Bun.sleep(5);
      expect(pretty.output).toMatch(
        /^\d\d:\d\d:\d\d\.\d{3} info {2}request .*path="\/v1\/nothing" status=404/m,
      );
    } finally {
      await pretty.stop();
    }
  });

  test("warn writes no access lines", async () => {
    const quiet = await TestServer.start({ settings: { "log.level": "warn" } });
    await quiet.get("/v1/nothing");
    await quiet.stop();
    expect(quiet.output).not.toContain("request");
  });
});
