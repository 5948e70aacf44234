import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { configureLog } from "../../../src/kernel/logs/log";
import { startNmea } from "../../../src/operations/vessels/nmea";
import type { Report } from "../../../src/operations/vessels/report";
import type { Source } from "../../../src/operations/vessels/source";
import { AisReceiver } from "../../stand-ins/ais-receiver";
import { captureLog } from "../../support/log";
import { classA, parts, sentence, voyage } from "./support";

/** Keeping up connections, in this process and with less patience than the server has. */
const QUICK = { connect: 5_000, silence: 60_000, firstPause: 1, longestPause: 4, proven: 60_000 };

describe("a receiver", () => {
  let receiver: AisReceiver;
  let source: Source | null = null;
  const heard: Report[] = [];
  let changed: () => void = () => {};

  beforeAll(async () => {
    receiver = await AisReceiver.start();
  });
  afterEach(() => {
    source?.stop();
    heard.length = 0;
    receiver.connections = 0;
  });
  afterAll(() => receiver.stop());

  async function start(patience: Partial<typeof QUICK> = {}): Promise<void> {
    const hear = (report: Report) => {
      heard.push(report);
      changed();
    };
    source = startNmea(receiver.url, hear, { ...QUICK, ...patience });
    await receiver.connected();
  }

  /** Resolves once this vessel was heard. */
  async function hears(mmsi: number): Promise<void> {
    while (!heard.some((report) => report.mmsi === mmsi))
      await new Promise<void>((resolve) => {
        changed = resolve;
      });
  }

  test("is heard, whatever else it sends and however its lines are cut", async () => {
    const log = captureLog();
    configureLog("info", "json");
    await start();
    receiver.write("half a line that began before\r\n");
    receiver.send(sentence(classA(1)), "$GPRMC,rubbish", ...parts(voyage(2, "IN PARTS"), 3));
    await hears(2);
    expect(heard.map(({ mmsi, name }) => [mmsi, name])).toEqual([
      [1, undefined],
      [2, "IN PARTS"],
    ]);
    receiver.write(crypto.getRandomValues(new Uint8Array(50_000)));
    receiver.write("x".repeat(200_000));
    receiver.write("\r\n");
    const text = `${sentence(classA(3))}\r\n`;
    for (const character of text) receiver.write(character);
    await hears(3);
    expect(receiver.connections).toBe(1);
    expect(source?.isOpen()).toBe(true);
    expect(log.end()).toEqual([["info", "vessel positions arrive", "nmea", undefined]]);
    configureLog("error", "json");
  });

  test("that cuts or ends the connection is connected to again", async () => {
    await start();
    receiver.cut();
    await receiver.connected(2);
    receiver.send(sentence(classA(4)));
    await hears(4);
    await receiver.stop();
    await receiver.listen();
    await receiver.connected(3);
    receiver.send(sentence(classA(5)));
    await hears(5);
  });

  test("keeps the parts of a message of one connection from those of the next", async () => {
    const [first, second] = parts(voyage(6, "CUT IN TWO"), 2) as [string, string];
    await start();
    receiver.send(first, sentence(classA(7)));
    await hears(7);
    receiver.cut();
    await receiver.connected(2);
    receiver.send(second, sentence(classA(8)));
    await hears(8);
    expect(heard.map(({ mmsi }) => mmsi)).toEqual([7, 8]);
  });

  test("that is silent, or sends no AIS, is connected to again", async () => {
    await start({ silence: 20 });
    await receiver.connected(3);
    const rubbish = setInterval(() => receiver.send("$GPRMC,rubbish"), 2);
    await receiver.connected(5);
    clearInterval(rubbish);
  });

  test("that is not there is tried until it is", async () => {
    await receiver.stop();
    source = startNmea(receiver.url, (report) => heard.push(report), QUICK);
    await Bun.sleep(20);
    expect(source.isOpen()).toBe(false);
    await receiver.listen();
    await receiver.connected();
  });

  test("isn't connected to any more after the stop", async () => {
    await start();
    source?.stop();
    while (receiver.listening > 0) await Bun.sleep(1);
    await Bun.sleep(30);
    expect([receiver.connections, source?.isOpen()]).toEqual([1, false]);
  });
});
