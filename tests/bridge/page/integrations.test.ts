import { afterAll, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { type Harbour, newAccount, startHarbour } from "../../operations/integrations/support";
import { type Browser, chromium, LOCAL, startBrowser } from "../../support/browser";
import { done, soon } from "../../support/expectations";
import { ADMIN } from "../../support/server";
import { expectAccessible, gone, openBridge, PHONE, urlBy, WALK } from "./support";

/** Accounts of other services on the page, in a browser that goes there, consents and comes back. */

setDefaultTimeout(WALK);

let harbour: Harbour;
let browser: Browser;

beforeAll(async () => {
  if (!chromium) return;
  // Without the key, browsers may come back to the page of the server.
  [harbour, browser] = await Promise.all([
    startHarbour({ "integrations.allowed_redirects": "" }),
    startBrowser(chromium),
  ]);
});
afterAll(async () => {
  if (!chromium) return;
  await Promise.all([harbour.stop(), browser.stop()]);
});
beforeEach(() => {
  if (!chromium) return;
  newAccount(harbour, "twitch");
  harbour.twitch.denial = null;
});

describe.skipIf(!chromium)("an account of another service", () => {
  test("is connected by going there and back, renewed and disconnected", async () => {
    const { server, twitch } = harbour;
    const options = { size: PHONE, at: "/admin/integrations", host: LOCAL } as const;
    const { page, errors } = await openBridge(browser, server, ADMIN, options);
    await page.getByText("No connected accounts").waitFor();
    twitch.denial = { error: "access_denied" };
    await page.getByRole("button", { name: "Connect Twitch" }).click();
    await page.getByText("You didn't allow it there: nothing is connected.").waitFor();
    // A reload doesn't say it again.
    expect(page.url()).toBe(`${urlBy(LOCAL, server)}/#/admin/integrations`);

    twitch.denial = null;
    await page.getByRole("button", { name: "Connect Twitch" }).click();
    await page.getByText("The account is connected.").waitFor();
    const card = page.locator(".card", { hasText: "Twitch" });
    await card.getByRole("button", { name: "Renew" }).waitFor();
    await expectAccessible(page);
    await card.getByRole("button", { name: "Renew" }).click();
    const connected = async () =>
      done(await server.get("/v1/integrations", { token: await server.admin() })) as {
        last_refreshed_at: string | null;
      }[];
    await soon(async () => expect((await connected())[0]?.last_refreshed_at).not.toBeNull());
    await card.getByRole("button", { name: "Disconnect" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Disconnect" }).click();
    await gone(card);
    await page.getByText("No connected accounts").waitFor();
    expect(await connected()).toEqual([]);
    expect(errors).toEqual([]);
  });
});
