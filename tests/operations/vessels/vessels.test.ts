import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { AisReceiver } from "../../stand-ins/ais-receiver";
import { AisstreamStandIn, API_KEY, feedMessage, positionReport } from "../../stand-ins/aisstream";
import { expectStatus } from "../../support/expectations";
import { outputOfWholeRun } from "../../support/log";
import { TestServer } from "../../support/server";
import { Client, type Message } from "../../support/socket";
import { MINUTE } from "../../support/time";
import { northOf, postPoint } from "../../tracking/support";
import { classA, classB, partA, partB, parts, sentence, voyage } from "./support";

/** Vessels from a source to the channel, by the clock of a running server. */

const HERE = { latitude: 54.0967, longitude: 13.4553 };
const raw = ({ latitude, longitude }: typeof HERE) => ({
  latitude: Math.round(latitude * 600_000),
  longitude: Math.round(longitude * 600_000),
});
/** The sentence of a vessel `km` kilometres north of HERE. */
const seen = (mmsi: number, km = 0) => sentence(classA(mmsi, raw(northOf(HERE, km))));

let server: TestServer;
let admin: string;
let receiver: AisReceiver;
let feed: AisstreamStandIn;

const configure = async (key: string, value: number, on = server) =>
  expectStatus(await on.patch(`/v1/system-config/${key}`, { token: await on.admin(), body: { value } }), 200);

const listen = async (on = server, token = "") =>
  (await Client.open(on, { bearer: token || (await on.admin()) })).subscribe("vessels");

const vesselsOf = ({ data }: Message): Message[] =>
  data.vessels.toSorted((a: Message, b: Message) => a.mmsi - b.mmsi);
const numbersOf = (message: Message): number[] => vesselsOf(message).map(({ mmsi }) => mmsi);

/** The next picture that satisfies `holds`; earlier ones are skipped. The clock moves on meanwhile. */
async function picture(client: Client, holds: (numbers: number[]) => boolean, on = server): Promise<Message> {
  for (;;) {
    await on.advance(1_000);
    const message = await client.next();
    if (holds(numbersOf(message))) return message;
  }
}
const pictureWith = (client: Client, mmsi: number, on = server) =>
  picture(client, (all) => all.includes(mmsi), on);

/** Long enough for the server to have checked twice for something to broadcast. */
const twoLooks = () => Bun.sleep(600);

beforeAll(async () => {
  receiver = await AisReceiver.start();
  feed = AisstreamStandIn.start();
  server = await TestServer.start({
    clock: "movable",
    settings: { "vessels.source": "nmea", "vessels.url": receiver.url, "log.level": "info" },
  });
  admin = await server.admin();
  await configure("vessels.broadcast_seconds", 1);
  await receiver.connected();
});
afterAll(async () => {
  await server.stop();
  await receiver.stop();
  await feed.stop();
});

test("the channel is for whoever may read positions", async () => {
  const client = await Client.open(server, { bearer: await server.key("geofences:read", "settings:read") });
  expect(await client.ask({ type: "subscribe", channel: "vessels" })).toEqual({
    type: "error",
    message: "Access denied to channel: vessels",
  });
  receiver.send(seen(211_000_100));
  const allowed = await listen(server, await server.key("gps:read"));
  await pictureWith(allowed, 211_000_100);
  expect(await client.heard()).toEqual([]);
  await allowed.close();
  await client.close();
});

describe("with a receiver", () => {
  let client: Client;
  beforeEach(async () => {
    // Vessels heard before are dropped by now.
    await server.advance(11 * MINUTE);
    client = await listen();
  });
  afterEach(() => client.close());

  test("a vessel has exactly the fields of the specification, put together from all that it told", async () => {
    receiver.send(
      sentence(classA(211_000_001, { ...raw(HERE), status: 5 })),
      ...parts(voyage(211_000_001, "AURORA", 71), 2),
      sentence(classB(211_000_002, raw(HERE))),
      sentence(partA(211_000_002, "SMALL BOAT")),
      sentence(partB(211_000_002, 36, { a: 0, b: 0, c: 0, d: 0 })),
      sentence(classA(211_000_003, { ...raw(HERE), status: 15, speed: 1023, course: 3600, heading: 511 })),
    );
    const message = await pictureWith(client, 211_000_003);
    expect(Object.keys(message)).toEqual(["type", "data"]);
    expect(Object.keys(message.data)).toEqual(["vessels"]);
    expect(message.type).toBe("vesselsUpdate");
    const place = { lat: 54.0967, lng: 13.4553, course: 260.1, speed_kmh: 15.5568 };
    const unknown = { ship_type: null, ship_type_label: "Unknown", length: null, beam: null };
    expect(vesselsOf(message)).toEqual([
      {
        ...{ mmsi: 211_000_001, name: "AURORA" },
        ...{ ship_type: 71, ship_type_label: "Cargo, hazardous category A" },
        ...{ nav_status: 5, nav_status_label: "Moored", length: 100, beam: 20, heading: 258, ...place },
      },
      {
        ...{ mmsi: 211_000_002, name: "SMALL BOAT", ship_type: 36, ship_type_label: "Sailing" },
        ...{ nav_status: null, nav_status_label: "Unknown", length: null, beam: null },
        ...{ heading: 258, ...place },
      },
      {
        ...{ mmsi: 211_000_003, name: "", ...unknown, nav_status: null, nav_status_label: "Unknown" },
        ...{ heading: null, ...place, course: null, speed_kmh: 0 },
      },
    ]);
    const field = /"vessels":\[\{("\w+":)/.exec(JSON.stringify(message))?.[1];
    expect(field).toBe('"mmsi":');
  });

  test("a vessel is told once it has a position, with the name that came before; the own ship never", async () => {
    receiver.send(
      ...parts(voyage(211_000_004, "NAME FIRST"), 2),
      sentence(classA(211_000_005, raw(HERE)), "AIVDO"),
      seen(211_000_006),
    );
    expect(numbersOf(await pictureWith(client, 211_000_006))).toEqual([211_000_006]);
    receiver.send(seen(211_000_004));
    const [first, ...others] = vesselsOf(await pictureWith(client, 211_000_004));
    expect([first.name, first.ship_type]).toEqual(["NAME FIRST", 70]);
    expect(others.map(({ mmsi }) => mmsi)).toEqual([211_000_006]);
  });

  test("a vessel that says it has no position isn't told any more, until it has one", async () => {
    receiver.send(seen(211_000_007), seen(211_000_008));
    await pictureWith(client, 211_000_008);
    receiver.send(sentence(classA(211_000_007, { latitude: 91 * 600_000, longitude: 181 * 600_000 })));
    await picture(client, (all) => !all.includes(211_000_007));
    receiver.send(seen(211_000_007));
    await pictureWith(client, 211_000_007);
  });

  test("a vessel unheard for 10 minutes is dropped with all that was known of it, whatever it was heard by", async () => {
    receiver.send(...parts(voyage(211_000_009, "GONE SOON"), 2), seen(211_000_009), seen(211_000_010));
    await pictureWith(client, 211_000_010);
    await server.advance(9 * MINUTE);
    receiver.send(...parts(voyage(211_000_010, "STILL HERE"), 2));
    await picture(client, (all) => all.length === 2);
    await server.advance(MINUTE + 30_000);
    expect(numbersOf(await picture(client, (all) => all.length === 1))).toEqual([211_000_010]);
    receiver.send(seen(211_000_009));
    expect(vesselsOf(await pictureWith(client, 211_000_009))[0].name).toBe("");
  });

  test("when the last vessel is gone, an empty list is told, once", async () => {
    receiver.send(seen(211_000_011));
    await pictureWith(client, 211_000_011);
    await server.advance(11 * MINUTE);
    expect(await client.next()).toEqual({ type: "vesselsUpdate", data: { vessels: [] } });
    await server.advance(MINUTE);
    await twoLooks();
    expect(await client.heard()).toEqual([]);
  });

  test("a picture is told at most every broadcast_seconds, and whoever comes new gets one too", async () => {
    await configure("vessels.broadcast_seconds", 60);
    receiver.send(seen(211_000_012));
    await server.advance(60_000);
    await pictureWith(client, 211_000_012);
    receiver.send(seen(211_000_013));
    const late = await listen();
    await server.advance(55_000);
    await twoLooks();
    expect([await client.heard(), await late.heard()]).toEqual([[], []]);
    await server.advance(5_000);
    for (const each of [client, late]) {
      expect(numbersOf(await each.next())).toEqual([211_000_012, 211_000_013]);
      expect(await each.heard()).toEqual([]);
    }
    // Nothing was heard since: only a new subscriber is sent a picture.
    await server.advance(60_000);
    await twoLooks();
    expect(await client.heard()).toEqual([]);
    const later = await listen();
    expect(numbersOf(await later.next())).toEqual([211_000_012, 211_000_013]);
    await later.close();
    await late.close();
    await configure("vessels.broadcast_seconds", 1);
  });

  test("what was heard while nobody listened is told to the first who does, at once", async () => {
    await client.close();
    receiver.send(seen(211_000_014), seen(211_000_015));
    await twoLooks();
    client = await listen();
    expect(numbersOf(await client.next())).toEqual([211_000_014, 211_000_015]);
  });

  test("rubbish harms nothing", async () => {
    receiver.write(crypto.getRandomValues(new Uint8Array(100_000)));
    receiver.write("\r\n!AIVDM,1,1,,A,,0*26\r\n!AIVDM,9,9,9,A,0,0*00\r\n");
    receiver.send(seen(211_000_016));
    await pictureWith(client, 211_000_016);
    expect((await server.get("/v1/health")).status).toBe(200);
  });

  test("a receiver that goes away is found again, and the picture stays meanwhile", async () => {
    receiver.send(seen(211_000_017));
    await pictureWith(client, 211_000_017);
    await receiver.stop();
    await client.close();
    client = await listen();
    await pictureWith(client, 211_000_017);
    const { connections } = receiver;
    await receiver.listen();
    await receiver.connected(connections + 1);
    receiver.send(seen(211_000_018));
    await pictureWith(client, 211_000_018);
  });

  describe("and positions of one's own", () => {
    let device: { key: string };
    let at = 1_372_578_069;
    const point = (place: object) => postPoint(server, device.key, { timestamp: ++at, ...place });
    beforeAll(async () => {
      device = await server.device();
    });

    test("what is near the newest one is told, within vessels.radius_km; without one, all", async () => {
      const [near, edge, beyond, far] = [211_000_019, 211_000_020, 211_000_021, 211_000_022];
      const sendAll = () => receiver.send(seen(near, 1), seen(edge, 19.9), seen(beyond, 20.1), seen(far, 60));
      sendAll();
      await picture(client, (all) => all.length === 4);
      const first = await point(HERE);
      expect(numbersOf(await picture(client, (all) => all.length < 4))).toEqual([near, edge]);
      await configure("vessels.radius_km", 25);
      expect(numbersOf(await picture(client, (all) => all.length > 2))).toEqual([near, edge, beyond]);
      await configure("vessels.radius_km", 20);
      await picture(client, (all) => all.length === 2);
      // The ship moves: others are near.
      const second = await point(northOf(HERE, 60));
      expect(numbersOf(await picture(client, (all) => all.length === 1))).toEqual([far]);
      // An older point changes nothing; a deletion does.
      await postPoint(server, device.key, { ...HERE, timestamp: at - 1_000 });
      expectStatus(await server.delete(`/v1/gps/${second.id}`, { token: admin }), 204);
      expect(numbersOf(await picture(client, (all) => all.length === 2))).toEqual([near, edge]);
      expectStatus(await server.delete(`/v1/gps/${first.id}`, { token: admin }), 204);
      await picture(client, (all) => all.includes(near));
    });

    test("what is near reaches over the 180th meridian", async () => {
      await point({ latitude: -17, longitude: 179.95 });
      receiver.send(
        sentence(classA(211_000_023, raw({ latitude: -17, longitude: -179.95 }))),
        sentence(classA(211_000_024, raw({ latitude: -17, longitude: 179.8 }))),
        sentence(classA(211_000_025, raw({ latitude: -17, longitude: -179.8 }))),
        sentence(classA(211_000_026, raw({ latitude: 17, longitude: 179.95 }))),
      );
      expect(numbersOf(await pictureWith(client, 211_000_023))).toEqual([211_000_023, 211_000_024]);
    });
  });
});

test("the feed: around the newest position, moved with the ship, the key nowhere to be read", async () => {
  const aboard = await TestServer.start({
    clock: "movable",
    settings: {
      ...{ "vessels.source": "aisstream", "vessels.url": feed.url, "vessels.api_key": API_KEY },
      "log.level": "debug",
    },
  });
  const device = await aboard.device();
  const client = await listen(aboard);
  await configure("vessels.broadcast_seconds", 1, aboard);
  expect(feed.connections).toBe(0);
  await postPoint(aboard, device.key, HERE);
  const { BoundingBoxes, APIKey } = await feed.subscribed();
  expect(APIKey).toBe(API_KEY);
  const [[[south, west], [north, east]]] = BoundingBoxes as [(typeof BoundingBoxes)[0]];
  expect(south < HERE.latitude && HERE.latitude < north).toBe(true);
  expect(west < HERE.longitude && HERE.longitude < east).toBe(true);

  const [near, far] = [211_000_001, 211_000_002];
  const size = { A: 67, B: 33, C: 19, D: 1 };
  feed.send(
    feedMessage("ShipStaticData", near, { Name: "AURORA              ", Type: 80, Dimension: size }),
    positionReport(far, { Latitude: 54.0967, Longitude: 14 }),
    positionReport(near, { Latitude: 54.1, Longitude: 13.5, NavigationalStatus: 8 }),
  );
  expect(vesselsOf(await pictureWith(client, near, aboard))).toEqual([
    {
      ...{ mmsi: near, name: "AURORA", ship_type: 80, ship_type_label: "Tanker" },
      ...{ nav_status: 8, nav_status_label: "Under way sailing", length: 100, beam: 20, heading: 258 },
      ...{ lat: 54.1, lng: 13.5, course: 260.1, speed_kmh: 15.5568 },
    },
  ]);
  feed.cut();
  await feed.subscribed(2);
  expect(feed.complaints).toEqual([]);
  await client.close();
  expect(await outputOfWholeRun(aboard)).not.toContain(API_KEY);
  await feed.until(() => feed.subscribers === 0);
});
