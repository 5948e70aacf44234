import { afterAll, afterEach, beforeAll, describe, expect, spyOn, test } from "bun:test";
import { configureLog } from "../../../src/kernel/logs/log";
import { keepConnection, LINK_TIMING, type Link } from "../../../src/operations/vessels/connection";
import { startNmea } from "../../../src/operations/vessels/nmea";
import type { Report } from "../../../src/operations/vessels/report";
import type { Source } from "../../../src/operations/vessels/source";
import { AisReceiver } from "../../stand-ins/ais-receiver";
import { captureLog } from "../../support/log";
import { classA, parts, sentence, voyage } from "./support";

/** Keeping up connections, in this process and with less patience than the server has. */
const QUICK = { connect: 5_000, silence: 60_000, firstPause: 1, longestPause: 4, proven: 60_000 };

describe("a connection that is kept", () => {
  beforeAll(() => configureLog("info", "json"));
  afterAll(() => configureLog("error", "json"));

  /** Keeps a connection on timers that run out at once when told to, and notes how long they would have taken. */
  function rehearse(patience = LINK_TIMING) {
    let due: (() => void) | null = null;
    const delays: number[] = [];
    const timers = spyOn(globalThis, "setTimeout").mockImplementation(((run: () => void, delay: number) => {
      due = run;
      delays.push(delay);
      return { refresh: () => delays.push(delay) };
    }) as unknown as typeof setTimeout);
    const clock = spyOn(performance, "now");
    const log = captureLog();
    const links: Link[] = [];
    let closed = 0;
    const kept = keepConnection(
      "test",
      (link) => {
        links.push(link);
        return () => closed++;
      },
      patience,
    );
    kept.connect();
    return {
      kept,
      links,
      delays,
      get link() {
        return links.at(-1) as Link;
      },
      get closed() {
        return closed;
      },
      /** Lets the timer run out that was set last. */
      runOut: () => due?.(),
      at: (milliseconds: number) => clock.mockReturnValue(milliseconds),
      end() {
        timers.mockRestore();
        clock.mockRestore();
        return log.end();
      },
    };
  }

  test("is opened again after pauses that double, up to the longest, each shortened at random", () => {
    const last = new Set<number>();
    for (let rehearsal = 0; rehearsal < 30; rehearsal++) {
      const run = rehearse();
      for (let failures = 0; failures < 12; failures++) {
        run.link.lost("gone");
        const pause = run.delays.at(-1) as number;
        const whole = Math.min(1_000 * 2 ** failures, 60_000);
        expect(pause).toBeGreaterThanOrEqual(whole / 2);
        expect(pause).toBeLessThanOrEqual(whole);
        run.runOut();
        if (failures === 11) last.add(pause);
      }
      run.end();
    }
    expect(last.size).toBeGreaterThan(1);
  });

  test("begins with the first pause again once it was good for a minute, and not before", () => {
    const pauseAfter = (good: number) => {
      const run = rehearse();
      for (let round = 0; round < 6; round++) {
        run.link.lost("gone");
        run.runOut();
      }
      run.at(1_000);
      run.link.opened();
      run.link.heard();
      run.at(1_000 + good);
      run.link.lost("gone");
      run.end();
      return run.delays.at(-1) as number;
    };
    expect(pauseAfter(60_000)).toBeLessThanOrEqual(1_000);
    expect(pauseAfter(59_999)).toBeGreaterThan(20_000);
  });

  test("is opened again when it doesn't open within 15 seconds", () => {
    const run = rehearse();
    expect(run.delays).toEqual([15_000]);
    run.runOut();
    expect([run.closed, run.kept.isOpen()]).toEqual([1, false]);
    run.runOut();
    expect(run.links.length).toBe(2);
    run.end();
  });

  test("is opened again, soon, when nothing is heard for 4 minutes; what is heard puts that off", () => {
    const run = rehearse();
    run.link.lost("gone");
    run.runOut();
    run.link.opened();
    expect(run.delays.at(-1)).toBe(240_000);
    run.link.heard();
    run.link.heard();
    expect(run.delays.slice(-3)).toEqual([240_000, 240_000, 240_000]);
    run.runOut();
    expect([run.closed, run.kept.isOpen()]).toEqual([2, false]);
    expect(run.delays.at(-1)).toBeLessThanOrEqual(1_000);
    run.runOut();
    expect(run.links.length).toBe(3);
    run.end();
  });

  test("isn't listened to any more once it is lost, renewed or ended", () => {
    const run = rehearse();
    const [first] = run.links as [Link];
    first.opened();
    run.kept.renew();
    const { length } = run.delays;
    first.opened();
    first.heard();
    first.lost("late");
    expect([run.kept.isOpen(), run.delays.length, run.closed]).toEqual([false, length, 1]);
    run.runOut();
    run.link.opened();
    expect(run.kept.isOpen()).toBe(true);
    run.kept.disconnect();
    run.link.lost("late");
    expect([run.kept.isOpen(), run.delays.length, run.closed]).toEqual([false, length + 2, 2]);
    expect(run.end()).toEqual([]);
  });

  test("writes one line when it speaks and one when it is lost, not one for each attempt", () => {
    const run = rehearse();
    const lose = (why: string, times = 1) => {
      for (let time = 0; time < times; time++) {
        run.link.lost(why);
        run.runOut();
      }
    };
    const speak = () => {
      run.link.opened();
      run.link.heard();
      run.link.heard();
    };
    lose("ECONNREFUSED", 50);
    lose("ENOTFOUND", 50);
    speak();
    lose("it closed the connection", 50);
    speak();
    lose("it closed the connection", 2);
    const lost = (why: string) => ["warn", "no vessel positions arrive", "test", why];
    const speaks = ["info", "vessel positions arrive", "test", undefined];
    expect(run.end()).toEqual([
      lost("ECONNREFUSED"),
      lost("ENOTFOUND"),
      speaks,
      lost("it closed the connection"),
      speaks,
      lost("it closed the connection"),
    ]);
  });

  test("that can't even be tried is tried again", () => {
    const log = captureLog();
    const patience = { ...QUICK, firstPause: 60_000 };
    const kept = keepConnection("test", () => new URL("no address") as unknown as () => void, patience);
    kept.connect();
    kept.disconnect();
    expect(log.end()).toEqual([["warn", "no vessel positions arrive", "test", "TypeError"]]);
  });
});

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
