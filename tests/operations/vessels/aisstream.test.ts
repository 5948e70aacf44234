import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { createServer, type Socket } from "node:net";
import { configureLog } from "../../../src/kernel/logs/log";
import { startAisstream } from "../../../src/operations/vessels/aisstream";
import { readFrame } from "../../../src/operations/vessels/aisstream-messages";
import type { Report } from "../../../src/operations/vessels/report";
import type { Source } from "../../../src/operations/vessels/source";
import { VesselStore } from "../../../src/operations/vessels/store";
import { AisstreamStandIn, API_KEY, feedMessage, positionReport } from "../../stand-ins/aisstream";
import { captureLog } from "../../support/log";
import { northOf } from "../../tracking/support";
import { said } from "./support";

/** The feed of aisstream, in this process and with less patience than the server has. */

const HERE = { latitude: 54.2, longitude: 13.5 };
const KINDS = [
  "PositionReport",
  "StandardClassBPositionReport",
  "ExtendedClassBPositionReport",
  "ShipStaticData",
  "StaticDataReport",
];
const QUICK = { connect: 5_000, silence: 60_000, firstPause: 1, longestPause: 4, proven: 60_000, settle: 0 };

const read = (message: unknown) => {
  const frame = readFrame(JSON.stringify(message));
  return frame && "report" in frame ? said(frame.report) : frame;
};

describe("a message of the feed", () => {
  const movement = { position: HERE, speed: 8.4, course: 260.1, heading: 258 };
  const dimension = { A: 67, B: 33, C: 19, D: 1 };
  const size = { length: 100, beam: 20 };

  test("of class A tells position, movement and status, and how the feed calls the vessel", () => {
    expect(read(positionReport(211_000_001))).toEqual({
      ...{ mmsi: 211_000_001, nav_status: 0, known_as: "NORDIC HAMBURG" },
      ...movement,
    });
  });

  test("of class B tells position and movement; the extended one name, type and dimension too", () => {
    const place = { Sog: 8.4, Longitude: 13.5, Latitude: 54.2, Cog: 260.1, TrueHeading: 258 };
    expect(read(feedMessage("StandardClassBPositionReport", 2, place))).toEqual({
      ...{ mmsi: 2, known_as: "NORDIC HAMBURG" },
      ...movement,
    });
    const told = { ...place, Name: "SMALL BOAT@@@@@@@@@@", Type: 36, Dimension: dimension };
    expect(read(feedMessage("ExtendedClassBPositionReport", 3, told, { ShipName: undefined }))).toEqual({
      ...{ mmsi: 3, name: "SMALL BOAT", ship_type: 36 },
      ...movement,
      ...size,
    });
  });

  test("with static data tells name, type and dimension", () => {
    const told = { Name: "AURORA              ", Type: 70, Dimension: dimension, ImoNumber: 9_074_729 };
    expect(read(feedMessage("ShipStaticData", 4, told, { ShipName: "" }))).toEqual({
      ...{ mmsi: 4, name: "AURORA", ship_type: 70, known_as: "" },
      ...size,
    });
  });

  test("with class B's static data tells the part that is valid", () => {
    const part = (a: boolean, b: boolean, mmsi = 5) =>
      read(
        feedMessage(
          "StaticDataReport",
          mmsi,
          {
            PartNumber: b,
            ReportA: { Valid: a, Name: "PROGUY" },
            ReportB: { Valid: b, ShipType: 60, CallSign: "TC6163", Dimension: dimension },
          },
          { ShipName: undefined },
        ),
      );
    expect(part(true, false)).toEqual({ mmsi: 5, name: "PROGUY" });
    expect(part(false, true)).toEqual({ mmsi: 5, ship_type: 60, ...size });
    expect(part(false, false)).toEqual({ mmsi: 5 });
    expect(part(false, true, 982_110_001)).toEqual({ mmsi: 982_110_001, ship_type: 60 });
  });

  test("has null for what AIS calls not available", () => {
    const unknown = {
      ...{ NavigationalStatus: 15, Sog: 102.3, Cog: 360, TrueHeading: 511, Latitude: 91, Longitude: 181 },
    };
    expect(read(positionReport(6, unknown, { ShipName: undefined }))).toEqual({
      ...{ mmsi: 6, nav_status: null, speed: null, course: null, heading: null, position: null },
    });
    const nothing = { Name: "@@@@", Type: 0, Dimension: { A: 0, B: 0, C: 0, D: 0 } };
    expect(read(feedMessage("ShipStaticData", 6, nothing, { ShipName: "@@@" }))).toEqual({
      ...{ mmsi: 6, name: "", ship_type: null, length: null, beam: null, known_as: "" },
    });
    expect(read(positionReport(6, { Sog: 102.2 }))).toMatchObject({ speed: 102.2 });
  });

  test("takes the vessel's number from UserID, else from MetaData", () => {
    expect(read(positionReport(7, {}, { MMSI: 8 }))).toMatchObject({ mmsi: 7 });
    expect(read(positionReport(7, { UserID: undefined }, { MMSI: 8 }))).toMatchObject({ mmsi: 8 });
    expect(read(positionReport(7, { UserID: "7" }, { MMSI: "8" }))).toBeNull();
    for (const wrong of [0, -1, 1_000_000_000, 7.5, null])
      expect(read(positionReport(7, { UserID: wrong }, { MMSI: wrong }))).toBeNull();
  });

  test("that isn't valid, or is of another type, tells nothing, but makes sense", () => {
    for (const message of [
      positionReport(9, { Valid: false }),
      feedMessage("AidsToNavigationReport", 9, {}),
      feedMessage("UnknownMessage", 9, {}),
      feedMessage("__proto__", 9, {}),
      feedMessage("constructor", 9, {}),
      { MessageType: "PositionReport" },
      { MessageType: "PositionReport", Message: [], MetaData: 7 },
    ])
      expect(readFrame(JSON.stringify(message))).toEqual({ report: null });
  });

  test("that makes no sense is none", () => {
    for (const text of [
      ...["", "{", "null", "7", '"text"', "[]", "{}", '{"MessageType":7}', "\u0000", "[".repeat(100_000)],
      '{"MessageType":{"toString":1}}',
    ])
      expect(readFrame(text)).toBeNull();
  });

  test("of wrong types at every level never throws, and tells nothing impossible", () => {
    const values: unknown[] = [
      ...[null, true, false, -1, 1e308, 3.7, "text", "9".repeat(500), [], {}, [[[]]], { toString: 1 }],
      ...[{ A: "1", B: [], C: {}, D: null }, { Valid: "yes" }, { Valid: true, Name: 7, ShipType: "60" }],
    ];
    const fields = [
      ...["UserID", "Valid", "NavigationalStatus", "Sog", "Cog", "TrueHeading", "Latitude", "Longitude"],
      ...["Name", "Type", "Dimension", "ReportA", "ReportB"],
    ];
    for (const type of KINDS)
      for (const field of fields)
        for (const value of values) {
          const store = new VesselStore();
          for (const message of [
            { ...positionReport(1).Message.PositionReport, [field]: value },
            { UserID: 1, [field]: value },
          ]) {
            const frame = readFrame(JSON.stringify(feedMessage(type, 1, message, { ShipName: value })));
            if (frame && "report" in frame && frame.report) store.hear(frame.report);
          }
          for (const vessel of store.near(null, 1)) {
            expect(Number.isFinite(vessel.speed_kmh) && vessel.speed_kmh < 190).toBe(true);
            expect(typeof vessel.name === "string" && vessel.name.length <= 20).toBe(true);
          }
        }
  });

  test("that is an error of whatever type is a refusal", () => {
    for (const error of [null, 7, "", "what?", {}, [], { toString: 1 }, true])
      expect(readFrame(JSON.stringify({ error }))).toEqual({ refusal: "it answers with an error" });
  });

  test("has a name of printable characters, 20 at most", () => {
    const name = (text: string) => (read(feedMessage("ShipStaticData", 1, { Name: text })) as Report).name;
    expect(name("\u001b[31mRED\u0000\n")).toBe("[31mRED");
    expect(name("Über Ñandú 船")).toBe("ber and");
    expect(name("X".repeat(1_000_000))).toBe("X".repeat(20));
  });

  test("fills the name only while the vessel told none", () => {
    const store = new VesselStore();
    const hear = (message: unknown) => {
      const frame = readFrame(JSON.stringify(message));
      if (frame && "report" in frame && frame.report) store.hear(frame.report);
      return store.near(null, 1)[0]?.name;
    };
    expect(hear(positionReport(1, {}, { ShipName: "   " }))).toBe("");
    expect(hear(positionReport(1, {}, { ShipName: "AS THE FEED SAYS   " }))).toBe("AS THE FEED SAYS");
    expect(hear(feedMessage("ShipStaticData", 1, { Name: "AS SHE SAYS" }))).toBe("AS SHE SAYS");
    expect(hear(positionReport(1, {}, { ShipName: "AS THE FEED SAYS" }))).toBe("AS SHE SAYS");
  });
});

describe("the feed", () => {
  let feed: AisstreamStandIn;
  let source: Source;
  let heard: Report[] = [];
  let changed: () => void = () => {};

  beforeAll(() => configureLog("info", "json"));
  let log: ReturnType<typeof captureLog>;
  beforeEach(() => {
    feed = AisstreamStandIn.start();
    heard = [];
    log = captureLog();
  });
  afterEach(async () => {
    source.stop();
    log.end();
    await feed.stop();
  });
  afterAll(() => configureLog("error", "json"));

  function start(patience: Partial<typeof QUICK> = {}, apiKey = API_KEY): void {
    const hear = (report: Report) => {
      heard.push(report);
      changed();
    };
    source = startAisstream({ url: feed.url, apiKey }, hear, { ...QUICK, ...patience });
  }

  async function hears(mmsi: number): Promise<void> {
    while (!heard.some((report) => report.mmsi === mmsi))
      await new Promise<void>((resolve) => {
        changed = resolve;
      });
  }

  const centreOf = ([[south, west], [north, east]]: [[number, number], [number, number]]) => ({
    latitude: (south + north) / 2,
    longitude: (west + east) / 2,
  });

  test("is told at once what is wanted: the key, an area around the position, five types of messages", async () => {
    start();
    source.look(HERE, 20);
    const subscription = await feed.subscribed();
    expect(Object.keys(subscription).sort()).toEqual(["APIKey", "BoundingBoxes", "FilterMessageTypes"]);
    expect(subscription.APIKey).toBe(API_KEY);
    expect([...subscription.FilterMessageTypes].sort()).toEqual([...KINDS].sort());
    const [box, ...others] = subscription.BoundingBoxes;
    expect(others).toEqual([]);
    const { latitude, longitude } = centreOf(box as (typeof subscription.BoundingBoxes)[0]);
    expect(latitude).toBeCloseTo(HERE.latitude, 4);
    expect(longitude).toBeCloseTo(HERE.longitude, 4);
    expect(feed.complaints).toEqual([]);
  });

  test("is heard in binary frames, and in text", async () => {
    start();
    source.look(HERE, 20);
    await feed.subscribed();
    feed.send(positionReport(1));
    await hears(1);
    feed.sendRaw(JSON.stringify(positionReport(2)));
    await hears(2);
    expect(source.isOpen()).toBe(true);
    expect(log.end()).toEqual([["info", "vessel positions arrive", "aisstream", undefined]]);
  });

  test("isn't connected to without a position, and left when the last one is deleted", async () => {
    start();
    source.look(null, 20);
    source.look(null, 20);
    await Bun.sleep(20);
    expect(feed.connections).toBe(0);
    source.look(HERE, 20);
    await feed.subscribed();
    source.look(null, 20);
    await feed.until(() => feed.subscribers === 0);
    source.look(HERE, 20);
    await feed.subscribed(2);
  });

  test("is asked for another area as the ship moves, one subscription after the other", async () => {
    start();
    source.look(HERE, 20);
    await feed.subscribed();
    feed.send(positionReport(1));
    await hears(1);
    for (let leg = 1; leg <= 5; leg++) {
      const here = northOf(HERE, leg * 5);
      await feed.until(() => feed.subscribers === 1);
      while (!source.isOpen()) await Bun.sleep(1);
      source.look(here, 20);
      const { BoundingBoxes } = await feed.subscribed(leg + 1);
      const [box] = BoundingBoxes as [(typeof BoundingBoxes)[0]];
      expect(centreOf(box).latitude).toBeCloseTo(here.latitude, 4);
    }
    // The stand-in refuses a second connection with the same key.
    expect(feed.complaints).toEqual([]);
    expect(feed.subscribers).toBe(1);
    // A move writes no line to the log.
    feed.send(positionReport(2));
    await hears(2);
    expect(log.end()).toEqual([["info", "vessel positions arrive", "aisstream", undefined]]);
  });

  test("keeps its area while the ship stays near its centre", async () => {
    start();
    source.look(HERE, 20);
    await feed.subscribed();
    feed.send(positionReport(1));
    await hears(1);
    for (let km = 0; km < 3.9; km += 0.1) source.look(northOf(HERE, km), 20);
    await Bun.sleep(20);
    expect(feed.connections).toBe(1);
  });

  test("is asked for another area when the radius changes", async () => {
    start();
    source.look(HERE, 20);
    const before = (await feed.subscribed()).BoundingBoxes;
    feed.send(positionReport(1));
    await hears(1);
    source.look(HERE, 40);
    const after = (await feed.subscribed(2)).BoundingBoxes;
    expect(after[0]?.[1][0]).toBeGreaterThan(before[0]?.[1][0] ?? 90);
    expect(feed.complaints).toEqual([]);
  });

  test("isn't asked for another area again and again by a position that jumps", async () => {
    start({ settle: 60_000 });
    source.look(HERE, 20);
    await feed.subscribed();
    feed.send(positionReport(1));
    await hears(1);
    for (let jump = 0; jump < 50; jump++) source.look({ latitude: jump % 2 ? -30 : 54, longitude: 13 }, 20);
    await Bun.sleep(20);
    expect(feed.connections).toBe(1);
    // A lost connection is replaced by one around the ship's present position.
    feed.cut();
    const { BoundingBoxes } = await feed.subscribed(2);
    const [box] = BoundingBoxes as [(typeof BoundingBoxes)[0]];
    expect(centreOf(box).latitude).toBeCloseTo(-30, 4);
  });

  test("that cuts the connection or stops is connected to again", async () => {
    start();
    source.look(HERE, 20);
    await feed.subscribed();
    feed.cut();
    await feed.subscribed(2);
    await feed.stop();
    await feed.until(() => feed.subscribers === 0);
    feed.listen();
    await feed.subscribed(3);
    feed.send(positionReport(3));
    await hears(3);
  });

  test("that is silent, or says nothing that makes sense, is connected to again", async () => {
    start({ silence: 20 });
    source.look(HERE, 20);
    await feed.subscribed(3);
    const rubbish = setInterval(() => feed.sendRaw("rubbish"), 2);
    await feed.subscribed(5);
    clearInterval(rubbish);
    expect(feed.complaints).toEqual([]);
  });

  test("that doesn't complete the handshake is given up and tried again", async () => {
    const taken: Socket[] = [];
    let twice: () => void = () => {};
    const mute = createServer((socket) => {
      socket.on("error", () => {});
      if (taken.push(socket) === 2) twice();
    });
    await new Promise<void>((resolve) => mute.listen(0, "127.0.0.1", resolve));
    const { port } = mute.address() as { port: number };
    source = startAisstream({ url: `ws://127.0.0.1:${port}/`, apiKey: API_KEY }, () => {}, {
      ...QUICK,
      connect: 20,
    });
    const triedTwice = new Promise<void>((resolve) => {
      twice = resolve;
    });
    source.look(HERE, 20);
    await triedTwice;
    source.stop();
    for (const socket of taken) socket.destroy();
    mute.close();
    expect(log.end()).toEqual([["warn", "no vessel positions arrive", "aisstream", "it does not answer"]]);
  });

  test("that refuses the key is asked again, and the log says so once, without the key", async () => {
    const wrong = "a-wrong-key-that-nobody-should-read";
    start({}, wrong);
    source.look(HERE, 20);
    await feed.until(() => feed.complaints.length >= 3);
    expect(new Set(feed.complaints)).toEqual(new Set(["Api Key Is Not Valid"]));
    const why = "it refuses the API key (vessels.api_key)";
    expect(log.text()).not.toContain(wrong);
    expect(log.end()).toEqual([["warn", "no vessel positions arrive", "aisstream", why]]);
  });

  test.each([
    ["Subscription Object Is Malformed", "it refuses the subscription"],
    ["concurrent connections per user exceeded", "the API key has too many connections"],
    [`something with ${API_KEY} \u001b[2J`, "it answers with an error"],
  ])("that answers %p is connected to again, and isn't quoted", async (refusal, why) => {
    start();
    feed.refusal = refusal;
    source.look(HERE, 20);
    await feed.until(() => feed.complaints.length >= 2);
    feed.refusal = null;
    await feed.subscribed();
    feed.send(positionReport(1));
    await hears(1);
    expect(log.text()).not.toContain(API_KEY);
    expect(log.end()).toEqual([
      ["warn", "no vessel positions arrive", "aisstream", why],
      ["info", "vessel positions arrive", "aisstream", undefined],
    ]);
  });

  test("that sends rubbish harms nothing; a frame beyond all bounds ends the connection", async () => {
    start();
    source.look(HERE, 20);
    await feed.subscribed();
    feed.sendRaw("");
    feed.sendRaw("{");
    feed.sendRaw("null");
    feed.sendRaw(crypto.getRandomValues(new Uint8Array(30_000)));
    feed.send([], 7, { MessageType: 7 }, { MessageType: "PositionReport", Message: null });
    feed.send(positionReport(1));
    await hears(1);
    expect(feed.connections).toBe(1);
    feed.send(positionReport(2, {}, { ShipName: "x".repeat(70_000) }));
    await feed.subscribed(2);
    feed.send(positionReport(3));
    await hears(3);
    expect(heard.map(({ mmsi }) => mmsi)).toEqual([1, 3]);
  });
});
