import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { version } from "../../package.json";
import { TestServer } from "../support/server";

let server: TestServer;
beforeAll(async () => {
  server = await TestServer.start();
});
afterAll(() => server.stop());

describe("GET /health and GET /v1/health", () => {
  test("tell without a credential that the server and its parts are well, with the fields of the specification", async () => {
    for (const path of ["/health", "/v1/health"]) {
      const { status, body } = await server.get(path);
      expect(status).toBe(200);
      expect(body).toEqual({
        status: "healthy",
        version,
        timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        uptime: {
          days: 0,
          hours: 0,
          minutes: expect.any(Number),
          seconds: expect.any(Number),
          total: expect.any(Number),
        },
        services: {
          database: { status: "up", responseTime: expect.any(Number) },
          cache: { status: "up", responseTime: expect.any(Number) },
          websocket: { status: "up", connections: 0, subscriptions: 0 },
        },
        _links: { self: path },
      });
      expect(Math.abs(Date.parse(body.timestamp) - Date.now())).toBeLessThan(60_000);
    }
  });

  test("tell an uptime whose parts make up its total, and that grows", async () => {
    const { uptime } = (await server.get("/health")).body;
    const { days, hours, minutes, seconds, total } = uptime;
    for (const part of [days, hours, minutes, seconds]) expect(Number.isInteger(part)).toBe(true);
    expect(((days * 24 + hours) * 60 + minutes) * 60 + seconds).toBe(Math.floor(total));
    await Bun.sleep(5);
    expect((await server.get("/health")).body.uptime.total).toBeGreaterThan(total);
  });

  test("answer a caller whose credential is wrong all the same", async () => {
    expect((await server.get("/health", { token: "ses_nonsense" })).status).toBe(200);
  });
});

describe("GET /v1", () => {
  const FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:131.0) Gecko/20100101 Firefox/131.0";

  test("tells the version, the uptime and how the server sees its client", async () => {
    const { status, body } = await server.get("/v1", { headers: { "user-agent": FIREFOX } });
    expect(status).toBe(200);
    expect(body).toEqual({
      version,
      server: { uptime: expect.any(Number) },
      client: { ip: "127.0.0.1", userAgent: FIREFOX, browser: "Firefox", os: "Linux" },
      timestamp: expect.any(String),
      _links: expect.objectContaining({ self: "/v1" }),
    });
    expect(Number.isInteger(body.server.uptime)).toBe(true);
  });

  test("links to addresses that are there", async () => {
    const { _links } = (await server.get("/v1")).body;
    for (const link of Object.values<string>(_links))
      expect([link, (await server.get(link)).status]).toEqual([link, 200]);
  });

  test("links to no documentation that is switched off", async () => {
    const bare = await TestServer.start({ settings: { "docs.enabled": "false" } });
    try {
      const { _links } = (await bare.get("/v1")).body;
      for (const link of Object.values<string>(_links))
        expect([link, (await bare.get(link)).status]).toEqual([link, 200]);
    } finally {
      await bare.stop();
    }
  });
});
