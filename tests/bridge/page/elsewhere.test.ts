import { afterAll, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { newAccount } from "../../identity/oidc/support";
import { guarded, turnOn } from "../../identity/two-factor/support";
import { OidcStandIn } from "../../stand-ins/oidc";
import { type Browser, chromium, LOCAL, startBrowser } from "../../support/browser";
import { newUser } from "../../support/people";
import { ADMIN, TestServer } from "../../support/server";
import { addAuthenticator } from "../../support/virtual-authenticator";
import {
  apiRequestsOf,
  DESKTOP,
  expectAccessible,
  openBridge,
  openPage,
  PHONE,
  signInOn,
  WALK,
} from "./support";

/** Sign-in through a provider on the page, in a browser that goes there and comes back. */

setDefaultTimeout(WALK);

let server: TestServer;
let browser: Browser;
let provider: OidcStandIn;

beforeAll(async () => {
  if (!chromium) return;
  provider = await OidcStandIn.start();
  const settings = {
    ...provider.settings("harbour", {
      display_name: "Harbour ID",
      allow_registration: "true",
      trust_email: "true",
    }),
    "auth.reauthentication_minutes": "5",
  };
  [server, browser] = await Promise.all([
    TestServer.start({ settings, clock: "movable" }),
    startBrowser(chromium),
  ]);
});
afterAll(async () => {
  if (!chromium) return;
  await Promise.all([server.stop(), browser.stop(), provider.stop()]);
});
beforeEach(() => {
  if (!chromium) return;
  provider.wrongs = {};
  provider.account = newAccount();
});

describe.skipIf(!chromium)("the entrance", () => {
  test("leads to a provider and back to the place that was asked for, and signs out again", async () => {
    const { page, errors } = await openPage(browser, server, { size: PHONE, at: "/me" });
    const settled = apiRequestsOf(page);
    await page.getByRole("button", { name: "Sign in with Harbour ID" }).waitFor();
    await page.getByLabel("Username or email address").waitFor();
    await expectAccessible(page);
    await page.getByRole("button", { name: "Sign in with Harbour ID" }).click();
    await page.getByRole("heading", { name: "My account" }).waitFor();
    expect(new URL(page.url()).hash).toBe("#/me");
    const identities = page.locator(".section", { hasText: "Sign-in elsewhere" });
    await identities.getByText(`Harbour ID: ${provider.account.preferred_username}`).waitFor();
    await expectAccessible(page);
    await settled();
    await page.getByRole("button", { name: "Sign out", exact: true }).first().click();
    await page.getByRole("button", { name: "Sign in with Harbour ID" }).waitFor();
    expect(errors).toEqual([]);
  });

  test("says in plain words why a provider's answer opens nothing, and where to go", async () => {
    provider.wrongs = { error: "access_denied" };
    const { page } = await openPage(browser, server, { size: PHONE });
    await page.getByRole("button", { name: "Sign in with Harbour ID" }).click();
    await page.getByText("Harbour ID says that access was denied").waitFor();
    await page.getByRole("heading", { name: "The sign-in did not work" }).waitFor();
    await expectAccessible(page);
    provider.wrongs = {};
    await page.getByRole("link", { name: "Start again" }).click();
    await page.locator(".shell").waitFor();
  });

  test("asks for the second factor of the account after the provider", async () => {
    const user = await guarded(server);
    const backup = user.backupCodes[0] ?? "";
    provider.account = newAccount({ email: user.email });
    const { page } = await openPage(browser, server, { size: DESKTOP });
    await page.getByRole("button", { name: "Sign in with Harbour ID" }).click();
    await page.getByLabel("Code").fill(backup);
    await page.getByRole("button", { name: "Confirm" }).click();
    await page.locator(".shell").waitFor();
  });
});

describe.skipIf(!chromium)("oneself", () => {
  test("links an identity, signs in with it, and removes it", async () => {
    const user = await newUser(server);
    provider.account = newAccount({ email: null, preferred_username: "Bootsmann" });
    const { page } = await openBridge(browser, server, user, { size: DESKTOP, at: "/me" });
    const identities = page.locator(".section", { hasText: "Sign-in elsewhere" });
    await identities.getByText("No provider lets you into this account yet.").waitFor();
    await identities.getByRole("button", { name: "Link Harbour ID" }).click();
    await identities.getByText("Harbour ID: Bootsmann").waitFor();
    expect(await identities.getByRole("button", { name: "Link Harbour ID" }).count()).toBe(0);
    await page.getByRole("button", { name: "Sign out", exact: true }).first().click();
    await page.getByRole("button", { name: "Sign in with Harbour ID" }).click();
    await page.locator(".shell").waitFor();
    await page.evaluate(() => {
      location.hash = "/me";
    });
    await page.getByText(user.username, { exact: true }).waitFor();
    await identities.getByRole("button", { name: "Remove" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
    await identities.getByText("No provider lets you into this account yet.").waitFor();
  });

  test("without a password confirms at the provider, sets one, and can't lose the last way in", async () => {
    const { page } = await openPage(browser, server, { size: PHONE, at: "/me" });
    await page.getByRole("button", { name: "Sign in with Harbour ID" }).click();
    await page.getByText("None: you sign in another way.").waitFor();
    await page.getByRole("button", { name: "Remove", exact: true }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
    await page.getByText(/This is the last way in/).waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
    await server.advance(11 * 60_000);
    await page.getByRole("button", { name: "Set a password" }).click();
    await page.getByLabel("New password").fill("a long passphrase");
    await page.getByRole("button", { name: "Set a password" }).click();
    const dialog = page.getByRole("dialog", { name: "Is it you?" });
    await dialog.getByRole("button", { name: "Confirm at Harbour ID" }).waitFor();
    await expectAccessible(page);
    provider.ahead = 11 * 60;
    await dialog.getByRole("button", { name: "Confirm at Harbour ID" }).click();
    await page.getByRole("button", { name: "Set a password" }).click();
    await page.getByLabel("New password").fill("a long passphrase");
    await page.getByRole("button", { name: "Set a password" }).click();
    await page.getByRole("button", { name: "Change the password" }).waitFor();
  });
});

describe.skipIf(!chromium)("an installation whose users sign in elsewhere", () => {
  test("shows the password to administrators alone, or to nobody", async () => {
    for (const [mode, word] of [
      ["local_admins", "Sign in with a password"],
      ["none", null],
    ] as const) {
      const other = await TestServer.start({
        settings: { ...provider.settings("harbour"), "auth.password_login": mode },
      });
      try {
        const { page } = await openPage(browser, other, { size: PHONE });
        await page.getByRole("button", { name: "Sign in with harbour" }).waitFor();
        expect(await page.getByLabel("Username or email address").isVisible()).toBe(false);
        await expectAccessible(page);
        if (word === null) expect(await page.getByText("Sign in with a password").count()).toBe(0);
        else {
          await page.getByText(word).click();
          await signInOn(page, ADMIN.username, ADMIN.password);
        }
      } finally {
        await other.stop();
      }
    }
  });
});

describe.skipIf(!chromium)("an account that has a second factor, a passkey and an identity", () => {
  test("completes the provider's sign-in by the passkey, and confirms with what is enough", async () => {
    const user = await newUser(server);
    provider.account = newAccount({ email: user.email });
    const visit = { size: DESKTOP, at: "/me", host: LOCAL } as const;
    const { page } = await openBridge(browser, server, user, visit);
    await addAuthenticator(page);
    const section = page.locator("section", { has: page.getByRole("heading", { name: "Passkeys" }) });
    await section.getByRole("button", { name: "Add a passkey" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Go on" }).click();
    await section.getByRole("listitem").waitFor();
    await turnOn(server, user);
    await page.getByRole("button", { name: "Sign out", exact: true }).first().click();
    await page.getByRole("button", { name: "Sign in with Harbour ID" }).click();
    await page.getByRole("button", { name: "Confirm with a passkey" }).click();
    await page.locator(".shell").waitFor();
    await page.evaluate(() => {
      location.hash = "/me";
    });
    await server.advance(11 * 60_000);
    await section.getByRole("button", { name: /^Remove/ }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
    const question = page.getByRole("dialog", { name: "Is it you?" });
    await question.getByLabel("Code of the second factor").waitFor();
    // A provider alone would not do.
    expect(await question.getByRole("button", { name: "Confirm at Harbour ID" }).count()).toBe(0);
    await question.getByRole("button", { name: "Confirm with a passkey" }).click();
    await section.getByText("There is none yet.").waitFor();
  });
});
