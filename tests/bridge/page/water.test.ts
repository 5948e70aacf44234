import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { navStatusLabel, shipTypeLabel } from "../../../src/operations/vessels/labels";
import { AisReceiver, recorded } from "../../stand-ins/ais-receiver";
import { measured, PegelonlineStandIn, type PegelStation, station } from "../../stand-ins/pegelonline";
import { type Browser, chromium, startBrowser } from "../../support/browser";
import { expectStatus, soon } from "../../support/expectations";
import { ADMIN, TestServer } from "../../support/server";
import { DAY } from "../../support/time";
import { DESKTOP, expectAccessible, expectQuiet, gone, openBridge, PHONE, WALK } from "./support";

/** Water levels, vessels and statistics on the page, with something to show, in each unit and language. */

setDefaultTimeout(WALK);

const LEGS = 60;
/** Seconds. */
const MINUTE = 60;

let server: TestServer;
let browser: Browser;
let receiver: AisReceiver;
let source: PegelonlineStandIn;
let deviceId: string;

const level = (longname: string, water: string, value: number, fields: object = {}) =>
  station({ longname, water: { shortname: water, longname: water }, ...fields }, { current: { value } });

beforeAll(async () => {
  if (!chromium) return;
  [receiver, source] = await Promise.all([AisReceiver.start(), PegelonlineStandIn.start()]);
  const [wieck, jarmen] = [level("WIECK", "RYCK", 512), level("JARMEN", "PEENE", 487)];
  source.stations = [wieck, jarmen];
  // Three days at Wieck, which rises, and falls half as far; none of Jarmen. An hour more, since quarters go by meanwhile.
  const quarters = Array.from({ length: 292 }, (_, at) => (at < 196 ? Math.max(400, 396 + at) : 691 - at));
  source.measurements.set(wieck.uuid, measured(quarters, new Date().toISOString()));
  const settings = { ...source.settings(), "vessels.source": "nmea", "vessels.url": receiver.url };
  [server, browser] = await Promise.all([TestServer.start({ settings }), startBrowser(chromium)]);
  const token = await server.admin();
  const made = await server.post("/v1/devices", { token, body: { name: "Greif" } });
  deviceId = expectStatus(made, 201).body.data.id;
  // A voyage of the last hour would be one of two days soon after midnight.
  const begun = Date.parse(`${dateBefore(1)}T10:00:00Z`) / 1_000;
  // A thousandth of a degree to the north is 111 m: six knots.
  const positions = Array.from({ length: LEGS + 1 }, (_, at) => ({
    ...{ latitude: 54.1 + at * 0.001_667, longitude: 13.46, timestamp: begun + at * MINUTE },
    ...{ speed_kmh: 11.1, speed_mps: 3.09, speed_mph: 6.9, speed_knots: 6 },
  }));
  const body = { device_id: deviceId, positions };
  expectStatus(await server.post("/v1/gps/batch", { token, body }), 200);
  await receiver.connected();
  receiver.write(recorded("lauterbach-greifswald-2013-06-30"));
});
afterAll(async () => {
  if (!chromium) return;
  await Promise.all([server.stop(), browser.stop(), receiver.stop(), source.stop()]);
});

/** A date so many days ago. */
const dateBefore = (days: number): string => new Date(Date.now() - days * DAY).toISOString().slice(0, 10);

const CODES = Array.from({ length: 99 }, (_, at) => at + 1);

describe.skipIf(!chromium)("water and vessels", () => {
  test("are lists: levels by the name of their water, vessels by what they are and do", async () => {
    const visit = await openBridge(browser, server, ADMIN, { size: PHONE, at: "/water" });
    const { page } = visit;
    await page.getByText("512 cm").waitFor();
    const row = page.getByRole("listitem").filter({ hasText: "WIECK" });
    const graph = row.getByRole("figure", { name: "3 days: 400 to 591 cm" });
    await graph.getByText("3 days: 400 to 591 cm").waitFor();
    // One area, on no more of the page than the phone has.
    expect(await graph.locator("path").getAttribute("d")).toMatch(/^M[^M]*Z$/);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(PHONE.width);
    const other = page.getByRole("listitem").filter({ hasText: "JARMEN" });
    await other.getByText("No past levels are known yet.").waitFor();
    await expectAccessible(page);
    await page.getByLabel(/^Water, such as/).fill("peene");
    await gone(page.getByText("512 cm"));
    await page.getByText("487 cm").waitFor();
    await page.getByText("JARMEN").waitFor();
    await page.getByLabel(/^Water, such as/).fill("nowhere");
    await page.getByText("No station is known there.").waitFor();
    const vessels = page.locator(".section", { hasText: "Vessels nearby" }).locator(".row");
    await vessels.first().waitFor();
    await vessels.filter({ hasText: "MMSI" }).filter({ hasText: "kn" }).first().waitFor();
    await expectAccessible(page);
    expectQuiet(visit);
  });

  test("have their graphs beside a station that can't be asked about, and again after the connection was lost", async () => {
    const { stations } = source;
    source.stations = [...(stations as PegelStation[]), level("ODD", "RYCK", 1, { uuid: "a,b" })];
    const visit = await openBridge(browser, server, ADMIN, { at: "/devices", size: PHONE });
    const { page } = visit;
    const isCut = (url: URL) => url.pathname.startsWith("/v1/pegel/");
    await page.route(isCut, (route) => route.abort());
    await page.evaluate(() => {
      location.hash = "#/water";
    });
    await page.getByRole("button", { name: "Try again" }).waitFor();
    await page.unroute(isCut);
    // By itself.
    await page.getByText("512 cm").waitFor();
    await page.getByText("ODD").waitFor();
    await page.getByRole("figure", { name: "3 days: 400 to 591 cm" }).waitFor();
    await gone(page.getByRole("button", { name: "Try again" }));
    await visit.page.close();
    source.stations = stations;
  });

  test("are told in German, in whole", async () => {
    const visit = await openBridge(browser, server, ADMIN, { at: "/water", language: "de", look: "night" });
    const { page } = visit;
    const vessels = page.locator(".section", { hasText: "Schiffe in der Nähe" }).locator(".row");
    await vessels.first().waitFor();
    const said = (await vessels.locator(".hint").allTextContents()).join("\n");
    const graph = page.getByRole("figure", { name: /^3 Tage: 400 bis 591 cm, Änderung [-+]?\d+ cm$/ });
    await graph.waitFor();
    const english = [...CODES.map(shipTypeLabel), ...CODES.map(navStatusLabel), shipTypeLabel(null)];
    for (const label of new Set(english)) if (label !== "Tanker") expect(said).not.toContain(`${label} ·`);
    expectQuiet(visit);
  });
});

describe.skipIf(!chromium)("statistics", () => {
  test("add up each device over a span, with a small graph, in the units of the reader", async () => {
    const visit = await openBridge(browser, server, ADMIN, { size: DESKTOP, at: "/figures" });
    const { page } = visit;
    const row = page.getByRole("row").filter({ hasText: "Greif" });
    await row.getByText("6.0 nm").waitFor();
    await row.getByText("6.0 kn").first().waitFor();
    const graph = page.getByRole("figure", { name: "Greif, distance by period" });
    await graph.waitFor();
    await soon(async () => expect(await graph.getByRole("listitem").count()).toBeGreaterThan(0));
    await page.getByLabel("By", { exact: true }).selectOption("month");
    // A short February lies between two months.
    await soon(async () => expect(await graph.getByRole("listitem").count()).toBeLessThanOrEqual(3));
    // A span before the first position has nothing to count.
    await page.getByLabel("From").fill(dateBefore(60));
    await page.getByLabel("To").fill(dateBefore(50));
    await gone(row.getByText("6.0 nm"));
    await expectAccessible(page);

    await page.evaluate(() => {
      location.hash = "#/me";
    });
    await page.getByLabel("Distances in").selectOption("km");
    await page.getByLabel("Speeds in").selectOption("kmh");
    await page.evaluate(() => {
      location.hash = "#/figures";
    });
    await row.getByText("11.1 km").first().waitFor();
    await row.getByText("11 km/h").first().waitFor();
    await page.evaluate((id) => {
      location.hash = `#/day/${id}`;
    }, deviceId);
    await page.getByText("11.1 km", { exact: true }).first().waitFor();
    expect(await page.locator("main").textContent()).not.toMatch(/\d (nm|kn)\b/);
    expectQuiet(visit);
  });

  test("keep to the days that are counted at once, and say so", async () => {
    const at = `/figures?from=${dateBefore(1_000)}&to=${dateBefore(0)}&by=month`;
    const visit = await openBridge(browser, server, ADMIN, { at });
    const { page } = visit;
    await page.getByText("Shown are the last 400 days of this time").waitFor();
    await page.getByRole("rowheader", { name: "Greif" }).waitFor();
    // The dates stay as they were typed.
    expect(await page.getByLabel("From").inputValue()).toBe(dateBefore(1_000));
    await expectAccessible(page);
    await page.getByLabel("From").fill(dateBefore(399));
    await gone(page.getByText("Shown are the last 400 days"));
    await page.getByRole("rowheader", { name: "Greif" }).waitFor();
    await page.getByText("Distance of completed trips").waitFor();
    expectQuiet(visit);
  });
});
