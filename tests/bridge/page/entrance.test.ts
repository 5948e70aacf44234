import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Browser, chromium, startBrowser } from "../../support/browser";
import { eventually, soon } from "../../support/expectations";
import { newUser } from "../../support/people";
import { ADMIN, command, TestServer, temporaryDirectory } from "../../support/server";
import { expectAccessible, expectQuiet, openBridge, openPage, PHONE, signInOn } from "./support";

/** The way into the page, and out of it. */

setDefaultTimeout(60_000);

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
    const user = await newUser(server);
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
