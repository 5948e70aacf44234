import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { version } from "../../../package.json";
import { alike } from "../../../src/kernel/values/bilingual";
import { clockTrouble } from "../../../src/server/health/clock";
import { eventually } from "../../support/expectations";
import { write } from "../../support/rows";
import { command, TestServer, temporaryDirectory } from "../../support/server";

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

test("a server whose backups fail is degraded, with 200", async () => {
  const settings = {
    "backup.interval_hours": "24",
    "backup.dir": join(temporaryDirectory(), "not-mounted"),
  };
  const failing = await TestServer.start({ settings });
  try {
    await eventually(async () => (await failing.get("/health")).body.services.backup.status === "down");
    const { status, body } = await failing.get("/health");
    expect({ status, overall: body.status }).toEqual({ status: 200, overall: "degraded" });
  } finally {
    await failing.stop();
  }
});

test("a server whose database can't be read is unhealthy, with 503, also where backups are restored for a try", async () => {
  const settings = { "backup.interval_hours": "24", "backup.verify": "deep" };
  const failing = await TestServer.start({ settings });
  try {
    expect((await failing.get("/health")).status).toBe(200);
    write(
      failing,
      "ALTER TABLE counters RENAME TO elsewhere",
      "ALTER TABLE __program RENAME COLUMN value TO elsewhere",
    );
    const { status, body } = await failing.get("/health");
    expect({ status, overall: body.status }).toEqual({ status: 503, overall: "unhealthy" });
    expect(body.services.database.status).toBe("down");
  } finally {
    await failing.stop();
  }
});

describe("GET /v1", () => {
  const FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:131.0) Gecko/20100101 Firefox/131.0";

  test("tells the version and where it is from, the uptime and how the server sees its client", async () => {
    const { status, body } = await server.get("/v1", { headers: { "user-agent": FIREFOX } });
    expect(status).toBe(200);
    expect(body).toEqual({
      version,
      // Null where the source came without git.
      commit: body.commit === null ? null : expect.stringMatching(/^[0-9a-f]{40}(-dirty)?$/),
      built_at: body.built_at === null ? null : expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
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

describe("a clock that is far off", () => {
  const DAY = 86_400_000;
  const YEAR = 365 * DAY;
  const warnings = (server: TestServer) =>
    server.output.split("\n").filter((line) => line.includes('"level":"warn"'));

  /** A server that starts on a directory after this statement has changed its database. */
  async function startAfter(statement: string): Promise<TestServer> {
    const former = await TestServer.start();
    await former.stop();
    const database = new Database(join(former.dataDir, "fairlead.db"));
    database.run(statement);
    database.close();
    return await TestServer.start({ dataDir: former.dataDir });
  }

  const tomorrow = () => Date.now() + DAY;
  const CASES: [what: string, statement: () => string][] = [
    [
      "newest position",
      () =>
        `INSERT INTO gps_points (id, latitude, longitude, timestamp, speed_kmh, speed_mps, speed_mph, speed_knots, created_at) VALUES ('0190a8b0-0000-7000-8000-000000000001', 54, 13, 0, 0, 0, 0, 0, ${tomorrow()})`,
    ],
    [
      "last start of the server",
      () => `UPDATE __program SET value = '${new Date(tomorrow()).toISOString()}' WHERE name = 'started_at'`,
    ],
  ];
  test.each(CASES)(
    "is one warning at the start, in health and of the doctor: behind the %s",
    async (what, statement) => {
      const server = await startAfter(statement());
      try {
        expect(warnings(server)).toHaveLength(1);
        expect(warnings(server)[0]).toContain(`before the ${what} (20`);
        for (const path of ["/health", "/v1/health"]) {
          const { status, body } = await server.get(path);
          // The start recorded itself, so that a start in the future is told once.
          const told =
            what === "newest position" ? [expect.stringContaining(`before the ${what}`)] : undefined;
          expect({ status, overall: body.status, told: body.warnings }).toEqual({
            status: 200,
            overall: "healthy",
            told,
          });
        }
        if (what !== "newest position") return;
        const { stdout, status } = await command(["doctor", "--port", new URL(server.url).port], {
          settings: { "data.dir": server.dataDir },
        });
        expect(status).toBe(1);
        expect(stdout).toMatch(
          /^problem +clock +the clock shows .* before the newest position .*timedatectl/m,
        );
      } finally {
        await server.stop();
      }
    },
  );

  test("is told by health while it lasts, and readiness doesn't depend on it", async () => {
    const server = await TestServer.start({ clock: "movable" });
    try {
      expect(warnings(server)).toEqual([]);
      expect((await server.get("/health")).body).not.toHaveProperty("warnings");
      await server.advance(-50 * YEAR);
      const { status, body } = await server.get("/health");
      expect({ status, warnings: body.warnings }).toEqual({
        status: 200,
        warnings: [expect.stringMatching(/^the clock shows 19.* is before the .*: one of the two is wrong/)],
      });
      expect((await server.get("/health/ready")).status).toBe(200);
      await server.advance(50 * YEAR);
      expect((await server.get("/health")).body).not.toHaveProperty("warnings");
    } finally {
      await server.stop();
    }
  });

  test("is one behind the build of the program, by more than some minutes", () => {
    const built = Date.parse("2026-11-01T00:00:00Z");
    const trouble = (time: number) =>
      clockTrouble(time, [{ what: alike("build of this program"), time: built }]);
    expect(trouble(built)).toBeNull();
    expect(trouble(built - 4 * 60_000)).toBeNull();
    expect(trouble(built - 6 * 60_000)?.en).toContain(
      "before the build of this program (2026-11-01T00:00:00.000Z)",
    );
    expect(clockTrouble(0, [])).toBeNull();
  });
});
