import { afterAll, beforeAll, expect, test } from "bun:test";
import { expectStatus } from "../support/expectations";
import { TestServer } from "../support/server";
import { fix } from "../tracking/support";

/** Each 201 carries `Location` (rule H3). That every operation declares it is held against its answers by the contract. */

let server: TestServer;
let token = "";
beforeAll(async () => {
  server = await TestServer.start();
  token = await server.admin();
});
afterAll(() => server.stop());

const NEW: [path: string, body: object][] = [
  ["/v1/gps", fix()],
  ["/v1/devices", { name: "boat" }],
  ["/v1/trips", { name: "trip" }],
  ["/v1/locations", { name: "pier" }],
  ["/v1/geofences", { name: "zone", latitude: 1, longitude: 1, radius_km: 1 }],
  ["/v1/trip-categories", { name: "ferry" }],
  ["/v1/trip-templates", { name: "weekly" }],
  ["/v1/settings", { key: "theme", value: 1 }],
  ["/v1/roles", { name: "Watch" }],
  ["/v1/permissions", { resource: "lights", action: "read" }],
  ["/v1/api-keys", { name: "key", scopes: [] }],
  ["/v1/oauth/clients", { name: "app", redirect_uris: ["https://app.example.org/back"] }],
];

test.each(NEW)("POST %s names the record that it made, which is read there", async (path, body) => {
  const created = expectStatus(await server.post(path, { token, body }), 201);
  const location = created.headers.get("location") ?? "";
  expect(location).toStartWith(`${path}/`);
  const { id, key } = created.body.data ?? created.body.client ?? created.body;
  expect(location.slice(path.length + 1)).toBe(id ?? key);
  expectStatus(await server.get(location, { token }), 200);
});

test("a session that a service makes is named without its token", async () => {
  const me = (await server.get("/v1/users/me", { token })).body.data;
  const body = { userId: me.id, expires: new Date(Date.now() + 3_600_000).toISOString() };
  const created = expectStatus(await server.post("/v1/sessions", { token: server.systemKey, body }), 201);
  expect(created.headers.get("location")).toBe(`/v1/users/me/sessions/${created.body.id}`);
});

test("answers that create nothing carry none", async () => {
  const { headers } = expectStatus(await server.get("/v1/gps", { token }), 200);
  expect(headers.get("location")).toBeNull();
});
