import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { newInvitation } from "../../identity/invitations/support";
import { authorizationOf, claimsOf, exchange, newClient } from "../../identity/oauth/support";
import { turnOn } from "../../identity/two-factor/support";
import { type Browser, chromium, LOCAL, startBrowser } from "../../support/browser";
import { eventsOf } from "../../support/events";
import { done, expectStatus } from "../../support/expectations";
import { newPerson, newUser } from "../../support/people";
import { rows } from "../../support/rows";
import { TestServer } from "../../support/server";
import { MINUTE } from "../../support/time";
import { addAuthenticator } from "../../support/virtual-authenticator";
import {
  apiRequestsOf,
  expectAccessible,
  expectQuiet,
  gone,
  openBridge,
  openPage,
  PHONE,
  signInOn,
  urlBy,
  WALK,
} from "./support";

/** Passkeys as a user of a browser has them, made and shown by Chromium's own authenticator. */

setDefaultTimeout(WALK);

let server: TestServer;
let browser: Browser;

beforeAll(async () => {
  if (!chromium) return;
  [server, browser] = await Promise.all([TestServer.start({ clock: "movable" }), startBrowser(chromium)]);
});
afterAll(async () => {
  if (!chromium) return;
  await Promise.all([server.stop(), browser.stop()]);
});

const host = LOCAL;

describe.skipIf(!chromium)("a passkey", () => {
  test("is added, renamed, used alone, beside a password and to confirm, and removed", async () => {
    const user = await newUser(server);
    const visit = await openBridge(browser, server, user, { at: "/me", host, size: PHONE });
    const { page } = visit;
    const settled = apiRequestsOf(page);
    const authenticator = await addAuthenticator(page);
    const section = page.locator("section", { has: page.getByRole("heading", { name: "Passkeys" }) });
    const row = section.getByRole("listitem");

    // Added.
    await section.getByText("There is none yet.").waitFor();
    await section.getByRole("button", { name: "Add a passkey" }).click();
    await page.getByRole("dialog").getByLabel("Name").fill("Tablet");
    await expectAccessible(page);
    await page.getByRole("dialog").getByRole("button", { name: "Go on" }).click();
    await row.getByText("Tablet").waitFor();
    await gone(page.getByRole("dialog"));
    await expectAccessible(page);
    const [kept] = await authenticator.credentials();
    expect(kept).toMatchObject({ isResidentCredential: true, rpId: "localhost", userName: user.username });

    // The same authenticator makes no second one for this account.
    await section.getByRole("button", { name: "Add a passkey" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Go on" }).click();
    await page.getByText("kept there already").waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();

    // Renamed.
    await row.getByRole("button", { name: "Rename Tablet" }).click();
    await page.getByRole("dialog").getByLabel("Name").fill("Tablet at the helm");
    await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
    await row.getByText("Tablet at the helm").waitFor();

    // Alone: nothing is typed.
    await settled();
    await page.getByRole("button", { name: "Sign out", exact: true }).first().click();
    const button = page.getByRole("button", { name: "Sign in with a passkey" });
    await button.waitFor();
    await expectAccessible(page);
    await button.focus();
    await page.keyboard.press("Enter");
    await page.locator(".shell").waitFor();
    expect(eventsOf(server, user.id, "passkey_login")).toHaveLength(1);

    // Beside a password.
    await turnOn(server, user);
    await page.goto(`${urlBy(host, server)}/#/me`);
    await row.getByText("Tablet at the helm").waitFor();
    await settled();
    await page.getByRole("button", { name: "Sign out", exact: true }).first().click();
    await page.getByLabel("Username or email").fill(user.username);
    await page.getByLabel("Password").fill(user.password);
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    const confirm = page.getByRole("button", { name: "Confirm with a passkey" });
    await confirm.waitFor();
    await expectAccessible(page);
    await confirm.click();
    await page.locator(".shell").waitFor();
    expect(eventsOf(server, user.id, "2fa_verified").at(-1)?.metadata).toEqual({ used: "passkey" });

    // To confirm, and removed.
    await page.goto(`${urlBy(host, server)}/#/me`);
    await row.getByText("Tablet at the helm").waitFor();
    await server.advance(11 * MINUTE);
    await row.getByRole("button", { name: "Remove Tablet at the helm" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
    const question = page.getByRole("dialog", { name: "Is it you?" });
    await question.getByRole("button", { name: "Confirm with a passkey" }).click();
    await section.getByText("There is none yet.").waitFor();
    expect(eventsOf(server, user.id, "passkey_removed")).toHaveLength(1);
    // A browser tells of each refusal that was asked for: the one before the question.
    expect(visit.errors.filter((error) => !error.includes("403"))).toEqual([]);
    expect(visit.foreign).toEqual([]);
  });

  test("that its server doesn't know, and a user who fails or stops, are told plainly, in German too", async () => {
    const user = await newUser(server);
    const visit = await openBridge(browser, server, user, { at: "/me", host, language: "de" });
    const { page } = visit;
    const authenticator = await addAuthenticator(page);
    const section = page.locator("section", { has: page.getByRole("heading", { name: "Passkeys" }) });
    await section.getByRole("button", { name: "Passkey hinzufügen" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Weiter" }).click();
    await section.getByRole("button", { name: "Passkey umbenennen" }).waitFor();
    await expectAccessible(page);
    await page.getByRole("button", { name: "Abmelden", exact: true }).first().click();
    const button = page.getByRole("button", { name: "Mit einem Passkey anmelden" });
    await button.waitFor();
    await authenticator.setVerified(false);
    await button.click();
    await page.getByText("Es wurde kein Passkey benutzt.").waitFor();
    await authenticator.setVerified(true);
    // The server has forgotten it.
    const { session_token: token } = await server.login(user.username, user.password);
    const { data } = done(await server.get("/v1/users/me/passkeys", { token }));
    expectStatus(await server.delete(`/v1/users/me/passkeys/${data[0].id}`, { token }), 204);
    await button.click();
    await page.getByText("Der Passkey wurde nicht angenommen.").waitFor();
  });

  test("makes the account of an invitation, without a password", async () => {
    const { token } = await newInvitation(server);
    const { username, email } = newPerson();
    const visit = await browser.visit(`${urlBy(host, server)}/invitation#token=${token}&ask=email`, true);
    const { page } = visit;
    await addAuthenticator(page);
    const button = page.getByRole("button", { name: "with a passkey" });
    await button.waitFor();
    await expectAccessible(page);
    // A name is needed first.
    await button.click();
    expect(rows(server, "SELECT 1 FROM users WHERE username = ?", username)).toEqual([]);
    await page.getByLabel("Username").fill(username);
    await page.getByLabel("Email address").fill(email);
    await button.click();
    await page.getByText("you can sign in").waitFor();
    expectQuiet(visit);
    await page.getByRole("link", { name: "To the sign-in" }).click();
    await page.getByRole("button", { name: "Sign in with a passkey" }).click();
    await page.locator(".shell").waitFor();
    expectQuiet(visit);
  });

  test("signs in to an application, alone and beside a password", async () => {
    const user = await newUser(server);
    const visit = await openBridge(browser, server, user, { at: "/me", host });
    const { page } = visit;
    const settled = apiRequestsOf(page);
    await addAuthenticator(page);
    await page.getByRole("button", { name: "Add a passkey" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Go on" }).click();
    await page.getByRole("button", { name: "Rename" }).waitFor();
    await settled();
    await page.getByRole("button", { name: "Sign out", exact: true }).first().click();
    await page.getByRole("button", { name: "Sign in with a passkey" }).waitFor();

    // An address of this machine, so that the browser's way can be followed to its end.
    const back = `${urlBy(host, server)}/health/live`;
    const client = await newClient(server, { redirect_uris: [back], is_first_party: true });
    const ask = async (changes: Record<string, string> = {}) => {
      const { url, verifier } = authorizationOf(server, client, { redirect_uri: back, ...changes });
      const { pathname, search } = new URL(url, server.url);
      await page.goto(urlBy(host, server) + pathname + search);
      return verifier;
    };
    const arrived = async (verifier: string) => {
      await page.waitForURL((url) => url.pathname === "/health/live");
      const code = new URL(page.url()).searchParams.get("code") ?? "";
      const tokens = done(await exchange(server, client, code, verifier, { redirect_uri: back }));
      return claimsOf(tokens.id_token);
    };
    const first = await ask();
    const button = page.getByRole("button", { name: "Sign in with a passkey" });
    await button.waitFor();
    await expectAccessible(page);
    await button.focus();
    await page.keyboard.press("Enter");
    expect(await arrived(first)).toMatchObject({ sub: user.id, amr: ["hwk", "mfa"] });

    await turnOn(server, user);
    const second = await ask({ prompt: "login" });
    await page.getByLabel("Username or email").fill(user.username);
    await page.getByLabel("Password").fill(user.password);
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    const confirm = page.getByRole("button", { name: "Confirm with a passkey" });
    await confirm.waitFor();
    await expectAccessible(page);
    await confirm.click();
    expect(await arrived(second)).toMatchObject({ sub: user.id, amr: ["pwd", "hwk", "mfa"] });
    expectQuiet(visit);
  });
});

describe.skipIf(!chromium)("where a browser has no passkeys, over plain http", () => {
  test("no page shows a way that leads nowhere, and the account says where they work", async () => {
    const user = await newUser(server);
    const entrance = await openPage(browser, server, {});
    await entrance.page.getByRole("button", { name: "Sign in", exact: true }).waitFor();
    expect(await entrance.page.getByRole("button", { name: "passkey" }).count()).toBe(0);
    await entrance.page.goto(`${entrance.page.url().split("#")[0]}#/me`);
    await signInOn(entrance.page, user.username, user.password);
    const { port } = new URL(server.url);
    await entrance.page.getByText(`added and used at http://localhost:${port} alone`).waitFor();
    expect(await entrance.page.getByRole("button", { name: "Add a passkey" }).count()).toBe(0);
    await expectAccessible(entrance.page);
    expectQuiet(entrance);
  });
});
