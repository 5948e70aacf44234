import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { createKey } from "../support/credentials";
import { done, expectStatus } from "../support/expectations";
import { newUser } from "../support/people";
import { rows, write } from "../support/rows";
import { ADMIN, TestServer } from "../support/server";
import { told } from "../support/told";
import { createTrip, createZone, fix, moveTrip, northOf, postPoint } from "../tracking/support";
import { brief, changesBy, changesSince, nowOf, numberOf, numbersOf } from "./support";

/** Each kind of change is told once, in the order of the commits; what is refused is not, and leaves no gap. */

let server: TestServer;
let admin: string;
beforeAll(async () => {
  server = await TestServer.start();
  admin = await server.admin();
});
afterAll(() => server.stop());
afterEach(() => {
  const { low, high, count } = numbersOf(server);
  expect(count).toBe(count === 0 ? 0 : (high as number) - (low as number) + 1);
});

const SECONDS = () => Math.floor(Date.now() / 1_000);
const DAY_IN_MAY = 1_777_887_000;
const HERE = { latitude: 54.1, longitude: 13.4 };
const bare = (timestamp: number, fields: object = {}) => ({ ...HERE, timestamp, ...fields });
const numbered = (from: number, count: number) => Array.from({ length: count }, (_, at) => bare(from + at));
const batch = async (token: string, positions: unknown[]) =>
  expectStatus(await server.post("/v1/gps/batch", { token, body: { positions } }), 200).body;
const patch = async (path: string, body: object) => done(await server.patch(path, { token: admin, body }));
const remove = async (path: string) => done(await server.delete(path, { token: admin }));
const create = async (path: string, body: object) =>
  done(await server.post(path, { token: admin, body })).data;

describe("a position", () => {
  test("by POST is told as gpsUpdate tells it", async () => {
    const { id, key } = await server.device();
    let point: object = {};
    const changes = await changesBy(server, async () => {
      point = await postPoint(server, key);
    });
    expect(changes).toEqual([{ cursor: expect.any(String), type: "gpsUpdate", data: told(point) }]);
    expect(changes[0]?.data.device_id).toBe(id);
  });

  test("without a device is told too", async () => {
    const changes = await changesBy(server, () => postPoint(server, server.systemKey));
    expect(changes).toHaveLength(1);
    expect(changes[0]?.data.device_id).toBeNull();
  });

  test("that is repeated under one Idempotency-Key is told once", async () => {
    const { key } = await server.device();
    const post = () =>
      server.post("/v1/gps", { token: key, body: fix(), headers: { "idempotency-key": "once" } });
    const changes = await changesBy(server, async () => {
      await post();
      await post();
    });
    expect(changes).toHaveLength(1);
  });

  test("that is deleted is told as gone, with its device, also by its own earlier number", async () => {
    const { id: device_id, key } = await server.device();
    const since = await nowOf(server);
    const { id } = await postPoint(server, key);
    await remove(`/v1/gps/${id}`);
    const gone = { cursor: expect.any(String), type: "gpsUpdate", data: { id, device_id, is_deleted: true } };
    expect(await changesSince(server, since)).toEqual([gone, gone]);
  });

  test("that is marked by hand is told again; a mark that changes nothing isn't", async () => {
    const { key } = await server.device();
    const { id } = await postPoint(server, key);
    const mark = (is_outlier: boolean) => patch(`/v1/gps/${id}`, { is_outlier });
    expect(brief(await changesBy(server, () => mark(true)))).toEqual([["gpsUpdate", id]]);
    expect(await changesBy(server, () => mark(true))).toEqual([]);
    expect(brief(await changesBy(server, () => mark(false)))).toEqual([["gpsUpdate", id]]);
  });

  test("that its speed makes implausible is told once, and the neighbours that it concerns are numbered", async () => {
    const { id: device, key } = await server.device();
    await patch(`/v1/devices/${device}`, { max_speed_kmh: 50 });
    const since = await nowOf(server);
    const ids: string[] = [];
    for (const [at, km] of [0, 90, 0.1].entries())
      ids.push((await postPoint(server, key, { ...northOf(HERE, km), timestamp: DAY_IN_MAY + at * 60 })).id);
    expect(brief(await changesSince(server, since))).toEqual(ids.map((id) => ["gpsUpdate", id]));
    const silent = rows<{ record: string }>(server, "SELECT record FROM changes WHERE kind = 5");
    expect(silent.map(({ record }) => record)).toContain(ids[1] as string);
  });
});

describe("a batch", () => {
  test("of 100 is told one by one", async () => {
    const { key } = await server.device();
    let results: { id: string }[] = [];
    const changes = await changesBy(server, async () => {
      ({ results } = await batch(key, numbered(DAY_IN_MAY, 100)));
    });
    expect(brief(changes)).toEqual(results.map(({ id }) => ["gpsUpdate", id]));
  });

  test("of more is told by the newest 100, and all are numbered", async () => {
    const { key } = await server.device();
    const before = numbersOf(server).high ?? 0;
    let results: { id: string }[] = [];
    const changes = await changesBy(server, async () => {
      ({ results } = await batch(key, numbered(DAY_IN_MAY, 250)));
    });
    expect(brief(changes)).toEqual(results.slice(150).map(({ id }) => ["gpsUpdate", id]));
    const records = rows<{ record: string }>(
      server,
      "SELECT record FROM changes WHERE number > ? ORDER BY number",
      before,
    );
    expect(records.map(({ record }) => record)).toEqual(results.map(({ id }) => id));
  });

  test("of late ones is told as gpsLate; each is numbered, and the same again is not", async () => {
    const { id: device_id, key } = await server.device();
    await batch(key, [bare(DAY_IN_MAY + 3_600)]);
    const before = numbersOf(server).high as number;
    const late = () => batch(key, numbered(DAY_IN_MAY, 30));
    const changes = await changesBy(server, late);
    // A busy machine stores a batch in several transactions, each of which is told.
    for (const change of changes)
      expect(change).toMatchObject({ type: "gpsLate", data: { device_id, trip_ids: [] } });
    expect(changes[0]?.data.from).toBe("2026-05-04T09:30:00.000Z");
    expect(changes.reduce((count, { data }) => count + data.count, 0)).toBe(30);
    const after = before + 30 + changes.length;
    expect(numbersOf(server).high).toBe(after);
    expect(await changesBy(server, late)).toEqual([]);
    expect(numbersOf(server).high).toBe(after);
  });

  test("with late ones and new ones tells the new ones first", async () => {
    const { key } = await server.device();
    await batch(key, [bare(DAY_IN_MAY + 100)]);
    const changes = await changesBy(server, () => batch(key, [bare(DAY_IN_MAY), bare(DAY_IN_MAY + 200)]));
    expect(changes.map(({ type }) => type)).toEqual(["gpsUpdate", "gpsLate"]);
  });
});

test("a zone that is entered and left is told after the position, also by its own name", async () => {
  const { id: device_id, key } = await server.device();
  const zone = await createZone(server, { ...HERE, metadata: { berth: "N4" } });
  const changes = await changesBy(server, async () => {
    await postPoint(server, key, { ...HERE, timestamp: SECONDS() - 60 });
    await postPoint(server, key, { ...northOf(HERE, 5), timestamp: SECONDS() });
  });
  expect(changes.map(({ type }) => type)).toEqual([
    "gpsUpdate",
    "geofenceEvent",
    "gpsUpdate",
    "geofenceEvent",
  ]);
  const crossings = changes.filter(({ type }) => type === "geofenceEvent").map(({ data }) => data);
  expect(crossings).toMatchObject([
    { event: "enter", geofence_id: zone.id, device_id, metadata: { berth: "N4" } },
    { event: "exit", geofence_id: zone.id, device_id },
  ]);
  await remove(`/v1/geofences/${zone.id}`);
});

describe("a trip", () => {
  test("is told when it is created, changed, moved on and deleted", async () => {
    const since = await nowOf(server);
    const { id } = await createTrip(server);
    await patch(`/v1/trips/${id}`, { name: "renamed" });
    await patch(`/v1/trips/${id}`, { name: "renamed" });
    const trip = await moveTrip(server, id, "active", "paused", "active", "completed");
    expect((await changesSince(server, since)).map(({ type, data }) => [type, data])).toEqual(
      Array.from({ length: 6 }, () => ["tripUpdate", trip]),
    );
    await remove(`/v1/trips/${id}`);
    const changes = await changesSince(server, since);
    expect(changes.map(({ data }) => data)).toEqual(
      Array.from({ length: 7 }, () => ({ id, device_id: null, is_deleted: true })),
    );
  });

  test("that changes its device is told to those who follow either", async () => {
    const [one, two] = [await server.device(), await server.device()];
    const { id } = await createTrip(server, { device_id: one.id });
    const since = await nowOf(server);
    await patch(`/v1/trips/${id}`, { device_id: two.id });
    for (const device_id of [one.id, two.id])
      expect(brief(await changesSince(server, since, { device_id, types: "tripUpdate" }))).toEqual([
        ["tripUpdate", id],
      ]);
    await patch(`/v1/trips/${id}`, { device_id: null });
    expect(await changesSince(server, since, { device_id: one.id })).toHaveLength(1);
    expect(await changesSince(server, since, { device_id: two.id })).toHaveLength(2);
  });

  test("changes with the deletion of its category, and of a place that it goes from and to, once each", async () => {
    const category = await create("/v1/trip-categories", { name: "ferry" });
    const place = await create("/v1/locations", { name: "pier", ...HERE });
    const ends = { origin_id: place.id, destination_id: place.id };
    const { id } = await createTrip(server, { category_id: category.id, ...ends });
    const other = await createTrip(server, { destination_id: place.id });
    expect(brief(await changesBy(server, () => remove(`/v1/trip-categories/${category.id}`)))).toEqual([
      ["tripUpdate", id],
    ]);
    const changes = await changesBy(server, () => remove(`/v1/locations/${place.id}`));
    expect(brief(changes)).toEqual([
      ["tripUpdate", id],
      ["tripUpdate", other.id],
    ]);
    expect(changes[0]?.data).toMatchObject({ category_id: null, origin_id: null, destination_id: null });
  });

  test("that a template makes is told", async () => {
    const template = await create("/v1/trip-templates", { name: "round" });
    let trip = { id: "" };
    const changes = await changesBy(server, async () => {
      trip = await create(`/v1/trip-templates/${template.id}/create-trip`, { weight_kg: 1 });
    });
    expect(brief(changes)).toEqual([["tripUpdate", trip.id]]);
  });
});

describe("a device", () => {
  test("is told when it is created, changed and deleted, its trips with it", async () => {
    const since = await nowOf(server);
    const device = await create("/v1/devices", { name: "buoy" });
    await patch(`/v1/devices/${device.id}`, { name: "light" });
    await patch(`/v1/devices/${device.id}`, { name: "light" });
    const record = (await server.get(`/v1/devices/${device.id}`, { token: admin })).body.data;
    expect((await changesSince(server, since)).map(({ type, data }) => [type, data])).toEqual([
      ["deviceUpdate", record],
      ["deviceUpdate", record],
    ]);
    const trip = await createTrip(server, { device_id: device.id });
    const changes = await changesBy(server, () => remove(`/v1/devices/${device.id}`));
    expect(changes).toMatchObject([
      { type: "tripUpdate", data: { id: trip.id, device_id: null } },
      { type: "deviceUpdate", data: { id: device.id, device_id: device.id, is_deleted: true } },
    ]);
    // Of its own device, as it was.
    expect(await changesSince(server, since, { device_id: device.id, types: "tripUpdate" })).toHaveLength(2);
  });

  test("changes with its key: linked, moved from another one, unlinked, deleted", async () => {
    const [one, two] = [
      await create("/v1/devices", { name: "1" }),
      await create("/v1/devices", { name: "2" }),
    ];
    const { id: api_key_id } = await server.createKey("gps:write");
    const link = (id: string, key: string | null) => patch(`/v1/devices/${id}`, { api_key_id: key });
    const told = async (act: () => Promise<unknown>) => brief(await changesBy(server, act)).sort();
    const of = (...ids: string[]) => ids.map((id): [string, string] => ["deviceUpdate", id]).sort();
    expect(await told(() => link(one.id, api_key_id))).toEqual(of(one.id));
    expect(await told(() => link(one.id, api_key_id))).toEqual([]);
    expect(await told(() => link(two.id, api_key_id))).toEqual(of(one.id, two.id));
    expect(await told(() => link(two.id, null))).toEqual(of(two.id));
    await link(one.id, api_key_id);
    expect(await told(() => remove(`/v1/api-keys/${api_key_id}`))).toEqual(of(one.id));
    const { id: free } = await server.createKey("gps:write");
    expect(await told(() => remove(`/v1/api-keys/${free}`))).toEqual([]);
  });

  test("that is made with the key of another one changes that too", async () => {
    const { id: former, keyId } = await server.device();
    let made = { id: "" };
    const changes = await changesBy(server, async () => {
      made = await create("/v1/devices", { name: "heir", api_key_id: keyId });
    });
    expect(brief(changes)).toEqual([
      ["deviceUpdate", former],
      ["deviceUpdate", made.id],
    ]);
  });

  test("changes when the account of its key's owner is deleted", async () => {
    const user = await newUser(server, "role_admin");
    const { id: api_key_id } = await createKey(server, user.token, ["gps:write"]);
    const device = done(
      await server.post("/v1/devices", { token: user.token, body: { name: "theirs", api_key_id } }),
    ).data;
    const changes = await changesBy(server, () =>
      server.post(`/v1/admin/users/${user.id}/force-delete`, {
        token: admin,
        body: { password: ADMIN.password },
      }),
    );
    expect(changes).toMatchObject([{ type: "deviceUpdate", data: { id: device.id, api_key_id: null } }]);
  });
});

describe("nothing is told, and no number is lost,", () => {
  test("of what is refused", async () => {
    const { id: device_id, key } = await server.device();
    const trip = await createTrip(server, { device_id, gps_logging_enabled: true });
    const other = await createTrip(server, { device_id, gps_logging_enabled: true });
    await moveTrip(server, trip.id, "active");
    const point = await postPoint(server, key);
    const before = numbersOf(server).high;
    const refusals = [
      server.post("/v1/gps", { token: key, body: fix({ latitude: 91 }) }),
      server.post("/v1/gps", { token: key, body: fix({ timestamp: SECONDS() + 100_000 }) }),
      server.patch(`/v1/trips/${other.id}`, { token: admin, body: { status: "active" } }),
      server.patch(`/v1/trips/${trip.id}`, { token: admin, body: { status: "draft" } }),
      server.delete(`/v1/trips/${trip.id}`, { token: admin }),
      server.delete(`/v1/gps/${point.id}`, { token: admin }),
      server.post("/v1/devices", { token: admin, body: { name: "x", api_key_id: crypto.randomUUID() } }),
      server.delete(`/v1/devices/${crypto.randomUUID()}`, { token: admin }),
      server.post("/v1/trips", { token: admin, body: { name: "x", device_id: crypto.randomUUID() } }),
    ];
    for (const { status } of await Promise.all(refusals)) expect([400, 404, 409]).toContain(status);
    expect(numbersOf(server).high).toBe(before);
    const changes = await changesBy(server, () => moveTrip(server, trip.id, "paused"));
    expect(changes.map(({ cursor }) => numberOf(cursor))).toEqual([(before as number) + 1]);
  });

  test("of what is rolled back beside others in one commit", async () => {
    const { key } = await server.device();
    // After the row of the change, in the same use case.
    write(
      server,
      `CREATE TRIGGER no_light BEFORE INSERT ON changes WHEN NEW.kind = 4 AND EXISTS
       (SELECT 1 FROM devices WHERE id = NEW.record AND name = 'refused')
       BEGIN SELECT RAISE(ABORT, 'refused by the test'); END`,
    );
    try {
      const since = await nowOf(server);
      const before = numbersOf(server).high as number;
      const answers = await Promise.all(
        Array.from({ length: 60 }, (_, at) =>
          at % 3 === 0
            ? server.post("/v1/devices", { token: admin, body: { name: at % 2 === 0 ? "refused" : "taken" } })
            : server.post("/v1/gps", { token: key, body: fix() }),
        ),
      );
      const made = answers.filter(({ status }) => status === 201).map(({ body }) => body.data.id);
      expect(made).toHaveLength(50);
      const changes = await changesSince(server, since);
      expect(changes.map(({ data }) => data.id).sort()).toEqual(made.sort());
      expect(changes.map(({ cursor }) => numberOf(cursor))).toEqual(made.map((_, at) => before + 1 + at));
    } finally {
      write(server, "DROP TRIGGER no_light");
    }
  });
});
