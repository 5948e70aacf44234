import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Token } from "../../support/api";
import { commandLineKey, createKey } from "../../support/credentials";
import { auditRows } from "../../support/events";
import { expectInvalid, expectRefused, totalOf, UNKNOWN } from "../../support/expectations";
import { newUser, type User } from "../../support/people";
import { TestServer } from "../../support/server";
import { postPoint } from "../support";

/** Linking an API key to a device through `api_key_id` (rules T1, T10 and R2). */
let server: TestServer;
let superAdmin: Token;
/** Two users with all permissions who aren't super admins. */
let anna: User;
let bert: User;
beforeAll(async () => {
  server = await TestServer.start();
  superAdmin = await server.admin();
  [anna, bert] = await Promise.all([newUser(server, "role_admin"), newUser(server, "role_admin")]);
});
afterAll(() => server.stop());

const create = (token: Token, api_key_id?: string | null) =>
  server.post("/v1/devices", {
    token,
    body: { name: "device", ...(api_key_id !== undefined && { api_key_id }) },
  });
const link = (token: Token, id: string, api_key_id: string | null) =>
  server.patch(`/v1/devices/${id}`, { token, body: { api_key_id } });
const deviceWith = async (api_key_id: string | null = null) =>
  (await create(superAdmin, api_key_id)).body.data as { id: string; api_key_id: string | null };
const keyOf = async (id: string) =>
  (await server.get(`/v1/devices/${id}`, { token: superAdmin })).body.data.api_key_id;
/** The device to which a point of this key belongs. */
const deviceOfPoint = async (key: Token) => (await postPoint(server, key)).device_id;

test("a key that is linked to no device posts points without one", async () => {
  expect(await deviceOfPoint(await server.key("gps:write"))).toBeNull();
});

test("a session's points have no device, whatever keys its user has", async () => {
  await deviceWith((await createKey(server, anna.token, ["gps:write"])).id);
  expect(await deviceOfPoint(anna.token)).toBeNull();
});

describe("a user", () => {
  test("links an own key at creation and by update, and the next point belongs to the device at once", async () => {
    const { id: keyId, key } = await createKey(server, anna.token, ["gps:write"]);
    expect(await deviceOfPoint(key)).toBeNull();

    const first = await create(anna.token, keyId);
    expect(first.status).toBe(201);
    expect(first.body.data.api_key_id).toBe(keyId);
    expect(await deviceOfPoint(key)).toBe(first.body.data.id);

    const second = await deviceWith();
    expect((await link(anna.token, second.id, keyId)).status).toBe(200);
    expect(await deviceOfPoint(key)).toBe(second.id);
  });

  test("leaves an audit event of the key, linked and unlinked", async () => {
    const { id: keyId } = await createKey(server, anna.token, ["gps:write"]);
    const device = await deviceWith(keyId);
    await link(anna.token, device.id, null);
    const events = auditRows(server).filter((row) => row.resource_id === keyId);
    expect(
      events.map(({ event_type, metadata }) => [event_type, JSON.parse(metadata ?? "{}").device_id]),
    ).toEqual([
      ["api_key_created", undefined],
      ["api_key_updated", device.id],
      ["api_key_updated", null],
    ]);
  });

  test("links an own key with another own key", async () => {
    const { key } = await createKey(server, anna.token, ["devices:*", "gps:write"]);
    const { id: keyId } = await createKey(server, anna.token, ["gps:write"]);
    expect((await create(key, keyId)).body.data.api_key_id).toBe(keyId);
  });

  test("may not link a key of someone else", async () => {
    const { id: keyId, key } = await createKey(server, anna.token, ["gps:write"]);
    const device = await deviceWith();
    const before = await totalOf(server, "/v1/devices");
    expectRefused(await create(bert.token, keyId), 403, "Forbidden");
    expectRefused(await link(bert.token, device.id, keyId), 403, "Forbidden");
    expect(await totalOf(server, "/v1/devices")).toBe(before);
    expect(await keyOf(device.id)).toBeNull();
    expect(await deviceOfPoint(key)).toBeNull();
  });

  test("may not name a key of someone else even where it is linked already", async () => {
    const { id: keyId } = await createKey(server, anna.token, ["gps:write"]);
    const device = await deviceWith(keyId);
    expect((await link(bert.token, device.id, keyId)).status).toBe(403);
    expect(await keyOf(device.id)).toBe(keyId);
  });

  test("may not link a system key", async () => {
    const { id: keyId } = await commandLineKey(server, { system: true });
    const before = await totalOf(server, "/v1/devices");
    expect((await create(anna.token, keyId)).status).toBe(403);
    expect(await totalOf(server, "/v1/devices")).toBe(before);
  });

  test("gets the refusal alone: the other fields of the request don't change either", async () => {
    const { id: keyId } = await createKey(server, anna.token, ["gps:write"]);
    const device = await deviceWith();
    const body = { name: "other", is_active: false, api_key_id: keyId };
    expect((await server.patch(`/v1/devices/${device.id}`, { token: bert.token, body })).status).toBe(403);
    const now = (await server.get(`/v1/devices/${device.id}`, { token: superAdmin })).body.data;
    expect(now).toEqual(device);
  });

  test("may not link an own key by a key that holds less", async () => {
    const { key: narrow } = await createKey(server, anna.token, ["devices:*"]);
    const { id: keyId, key } = await createKey(server, anna.token, ["gps:write"]);
    const device = await deviceWith();
    expect((await link(narrow, device.id, keyId)).status).toBe(403);
    expect(await deviceOfPoint(key)).toBeNull();
    const { id: harmless } = await createKey(server, anna.token, ["devices:read"]);
    expect((await link(narrow, device.id, harmless)).status).toBe(200);
  });
});

describe("a key that is none", () => {
  test("gives 400 that names the field and changes nothing", async () => {
    const device = await deviceWith((await createKey(server, anna.token, [])).id);
    expectInvalid(await link(superAdmin, device.id, UNKNOWN), "/api_key_id");
    expect(await keyOf(device.id)).toBe(device.api_key_id);
  });
});

describe("a super admin and a system key", () => {
  test.each(["super admin", "system key"])("%s links any key", async (who) => {
    const token = who === "system key" ? server.systemKey : superAdmin;
    const { id: keyId, key } = await createKey(server, anna.token, ["gps:write"]);
    const made = await create(token, keyId);
    expect(made.status).toBe(201);
    expect(await deviceOfPoint(key)).toBe(made.body.data.id);
    const system = await commandLineKey(server, { system: true });
    expect((await link(token, made.body.data.id, system.id)).body.data.api_key_id).toBe(system.id);
    expect(await deviceOfPoint(system.key)).toBe(made.body.data.id);
  });
});

describe("linking", () => {
  test("unlinks the key that the device had", async () => {
    const [former, next] = [
      await createKey(server, anna.token, ["gps:write"]),
      await createKey(server, anna.token, ["gps:write"]),
    ];
    const device = await deviceWith(former.id);
    expect(await deviceOfPoint(former.key)).toBe(device.id);
    expect((await link(anna.token, device.id, next.id)).body.data.api_key_id).toBe(next.id);
    expect(await deviceOfPoint(former.key)).toBeNull();
    expect(await deviceOfPoint(next.key)).toBe(device.id);
  });

  test("unlinks the device that the key had", async () => {
    const { id: keyId, key } = await createKey(server, anna.token, ["gps:write"]);
    const [former, next] = [await deviceWith(keyId), await deviceWith()];
    expect((await link(anna.token, next.id, keyId)).status).toBe(200);
    expect([await keyOf(former.id), await keyOf(next.id)]).toEqual([null, keyId]);
    expect(await deviceOfPoint(key)).toBe(next.id);
  });

  test("unlinks both when two linked pairs are crossed", async () => {
    const [a, b] = [
      await createKey(server, anna.token, ["gps:write"]),
      await createKey(server, anna.token, ["gps:write"]),
    ];
    const [deviceOfA, deviceOfB] = [await deviceWith(a.id), await deviceWith(b.id)];
    expect((await link(anna.token, deviceOfA.id, b.id)).status).toBe(200);
    expect([await keyOf(deviceOfA.id), await keyOf(deviceOfB.id)]).toEqual([b.id, null]);
    expect([await deviceOfPoint(a.key), await deviceOfPoint(b.key)]).toEqual([null, deviceOfA.id]);
  });

  test("to the same key again changes nothing", async () => {
    const { id: keyId, key } = await createKey(server, anna.token, ["gps:write"]);
    const device = await deviceWith(keyId);
    expect((await link(anna.token, device.id, keyId)).body.data.api_key_id).toBe(keyId);
    expect(await deviceOfPoint(key)).toBe(device.id);
  });

  test("to null unlinks at once", async () => {
    const { id: keyId, key } = await createKey(server, anna.token, ["gps:write"]);
    const device = await deviceWith(keyId);
    expect(await deviceOfPoint(key)).toBe(device.id);
    expect((await link(anna.token, device.id, null)).body.data.api_key_id).toBeNull();
    expect(await deviceOfPoint(key)).toBeNull();
    expect((await link(anna.token, device.id, null)).status).toBe(200);
  });

  test("stays as it is in an update that doesn't name it", async () => {
    const { id: keyId } = await createKey(server, anna.token, ["gps:write"]);
    const device = await deviceWith(keyId);
    const body = { name: "renamed" };
    const changed = await server.patch(`/v1/devices/${device.id}`, { token: anna.token, body });
    expect(changed.body.data.api_key_id).toBe(keyId);
  });

  test("ends with the key", async () => {
    const { id: keyId } = await createKey(server, anna.token, ["gps:write"]);
    const device = await deviceWith(keyId);
    expect((await server.delete(`/v1/api-keys/${keyId}`, { token: anna.token })).status).toBe(204);
    expect(await keyOf(device.id)).toBeNull();
  });

  test("outlives a new value of the key", async () => {
    const { id: keyId } = await createKey(server, anna.token, ["gps:write"]);
    const device = await deviceWith(keyId);
    const { body } = await server.post(`/v1/api-keys/${keyId}/regenerate`, { token: anna.token });
    expect(await deviceOfPoint(body.key)).toBe(device.id);
  });

  test("leaves a key with one device when many devices ask for it at once", async () => {
    const { id: keyId, key } = await createKey(server, anna.token, ["gps:write"]);
    const devices = await Promise.all(Array.from({ length: 10 }, () => deviceWith()));
    const answers = await Promise.all(devices.map((device) => link(anna.token, device.id, keyId)));
    expect(answers.map((answer) => answer.status)).toEqual(Array(10).fill(200));
    const linked = [];
    for (const { id } of devices) if ((await keyOf(id)) === keyId) linked.push(id);
    expect(linked).toEqual([await deviceOfPoint(key)]);
  });
});
