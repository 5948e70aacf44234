import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import {
  login,
  newestMail,
  newPerson,
  pending,
  registered,
  resetToken,
} from "../identity/registration-support";
import { Browser, chromium, type Page } from "../support/browser";
import { TestServer } from "../support/server";

/** Issue 8, deliver 5: the pages for people, in a real browser that reaches nothing but the server. */

// Swagger UI takes its time to lay out so large a document, on a machine that is busy a long one.
setDefaultTimeout(60_000);

if (!chromium)
  process.stderr.write(
    "Skipped: Swagger UI, GraphiQL and the email pages, since there is no Chromium here.\n",
  );

let server: TestServer;
let browser: Browser;

beforeAll(async () => {
  if (!chromium) return;
  [server, browser] = await Promise.all([TestServer.start(), Browser.start(chromium)]);
});
afterAll(async () => {
  if (!chromium) return;
  await Promise.all([server.stop(), browser.stop()]);
});

/** What every page owes: it asks no other host for anything, and its console stays clean. */
const expectQuiet = (page: Page) =>
  expect({ foreign: page.foreign, errors: page.errors }).toEqual({ foreign: [], errors: [] });

/** Opens an operation of an open section, presses Execute, and returns the status and the body that are then shown. */
async function execute(page: Page, operation: string) {
  await page.click(`${operation} .opblock-summary-control`);
  // Swagger UI follows the references of an operation when it is opened, and only then can make its request.
  const table = JSON.stringify(`${operation} .responses-table`);
  await page.until(`document.querySelector(${table}).innerText.includes("No valid credential")`);
  await page.click(`${operation} .execute`);
  const status = await page.text(`${operation} .live-responses-table tbody .response-col_status`);
  const body = await page.text(`${operation} .live-responses-table .microlight`);
  return { status: Number.parseInt(status, 10), body: JSON.parse(body) };
}

describe.skipIf(!chromium)("Swagger UI", () => {
  let page: Page;
  beforeAll(async () => {
    page = await browser.open(`${server.url}/docs`);
    await page.find(".opblock-tag");
  });

  test("shows every section of the document, in its order", async () => {
    const { tags } = (await server.contract()).document;
    const shown = await page.evaluate(
      "[...document.querySelectorAll('.opblock-tag')].map((it) => it.dataset.tag)",
    );
    expect(shown).toEqual(tags.map(({ name }) => name));
  });

  test("takes a key by Authorize, and tries operations out with it", async () => {
    const key = await server.key("geofences:read", "geofences:write");
    await page.click(".btn.authorize");
    await page.find("#auth-bearer-value:focus");
    const asked = "[...document.querySelectorAll('.auth-container h4 code')].map((it) => it.innerText)";
    expect(await page.evaluate(asked)).toEqual(["idAppKey", "bearer"]);
    await page.type("#auth-bearer-value", key);
    await page.click(".auth-container:has(#auth-bearer-value) .btn.authorize");
    await page.find(".auth-container .btn:not(.authorize):not(.btn-done)");
    await page.click(".auth-btn-wrapper .btn-done");

    await page.click("#operations-tag-Geofences");
    const created = await execute(page, "#operations-Geofences-createZone");
    expect(created).toMatchObject({ status: 201, body: { data: { name: "Harbour of Greifswald" } } });
    const listed = await execute(page, "#operations-Geofences-listZones");
    expect(listed).toMatchObject({ status: 200, body: { data: [created.body.data] } });
  });

  test("keeps to this server, without an error", () => expectQuiet(page));
});

describe.skipIf(!chromium)("GraphiQL", () => {
  test("carries out the query that it suggests, and reads the schema", async () => {
    const page = await browser.open(`${server.url}/v1/graphql`);
    await page.click(".graphiql-execute-button");
    const { body } = await server.get("/v1/platforms");
    for (const { slug } of body.data) {
      const shown = JSON.stringify(`"${slug}"`);
      await page.until(`document.querySelector(".result-window").innerText.includes(${shown})`);
    }
    await page.click("[aria-label='Show Documentation Explorer']");
    expect(await page.text(".graphiql-doc-explorer")).toContain("Query");
    expectQuiet(page);
  });
});

/** Opens the link of an email. The program thinks that it is `localhost`; the tests know it by its number. */
const openLink = (link: string) => {
  const { pathname, hash } = new URL(link);
  return browser.open(server.url + pathname + hash);
};

describe.skipIf(!chromium)("the link of an email", () => {
  test("completes a registration", async () => {
    const person = newPerson();
    await pending(server, person);
    const page = await openLink((await newestMail(server, person.email)).link);
    await page.find("form:not([hidden])");
    expect(await page.evaluate("location.hash")).toBe("");
    await page.click("button");
    expect(await page.text("#status.good")).toStartWith("Done.");
    expect((await login(server, person.username, person.password)).status).toBe(200);
    expectQuiet(page);
  });

  test("sets a new password", async () => {
    const user = await registered(server);
    await resetToken(server, user);
    const page = await openLink((await newestMail(server, user.email)).link);
    await page.type("#password", "another long passphrase");
    await page.click("button");
    expect(await page.text("#status.good")).toStartWith("Done.");
    expect((await login(server, user.username, "another long passphrase")).status).toBe(200);
    expectQuiet(page);
  });
});

describe.skipIf(!chromium)("what a page may not do:", () => {
  test.each(["/docs", "/v1/graphql", "/verify-email"])("%s asks another host for nothing", async (path) => {
    const page = await browser.open(server.url + path);
    await page.until("document.readyState === 'complete'");
    expect(await page.evaluate("fetch('http://192.0.2.1/').then(() => 'let out', () => 'kept in')")).toBe(
      "kept in",
    );
    // The policy of the page kept it in, before it came to a request.
    expect(page.foreign).toEqual([]);
    expect(page.errors.join("\n")).toContain("Content Security Policy");
  });
});
