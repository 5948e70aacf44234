import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { AisReceiver, recorded } from "../../stand-ins/ais-receiver";
import { measured, PegelonlineStandIn, station } from "../../stand-ins/pegelonline";
import { type Browser, chromium, startBrowser, type Visit } from "../../support/browser";
import { gzipped, mvt, twoTiles, writeMbtiles, writePmtiles } from "../../support/charts";
import { eventually, expectStatus, soon } from "../../support/expectations";
import { ADMIN, TestServer, temporaryDirectory } from "../../support/server";
import { drawn, drawnAt, expectAccessible, expectQuiet, mapReady, openBridge, PHONE, WALK } from "./support";

/** The map as a skipper looks at it, with everything on it. */

setDefaultTimeout(WALK);

const MIDDLE = { latitude: 54.1, longitude: 13.46 };
const MINUTE = 60;
const now = () => Math.floor(Date.now() / 1_000);

let server: TestServer;
let browser: Browser;
let receiver: AisReceiver;
let source: PegelonlineStandIn;
const WIECK = { latitude: 54.09, longitude: 13.46 };
let token: string;
/** Devices by name. */
const ids: Record<string, string> = {};

const SPEED = { speed_kmh: 12, speed_mps: 3.3, speed_mph: 7.5, speed_knots: 6.5 };

/** A device whose positions lie behind each other to the east, a minute apart; the last one is so many seconds old. */
async function fleetOf(name: string, age: number, fields: object = {}, count = 4): Promise<void> {
  const { id } = expectStatus(await server.post("/v1/devices", { token, body: { name } }), 201).body.data;
  ids[name] = id;
  const positions = Array.from({ length: count }, (_, at) => ({
    latitude: MIDDLE.latitude + 0.02 * (Object.keys(ids).length - 1),
    longitude: MIDDLE.longitude + 0.004 * at,
    timestamp: now() - age - MINUTE * (count - 1 - at),
    ...{ ...SPEED, heading: 90, accuracy_m: 150 },
    ...fields,
  }));
  const body = { device_id: id, positions };
  expectStatus(await server.post("/v1/gps/batch", { token, body }), 200);
}

const RING = [
  [13.5, 54.05],
  [13.53, 54.05],
  [13.52, 54.07],
  [13.5, 54.05],
];

const HOLE = [
  [13.514, 54.053],
  [13.514, 54.057],
  [13.52, 54.055],
  [13.514, 54.053],
];
const IN_YARD = { longitude: 13.506, latitude: 54.0515 };
const IN_HOLE = { longitude: 13.516, latitude: 54.055 };

/** A tile of these bytes at each place of the zooms 0 to 2. */
const everywhere = (data: Uint8Array) =>
  [0, 1, 2].flatMap((z) =>
    Array.from({ length: 4 ** z }, (_, at) => ({ z, x: at % 2 ** z, y: Math.floor(at / 2 ** z), data })),
  );

const zones = [
  { name: "Harbour", latitude: 54.1, longitude: 13.4, radius_km: 0.8 },
  {
    name: "Yard",
    kind: "polygon",
    color: "#b45309",
    geometry: { type: "Polygon", coordinates: [RING, HOLE] },
  },
  {
    ...{ name: "Fairway", kind: "corridor", width_m: 200 },
    geometry: {
      type: "LineString",
      coordinates: [
        [13.4, 54.05],
        [13.45, 54.06],
      ],
    },
  },
];

beforeAll(async () => {
  if (!chromium) return;
  [receiver, source] = await Promise.all([AisReceiver.start(), PegelonlineStandIn.start()]);
  const wieck = station({ longname: "WIECK", ...WIECK });
  source.stations = [wieck];
  source.measurements.set(wieck.uuid, measured([90, 97, 95], new Date().toISOString()));
  const charts = temporaryDirectory();
  // Most tiles are missing, as in a chart of a harbour.
  writeMbtiles(join(charts, "harbour.mbtiles"), { metadata: { format: "png", name: "Harbour plan" } });
  // One layer of its style is wrong: a map with it is drawn without that layer.
  writePmtiles(join(charts, "wrong.pmtiles"), twoTiles(gzipped(mvt("land"))));
  const layers = [{ id: "all", type: "fill", "source-layer": "land", paint: { "fill-color": "no colour" } }];
  await Bun.write(join(charts, "wrong.style.json"), JSON.stringify({ layers }));
  // Its tiles are no tiles, at any zoom.
  const junk = gzipped(new Uint8Array(3_000).map((_, at) => (at * 7_919) % 251));
  writePmtiles(join(charts, "garbage.pmtiles"), everywhere(junk), { maxZoom: 2 });
  const settings = {
    ...source.settings(),
    ...{ "vessels.source": "nmea", "vessels.url": receiver.url, "map.charts": charts },
  };
  [server, browser] = await Promise.all([TestServer.start({ settings }), startBrowser(chromium)]);
  token = await server.admin();
  await fleetOf("Fresh", 0);
  await fleetOf("Old", 10 * MINUTE);
  await fleetOf("Lost", 90 * MINUTE, { heading: null });
  for (const body of zones) expectStatus(await server.post("/v1/geofences", { token, body }), 201);
  const idle = { name: "Closed", latitude: 54.13, longitude: 13.4, radius_km: 0.8 };
  const { id } = expectStatus(await server.post("/v1/geofences", { token, body: idle }), 201).body.data;
  expectStatus(await server.patch(`/v1/geofences/${id}`, { token, body: { is_active: false } }), 200);
  const body = { radius_m: 300, warning_radius_m: 200, target_ids: [] };
  expectStatus(await server.put(`/v1/devices/${ids.Old}/anchor`, { token, body }), 200);
  await receiver.connected();
  receiver.write(recorded("lauterbach-greifswald-2013-06-30"));
});
afterAll(async () => {
  if (!chromium) return;
  await Promise.all([server.stop(), browser.stop(), receiver.stop(), source.stop()]);
});

/** Waits until a layer shows this, of all that it shows. */
const shows = (page: Page, layer: string, isRight: (found: Record<string, unknown>[]) => boolean) =>
  eventually(async () => isRight(await drawn(page, layer)));

const names = (found: Record<string, unknown>[]) => new Set(found.map(({ name }) => name));

interface Camera {
  center: [number, number];
  zoom: number;
}
interface WithMap {
  stage: {
    map: {
      jumpTo: (camera: Camera) => void;
      project: (at: [number, number]) => { x: number; y: number };
      getCenter: () => { lng: number; lat: number };
      getZoom: () => number;
      getMaxZoom: () => number;
    };
  };
}

const look = (page: Page, camera: Camera) =>
  page.evaluate((to) => {
    (document.querySelector("#map") as unknown as WithMap).stage.map.jumpTo(to);
  }, camera);

const camera = (page: Page) =>
  page.evaluate(() => {
    const { map } = (document.querySelector("#map") as unknown as WithMap).stage;
    const { lng, lat } = map.getCenter();
    return { lng, lat, zoom: map.getZoom(), maxZoom: map.getMaxZoom() };
  });

/** The pixel of the map at which a place is. */
const pixelOf = (page: Page, { latitude, longitude }: typeof MIDDLE) =>
  page.evaluate(
    (at) => {
      const { x, y } = (document.querySelector("#map") as unknown as WithMap).stage.map.project(at);
      return { x, y };
    },
    [longitude, latitude] as [number, number],
  );

/** Taps on the map, at a place. */
const tap = async (page: Page, place: typeof MIDDLE): Promise<void> =>
  page.locator("#map canvas").click({ position: await pixelOf(page, place) });

const AT_FRESH = { latitude: MIDDLE.latitude, longitude: MIDDLE.longitude + 0.012 };

describe.skipIf(!chromium)("the map on a desk", () => {
  let visit: Visit;
  let page: Page;
  beforeAll(async () => {
    if (!chromium) return;
    visit = await openBridge(browser, server, ADMIN);
    ({ page } = visit);
    await page.locator(".map-tools").waitFor();
    await mapReady(page);
  });

  test("shows each device with a sign whose form tells its age and if it has a heading", async () => {
    await soon(async () => {
      const icons = new Map((await drawn(page, "fleet-signs")).map(({ name, icon }) => [name, icon]));
      expect(icons.get("Fresh")).toMatch(/^craft-\d-arrow-fresh$/);
      expect(icons.get("Old")).toMatch(/^craft-\d-arrow-old$/);
      expect(icons.get("Lost")).toMatch(/^craft-\d-disc-lost$/);
    });
  });

  test("shows today's trails as it opens, zones of all kinds, the anchor watch, vessels and the water level", async () => {
    await shows(page, "trails", (found) => found.some(({ id }) => id === ids.Fresh));
    await look(page, { center: [MIDDLE.longitude, MIDDLE.latitude], zoom: 10.5 });
    await shows(page, "zones-areas", (found) =>
      ["Harbour", "Yard", "Fairway", "Closed"].every((name) => names(found).has(name)),
    );
    await soon(async () => expect(names(await drawn(page, "zones-idle"))).toEqual(new Set(["Closed"])));
    await shows(page, "anchors-ring", (found) => found.length > 0);
    await eventually(async () => (await drawn(page, "anchors-warning")).length > 0);
    await shows(page, "water-level", (found) => found[0]?.level !== undefined);
    await look(page, { center: [13.5, 54.3], zoom: 9.2 });
    await shows(page, "vessels-signs", (found) => found.length > 0);
    await look(page, { center: [MIDDLE.longitude, MIDDLE.latitude], zoom: 11.5 });
  });

  test("leaves out the holes of a zone, and adds positions that come late to a trail", async () => {
    await look(page, { center: [IN_HOLE.longitude, IN_HOLE.latitude], zoom: 13 });
    await drawnAt(page, "zones-areas", await pixelOf(page, IN_YARD));
    const { x, y } = await pixelOf(page, IN_HOLE);
    const areas = await page.evaluate(
      ({ x, y }) => {
        const { stage } = document.querySelector("#map") as unknown as {
          stage: { map: { queryRenderedFeatures: (at: number[], of: object) => unknown[] } };
        };
        return stage.map.queryRenderedFeatures([x, y], { layers: ["zones-areas"] }).length;
      },
      { x, y },
    );
    expect(areas).toBe(0);
    // From a buffer after a dead zone: older than what its device sent since.
    const late = { ...IN_HOLE, timestamp: now() - 90, ...SPEED };
    const body = { device_id: ids.Fresh, positions: [late] };
    expectStatus(await server.post("/v1/gps/batch", { token, body }), 200);
    await drawnAt(page, "trails", await pixelOf(page, IN_HOLE));
    await look(page, { center: [MIDDLE.longitude, MIDDLE.latitude], zoom: 11.5 });
  });

  test("tells about the device that is tapped, and moves with it until it is panned", async () => {
    await drawnAt(page, "fleet-signs", await pixelOf(page, AT_FRESH));
    await tap(page, AT_FRESH);
    const card = page.locator(".map-card");
    await card.getByRole("heading", { name: "Fresh" }).waitFor();
    await card.getByText("6.5 kn").waitFor();
    await card.getByText("090°").waitFor();
    await card.getByText("±150 m").waitFor();
    await shows(page, "chosen-accuracy", (found) => found.length > 0);
    await card.getByRole("button", { name: "Follow" }).click();
    const to = { latitude: 54.11, longitude: 13.5 };
    const body = { device_id: ids.Fresh, ...to, heading: 45, ...SPEED, timestamp: now() };
    expectStatus(await server.post("/v1/gps", { token, body }), 201);
    await card.getByText("045°").waitFor();
    await eventually(async () => {
      const { lng, lat } = await camera(page);
      return Math.abs(lng - to.longitude) < 0.001 && Math.abs(lat - to.latitude) < 0.001;
    });
    // The trail has grown with it.
    await shows(page, "trail-tips", (found) => found.some(({ id }) => id === ids.Fresh));
    const follow = card.getByRole("button", { name: "Follow" });
    expect(await follow.getAttribute("aria-pressed")).toBe("true");
    await page.mouse.move(900, 500);
    await page.mouse.down();
    await page.mouse.move(700, 420, { steps: 4 });
    await page.mouse.up();
    await eventually(async () => (await follow.getAttribute("aria-pressed")) === "false");
    await expectAccessible(page);
    await page.keyboard.press("Escape");
    await card.waitFor({ state: "detached" });
  });

  test("hides what is switched off, and keeps the choice; charts with missing tiles are no error", async () => {
    await page.getByRole("button", { name: "Layers" }).click();
    const layers = page.getByRole("dialog", { name: "Layers" });
    const faults = layers.getByText("Not shown whole: its style or one of its tiles is faulty.");
    await soon(async () => expect(await faults.count()).toBe(2));
    await layers.getByLabel("Zones").uncheck();
    for (const chart of ["Harbour plan", "wrong", "garbage"]) await layers.getByLabel(chart).uncheck();
    await expectAccessible(page);
    await page.keyboard.press("Escape");
    const hasLayer = (layer: string) =>
      page.evaluate((layer) => {
        const { stage } = document.querySelector("#map") as unknown as {
          stage: { map: { getLayer: (id: string) => unknown } };
        };
        return stage.map.getLayer(layer) !== undefined;
      }, layer);
    await eventually(async () => !(await hasLayer("zones-areas")) && !(await hasLayer("harbour")));
    // Without a chart of the operator's, nothing is known nearer than this.
    await soon(async () => expect((await camera(page)).maxZoom).toBe(14));
    await page.reload();
    await page.locator(".map-tools").waitFor();
    await shows(page, "fleet-signs", (found) => names(found).size === 3);
    await mapReady(page);
    expect(await hasLayer("zones-areas")).toBe(false);
    await page.getByRole("button", { name: "Layers" }).click();
    await layers.getByLabel("Zones").check();
    await layers.getByLabel("Harbour plan").check();
    await eventually(async () => (await hasLayer("zones-areas")) && (await hasLayer("harbour")));
    await soon(async () => expect((await camera(page)).maxZoom).toBe(20));
    await page.keyboard.press("Escape");
  });

  test("counts devices that are far away together, and a tap on the number comes nearer", async () => {
    await look(page, { center: [MIDDLE.longitude, MIDDLE.latitude + 0.02], zoom: 6 });
    await shows(page, "fleet-clusters", (found) => found[0]?.point_count === 3);
    await page.getByLabel(/^Scale: \d+ nm, \d+ km$/).waitFor();
    await mapReady(page);
    await tap(page, { latitude: MIDDLE.latitude + 0.02, longitude: MIDDLE.longitude + 0.015 });
    await eventually(async () => (await camera(page)).zoom > 7);
    await page.getByRole("button", { name: "Show all devices" }).click();
    await shows(page, "fleet-signs", (found) => names(found).size === 3);
  });

  test("finds a device without the map being seen, by keyboard", async () => {
    await page.getByRole("button", { name: "Devices (3)" }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("dialog", { name: "Devices (3)" }).waitFor();
    await expectAccessible(page);
    const lost = page.getByRole("button", { name: /Lost/ });
    while (!(await lost.evaluate((element) => element === document.activeElement)))
      await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.locator(".map-card").getByRole("heading", { name: "Lost" }).waitFor();
    await soon(async () => expect(new URL(page.url()).hash).toBe(`#/map/${ids.Lost}`));
    expectQuiet(visit);
  });
});

describe.skipIf(!chromium)("the map on a phone by night", () => {
  test("shows the level near by with a small graph of its last days", async () => {
    const visit = await openBridge(browser, server, ADMIN, { size: PHONE, look: "night" });
    const { page } = visit;
    await mapReady(page);
    await look(page, { center: [WIECK.longitude, WIECK.latitude], zoom: 13 });
    await drawnAt(page, "water-level", await pixelOf(page, WIECK));
    await tap(page, WIECK);
    const card = page.locator(".map-card", { hasText: "WIECK" });
    await card.getByRole("figure", { name: "3 days: 90 to 97 cm, change +5 cm" }).waitFor();
    await expectAccessible(page);
    expectQuiet(visit);
  });

  test("shows a vessel's details, and stays red", async () => {
    const visit = await openBridge(browser, server, ADMIN, {
      ...{ size: PHONE, look: "night", language: "de", at: `/map/${ids.Fresh}` },
    });
    const { page } = visit;
    const card = page.locator(".map-card");
    await card.getByRole("heading", { name: "Fresh" }).waitFor();
    await mapReady(page);
    await expectAccessible(page);
    await card.getByRole("button", { name: "Schließen" }).click();
    await card.waitFor({ state: "detached" });
    await look(page, { center: [13.5, 54.3], zoom: 9.2 });
    await shows(page, "vessels-signs", (found) => found.length > 0);
    const place = await page.evaluate(() => {
      const { map } = (
        document.querySelector("#map") as unknown as {
          stage: {
            map: {
              queryRenderedFeatures: (of: object) => { geometry: { coordinates: [number, number] } }[];
            };
          };
        }
      ).stage;
      return map.queryRenderedFeatures({ layers: ["vessels-signs"] })[0]?.geometry.coordinates;
    });
    const [longitude, latitude] = place as [number, number];
    await look(page, { center: [longitude, latitude], zoom: 12 });
    await drawnAt(page, "vessels-signs", await pixelOf(page, { latitude, longitude }));
    await tap(page, { latitude, longitude });
    await card.getByText("MMSI").waitFor();
    await expectAccessible(page);
    expectQuiet(visit);
  });
});

describe.skipIf(!chromium)("a map of nothing", () => {
  test("says what to do next", async () => {
    const empty = await TestServer.start();
    try {
      const visit = await openBridge(browser, empty, ADMIN, { size: PHONE });
      await visit.page.getByText("No devices yet").waitFor();
      await visit.page.locator(".map-card").getByRole("link", { name: "Add a device" }).waitFor();
      await mapReady(visit.page);
      await expectAccessible(visit.page);
      expectQuiet(visit);
    } finally {
      await empty.stop();
    }
  });
});
