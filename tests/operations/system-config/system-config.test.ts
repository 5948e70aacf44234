import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import type { Token } from "../../support/api";
import { audited, withoutAudit } from "../../support/events";
import {
  done,
  eventually,
  expectInvalid,
  expectRefused,
  expectStatus,
  totalOf,
} from "../../support/expectations";
import { newUser } from "../../support/people";
import { onDatabase, rows } from "../../support/rows";
import { TestServer } from "../../support/server";
import { Client } from "../../support/socket";
import { createTrip, createZone, fix, moveTrip, northOf, postPoint } from "../../tracking/support";

/** The system config (rules O2 and H1). */
const PATH = "/v1/system-config";

let server: TestServer;
let token: Token;
let adminId: string;
beforeAll(async () => {
  server = await TestServer.start({ clock: "movable", settings: { "rate_limit.enabled": "true" } });
  token = await server.admin();
  adminId = (await server.get("/v1/users/me", { token })).body.data.id;
});
afterAll(() => server.stop());

const get = async (key: string) => expectStatus(await server.get(`${PATH}/${key}`, { token }), 200).body.data;
const list = async (query = "") => expectStatus(await server.get(PATH + query, { token }), 200).body;
const patch = (key: string, body: object) => server.patch(`${PATH}/${key}`, { token, body });
const set = async (key: string, value: unknown) => expectStatus(await patch(key, { value }), 200).body.data;

/** The stored config and the number of audit events: a refusal changes neither. */
const stored = () => [
  rows(server, "SELECT * FROM system_config ORDER BY key"),
  rows(server, "SELECT count(*) FROM audit_events"),
];

/** Each key with its default; the least and the greatest value, and true if only whole numbers fit. */
const ENTRIES: [key: string, fallback: number, least: number, greatest: number, kind: "whole" | "any"][] = [
  ["accounts.deletion_grace_days", 7, 0, 3_650, "whole"],
  ["alerts.delivery_retention_days", 30, 0, 3_650, "whole"],
  ["alerts.retention_days", 365, 0, 3_650, "whole"],
  ["audit.retention_days", 0, 0, 3_650, "whole"],
  ["changes.max_rows", 5_000_000, 1_000, 1_000_000_000, "whole"],
  ["changes.retention_hours", 72, 1, 87_600, "whole"],
  ["export.log_retention_days", 365, 0, 3_650, "whole"],
  ["geofence.event_retention_days", 0, 0, 3_650, "whole"],
  ["geofence.exit_margin_m", 10, 0, 100_000, "any"],
  ["geofence.max_accuracy_m", 0, 0, 1_000_000, "any"],
  ["gps.current_cache_seconds", 300, 0, 86_400, "whole"],
  ["gps.max_future_seconds", 86_400, 0, 315_360_000, "whole"],
  ["gps.rate_limit_requests", 30, 1, 1_000_000, "whole"],
  ["gps.rate_limit_window_seconds", 60, 1, 86_400, "whole"],
  ["gps.retention_days", 0, 0, 3_650, "whole"],
  ["ingest.max_future_seconds", 300, 0, 315_360_000, "whole"],
  ["ingest.positions_per_minute", 6_000, 1, 10_000_000, "whole"],
  ["pegel.default_radius_km", 30, 0.1, 20_038, "any"],
  ["pegel.history_days", 7, 0, 3_650, "whole"],
  ["trip.history_position_max_age_seconds", 900, 0, 315_360_000, "whole"],
  ["vessels.broadcast_seconds", 5, 1, 3_600, "whole"],
  ["vessels.radius_km", 20, 1, 500, "any"],
];
const KEYS = ENTRIES.map(([key]) => key);

describe("GET /v1/system-config", () => {
  test("is a bare array of every entry by key, seeded with its default", async () => {
    const entries = await list();
    expect(entries).toEqual(
      ENTRIES.map(([key, value]) => ({
        key,
        value,
        description: expect.stringMatching(/^.{10,}$/),
        updated_at: expect.any(String),
      })),
    );
    for (const entry of entries) expect(await get(entry.key)).toEqual(entry);
  });

  test.each([
    ["gps.", KEYS.filter((key) => key.startsWith("gps."))],
    ["gps.r", ["gps.rate_limit_requests", "gps.rate_limit_window_seconds", "gps.retention_days"]],
    ["gps.retention_days", ["gps.retention_days"]],
    ["", KEYS],
    ["GPS.", []],
    ["%25", []],
    ["_", []],
    ["changes.", ["changes.max_rows", "changes.retention_hours"]],
    ["retention", []],
    ["gps.retention_days.", []],
  ])("with the prefix %j holds the keys that begin with it, taken literally", async (prefix, keys) => {
    expect((await list(`?prefix=${prefix}`)).map(({ key }: { key: string }) => key)).toEqual(keys);
  });

  test("refuses a prefix longer than any key", async () => {
    expectInvalid(await server.get(`${PATH}?prefix=${"x".repeat(129)}`, { token }), "/prefix");
  });
});

describe("an entry that there is not", () => {
  test.each([
    "gps",
    "gps.unknown",
    "GPS.retention_days",
    "__proto__",
    "constructor",
    "toString",
    "gps.retention_days%20",
  ])("%s gives 404, and is not made", async (key) => {
    const before = stored();
    expectRefused(await server.get(`${PATH}/${key}`, { token }), 404, "NotFound");
    expectRefused(await patch(key, { value: 1 }), 404, "NotFound");
    expect(stored()).toEqual(before);
  });

  test("can't be made, and none can be replaced or deleted: 405", async () => {
    const before = stored();
    const body = { key: "gps.retention_days", value: 5, description: "x" };
    const answers = [
      await server.post(PATH, { token, body }),
      await server.put(PATH, { token, body }),
      await server.delete(PATH, { token }),
      await server.post(`${PATH}/gps.retention_days`, { token, body }),
      await server.put(`${PATH}/gps.retention_days`, { token, body }),
      await server.delete(`${PATH}/gps.retention_days`, { token }),
    ];
    for (const [at, answer] of answers.entries()) {
      expectRefused(answer, 405, "MethodNotAllowed");
      const allowed = at < 3 ? ["GET"] : ["GET", "PATCH"];
      for (const method of allowed) expect(answer.headers.get("allow")).toContain(method);
    }
    expect(stored()).toEqual(before);
  });
});

describe("PATCH /v1/system-config/{key}", () => {
  test.each(ENTRIES)("takes values of %s up to its bounds", async (key, fallback, least, greatest, kind) => {
    const { description } = await get(key);
    const between = key === "audit.retention_days" ? 30 : least + (kind === "any" ? 0.25 : 1);
    for (const value of [greatest, least, between, fallback]) {
      const before = Date.now();
      const { status, body } = await patch(key, { value });
      expect(status).toBe(200);
      expect(body).toEqual({
        data: { key, value, description, updated_at: expect.any(String) },
        _links: { self: `${PATH}/${key}` },
      });
      expect(Date.parse(body.data.updated_at)).toBeGreaterThanOrEqual(before);
      expect(await get(key)).toEqual(body.data);
    }
  });

  test.each(ENTRIES)(
    "refuses anything else for %s, and changes nothing",
    async (key, _, least, greatest, kind) => {
      const before = stored();
      const beyond =
        kind === "any" ? [least - 0.01, greatest + 0.01] : [least - 1, greatest + 1, 1.5, 2 ** 53];
      const wrong = [
        ...beyond,
        -1,
        null,
        true,
        false,
        "",
        "10",
        "NaN",
        "Infinity",
        [],
        [10],
        {},
        { value: 10 },
      ];
      for (const value of wrong) expectInvalid(await patch(key, { value }), "/value");
      // Beyond the range of a number.
      for (const raw of ['{"value":1e400}', '{"value":-1e400}'])
        expectInvalid(
          await server.patch(`${PATH}/${key}`, {
            token,
            raw,
            headers: { "content-type": "application/json" },
          }),
          "/value",
        );
      expect(stored()).toEqual(before);
    },
  );

  test.each([1, 29, 29.5])("refuses %p days of the audit log: 0, or at least 30", async (value) => {
    const before = stored();
    expectInvalid(await patch("audit.retention_days", { value }), "/value");
    expect(stored()).toEqual(before);
  });

  test("lets super admins alone change how long the audit log is kept", async () => {
    const administrator = await newUser(server, "role_admin");
    const narrow = await server.key("settings:write", "settings:read");
    const before = stored();
    const path = `${PATH}/audit.retention_days`;
    // The value is wrong as well, which a caller without the permission isn't told.
    for (const other of [administrator.token, narrow, server.systemKey])
      for (const value of [30, 1])
        expectRefused(await server.patch(path, { token: other, body: { value } }), 403, "Forbidden");
    expect(stored()).toEqual(before);
    const wide = await server.key("*:*");
    for (const mine of [token, wide])
      expectStatus(await server.patch(path, { token: mine, body: { value: 30 } }), 200);
    // The permission covers other entries.
    const body = { value: 20 };
    expectStatus(await server.patch(`${PATH}/vessels.radius_km`, { token: narrow, body }), 200);
    await set("audit.retention_days", 0);
  });

  test("needs a value", async () => {
    const before = stored();
    for (const body of [{}, { description: "new" }, { key: "x", Value: 5 }])
      expectInvalid(await patch("gps.retention_days", body), "/value");
    expect((await server.patch(`${PATH}/gps.retention_days`, { token })).status).toBe(400);
    expect(stored()).toEqual(before);
  });

  test("ignores what else is sent", async () => {
    const before = await get("vessels.radius_km");
    const sent = { value: 25, key: "gps.retention_days", description: "new", updated_at: "x" };
    const { data } = expectStatus(await patch("vessels.radius_km", sent), 200).body;
    expect(data).toEqual({ ...before, value: 25, updated_at: data.updated_at });
    expect((await get("gps.retention_days")).value).toBe(0);
    await set("vessels.radius_km", 20);
  });

  test("writes who changed what from what to what into the audit log", async () => {
    const [event, ...others] = await audited(server, () => set("vessels.broadcast_seconds", 6));
    expect(others).toEqual([]);
    expect(event).toMatchObject({
      event_type: "setting_updated",
      user_id: adminId,
      resource_type: "system_config",
      resource_id: "vessels.broadcast_seconds",
      ip_address: "127.0.0.1",
      status: "success",
    });
    expect(JSON.parse(event?.metadata ?? "null")).toEqual({ from: 5, to: 6 });
    await set("vessels.broadcast_seconds", 5);
  });

  test("changes nothing that can't be audited, nor what is in force", async () => {
    const key = await server.key("gps:write");
    const before = stored();
    await withoutAudit(server, "setting_updated", async () => {
      expectRefused(await patch("gps.rate_limit_requests", { value: 7 }), 500, "InternalServerError");
    });
    expect(stored()).toEqual(before);
    const { headers } = await server.post("/v1/gps", { token: key, body: fix() });
    expect(headers.get("ratelimit-limit")).toBe("30");
  });
});

// --- Effects of the values ------------------------------------------------------------------------------------

describe("in force at once, without a restart, is", () => {
  afterEach(async () => {
    for (const { key, value } of await list()) {
      const fallback = ENTRIES.find(([each]) => each === key)?.[1];
      if (value !== fallback) await set(key, fallback);
    }
  });

  const post = (key: Token, overrides: object = {}) =>
    server.post("/v1/gps", { token: key, body: fix(overrides) });
  const seconds = (ahead: number) => Math.floor(Date.now() / 1_000) + ahead;

  test("gps.rate_limit_requests", async () => {
    const key = await server.key("gps:write");
    const limits = async () => {
      const { status, headers } = await post(key);
      return [status, ...["limit", "remaining"].map((name) => Number(headers.get(`ratelimit-${name}`)))];
    };
    expect(await limits()).toEqual([201, 30, 29]);
    await set("gps.rate_limit_requests", 2);
    expect(await limits()).toEqual([201, 2, 0]);
    const before = await totalOf(server, "/v1/gps");
    expect(await limits()).toEqual([429, 2, 0]);
    expect(await totalOf(server, "/v1/gps")).toBe(before);
    await set("gps.rate_limit_requests", 3);
    expect(await limits()).toEqual([201, 3, 0]);
    expect(await limits()).toEqual([429, 3, 0]);
    await set("gps.rate_limit_requests", 30);
    expect(await limits()).toEqual([201, 30, 26]);
  });

  test("gps.rate_limit_window_seconds, also for a window that runs", async () => {
    const key = await server.key("gps:write");
    await set("gps.rate_limit_requests", 1);
    const reset = async (status: number) =>
      Number(expectStatus(await post(key), status).headers.get("ratelimit-reset"));
    expect(await reset(201)).toBe(60);
    await set("gps.rate_limit_window_seconds", 20);
    expect(await reset(201)).toBe(20);
    expect(await reset(429)).toBeLessThanOrEqual(20);
    await server.advance(20_000);
    await set("gps.rate_limit_window_seconds", 600);
    expect(await reset(201)).toBe(600);
    await server.advance(300_000);
    expect(await reset(429)).toBeLessThanOrEqual(300);
  });

  test("gps.max_future_seconds", async () => {
    const key = await server.key("gps:write");
    // The test clock may be some minutes ahead of this one.
    const [soon, in2Days] = [5_000, 2 * 86_400];
    expectStatus(await post(key, { timestamp: seconds(soon) }), 201);
    await set("gps.max_future_seconds", 0);
    expectInvalid(await post(key, { timestamp: seconds(soon) }), "/timestamp");
    expectStatus(await post(key, { timestamp: seconds(-1) }), 201);
    await set("gps.max_future_seconds", 86_400);
    expectInvalid(await post(key, { timestamp: seconds(in2Days) }), "/timestamp");
    await set("gps.max_future_seconds", in2Days);
    expectStatus(await post(key, { timestamp: seconds(in2Days) }), 201);
  });

  test("geofence.exit_margin_m", async () => {
    const device = await server.device();
    const { id } = await createZone(server, { latitude: 10, longitude: 10 });
    const client = await (await Client.open(server, { bearer: server.systemKey })).subscribe(
      `geofence:${id}`,
    );
    let timestamp = 1_000_000;
    const at = async (km: number) => {
      await postPoint(server, device.key, {
        ...northOf({ latitude: 10, longitude: 10 }, km),
        timestamp: ++timestamp,
      });
      return (await client.heard()).map(({ data }) => data.event);
    };
    expect(await at(0)).toEqual(["enter"]);
    expect(await at(1.005)).toEqual([]);
    await set("geofence.exit_margin_m", 1.5);
    expect(await at(1.001)).toEqual([]);
    expect(await at(1.005)).toEqual(["exit"]);
    await set("geofence.exit_margin_m", 5_000);
    expect(await at(0)).toEqual(["enter"]);
    expect(await at(5.9)).toEqual([]);
    await set("geofence.exit_margin_m", 10);
    expect(await at(5.9)).toEqual(["exit"]);
    await client.close();
  });

  test("trip.history_position_max_age_seconds", async () => {
    const device = await server.device();
    const trip = await createTrip(server, { device_id: device.id });
    await set("trip.history_position_max_age_seconds", 86_400);
    await postPoint(server, device.key, { timestamp: seconds(-40_000), latitude: 12.5 });
    const latitudes: (number | null)[] = [];
    const move = async (maxAge: number, status: string) => {
      await set("trip.history_position_max_age_seconds", maxAge);
      await moveTrip(server, trip.id, status);
      const { body } = await server.get(`/v1/trips/${trip.id}/history`, { token });
      latitudes.push(body.at(-1).latitude);
    };
    await move(86_400, "active");
    await move(30_000, "paused");
    await move(60_000, "active");
    await move(0, "completed");
    expect(latitudes).toEqual([12.5, null, 12.5, null]);
  });

  test("accounts.deletion_grace_days, for the deletions that are scheduled from then on", async () => {
    const user = await newUser(server);
    const options = { token: user.token, body: { password: user.password } };
    const dueIn = async () => {
      const now = Date.parse((await server.get("/health")).body.timestamp);
      const { scheduled_deletion_at } = done(await server.post("/v1/users/me/deletion", options));
      const days = (Date.parse(scheduled_deletion_at) - now) / 86_400_000;
      return { days: Math.round(days * 100) / 100, scheduled_deletion_at };
    };
    await set("accounts.deletion_grace_days", 3);
    const first = await dueIn();
    expect(first.days).toBe(3);
    await set("accounts.deletion_grace_days", 40);
    expect(done(await server.get("/v1/users/me/deletion", { token: user.token }))).toMatchObject({
      scheduled_deletion_at: first.scheduled_deletion_at,
    });
    done(await server.delete("/v1/users/me/deletion", { token: user.token }));
    expect((await dueIn()).days).toBe(40);
  });

  test("gps.current_cache_seconds, for what is kept already too", async () => {
    const device = await server.device();
    const current = async () =>
      (await server.get(`/v1/gps/current?device_id=${device.id}`, { token })).body.data.latitude;
    await postPoint(server, device.key, { latitude: 1 });
    // Moves the position past the server, which can't notice: this shows how long a position is cached.
    const moveTo = (latitude: number) =>
      onDatabase(server, (database) =>
        database.run("UPDATE gps_points SET latitude = ? WHERE device_id = ?", [latitude, device.id]),
      );
    let place = 1;
    // With its next write of its own the server notices others, and forgets what is kept: one may still be under way.
    const isKept = (after: number) =>
      eventually(async () => {
        const before = await current();
        moveTo(++place);
        await server.advance(after);
        return (await current()) === before;
      });
    await isKept(200_000);
    await set("gps.current_cache_seconds", 100);
    expect(await current()).toBe(place);
    await isKept(0);
    await set("gps.current_cache_seconds", 0);
    expect(await current()).toBe(place);
    moveTo(++place);
    expect(await current()).toBe(place);
  });
});

test("values outlast a restart; what is no entry any more is not shown, and a new one is seeded", async () => {
  await set("vessels.radius_km", 42.5);
  onDatabase(server, (database) => {
    database.run("INSERT INTO system_config (key, value, updated_at) VALUES ('gps.former', '5', 0)");
    database.run("DELETE FROM system_config WHERE key = 'gps.retention_days'");
  });
  await server.stop();
  server = await TestServer.start({ clock: "movable", dataDir: server.dataDir });
  const values = ENTRIES.map(([key, value]) => [key, key === "vessels.radius_km" ? 42.5 : value]);
  expect((await list()).map(({ key, value }: { key: string; value: unknown }) => [key, value])).toEqual(
    values,
  );
  expectRefused(await server.get(`${PATH}/gps.former`, { token }), 404, "NotFound");
});
