import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createSocket } from "node:dgram";
import { parseExposition } from "../../server/metrics/exposition";
import { GpsdStandIn } from "../../stand-ins/gpsd";
import { SignalkStandIn } from "../../stand-ins/signalk";
import { eventually } from "../../support/expectations";
import { linesIn, outputOfWholeRun } from "../../support/log";
import { freePort } from "../../support/program";
import { TestServer } from "../../support/server";
import { healthOf, positions, rmc, stored, timesOf } from "./support";

/** The own receiver by datagrams, gpsd and Signal K, from the wire to the API. */

const TIME = Date.parse("2026-05-04T10:00:00Z") / 1_000;
const HERE = { latitude: 54.0967, longitude: 13.4553 };

/** Long enough for a fix to have been stored that is to be passed over. */
const pause = () => Bun.sleep(500);

describe("datagrams", () => {
  const socket = createSocket("udp4");
  const port = freePort();
  let server: TestServer;

  const send = (text: string) =>
    new Promise<void>((sent) => {
      socket.send(text, port, "127.0.0.1", () => sent());
    });
  const figure = async (name: string) =>
    parseExposition((await server.get("/metrics")).body).get(`fairlead_position_${name}`)?.samples[0]?.value;
  const start = (allowed: string) =>
    TestServer.start({
      settings: {
        "position.source": "nmea",
        "position.url": `udp://127.0.0.1:${port}`,
        "position.allow_from": allowed,
        "metrics.enabled": "true",
      },
    });

  afterAll(() => socket.close());

  test("of a sender on the list are taken, several lines in each", async () => {
    server = await start("192.0.2.7, 127.0.0.0/8");
    await eventually(async () => (await figure("source_connected")) === 1);
    const lines = [0, 1, 10, 20].map((second) => rmc({ ...HERE, time: TIME + second, knots: 5 }));
    await send(lines.slice(0, 2).join("\r\n"));
    await send(`${lines.slice(2).join("\r\n")}\r\n`);
    const points = await stored(server, 3);
    expect(timesOf(points)).toEqual([TIME, TIME + 10, TIME + 20]);
    expect(points[0].source).toBe("nmea");
    expect(await figure("refused_datagrams_total")).toBe(0);
    await server.stop();
  });

  test("come to no address that this machine lacks, which the health says in each language", async () => {
    const settings = { "position.source": "nmea", "position.url": "udp://192.0.2.1:10110" };
    const other = await TestServer.start({ settings: { ...settings, "position.allow_from": "127.0.0.1" } });
    const trouble = async (locale: string) =>
      (await other.get(`/health?locale=${locale}`)).body.services.position.trouble;
    await eventually(async () => (await trouble("en")) !== "no fix has come yet");
    expect(await trouble("en")).toBe("its address cannot be listened on (EADDRNOTAVAIL)");
    expect(await trouble("de")).toBe("unter der Adresse lässt sich nichts empfangen (EADDRNOTAVAIL)");
    await other.stop();
  });

  test("of anybody else are left out, counted and told of once", async () => {
    server = await start("192.0.2.7, 127.0.0.2, 2001:db8::/32");
    await eventually(async () => (await figure("source_connected")) === 1);
    for (let second = 0; second < 3; second++) await send(rmc({ ...HERE, time: TIME + second }));
    await eventually(async () => (await figure("refused_datagrams_total")) === 3);
    await pause();
    expect(await positions(server)).toEqual([]);
    expect((await healthOf(server)).status).toBe("down");
    expect(linesIn(await outputOfWholeRun(server), "position.allow_from")).toHaveLength(1);
  });
});

describe("gpsd", () => {
  let gpsd: GpsdStandIn;
  let server: TestServer;
  beforeAll(async () => {
    gpsd = await GpsdStandIn.start();
    server = await TestServer.start({ settings: { "position.source": "gpsd", "position.url": gpsd.url } });
    await gpsd.watched();
  });
  afterAll(async () => {
    await server.stop();
    await gpsd.stop();
  });

  const tpv = (second: number, fields: object = {}) => ({
    ...{
      class: "TPV",
      device: "/dev/ttyACM0",
      mode: 3,
      time: new Date((TIME + second) * 1_000).toISOString(),
    },
    ...{ lat: HERE.latitude, lon: HERE.longitude, ...fields },
  });

  test("is asked to report, and its fixes are stored with all that it tells", async () => {
    expect(gpsd.commands).toEqual(['?WATCH={"enable":true,"json":true}']);
    gpsd.report(
      tpv(-1, { mode: 1 }),
      { class: "SKY", device: "/dev/ttyACM0", hdop: 0.9, pdop: 1.6, vdop: 1.3, uSat: 10 },
      tpv(0, { speed: 3.85, track: 170.2, altMSL: 3.2, eph: 4.3 }),
      tpv(1, { speed: 3.85, track: 170.2 }),
      tpv(2, { status: 8, speed: 3.85, track: 90 }),
      '{"class":"TPV","device":"/dev/ttyACM0","mode":3,"lat":54.0967,"lo',
      tpv(10, { speed: 3.85, track: 170.2 }),
    );
    const points = await stored(server, 2);
    expect(timesOf(points)).toEqual([TIME, TIME + 10]);
    expect(points[0]).toMatchObject({
      ...{ source: "gpsd", ...HERE, altitude: 3.2, heading: 170.2, speed_mps: 3.85, speed_kmh: 13.86 },
      ...{ accuracy_m: 4.3, hdop: 0.9, pdop: 1.6, vdop: 1.3 },
    });
    expect((await healthOf(server)).status).toBe("up");
  });

  test("is asked again after a loss", async () => {
    gpsd.cut();
    await gpsd.watched(2);
    gpsd.report(tpv(30, { speed: 3.85 }));
    expect(timesOf(await stored(server, 3)).at(-1)).toBe(TIME + 30);
    expect((await healthOf(server)).reconnects).toBe(1);
  });
});

describe("Signal K", () => {
  test("tells the own vessel's position in its own units, and no other vessel's", async () => {
    const signalk = SignalkStandIn.start();
    const server = await TestServer.start({
      settings: { "position.source": "signalk", "position.url": signalk.url },
    });
    await signalk.subscribed();
    const tell = (second: number, values: object, context?: string) =>
      signalk.tell(
        Object.fromEntries(Object.entries(values).map(([name, value]) => [`navigation.${name}`, value])),
        TIME + second,
        context,
      );
    tell(0, { position: { latitude: 1, longitude: 1 } }, "vessels.urn:mrn:imo:mmsi:211000001");
    tell(0, { position: HERE, speedOverGround: 3.85, headingTrue: 1 });
    tell(0.2, { courseOverGroundTrue: 2.971, "gnss.horizontalDilution": 0.9 });
    tell(1, { position: HERE, speedOverGround: 3.85, courseOverGroundTrue: 2.971 });
    tell(10, { position: HERE, speedOverGround: 3.85, courseOverGroundTrue: 2.971 });
    tell(11, { position: null });
    const points = await stored(server, 2);
    expect(timesOf(points)).toEqual([TIME, TIME + 10]);
    expect(points[0]).toMatchObject({
      ...{ source: "signalk", ...HERE, speed_mps: 3.85, speed_kmh: 13.86, heading: 170.225761, hdop: 0.9 },
      ...{ altitude: null, accuracy_m: null },
    });
    signalk.cut();
    await signalk.subscribed(2);
    tell(20, { position: HERE, speedOverGround: 3.85 });
    expect(timesOf(await stored(server, 3)).at(-1)).toBe(TIME + 20);
    await server.stop();
    await signalk.stop();
  });

  test("is given the token, which stands in no log", async () => {
    const token = "a-token-of-the-boat";
    const signalk = SignalkStandIn.start(token);
    const settings = { "position.source": "signalk", "position.url": signalk.url, "log.level": "debug" };
    const refused = await TestServer.start({ settings: { ...settings, "position.token": `${token}-not` } });
    await eventually(() => signalk.refusals > 0);
    await eventually(async () => (await healthOf(refused)).trouble === "it refuses the token");
    expect(await outputOfWholeRun(refused)).not.toContain(token);
    const admitted = await TestServer.start({ settings: { ...settings, "position.token": token } });
    await signalk.subscribed();
    signalk.tell({ "navigation.position": HERE }, TIME);
    await stored(admitted, 1);
    expect(await outputOfWholeRun(admitted)).not.toContain(token);
    await signalk.stop();
  });
});
