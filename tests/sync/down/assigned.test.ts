import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { newRule } from "../../alerts/support";
import { eventually, expectInvalid, expectRefused, expectStatus, UNKNOWN } from "../../support/expectations";
import { newUser, staff } from "../../support/people";
import { assign, newRole } from "../../support/roles";
import { onDatabase } from "../../support/rows";
import { TestServer } from "../../support/server";
import { createZone } from "../../tracking/support";
import { giveTo, type MadeBox, newBox, readBox } from "../support";

/** Ashore: the zones and rules that are handed to boxes, as one set with one version. */

let server: TestServer;
let token = "";
beforeAll(async () => {
  server = await TestServer.start();
  token = await server.admin();
});
afterAll(() => server.stop());

const zonesPath = "/v1/geofences";
const rulesPath = "/v1/alert-rules";

const setOf = async ({ token: own }: MadeBox) =>
  expectStatus(await server.get("/v1/sync/set", { token: own }), 200).body;
const patch = (path: string, body: object, as = token) => server.patch(path, { token: as, body });
const version = async ({ id }: MadeBox): Promise<number> => (await readBox(server, id)).assigned_version;

/** Runs something, and expects that it raises the version of a box by so much. */
async function raising(box: MadeBox, by: number, act: () => Promise<unknown>): Promise<void> {
  const [before, former] = [await version(box), await setOf(box)];
  await act();
  const now = await setOf(box);
  expect({ version: now.version, isOther: now.tag !== former.tag }).toEqual({
    version: before + by,
    isOther: by > 0,
  });
}

describe("a set", () => {
  test("is empty at first", async () => {
    const box = await newBox(server);
    expect(await setOf(box)).toEqual({ form: 1, tag: "0", version: 0, zones: [], rules: [] });
  });

  test("holds zones and rules as they are, without targets and with their identifiers", async () => {
    const box = await newBox(server);
    const box_ids = [box.id];
    const zone = await createZone(server, {
      name: "Reef",
      metadata: { depth: 2 },
      confirm_fixes: 2,
      box_ids,
    });
    expect(zone).toMatchObject({ box_ids, is_from_shore: false });
    const target = await server.post("/v1/notification-targets", {
      token,
      body: { name: "office", kind: "email", to: "office@example.org" },
    });
    const { id: targetId } = expectStatus(target, 201).body.data;
    const escalation = {
      escalate_after_seconds: 60,
      escalate_target_ids: [targetId],
      target_ids: [targetId],
    };
    const rule = await newRule(server, { type: "speed", above_knots: 7 }, { ...escalation, box_ids });
    expect(rule).toMatchObject({ box_ids, is_from_shore: false });
    const { zones, rules, version } = await setOf(box);
    expect(version).toBe(2);
    const { created_at: _c, updated_at: _u, box_ids: _b, is_from_shore: _f, ...expected } = zone;
    expect(zones).toEqual([expected]);
    expect(rules).toEqual([
      {
        ...{ id: rule.id, name: rule.name, is_active: true, severity: "alarm", device_ids: [] },
        ...{ condition: { type: "speed", above_knots: 7 }, hold_seconds: 0, cooldown_seconds: 300 },
        ...{ schedule: null, message: null },
      },
    ]);
    expect(JSON.stringify(await setOf(box))).not.toContain(targetId);
  });

  test("is told by its tag", async () => {
    const box = await newBox(server);
    const answer = await server.get("/v1/sync/set", { token: box.token });
    const etag = answer.headers.get("etag") ?? "";
    expect(etag).toBe(`"${answer.body.tag}"`);
    const again = (headers: Record<string, string>) =>
      server.get("/v1/sync/set", { token: box.token, headers });
    expect((await again({ "if-none-match": etag })).status).toBe(304);
    const zone = await createZone(server, { box_ids: [box.id] });
    expect((await again({ "if-none-match": etag })).status).toBe(200);
    expectStatus(await server.delete(`${zonesPath}/${zone.id}`, { token }), 204);
    // Nothing is in it, as before, and yet it is another one.
    expect((await again({ "if-none-match": etag })).status).toBe(200);
  });

  test("is each box's own", async () => {
    const [one, two] = [await newBox(server), await newBox(server)];
    const zone = await createZone(server, { box_ids: [one.id] });
    expect([(await setOf(one)).zones.length, (await setOf(two)).zones.length]).toEqual([1, 0]);
    await raising(two, 1, () => patch(`${zonesPath}/${zone.id}`, { box_ids: [two.id] }));
    expect([(await setOf(one)).zones.length, (await setOf(two)).zones.length]).toEqual([0, 1]);
    expect([await version(one), await version(two)]).toEqual([2, 1]);
  });
});

describe("the version rises", () => {
  test("with each change of a zone that the box has, and with no other", async () => {
    const box = await newBox(server);
    const zone = await createZone(server, { box_ids: [box.id] });
    const at = `${zonesPath}/${zone.id}`;
    const other = await createZone(server);
    await raising(box, 1, () => patch(at, { name: "Shoal" }));
    await raising(box, 1, () => patch(at, { radius_km: 3 }));
    await raising(box, 0, () => patch(at, { radius_km: 3 }));
    await raising(box, 0, () => patch(at, { box_ids: [box.id, box.id] }));
    await raising(box, 0, () => patch(`${zonesPath}/${other.id}`, { name: "x" }));
    await raising(box, 1, () => patch(at, { box_ids: [] }));
    await raising(box, 0, () => patch(at, { name: "Shoal no more" }));
    await raising(box, 1, () => patch(at, { box_ids: [box.id] }));
    await raising(box, 1, () => server.delete(at, { token }));
  });

  test("with each change of a rule that the box has, and not with its targets", async () => {
    const box = await newBox(server);
    const rule = await newRule(server, { type: "speed", above_knots: 7 }, { box_ids: [box.id] });
    const at = `${rulesPath}/${rule.id}`;
    await raising(box, 1, () => patch(at, { name: "Fast" }));
    await raising(box, 1, () => patch(at, { condition: { type: "speed", above_knots: 8 } }));
    await raising(box, 1, () => patch(at, { is_active: false }));
    await raising(box, 0, () => patch(at, { target_ids: null }));
    await raising(box, 0, () => patch(at, { name: "Fast" }));
    await raising(box, 1, () => server.delete(at, { token }));
    expect((await setOf(box)).rules).toEqual([]);
  });

  test("with a change of a zone that a rule of the box names, which goes with it", async () => {
    const box = await newBox(server);
    const zone = await createZone(server);
    const condition = { type: "zone", event: "enter", geofence_ids: [zone.id] };
    const rule = await newRule(server, condition, { box_ids: [box.id] });
    const ids = async () => {
      const { zones, rules } = await setOf(box);
      return [zones, rules].map((list) => list.map(({ id }: { id: string }) => id));
    };
    expect(await ids()).toEqual([[zone.id], [rule.id]]);
    await raising(box, 1, () => patch(`${zonesPath}/${zone.id}`, { name: "x" }));
    expectStatus(await server.delete(`${zonesPath}/${zone.id}`, { token }), 204);
    // Its last zone is gone: the rule is switched off, and doesn't watch all.
    expect((await setOf(box)).rules).toEqual([expect.objectContaining({ id: rule.id, is_active: false })]);
    expect((await ids())[0]).toEqual([]);
  });
});

test("a rule that names devices names those of the box alone, and is left out where it names none of these", async () => {
  const [one, two] = [await newBox(server), await newBox(server)];
  const devices = [await server.device(), await server.device(), await server.device()].map(({ id }) => id);
  const [ofOne = "", ofTwo = "", own = ""] = devices;
  giveTo(server, one.id, "devices", ofOne);
  giveTo(server, two.id, "devices", ofTwo);
  const boxes = { box_ids: [one.id, two.id] };
  await newRule(server, { type: "silence", seconds: 60 }, { device_ids: devices, ...boxes });
  const named = async (box: MadeBox) =>
    (await setOf(box)).rules.map(({ device_ids }: { device_ids: string[] }) => device_ids);
  expect([await named(one), await named(two)]).toEqual([[[ofOne]], [[ofTwo]]]);
  await newRule(server, { type: "silence", seconds: 90 }, { device_ids: [ofOne, own], ...boxes });
  expect([(await named(one)).length, (await named(two)).length]).toEqual([2, 1]);
});

describe("handing something to a box", () => {
  test("needs sync:manage beside the right to write", async () => {
    const box = await newBox(server);
    const { token: writer } = await staff(
      server,
      "geofences:write",
      "alerts:write",
      "alerts:read",
      "gps:read",
    );
    const { token: manager } = await staff(
      server,
      ...["geofences:write", "alerts:write", "alerts:read", "gps:read", "sync:manage"],
    );
    const zone = (as: string, box_ids: string[]) =>
      server.post(zonesPath, {
        token: as,
        body: { name: "x", latitude: 1, longitude: 1, radius_km: 1, box_ids },
      });
    const rule = (as: string, box_ids: string[]) =>
      server.post(rulesPath, {
        token: as,
        body: { name: "x", severity: "info", condition: { type: "speed", above_knots: 1 }, box_ids },
      });
    for (const make of [zone, rule]) {
      expectRefused(await make(writer, [box.id]), 403, "Forbidden");
      const { id } = expectStatus(await make(writer, []), 201).body.data;
      const at = `${make === zone ? zonesPath : rulesPath}/${id}`;
      expectRefused(await patch(at, { box_ids: [box.id] }, writer), 403, "Forbidden");
      expectRefused(await patch(at, { box_ids: [] }, writer), 403, "Forbidden");
      expectStatus(await patch(at, { box_ids: [box.id] }, manager), 200);
      // Whoever may write it may change what the box has already.
      expectStatus(await patch(at, { name: "y" }, writer), 200);
    }
  });

  test("by a share alone is refused", async () => {
    const box = await newBox(server);
    const { id: deviceId } = await server.device();
    const crew = await newUser(server);
    const share = { token, body: { level: "manage" } };
    await server.put(`/v1/devices/${deviceId}/shares/${crew.id}`, share);
    const body = { name: "x", severity: "info", device_ids: [deviceId], box_ids: [box.id] };
    const condition = { type: "speed", above_knots: 1 };
    const answer = await server.post(rulesPath, { token: crew.token, body: { ...body, condition } });
    expectRefused(answer, 403, "Forbidden");
  });

  test("that there isn't is refused, and changes nothing", async () => {
    const box = await newBox(server);
    const gone = await newBox(server);
    expectStatus(await server.delete(`/v1/sync/boxes/${gone.id}`, { token }), 204);
    const zone = await createZone(server);
    for (const unknown of [UNKNOWN, gone.id]) {
      const answer = await patch(`${zonesPath}/${zone.id}`, { name: "y", box_ids: [box.id, unknown] });
      expectInvalid(answer, "/box_ids/1");
    }
    expect(expectStatus(await server.get(`${zonesPath}/${zone.id}`, { token }), 200).body.data).toEqual(zone);
    expect(await version(box)).toBe(0);
  });

  test("is bounded, with the zones that rules name", async () => {
    const box = await newBox(server);
    const ids = Array.from({ length: 200 }, () => Bun.randomUUIDv7());
    onDatabase(server, (database) => {
      const insert = database.query(
        "INSERT INTO geofences (id, name, latitude, longitude, radius_km, is_active, created_at, updated_at) VALUES (?, 'z', 1, 1, 1, 0, 1, 1)",
      );
      for (const id of ids) insert.run(id);
    });
    const condition = (geofence_ids: string[]) => ({ type: "zone", event: "enter", geofence_ids });
    const rule = await newRule(server, condition(ids), { box_ids: [box.id] });
    expect((await setOf(box)).zones).toHaveLength(200);
    const zone = await createZone(server);
    const at = `${zonesPath}/${zone.id}`;
    expectRefused(await patch(at, { box_ids: [box.id] }), 409, "Conflict");
    const other = await newRule(server, condition([zone.id]));
    expectRefused(await patch(`${rulesPath}/${other.id}`, { box_ids: [box.id] }), 409, "Conflict");
    // A zone that a rule names already counts once.
    expectStatus(await patch(`${zonesPath}/${ids[0]}`, { box_ids: [box.id] }), 200);
    expectStatus(await patch(`${rulesPath}/${rule.id}`, { condition: condition(ids.slice(1)) }), 200);
    expectRefused(
      await patch(`${rulesPath}/${rule.id}`, { condition: condition([...ids.slice(1), zone.id]) }),
      409,
      "Conflict",
    );
    expect((await setOf(box)).zones).toHaveLength(200);
  });

  test("at the same time loses no version", async () => {
    const box = await newBox(server);
    const zones = await Promise.all(
      Array.from({ length: 8 }, () => createZone(server, { box_ids: [box.id] })),
    );
    expect(await version(box)).toBe(8);
    await Promise.all(zones.map(({ id }) => patch(`${zonesPath}/${id}`, { name: "x" })));
    expect(await version(box)).toBe(16);
    expect((await setOf(box)).zones).toHaveLength(8);
  });
});

test("a box doesn't get the rules of somebody who lost the right to see what they tell, and gets them again", async () => {
  const box = await newBox(server);
  const { id: role } = await newRole(server, "gps:read", "alerts:read", "alerts:write", "sync:manage");
  const maker = await newUser(server, role);
  const body = {
    name: "x",
    severity: "info",
    condition: { type: "speed", above_knots: 1 },
    box_ids: [box.id],
  };
  expectStatus(await server.post(rulesPath, { token: maker.token, body }), 201);
  expect((await setOf(box)).rules).toHaveLength(1);
  const settle = (count: number) => eventually(async () => (await setOf(box)).rules.length === count);
  await server.delete(`/v1/users/${maker.id}/roles/${role}`, { token });
  await settle(0);
  expect(await version(box)).toBe(2);
  await assign(server, maker.id, role);
  await settle(1);
  expect(await version(box)).toBe(3);
});

test("a deleted box is taken out of what it was handed", async () => {
  const [box, kept] = [await newBox(server), await newBox(server)];
  const zone = await createZone(server, { box_ids: [box.id, kept.id] });
  const rule = await newRule(server, { type: "speed", above_knots: 1 }, { box_ids: [box.id, kept.id] });
  expectStatus(await server.delete(`/v1/sync/boxes/${box.id}`, { token }), 204);
  for (const path of [`${zonesPath}/${zone.id}`, `${rulesPath}/${rule.id}`])
    expect(expectStatus(await server.get(path, { token }), 200).body.data.box_ids).toEqual([kept.id]);
});

test("lists tell the boxes of each zone and rule", async () => {
  const box = await newBox(server);
  await createZone(server);
  await createZone(server, { box_ids: [box.id] });
  await newRule(server, { type: "speed", above_knots: 1 }, { box_ids: [box.id] });
  const first = async (path: string) =>
    expectStatus(await server.get(`${path}?limit=2`, { token }), 200).body.data.map(
      ({ box_ids }: { box_ids: string[] }) => box_ids,
    );
  expect(await first(zonesPath)).toEqual([[box.id], []]);
  expect((await first(rulesPath))[0]).toEqual([box.id]);
});
