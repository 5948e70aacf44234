import { afterAll, beforeAll, expect, test } from "bun:test";
import { loadConfig } from "../../../src/configuration/config";
import { sqlite } from "../../../src/kernel/db/connection";
import { subscribe } from "../../../src/kernel/db/events";
import { closeDatabase } from "../../../src/kernel/db/transactions";
import { attachServer } from "../../../src/kernel/http/client";
import { configureLog } from "../../../src/kernel/logs/log";
import { now } from "../../../src/kernel/time/clock";
import { startVessels, vesselsState } from "../../../src/operations/vessels/service";
import { MAX_VESSELS, type Vessel, VesselStore } from "../../../src/operations/vessels/store";
import { AisReceiver } from "../../stand-ins/ais-receiver";
import { captureLog } from "../../support/log";
import { temporaryDirectory } from "../../support/server";
import { openTracking, setSystemConfig } from "../../tracking/in-process";
import { classA, sentence } from "./support";

/** Broadcasts of vessels, in this process, for behaviour that can't be seen from outside. */

let receiver: AisReceiver;
let stop: () => void;
const seen: { vessels: Vessel[] }[] = [];
const listeners = Bun.serve({
  port: 0,
  fetch: (request, server) => (server.upgrade(request) ? undefined : new Response("no", { status: 400 })),
  websocket: { open: (socket) => void socket.subscribe("vessels"), message() {} },
});

const until = async (holds: () => boolean): Promise<void> => {
  while (!holds()) await Bun.sleep(5);
};
/** Long enough for two checks for something to broadcast. */
const twoLooks = () => Bun.sleep(600);

beforeAll(async () => {
  configureLog("error", "json");
  receiver = await AisReceiver.start();
  const environment = { FAIRLEAD_VESSELS_SOURCE: "nmea", FAIRLEAD_VESSELS_URL: receiver.url };
  loadConfig({ environment, dataDir: temporaryDirectory() });
  await openTracking();
  await setSystemConfig("vessels.broadcast_seconds", 1);
  await setSystemConfig("gps.current_cache_seconds", 0);
  attachServer(listeners);
  subscribe("vessels.seen", (event) => seen.push(event));
});
afterAll(async () => {
  stop();
  closeDatabase();
  await receiver.stop();
  await listeners.stop(true);
});

test("nothing is put together while nobody listens; vessels are kept all the same", async () => {
  stop = startVessels();
  await receiver.connected();
  await until(() => vesselsState().isConnected);
  expect(vesselsState()).toEqual({ source: "nmea", isConnected: true, vessels: 0, lastHeardAt: null });
  receiver.send(sentence(classA(211_000_001)));
  await until(() => vesselsState().vessels === 1);
  expect(now() - (vesselsState().lastHeardAt ?? 0)).toBeLessThan(60_000);
  await twoLooks();
  expect(seen).toEqual([]);

  const listener = new WebSocket(`ws://127.0.0.1:${listeners.port}`);
  await until(() => seen.length === 1);
  expect(seen[0]?.vessels.map(({ mmsi }) => mmsi)).toEqual([211_000_001]);
  listener.close();
  await until(() => listeners.subscriberCount("vessels") === 0);
  receiver.send(sentence(classA(211_000_002)));
  await until(() => vesselsState().vessels === 2);
  await twoLooks();
  expect(seen.length).toBe(1);
});

test("a database that fails is told in the log, once, and ends nothing", async () => {
  const log = captureLog();
  sqlite.run("DROP TABLE gps_points");
  await until(() => log.text() !== "");
  await twoLooks();
  receiver.send(sentence(classA(211_000_003)));
  await until(() => vesselsState().vessels === 3);
  expect(log.end().map(([level, message]) => [level, message])).toEqual([
    ["error", "vessels cannot be told"],
  ]);
});

test("the vessels that are kept are bounded, and those heard last stay", () => {
  const store = new VesselStore();
  const position = { latitude: 54, longitude: 13 };
  for (let mmsi = 1; mmsi < MAX_VESSELS; mmsi++) store.hear({ mmsi, position });
  store.hear({ mmsi: 1, speed: 1 });
  for (let mmsi = 0; mmsi <= 50; mmsi++) store.hear({ mmsi: 500_000 + mmsi, position, name: '"'.repeat(20) });
  expect(store.size).toBe(MAX_VESSELS);
  store.hear({ mmsi: 500_000, speed: 1 });
  expect(store.size).toBe(MAX_VESSELS);
  const vessels = store.near(null, 1);
  const kept = new Set(vessels.map(({ mmsi }) => mmsi));
  expect([kept.has(1), kept.has(2), kept.has(51), kept.has(52), kept.has(500_050)]).toEqual([
    ...[true, false, false, true, true],
  ]);
  // The largest message that may wait for a listener (rule W6), if every vessel were as long as possible.
  const longest = JSON.stringify({
    ...vessels.at(-1),
    ...{ mmsi: 999_999_999, lat: -89.123_456, lng: -179.123_456, course: 359.9, speed_kmh: 189.2744 },
    ...{ length: 1_022, beam: 126, heading: 359, ship_type: 32, nav_status: 12 },
    ship_type_label: "Towing, length >200 m or breadth >25 m",
    nav_status_label: "Power-driven vessel pushing ahead or towing alongside (regional)",
  });
  expect(longest.length * MAX_VESSELS).toBeLessThan(4 * 1_048_576);
});
