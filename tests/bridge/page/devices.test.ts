import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { type Browser, chromium, startBrowser } from "../../support/browser";
import { newUser } from "../../support/people";
import { ADMIN, TestServer } from "../../support/server";
import { DESKTOP, expectAccessible, expectQuiet, gone, mapReady, openBridge, PHONE, WALK } from "./support";

/** Devices on the page, from the first one to its first position. */

setDefaultTimeout(WALK);

let server: TestServer;
let browser: Browser;

beforeAll(async () => {
  if (!chromium) return;
  [server, browser] = await Promise.all([TestServer.start(), startBrowser(chromium)]);
});
afterAll(async () => {
  if (!chromium) return;
  await Promise.all([server.stop(), browser.stop()]);
});

const position = (latitude: number, longitude: number, secondsAgo = 0) => ({
  latitude,
  longitude,
  timestamp: Math.floor(Date.now() / 1_000) - secondsAgo,
});

describe.skipIf(!chromium)("a skipper with a phone", () => {
  test("adds the first device, connects an app by its code, and sees it report", async () => {
    const visit = await openBridge(browser, server, ADMIN, { size: PHONE, at: "/devices" });
    const { page } = visit;
    await page.getByText("No devices yet").waitFor();
    await expectAccessible(page);
    await page.getByRole("link", { name: "Add a device" }).click();
    await page.getByLabel("Name").fill("Greif");
    await page.getByRole("button", { name: "Add a device" }).click();

    await page.getByRole("heading", { name: "Apps and trackers" }).waitFor();
    await page.getByLabel("App", { exact: true }).selectOption({ label: "A program of your own" });
    await page.getByRole("button", { name: "Show the code" }).click();
    await page.getByAltText("Scan this code with the phone").waitFor();
    await expectAccessible(page);
    const [address = "", token = ""] = await Promise.all(
      ["Address", "Token"].map((label) =>
        page.locator(".copyable", { hasText: label }).locator("code").textContent(),
      ),
    );

    // The app does what its code says.
    const { pathname } = new URL(address ?? "");
    const sent = await fetch(`${server.url}${pathname}`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify(position(54.34, 13.5)),
    });
    expect(sent.status).toBe(200);

    await page.getByRole("button", { name: "Done" }).click();
    await page.getByText("Last heard").waitFor();
    await page.getByRole("link", { name: "Devices" }).click();
    await page.locator(".row", { hasText: "Greif" }).getByText("just now").waitFor();
    await page.getByRole("link", { name: "Greif" }).click();
    await page.getByText("54° 20.40′ N").waitFor();
    await expectAccessible(page);
    expectQuiet(visit);
  });
});

describe.skipIf(!chromium)("somebody with whom one device is shared", () => {
  test("sees that device alone, live, until the share ends", async () => {
    const user = await newUser(server);
    const admin = await server.admin();
    const make = async (name: string) =>
      (await server.post("/v1/devices", { token: admin, body: { name } })).body.data.id as string;
    const [shown, other] = [await make("Shown"), await make("Hidden")];
    const move = async (device_id: string, latitude: number, secondsAgo: number) => {
      const body = {
        ...{ ...position(latitude, 13.4, secondsAgo), device_id },
        ...{ speed_kmh: 9, speed_mps: 2.5, speed_mph: 5.6, speed_knots: 4.9 },
      };
      expect((await server.post("/v1/gps", { token: admin, body })).status).toBe(201);
    };
    await move(shown, 54.1, 5);
    await move(other, 54.2, 5);
    const path = `/v1/devices/${shown}/shares/${user.id}`;
    await server.put(path, { token: admin, body: { level: "now" } });

    const visit = await openBridge(browser, server, user, { size: DESKTOP, at: "/devices" });
    const { page } = visit;
    await page.getByRole("link", { name: /Shown/ }).click();
    await page.getByText("54° 06.00′ N").waitFor();
    // Nothing is offered that the share doesn't give.
    await gone(page.getByRole("link", { name: "Settings" }));
    await mapReady(page);
    await move(shown, 54.15, 0);
    await page.getByText("54° 09.00′ N").waitFor();
    await page.getByRole("link", { name: "Devices" }).click();
    await page.getByRole("link", { name: /Shown/ }).waitFor();
    await gone(page.getByText("Hidden"));
    await server.delete(path, { token: admin });
    await page.getByText("Nobody has added a device yet, or shared one with you.").waitFor();
  });
});

test.skipIf(!chromium)("a device that is made while the list is read stays on the page", async () => {
  const own = await TestServer.start();
  const make = (name: string) => own.post("/v1/devices", { token: own.systemKey, body: { name } });
  const { body: greif } = await make("Greif");
  const { body: stored } = await own.post("/v1/gps/batch", {
    token: own.systemKey,
    body: { device_id: greif.data.id, positions: [position(54.34, 13.5)] },
  });
  const { page } = await openBridge(browser, own, ADMIN, { at: "/devices" });
  await page.getByText("Greif", { exact: true }).first().waitFor();
  // The readings of the start are over, and none of theirs follows.
  await page.waitForLoadState("networkidle");
  // The list is answered once another device was made and told of.
  const lists = "**/v1/devices?*";
  const late = page.getByText("Seute Deern", { exact: true }).first();
  const answered = Promise.withResolvers<void>();
  await page.route(lists, async (route) => {
    const { body } = await own.get("/v1/devices?limit=100", { token: own.systemKey });
    await make("Seute Deern");
    await late.waitFor();
    await route.fulfill({ json: body });
    answered.resolve();
  });
  // A position that is gone may have been the newest, so that the fleet is read anew.
  await own.delete(`/v1/gps/${stored.results[0].id}`, { token: own.systemKey });
  await answered.promise;
  await page.unroute(lists);
  await page.waitForTimeout(1_000);
  expect(await late.isVisible()).toBeTrue();
  await own.stop();
});
