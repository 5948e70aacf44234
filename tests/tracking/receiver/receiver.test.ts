import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { classA, sentence } from "../../operations/vessels/support";
import { parseExposition } from "../../server/metrics/exposition";
import { AisReceiver } from "../../stand-ins/ais-receiver";
import { eventually, expectStatus } from "../../support/expectations";
import { linesIn, linesOf, outputOfWholeRun } from "../../support/log";
import { holdDuring } from "../../support/pressure";
import { command, TestServer } from "../../support/server";
import { Client } from "../../support/socket";
import { MINUTE } from "../../support/time";
import { createTrip, moveTrip, northOf } from "../support";
import { devices, healthOf, nmea, type OwnFix, positions, rmc, stored, timesOf } from "./support";

/** The vessel's own receiver over NMEA 0183, from the wire to the API. */

const START = Date.parse("2026-05-04T10:00:00Z") / 1_000;
const HERE = { latitude: 54.0967, longitude: 13.4553 };

/** A fix some seconds after START, on the way north at 10 knots. */
const under = (second: number, fields: Partial<OwnFix> = {}): OwnFix => ({
  ...northOf(HERE, second * 0.00514),
  time: START + second,
  knots: 10,
  course: 0,
  ...fields,
});

/** Long enough for a fix to have been stored that is to be passed over. */
const pause = () => Bun.sleep(500);

const nmeaSettings = (receiver: AisReceiver) => ({
  "position.source": "nmea",
  "position.url": receiver.url,
  "log.level": "info",
});

describe("a receiver over TCP", () => {
  let receiver: AisReceiver;
  let server: TestServer;
  beforeAll(async () => {
    receiver = await AisReceiver.start();
    server = await TestServer.start({
      clock: "movable",
      settings: { ...nmeaSettings(receiver), "metrics.enabled": "true" },
    });
    await receiver.connected();
  });
  afterAll(async () => {
    await server.stop();
    await receiver.stop();
  });

  const figure = async (name: string, labels: Record<string, string> = {}) =>
    parseExposition((await server.get("/metrics")).body)
      .get(`fairlead_position_${name}`)
      ?.samples.find((sample) => Object.entries(labels).every(([key, value]) => sample.labels[key] === value))
      ?.value;

  test("without a fix is down, and the server degraded, yet answers 200", async () => {
    expect(await healthOf(server)).toEqual({
      ...{
        server: "degraded",
        status: "down",
        last_fix_at: null,
        reconnects: 0,
        trouble: "no fix has come yet",
      },
    });
    receiver.send(rmc(under(-60), { status: "V", mode: "N" }), rmc(under(-59), { status: "V", mode: "N" }));
    await eventually(async () => (await figure("rejected_total", { reason: "no_fix" })) === 2);
    expect((await healthOf(server)).trouble).toBe("the receiver has no fix");
    expect(await devices(server)).toEqual([]);
  });

  test("has its first fix stored at once, for a device that is made for it", async () => {
    receiver.send(
      nmea("GPGSV,3,1,10,85,85,247,32"),
      rmc(under(0)),
      nmea("GPGGA,100000,5405.802,N,01327.318,E,1,09,0.9,3.2,M,39.5,M,,"),
      nmea("GPGSA,A,3,68,69,70,78,84,85,,,,,,,1.5,0.9,1.0"),
    );
    const [point] = await stored(server, 1);
    const [device, ...others] = await devices(server);
    expect(others).toEqual([]);
    expect(device).toMatchObject({ name: "This vessel", is_active: true });
    expect(point).toMatchObject({
      ...{ device_id: device.id, trip_id: null, source: "nmea", timestamp: "2026-05-04T10:00:00.000Z" },
      ...{
        altitude: 3.2,
        heading: 0,
        pdop: 1.5,
        hdop: 0.9,
        vdop: 1,
        accuracy_m: null,
        battery_percent: null,
      },
      speed_knots: 10,
    });
    expect(point.speed_kmh).toBeCloseTo(18.52, 4);
    expect(point.speed_mps).toBeCloseTo(5.144444, 4);
    expect(point.speed_mph).toBeCloseTo(11.507794, 4);
    expect(point.latitude).toBeCloseTo(HERE.latitude, 6);
    expect(await healthOf(server)).toEqual({
      ...{ server: "healthy", status: "up", last_fix_at: expect.any(String), reconnects: 0, trouble: null },
    });
  });

  test("has one stored every ten seconds, at a turn and at the border of a zone", async () => {
    const zone = { name: "bridge", ...northOf(HERE, 20 * 0.00514), radius_km: 0.015 };
    expectStatus(await server.post("/v1/geofences", { token: await server.admin(), body: zone }), 201);
    const client = await Client.open(server, { bearer: await server.admin() });
    await client.subscribe("gps");
    for (let second = 1; second <= 40; second++) {
      receiver.send(rmc(under(second, { course: second < 34 ? 0 : 15 })));
      await Bun.sleep(10);
      // The position at which it came in has to be stored: the side where it is depends on that.
      if (second === 18) await stored(server, 3);
    }
    // The zone has its border after 17.08 and 22.92 s; it is left 10 m further on.
    const expected = [0, 10, 18, 25, 34].map((second) => START + second);
    const points = await stored(server, expected.length);
    await pause();
    expect(timesOf(await positions(server))).toEqual(expected);
    expect(points.map(({ heading }: { heading: number }) => heading)).toEqual([0, 0, 0, 0, 15]);
    const { type, data } = await client.next();
    expect([type, data.id]).toEqual(["gpsUpdate", points[1].id]);
    await client.close();
  });

  test("has what it sends broken counted and left out", async () => {
    const before = (await figure("bad_checksums_total")) as number;
    receiver.send(rmc(under(100)).replace("A,", "B,"), rmc(under(101)).slice(0, 30), "rubbish");
    await eventually(async () => (await figure("bad_checksums_total")) === before + 2);
    expect((await positions(server)).length).toBe(5);
  });

  test("tells its figures", async () => {
    expect(await figure("source_connected")).toBe(1);
    expect(await figure("fixes_total")).toBe(41);
    expect(await figure("stored_total")).toBe(5);
    expect(await figure("reconnects_total")).toBe(0);
    expect(await figure("silences_total")).toBe(0);
    expect(await figure("fix_age_seconds")).toBeGreaterThanOrEqual(0);
  });

  test("whose weeks rolled over has its times mended, once that leads to now", async () => {
    const time = Math.floor(server.time / 1_000);
    const rolledOver = { ...under(0), time: time - 1_024 * 7 * 86_400, latitude: 54.2 };
    receiver.send(rmc(rolledOver));
    await stored(server, 6);
    expect(timesOf(await positions(server)).at(-1)).toBe(time);
    await eventually(() => server.output.includes("rolled over"));
  });

  test("that lost its calendar tells nothing", async () => {
    receiver.send(rmc({ ...under(0), time: Date.parse("1980-01-06T00:00:00Z") / 1_000 }));
    await eventually(async () => (await figure("rejected_total", { reason: "implausible_time" })) === 1);
    receiver.send(nmea("GPGLL,5407.5000,N,01330.0000,E,031500,A,A"));
    await eventually(async () => (await figure("rejected_total", { reason: "no_time" })) === 1);
    expect((await positions(server)).length).toBe(6);
  });

  test("that is silent is down after a minute, and up with its next fix", async () => {
    receiver.send(rmc({ ...under(0), time: Math.floor(server.time / 1_000) + 100 }));
    await stored(server, 7);
    expect((await healthOf(server)).status).toBe("up");
    await server.advance(61_000);
    expect((await healthOf(server)).status).toBe("down");
    receiver.send(rmc({ ...under(0), time: Math.floor(server.time / 1_000) + 200 }));
    await stored(server, 8);
    expect((await healthOf(server)).status).toBe("up");
    await server.advance(-61_000);
  });

  test("that is lost is connected to again, and told of", async () => {
    receiver.cut();
    await receiver.connected(2);
    receiver.send(rmc({ ...under(0), time: Math.floor(server.time / 1_000) + 300 }));
    await stored(server, 9);
    expect((await healthOf(server)).reconnects).toBe(1);
    expect(await figure("reconnects_total")).toBe(1);
    await linesOf(server, '"message":"no own positions arrive","source":"nmea"');
  });

  test("reports for a new device after its own was deleted", async () => {
    const [device] = await devices(server);
    expectStatus(await server.delete(`/v1/devices/${device.id}`, { token: await server.admin() }), 204);
    // The fix that finds the device gone is lost.
    for (let second = 400; (await devices(server)).length === 0; second += 10) {
      receiver.send(rmc({ ...under(0), time: Math.floor(server.time / 1_000) + second }));
      await Bun.sleep(20);
    }
    const [made] = await devices(server);
    expect(made.id).not.toBe(device.id);
    await stored(server, 1, made.id);
  });
});

describe("the device of the own positions", () => {
  let receiver: AisReceiver;
  beforeAll(async () => {
    receiver = await AisReceiver.start();
  });
  afterAll(() => receiver.stop());

  test("is the same after a restart, whatever it is called by then; its fixes join the trip that is active", async () => {
    const first = await TestServer.start({ settings: nmeaSettings(receiver) });
    await receiver.connected();
    receiver.send(rmc(under(0)));
    await stored(first, 1);
    const [{ id }] = await devices(first);
    const token = await first.admin();
    expectStatus(await first.patch(`/v1/devices/${id}`, { token, body: { name: "Aurora" } }), 200);
    const trip = await createTrip(first, { device_id: id, gps_logging_enabled: true });
    await moveTrip(first, trip.id, "active");
    await first.stop();

    const second = await TestServer.start({ dataDir: first.dataDir, settings: nmeaSettings(receiver) });
    await eventually(() => receiver.listening === 1);
    // The clock of the box counts as little as the time at which the trip was begun.
    receiver.send(rmc(under(60)));
    const points = await stored(second, 2, id);
    expect(points.map((point: { trip_id: string | null }) => point.trip_id)).toEqual([null, trip.id]);
    expect((await devices(second)).map(({ name }: { name: string }) => name)).toEqual(["Aurora"]);
    await second.stop();
  });

  test("is the configured one; one that isn't there is told of in the log, the health and by the doctor", async () => {
    const server = await TestServer.start();
    const { id } = await server.device("Aurora");
    const { dataDir } = server;
    await server.stop();

    const settings = { ...nmeaSettings(receiver), "position.device": id };
    const configured = await TestServer.start({ dataDir, settings });
    await eventually(() => receiver.listening === 1);
    receiver.send(rmc(under(0)));
    await stored(configured, 1, id);
    expect((await devices(configured)).length).toBe(1);
    const doctor = async (device: string, port: string) => {
      const asked = { ...settings, "position.device": device, "data.dir": dataDir, "server.port": port };
      const { stdout } = await command(["doctor"], { settings: asked });
      return stdout.split("\n").filter((line) => / {2}own position {2}/.test(line.replace(/ {2,}/g, "  ")));
    };
    expect((await doctor(id, new URL(configured.url).port)).join()).toMatch(/^ok .* newest fix at 20/);
    await configured.stop();

    const nobody = "019a8f3c-2b7e-7c41-9d05-6f1e2a3b4c5d";
    const missing = await TestServer.start({ dataDir, settings: { ...settings, "position.device": nobody } });
    await eventually(() => receiver.listening === 1);
    receiver.send(rmc(under(60)), rmc(under(61)), rmc(under(62)));
    await pause();
    expect((await healthOf(missing)).trouble).toBe("position.device names no device");
    expect((await devices(missing)).length).toBe(1);
    expect((await positions(missing)).length).toBe(1);
    expect((await doctor(nobody, new URL(missing.url).port)).join()).toMatch(/^problem .* is no device/);
    const output = await outputOfWholeRun(missing);
    expect(linesIn(output, "position.device names no device")).toHaveLength(1);
  });
});

test("the vessels and the own position share one connection to the same receiver", async () => {
  const receiver = await AisReceiver.start();
  const server = await TestServer.start({
    clock: "movable",
    settings: { ...nmeaSettings(receiver), "vessels.source": "nmea", "vessels.url": receiver.url },
  });
  await receiver.connected();
  const client = await Client.open(server, { bearer: await server.admin() });
  await client.subscribe("vessels");
  const raw = {
    latitude: Math.round(HERE.latitude * 600_000),
    longitude: Math.round(HERE.longitude * 600_000),
  };
  // In this order: once a position is stored, the vessel before it has been heard.
  receiver.send(sentence(classA(211_000_001, raw)), rmc(under(0)), rmc(under(1)));
  await stored(server, 1);
  await server.advance(MINUTE);
  let update = await client.next();
  // One that was due before the position was stored has no place to tell vessels near.
  if (update.data.vessels.length === 0) update = await client.next();
  const { type, data } = update;
  expect([type, data.vessels.map(({ mmsi }: { mmsi: number }) => mmsi)]).toEqual([
    "vesselsUpdate",
    [211_000_001],
  ]);
  expect(receiver.connections).toBe(1);
  receiver.cut();
  await receiver.connected(2);
  expect(receiver.listening).toBe(1);
  await client.close();
  await server.stop();
  await receiver.stop();
});

test("a receiver that plays a whole log at once has all of it stored, and holds nobody up", async () => {
  const receiver = await AisReceiver.start();
  const server = await TestServer.start({ settings: { ...nmeaSettings(receiver), "log.level": "error" } });
  await receiver.connected();
  const fixes = Array.from({ length: 30_000 }, (_, second) => under(second));
  expectStatus(await server.get("/health/live"), 200);
  const held = await holdDuring(server, async () => {
    receiver.write(fixes.map((each) => `${rmc(each)}\r\n`).join(""));
    await Bun.sleep(1_000);
  });
  // Read in one go, it takes a second and more.
  expect(held).toBeLessThan(400);
  const total = async () =>
    (await server.get("/v1/gps?limit=1", { token: await server.admin() })).body.pagination.total;
  await eventually(async () => (await total()) === fixes.length / 10);
  await server.stop();
  await receiver.stop();
});
