import { afterAll, afterEach, beforeAll, describe, expect, spyOn, test } from "bun:test";
import { watchClock } from "../../../src/alerts/conditions/clock";
import { loadConfig } from "../../../src/configuration/config";
import { log } from "../../../src/kernel/logs/log";
import { giveHeartbeat } from "../../../src/server/heartbeat/heartbeat";
import { advance, openOutbox } from "../../alerts/deliveries/in-process";
import { environmentOf, type Settings, temporaryDirectory } from "../../support/server";

const TOKEN = "a token of the dead man's switch";

/** The switch, which notes what it is called with. */
const calls: { method: string; authorization: string | null }[] = [];
let status = 200;
const deadMansSwitch = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  fetch: ({ method, headers }) => {
    calls.push({ method, authorization: headers.get("authorization") });
    return new Response("fine", { status });
  },
});
const url = `http://127.0.0.1:${deadMansSwitch.port}/ping/of-this-box`;

const directory = temporaryDirectory();
let stop: () => Promise<void>;
beforeAll(async () => {
  stop = await openOutbox(directory);
});
afterAll(async () => {
  await stop();
  await deadMansSwitch.stop(true);
});

/** Lines of the log. */
const lines: string[] = [];
const spies = (["info", "warn"] as const).map((level) =>
  spyOn(log, level).mockImplementation((message, fields) => {
    lines.push(`${message} ${JSON.stringify(fields ?? {})}`);
  }),
);
afterAll(() => {
  for (const spy of spies) spy.mockRestore();
});
afterEach(() => {
  calls.length = 0;
  lines.length = 0;
  status = 200;
});

const configure = (settings: Settings) =>
  loadConfig({ environment: environmentOf({ "data.dir": directory, ...settings }) });
const withSwitch = { "heartbeat.url": url, "heartbeat.token": TOKEN };

describe("a sign of life", () => {
  test("is given with the token while all is well", async () => {
    configure(withSwitch);
    await watchClock();
    await giveHeartbeat();
    expect(calls).toEqual([{ method: "GET", authorization: `Bearer ${TOKEN}` }]);
    expect(lines).toEqual([]);
  });

  test("is given to nobody where there is no switch", async () => {
    configure({});
    await giveHeartbeat();
    expect(calls).toEqual([]);
  });

  test("is not given while alerts are not watched, and the log has one line of it", async () => {
    configure(withSwitch);
    await watchClock();
    advance(60_000);
    await giveHeartbeat();
    await giveHeartbeat();
    expect(calls).toEqual([]);
    expect(lines).toEqual([
      'no sign of life could be given to heartbeat.url {"why":"alerts are not watched"}',
    ]);
    await watchClock();
    await giveHeartbeat();
    expect(calls).toHaveLength(1);
    expect(lines[1]).toContain("signs of life are given again");
  });

  test("is not given while the own receiver has no fix", async () => {
    configure({ ...withSwitch, "position.source": "gpsd" });
    await watchClock();
    await giveHeartbeat();
    expect(calls).toEqual([]);
    expect(lines.join()).toContain("the box's own receiver: no fix has come yet");
    configure(withSwitch);
    await giveHeartbeat();
  });

  test("that is refused, or reaches nobody, is told without the address or the token", async () => {
    configure(withSwitch);
    await watchClock();
    status = 404;
    await giveHeartbeat();
    configure({ ...withSwitch, "heartbeat.url": "http://127.0.0.1:1/secret" });
    await giveHeartbeat();
    expect(lines).toHaveLength(2);
    expect(lines[0]).toContain("it answered 404");
    expect(lines.join()).not.toMatch(/of-this-box|secret|a token/);
  });
});
