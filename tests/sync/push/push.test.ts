import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { changesBy } from "../../changes/support";
import { eventually, expectRefused, expectStatus } from "../../support/expectations";
import { rows } from "../../support/rows";
import { TestServer } from "../../support/server";
import { Client } from "../../support/socket";
import { DAY, HOUR, MINUTE, SECOND } from "../../support/time";
import { createZone, fix } from "../../tracking/support";
import { alert, crossing, device, entries, gone, position, trip } from "../rows";
import { newUuid, Sender } from "../sender";
import { newBox, readBox } from "../support";

/** Rows of boxes as the shore shows them: each kind, as its box has it, and changed there alone. */

let server: TestServer;
let token = "";
beforeAll(async () => {
  server = await TestServer.start({ clock: "movable" });
  token = await server.admin();
});
afterAll(() => server.stop());

const read = async (path: string) => expectStatus(await server.get(path, { token }), 200).body;
const data = async (path: string) => (await read(path)).data;

interface Boat {
  id: string;
  sender: Sender;
}

async function newBoat(): Promise<Boat> {
  const { id, token: own } = await newBox(server);
  return { id, sender: new Sender(server, own) };
}

/** A boat with one device. */
async function newFleet() {
  const boat = await newBoat();
  const greif = device(server.time);
  await boat.sender.send({ trips: { records: [greif] } });
  return { ...boat, deviceId: greif.id };
}

describe("a box that was never heard", () => {
  test("may begin with nothing", async () => {
    const { id, sender } = await newBoat();
    const answer = await sender.send({ alerts: [], backlog: [] });
    expect(answer).toEqual({
      acknowledged: { alerts: 0, backlog: 0 },
      hashes: { alerts: "000000000000", backlog: "000000000000" },
      ...{ unknown: [], refused: 0, set: { tag: "0", version: 0 } },
    });
    expect((await readBox(server, id)).acknowledged).toEqual({ alerts: 0, backlog: 0 });
  });

  test("tells of itself by each push", async () => {
    const { id, sender } = await newBoat();
    const before = server.time;
    await sender.send(
      { trips: { records: [device(before)] }, backlog: [{ skipped: [{ from: 1, to: 9, rows: 7 }] }, {}] },
      { clock: before - HOUR, version: "1.2.3", backlog: { rows: 12, bytes: 300, ageSeconds: 60 } },
    );
    const first = await readBox(server, id);
    expect(first).toMatchObject({
      ...{ backlog_estimate: 12, version: "1.2.3", skipped_rows: 7, refused_rows: 0 },
      acknowledged: { trips: 1, backlog: 2 },
    });
    expect(Date.parse(first.last_contact_at)).toBeWithin(before - SECOND, server.time + 1);
    expect(first.clock_offset_ms).toBeWithin(-HOUR - MINUTE, -HOUR + 1);
    expect(first.bytes_today).toBeWithin(50, 400);
    await sender.send({ alerts: [] });
    expect((await readBox(server, id)).bytes_today).toBeGreaterThan(first.bytes_today);
    await server.advance(DAY);
    expect((await readBox(server, id)).bytes_today).toBe(0);
    await sender.send({ alerts: [] });
    expect((await readBox(server, id)).bytes_today).toBeWithin(20, first.bytes_today);
    await sender.send({ alerts: [] }, { version: "1\u001b[2J" });
    expect((await readBox(server, id)).version).toBeNull();
  });

  test("says what it holds of the zones and rules that it is handed", async () => {
    const { id, sender } = await newBoat();
    const zone = await createZone(server, { box_ids: [id] });
    const { set } = await sender.send({ alerts: [] });
    const answer = await server.get("/v1/sync/set", { token: sender.token });
    expect(answer.headers.get("etag")).toBe(`"${set.tag}"`);
    expect(answer.body).toMatchObject({ version: set.version, zones: [{ id: zone.id }] });
    await sender.send({ alerts: [] }, { remarks: { set: { version: 7, error: "no such kind" } } });
    expect(await readBox(server, id)).toMatchObject({ applied_version: 7, error: "no such kind" });
    for (const set of [
      { version: -1, error: null },
      { version: "8", error: null },
      { version: 1, error: 5 },
      5,
    ])
      await sender.send({ alerts: [] }, { remarks: { set } as object });
    await sender.send({ alerts: [] });
    expect(await readBox(server, id)).toMatchObject({ applied_version: 7, error: "no such kind" });
    await sender.send({ alerts: [] }, { remarks: { set: { version: set.version, error: null } } });
    expect(await readBox(server, id)).toMatchObject({ applied_version: set.version, error: null });
  });
});

describe("a device", () => {
  test("is shown, changed and deleted as its box says", async () => {
    const { id, sender } = await newBoat();
    const time = server.time - DAY;
    const greif = device(time, { external_id: "greif", max_speed_kmh: 40, device_type: "vessel" });
    const told = await changesBy(server, () => sender.send({ trips: { records: [greif] } }));
    expect(told.map(({ type, data }) => [type, data.id, data.box_id])).toEqual([
      ["deviceUpdate", greif.id, id],
    ]);
    expect(await data(`/v1/devices/${greif.id}`)).toMatchObject({
      ...{ id: greif.id, box_id: id, name: "Greif", external_id: "greif", max_speed_kmh: 40 },
      ...{ device_type: "vessel", created_at: new Date(time).toISOString() },
    });
    const { max_speed_kmh: _, ...fields } = greif.row;
    await sender.send({ trips: { records: [{ ...greif, row: { ...fields, name: "Greif II" } }] } });
    expect(await data(`/v1/devices/${greif.id}`)).toMatchObject({ name: "Greif II", max_speed_kmh: null });
    const path = `/v1/devices/${greif.id}`;
    expectRefused(await server.patch(path, { token, body: { name: "mine" } }), 409, "OwnedByBox");
    expectRefused(await server.delete(path, { token }), 409, "OwnedByBox");
    await sender.send({ trips: { records: [gone("device", greif.id), gone("device", greif.id)] } });
    expectStatus(await server.get(path, { token }), 404);
  });

  test("that is told again as it is changes nothing", async () => {
    const { sender } = await newBoat();
    const greif = device(server.time);
    await sender.send({ trips: { records: [greif] } });
    expect(await changesBy(server, () => sender.send({ trips: { records: [greif] } }))).toEqual([]);
  });

  test("may swap its external_id with another of its box, and have one that others have", async () => {
    const [a, b] = [await newBoat(), await newBoat()];
    const { body } = await server.post("/v1/devices", { token, body: { name: "own", external_id: "one" } });
    const [first, second] = [device(1, { external_id: "one" }), device(2, { external_id: "two" })];
    await b.sender.send({ trips: { records: [device(1, { external_id: "one" })] } });
    await a.sender.send({ trips: { records: [first, second] } });
    const swapped = [
      { ...first, row: { ...first.row, external_id: "two" } },
      { ...second, row: { ...second.row, external_id: "one" } },
    ];
    await a.sender.send({ trips: { records: swapped } });
    expect((await data(`/v1/devices/${first.id}`)).external_id).toBe("two");
    expect((await data(`/v1/devices/${second.id}`)).external_id).toBe("one");
    expect((await data(`/v1/devices/${body.data.id}`)).external_id).toBe("one");
  });
});

describe("a position", () => {
  test("is shown in every list, on the map, in tracks, in the feed and by the socket", async () => {
    const { id, sender, deviceId } = await newFleet();
    const voyage = trip(server.time - HOUR, { device_id: deviceId });
    await sender.send({ trips: { records: [voyage] } });
    const socket = await Client.open(server, { token });
    await socket.subscribe("gps");
    const point = position(deviceId, server.time, { trip_id: voyage.id, speed_knots: 6.2, altitude: 1.25 });
    const told = await changesBy(server, () => sender.send({ backlog: { positions: [point] } }));
    expect(told.map(({ type, data }) => [type, data.id])).toEqual([["gpsUpdate", point.id]]);
    expect(await socket.next()).toMatchObject({
      type: "gpsUpdate",
      data: { id: point.id, device_id: deviceId },
    });
    await socket.close();
    const shown = {
      ...{ id: point.id, device_id: deviceId, trip_id: voyage.id, latitude: 54.1, longitude: 13.4 },
      ...{ speed_knots: 6.2, speed_kmh: null, altitude: 1.25, heading: 212.5, hdop: 0.9, source: "nmea" },
      ...{ timestamp: new Date(point.timestamp).toISOString(), box_id: id, is_outlier: false },
    };
    expect(await data(`/v1/gps/${point.id}`)).toMatchObject(shown);
    for (const list of [`/v1/gps?device_id=${deviceId}`, `/v1/trips/${voyage.id}/gps`, "/v1/gps?limit=1"])
      expect(await data(list)).toMatchObject([shown]);
    expect(await data("/v1/gps/current")).toMatchObject({ id: point.id });
    expect(await read("/v1/gps/current/devices")).toContainEqual(expect.objectContaining({ id: point.id }));
    const span = `from=${new Date(point.timestamp - HOUR).toISOString()}&to=${new Date(point.timestamp + HOUR).toISOString()}`;
    const track = await read(`/v1/devices/${deviceId}/track?${span}`);
    expect(JSON.stringify(track)).toContain("13.4");
    expect((await data(`/v1/devices/${deviceId}`)).last_position_at).toBe(shown.timestamp);
    const path = `/v1/gps/${point.id}`;
    expectRefused(await server.delete(path, { token }), 409, "OwnedByBox");
    expectRefused(await server.patch(path, { token, body: { is_outlier: true } }), 409, "OwnedByBox");
  });

  test("moves nothing and wakes nobody where it is late, and is told of with others", async () => {
    const { id, sender, deviceId } = await newFleet();
    const newest = position(deviceId, server.time);
    await sender.send({ newest: { positions: [newest] } });
    const old = Array.from({ length: 3 }, (_, at) =>
      position(deviceId, newest.timestamp - (3 - at) * MINUTE),
    );
    const told = await changesBy(server, () => sender.send({ backlog: { positions: [...old, newest] } }));
    // Together, or in parts where the machine is slow: a part of a batch takes a few milliseconds.
    expect(new Set(told.map(({ type }) => type))).toEqual(new Set(["gpsLate"]));
    expect(told.length).toBeLessThan(3);
    expect(told.reduce((sum, { data }) => sum + Number(data.count), 0)).toBe(3);
    expect(await data(`/v1/gps?device_id=${deviceId}`)).toMatchObject(
      [newest, ...old.toReversed()].map((each) => ({ id: each.id, box_id: id })),
    );
  });

  test("that its box marked, moved to a trip or deleted follows", async () => {
    const { sender, deviceId } = await newFleet();
    const voyage = trip(server.time - HOUR, { device_id: deviceId });
    const [one, two, three] = [3, 2, 1].map((ago) =>
      position(deviceId, server.time - ago * MINUTE, { latitude: 54 + ago / 100 }),
    ) as [ReturnType<typeof position>, ReturnType<typeof position>, ReturnType<typeof position>];
    await sender.send({ trips: { records: [voyage] }, backlog: { positions: [one, two, three] } });
    const inTrip = [one, two, three].map((each) => ({ ...each, trip_id: voyage.id }));
    await sender.send({ backlog: { positions: inTrip } });
    const distance = async () => (await data(`/v1/trips/${voyage.id}`)).distance_km;
    const whole = await distance();
    expect(whole).toBeGreaterThan(2);
    expect((await read(`/v1/trips/${voyage.id}/gps`)).pagination.total).toBe(3);
    await sender.send({ backlog: { positions: [{ ...inTrip[2], judgement: "hand" } as typeof one] } });
    expect(await data(`/v1/gps/${three.id}`)).toMatchObject({ is_outlier: true, outlier_reason: "hand" });
    expect(await distance()).toBeLessThan(whole * 0.6);
    await sender.send({ backlog: { records: [gone("position", two.id)] } });
    expectStatus(await server.get(`/v1/gps/${two.id}`, { token }), 404);
    expect((await read(`/v1/trips/${voyage.id}/gps`)).pagination.total).toBe(2);
    expect((await read(`/v1/gps?device_id=${deviceId}`)).pagination.total).toBe(2);
    await sender.send({ trips: { records: [gone("trip", voyage.id)] } });
    expectStatus(await server.get(`/v1/trips/${voyage.id}`, { token }), 404);
    await eventually(async () => (await data(`/v1/gps/${one.id}`)).trip_id === null);
  });

  test("has company in its second, and may be without a device", async () => {
    const { id, sender, deviceId } = await newFleet();
    const time = server.time;
    const twins = [position(deviceId, time), position(deviceId, time, { latitude: 54.2 })];
    const loose = position(null, time);
    expect((await sender.send({ backlog: { positions: [...twins, loose] } })).refused).toBe(0);
    expect((await read(`/v1/gps?device_id=${deviceId}`)).pagination.total).toBe(2);
    expect(await data(`/v1/gps/${loose.id}`)).toMatchObject({ device_id: null, box_id: id });
    expectRefused(await server.delete(`/v1/gps/${loose.id}`, { token }), 409, "OwnedByBox");
  });

  test("crosses the zones of the shore, as the device's next one", async () => {
    const { sender, deviceId } = await newFleet();
    const zone = await createZone(server, { latitude: 10, longitude: 10, radius_km: 1 });
    const body = {
      name: "in",
      severity: "info",
      condition: { type: "zone", geofence_ids: [zone.id], event: "enter" },
    };
    expectStatus(await server.post("/v1/alert-rules", { token, body }), 201);
    const at = (ago: number, latitude: number) =>
      position(deviceId, server.time - ago, { latitude, longitude: 10 });
    await sender.send({ backlog: { positions: [at(3 * MINUTE, 10.5), at(2 * MINUTE, 10)] } });
    expect(await data(`/v1/geofence-events?device_id=${deviceId}`)).toMatchObject([
      { event: "enter", geofence_id: zone.id, box_id: null },
    ]);
    expect(await data(`/v1/alerts?device_id=${deviceId}`)).toMatchObject([{ rule_name: "in", box_id: null }]);
  });

  test("that is old wakes nobody, and the next young one tells what is so now", async () => {
    const { sender, deviceId } = await newFleet();
    const zone = await createZone(server, { latitude: 20, longitude: 10, radius_km: 1 });
    const body = {
      name: "old",
      severity: "info",
      condition: { type: "zone", geofence_ids: [zone.id], event: "enter" },
    };
    expectStatus(await server.post("/v1/alert-rules", { token, body }), 201);
    const at = (ago: number, latitude: number) =>
      position(deviceId, server.time - ago, { latitude, longitude: 10 });
    await sender.send({ backlog: { positions: [at(2 * DAY, 20.5), at(DAY, 20), at(DAY - MINUTE, 20)] } });
    expect(await data(`/v1/alerts?device_id=${deviceId}`)).toEqual([]);
    await sender.send({ backlog: { positions: [at(MINUTE, 20)] } });
    expect(await data(`/v1/alerts?device_id=${deviceId}`)).toMatchObject([{ rule_name: "old" }]);
  });
});

describe("a trip with its log", () => {
  test("is shown as its box has it", async () => {
    const { id, sender, deviceId } = await newFleet();
    const began = server.time - HOUR;
    const spans = [{ device_id: deviceId, from_time: began }];
    const voyage = trip(began, { device_id: deviceId, spans });
    const log = entries(voyage.id, ["Cast off", "Reefed"], began);
    const told = await changesBy(server, () => sender.send({ trips: { records: [voyage, ...log] } }));
    expect(told.map(({ type, data }) => [type, data.id])).toEqual([["tripUpdate", voyage.id]]);
    expect(await data(`/v1/trips/${voyage.id}`)).toMatchObject({
      ...{ name: "To Hiddensee", status: "active", box_id: id, device_id: deviceId, tags: ["summer"] },
      started_at: new Date(began).toISOString(),
    });
    expect(await read(`/v1/trips/${voyage.id}/history`)).toMatchObject([{ new_status: "active" }]);
    expect(await data(`/v1/trips/${voyage.id}/log`)).toMatchObject([
      { text: "Cast off" },
      { text: "Reefed" },
    ]);
    expect(await read(`/v1/trips/${voyage.id}/log/verify`)).toMatchObject({ is_intact: true, entries: 2 });
    expect((await data("/v1/trips?status=active")).map(({ id }: { id: string }) => id)).toContain(voyage.id);
    const path = `/v1/trips/${voyage.id}`;
    for (const answer of [
      await server.patch(path, { token, body: { name: "mine" } }),
      await server.delete(path, { token }),
      await server.post(`${path}/log`, { token, body: { text: "mine" } }),
    ])
      expectRefused(answer, 409, "OwnedByBox");
    const completed = { ...voyage, row: { ...voyage.row, status: "completed", ended_at: server.time } };
    await sender.send({ trips: { records: [completed] } });
    expect(await data(path)).toMatchObject({ status: "completed" });
    await sender.send({ trips: { records: [gone("trip", voyage.id)] } });
    expectStatus(await server.get(path, { token }), 404);
    expect(rows(server, "SELECT id FROM log_entries WHERE trip_id = ?", voyage.id)).toEqual([]);
  });

  test("may be under way twice on one device, and names no device that isn't its box's", async () => {
    const { sender, deviceId } = await newFleet();
    const own = await server.device();
    const two = [trip(1, { device_id: deviceId }), trip(2, { device_id: deviceId })];
    const third = trip(3, { device_id: own.id, spans: [{ device_id: own.id, from_time: 3 }] });
    const fourth = trip(4, { device_id: newUuid() });
    expect((await sender.send({ trips: { records: [...two, third, fourth] } })).refused).toBe(0);
    for (const { id } of two) expect((await data(`/v1/trips/${id}`)).device_id).toBe(deviceId);
    for (const { id } of [third, fourth]) expect((await data(`/v1/trips/${id}`)).device_id).toBeNull();
    expect(rows(server, "SELECT 1 FROM trip_spans WHERE device_id = ?", own.id)).toEqual([]);
  });

  test("has a whole log in whatever order its entries come", async () => {
    const { sender } = await newFleet();
    const voyage = trip(server.time);
    const log = entries(voyage.id, ["1", "2", "3", "4", "5"], server.time);
    await sender.send({ trips: { records: [voyage, log[4] as (typeof log)[0]] } });
    await sender.send({ history: { records: [log[1], log[0], log[3], log[2]] as typeof log } });
    expect(await read(`/v1/trips/${voyage.id}/log/verify`)).toMatchObject({ is_intact: true, entries: 5 });
  });

  test("loses the entries of a life that its box has forgotten, and no other", async () => {
    const { sender } = await newFleet();
    const voyage = trip(server.time);
    const log = entries(voyage.id, ["1", "2", "3", "4", "5", "6"], server.time);
    await sender.send({ trips: { records: [voyage, ...log] } });
    // Restored from a backup that ends with the second entry.
    const anew = entries(voyage.id, ["3 anew", "4 anew", "5 anew"], server.time, log[1]);
    await sender.send({ trips: { records: [anew[2] as (typeof log)[0]] } });
    await sender.send({ history: { records: [...log.slice(0, 2), ...anew.slice(0, 2)] } });
    const texts = (await data(`/v1/trips/${voyage.id}/log`)).map(({ text }: { text: string }) => text);
    expect(texts).toEqual(["1", "2", "3 anew", "4 anew", "5 anew"]);
    expect(await read(`/v1/trips/${voyage.id}/log/verify`)).toMatchObject({ is_intact: true, entries: 5 });
  });
});

describe("an alert and a crossing", () => {
  test("are shown as their box has them", async () => {
    const { id, sender, deviceId } = await newFleet();
    const time = server.time - MINUTE;
    const raised = alert(time, { device_id: deviceId, device_name: "Greif", value: 12.5 });
    const crossed = crossing(time, { device_id: deviceId });
    const told = await changesBy(server, () =>
      sender.send({ alerts: { records: [raised] }, zones: { records: [crossed] } }),
    );
    expect(told.map(({ type }) => type)).toEqual(["alertRaised", "geofenceEvent"]);
    expect(told[0]?.data).toMatchObject({ id: raised.id, box_id: id });
    expect(await data(`/v1/alerts/${raised.id}`)).toMatchObject({
      ...{ box_id: id, status: "open", value: 12.5, severity: "warning" },
      raised_at: new Date(time).toISOString(),
    });
    expect(await data(`/v1/alerts?device_id=${deviceId}`)).toHaveLength(1);
    expect(await data(`/v1/geofence-events?device_id=${deviceId}`)).toMatchObject([
      { id: crossed.id, box_id: id, geofence_name: "Stralsund", event: "enter" },
    ]);
    expectRefused(
      await server.post(`/v1/alerts/${raised.id}/acknowledge`, { token, body: {} }),
      409,
      "OwnedByBox",
    );
    const acknowledged = {
      ...raised,
      row: { ...raised.row, status: "acknowledged", acknowledged_at: time + 1 },
    };
    const cleared = { ...raised, row: { ...acknowledged.row, status: "cleared", cleared_at: time + 2 } };
    const later = await changesBy(server, async () => {
      for (const record of [acknowledged, cleared]) await sender.send({ alerts: { records: [record] } });
    });
    expect(later.map(({ type }) => type)).toEqual(["alertAcknowledged", "alertCleared"]);
    const superseded = { ...crossed, row: { ...crossed.row, superseded_at: time + 3 } };
    await sender.send({ zones: { records: [superseded] } });
    expect(await data(`/v1/geofence-events?device_id=${deviceId}`)).toEqual([]);
    // It held again and was overturned once more before the next push: then the list must not lack another one.
    const again = { ...crossed, row: { ...crossed.row, superseded_at: time + 4 } };
    const other = crossing(time, { device_id: deviceId });
    await sender.send({ zones: { records: [again, other] } });
    const { body } = await server.get(`/v1/geofence-events?device_id=${deviceId}`, { token });
    expect(body.pagination.total).toBe(1);
    expect(body.data.map(({ id }: { id: string }) => id)).toEqual([other.id]);
  });

  test("notify nobody ashore", async () => {
    const { sender, deviceId } = await newFleet();
    const waiting = () => rows(server, "SELECT 1 FROM outbox").length;
    const before = waiting();
    await sender.send({
      alerts: { records: [alert(server.time, { device_id: deviceId, severity: "alarm" })] },
    });
    expect(waiting()).toBe(before);
  });
});

describe("what isn't the box's own", () => {
  const refusedBy = async (sender: Sender, ...[lanes]: Parameters<Sender["send"]>) =>
    (await sender.send(lanes)).refused as number;

  test("is refused, counted, and blocks nothing", async () => {
    const [a, b] = [await newFleet(), await newFleet()];
    const own = await server.device();
    const shoreTrip = expectStatus(await server.post("/v1/trips", { token, body: { name: "own" } }), 201).body
      .data;
    const shorePoint = expectStatus(
      await server.post("/v1/gps", {
        token: own.key,
        body: fix(),
      }),
      201,
    ).body.data;
    const shoreEntry = expectStatus(
      await server.post(`/v1/trips/${shoreTrip.id}/log`, { token, body: { text: "mine" } }),
      201,
    ).body.data;
    const theirs = {
      trip: trip(1),
      alert: alert(1),
      crossing: crossing(1, { device_id: b.deviceId }),
      point: position(b.deviceId, server.time),
    };
    await b.sender.send({
      trips: { records: [theirs.trip] },
      alerts: { records: [theirs.alert] },
      zones: { records: [theirs.crossing] },
      backlog: { positions: [theirs.point] },
    });
    const state = () =>
      ["devices", "trips", "log_entries", "alerts", "geofence_events", "gps_points"].map((table) =>
        rows(server, `SELECT * FROM ${table} ORDER BY id`),
      );
    const before = state();
    const striking = entries(theirs.trip.id, ["x"], 1)[0] as ReturnType<typeof entries>[0];
    const records = [
      device(1, {}, own.id),
      device(1, {}, b.deviceId),
      gone("device", own.id),
      gone("device", b.deviceId),
      trip(1, {}, shoreTrip.id),
      trip(1, {}, theirs.trip.id),
      gone("trip", shoreTrip.id),
      gone("trip", theirs.trip.id),
      ...entries(shoreTrip.id, ["x"], 1),
      striking,
      gone("entry", shoreEntry.id),
      alert(1, {}, theirs.alert.id),
      alert(1, { device_id: own.id }),
      gone("alert", theirs.alert.id),
      crossing(1, {}, theirs.crossing.id),
      crossing(1, { device_id: b.deviceId }),
      gone("crossing", theirs.crossing.id),
      gone("position", shorePoint.id),
      gone("position", theirs.point.id),
      { ...device(1), id: "no identifier" },
      { ...device(1), id: device(1).id.toUpperCase() },
      { ...device(1), row: { name: 5 } },
      { ...alert(1), row: { ...alert(1).row, condition: "a new kind" } },
      { ...device(1), row: { ...device(1).row, name: "\ud800" } },
    ];
    const positions = [
      position(own.id, 1),
      position(b.deviceId, 1),
      position(newUuid(), 1),
      position(null, 1, { id: shorePoint.id }),
      position(a.deviceId, 1, { id: theirs.point.id }),
      position(a.deviceId, 1, { latitude: 91 }),
      position(a.deviceId, 1, { source: "nobody" }),
      position(a.deviceId, 1, { judgement: "unheard" }),
      position(a.deviceId, 1, { timestamp: 1_777_000_000_500 }),
      position(a.deviceId, 1, { altitude: Number.NaN }),
    ];
    expect(await refusedBy(a.sender, { trips: { records }, backlog: { positions } })).toBe(
      records.length + positions.length,
    );
    expect(state()).toEqual(before);
    expect(a.sender.place("trips").number).toBe(1 + records.length);
    expect(a.sender.place("backlog").number).toBe(positions.length);
    expect((await readBox(server, a.id)).refused_rows).toBe(records.length + positions.length);
    const good = position(a.deviceId, server.time);
    expect(await refusedBy(a.sender, { backlog: { positions: [good] } })).toBe(0);
    expect(await data(`/v1/gps/${good.id}`)).toMatchObject({ box_id: a.id });
  });

  test("is not struck out, and loses no strike to a box", async () => {
    const { sender } = await newFleet();
    const shore = expectStatus(await server.post("/v1/trips", { token, body: { name: "own" } }), 201).body
      .data;
    const path = `/v1/trips/${shore.id}/log`;
    const entry = expectStatus(await server.post(path, { token, body: { text: "mine" } }), 201).body.data;
    const voyage = trip(1);
    const [first] = entries(voyage.id, ["x"], 1);
    const strike = { ...first, row: { ...first?.row, kind: "strike", strikes_id: entry.id } };
    const answer = await sender.send({ trips: { records: [voyage, strike as unknown as typeof voyage] } });
    expect(answer.refused).toBe(1);
    expectStatus(await server.post(`${path}/${entry.id}/strike`, { token, body: { reason: "wrong" } }), 201);
  });

  test("is not taken from fields that only this server sets", async () => {
    const { id, sender, deviceId } = await newFleet();
    const other = await newBoat();
    const hostile = {
      box_id: other.id,
      told: ["x"],
      escalate_at: 1,
      is_told: false,
      acknowledged_by: newUuid(),
    };
    const records = [device(1, {}, deviceId), alert(1, { device_id: deviceId })].map((record) => ({
      ...record,
      row: { ...record.row, ...hostile },
    }));
    await sender.send({ trips: { records } });
    expect((await data(`/v1/devices/${deviceId}`)).box_id).toBe(id);
    expect(
      rows(server, "SELECT box_id, told, escalate_at, is_told FROM alerts WHERE device_id = ?", deviceId),
    ).toEqual([{ box_id: id, told: "[]", escalate_at: null, is_told: 1 }]);
  });

  test("leaves room for the shore's own devices, and a box has as many as a server may", async () => {
    const { sender, id } = await newBoat();
    const many = Array.from({ length: 2_000 }, (_, at) => device(at));
    for (let at = 0; at < many.length; at += 500)
      expect(await refusedBy(sender, { trips: { records: many.slice(at, at + 500) } })).toBe(0);
    expect(await refusedBy(sender, { trips: { records: [device(1)] } })).toBe(1);
    expect(rows(server, "SELECT 1 FROM devices WHERE box_id = ?", id)).toHaveLength(2_000);
    await server.device("the shore's own");
  });
});
