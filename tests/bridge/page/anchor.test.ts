import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Page } from "playwright-core";
import { alertsOf, type Sender, send } from "../../alerts/support";
import { newWebhook } from "../../alerts/targets/support";
import { WebhookStandIn } from "../../stand-ins/webhook";
import { type Browser, chromium, startBrowser } from "../../support/browser";
import { done, eventually, soon } from "../../support/expectations";
import { newUser } from "../../support/people";
import { ADMIN, TestServer } from "../../support/server";
import { SECOND } from "../../support/time";
import { share } from "../../tracking/shares/support";
import { fix, northOf, type Place } from "../../tracking/support";
import {
  countSounds,
  DESKTOP,
  drawnAt,
  expectAccessible,
  expectQuiet,
  gone,
  mapReady,
  openBridge,
  PHONE,
  sounds,
  WALK,
} from "./support";

/** The anchor watch on the page, with its alarm. */

setDefaultTimeout(WALK);

const ANCHOR = { latitude: fix().latitude, longitude: fix().longitude };

let server: TestServer;
let browser: Browser;
let hook: WebhookStandIn;

beforeAll(async () => {
  if (!chromium) return;
  hook = new WebhookStandIn();
  [server, browser] = await Promise.all([
    TestServer.start({ clock: "movable", settings: { "notifications.allowed_hosts": "127.0.0.1" } }),
    startBrowser(chromium),
  ]);
});
afterAll(async () => {
  if (!chromium) return;
  await Promise.all([server.stop(), browser.stop(), hook.stop()]);
});

/** Sends a position at a distance north of the anchor, a second after the one before. */
async function swing(device: Sender, metres: number): Promise<void> {
  await server.advance(SECOND);
  await send(server, device, northOf(ANCHOR, metres / 1_000));
}

const watchOf = async ({ id }: { id: string }) =>
  done(await server.get(`/v1/devices/${id}/anchor`, { token: await server.admin() })).data;

const state = (page: Page) => page.getByRole("region", { name: "Anchor watch" });
const bar = (page: Page) => page.getByRole("region", { name: "Open alerts" });

/** The pixel of a place on the map, once it is shown at rest and near. */
async function pixelOf(page: Page, { latitude, longitude }: Place): Promise<{ x: number; y: number }> {
  await mapReady(page);
  await page.waitForFunction(() => {
    const { stage } = document.querySelector("#map") as unknown as {
      stage: { map: { getZoom: () => number; isMoving: () => boolean } };
    };
    return stage.map.getZoom() > 15 && !stage.map.isMoving();
  });
  return page.evaluate(
    ([lng, lat]) => {
      const { stage } = document.querySelector("#map") as unknown as {
        stage: { map: { project: (at: [number, number]) => { x: number; y: number } } };
      };
      const { x, y } = stage.map.project([lng as number, lat as number]);
      return { x, y };
    },
    [longitude, latitude],
  );
}

describe.skipIf(!chromium)("an anchor watch", () => {
  test("is set where the boat is, tells how it holds, alarms as it drags, and ends when the anchor is up", async () => {
    const boat = await server.device("Vilm");
    await newWebhook(server, hook.url, { name: "Crew", is_default: true });
    await swing(boat, 0);
    const visit = await openBridge(browser, server, ADMIN, { at: "/anchor", size: PHONE });
    const { page } = visit;
    // There is one boat alone: it is not asked for.
    await page.getByRole("heading", { name: "Anchor watch: Vilm" }).waitFor();
    await page.getByLabel("Radius (m)").fill("50");
    await page.locator("summary", { hasText: "More" }).click();
    await page.getByLabel("Warn from (m)").fill("40");
    await page.getByRole("button", { name: "Drop the anchor" }).click();
    await state(page).getByText("Holding").waitFor();
    expect(await watchOf(boat)).toMatchObject({ radius_m: 50, warning_radius_m: 40, silence_seconds: 120 });
    await swing(boat, 20);
    await state(page).getByText("20 m", { exact: true }).waitFor();

    await countSounds(page);
    await page.getByRole("button", { name: "Test the alarm" }).click();
    await page.getByText("Crew").waitFor();
    await page.getByText("Arrived").waitFor();
    expect(hook.bodies.map(({ type }) => type)).toEqual(["alert.test"]);
    // The siren is tried too, for a moment.
    await eventually(async () => (await sounds(page)).stopped > 0);

    await countSounds(page);
    for (const metres of [60, 70]) await swing(boat, metres);
    await state(page).getByText("Dragging", { exact: true }).waitFor();
    await state(page).getByText("from the anchor, beyond 50 m").waitFor();
    await bar(page).getByText("The anchor of Vilm drags: it is 70 m away").waitFor();
    await eventually(async () => (await sounds(page)).started > 0);
    await expectAccessible(page);
    await bar(page).getByRole("button", { name: "Acknowledge" }).click();
    await bar(page).getByRole("button", { name: "Acknowledge" }).click();
    await bar(page).waitFor({ state: "detached" });
    await eventually(async () => (await sounds(page)).stopped > 0);
    expect((await alertsOf(server)).at(-1)).toMatchObject({ status: "acknowledged", subject: "dragging" });

    await page.getByRole("button", { name: "Raise the anchor" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Raise the anchor" }).click();
    await page.getByRole("button", { name: "Drop the anchor" }).waitFor();
    const gone = await server.get(`/v1/devices/${boat.id}/anchor`, { token: await server.admin() });
    // A browser would report the 404 as an error: the page doesn't ask like this.
    expect(gone.status).toBe(404);
    expectQuiet(visit);
  });

  test("is resized by its handle, and moved by a tap on the map; silence is an alarm of its own", async () => {
    const boat = await server.device("Kormoran");
    await swing(boat, 0);
    const visit = await openBridge(browser, server, ADMIN, { at: `/anchor/${boat.id}`, size: DESKTOP });
    const { page } = visit;
    const radius = page.getByLabel("Radius (m)");
    await radius.fill("40");
    await page.getByLabel("Where is the anchor?").selectOption("map");
    const center = await pixelOf(page, ANCHOR);
    const metre = center.y - (await pixelOf(page, northOf(ANCHOR, 0.001))).y;
    await drawnAt(page, "anchor-edit-handle", { x: center.x + metre * 40, y: center.y });
    const box = await page.locator("#map").boundingBox();
    const anchor = { x: center.x + (box?.x ?? 0), y: center.y + (box?.y ?? 0) };
    await page.mouse.move(anchor.x + metre * 40, anchor.y);
    await page.mouse.down();
    await page.mouse.move(anchor.x + metre * 50, anchor.y, { steps: 3 });
    await page.mouse.move(anchor.x + metre * 60, anchor.y, { steps: 3 });
    await page.mouse.up();
    await soon(async () => expect(Math.abs(Number(await radius.inputValue()) - 60)).toBeLessThanOrEqual(2));
    await page.mouse.click(anchor.x, anchor.y - metre * 25);
    await eventually(async () => {
      const latitude = Number(await page.getByLabel("Latitude").inputValue());
      return Math.abs(latitude - northOf(ANCHOR, 0.025).latitude) < 0.000_03;
    });
    await expectAccessible(page);
    await page.getByRole("button", { name: "Drop the anchor" }).click();
    await state(page).getByText("Holding").waitFor();
    const watch = await watchOf(boat);
    expect(Math.abs(watch.radius_m - 60)).toBeLessThanOrEqual(2);
    expect(Math.abs(watch.distance_m - 25)).toBeLessThanOrEqual(3);

    await page.getByRole("button", { name: "Move or resize" }).click();
    await page.getByLabel("Where is the anchor?").selectOption("bearing");
    await page.getByLabel("Direction (°)").fill("180");
    await page.getByLabel("Distance (m)").fill("30");
    await radius.fill("55");
    await page.getByRole("button", { name: "Save" }).click();
    await state(page).getByText("30 m", { exact: true }).waitFor();
    expect(await watchOf(boat)).toMatchObject({ radius_m: 55, distance_m: 30, bearing_deg: 180 });

    await server.advance(120 * SECOND);
    await state(page).getByText("Silent", { exact: true }).waitFor();
    await bar(page).getByText("Anchor watch of Kormoran: no position for 2 min").waitFor();
    await swing(boat, 0);
    await state(page).getByText("Holding").waitFor();
    await bar(page).waitFor({ state: "detached" });
    expectQuiet(visit);
  });

  test("is set by whoever manages the boat by a share: they see and hear it, and no alerts", async () => {
    const [boat, user] = [await server.device("Seeadler"), await newUser(server)];
    await share(server, boat.id, user.id, "manage");
    await swing(boat, 0);
    const visit = await openBridge(browser, server, user, { at: "/anchor", size: PHONE });
    const { page } = visit;
    await page.locator("summary", { hasText: "More" }).click();
    await page.getByLabel("Warn from (m)").waitFor();
    await gone(page.getByLabel("Who is told?"));
    await page.getByRole("button", { name: "Drop the anchor" }).click();
    await state(page).getByText("Holding").waitFor();
    await countSounds(page);
    for (const metres of [60, 70]) await swing(boat, metres);
    await bar(page).getByRole("link", { name: "The anchor of Seeadler drags" }).waitFor();
    await eventually(async () => (await sounds(page)).started > 0);
    await bar(page).getByRole("button", { name: "Mute" }).click();
    await gone(bar(page).getByRole("button", { name: "Acknowledge" }));
    await eventually(async () => (await sounds(page)).stopped > 0);
    expectQuiet(visit);
  });
});
