import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Page } from "playwright-core";
import { type Browser, chromium, startBrowser } from "../../support/browser";
import { eventually, expectStatus, soon } from "../../support/expectations";
import { ADMIN, TestServer } from "../../support/server";
import {
  DESKTOP,
  doubleClick,
  drawn,
  expectAccessible,
  expectQuiet,
  mapReady,
  openBridge,
  PHONE,
  WALK,
} from "./support";

/** Zones on the page: drawn on the map, changed by numbers, and who is inside. */

setDefaultTimeout(WALK);

let server: TestServer;
let browser: Browser;
let token: string;
let deviceId: string;

beforeAll(async () => {
  if (!chromium) return;
  [server, browser] = await Promise.all([TestServer.start(), startBrowser(chromium)]);
  token = await server.admin();
  deviceId = expectStatus(await server.post("/v1/devices", { token, body: { name: "Greif" } }), 201).body.data
    .id;
});
afterAll(async () => {
  if (!chromium) return;
  await Promise.all([server.stop(), browser.stop()]);
});

const SPEED = { speed_kmh: 9, speed_mps: 2.5, speed_mph: 5.6, speed_knots: 4.9 };
const newest = () => Math.floor(Date.now() / 1_000);

async function report(latitude: number, longitude: number, timestamp = newest()): Promise<void> {
  const body = { ...SPEED, device_id: deviceId, latitude, longitude, timestamp };
  expectStatus(await server.post("/v1/gps", { token, body }), 201);
}

type Place = readonly [longitude: number, latitude: number];

interface WithMap {
  stage: {
    map: {
      jumpTo: (to: { center: Place; zoom: number }) => void;
      getLayer: (id: string) => unknown;
      project: (at: Place) => { x: number; y: number };
    };
  };
}

const look = (page: Page, center: Place, zoom: number) =>
  page.evaluate(
    (to) => {
      (document.querySelector("#map") as unknown as WithMap).stage.map.jumpTo(to);
    },
    { center, zoom },
  );

/** The handles that the map shows, once something is being drawn. */
async function handles(page: Page): Promise<Record<string, unknown>[]> {
  const isDrawn = await page.evaluate(
    () =>
      (document.querySelector("#map") as unknown as WithMap).stage.map.getLayer("drawing-signs") !==
      undefined,
  );
  return isDrawn ? drawn(page, "drawing-signs") : [];
}

/** The point of the window at which a place is shown. */
async function pointOf(page: Page, at: Place): Promise<{ x: number; y: number }> {
  const { x, y } = await page.evaluate((at) => {
    const { x, y } = (document.querySelector("#map") as unknown as WithMap).stage.map.project(at);
    return { x, y };
  }, at);
  const box = await page.locator("#map canvas").boundingBox();
  return { x: x + (box?.x ?? 0), y: y + (box?.y ?? 0) };
}

async function tap(page: Page, at: Place): Promise<void> {
  const { x, y } = await pointOf(page, at);
  await page.mouse.click(x, y);
}

async function drag(page: Page, from: Place, to: Place): Promise<void> {
  const [begin, end] = [await pointOf(page, from), await pointOf(page, to)];
  await page.mouse.move(begin.x, begin.y);
  await page.mouse.down();
  await page.mouse.move(end.x, end.y, { steps: 4 });
  await page.mouse.up();
}

async function dragByFinger(page: Page, from: Place, to: Place): Promise<void> {
  const [begin, end] = [await pointOf(page, from), await pointOf(page, to)];
  const session = await page.context().newCDPSession(page);
  const touch = (type: "touchStart" | "touchMove" | "touchEnd", points: { x: number; y: number }[]) =>
    session.send("Input.dispatchTouchEvent", { type, touchPoints: points });
  const middle = { x: (begin.x + end.x) / 2, y: (begin.y + end.y) / 2 };
  await touch("touchStart", [begin]);
  for (const point of [middle, end]) await touch("touchMove", [point]);
  await touch("touchEnd", []);
}

/** Kilometres of a degree of longitude at 54.3° north. */
const KM_PER_DEGREE = 64.89;

const CORNERS: readonly Place[] = [
  [13.4, 54.08],
  [13.5, 54.08],
  [13.45, 54.14],
];

describe.skipIf(!chromium)("a skipper at a desk", () => {
  test("draws an area on the map, and is told when the boat is in it", async () => {
    const visit = await openBridge(browser, server, ADMIN, { size: DESKTOP, at: "/zones" });
    const { page } = visit;
    await page.getByText("No zones yet").waitFor();
    await page.getByRole("link", { name: "Draw a zone" }).click();
    await page.locator(".map-tools").waitFor();
    await look(page, [13.45, 54.1], 10.5);
    await mapReady(page);
    for (const corner of CORNERS) await tap(page, corner);
    const latitudes = page.getByLabel(/^Latitude of corner/);
    await eventually(async () => (await latitudes.count()) === 3);
    await soon(async () => expect(Number(await latitudes.nth(2).inputValue())).toBeCloseTo(54.14, 2));

    // A middle becomes a corner; taking it back is one step.
    await drag(page, [13.45, 54.08], [13.45, 54.05]);
    await eventually(async () => (await latitudes.count()) === 4);
    await page.getByRole("button", { name: "Undo" }).click();
    await eventually(async () => (await latitudes.count()) === 3);
    // A corner that is tapped twice goes; so does a chosen one by its button.
    await tap(page, [13.42, 54.05]);
    await eventually(async () => (await latitudes.count()) === 4);
    await doubleClick(page, await pointOf(page, [13.42, 54.05]));
    await eventually(async () => (await latitudes.count()) === 3);

    // A corner that the server refuses is marked where it is wrong, and nothing is lost.
    await page.getByLabel("Name").fill("Harbour");
    await tap(page, [13.45, 54.05]);
    await eventually(async () => (await latitudes.count()) === 4);
    await page.getByLabel("Latitude of corner 3").fill("54.02");
    await page.getByLabel("Longitude of corner 3").fill("13.4");
    await page.getByLabel("Latitude of corner 4").fill("54.14");
    await page.getByLabel("Longitude of corner 4").fill("13.48");
    await page.getByRole("button", { name: "Save" }).click();
    await page
      .getByRole("alert")
      .getByText(/crosses another edge/)
      .waitFor();
    // A browser reports each refusal.
    await eventually(() => visit.errors.length > 0);
    expect(visit.errors.splice(0)).toEqual([expect.stringMatching(/400 .*\/v1\/geofences$/)]);
    await soon(async () => expect(await page.locator(".corners [aria-invalid]").count()).toBe(2));
    await eventually(async () => (await handles(page)).some(({ state }) => state === "fault"));
    await expectAccessible(page);
    for (let step = 0; step < 5; step++) await page.getByRole("button", { name: "Undo" }).click();
    await eventually(async () => (await latitudes.count()) === 3);
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("heading", { name: "Harbour" }).waitFor();
    await page.getByText("No device is inside.").waitFor();

    const [zone] = (await server.get("/v1/geofences", { token })).body.data;
    expect(zone).toMatchObject({ name: "Harbour", kind: "polygon" });
    expect(zone.geometry.coordinates[0]).toHaveLength(4);
    for (const [at, [longitude, latitude]] of CORNERS.entries()) {
      expect(zone.geometry.coordinates[0][at][0]).toBeCloseTo(longitude, 2);
      expect(zone.geometry.coordinates[0][at][1]).toBeCloseTo(latitude, 2);
    }
    const condition = { type: "zone", event: "enter", geofence_ids: [zone.id] };
    const rule = { name: "Home", severity: "alarm", condition, target_ids: [] };
    expectStatus(await server.post("/v1/alert-rules", { token, body: rule }), 201);
    await report(54, 13.3);
    // After the second in which the zone began to watch.
    await report(54.1, 13.45, newest() + 1);
    await page.getByRole("link", { name: "Greif" }).first().waitFor();
    await page.getByText("still here").waitFor();
    await page.getByText(/^entered/).waitFor();
    await eventually(async () =>
      (await server.get("/v1/alerts", { token })).body.data.some(
        ({ rule_name }: { rule_name: string }) => rule_name === "Home",
      ),
    );
    await expectAccessible(page);
    await page.getByRole("link", { name: "Back" }).click();
    await page.getByText("Area · inside: Greif").waitFor();
    await page.getByRole("link", { name: "Devices" }).click();
    await page.getByText(/in Harbour/).waitFor();
    expectQuiet(visit);
  });
});

describe.skipIf(!chromium)("a skipper with a phone, by night", () => {
  test("sets a circle up by numbers, changes it, switches it off and deletes it", async () => {
    const visit = await openBridge(browser, server, ADMIN, {
      ...{ size: PHONE, look: "night", language: "de", at: "/zones/new" },
    });
    const { page } = visit;
    await page.getByLabel("Form", { exact: true }).selectOption("circle");
    await page.getByLabel("Name").fill("Ankerplatz");
    await page.getByLabel("Breite", { exact: true }).fill("54.3");
    await page.getByLabel("Länge", { exact: true }).fill("13.2");
    await page.getByLabel("Radius (Meter)").fill("400");
    await page.locator("details.more > summary").click();
    await page.getByLabel("Positionen in Folge").fill("2");
    await page.locator(".map-tools").waitFor();
    await look(page, [13.2, 54.3], 12);
    await eventually(async () => (await handles(page)).some(({ role }) => role === "centre"));
    await expectAccessible(page);
    await page.getByRole("button", { name: "Speichern" }).click();
    await page.getByRole("heading", { name: "Ankerplatz" }).waitFor();
    await page.getByText("400 m").waitFor();
    const all = (await server.get("/v1/geofences", { token })).body.data;
    const zone = all.find(({ name }: { name: string }) => name === "Ankerplatz");
    expect(zone).toMatchObject({
      ...{ kind: "circle", latitude: 54.3, longitude: 13.2, radius_km: 0.4, confirm_fixes: 2 },
    });

    // A finger draws the radius; that is taken back.
    await page.getByRole("link", { name: "Ändern" }).click();
    const radius = page.getByLabel("Radius (Meter)");
    await eventually(async () => (await handles(page)).some(({ role }) => role === "radius"));
    await mapReady(page);
    await dragByFinger(page, [13.2 + 0.4 / KM_PER_DEGREE, 54.3], [13.2 + 0.25 / KM_PER_DEGREE, 54.3]);
    await eventually(async () => Math.abs(Number(await radius.inputValue()) - 250) < 15);
    await page.getByRole("button", { name: "Rückgängig" }).click();
    await eventually(async () => (await radius.inputValue()) === "400");

    // By numbers it becomes a corridor.
    await page.getByLabel("Form", { exact: true }).selectOption("corridor");
    for (const [latitude, longitude] of [
      ["54.3", "13.2"],
      ["54.35", "13.3"],
    ] as const) {
      await page.getByLabel("Breite", { exact: true }).fill(latitude);
      await page.getByLabel("Länge", { exact: true }).fill(longitude);
      await page.getByRole("button", { name: "Ecke hinzufügen" }).click();
    }
    await page.getByLabel("Breite nach jeder Seite (Meter)").fill("120");
    await expectAccessible(page);
    await page.getByRole("button", { name: "Speichern" }).click();
    await page.getByText("120 m").waitFor();
    const path = `/v1/geofences/${zone.id}`;
    const changed = (await server.get(path, { token })).body.data;
    expect(changed).toMatchObject({ kind: "corridor", width_m: 120, confirm_fixes: 2 });
    expect(changed.geometry.coordinates).toEqual([
      [13.2, 54.3],
      [13.3, 54.35],
    ]);

    await page.getByRole("button", { name: "Abschalten" }).click();
    await page.getByText(/^Abgeschaltet:/).waitFor();
    expect((await server.get(path, { token })).body.data.is_active).toBe(false);
    await expectAccessible(page);
    await page.getByRole("button", { name: "Zone löschen" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Löschen" }).click();
    await page.getByRole("heading", { name: "Zonen" }).waitFor();
    expectStatus(await server.get(path, { token }), 404);
    expectQuiet(visit);
  });
});
