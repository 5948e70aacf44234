import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Token } from "../../support/api";
import { auditRows } from "../../support/events";
import {
  done,
  expectInvalid,
  expectPermission,
  expectRefused,
  expectStatus,
  UNKNOWN,
} from "../../support/expectations";
import { staff } from "../../support/people";
import { rows } from "../../support/rows";
import { TestServer } from "../../support/server";
import { BASE, newDevice, newTracker, readTracker } from "../doors/support";

/** Trackers: made, read, changed and deleted. The values for each app: setup.test.ts; their use: tests/tracking/doors. */

let server: TestServer;
let admin: Token;
beforeAll(async () => {
  server = await TestServer.start({ clock: "movable" });
  admin = await server.admin();
});
afterAll(() => server.stop());

const pathOf = (device: string, tracker = "") =>
  `/v1/devices/${device}/trackers${tracker === "" ? "" : `/${tracker}`}`;
const body = (overrides: object = {}) => ({
  name: "phone",
  format: "owntracks",
  base_url: BASE,
  ...overrides,
});
const eventsOf = (id: string) =>
  auditRows(server, id).map(({ event_type, metadata }) => [event_type, JSON.parse(metadata ?? "{}")]);

describe("POST /v1/devices/{id}/trackers", () => {
  test("answers all that the app needs, in the single-record envelope, and the token once", async () => {
    const device = await newDevice(server);
    const answer = expectStatus(await server.post(pathOf(device), { token: admin, body: body() }), 201);
    const { data, _links } = answer.body;
    expect(answer.headers.get("location")).toBe(pathOf(device, data.id));
    expect(_links).toEqual({ self: pathOf(device, data.id) });
    expect(data).toEqual({
      id: expect.any(String),
      device_id: device,
      name: "phone",
      format: "owntracks",
      token: expect.stringMatching(/^flt_[\w-]{43}$/),
      token_prefix: data.token.slice(0, 12),
      send_zones: false,
      is_encrypted: false,
      encryption_key: null,
      url: `${BASE}/v1/ingest/owntracks`,
      username: "fairlead",
      password: data.token,
      setup_link: expect.stringMatching(/^owntracks:/),
      qr_code: expect.stringMatching(/^data:image\/png;base64,/),
      instructions: expect.any(Array),
      expires_at: null,
      created_at: expect.any(String),
      updated_at: data.created_at,
      last_used_at: null,
      is_active: true,
      rejected_total: 0,
      last_rejection: null,
    });
    const shown = await server.get(pathOf(device, data.id), { token: admin });
    const { token, encryption_key, url, username, password, setup_link, qr_code, instructions, ...rest } =
      data;
    expect(shown.body.data).toEqual(rest);
    expect(JSON.stringify([shown.body, rows(server, "SELECT * FROM trackers")])).not.toContain(token);
    expect(rows(server, "SELECT * FROM audit_events WHERE metadata LIKE ?", `%${token}%`)).toEqual([]);
  });

  test.each([
    ["/name", { name: "" }],
    ["/name", { name: "n".repeat(201) }],
    ["/name", { name: undefined }],
    ["/format", { format: "garmin" }],
    ["/format", { format: undefined }],
    ["/expires_at", { expires_at: "tomorrow" }],
    ["/expires_at", { expires_at: "2020-01-01T00:00:00Z" }],
    ["/send_zones", { send_zones: "yes" }],
    ["/base_url", { base_url: "ftp://boat.example.org" }],
    ["/base_url", { base_url: "https://user:secret@boat.example.org" }],
    ["/base_url", { base_url: "https://boat.example.org/?x=1" }],
    ["/base_url", { base_url: "https://boat.example.org/#x" }],
  ])("refuses a wrong %s, and makes nothing (%#)", async (path, wrong) => {
    const device = await newDevice(server);
    expectInvalid(await server.post(pathOf(device), { token: admin, body: body(wrong) }), path);
    expect((await server.get(pathOf(device), { token: admin })).body.data).toEqual([]);
  });

  test("is 404 for a device that isn't there, and 400 for what is no identifier", async () => {
    expectRefused(await server.post(pathOf(UNKNOWN), { token: admin, body: body() }), 404, "NotFound");
    expect((await server.post(pathOf("x"), { token: admin, body: body() })).status).toBe(400);
  });

  test("asks for an address that the app can reach", async () => {
    const device = await newDevice(server);
    for (const base_url of [
      undefined,
      null,
      "http://localhost:3000",
      "http://127.0.0.1",
      "https://[::1]:8443/x",
      "http://127.8.8.8",
      "http://boat.localhost",
      "http://0.0.0.0:3000",
    ]) {
      const answer = await server.post(pathOf(device), { token: admin, body: body({ base_url }) });
      expectRefused(answer, 409, "PublicUrlNeeded");
      expect(answer.body.message).toContain("base_url");
      if (!base_url) expect(answer.body.message).toContain("server.public_url");
    }
    const { data } = done(
      await server.post(pathOf(device), {
        token: admin,
        body: body({ base_url: "http://192.168.1.5:3000/boat/" }),
      }),
    );
    expect(data.url).toBe("http://192.168.1.5:3000/boat/v1/ingest/owntracks");
  });

  test("is for holders of devices:write, who hold gps:write too", async () => {
    const device = await newDevice(server);
    const create = (token?: Token) =>
      server.post(pathOf(device), { ...(token !== undefined && { token }), body: body() });
    expectRefused(await create(), 401, "Unauthorized");
    expectRefused(await create(await server.key("devices:write", "devices:read")), 403, "Forbidden");
    expectRefused(await create(await server.key("gps:write", "devices:read")), 403, "Forbidden");
    expect((await create(await server.key("gps:write", "devices:write"))).status).toBe(201);
    expect((await create(server.systemKey)).status).toBe(201);
  });

  test("makes at most 50 for a device", async () => {
    const device = await newDevice(server);
    const answers = await Promise.all(
      Array.from({ length: 52 }, () => server.post(pathOf(device), { token: admin, body: body() })),
    );
    const created = answers.filter(({ status }) => status === 201);
    expect(created).toHaveLength(50);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(2);
    const { id } = created[0]?.body.data ?? {};
    await server.delete(pathOf(device, id), { token: admin });
    expect((await server.post(pathOf(device), { token: admin, body: body() })).status).toBe(201);
  });
});

describe("GET /v1/devices/{id}/trackers", () => {
  test("lists those of the device, newest first, in pages of 20", async () => {
    const device = await newDevice(server);
    await newTracker(server, "generic");
    const ids: string[] = [];
    for (let at = 0; at < 23; at++)
      ids.unshift((await newTracker(server, "generic", { deviceId: device, name: `app ${at}` })).id);
    const { body: first } = await server.get(pathOf(device), { token: admin });
    expect(first.pagination).toEqual({ page: 1, limit: 20, total: 23, total_pages: 2 });
    const { body: second } = await server.get(first._links.next, { token: admin });
    expect([...first.data, ...second.data].map(({ id }) => id)).toEqual(ids);
    expect(JSON.stringify(first)).not.toMatch(/flt_[\w-]{20}/);
  });

  test("is 404 for a device that isn't there, and for a tracker of another", async () => {
    const [one, other] = [await newTracker(server, "generic"), await newTracker(server, "generic")];
    for (const path of [pathOf(UNKNOWN), pathOf(one.deviceId, UNKNOWN), pathOf(one.deviceId, other.id)])
      expectRefused(await server.get(path, { token: admin }), 404, "NotFound");
    const foreign = pathOf(one.deviceId, other.id);
    expect((await server.patch(foreign, { token: admin, body: { name: "x" } })).status).toBe(404);
    expect((await server.delete(foreign, { token: admin })).status).toBe(404);
  });

  test("needs devices:read, and changing it devices:write", async () => {
    const { deviceId, id } = await newTracker(server, "generic");
    const asked = (token?: Token) => (token === undefined ? {} : { token });
    await expectPermission(server, "devices:read", 200, (token) =>
      server.get(pathOf(deviceId), asked(token)),
    );
    await expectPermission(server, "devices:read", 200, (token) =>
      server.get(pathOf(deviceId, id), asked(token)),
    );
    await expectPermission(server, "devices:write", 200, (token) =>
      server.patch(pathOf(deviceId, id), { ...asked(token), body: { name: "x" } }),
    );
    await expectPermission(server, "devices:write", 204, (token) =>
      server.delete(pathOf(deviceId, id), asked(token)),
    );
  });
});

describe("PATCH /v1/devices/{id}/trackers/{tracker_id}", () => {
  test("changes the fields that are sent, and keeps the others", async () => {
    const tracker = await newTracker(server, "owntracks");
    const path = pathOf(tracker.deviceId, tracker.id);
    const before = await readTracker(server, tracker);
    await server.advance(1_000);
    const change = {
      name: "tablet",
      is_active: false,
      expires_at: "2099-12-31T23:00:00.000Z",
      send_zones: true,
    };
    const { data, _links } = done(await server.patch(path, { token: admin, body: change }));
    expect(data).toEqual({ ...before, ...change, updated_at: expect.any(String) });
    expect(data.updated_at).not.toBe(before.updated_at);
    expect(_links.self).toBe(path);
    const { data: cleared } = done(await server.patch(path, { token: admin, body: { expires_at: null } }));
    expect(cleared).toMatchObject({ ...change, expires_at: null });
  });

  test("writes nothing for the present values, and refuses an empty change and wrong values", async () => {
    const tracker = await newTracker(server, "generic");
    const path = pathOf(tracker.deviceId, tracker.id);
    const before = await readTracker(server, tracker);
    const same = { name: before.name, is_active: true, expires_at: null, send_zones: false };
    expect(done(await server.patch(path, { token: admin, body: same })).data).toEqual(before);
    expect(eventsOf(tracker.id).map(([type]) => type)).toEqual(["tracker_created"]);
    expectInvalid(await server.patch(path, { token: admin, body: {} }), "/");
    expectInvalid(await server.patch(path, { token: admin, body: { format: "osmand" } }), "/");
    expectInvalid(await server.patch(path, { token: admin, body: { name: null } }), "/name");
    expectInvalid(await server.patch(path, { token: admin, body: { send_zones: true } }), "/send_zones");
    const past = { expires_at: "2020-01-01T00:00:00Z" };
    expectInvalid(await server.patch(path, { token: admin, body: past }), "/expires_at");
    expect(await readTracker(server, tracker)).toEqual(before);
  });
});

describe("the audit log", () => {
  test("tells of each change, by whom, and never the token", async () => {
    const maker = await staff(server, "devices:write", "devices:read", "gps:write");
    const tracker = await newTracker(server, "owntracks", { token: maker.token, name: "Inga's phone" });
    const path = pathOf(tracker.deviceId, tracker.id);
    done(await server.patch(path, { token: admin, body: { is_active: false } }));
    await server.delete(path, { token: admin });
    const about = { device_id: tracker.deviceId, format: "owntracks" };
    expect(eventsOf(tracker.id)).toEqual([
      ["tracker_created", { ...about, expires_at: null }],
      ["tracker_updated", { ...about, changed: ["is_active"] }],
      ["tracker_deleted", about],
    ]);
    const concerned = auditRows(server, tracker.id).map(({ user_id, resource_type }) => [
      user_id,
      resource_type,
    ]);
    expect(new Set(concerned.map((each) => each.join()))).toEqual(new Set([`${maker.id},tracker`]));
  });

  test("tells of trackers that end with their device, and with their maker's account", async () => {
    const maker = await staff(server, "devices:write", "gps:write");
    const [first, second] = [
      await newTracker(server, "generic", { token: maker.token, deviceId: await newDevice(server) }),
      await newTracker(server, "generic", { token: maker.token, deviceId: await newDevice(server) }),
    ];
    await server.delete(`/v1/devices/${first.deviceId}`, { token: admin });
    expect(eventsOf(first.id).at(-1)).toEqual([
      "tracker_deleted",
      { device_id: first.deviceId, format: "generic", reason: "device deleted" },
    ]);
    done(
      await server.post(`/v1/admin/users/${maker.id}/force-delete`, {
        token: admin,
        body: { reason: "asked for it", password: "correct horse battery" },
      }),
    );
    expect(rows(server, "SELECT id FROM trackers WHERE id IN (?, ?)", first.id, second.id)).toEqual([]);
    expect(eventsOf(second.id).at(-1)?.[0]).toBe("tracker_deleted");
  });
});
