import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { chromium } from "../support/browser";
import { eventually } from "../support/expectations";
import { TestServer } from "../support/server";
import { BadLine } from "./bad-line";
import { type Load, prepareLoad, toldOn } from "./load";
import {
  buildPackage,
  hasNode,
  inBun,
  inChromium,
  inNode,
  nodeFlags,
  type Reader,
  servePages,
} from "./runtimes";

/**
 * The client on a line that is cut at random, in the midst of handshakes and frames too: each change comes once and in order.
 * `CUTS=1000 bun test tests/clients/cuts.test.ts` cuts each reader's connections a thousand times.
 */

const CUTS = Number(process.env.CUTS ?? 60);
setDefaultTimeout(240_000 + CUTS * 500);

if (!chromium) process.stderr.write("Skipped: the client in a browser, since there is no Chromium here.\n");

let server: TestServer;
let load: Load;
let pages: ReturnType<typeof servePages>;
let directory: string;
beforeAll(async () => {
  directory = await buildPackage();
  pages = servePages(directory);
  server = await TestServer.start({ settings: { "server.cors_origins": pages.url.origin } });
  load = await prepareLoad(server);
});
afterAll(async () => {
  pages.stop(true);
  await server.stop();
});

/** A reader, and the bad line to it. */
interface Case {
  name: string;
  isThere: boolean;
  start: (url: string, token: string) => Reader | Promise<Reader>;
  /** True to read with an API key: it takes sockets with headers. */
  hasKey: boolean;
}

const reading = (url: string, token: string) => ({ url, token, since: load.since, channels: load.channels });

const CASES: Case[] = [
  { name: "Bun", isThere: true, hasKey: true, start: (url, token) => inBun(reading(url, token)) },
  {
    name: "Node",
    isThere: nodeFlags !== null,
    hasKey: true,
    start: (url, token) => inNode(directory, nodeFlags ?? [], reading(url, token)),
  },
  {
    name: "Node, without sockets",
    isThere: hasNode,
    hasKey: true,
    start: (url, token) => inNode(directory, [], { ...reading(url, token), isPolling: true }),
  },
  {
    name: "Chromium",
    isThere: chromium !== null,
    hasKey: false,
    start: (url, token) => inChromium(pages.url.origin, reading(url, token)),
  },
];

/** Makes changes until the connections of all readers were cut often enough, and lets the last ones through. */
async function cutAll(badLines: BadLine[]): Promise<void> {
  while (badLines.some((line) => line.cuts < CUTS)) {
    await load.step();
    for (const line of badLines) if (line.cuts >= CUTS) line.mode = "pass";
  }
  await load.step();
}

describe("every change comes once and in order over a line that is cut at random", () => {
  const cases = CASES.filter(({ isThere }) => isThere);
  let badLines: BadLine[];
  let readers: Reader[];
  beforeAll(async () => {
    const [key, session] = [
      await server.key("gps:read", "geofences:read", "trips:read", "devices:read"),
      await server.admin(),
    ];
    badLines = await Promise.all(cases.map((_, at) => BadLine.start(server.url, at + 1)));
    for (const line of badLines) line.mode = "cut";
    const url = (at: number) => (badLines[at] as BadLine).url;
    readers = await Promise.all(cases.map(({ start, hasKey }, at) => start(url(at), hasKey ? key : session)));
    await cutAll(badLines);
  });
  afterAll(async () => {
    await Promise.all(readers.map((reader) => reader.stop()));
    for (const line of badLines) line.stop();
  });

  test.each(CASES.map(({ name, isThere }) => ({ name, isThere })))("in $name", async ({ name, isThere }) => {
    if (!isThere) return;
    const at = cases.findIndex((some) => some.name === name);
    const [reader, line] = [readers[at] as Reader, badLines[at] as BadLine];
    const counts: number[] = [];
    for (const channel of load.channels) {
      const expected = await load.expected(channel);
      await eventually(async () => toldOn(await reader.lines(), channel).length >= expected.length);
      expect(toldOn(await reader.lines(), channel)).toEqual(expected);
      counts.push(expected.length);
    }
    expect(Math.min(...counts)).toBeGreaterThan(0);
    expect((await reader.lines()).filter((line) => "error" in line || "reset" in line)).toEqual([]);
    expect(line.cuts).toBeGreaterThanOrEqual(CUTS);
    if (process.env.CUTS)
      process.stderr.write(
        `${name}: ${line.cuts} cuts ${JSON.stringify(line.places)}, ${line.connections} connections, ${counts.join(" + ")} changes\n`,
      );
  });
});
