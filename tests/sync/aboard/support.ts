import { eventually, expectStatus } from "../../support/expectations";
import { type Settings, type StartOptions, TestServer } from "../../support/server";
import { SECOND } from "../../support/time";
import { fix } from "../../tracking/support";
import type { StandInShore } from "./shore";

/** Servers aboard in the tests, as programs of their own. */

export const TOKEN = `flb_${"x".repeat(43)}`;

/** A server that tells a shore, with a clock that can be moved. */
export const boatAt = (
  shore: { url: string },
  settings: Settings = {},
  options: StartOptions = {},
): Promise<TestServer> =>
  TestServer.start({
    clock: "movable",
    ...options,
    settings: {
      ...{ "sync.url": shore.url, "sync.token": TOKEN, "log.level": "info", "metrics.enabled": "true" },
      ...settings,
    },
  });

/** The link, as health tells of it. */
export const linkOf = async (server: TestServer) => (await server.get("/health")).body.services.sync;

/** Lets the interval between two requests go by, and waits until the shore has everything. */
export const catchUp = (server: TestServer): Promise<void> =>
  inIntervals(server, () => hasEverything(server));

async function hasEverything(server: TestServer): Promise<boolean> {
  const { waiting, trouble, last_contact_at } = await linkOf(server);
  return waiting === 0 && trouble === null && last_contact_at !== null;
}

/** Waits until the shore has everything. */
export const caughtUp = (server: TestServer): Promise<void> => eventually(() => hasEverything(server));

/** Milliseconds in which a request is made and answered here. */
const ENOUGH = 2_000;

/**
 * Lets intervals between requests go by until something holds. One may not be enough: the last request may have been on its way
 * as the clock moved, and the next one is due an interval after it.
 */
export async function inIntervals(
  server: TestServer,
  holds: () => boolean | Promise<boolean>,
  interval = 30 * SECOND,
): Promise<void> {
  for (;;) {
    await server.advance(interval);
    const end = performance.now() + ENOUGH;
    while (performance.now() < end) {
      if (await holds()) return;
      await Bun.sleep(20);
    }
  }
}

/** Waits until health tells of a trouble, and returns its words. */
export async function troubleOf(server: TestServer): Promise<string> {
  let words: string | null = null;
  await eventually(async () => {
    words = (await linkOf(server)).trouble;
    return words !== null;
  });
  return words ?? "";
}

/** Posts a position of a device now, by the server's clock; returns its identifier. */
export async function post(server: TestServer, key: string, fields: object = {}): Promise<string> {
  const timestamp = Math.floor(server.time / 1_000);
  const answer = await server.post("/v1/gps", { token: key, body: fix({ timestamp, ...fields }) });
  return expectStatus(answer, 201).body.data.id;
}

/** A rule that alerts as soon as a device is faster than a knot. */
export async function speedRule(server: TestServer): Promise<void> {
  const body = {
    ...{ name: "Too fast", severity: "alarm", condition: { type: "speed", above_knots: 20 } },
    ...{ target_ids: [], cooldown_seconds: 0 },
  };
  expectStatus(await server.post("/v1/alert-rules", { token: await server.admin(), body }), 201);
}

/** Lets an alert be raised. */
export const raise = (server: TestServer, key: string): Promise<string> =>
  post(server, key, { speed_knots: 30, speed_mps: 15.4, speed_kmh: 55.6, speed_mph: 34.5 });

/** Alerts that the shore was told of. */
export const alertsAt = (shore: StandInShore): number => shore.rows("alert").size;

/** Requests that have failed, as far as the server has noted: a pause begins then. */
const failuresOf = async (server: TestServer): Promise<number> =>
  Number(/^fairlead_sync_failures_total (\d+)$/m.exec(String((await server.get("/metrics")).body))?.[1]);

/** Lets a pause go by, and waits until the request after it has failed too. */
export async function failAgain(server: TestServer, pause: number): Promise<void> {
  const before = await failuresOf(server);
  await server.advance(pause);
  await eventually(async () => (await failuresOf(server)) > before);
}
