import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { type Browser, chromium, startBrowser, type Visit } from "../../support/browser";
import { done, soon } from "../../support/expectations";
import { newUser } from "../../support/people";
import { write } from "../../support/rows";
import { ADMIN, TestServer } from "../../support/server";
import { giveTo } from "../../sync/support";
import { DESKTOP, expectAccessible, expectQuiet, gone, openBridge, PHONE, TABLET, WALK } from "./support";

/** The administration on the page. */

setDefaultTimeout(WALK);

let server: TestServer;
let browser: Browser;
let visit: Visit;

beforeAll(async () => {
  if (!chromium) return;
  [server, browser] = await Promise.all([TestServer.start(), startBrowser(chromium)]);
  visit = await openBridge(browser, server, ADMIN, { size: TABLET, at: "/admin" });
});
afterAll(async () => {
  if (!chromium) return;
  await Promise.all([server.stop(), browser.stop()]);
});

const bearing = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });

const open = (part: string) =>
  visit.page.evaluate((part) => {
    location.hash = `/admin/${part}`;
  }, part);

describe.skipIf(!chromium)("the administration", () => {
  test("makes a role with a permission, and gives it to a user", async () => {
    const { page } = visit;
    const user = await newUser(server);
    await open("roles");
    await page.getByRole("button", { name: "Make a role" }).click();
    await page.getByLabel("Name").fill("Deck");
    await page.getByRole("button", { name: "Make a role" }).click();
    await page.getByRole("heading", { name: "Deck" }).waitFor();
    await page.getByRole("group", { name: "gps" }).getByLabel("read", { exact: true }).check();
    await open("users");
    await page.getByRole("link", { name: new RegExp(user.username) }).click();
    await page.getByLabel("Give a role").selectOption({ label: "Deck" });
    await page.getByRole("button", { name: "Give a role" }).click();
    await page.getByRole("button", { name: "Take the role Deck" }).waitFor();
    await soon(async () => {
      const { body } = await server.get(`/v1/users/${user.id}/permissions`, { token: server.systemKey });
      expect(JSON.stringify(body)).toContain("gps:read");
    });

    await page.getByRole("button", { name: "Ban", exact: true }).click();
    await page.getByLabel(/^Reason/).fill("Lost the boat");
    await page.getByRole("dialog").getByRole("button", { name: "Ban" }).click();
    await page.getByText(/Banned for good: Lost the boat/).waitFor();
    await page.getByRole("button", { name: "Lift the ban" }).click();
    await page.getByRole("button", { name: "Ban", exact: true }).waitFor();
    await expectAccessible(page);
  });

  test("takes a user's deletion back, deletes them, and erases them at once", async () => {
    const { page } = visit;
    const user = await newUser(server);
    const statusOf = async () =>
      done(await server.get(`/v1/admin/users/${user.id}/deletion-status`, { token: server.systemKey }));
    const body = { password: user.password };
    done(await server.post("/v1/users/me/deletion", { token: user.token, body }));
    await open(`users/${user.id}`);
    await page.getByText("Will be erased").waitFor();
    await page.getByText(user.email, { exact: true }).waitFor();
    await expectAccessible(page);
    await page.getByRole("button", { name: "Cancel the deletion" }).click();
    await gone(page.getByText("Will be erased"));
    expect((await statusOf()).scheduled_deletion_at).toBeNull();

    await page.getByRole("button", { name: "Delete this user" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await page.getByText("Deleted", { exact: true }).waitFor();
    await gone(page.getByRole("button", { name: "Delete this user" }));
    expect((await server.get("/v1/users/me", { token: user.token })).status).toBe(401);
    await expectAccessible(page);

    await page.getByRole("button", { name: "Erase at once" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Erase at once" }).click();
    await page.getByRole("link", { name: new RegExp(ADMIN.username) }).waitFor();
    await gone(page.getByRole("link", { name: new RegExp(user.username) }));
  });

  test("makes a backup, shows it once it is made, and says what the doctor finds", async () => {
    const { page } = visit;
    await open("server");
    const backups = page.locator(".section", { hasText: "Make one now" });
    await backups.getByText("There are none yet.").waitFor();
    await backups.getByRole("button", { name: "Make one now" }).click();
    await page.getByText("The backup has begun.").waitFor();
    // Nobody has to look again for it.
    await backups.getByText(/fairlead-.*\.db/).waitFor();
    await gone(backups.getByText("There are none yet."));
    const findings = page.locator(".section", { hasText: "What the doctor finds" });
    await findings.locator(".row").first().waitFor();
    const told = (await server.get("/v1/admin/doctor", { token: await server.admin() })).body.data.findings;
    expect(await findings.locator(".row").count()).toBe(told.length);
    await findings.getByRole("button", { name: "Look again" }).click();
    await expectAccessible(page);
  });

  test("shows a key once, to copy and to scan", async () => {
    const { page } = visit;
    await open("keys");
    await page.getByRole("button", { name: "Make a key" }).first().click();
    await page.getByLabel("Name").fill("Logger");
    await page.getByLabel("everything").check();
    await page.getByRole("button", { name: "Make a key" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("img", { name: "The key" }).waitFor();
    const key = (await dialog.locator("code").textContent()) ?? "";
    expect((await server.get("/v1/devices", { token: key })).status).toBe(200);
    await expectAccessible(page);
    // Nobody can read it again: only the button closes it, also where a browser has heard Escape often enough.
    for (let press = 0; press < 4; press++) await page.keyboard.press("Escape");
    await dialog.getByText(key).waitFor();
    await dialog.getByRole("button", { name: "Done" }).click();
    await gone(page.getByText(key));
  });

  test("adds a boat, shows its token once and its state from then on, and what it hands down", async () => {
    const { page } = visit;
    await page.setViewportSize(PHONE);
    await open("boxes");
    await page.getByText("No boats yet").waitFor();
    await page.getByRole("button", { name: "Add a boat" }).click();
    await page.getByLabel("Name").fill("Greif");
    await page.getByRole("button", { name: "Add a boat" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("img", { name: "The same lines to scan" }).waitFor();
    const setup = (await dialog.locator("code").first().textContent()) ?? "";
    const { sync } = Bun.TOML.parse(setup) as { sync: { url: string; token: string } };
    expect((await fetch(`${server.url}/v1/sync/set`, bearing(sync.token))).status).toBe(200);
    await expectAccessible(page);
    await dialog.getByRole("button", { name: "Done" }).click();
    await gone(page.getByText(sync.token));
    await page.getByText("not heard yet").waitFor();

    const [box] = (await server.get("/v1/sync/boxes", { token: await server.admin() })).body.data;
    const device = await server.device("Greif's receiver");
    giveTo(server, box.id, "devices", device.id);
    write(
      server,
      `UPDATE boxes SET last_contact_at = ${Date.now() - 60_000}, backlog_estimate = 1440, clock_offset_ms = -90000,
       version = '0.3.0', assigned_version = 3, applied_version = 2, error = 'alert rule Fast: device_ids.0 is no device',
       skipped_rows = 72, refused_rows = 1, bytes_today = 184320, bytes_date = date('now') WHERE id = '${box.id}'`,
    );
    // Written beside the server, nothing tells of it.
    await page.reload();
    const card = page.getByRole("region", { name: "Greif" });
    for (const text of [
      "linked",
      "1,440 rows",
      "72 rows",
      "Refused here",
      "0.18 MB",
      "90 s behind",
      "version 3, it still has 2",
      "is no device",
    ])
      await card.getByText(text).waitFor();
    await expectAccessible(page);
    await page.setViewportSize(DESKTOP);
    await card.getByRole("link", { name: "Greif's receiver" }).click();
    await page.getByText("This comes from the boat “Greif”, and is changed aboard.").waitFor();
    await gone(page.getByText("Apps and trackers"));
    await expectAccessible(page);

    await open("boxes");
    await card.getByRole("button", { name: "Rename" }).click();
    await dialog.getByLabel("Name").fill("Möwe");
    await dialog.getByRole("button", { name: "Save" }).click();
    const renamed = page.getByRole("region", { name: "Möwe" });
    await renamed.getByRole("button", { name: "New token" }).click();
    await dialog.getByRole("button", { name: "New token" }).click();
    await dialog.getByRole("img", { name: "The same lines to scan" }).waitFor();
    expect((await fetch(`${server.url}/v1/sync/set`, bearing(sync.token))).status).toBe(401);
    await dialog.getByRole("button", { name: "Done" }).click();

    await renamed.getByRole("button", { name: "Send everything again" }).click();
    await dialog.getByRole("button", { name: "Send everything again" }).click();
    await dialog.waitFor({ state: "detached" });

    await page.evaluate(() => {
      location.hash = "/alerts/rules/new";
    });
    await page.getByLabel("Name").fill("Leaves at night");
    await page.getByRole("group", { name: "Boats that watch it too" }).getByLabel("Möwe").check();
    await page.getByRole("button", { name: "Make the rule" }).click();
    await page.getByRole("link", { name: /^Leaves at night/ }).waitFor();
    const { data: rules } = (await server.get("/v1/alert-rules", { token: await server.admin() })).body;
    expect(rules.map(({ box_ids }: { box_ids: string[] }) => box_ids)).toEqual([[box.id]]);

    await open("boxes");
    await renamed.getByRole("button", { name: "Delete this boat: Möwe" }).click();
    await dialog.getByRole("button", { name: "Delete" }).click();
    await page.getByText("No boats yet").waitFor();
    await page.setViewportSize(TABLET);
  });

  test("finds events of the audit log by their kind", async () => {
    const { page } = visit;
    await open("audit");
    await page.getByLabel("Kind of event").fill("role_created");
    await page
      .getByRole("button", { name: /role_created/ })
      .first()
      .waitFor();
    await page.getByRole("button", { name: /login/ }).first().waitFor({ state: "detached" });
    await expectAccessible(page);
  });

  test("shows and changes each other part, and ends with a clean console", async () => {
    const { page } = visit;
    await page.setViewportSize(DESKTOP);
    await open("clients");
    await page.getByRole("button", { name: "Register a client" }).click();
    await page.getByLabel("Name").fill("Plotter");
    await page.getByLabel("Addresses to be sent back to").fill("https://plotter.example/back");
    await page.getByRole("button", { name: "Register a client" }).click();
    await page.getByRole("dialog").getByText("Client identifier").waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Done" }).click();
    await open("configuration");
    await page.getByRole("button", { name: "Add a setting" }).click();
    await page.getByLabel("Name", { exact: true }).fill("harbour.name");
    await page.getByLabel("Value, as JSON").fill("Lauterbach");
    await page.locator(".card", { hasText: "Value, as JSON" }).getByRole("button", { name: "Save" }).click();
    await page.getByText("The value is no JSON").waitFor();
    await page.getByLabel("Value, as JSON").fill('"Lauterbach"');
    await page.locator(".card", { hasText: "Value, as JSON" }).getByRole("button", { name: "Save" }).click();
    await page.getByText("harbour.name").waitFor();
    await expectAccessible(page);
    await open("integrations");
    await page.getByText("No connected accounts").waitFor();
    await open("server");
    await page.getByText("What the doctor finds").waitFor();
    await page.getByRole("listitem").filter({ hasText: "Live updates" }).getByText("works").waitFor();
    await page.locator(".tag.good").first().waitFor();
    await expectAccessible(page);
    // The last tab is brought into view, and nothing else moves.
    for (const size of [DESKTOP, TABLET, PHONE]) {
      await page.setViewportSize(size);
      await open("users");
      await page.getByRole("link", { name: "Invite somebody" }).or(page.locator(".rows")).first().waitFor();
      await open("server");
      const tab = page.getByRole("link", { name: "Server" });
      await soon(async () => {
        const box = await tab.boundingBox();
        expect(box && box.x >= 0 && box.x + box.width <= size.width).toBe(true);
      });
      expect((await page.locator(".shell .nav").boundingBox())?.x).toBe(0);
    }
    expectQuiet(visit);
  });
});
