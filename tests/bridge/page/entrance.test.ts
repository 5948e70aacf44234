import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Browser, chromium, startBrowser } from "../../support/browser";
import { eventually, soon } from "../../support/expectations";
import { staff } from "../../support/people";
import { startProxy } from "../../support/proxy";
import { ADMIN, command, TestServer, temporaryDirectory } from "../../support/server";
import {
  boatUrl,
  expectAccessible,
  expectQuiet,
  mapReady,
  openBridge,
  openPage,
  PHONE,
  signInOn,
  WALK,
} from "./support";

/** The way into the page, and out of it. */

setDefaultTimeout(WALK);

if (!chromium) process.stderr.write("Skipped: the page in a browser, since there is no Chromium here.\n");

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

describe.skipIf(!chromium)("signing in", () => {
  test("leads to the map, and out again to the form", async () => {
    const visit = await openPage(browser, server, { size: PHONE });
    const { page } = visit;
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    await expectAccessible(page);
    await signInOn(page, ADMIN.username, ADMIN.password);
    await page.goto(`${page.url().replace(/#.*/, "")}#/devices`);
    await page.locator("h1").first().waitFor();
    // The cookie is for the server alone.
    expect(await page.evaluate(() => document.cookie)).toBe("");
    await page.reload();
    await page.locator(".shell").waitFor();
    expectQuiet(visit);
  });

  test("in German, to whoever reads German", async () => {
    const visit = await openPage(browser, server, { language: "de" });
    await visit.page.getByRole("heading", { name: "Anmelden" }).waitFor();
    await visit.page.locator("html[lang=de]").waitFor();
    expectQuiet(visit);
  });

  test("tells of a wrong password, and keeps the name", async () => {
    const { page } = await openPage(browser, server);
    await page.getByLabel("Username or email address").fill("admin");
    await page.getByLabel("Password").fill("not this one");
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("alert").waitFor();
    await soon(async () =>
      expect(await page.getByLabel("Username or email address").inputValue()).toBe("admin"),
    );
  });
});

describe.skipIf(!chromium)("a session that ends while the page is open", () => {
  test("is asked for again, and everything stays where it was", async () => {
    // Whoever has nothing to hear learns of it half a minute later.
    const user = await staff(server, "devices:read");
    const visit = await openBridge(browser, server, user, { at: "/devices" });
    const { page } = visit;
    await page.locator("h1").first().waitFor();
    await server.delete(`/v1/users/${user.id}/sessions`, { token: server.systemKey });
    const dialog = page.getByRole("dialog");
    await dialog.getByText("Your session has ended").waitFor();
    await expectAccessible(page);
    await dialog.getByLabel("Password").fill(user.password);
    await dialog.getByRole("button", { name: "Sign in" }).click();
    await dialog.waitFor({ state: "detached" });
    expect(new URL(page.url()).hash).toBe("#/devices");
  });
});

describe.skipIf(!chromium)("below a path of a proxy", () => {
  test("everything is there: the socket, files, links and codes", async () => {
    const proxy = startProxy(server.url, "/fleet");
    try {
      const admin = await server.admin();
      const { body } = await server.post("/v1/devices", { token: admin, body: { name: "Greif" } });
      const device_id = body.data.id as string;
      const at = Math.floor(Date.now() / 1_000) - 60;
      const move = (latitude: number, timestamp: number, speed_kmh = 9) =>
        server.post("/v1/gps", {
          token: admin,
          body: {
            ...{ device_id, latitude, longitude: 13.4, timestamp },
            ...{ speed_kmh, speed_mps: 2.5, speed_mph: 5.6, speed_knots: 4.9 },
          },
        });
      await move(54.1, at);
      const trip = await server.post("/v1/trips", {
        token: admin,
        body: { name: "Out", device_id, status: "active" },
      });
      const log = `/v1/trips/${trip.body.data.id}/log`;
      await server.post(log, { token: admin, body: { text: "Cast off", kind: "note" } });

      const outside = { url: `http://127.0.0.1:${proxy.port}` };
      const visit = await openBridge(browser, outside, ADMIN, {
        path: "/fleet/",
        at: `/devices/${device_id}`,
      });
      const { page } = visit;
      await page.getByText("54° 06.00′ N").waitFor();
      await mapReady(page);
      await move(54.15, at + 30);
      await page.getByText("54° 09.00′ N").waitFor();

      const go = (place: string) =>
        page.evaluate((place) => {
          location.hash = `#/${place}`;
        }, place);
      const file = async (button: string) => {
        const download = page.waitForEvent("download");
        await page.getByRole("button", { name: button, exact: true }).click();
        return (await download).suggestedFilename();
      };
      await go(`day/${device_id}`);
      expect(await file("GPX")).toEndWith(".gpx");
      await go(`trips/${trip.body.data.id}/log`);
      expect(await file("PDF")).toEndWith(".pdf");

      await go(`devices/${device_id}/trackers?new=1`);
      await page.getByRole("button", { name: "Show the code" }).click();
      const shown = page.locator(".copyable", { hasText: "Address" }).locator("code");
      expect(await shown.textContent()).toStartWith(`${boatUrl(outside)}/fleet/v1/ingest/`);
      await page.getByText("Waiting for the first position…").waitFor();
      await move(54.2, at + 50);
      await page.getByText("Its position has arrived.").waitFor();

      await go("links");
      await page.getByRole("button", { name: "Make a link" }).click();
      await page.getByRole("button", { name: "Make the link" }).click();
      const link = await page.getByRole("dialog").locator("code").textContent();
      expect(link).toStartWith(`${boatUrl(outside)}/fleet/s/#`);
      await page.goto(link ?? "");
      await page.getByText("Greif", { exact: true }).waitFor();
      await mapReady(page);
      await move(54.3, at + 55, 18.52);
      await page.getByText(/10(\.0)? kn/).waitFor();
      expect(proxy.strays).toEqual([]);
      expectQuiet(visit);
    } finally {
      await proxy.stop();
    }
  });
});

describe.skipIf(!chromium)("an installation without users", () => {
  test("makes its first administrator by the code that the server shows", async () => {
    const dataDir = temporaryDirectory();
    expect((await command(["migrate"], { settings: { "data.dir": dataDir } })).status).toBe(0);
    const empty = await TestServer.start({ dataDir });
    try {
      await eventually(() => empty.output.includes("enter the code"));
      const visit = await openPage(browser, empty, { size: PHONE });
      const { page } = visit;
      await page.getByRole("heading", { name: "Welcome" }).waitFor();
      await expectAccessible(page);
      await page
        .getByLabel("Code from the server")
        .fill(readFileSync(join(dataDir, "first-start-code"), "utf8").trim());
      await page.getByLabel("Username").fill("skipper");
      await page.getByLabel("Email address").fill("skipper@example.org");
      await page.getByLabel("Password").fill("a long passphrase");
      await page.getByRole("button", { name: "Make the account" }).click();
      await page.locator(".shell").waitFor();
      expectQuiet(visit);
    } finally {
      await empty.stop();
    }
  });
});
