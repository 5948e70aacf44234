import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import {
  expectInvalid,
  expectPermission,
  expectRefused,
  expectStatus,
  UNKNOWN,
} from "../../support/expectations";
import { TestServer } from "../../support/server";
import { Client } from "../../support/socket";
import { createZone, fix, greatCircleKm, northOf, type Place, postPoint } from "../support";

/** Crossings that are kept, who is inside, visits, and corrections after late positions, by the API. */

const { latitude, longitude } = fix();
const HERE: Place = { latitude, longitude };
const FAR: Place = northOf(HERE, 50);
const settings = { "websocket.max_messages_per_second": "100000" };

let server: TestServer;
let token: string;
beforeAll(async () => {
  server = await TestServer.start({ settings, clock: "movable" });
  token = await server.admin();
});
afterAll(() => server.stop());
afterEach(async () => {
  const { body } = await server.get("/v1/geofences?limit=100", { token });
  for (const { id } of body.data) await server.delete(`/v1/geofences/${id}`, { token });
  // A device that stays would be inside of the next test's zone.
  const { data } = await get("/v1/devices?limit=100");
  for (const { id } of data) await server.delete(`/v1/devices/${id}`, { token });
});

const get = async (path: string) => expectStatus(await server.get(path, { token }), 200).body;
/** A list, once nothing is computed anew any more. */
async function settled(path: string, where = server, as = token) {
  for (;;) {
    const { body } = expectStatus(await where.get(path, { token: as }), 200);
    if (body.recomputing_from === null) return body;
    await Bun.sleep(10);
  }
}
// biome-ignore lint/suspicious/noExplicitAny: the rows of any answer
const events = async (query: string): Promise<any[]> => (await settled(`/v1/geofence-events?${query}`)).data;
const brief = (rows: { event: string; occurred_at: string }[]) =>
  rows.map(({ event, occurred_at }) => `${event} ${(Date.parse(occurred_at) / 1_000) % 100_000}`);

/** Posts positions of a device in one request; a place, a time and an accuracy each. */
async function report(key: string, ...positions: [Place, number, number?][]): Promise<void> {
  const body = {
    positions: positions.map(([place, timestamp, accuracy_m]) => ({
      ...place,
      timestamp,
      accuracy_m: accuracy_m ?? null,
    })),
  };
  expectStatus(await server.post("/v1/gps/batch", { token: key, body }), 200);
}

/** A time some days before the zones of these tests are made would be before their beginning: these are of years ago. */
const START = 1_372_600_000;

describe("a crossing", () => {
  test("is kept with the position that it happened at, and is read by itself", async () => {
    const zone = await createZone(server, { name: "harbour", metadata: { a: 1 } });
    const { id, key } = await server.device("Greif");
    const point = await postPoint(server, key, { ...northOf(HERE, 0.4), timestamp: START });
    const [event, ...more] = await events(`device_id=${id}`);
    expect(more).toEqual([]);
    expect(event).toEqual({
      id: expect.any(String),
      geofence_id: zone.id,
      geofence_name: "harbour",
      device_id: id,
      device_name: "Greif",
      event: "enter",
      occurred_at: new Date(START * 1_000).toISOString(),
      recorded_at: expect.any(String),
      ...northOf(HERE, 0.4),
      distance_km: expect.closeTo(0.4, 6),
      gps_point_id: point.id,
      trip_id: null,
      is_late: false,
      superseded_at: null,
      box_id: null,
    });
    const one = await get(`/v1/geofence-events/${event.id}`);
    expect(one).toEqual({ data: event, _links: { self: `/v1/geofence-events/${event.id}` } });
  });

  test("stays with its names when zone and device are renamed and deleted", async () => {
    const zone = await createZone(server, { name: "old harbour" });
    const { id, key } = await server.device("Old Greif");
    await postPoint(server, key, { timestamp: START });
    await server.patch(`/v1/geofences/${zone.id}`, { token, body: { name: "new harbour" } });
    await server.patch(`/v1/devices/${id}`, { token, body: { name: "New Greif" } });
    await postPoint(server, key, { ...FAR, timestamp: START + 1 });
    await server.delete(`/v1/geofences/${zone.id}`, { token });
    await server.delete(`/v1/devices/${id}`, { token });
    const names = (await events(`geofence_id=${zone.id}`)).map(
      (row) => `${row.geofence_name}, ${row.device_name}`,
    );
    expect(names).toEqual(["new harbour, New Greif", "old harbour, Old Greif"]);
    expect(await events(`device_id=${id}`)).toHaveLength(2);
  });

  test("has an identifier that is known and well-formed", async () => {
    expectRefused(await server.get(`/v1/geofence-events/${UNKNOWN}`, { token }), 404, "NotFound");
    expectInvalid(await server.get("/v1/geofence-events/x", { token }), "/id");
    for (const list of ["devices", "visits"])
      expectRefused(await server.get(`/v1/geofences/${UNKNOWN}/${list}`, { token }), 404, "NotFound");
  });

  test("needs geofences:read", async () => {
    const zone = await createZone(server);
    for (const path of [
      "/v1/geofence-events",
      `/v1/geofences/${zone.id}/devices`,
      `/v1/geofences/${zone.id}/visits`,
    ])
      await expectPermission(server, "geofences:read", 200, (token) =>
        server.get(path, token === undefined ? {} : { token }),
      );
  });
});

test("the list is filtered by all that it says, and paged newest first", async () => {
  const [one, two] = [
    await createZone(server, { name: "one" }),
    await createZone(server, { name: "two", radius_km: 2 }),
  ];
  const [ship, other] = [await server.device(), await server.device()];
  const trip = expectStatus(
    await server.post("/v1/trips", {
      token,
      body: { name: "t", device_id: ship.id, gps_logging_enabled: true },
    }),
    201,
  ).body.data;
  await server.patch(`/v1/trips/${trip.id}`, { token, body: { status: "active" } });
  for (let n = 0; n < 6; n++)
    await postPoint(server, ship.key, { ...(n % 2 ? FAR : HERE), timestamp: START + n });
  await postPoint(server, other.key, { timestamp: START + 10 });
  const count = async (query: string) => (await get(`/v1/geofence-events?${query}`)).pagination.total;
  const both = `device_id=${ship.id}`;
  expect(await count(both)).toBe(12);
  expect(await count(`${both}&event=enter`)).toBe(6);
  expect(await count(`${both}&geofence_id=${one.id}`)).toBe(6);
  expect(await count(`${both}&geofence_id=${one.id}&event=exit`)).toBe(3);
  expect(await count(`geofence_id=${two.id}`)).toBe(7);
  expect(await count(`trip_id=${trip.id}`)).toBe(12);
  expect(await count(`device_id=${UNKNOWN}`)).toBe(0);
  const at = (n: number) => encodeURIComponent(new Date((START + n) * 1_000).toISOString());
  expect(await count(`${both}&from=${at(1)}&to=${at(3)}`)).toBe(6);
  expect(await count(`${both}&event=enter&from=${at(1)}`)).toBe(4);
  const page = await get(`/v1/geofence-events?${both}&limit=5&page=2`);
  expect(page.pagination).toEqual({ page: 2, limit: 5, total: 12, total_pages: 3 });
  const all = await events(`${both}&limit=100`);
  expect(page.data).toEqual(all.slice(5, 10));
  expect(brief(all)).toEqual(
    brief(all).toSorted((a, b) => Number(b.split(" ")[1]) - Number(a.split(" ")[1])),
  );
  expect((await get("/v1/geofence-events")).pagination.limit).toBe(50);
  // A trip that goes leaves its crossings.
  for (const status of ["completed"]) await server.patch(`/v1/trips/${trip.id}`, { token, body: { status } });
  await server.delete(`/v1/trips/${trip.id}`, { token });
  expect(await count(both)).toBe(12);
  expect((await events(both)).every(({ trip_id }) => trip_id === null || trip_id === trip.id)).toBe(true);
  for (const query of ["event=come", "device_id=x", "from=yesterday", "include_superseded=1", "page=0"])
    expectInvalid(await server.get(`/v1/geofence-events?${query}`, { token }), `/${query.split("=")[0]}`);
});

describe("the rules of a zone", () => {
  const crossed = async (rules: object, positions: [Place, number, number?][]) => {
    const zone = await createZone(server, rules);
    const { id, key } = await server.device();
    await report(key, ...positions);
    const found = brief((await events(`device_id=${id}`)).toReversed());
    await server.delete(`/v1/geofences/${zone.id}`, { token });
    return found.map((each) =>
      each.replace(/\d+(\.\d+)?$/, (time) => String(Math.round(Number(time) - (START % 100_000)))),
    );
  };
  const [IN, OUT] = [HERE, FAR];

  test("ask for as many positions in a row, and the crossing is of the first", async () => {
    const track: [Place, number][] = [OUT, IN, OUT, IN, IN, OUT, IN, OUT, OUT].map((place, n) => [
      place,
      START + n,
    ]);
    expect(await crossed({ confirm_fixes: 2 }, track)).toEqual(["enter 3", "exit 7"]);
    expect(await crossed({}, track)).toEqual(["enter 1", "exit 2", "enter 3", "exit 5", "enter 6", "exit 7"]);
  });

  test("ask for a time on the other side", async () => {
    const track: [Place, number][] = [
      [IN, START],
      [IN, START + 29],
      [OUT, START + 30],
      [IN, START + 31],
      [IN, START + 61],
      [OUT, START + 70],
      [OUT, START + 79],
      [OUT, START + 80],
    ];
    expect(await crossed({ enter_after_s: 30, exit_after_s: 10 }, track)).toEqual(["enter 31", "exit 70"]);
  });

  test("leave out positions that are too inaccurate", async () => {
    const track: [Place, number, number?][] = [
      [IN, START, 100],
      [IN, START + 1, 20],
      [OUT, START + 2, 21],
      [OUT, START + 3],
    ];
    expect(await crossed({ max_accuracy_m: 20 }, track)).toEqual(["enter 1", "exit 3"]);
    await server.patch("/v1/system-config/geofence.max_accuracy_m", { token, body: { value: 20 } });
    expect(await crossed({}, track)).toEqual(["enter 1", "exit 3"]);
    expect(await crossed({ max_accuracy_m: 0 }, track)).toEqual(["enter 0", "exit 2"]);
    await server.patch("/v1/system-config/geofence.max_accuracy_m", { token, body: { value: 0 } });
  });

  test("set the margin beyond which leaving counts", async () => {
    const track: [Place, number][] = [0, 1.05, 1.2, 1.05].map((km, n) => [northOf(HERE, km), START + n]);
    expect(await crossed({ exit_margin_m: 100 }, track)).toEqual(["enter 0", "exit 2"]);
    expect(await crossed({ exit_margin_m: 300 }, track)).toEqual(["enter 0"]);
    expect(await crossed({ exit_margin_m: 0 }, track)).toEqual(["enter 0", "exit 1"]);
  });

  test("tell when a device has stayed, at the time when it was long enough", async () => {
    const track: [Place, number][] = [0, 30, 100, 200].map((at) => [IN, START + at]);
    expect(await crossed({ dwell_seconds: 60 }, track)).toEqual(["enter 0", "dwell 60"]);
  });
});

test("a way through a zone without a position inside is kept as passed, and no message tells of it", async () => {
  const zone = await createZone(server, { name: "lock" });
  const client = await (await Client.open(server, { token })).subscribe("geofence");
  const [south, north] = [northOf(HERE, -2), northOf(HERE, 4)];
  const { id, key } = await server.device();
  await report(key, [south, START], [north, START + 600]);
  const [event, ...more] = await events(`device_id=${id}`);
  expect(more).toEqual([]);
  expect(event).toMatchObject({ event: "passed", geofence_id: zone.id });
  expect(greatCircleKm(event, HERE)).toBeLessThan(0.001);
  expect(Date.parse(event.occurred_at) / 1_000 - START).toBeCloseTo(200, 0);
  // After more than ten minutes nothing is known of the way.
  await report(key, [south, START + 1_201]);
  expect(await events(`device_id=${id}`)).toHaveLength(1);
  // A position that comes between two supersedes it.
  await report(key, [HERE, START + 200]);
  expect(brief(await events(`device_id=${id}`))).toEqual([
    `exit ${(START + 600) % 100_000}`,
    `enter ${(START + 200) % 100_000}`,
  ]);
  const all = await events(`device_id=${id}&include_superseded=true`);
  expect(all.map(({ event, is_late, superseded_at }) => [event, is_late, superseded_at !== null])).toEqual([
    ["exit", true, false],
    ["enter", true, false],
    ["passed", false, true],
  ]);
  expect(await client.heard()).toEqual([]);
  await client.close();
});

test("devices inside and visits follow the crossings", async () => {
  const zone = await createZone(server, { name: "berth" });
  const [one, two] = [await server.device("One"), await server.device("Two")];
  const inside = async () => (await settled(`/v1/geofences/${zone.id}/devices`)).data;
  const visits = async () => (await settled(`/v1/geofences/${zone.id}/visits`)).data;
  expect(await inside()).toEqual([]);
  const at = (seconds: number) => new Date((START + seconds) * 1_000).toISOString();
  await report(one.key, [HERE, START], [FAR, START + 60], [HERE, START + 100], [HERE, START + 130]);
  await report(two.key, [HERE, START + 110], [FAR, START + 111]);
  expect(await inside()).toEqual([
    { device_id: one.id, device_name: "One", since: at(100), last_position_at: at(130) },
  ]);
  const visit = ({ id }: { id: string }, name: string, from: number, to: number | null) => ({
    device_id: id,
    device_name: name,
    entered_at: at(from),
    exited_at: to === null ? null : at(to),
    duration_seconds: to === null ? null : to - from,
  });
  expect(await visits()).toEqual([
    visit(two, "Two", 110, 111),
    visit(one, "One", 100, null),
    visit(one, "One", 0, 60),
  ]);
  // A late position ends the last stay earlier, and a later one begins.
  await report(one.key, [FAR, START + 120]);
  expect(await visits()).toEqual([
    visit(one, "One", 130, null),
    visit(two, "Two", 110, 111),
    visit(one, "One", 100, 120),
    visit(one, "One", 0, 60),
  ]);
  expect((await inside())[0].since).toBe(at(130));
  // Another radius begins a new stay, from now on.
  const { data } = (await server.patch(`/v1/geofences/${zone.id}`, { token, body: { radius_km: 3 } })).body;
  const [newest, before] = await visits();
  expect(newest).toEqual({ ...visit(one, "One", 0, null), entered_at: data.updated_at });
  expect(before.exited_at).not.toBeNull();
  expect((await inside())[0].since).toBe(data.updated_at);
  // Another colour does so too, and another name doesn't.
  const change = async (body: object) =>
    (await server.patch(`/v1/geofences/${zone.id}`, { token, body })).body.data.updated_at;
  const coloured = await change({ color: "#ff8800" });
  expect((await inside())[0].since).toBe(coloured);
  await change({ name: "Renamed" });
  expect((await inside())[0].since).toBe(coloured);
  await server.delete(`/v1/devices/${one.id}`, { token });
  expect(await inside()).toEqual([]);
  expect((await visits())[0].exited_at).not.toBeNull();
});

test("positions from before a zone began to watch, whenever they come, cause no crossing", async () => {
  const { id, key } = await server.device();
  const begun = Math.floor(server.time / 1_000);
  await report(key, [FAR, begun - 1_000]);
  const zone = await createZone(server);
  await report(key, [HERE, begun - 500]);
  await report(key, [FAR, begun - 700], [HERE, begun - 800]);
  expect(await events(`device_id=${id}`)).toEqual([]);
  const [inside] = (await settled(`/v1/geofences/${zone.id}/devices`)).data;
  expect(inside).toMatchObject({ device_id: id, since: zone.created_at });
  await server.advance(20_000);
  await report(key, [FAR, begun + 10]);
  expect(brief(await events(`device_id=${id}`))).toEqual([`exit ${(begun + 10) % 100_000}`]);
});

describe("late positions", () => {
  test("correct crossings, and extended subscriptions are told once", async () => {
    const zone = await createZone(server, { name: "harbour" });
    const { id, key } = await server.device();
    const plain = await (await Client.open(server, { token })).subscribe("geofence");
    const extended = await Client.open(server, { token });
    await extended.ask({ type: "subscribe", channel: "geofence", extended: true });
    const fed = await Client.open(server, { token });
    await fed.ask({ type: "subscribe", channel: "geofence", since: "now" });
    await report(key, [HERE, START], [HERE, START + 100], [HERE, START + 200]);
    await report(key, [FAR, START + 150], [FAR, START + 160]);
    expect(brief(await events(`device_id=${id}`))).toEqual(
      [`enter ${START + 200}`, `exit ${START + 150}`, `enter ${START}`].map((each) =>
        each.replace(/\d+$/, (time) => String(Number(time) % 100_000)),
      ),
    );
    const correction = {
      type: "geofenceCorrection",
      data: {
        device_id: id,
        geofence_ids: [zone.id],
        from: new Date((START + 150) * 1_000).toISOString(),
        to: new Date((START + 200) * 1_000).toISOString(),
      },
    };
    const types = async (client: Client) => (await client.heard()).map(({ type }) => type);
    expect(await types(plain)).toEqual(["geofenceEvent"]);
    expect((await extended.heard())[1]).toEqual(correction);
    expect((await fed.heard())[1]).toEqual({ ...correction, cursor: expect.any(String) });
    const changes = await get("/v1/changes?since=now");
    expect(changes.changes).toEqual([]);
    // Positions that change nothing are told of to nobody.
    await report(key, [HERE, START + 50]);
    await events(`device_id=${id}`);
    expect(await types(extended)).toEqual([]);
    await Promise.all([plain.close(), extended.close(), fed.close()]);
  });

  test("that are marked, unmarked or deleted change crossings back", async () => {
    await createZone(server);
    const { id, key } = await server.device();
    await report(key, [FAR, START], [HERE, START + 1_000], [FAR, START + 2_000]);
    const all = async () => brief(await events(`device_id=${id}`));
    const before = await all();
    expect(before).toHaveLength(2);
    const { data } = await get(`/v1/gps?device_id=${id}`);
    const middle = `/v1/gps/${data[1].id}`;
    expectStatus(await server.patch(middle, { token, body: { is_outlier: true } }), 200);
    expect(await all()).toEqual([]);
    expectStatus(await server.patch(middle, { token, body: { is_outlier: false } }), 200);
    expect(await all()).toEqual(before);
    expectStatus(await server.delete(middle, { token }), 204);
    expect(await all()).toEqual([]);
    expect((await events(`device_id=${id}&include_superseded=true`)).length).toBe(4);
  });

  test("are made up for after a crash", async () => {
    const own = await TestServer.start();
    const admin = await own.admin();
    await createZone(own);
    const { id, key } = await own.device();
    const body = (positions: object[]) => ({ token: key, body: { positions } });
    await own.post(
      "/v1/gps/batch",
      body([
        { ...FAR, timestamp: START },
        { ...FAR, timestamp: START + 100_000 },
      ]),
    );
    const many = Array.from({ length: 1_000 }, (_, n) => ({
      ...(n % 2 ? HERE : FAR),
      timestamp: START + 1 + n,
    }));
    await own.post("/v1/gps/batch", body(many));
    await own.stop("SIGKILL");
    const again = await TestServer.start({ dataDir: own.dataDir });
    const { pagination } = await settled(`/v1/geofence-events?device_id=${id}`, again, admin);
    expect(pagination.total).toBe(1_000);
    await again.stop();
  });
});
