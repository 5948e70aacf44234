import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "bun:test";
import { cpSync } from "node:fs";
import { join } from "node:path";
import { Api } from "../../support/api";
import { eventually } from "../../support/expectations";
import { afterShell, expectFailure, freePort } from "../../support/program";
import { RawConnection } from "../../support/raw-http";
import { command, environment, type Settings, TestServer, temporaryDirectory } from "../../support/server";
import { fix } from "../../tracking/support";

const LIVE = ["/health/live", "/v1/health/live"];
const READY = ["/health/ready", "/v1/health/ready"];
const HEALTH = ["/health", "/v1/health"];

let server: TestServer;
beforeAll(async () => {
  server = await TestServer.start();
});
afterAll(() => server.stop());

const health = (settings: Settings) => command(["health"], { settings });

describe("a server that is well", () => {
  test("is alive and ready, without a credential", async () => {
    for (const path of LIVE)
      expect(await server.get(path)).toMatchObject({ status: 200, body: { status: "alive" } });
    for (const path of READY)
      expect(await server.get(path)).toMatchObject({ status: 200, body: { status: "ready", reason: null } });
    expect(await health({ "server.port": new URL(server.url).port })).toEqual({
      status: 0,
      stdout: "ready\n",
      stderr: "",
    });
  });

  test("writes no more often for many who ask", async () => {
    await server.get("/health");
    const database = new Database(join(server.dataDir, "fairlead.db"), { readonly: true });
    const written = () => database.query("SELECT value FROM counters WHERE name = 'health probe'").get();
    const seen = new Set<string>();
    const started = performance.now();
    for (let at = 0; at < 50; at++) {
      await server.get(at % 2 ? "/health" : "/health/ready");
      seen.add(JSON.stringify(written()));
    }
    database.close();
    // One check in 5 seconds.
    expect(seen.size).toBeLessThanOrEqual(2 + Math.floor((performance.now() - started) / 5_000));
    expect(seen).not.toContain("null");
  });
});

const settings = () => ({
  "server.port": String(freePort()),
  "log.level": "info",
  "log.format": "json",
  "rate_limit.enabled": "false",
});

describe("a database that takes no writes, as on a full disk,", () => {
  test("is told by /health and /health/ready, while the server is alive, and forgotten once it takes them again", async () => {
    const own = { ...settings(), "data.dir": temporaryDirectory() };
    cpSync(server.dataDir, own["data.dir"], { recursive: true });
    // No file grows above 800 KiB: the nearest to a full disk that needs no privilege. The database's log
    // exceeds that.
    const child = Bun.spawn(afterShell("trap '' XFSZ; ulimit -S -f 1600", ["serve"]), {
      env: environment(own),
      stdio: ["ignore", "pipe", "ignore"],
    });
    onTestFinished(() => child.kill("SIGKILL"));
    const output = new Response(child.stdout).text();
    const api = new Api(`http://127.0.0.1:${own["server.port"]}`);
    await eventually(async () => (await fetch(`${api.url}/health/live`).catch(() => null)) !== null);
    expect((await api.get("/health/ready")).status).toBe(200);
    const post = async () => (await api.post("/v1/gps", { token: server.systemKey, body: fix() })).status;
    let writes = 0;
    while ((await post()) === 201) writes++;
    expect(writes).toBeGreaterThan(0);
    // A smaller write may find room for a while.
    await eventually(async () => (await post()) === 503 && (await api.get("/health/ready")).status === 503);
    for (const path of READY)
      expect(await api.get(path)).toMatchObject({
        status: 503,
        body: { status: "not ready", reason: "the database takes no writes" },
      });
    for (const path of HEALTH)
      expect(await api.get(path)).toMatchObject({
        status: 503,
        body: {
          status: "unhealthy",
          services: { database: { status: "down" }, cache: { status: "up" }, websocket: { status: "up" } },
        },
      });
    for (const path of LIVE) expect((await api.get(path)).status).toBe(200);
    expectFailure(await health(own), 1, "not ready", "takes no writes");
    if (Bun.which("prlimit")) {
      Bun.spawnSync(["prlimit", "--fsize=unlimited", "--pid", String(child.pid)]);
      await eventually(async () => (await api.get("/health")).status === 200);
      expect(await post()).toBe(201);
    }
    child.kill();
    expect(await child.exited).toBe(0);
    const lines = (await output).split("\n").filter((line) => line.includes('"level":'));
    const told = (level: string) => lines.filter((line) => line.includes(`"level":"${level}"`));
    expect(told("error").filter((line) => line.includes("make room on the disk"))).toHaveLength(1);
    // Fewer lines than refused requests.
    expect(told("error").length).toBeLessThanOrEqual(3);
    if (Bun.which("prlimit"))
      expect(lines.filter((line) => line.includes("takes writes again")).length).toBeGreaterThan(0);
    expect(lines[0]).toMatch(
      /"started","version":"[^"]+","address":"127\.0\.0\.1:\d+","data_dir":"[^"]+","schema":"\d{4}_/,
    );
    expect(lines.at(-1)).toContain('"stopped"');
  });
});

describe("a server that stops", () => {
  test("is not ready any more, and says so to whom it still answers", async () => {
    const stopping = await TestServer.start({ settings: { "log.level": "info" } });
    const upload = new RawConnection(stopping);
    const host = new URL(stopping.url).host;
    upload.write(
      `POST /v1/gps HTTP/1.1\r\nhost: ${host}\r\nauthorization: Bearer ${stopping.systemKey}\r\n` +
        "content-type: application/json\r\ncontent-length: 2\r\nexpect: 100-continue\r\n\r\n{",
    );
    // From here on the request is under way: before, the server might close the connection when it stops.
    expect((await upload.answer()).status).toBe(100);
    const ended = stopping.stop();
    await eventually(() => stopping.output.includes('"stopping"'));
    // The body is no JSON: a request that could change something would not be answered with another behind it.
    upload.write(`xGET /health/ready HTTP/1.1\r\nhost: ${host}\r\n\r\n`);
    expect((await upload.answer()).status).toBe(400);
    const ready = await upload.answer();
    expect([ready.status, ready.body]).toEqual([
      503,
      JSON.stringify({ status: "not ready", reason: "stopping" }),
    ]);
    expect(await ended).toBe(0);
    upload.close();
  });

  test.each(["<p>hello", "{}", "null", '{"status":"UP"}'])(
    "is another program's, which answers %s: health fails, and says so",
    async (text) => {
      const other = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response(text) });
      try {
        const result = await health({ "server.port": String(other.port) });
        expectFailure(result, 1, `another program answers at http://127.0.0.1:${other.port}/`);
      } finally {
        await other.stop(true);
      }
    },
  );

  test("is not there: health fails with one line that names its address", async () => {
    const free = String(freePort());
    const result = await health({ "server.port": free });
    expectFailure(
      result,
      1,
      `no server answers at http://127.0.0.1:${free}/`,
      ": the connection is refused\n",
    );
  });
});
