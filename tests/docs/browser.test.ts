import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { resetToken } from "../identity/auth/support";
import { type Browser, chromium, startBrowser, type Visit } from "../support/browser";
import { login } from "../support/credentials";
import { soon } from "../support/expectations";
import { newestMail } from "../support/mail";
import { newPerson, newUser, pending } from "../support/people";
import { TestServer } from "../support/server";

/** The pages for people, in a real browser that reaches nothing but the server (rule P7). */

if (!chromium)
  process.stderr.write(
    "Skipped: Swagger UI, GraphiQL and the email pages, since there is no Chromium here.\n",
  );

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

/** Every page must ask no other host for anything, and keep its console clean. */
const expectQuiet = ({ foreign, errors }: Visit) =>
  expect({ foreign, errors }).toEqual({ foreign: [], errors: [] });

/** Waits until nothing on the page is wider than this, in pixels. */
const expectWidth = (page: Page, width: number) =>
  soon(async () => expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(width));

/** Opens an operation of an open section, presses Execute, and returns the status and the body that are then shown. */
async function execute(page: Page, operation: string) {
  const shown = page.locator(operation);
  await shown.locator(".opblock-summary-control").click();
  // Swagger UI follows the references of an operation when it is opened, and only then can make its request.
  await shown.locator(".responses-table", { hasText: "No valid credential" }).first().waitFor();
  await shown.locator(".execute").click();
  const status = await shown
    .locator(".live-responses-table tbody .response-col_status")
    .first()
    .textContent();
  const body = await shown.locator(".live-responses-table .microlight").first().textContent();
  return { status: Number.parseInt(status ?? "", 10), body: JSON.parse(body ?? "") };
}

describe.skipIf(!chromium)("Swagger UI", () => {
  let visit: Visit;
  beforeAll(async () => {
    visit = await browser.visit(`${server.url}/docs`);
    await visit.page.locator(".opblock-tag").first().waitFor();
  });

  test("shows every section of the document, in its order", async () => {
    const { tags } = (await server.contract()).document;
    await soon(async () => {
      const shown = await visit.page
        .locator(".opblock-tag")
        .evaluateAll((sections) => sections.map((section) => section.getAttribute("data-tag")));
      expect(shown).toEqual(tags.map(({ name }) => name));
    });
  });

  test("finds operations by words of their summaries, and opens what it found", async () => {
    const { page } = visit;
    await page.getByLabel("Find an operation").fill("status trip");
    await page.locator(".filter-operations", { hasText: "2 operations found" }).waitFor();
    await soon(async () =>
      expect(await page.locator(".opblock-summary-path").allInnerTexts()).toHaveLength(2),
    );
    await page.getByLabel("Find an operation").fill("");
    await soon(async () =>
      expect(await page.locator(".tag-group").allTextContents()).toEqual([
        "Tracking",
        "Realtime",
        "Accounts",
        "Administration",
      ]),
    );
  });

  test("fits a phone, and follows the system's colours", async () => {
    const { page } = visit;
    await page.emulateMedia({ colorScheme: "dark" });
    await page.setViewportSize({ width: 390, height: 844 });
    await expectWidth(page, 390);
    const heights = await page
      .locator(".opblock-tag")
      .evaluateAll((sections) => sections.map((section) => section.getBoundingClientRect().height));
    // A description that breaks after each letter is hundreds of pixels high.
    expect(Math.max(...heights)).toBeLessThan(200);
    await page.locator("html.dark-mode").waitFor();
    await page.emulateMedia({ colorScheme: "light" });
    await page.setViewportSize({ width: 1280, height: 1600 });
  });

  test("takes a key by Authorize, and tries operations out with it", async () => {
    const { page } = visit;
    const key = await server.key("geofences:read", "geofences:write");
    await page.locator(".btn.authorize").click();
    await page.locator("#auth-bearer-value:focus").waitFor();
    await soon(async () =>
      expect(await page.locator(".auth-container h4 code").allInnerTexts()).toEqual([
        "bearer",
        "boxToken",
        "idAppKey",
        "trackerPassword",
        "trackerKey",
      ]),
    );
    const authorize = page.locator(".auth-container:has(#auth-bearer-value) .btn.authorize");
    for (const [wrong, why] of [
      ["rubbish", "This is no token"],
      [`flk_${"x".repeat(43)}`, "The server refuses this token"],
    ] as const) {
      await page.locator("#auth-bearer-value").fill(wrong);
      await authorize.click();
      await page.locator(".auth-container .errors", { hasText: why }).waitFor();
    }
    await page.locator("#auth-bearer-value").fill(`Bearer ${key}`);
    await authorize.click();
    await page.locator(".auth-container .btn:not(.authorize):not(.btn-done)").waitFor();
    await page.locator(".auth-btn-wrapper .btn-done").last().click();

    await page.locator("#operations-tag-Geofences").click();
    const created = await execute(page, "#operations-Geofences-createZone");
    expect(created).toMatchObject({ status: 201, body: { data: { name: "Harbour of Greifswald" } } });
    const listed = await execute(page, "#operations-Geofences-listZones");
    expect(listed).toMatchObject({ status: 200, body: { data: [created.body.data] } });
  });

  test("keeps to this server, without an error but that of the token that was refused", () => {
    expect(visit.foreign).toEqual([]);
    expect(visit.errors).toEqual([expect.stringMatching(/ 401 .*\/v1\/users\/me$/)]);
  });
});

describe.skipIf(!chromium)("GraphiQL", () => {
  test("carries out the query that it suggests, and reads the schema", async () => {
    const visit = await browser.visit(`${server.url}/v1/graphql`);
    await visit.page.locator(".graphiql-execute-button").click();
    const { body } = await server.get("/v1/platforms");
    for (const { slug } of body.data)
      await visit.page.locator(".result-window", { hasText: `"${slug}"` }).waitFor();
    await visit.page.locator("[aria-label='Show Documentation Explorer']").click();
    await visit.page.locator(".graphiql-doc-explorer", { hasText: "Query" }).waitFor();
    expectQuiet(visit);
  });

  test("stands in one column on a phone", async () => {
    const { page } = await browser.visit(`${server.url}/v1/graphql`);
    await page.setViewportSize({ width: 390, height: 844 });
    await page.locator(".graphiql-execute-button").waitFor();
    await soon(async () => {
      const widths = await page
        .locator(".graphiql-editors, .graphiql-response")
        .evaluateAll((parts) => parts.map((part) => part.getBoundingClientRect().width));
      expect(widths).toHaveLength(2);
      expect(Math.min(...widths)).toBeGreaterThan(330);
    });
    await expectWidth(page, 390);
    await page.setViewportSize({ width: 1280, height: 1600 });
  });
});

/** Opens the link of an email. The server's own address is `localhost`; the tests know it by its number. */
const openLink = (link: string) => {
  const { pathname, hash } = new URL(link);
  return browser.visit(server.url + pathname + hash);
};

/** Waits until a page of an email's link says that it is done. */
const expectDone = (page: Page) => page.locator("#status.good", { hasText: /^Done\./ }).waitFor();

describe.skipIf(!chromium)("the link of an email", () => {
  test("completes a registration", async () => {
    const person = newPerson();
    await pending(server, person);
    const visit = await openLink((await newestMail(server, person.email)).link);
    await visit.page.locator("form:not([hidden])").waitFor();
    await soon(async () => expect(new URL(visit.page.url()).hash).toBe(""));
    await visit.page.locator("button").click();
    await expectDone(visit.page);
    expect((await login(server, person.username, person.password)).status).toBe(200);
    expectQuiet(visit);
  });

  test("sets a new password", async () => {
    const user = await newUser(server);
    await resetToken(server, user);
    const visit = await openLink((await newestMail(server, user.email)).link);
    await visit.page.locator("#password").fill("another long passphrase");
    await visit.page.locator("button").click();
    await expectDone(visit.page);
    expect((await login(server, user.username, "another long passphrase")).status).toBe(200);
    expectQuiet(visit);
  });
});

describe.skipIf(!chromium)("what a page may not do:", () => {
  test.each(["/docs", "/v1/graphql", "/verify-email"])("%s asks another host for nothing", async (path) => {
    const { page, foreign, errors } = await browser.visit(server.url + path);
    const asked = "fetch('http://192.0.2.1/').then(() => 'let out', () => 'kept in')";
    expect(await page.evaluate(asked)).toBe("kept in");
    // The page's policy blocked it before a request was made.
    await soon(async () => expect(errors.join("\n")).toContain("Content Security Policy"));
    expect(foreign).toEqual([]);
  });
});
