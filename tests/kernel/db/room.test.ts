import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Token } from "../../support/api";
import { isAccepted } from "../../support/credentials";
import { auditRows } from "../../support/events";
import { newUser } from "../../support/people";
import { onDatabase } from "../../support/rows";
import { TestServer } from "../../support/server";

/**
 * A list without pages is bounded by the number of records that can be made: the next one gets 409, and the
 * others stay.
 */

let server: TestServer;
let token: Token;
beforeAll(async () => {
  server = await TestServer.start();
  token = await server.admin();
});
afterAll(() => server.stop());

const run = (sql: string, ...values: (string | number)[]) =>
  onDatabase(server, (database) => void database.run(sql, values));

/** Rows made by one statement, numbered from 1 as `i`. */
const many = (count: number, insert: string, ...values: string[]) =>
  run(
    `INSERT INTO ${insert} FROM (WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < ${count}) SELECT i FROM c)`,
    ...values,
  );

/** Expects that exactly one more fits. */
async function expectLast(path: string, body: (at: number) => object): Promise<void> {
  const first = await server.post(path, { token, body: body(1) });
  expect([path, first.status]).toEqual([path, 201]);
  const second = await server.post(path, { token, body: body(2) });
  expect([path, second.status, second.body.error]).toEqual([path, 409, "Conflict"]);
}

const rowsOf = (table: string): number =>
  onDatabase(
    server,
    (database) => database.query<{ n: number }, []>(`SELECT count(*) AS n FROM ${table}`).get()?.n ?? 0,
  );

describe("there is room for", () => {
  test("1,000 API keys of a user", async () => {
    const { id } = (await server.get("/v1/users/me", { token })).body.data;
    const own = `SELECT count(*) AS n FROM api_keys WHERE owner_id = '${id}'`;
    const had = onDatabase(server, (database) => database.query<{ n: number }, []>(own).get()?.n ?? 0);
    many(
      999 - had,
      "api_keys (id, owner_id, key_hash, key_prefix, name, scopes, is_active, is_system, created_at, updated_at) SELECT printf('0192f3a1-5c00-7d1e-9a55-%012d', i), ?, 'hash' || i, 'flk_', 'Key', '[]', 1, 0, 1, 1",
      id,
    );
    await expectLast("/v1/api-keys", () => ({ name: "Key" }));
    // The super admin's list holds everybody's keys. It is cut at 1,000; the pages go on.
    const { data, _links } = (await server.get("/v1/api-keys", { token })).body;
    expect([data.length, _links.next]).toEqual([1_000, "/v1/api-keys?page=51&limit=20"]);
    run("DELETE FROM api_keys WHERE id LIKE '0192f3a1-5c00-7d1e-9a55-%'");
  });

  test("200 roles and 500 permissions", async () => {
    many(
      199 - rowsOf("roles"),
      "roles (id, name, is_system, requires_two_factor, created_at, updated_at) SELECT 'role' || i, 'Role ' || i, 0, 0, 1, 1",
    );
    await expectLast("/v1/roles", (at) => ({ name: `One more ${at}` }));
    many(
      499 - rowsOf("permissions"),
      "permissions (id, resource, action, created_at, updated_at) SELECT 'p' || i, 'own' || i, 'read', 1, 1",
    );
    await expectLast("/v1/permissions", (at) => ({ resource: `more${at}`, action: "read" }));
  });

  test("2,000 devices and 200,000 zones, by their counters", async () => {
    for (const [name, count] of [["devices", 1_999] as const, ["geofences", 199_999] as const])
      run("INSERT INTO counters VALUES (?1, ?2) ON CONFLICT DO UPDATE SET value = ?2", name, count);
    await expectLast("/v1/devices", () => ({ name: "Greif" }));
    await expectLast("/v1/geofences", () => ({ name: "Zone", latitude: 54, longitude: 13, radius_km: 1 }));
  });

  test("200 contacts of a location", async () => {
    const contacts = Array.from({ length: 100 }, () => ({ name: "Inga" }));
    const { id } = (await server.post("/v1/locations", { token, body: { name: "Harbour", contacts } })).body
      .data;
    many(99, "location_contacts (id, location_id, name, created_at) SELECT 'c' || i, ?, 'Inga', 1", id);
    await expectLast(`/v1/locations/${id}/contacts`, () => ({ name: "Inga" }));
  });

  test("1,000 trip categories, templates and settings", async () => {
    many(999, "trip_categories (id, name, sort_order, created_at, updated_at) SELECT 'c' || i, 'C', 0, 1, 1");
    await expectLast("/v1/trip-categories", () => ({ name: "Supply" }));
    many(
      999,
      "trip_templates (id, name, gps_logging_enabled, tags, created_at, updated_at) SELECT 't' || i, 'T', 0, '[]', 1, 1",
    );
    await expectLast("/v1/trip-templates", () => ({ name: "Run" }));
    many(
      999,
      "system_settings (key, value, is_public, created_at, updated_at) SELECT 's' || i, '1', 0, 1, 1",
    );
    await expectLast("/v1/settings", (at) => ({ key: `more.${at}`, value: 1 }));
    run("DELETE FROM system_settings");
  });

  test("4 MiB of settings in all, of which what is there may stay and shrink", async () => {
    const put = async (key: string, length: number) =>
      (await server.put(`/v1/settings/${key}`, { token, body: { value: "x".repeat(length) } })).status;
    for (let at = 0; at < 8; at++)
      await server.post("/v1/settings", { token, body: { key: `large.${at}`, value: "x".repeat(500_000) } });
    expect(rowsOf("system_settings")).toBe(8);
    const one = await server.post("/v1/settings", {
      token,
      body: { key: "large.8", value: "x".repeat(500_000) },
    });
    expect([one.status, rowsOf("system_settings")]).toEqual([409, 8]);
    expect(await put("large.0", 900_000)).toBe(409);
    expect((await server.get("/v1/settings/large.0", { token })).body.data.value).toHaveLength(500_000);
    expect(await put("large.0", 400_000)).toBe(200);
    // A list of more than a megabyte is cut, and goes on in pages.
    run("UPDATE system_settings SET is_public = 1");
    const { data } = (await server.get("/v1/settings/public?limit=3&page=3")).body;
    expect(data).toHaveLength(2);
  });

  test("500 sessions of a user: beyond that the one that was unused longest ends, and says so", async () => {
    const user = await newUser(server);
    const used = (await server.login(user.username, user.password)).session_token;
    many(
      600,
      "sessions (id, user_id, token_hash, provider, created_at, last_activity_at, expires_at) SELECT 's' || i, ?, 'hash' || i, 'email', 1, i, 9999999999999",
      user.id,
    );
    const { session_token } = await server.login(user.username, user.password);
    const left = onDatabase(server, (database) =>
      database
        .query<{ id: string }, [string]>(
          "SELECT id FROM sessions WHERE user_id = ? ORDER BY last_activity_at, rowid",
        )
        .all(user.id),
    );
    expect(left).toHaveLength(500);
    expect(left[0]).toEqual({ id: "s104" });
    for (const kept of [user.token, used, session_token]) expect(await isAccepted(server, kept)).toBe(true);
    const events = auditRows(server).filter(
      (row) => row.user_id === user.id && row.event_type === "session_revoked",
    );
    expect(events.map((row) => row.resource_id)).toEqual(
      Array.from({ length: 103 }, (_, at) => `s${at + 1}`),
    );
    expect(events[0]?.metadata).toBe('{"reason":"too many sessions"}');
  });
});
