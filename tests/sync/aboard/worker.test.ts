import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { eventually } from "../../support/expectations";
import { linesIn, outputOfWholeRun } from "../../support/log";
import { rows, write } from "../../support/rows";
import type { TestServer } from "../../support/server";
import { DAY, MINUTE, SECOND } from "../../support/time";
import { StandInShore } from "./shore";
import {
  alertsAt,
  boatAt,
  catchUp,
  caughtUp,
  failAgain,
  inIntervals,
  linkOf,
  post,
  raise,
  speedRule,
  TOKEN,
  troubleOf,
} from "./support";

/** A server aboard beside a shore over HTTP, by the test's clock. */

let shore: StandInShore;
const servers: TestServer[] = [];
const boat = async (...[at, settings, options]: Partial<Parameters<typeof boatAt>>): Promise<TestServer> => {
  const server = await boatAt(at ?? shore, settings, options);
  servers.push(server);
  return server;
};

beforeEach(() => {
  shore = new StandInShore();
});
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.stop("SIGKILL")));
  await shore.stop();
});

/** The next request fails as if there were no link. */
const noLink = () => new Response("no link", { status: 502 });

describe("a server aboard", () => {
  test("tells the shore what it keeps, with its token in the header and nowhere else", async () => {
    const server = await boat();
    const { id, key } = await server.device("Greif");
    const position = await post(server, key);
    await inIntervals(server, () => shore.rows("position").has(position));
    expect(shore.rows("device").get(id)).toMatchObject({ name: "Greif" });
    expect(shore.rows("position").get(position)).toMatchObject({ device_id: id, latitude: 54.0967 });
    await caughtUp(server);
    for (const { path, headers } of shore.requests) {
      expect(headers.get("authorization")).toBe(`Bearer ${TOKEN}`);
      if (path === "/v1/sync/push") expect(headers.get("content-type")).toBe("application/octet-stream");
    }
    expect(shore.pushes.at(-1)).toMatchObject({ version: expect.stringMatching(/^\d+\.\d+\.\d+/) });
    const { body } = await server.get("/health");
    expect(body).toMatchObject({ status: "healthy", services: { sync: { status: "up", trouble: null } } });
    expect(body.services.sync.bytes_today).toBeGreaterThan(500);
    expect(await outputOfWholeRun(server)).not.toContain(TOKEN);
  });

  test("calls ever more rarely while there is nothing to tell, and at once when an alert is raised", async () => {
    const server = await boat();
    const { key } = await server.device();
    await speedRule(server);
    await post(server, key);
    await catchUp(server);
    // 30 s, 1, 2, 4 and 8 minutes, and then each quarter of an hour.
    for (const pause of [0.5, 1, 2, 4, 8, 15, 15, 15]) {
      const before = shore.pushes.length;
      await server.advance(pause * MINUTE);
      await shore.pushed(before + 1);
      await caughtUp(server);
      expect(shore.pushes.length).toBe(before + 1);
    }
    const before = shore.pushes.length;
    await raise(server, key);
    await eventually(() => alertsAt(shore) === 1);
    expect(shore.pushes[before]?.sections[0]?.lane).toBe("alerts");
  });

  test("goes on after a restart, and after being killed, where the shore is", async () => {
    let server = await boat();
    const { key } = await server.device();
    const ids = [await post(server, key)];
    await inIntervals(server, () => shore.rows("position").size === 1);
    for (const signal of ["SIGKILL", "SIGTERM", "SIGKILL"] as const) {
      ids.push(await post(server, key, { timestamp: 1_372_578_069 + ids.length }));
      await server.stop(signal);
      server = await boat(shore, {}, { dataDir: server.dataDir, ahead: server.ahead });
      ids.push(await post(server, key, { timestamp: 1_372_578_069 + ids.length }));
    }
    await inIntervals(server, () => shore.rows("position").size === ids.length);
    expect([...shore.rows("position").keys()].sort()).toEqual(ids.sort());
    expect(shore.epochs.size).toBe(1);
  });

  test("stops at once while a request hangs", async () => {
    shore.mishap = () => new Promise(() => {});
    const server = await boat();
    await eventually(() => shore.requests.length > 0);
    const begun = performance.now();
    expect(await server.stop()).toBe(0);
    expect(performance.now() - begun).toBeLessThan(5_000);
  });

  test("without sync.url keeps nothing for a shore", async () => {
    const server = await boat();
    await eventually(() => shore.pushes.length > 0);
    expect(rows(server, "SELECT name FROM feed_readers")).toEqual([{ name: "sync" }]);
    await server.stop();
    const alone = await boat(shore, { "sync.url": "", "sync.token": "" }, { dataDir: server.dataDir });
    expect(rows(alone, "SELECT name FROM feed_readers")).toEqual([]);
    expect((await alone.get("/health")).body.services).not.toHaveProperty("sync");
  });
});

describe("without a link", () => {
  test("requests become rare, an alert is tried each 10 seconds, and what waited comes once the link is there", async () => {
    const server = await boat();
    const { key } = await server.device();
    await speedRule(server);
    await catchUp(server);
    shore.mishap = noLink;
    const position = await post(server, key);
    await server.advance(30 * SECOND);
    expect(await troubleOf(server)).toBe("it fails, or is not up (status 502)");
    expect((await linkOf(server)).status).toBe("up");
    // Growing pauses to a quarter of an hour.
    for (const pause of [5, 10, 20, 40, 80, 160, 320, 640, 900]) await failAgain(server, pause * SECOND);
    const { body } = await server.get("/health");
    expect(body).toMatchObject({ status: "degraded", services: { sync: { status: "down" } } });
    await raise(server, key);
    for (let tries = 0; tries < 3; tries++) await failAgain(server, 10 * SECOND);
    shore.mishap = () => null;
    await server.advance(10 * SECOND);
    await eventually(() => alertsAt(shore) === 1 && shore.rows("position").has(position));
    await eventually(async () => (await linkOf(server)).status === "up");
    expect(linesIn(await outputOfWholeRun(server), "the shore was not reached")).toHaveLength(1);
    expect(linesIn(server.output, "the shore answers again")).toHaveLength(1);
  });

  test("a request that gets no answer makes room for one with an alert", async () => {
    const server = await boat();
    const { key } = await server.device();
    await speedRule(server);
    await catchUp(server);
    let isHanging = true;
    shore.mishap = () => (isHanging ? new Promise(() => {}) : null);
    await post(server, key);
    const before = shore.requests.length;
    await inIntervals(server, () => shore.requests.length > before);
    isHanging = false;
    await raise(server, key);
    await server.advance(5 * SECOND);
    await eventually(() => alertsAt(shore) === 1);
  });

  test("a request that is never answered is given up in time, and tried again", async () => {
    shore.mishap = () => new Promise(() => {});
    const server = await boat();
    await eventually(() => shore.requests.length === 1);
    await server.advance(MINUTE);
    expect(await troubleOf(server)).toBe("it does not answer in time");
    shore.mishap = () => null;
    await server.advance(5 * SECOND);
    await caughtUp(server);
  });
});

test("a token that is refused shows at once, is told in the log once, and is tried again each quarter of an hour", async () => {
  shore.mishap = () => Response.json({ error: "Unauthorized" }, { status: 401 });
  const server = await boat();
  const { key } = await server.device();
  await speedRule(server);
  expect(await troubleOf(server)).toStartWith("it refuses the token");
  const { body } = await server.get("/health");
  expect(body).toMatchObject({ status: "degraded", services: { sync: { status: "down" } } });
  await raise(server, key);
  for (let tries = 2; tries < 5; tries++) {
    await failAgain(server, 15 * MINUTE);
    expect(shore.requests.length).toBe(tries);
  }
  shore.mishap = () => null;
  await server.advance(15 * MINUTE);
  await eventually(() => alertsAt(shore) === 1);
  await caughtUp(server);
  expect(linesIn(await outputOfWholeRun(server), "the shore refuses this box")).toHaveLength(1);
});

/** A boat whose day (UTC) has just begun, and has a bound: none of the test's minutes falls into the next one. */
async function boatAtMidnight() {
  const server = await boat(shore, { "sync.daily_megabytes": "1" });
  await server.advance(DAY - (server.time % DAY) + MINUTE);
  return server;
}

test("a day's megabytes are a bound for all but alerts, and the next day the rest follows", async () => {
  const server = await boatAtMidnight();
  const { key } = await server.device();
  await speedRule(server);
  await catchUp(server);
  write(server, "UPDATE sync_state SET day_bytes = 1000000");
  const position = await post(server, key);
  await raise(server, key);
  await eventually(() => alertsAt(shore) === 1);
  const before = shore.pushes.length;
  await server.advance(15 * MINUTE);
  await shore.pushed(before + 1);
  expect(shore.rows("position").size).toBe(0);
  expect((await linkOf(server)).bytes_today).toBeGreaterThan(1_000_000);
  await server.advance(DAY);
  await eventually(() => shore.rows("position").has(position));
  expect((await linkOf(server)).bytes_today).toBeLessThan(1_000_000);
});

test("over a metered line positions are thinned", async () => {
  const server = await boat(shore, { "sync.metered": "always" });
  const { key } = await server.device();
  await catchUp(server);
  const start = Math.floor(server.time / 60_000) * 60 + 60;
  for (let second = 0; second < 180; second += 10) await post(server, key, { timestamp: start + second });
  await server.advance(MINUTE);
  await eventually(() => shore.rows("position").size === 3);
  const { is_metered, lanes } = await linkOf(server);
  expect(is_metered).toBe(true);
  expect(lanes.find(({ lane }: { lane: string }) => lane === "backlog").rows).toBeGreaterThanOrEqual(18);
  await server.stop();
  await boat(shore, {}, { dataDir: server.dataDir, ahead: server.ahead });
  await eventually(() => shore.rows("position").size === 18);
});

describe("a set of zones and rules", () => {
  const sets = () => shore.requests.filter(({ path }) => path === "/v1/sync/set").length;
  const lastWord = () => shore.pushes.findLast(({ remarks }) => remarks.set)?.remarks.set;
  const zone = {
    ...{
      id: "0192f3a1-5c00-7d1e-9a55-3f1f6c1f0a01",
      name: "Harbour",
      description: null,
      kind: "circle" as const,
    },
    ...{ latitude: 54, longitude: 13, radius_km: 1, geometry: null, width_m: null, is_active: true },
    ...{ enter_after_s: 0, exit_after_s: 0, confirm_fixes: 1, exit_margin_m: null, max_accuracy_m: null },
    ...{ dwell_seconds: null, color: null, metadata: null },
  };

  test("is fetched once, applied and confirmed", async () => {
    shore.set = { form: 1, tag: "first", version: 1, zones: [zone], rules: [] };
    const server = await boat();
    await eventually(() => sets() === 1);
    await inIntervals(server, () => Bun.deepEquals(lastWord(), { version: 1, error: null }));
    const { body } = await server.get(`/v1/geofences/${zone.id}`, { token: server.systemKey });
    expect(body.data).toMatchObject({ name: "Harbour", is_from_shore: true });
    await server.advance(15 * MINUTE);
    await caughtUp(server);
    expect(sets()).toBe(1);
  });

  test("that can't be applied leaves the former one, is told with the reason, and is tried again later", async () => {
    const server = await boat();
    await eventually(() => sets() === 1);
    for (const [answer, error] of [
      [() => Response.json({ ...shore.set, form: 99 }), "this needs a newer version of Fairlead aboard"],
      [() => new Response("<html>"), "what came is no set, or too large a one"],
      [() => new Response(`[${"0,".repeat(1_000_001)}0]`), "what came is no set, or too large a one"],
      [() => new Response("0".repeat(8 * 1024 * 1024 + 1)), "what came is no set, or too large a one"],
      [() => Response.json({ ...shore.set, zones: [{ ...zone, radius_km: -1 }] }), /radius_km/],
    ] as const) {
      const before = sets();
      shore.set = { ...shore.set, tag: `tag ${before}`, version: before };
      shore.answerSet = answer;
      await inIntervals(server, () => sets() > before, 15 * MINUTE);
      await inIntervals(server, () => {
        const told = (lastWord() as { error: string | null }).error ?? "";
        return typeof error === "string" ? told === error : error.test(told);
      });
      expect(lastWord()).toMatchObject({ version: 0 });
      const asked = sets();
      for (let pushes = 0; pushes < 3; pushes++) await server.advance(MINUTE);
      expect(sets()).toBe(asked);
    }
    shore.answerSet = () => Response.json(shore.set);
    const before = sets();
    await inIntervals(server, () => sets() > before, 15 * MINUTE);
    await inIntervals(server, () => Bun.deepEquals(lastWord(), { version: shore.set.version, error: null }));
  });

  test("that is refused again and again is fetched ever more rarely, and one that changed at once", async () => {
    shore.answerSet = () => new Response("<html>");
    shore.set = { ...shore.set, tag: "bad", version: 1 };
    const server = await boat();
    const { key } = await server.device();
    await eventually(() => sets() === 1);
    const minutes = [];
    for (let minute = 5; minute <= 115; minute += 5) {
      await post(server, key);
      const before = sets();
      const pushes = shore.pushes.length;
      await server.advance(5 * MINUTE);
      await shore.pushed(pushes + 1);
      await caughtUp(server);
      if (sets() > before) minutes.push(minute);
    }
    // Half an hour after the second, an hour after the third; the push at which a pause has just ended may be the one before.
    expect(minutes).toHaveLength(3);
    const [first = 0, second = 0, third = 0] = minutes;
    expect([first, second - first, third - second].map((pause) => Math.round(pause / 15))).toEqual([1, 2, 4]);
    shore.set = { ...shore.set, tag: "better", version: 2 };
    shore.answerSet = () => Response.json(shore.set);
    await inIntervals(server, () => Bun.deepEquals(lastWord(), { version: 2, error: null }));
  });

  test("waits for the next day where the bytes of the day are used up", async () => {
    const server = await boatAtMidnight();
    const { key } = await server.device();
    await speedRule(server);
    await eventually(() => sets() === 1);
    await catchUp(server);
    write(server, "UPDATE sync_state SET day_bytes = 1000000");
    shore.set = { form: 1, tag: "large", version: 1, zones: [zone], rules: [] };
    await raise(server, key);
    await eventually(() => alertsAt(shore) === 1);
    const before = shore.pushes.length;
    await server.advance(15 * MINUTE);
    await shore.pushed(before + 1);
    expect(sets()).toBe(1);
    await server.advance(DAY);
    await inIntervals(server, () => Bun.deepEquals(lastWord(), { version: 1, error: null }));
    expect(sets()).toBe(2);
  });

  test("counts as the bytes that it takes on the line", async () => {
    const zones = Array.from({ length: 150 }, (_, at) => ({
      ...zone,
      ...{ id: `0192f3a1-5c00-7d1e-9a55-${String(at).padStart(12, "0")}`, description: "quay ".repeat(200) },
    }));
    shore.set = { form: 1, tag: "long", version: 1, zones, rules: [] };
    const text = JSON.stringify(shore.set);
    const packed = Bun.zstdCompressSync(text);
    shore.answerSet = () => new Response(new Uint8Array(packed), { headers: { "content-encoding": "zstd" } });
    const server = await boat();
    await inIntervals(server, () => Bun.deepEquals(lastWord(), { version: 1, error: null }));
    const { bytes_today } = await linkOf(server);
    expect(text.length).toBeGreaterThan(150_000);
    expect(bytes_today).toBeWithin(packed.length, 20_000);
  });
});
