import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Page } from "playwright-core";
import { type Browser, chromium, startBrowser } from "../../support/browser";
import { expectStatus, soon } from "../../support/expectations";
import { freePort } from "../../support/program";
import { ADMIN, TestServer } from "../../support/server";
import { DESKTOP, expectQuiet, mapReady, openBridge, openPage, PHONE, WALK } from "./support";

/** The page without a mouse or a finger, without movement, and while its server comes and goes. */

setDefaultTimeout(WALK);

let server: TestServer;
let browser: Browser;
let deviceId: string;

beforeAll(async () => {
  if (!chromium) return;
  [server, browser] = await Promise.all([TestServer.start(), startBrowser(chromium)]);
  const token = await server.admin();
  const made = await server.post("/v1/devices", { token, body: { name: "Greif" } });
  deviceId = expectStatus(made, 201).body.data.id;
  const speeds = { speed_kmh: 9, speed_mps: 2.5, speed_mph: 5.6, speed_knots: 4.9 };
  const place = { latitude: 54.1, longitude: 13.4, timestamp: Math.floor(Date.now() / 1_000) };
  const body = { ...speeds, ...place, device_id: deviceId };
  expectStatus(await server.post("/v1/gps", { token, body }), 201);
});
afterAll(async () => {
  if (!chromium) return;
  await Promise.all([server.stop(), browser.stop()]);
});

/** The accessible name of whatever has the focus, or its text. */
const focused = (page: Page): Promise<string> =>
  page.evaluate(() => {
    const at = document.activeElement;
    const label = (at as { labels?: ArrayLike<{ textContent: string | null }> } | null)?.labels?.[0];
    return (at?.getAttribute("aria-label") ?? label?.textContent ?? at?.textContent ?? "").trim();
  });

/** Presses Tab until something of this name has the focus. */
async function tabTo(page: Page, name: RegExp): Promise<void> {
  const passed: string[] = [];
  for (let presses = 0; presses < 80; presses++) {
    await page.keyboard.press("Tab");
    passed.push(await focused(page));
    if (name.test(passed.at(-1) ?? "")) return;
  }
  throw new Error(`Tab doesn't come to ${name}, but to ${passed.join(" | ")}`);
}

/** True if it is seen where the focus is. */
const isFocusSeen = (page: Page): Promise<boolean> =>
  page.evaluate(() => {
    const at = document.activeElement;
    if (!at) return false;
    const { outlineStyle, outlineWidth } = getComputedStyle(at);
    return outlineStyle !== "none" && Number.parseFloat(outlineWidth) > 0;
  });

describe.skipIf(!chromium)("a keyboard alone", () => {
  test("signs in, goes from view to view, and answers a question", async () => {
    const visit = await openPage(browser, server, { size: DESKTOP });
    const { page } = visit;
    await page.getByLabel(/^Username or email/).waitFor();
    await tabTo(page, /^Username or email/);
    await page.keyboard.type(ADMIN.username);
    await tabTo(page, /^Password/);
    await page.keyboard.type(ADMIN.password);
    await page.keyboard.press("Enter");
    await page.locator(".shell").waitFor();

    await tabTo(page, /^Devices$/);
    expect(await isFocusSeen(page)).toBe(true);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Devices" }).waitFor();
    // The views before it are passed by at once.
    await tabTo(page, /^Skip to the content$/);
    await page.keyboard.press("Enter");
    await soon(async () => expect(await page.evaluate(() => document.activeElement?.id)).toBe("content"));
    await tabTo(page, /^Greif/);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Greif" }).waitFor();

    // A question takes the focus, and gives it back to the button that asked.
    await page.evaluate((id) => {
      location.hash = `#/devices/${id}/settings`;
    }, deviceId);
    await page.getByRole("button", { name: /^Delete/ }).waitFor();
    await tabTo(page, /^Delete/);
    const asker = await focused(page);
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog");
    await dialog.waitFor();
    await tabTo(page, /^Cancel$/);
    expect(await dialog.evaluate((element) => element.contains(document.activeElement))).toBe(true);
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    await soon(async () => expect(await focused(page)).toBe(asker));
    expect((await server.get(`/v1/devices/${deviceId}`, { token: await server.admin() })).status).toBe(200);
    expectQuiet(visit);
  });
});

interface Seen {
  steps: number;
  isOver: boolean;
}
interface WithMap {
  stage: {
    map: {
      jumpTo: (to: object) => void;
      on: (event: string, then: () => void) => void;
      once: (event: string, then: () => void) => void;
    };
  };
}

describe.skipIf(!chromium)("whoever prefers stillness", () => {
  test("is shown all devices at once, and no element moves by itself; others see the map fly", async () => {
    const visit = await openBridge(browser, server, ADMIN, { size: DESKTOP });
    const { page } = visit;
    await mapReady(page);
    /** Steps in which the map comes from far away to all devices. */
    const stepsToAll = async () => {
      await page.evaluate(() => {
        const { map } = (document.querySelector("#map") as unknown as WithMap).stage;
        map.jumpTo({ center: [10, 50], zoom: 5 });
        const seen = { steps: 0, isOver: false };
        Object.assign(globalThis, { seen });
        map.on("move", () => {
          seen.steps++;
        });
        map.once("moveend", () => {
          seen.isOver = true;
        });
      });
      await page.getByRole("button", { name: "Show all devices" }).click();
      await page.waitForFunction(() => (globalThis as unknown as { seen: Seen }).seen.isOver);
      return page.evaluate(() => (globalThis as unknown as { seen: Seen }).seen.steps);
    };
    expect(await stepsToAll()).toBeLessThanOrEqual(1);
    const moving = () =>
      page.evaluate(
        () =>
          [...document.querySelectorAll("*")].filter((element) => {
            const { animationName, transitionDuration } = getComputedStyle(element);
            return (
              animationName !== "none" ||
              transitionDuration.split(",").some((part) => Number.parseFloat(part) > 0.01)
            );
          }).length,
      );
    expect(await moving()).toBe(0);
    await page.emulateMedia({ reducedMotion: "no-preference" });
    expect(await stepsToAll()).toBeGreaterThan(1);
    expect(await moving()).toBeGreaterThan(0);
    expectQuiet(visit);
  });
});

describe.skipIf(!chromium)("a form", () => {
  test("keeps what is typed while the server is away, and sends it once it is back", async () => {
    const settings = { "server.port": String(await freePort()) };
    const first = await TestServer.start({ settings });
    const { page } = await openBridge(browser, first, ADMIN, { size: PHONE, at: "/devices/new" });
    await page.getByLabel("Name", { exact: true }).fill("Dinghy of the Greif");
    await first.stop();
    await page.getByText("Connection lost").waitFor();
    await page.getByRole("button", { name: "Add a device" }).click();
    await page.getByText("The server can't be reached.").waitFor();
    const second = await TestServer.start({ dataDir: first.dataDir, settings });
    try {
      await page.getByText("Connection lost").waitFor({ state: "detached" });
      expect(await page.getByLabel("Name", { exact: true }).inputValue()).toBe("Dinghy of the Greif");
      await page.getByRole("button", { name: "Add a device" }).click();
      await page.getByRole("heading", { name: "Apps and trackers" }).waitFor();
      const { data } = (await second.get("/v1/devices", { token: await second.admin() })).body;
      expect(data).toMatchObject([{ name: "Dinghy of the Greif" }]);
    } finally {
      await second.stop();
    }
  });
});
