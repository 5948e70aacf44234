import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { guarded, nextCode } from "../../identity/two-factor/support";
import { type Browser, chromium, startBrowser } from "../../support/browser";
import { newUser, staff } from "../../support/people";
import { freePort } from "../../support/program";
import { ADMIN, TestServer } from "../../support/server";
import { MINUTE } from "../../support/time";
import {
  boatUrl,
  DESKTOP,
  expectAccessible,
  expectQuiet,
  gone,
  openBridge,
  openPage,
  PHONE,
  WALK,
} from "./support";

/** People on the page: invited, shown one device, given rights and deprived of them, by links without an account. */

setDefaultTimeout(WALK);

let server: TestServer;
let browser: Browser;
let deviceId: string;

beforeAll(async () => {
  if (!chromium) return;
  [server, browser] = await Promise.all([TestServer.start(), startBrowser(chromium)]);
  const token = await server.admin();
  const make = async (name: string) =>
    (await server.post("/v1/devices", { token, body: { name } })).body.data.id as string;
  deviceId = await make("Greif");
  await make("Hidden");
  await move(54.1);
});
afterAll(async () => {
  if (!chromium) return;
  await Promise.all([server.stop(), browser.stop()]);
});

async function move(latitude: number): Promise<void> {
  const token = await server.admin();
  const speeds = { speed_kmh: 9, speed_mps: 2.5, speed_mph: 5.6, speed_knots: 4.9 };
  const place = { latitude, longitude: 13.4, timestamp: Math.floor(Date.now() / 1_000) };
  const body = { ...speeds, ...place, device_id: deviceId };
  expect((await server.post("/v1/gps", { token, body })).status).toBe(201);
}

describe.skipIf(!chromium)("an administrator", () => {
  test("invites somebody, who makes an account and sees one device", async () => {
    const visit = await openBridge(browser, server, ADMIN, { size: DESKTOP, at: "/admin/invitations" });
    const { page } = visit;
    await page.getByText("Nobody is invited").waitFor();
    await expectAccessible(page);
    await page.getByRole("button", { name: "Invite somebody" }).click();
    await page.getByRole("checkbox", { name: "Greif" }).check();
    await page.getByLabel("Greif: they see").selectOption({ label: "where it is now" });
    await page.getByRole("button", { name: "Invite", exact: true }).click();
    const dialog = page.getByRole("dialog");
    const link = (await dialog.locator("code").textContent()) ?? "";
    await dialog.getByRole("button", { name: "Done" }).click();
    expectQuiet(visit);

    const guest = await browser.visit(link, true);
    await guest.page.getByLabel("Username").fill("guest_of_greif");
    await guest.page.getByLabel("Email address").fill("guest@example.org");
    await guest.page.getByLabel("Password", { exact: true }).fill("a long passphrase");
    await guest.page.getByRole("button", { name: "Create account" }).click();
    await guest.page.getByText("you can sign in").waitFor();

    const user = { username: "guest_of_greif", password: "a long passphrase" };
    const own = await openBridge(browser, server, user, { size: PHONE, at: "/devices" });
    await own.page.getByRole("link", { name: /Greif/ }).waitFor();
    await gone(own.page.getByText("Hidden"));
    expectQuiet(own);
  });

  test("gives and takes a role, which shows on the page of its holder at once", async () => {
    const user = await newUser(server);
    const token = await server.admin();
    const roles = `/v1/users/${user.id}/roles`;
    await server.post(roles, { token, body: { role_id: "role_admin" } });
    const visit = await openBridge(browser, server, user, { size: DESKTOP, at: "/devices" });
    const { page } = visit;
    const link = page.getByRole("navigation").getByRole("link", { name: "Admin" });
    await link.waitFor();
    await page.getByRole("link", { name: /Hidden/ }).waitFor();
    await server.delete(`${roles}/role_admin`, { token });
    await link.waitFor({ state: "detached" });
    await page.getByText("Nobody has added a device yet, or shared one with you.").waitFor();
  });
});

describe.skipIf(!chromium)("a link", () => {
  test("shows its device without an account, live, until it is taken back", async () => {
    const token = await server.admin();
    const expires_at = new Date(Date.now() + 3_600_000).toISOString();
    const body = { device_ids: [deviceId], level: "live", expires_at, label: "To the regatta" };
    const made = await server.post("/v1/share-links", {
      token,
      body: { ...body, base_url: boatUrl(server) },
    });
    const { hash } = new URL(made.body.data.url);
    const visit = await openPage(browser, server, { size: PHONE, path: `/s/${hash}` });
    const { page } = visit;
    await page.getByRole("heading", { name: "To the regatta" }).waitFor();
    await page.getByText("4.9 kn").waitFor();
    await expectAccessible(page);
    expectQuiet(visit);
    await server.delete(`/v1/share-links/${made.body.data.id}`, { token });
    await page.getByText("This link shows nothing").waitFor();
  });
});

describe.skipIf(!chromium)("oneself", () => {
  test("is shown with looks, sessions and a second factor to set up", async () => {
    const user = await staff(server);
    const visit = await openBridge(browser, server, user, { size: PHONE, at: "/me" });
    const { page } = visit;
    await page.getByText(user.username, { exact: true }).waitFor();
    await page.getByText("this one").waitFor();
    await expectAccessible(page);
    await page.getByLabel("Looks").selectOption({ label: "night (red)" });
    await page.locator("html[data-look=night]").waitFor();
    await page.getByRole("button", { name: "Set up" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("Secret, if the app can't scan").waitFor();
    const secret = (await dialog.locator("code").textContent()) ?? "";
    await dialog
      .getByLabel("Code", { exact: false })
      .first()
      .fill(await nextCode(server, secret));
    await dialog.getByRole("button", { name: "Switch on" }).click();
    await page.getByRole("dialog").getByRole("heading", { name: "Backup codes" }).waitFor();
    // It ends the user's other sessions unless that is unticked.
    expect((await server.get("/v1/users/me", { token: user.token })).status).toBe(401);
    await page.getByRole("dialog").getByRole("button").last().click();
    await page.getByText(/^On\. \d+ backup codes are left/).waitFor();
    expectQuiet(visit);
  });

  test("is taken along as a file, and is deleted after some days, or kept after all", async () => {
    const user = await staff(server);
    const visit = await openBridge(browser, server, user, { size: PHONE, at: "/me" });
    const { page } = visit;
    const downloaded = page.waitForEvent("download");
    await page.getByRole("button", { name: "Download", exact: true }).click();
    const archive = await downloaded;
    expect(archive.suggestedFilename()).toEndWith(".zip");
    expect(
      await Bun.file(await archive.path())
        .slice(0, 2)
        .text(),
    ).toBe("PK");
    await page.getByRole("button", { name: "Delete my account" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Current password").fill("a wrong password");
    await dialog.getByRole("button", { name: "Delete", exact: true }).click();
    await dialog.getByRole("alert").waitFor();
    await dialog.getByLabel("Current password").fill(user.password);
    await dialog.getByRole("button", { name: "Delete", exact: true }).click();
    await page.getByText("Your account will be deleted").waitFor();
    await expectAccessible(page);
    await page.getByRole("button", { name: "Keep" }).click();
    await page.getByRole("button", { name: "Delete my account" }).waitFor();
    const { body } = await server.get("/v1/users/me/deletion", { token: user.token });
    expect(body.scheduled_deletion_at).toBeNull();
  });
});

describe.skipIf(!chromium)("a change by whoever signed in a while ago", () => {
  test("asks who they are, and then goes on with what was typed", async () => {
    const late = await TestServer.start({ clock: "movable" });
    try {
      const user = await newUser(late);
      const { page } = await openBridge(browser, late, user, { size: PHONE, at: "/me" });
      await late.advance(11 * MINUTE);
      await page.getByRole("button", { name: "Change the email address" }).click();
      await page.getByLabel("New email address").fill("newer@example.org");
      await page.getByRole("button", { name: "Save" }).click();
      const question = page.getByRole("dialog", { name: "Is it you?" });
      await expectAccessible(page);
      expect(await question.getByLabel("Code of the second factor").count()).toBe(0);
      await question.getByLabel("Password", { exact: true }).fill("not this one");
      await question.getByRole("button", { name: "Confirm" }).click();
      await question.getByRole("alert").waitFor();
      await question.getByLabel("Password", { exact: true }).fill(user.password);
      await question.getByRole("button", { name: "Confirm" }).click();
      await gone(question);
      await page.getByText("newer@example.org").waitFor();
      await gone(page.getByText("Your session has ended"));

      // Whoever has a second factor gives both.
      const careful = await guarded(late);
      const { page: other } = await openPage(browser, late, { size: PHONE, at: "/me" });
      await other.getByLabel(/^Username or email/).fill(careful.username);
      await other.getByLabel(/^Password/).fill(careful.password);
      await other.getByRole("button", { name: "Sign in" }).click();
      await other.getByLabel(/code/i).fill(await nextCode(late, careful.secret));
      await other.getByRole("button", { name: "Confirm", exact: true }).click();
      await other.locator(".shell").waitFor();
      await late.advance(11 * MINUTE);
      await other.getByRole("button", { name: "Change the email address" }).click();
      await other.getByLabel("New email address").fill("careful@example.org");
      await other.getByRole("button", { name: "Save" }).click();
      const both = other.getByRole("dialog", { name: "Is it you?" });
      await both.getByLabel("Password", { exact: true }).fill(careful.password);
      await both.getByRole("button", { name: "Confirm" }).click();
      // Without the code, the form isn't sent.
      await both.getByLabel("Code of the second factor").fill(await nextCode(late, careful.secret));
      await expectAccessible(other);
      await both.getByRole("button", { name: "Confirm" }).click();
      await gone(both);
      await other.getByText("careful@example.org").waitFor();
    } finally {
      await late.stop();
    }
  });
});

describe.skipIf(!chromium)("a server that goes away for a while", () => {
  test("is told of, and what was missed is caught up with", async () => {
    const settings = { "server.port": String(await freePort()) };
    const first = await TestServer.start({ settings });
    const token = await first.admin();
    const { id } = (await first.post("/v1/devices", { token, body: { name: "Vilm" } })).body.data;
    const send = async (to: TestServer, latitude: number) => {
      const speeds = { speed_kmh: 9, speed_mps: 2.5, speed_mph: 5.6, speed_knots: 4.9 };
      const place = { latitude, longitude: 13.4, timestamp: Math.floor(Date.now() / 1_000) };
      const body = { ...speeds, ...place, device_id: id };
      expect((await to.post("/v1/gps", { token, body })).status).toBe(201);
    };
    await send(first, 54.1);
    const { page } = await openBridge(browser, first, ADMIN, { size: PHONE, at: `/devices/${id}` });
    await page.getByText("54° 06.00′ N").waitFor();
    await first.stop();
    const lost = page.getByText("Connection lost");
    await lost.waitFor();
    const second = await TestServer.start({ dataDir: first.dataDir, settings });
    try {
      await send(second, 54.2);
      await page.getByText("54° 12.00′ N").waitFor();
      await lost.waitFor({ state: "detached" });
    } finally {
      await second.stop();
    }
  });
});
