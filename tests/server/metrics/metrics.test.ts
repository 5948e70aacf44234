import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { version } from "../../../package.json";
import { counter, counters, exposition, gauge, gauges, histogram } from "../../../src/kernel/logs/metrics";
import { eventually } from "../../support/expectations";
import { TestServer } from "../../support/server";
import { Client } from "../../support/socket";
import { fix } from "../../tracking/support";
import { type Family, parseExposition } from "./exposition";

const TOKEN = "a token for the scraper";

describe("/metrics", () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await TestServer.start({
      settings: { "metrics.enabled": "true", "metrics.token": TOKEN, "backup.interval_hours": "1" },
    });
  });
  afterAll(() => server.stop());

  async function scrape(): Promise<Map<string, Family>> {
    const { status, headers, body } = await server.get("/metrics", { token: TOKEN });
    expect(status).toBe(200);
    expect(headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
    return parseExposition(body);
  }
  const figure = (
    families: Map<string, Family>,
    name: string,
    labels: Record<string, string> = {},
    end = "",
  ): number =>
    families
      .get(name)
      ?.samples.find(
        (sample) =>
          sample.name === name + end &&
          Object.entries(labels).every(([key, value]) => sample.labels[key] === value),
      )?.value ?? 0;

  const REQUESTS = "fairlead_http_requests_total";
  const LATENCY = "fairlead_http_request_duration_seconds";

  test("counts each request by method, declared route and status, and how long it took", async () => {
    const before = await scrape();
    const token = server.systemKey;
    const { body } = await server.post("/v1/gps", { token, body: fix() });
    for (let at = 0; at < 3; at++) await server.get(`/v1/gps/${body.data.id}`, { token });
    await server.get(`/v1/gps/${Bun.randomUUIDv7()}`, { token });
    await server.get("/v1/gps/nonsense", { token });
    await server.get("/v1/gps?page=2", {});
    await server.post("/v1/gps", { token, raw: "{", headers: { "content-type": "application/json" } });
    const requests: [method: string, route: string, status: string, more: number][] = [
      ["POST", "/v1/gps", "201", 1],
      ["POST", "/v1/gps", "400", 1],
      ["GET", "/v1/gps/:id", "200", 3],
      ["GET", "/v1/gps/:id", "404", 1],
      ["GET", "/v1/gps/:id", "400", 1],
      ["GET", "/v1/gps", "401", 1],
    ];
    // A request is counted after its answer.
    let after = await scrape();
    await eventually(async () => {
      after = await scrape();
      return requests.every(
        ([method, route, status]) => figure(after, REQUESTS, { method, route, status }) > 0,
      );
    });
    for (const [method, route, status, more] of requests) {
      const labels = { method, route, status };
      expect([labels, figure(after, REQUESTS, labels) - figure(before, REQUESTS, labels)]).toEqual([
        labels,
        more,
      ]);
    }
    expect(figure(after, LATENCY, { method: "GET", route: "/v1/gps/:id" }, "_count")).toBe(5);
    const sum = figure(after, LATENCY, { method: "GET", route: "/v1/gps/:id" }, "_sum");
    expect(sum).toBeGreaterThan(0);
    expect(sum).toBeLessThan(60);
  });

  test("has as many series as there are routes, whatever is asked for", async () => {
    const secret = `ses_${"x".repeat(43)}`;
    for (let at = 0; at < 20; at++)
      await server.get(`/v1/sessions/${secret}${at}`, { token: server.systemKey });
    for (let at = 0; at < 20; at++) await server.get(`/no/such/path/${at}`);
    const unknown = { method: "GET", route: "(none)", status: "404" };
    await eventually(async () => figure(await scrape(), REQUESTS, unknown) === 20);
    const { body } = await server.get("/metrics", { token: TOKEN });
    expect(body).not.toContain(secret.slice(0, 20));
    expect(body).not.toContain("such");
  });

  test("counts positions, crossings, sockets and what they say", async () => {
    const before = await scrape();
    const zone = { name: "here", latitude: 10, longitude: 10, radius_km: 1 };
    await server.post("/v1/geofences", { token: server.systemKey, body: zone });
    const { key } = await server.device();
    const client = await Client.open(server, { bearer: server.systemKey });
    client.send({ type: "subscribe", channel: "gps" });
    client.send({ type: "ping" });
    await eventually(async () => figure(await scrape(), "fairlead_websocket_subscriptions") === 1);
    const at = Math.floor(Date.now() / 1_000);
    for (const [seconds, latitude] of [
      [1, 10],
      [2, 20],
      [3, 10],
    ] as const)
      await server.post("/v1/gps", {
        token: key,
        body: { ...fix(), timestamp: at + seconds, latitude, longitude: 10 },
      });
    const during = await scrape();
    const rise = (name: string, labels: Record<string, string> = {}) =>
      figure(during, name, labels) - figure(before, name, labels);
    expect(rise("fairlead_gps_points_recorded_total")).toBe(3);
    expect(rise("fairlead_gps_points")).toBe(3);
    expect(rise("fairlead_geofence_crossings_total", { event: "enter" })).toBe(2);
    expect(rise("fairlead_geofence_crossings_total", { event: "exit" })).toBe(1);
    expect(rise("fairlead_websocket_connections")).toBe(1);
    expect(rise("fairlead_websocket_opened_total")).toBe(1);
    expect(rise("fairlead_websocket_received_total")).toBe(2);
    expect(rise("fairlead_websocket_published_total")).toBe(3);
    await client.close();
    await eventually(async () => figure(await scrape(), "fairlead_websocket_connections") === 0);
    expect((await scrape()).get("fairlead_websocket_closes_total")?.samples).toMatchObject([{ value: 1 }]);
  });

  test("tells of the process, the disk, the queues and the backups", async () => {
    await eventually(
      async () => figure(await scrape(), "fairlead_backup_last_success_timestamp_seconds") > 0,
    );
    const families = await scrape();
    const now = Date.now() / 1_000;
    expect(families.get("fairlead_build_info")?.samples[0]?.labels).toEqual({ version, bun: Bun.version });
    expect(Math.abs(now - figure(families, "process_start_time_seconds"))).toBeLessThan(600);
    for (const name of [
      "process_resident_memory_bytes",
      "process_cpu_seconds_total",
      "process_open_fds",
      "fairlead_uptime_seconds",
      "fairlead_database_bytes",
      "fairlead_disk_free_bytes",
    ])
      expect([name, figure(families, name) > 0]).toEqual([name, true]);
    expect(families.get("fairlead_queue_length")?.samples.map(({ labels }) => labels.queue)).toEqual([
      "emails",
      "notifications",
      "transactions",
      "password_hashes",
      "detachments",
    ]);
    expect(Math.abs(now - figure(families, "fairlead_backup_last_success_timestamp_seconds"))).toBeLessThan(
      600,
    );
    expect(figure(families, "fairlead_backup_age_seconds")).toBeLessThan(600);
    expect(families.get("fairlead_community_bot_connected")?.samples).toMatchObject([{ value: 0 }]);
    // A metric without a source is left out.
    for (const name of ["fairlead_community_sync_age_seconds", "fairlead_vessels_source_connected"])
      expect(families.get(name)?.samples).toEqual([]);
    expect(families.get("fairlead_backup_failing")?.samples).toMatchObject([{ value: 0 }]);
    await eventually(async () => figure(await scrape(), "fairlead_event_loop_lag_seconds", {}, "_count") > 0);
  });

  test("needs its token, and takes no other credential", async () => {
    for (const token of [undefined, "wrong", `${TOKEN}x`, server.systemKey, await server.admin()]) {
      const { status, body, headers } = await server.get("/metrics", token === undefined ? {} : { token });
      expect(status).toBe(401);
      expect(JSON.stringify(body)).not.toContain("fairlead_");
      expect(headers.get("www-authenticate")).toBe("Bearer");
    }
  });
});

describe("/metrics by default", () => {
  test("is not there, without and with a credential", async () => {
    const server = await TestServer.start();
    expect((await server.get("/metrics")).status).toBe(404);
    expect((await server.get("/metrics", { token: server.systemKey })).status).toBe(404);
    await server.stop();
  });

  test("is open where no token is set, and the log warns of that beyond this machine", async () => {
    const settings = { "metrics.enabled": "true", "server.host": "0.0.0.0" };
    const server = await TestServer.start({ settings });
    expect((await server.get("/metrics")).status).toBe(200);
    await server.stop();
    expect(server.output).toMatch(/"warn".*metrics\.token/);
  });
});

describe("the exposition", () => {
  test("escapes labels, and leaves out what can't be read now", () => {
    const things = counters<string>("test_things_total", "Things", "name");
    things.of('a "quoted"\\path\nline').add(2);
    gauge("test_broken", "Breaks", () => {
      throw new Error("down");
    });
    gauge("test_none", "Nothing to tell", () => null);
    gauges("test_pairs", "Pairs", () => [
      [{ a: "1", b: "2" }, 0.5],
      [{ a: "1", b: "3" }, -1],
    ]);
    const families = parseExposition(exposition());
    expect(families.get("test_things_total")).toEqual({
      type: "counter",
      help: "Things",
      samples: [{ name: "test_things_total", labels: { name: 'a "quoted"\\path\nline' }, value: 2 }],
    });
    expect(families.has("test_broken")).toBe(false);
    expect(families.get("test_none")?.samples).toEqual([]);
    expect(families.get("test_pairs")?.samples.map(({ value }) => value)).toEqual([0.5, -1]);
  });

  test("counts an observation in each bucket whose bound it does not pass", () => {
    const sizes = histogram("test_sizes", "Sizes", [1, 2.5]);
    for (const value of [0, 1, 1.5, 2.5, 99]) sizes.observe(value);
    const samples = parseExposition(exposition()).get("test_sizes")?.samples ?? [];
    expect(samples.map(({ name, labels, value }) => [name, labels.le, value])).toEqual([
      ["test_sizes_bucket", "1", 2],
      ["test_sizes_bucket", "2.5", 4],
      ["test_sizes_bucket", "+Inf", 5],
      ["test_sizes_sum", undefined, 104],
      ["test_sizes_count", undefined, 5],
    ]);
  });

  test("takes a name once", () => {
    counter("test_once_total", "Once");
    expect(() => counter("test_once_total", "Twice")).toThrow("test_once_total");
  });
});
