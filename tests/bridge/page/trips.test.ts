import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { type Browser, chromium, startBrowser } from "../../support/browser";
import { eventually } from "../../support/expectations";
import { ADMIN, TestServer } from "../../support/server";
import { drawn, expectAccessible, expectQuiet, mapReady, openBridge, PHONE, TABLET, WALK } from "./support";

/** Trips on the page, from their begin to the signed log. */

setDefaultTimeout(WALK);

let server: TestServer;
let browser: Browser;
let deviceId: string;

beforeAll(async () => {
  if (!chromium) return;
  [server, browser] = await Promise.all([TestServer.start(), startBrowser(chromium)]);
  const token = await server.admin();
  deviceId = (await server.post("/v1/devices", { token, body: { name: "Greif" } })).body.data.id;
});
afterAll(async () => {
  if (!chromium) return;
  await Promise.all([server.stop(), browser.stop()]);
});

/** Sails north-east from Lauterbach, a position a minute. */
async function sail(minutes: number): Promise<void> {
  const token = await server.admin();
  const begun = Math.floor(Date.now() / 1_000) - 60 * minutes;
  for (let minute = 0; minute < minutes; minute++) {
    const speeds = { speed_kmh: 18, speed_mps: 5, speed_mph: 11.2, speed_knots: 9.7 };
    const place = { latitude: 54.3 + minute * 0.002, longitude: 13.5 + minute * 0.002 };
    const body = { ...speeds, ...place, timestamp: begun + 60 * minute, device_id: deviceId };
    expect((await server.post("/v1/gps", { token, body })).status).toBe(201);
  }
}

describe.skipIf(!chromium)("a skipper's trip", () => {
  test("is begun, sailed, completed, and keeps its track", async () => {
    const visit = await openBridge(browser, server, ADMIN, { size: TABLET, at: "/trips" });
    const { page } = visit;
    await page.getByText("No trips yet").waitFor();
    await expectAccessible(page);
    await page.getByRole("link", { name: "Begin a trip" }).click();
    await page.getByLabel("Name").fill("To Greifswald");
    await page.getByRole("button", { name: "Begin" }).click();
    await page.getByRole("heading", { name: "To Greifswald" }).waitFor();
    await page.getByText("No position has joined this trip yet.").waitFor();
    await sail(20);
    // Each change is told, and drawn.
    await page
      .getByText(/2\.\d nm/)
      .first()
      .waitFor();
    await mapReady(page);
    // The map draws a moment after it has the track.
    await eventually(async () => (await drawn(page, "trip-line")).length > 0);
    await expectAccessible(page);

    await page.getByRole("button", { name: "Complete" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Complete" }).click();
    await page.getByText("completed", { exact: true }).waitFor();
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "GPX" }).click();
    expect((await download).suggestedFilename()).toEndWith(".gpx");
    await page.getByRole("link", { name: "Replay" }).click();
    await page.getByRole("button", { name: "Show the whole day" }).waitFor();
    await page.getByRole("heading", { name: "Moves and stops" }).waitFor();
    await page.getByRole("button", { name: "Play", exact: true }).click();
    await page.getByRole("button", { name: "Pause" }).click();
    expectQuiet(visit);
  });

  test("has a log, in which nothing is lost", async () => {
    const visit = await openBridge(browser, server, ADMIN, { size: PHONE, at: "/trips" });
    const { page } = visit;
    await page.getByRole("link", { name: /To Greifswald/ }).click();
    await page.getByRole("link", { name: "Log" }).click();
    await page.getByRole("button", { name: "Write an entry" }).click();
    await page.getByLabel("About").selectOption("weather");
    await page.getByLabel("Text").fill("Wind from the west, rain later");
    await page.getByLabel("Wind (Bft)").fill("5");
    await page.getByRole("button", { name: "Write an entry" }).click();
    await page.getByText("Wind from the west, rain later · 5 Bft").waitFor();
    await expectAccessible(page);
    await page.getByRole("button", { name: /^Strike out: Wind/ }).click();
    await page.getByLabel("Reason").fill("It was south-west");
    await page.getByRole("dialog").getByRole("button", { name: "Strike out" }).click();
    await page.getByText("Struck out: It was south-west").waitFor();
    await page.getByRole("button", { name: "Check the chain" }).click();
    await page.getByText(/^Whole: \d+ entries/).waitFor();
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "PDF" }).click();
    expect((await download).suggestedFilename()).toEndWith(".pdf");
    expectQuiet(visit);
  });
});
