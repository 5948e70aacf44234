import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { listenToLines } from "../../../src/kernel/feeds/tcp-lines";
import { AisReceiver } from "../../stand-ins/ais-receiver";
import { eventually } from "../../support/expectations";

/** Listeners to the lines of one server. */

const QUICK = { connect: 5_000, silence: 60_000, firstPause: 1, longestPause: 4, proven: 60_000 };

let server: AisReceiver;
beforeEach(async () => {
  server = await AisReceiver.start();
});
afterEach(() => server.stop());

/** A listener to whom lines make sense that begin so, and a record of what it is told. */
function listen(beginning: string, timing = QUICK) {
  const heard: string[] = [];
  const told: string[] = [];
  const source = listenToLines(
    server.url,
    {
      take(line) {
        const makesSense = line.startsWith(beginning);
        if (makesSense) heard.push(line);
        return makesSense;
      },
      opened: () => told.push("opened"),
      tell: { speaks: () => told.push("speaks"), fails: (why) => told.push(why.en) },
    },
    timing,
  );
  return { heard, told, source };
}

describe("listeners to one server", () => {
  test("share a connection, on which each hears what makes sense to it", async () => {
    const [dollars, marks] = [listen("$"), listen("!")];
    await server.connected();
    server.send("$one", "!two", "$three", "four");
    await eventually(() => dollars.heard.length === 2 && marks.heard.length === 1);
    expect([dollars.heard, marks.heard]).toEqual([["$one", "$three"], ["!two"]]);
    expect([dollars.told, marks.told]).toEqual([
      ["opened", "speaks", "speaks"],
      ["opened", "speaks"],
    ]);
    expect(server.connections).toBe(1);
    expect([dollars.source.isOpen(), marks.source.isOpen()]).toEqual([true, true]);
    dollars.source.stop();
    marks.source.stop();
  });

  test("are all told of its loss, and of the next connection", async () => {
    const both = [listen("$"), listen("!")];
    await server.connected();
    server.send("$one");
    await eventually(() => both[0]?.heard.length === 1);
    server.cut();
    await server.connected(2);
    await eventually(() => both.every(({ told }) => told.filter((word) => word === "opened").length === 2));
    expect(
      both.map(({ told }) => told.filter((word) => word !== "opened" && word !== "speaks").length),
    ).toEqual([1, 1]);
    for (const { source } of both) source.stop();
  });

  test("keep the connection until the last one stops; one that stops hears nothing more", async () => {
    const [first, second] = [listen("$"), listen("$")];
    await server.connected();
    first.source.stop();
    first.source.stop();
    server.send("$one");
    await eventually(() => second.heard.length === 1);
    expect(first.heard).toEqual([]);
    second.source.stop();
    await eventually(() => server.listening === 0);
    const third = listen("$");
    await server.connected(2);
    third.source.stop();
    await eventually(() => server.listening === 0);
    expect(server.connections).toBe(2);
  });

  test("keep it alive for one another: it is silent only where it makes sense to none", async () => {
    const timing = { ...QUICK, silence: 400 };
    const [dollars, marks] = [listen("$", timing), listen("!", timing)];
    await server.connected();
    const timer = setInterval(() => server.send("$one"), 10);
    // Longer than a silence that would end it, which is longer than a busy machine stalls.
    await Bun.sleep(600);
    expect(server.connections).toBe(1);
    clearInterval(timer);
    await server.connected(2);
    expect(marks.told).toContain("it is silent");
    dollars.source.stop();
    marks.source.stop();
  });
});
