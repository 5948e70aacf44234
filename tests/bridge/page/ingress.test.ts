import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { type Browser, chromium, startBrowser } from "../../support/browser";
import { startProxy } from "../../support/proxy";
import { ADMIN, TestServer } from "../../support/server";
import { expectQuiet, openPage, signInOn, WALK } from "./support";

/** The page in the frame of Home Assistant, which is of the same origin. */

setDefaultTimeout(WALK);

if (!chromium) process.stderr.write("Skipped: the page in a frame, since there is no Chromium here.\n");

const INGRESS = "/api/hassio_ingress/kq1L9fY6mB4tVhJ2-sNc";
let server: TestServer;
let browser: Browser;

beforeAll(async () => {
  if (!chromium) return;
  const settings = { "server.trusted_proxies": "127.0.0.1" };
  [server, browser] = await Promise.all([TestServer.start({ settings }), startBrowser(chromium)]);
});
afterAll(async () => {
  if (!chromium) return;
  await Promise.all([server.stop(), browser.stop()]);
});

test.skipIf(!chromium)("the page signs in, stays so, and hears of changes in the frame", async () => {
  const proxy = startProxy(server.url, INGRESS, { ingress: true });
  try {
    const admin = await server.admin();
    const outside = { url: `http://127.0.0.1:${proxy.port}` };
    const visit = await openPage(browser, outside, { path: `${INGRESS}/` });
    const { page } = visit;
    const framed = async () => {
      await page.goto(new URL("/", page.url()).href);
      await page.frameLocator("iframe").locator("body").waitFor();
      const frame = page.frame("addon");
      if (frame === null) throw new Error("the house has no frame");
      return frame;
    };
    await signInOn(await framed(), ADMIN.username, ADMIN.password);
    const frame = await framed();
    await frame.locator(".shell").waitFor();
    await frame.evaluate(() => {
      location.hash = "#/devices";
    });
    await frame.locator("h1").first().waitFor();
    // Heard over the socket, since nobody asks again.
    await server.post("/v1/devices", { token: admin, body: { name: "Greif" } });
    await frame.getByText("Greif", { exact: true }).first().waitFor();
    expect(proxy.strays).toEqual([]);
    const cookies = await page.context().cookies();
    expect(cookies.map(({ name, path }) => ({ name, path }))).toEqual([
      { name: "fairlead_session", path: `${INGRESS}/` },
    ]);
    expectQuiet(visit);
  } finally {
    await proxy.stop();
  }
});
