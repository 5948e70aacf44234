import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import type { Token } from "./support/api";
import { auditRows } from "./support/events";
import { TestServer } from "./support/server";

/**
 * A PATCH or PUT with the present values is answered like a change, and writes nothing: no event, no time, no
 * row.
 */

let server: TestServer;
let token: Token;
let database: Database;
beforeAll(async () => {
  server = await TestServer.start();
  token = await server.admin();
  database = new Database(join(server.dataDir, "fairlead.db"), { readonly: true });
});
afterAll(async () => {
  database.close();
  await server.stop();
});

/** Grows with every commit of anybody. */
const version = (): number =>
  database.query<{ data_version: number }, []>("PRAGMA data_version").get()?.data_version ?? 0;

/** Times that the server writes by itself, once in a minute: that it runs, and that a session is in use. */
const ownTimes = () =>
  database
    .query("SELECT alive_at AS time FROM server_life UNION ALL SELECT last_activity_at FROM sessions")
    .all();

const send = async (method: string, path: string, body?: unknown) => {
  const answer = await server.request(method, path, { token, ...(body !== undefined && { body }) });
  if (answer.status >= 400)
    throw new Error(`${method} ${path} answered ${answer.status}: ${answer.body?.message}`);
  return answer.body;
};

const made = async (path: string, body: object): Promise<string> => {
  const answer = await send("POST", path, body);
  return answer.data?.id ?? answer.client?.id ?? answer.id;
};

/**
 * Makes a change, and then the same one fifty times more: all are answered alike, and the repetitions write
 * nothing.
 */
async function expectNothing(method: string, path: string, body?: unknown): Promise<void> {
  const changed = await send(method, path, body);
  const first = await send(method, path, body);
  expect(first.data).toEqual(changed.data);
  const events = auditRows(server).length;
  let [times, before, after] = [ownTimes(), 0, 0];
  do {
    times = ownTimes();
    before = version();
    for (let again = 0; again < 50; again++) expect(await send(method, path, body)).toEqual(first);
    after = version();
  } while (!Bun.deepEquals(ownTimes(), times));
  expect({ path, events: auditRows(server).length, version: after }).toEqual({
    path,
    events,
    version: before,
  });
}

const own = async (): Promise<string> => (await send("GET", "/v1/users/me")).data.id;

describe("nothing is written by repeating the change of", () => {
  test("a user", async () => {
    const path = `/v1/users/${await own()}`;
    await expectNothing("PATCH", path, { privacy_mode: true, username: "Admin" });
    await expectNothing("PATCH", path, { avatars_enabled: false });
    await expectNothing("PATCH", path, { avatars_enabled: true, avatar_url: null });
    await expectNothing("PATCH", `${path}/locale`, { locale: "de" });
    await expectNothing("PATCH", `${path}/username`, { username: "ADMIN" });
    const { data } = await send("GET", `${path}/accounts`);
    await expectNothing("PUT", `${path}/accounts/${data[0].id}/primary`);
  });

  test("roles, and what holds them", async () => {
    const role = await made("/v1/roles", { name: "Mate" });
    await expectNothing("PATCH", `/v1/roles/${role}`, {
      name: "Bosun",
      description: "Of the deck",
      requires_two_factor: false,
    });
    const { data } = await send("GET", "/v1/permissions?limit=1");
    await expectNothing("POST", `/v1/roles/${role}/permissions`, { permission_id: data[0].id });
    await expectNothing("POST", `/v1/users/${await own()}/roles`, { role_id: role });
    const key = await made("/v1/api-keys", { name: "Tracker" });
    await expectNothing("POST", `/v1/api-keys/${key}/roles`, { role_id: role });
  });

  test("an API key", async () => {
    const key = await made("/v1/api-keys", { name: "Tracker", scopes: ["gps:read"] });
    await expectNothing("PATCH", `/v1/api-keys/${key}`, {
      name: "Pilot",
      description: null,
      scopes: ["gps:write", "gps:read", "gps:write"],
      is_active: true,
      expires_at: "2099-12-31T23:00:00.000Z",
    });
  });

  test("an OAuth client", async () => {
    const client = await made("/v1/oauth/clients", {
      name: "App",
      redirect_uris: ["https://app.example/cb"],
    });
    await expectNothing("PATCH", `/v1/oauth/clients/${client}`, {
      name: "Crew",
      redirect_uris: ["https://crew.example/cb", "https://crew.example/cb"],
      allowed_scopes: ["openid"],
      client_type: "public",
      is_active: false,
    });
  });

  test("a platform, a setting and the system config", async () => {
    await expectNothing("PATCH", "/v1/platforms/discord/enabled", { enabled: false });
    await expectNothing("PATCH", "/v1/platforms/discord/settings", { registration_enabled: false });
    await send("POST", "/v1/settings", { key: "harbour.hours", value: 1 });
    await expectNothing("PUT", "/v1/settings/harbour.hours", {
      value: { from: [8, null] },
      description: "Hours",
      is_public: true,
    });
    await expectNothing("PUT", "/v1/settings/harbour.hours", { value: null });
    await expectNothing("PATCH", "/v1/system-config/gps.retention_days", { value: 7 });
    await expectNothing("PUT", "/v1/community/settings", {
      default_language: "de",
      command_cooldown_seconds: 5,
    });
  });

  test("what is tracked", async () => {
    const { id: keyId } = await server.createKey("gps:write");
    const device = await made("/v1/devices", { name: "Greif" });
    await expectNothing("PATCH", `/v1/devices/${device}`, {
      name: "Greif II",
      description: "Ketch",
      api_key_id: keyId,
    });
    await expectNothing("PATCH", `/v1/devices/${device}`, { external_id: "greif-2", max_speed_kmh: 60 });
    const phone = { name: "phone", format: "owntracks", base_url: "https://boat.example.org" };
    const tracker = await made(`/v1/devices/${device}/trackers`, phone);
    await expectNothing("PATCH", `/v1/devices/${device}/trackers/${tracker}`, {
      name: "tablet",
      send_zones: true,
      is_active: false,
      expires_at: "2099-12-31T23:00:00.000Z",
    });
    const category = await made("/v1/trip-categories", { name: "Supply" });
    await expectNothing("PATCH", `/v1/trip-categories/${category}`, {
      name: "Stores",
      sort_order: 3,
      color: "#fff",
    });
    const location = await made("/v1/locations", { name: "Harbour" });
    await expectNothing("PATCH", `/v1/locations/${location}`, {
      name: "Old harbour",
      country: "de",
      latitude: 54,
    });
    const contact = await made(`/v1/locations/${location}/contacts`, { name: "Inga" });
    await expectNothing("PATCH", `/v1/locations/${location}/contacts/${contact}`, { role: "Harbour master" });
    const zone = await made("/v1/geofences", { name: "Bodden", latitude: 54, longitude: 13, radius_km: 1 });
    await expectNothing("PATCH", `/v1/geofences/${zone}`, {
      radius_km: 2,
      metadata: { depth: [1, 2] },
      is_active: false,
    });
    const fields = {
      device_id: device,
      category_id: category,
      origin_id: location,
      tags: ["a", "b"],
      gps_logging_enabled: true,
    };
    const template = await made("/v1/trip-templates", { name: "Run" });
    await expectNothing("PATCH", `/v1/trip-templates/${template}`, fields);
    const trip = await made("/v1/trips", { name: "Run" });
    await expectNothing("PATCH", `/v1/trips/${trip}`, { ...fields, weight_kg: 5 });
    await expectNothing("PATCH", `/v1/trips/${trip}`, { gps_logging_enabled: null, tags: null });
  });
});

test("a change says in its event which fields are new, and the same status of a trip is still refused", async () => {
  const client = await made("/v1/oauth/clients", { name: "App", redirect_uris: ["https://app.example/cb"] });
  await send("PATCH", `/v1/oauth/clients/${client}`, { name: "Other", is_active: true });
  const [, changed] = auditRows(server, client);
  expect(JSON.parse(changed?.metadata ?? "")).toMatchObject({ changed: ["name"] });
  const trip = await made("/v1/trips", { name: "Run" });
  expect((await server.patch(`/v1/trips/${trip}`, { token, body: { status: "draft" } })).status).toBe(400);
});
