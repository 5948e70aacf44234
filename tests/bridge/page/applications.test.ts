import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { codeFor, exchange, newClient } from "../../identity/oauth/support";
import { type Browser, chromium, startBrowser } from "../../support/browser";
import { done } from "../../support/expectations";
import { newUser, staff } from "../../support/people";
import { ADMIN, TestServer } from "../../support/server";
import { DESKTOP, expectAccessible, expectQuiet, openBridge, PHONE, WALK } from "./support";

/** Applications on the page: what each may do for oneself, and what an administrator lets it ask for. */

setDefaultTimeout(WALK);

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

describe.skipIf(!chromium)("consents", () => {
  test("say in plain words what each application may do, and end its tokens after one question", async () => {
    const user = await staff(server, "gps:read");
    const client = await newClient(server, { name: "Crew app" }, { approved: ["gps:read"] });
    const scope = "openid offline_access gps:read";
    const { code, verifier } = await codeFor(server, client, user.token, { scope });
    const { access_token } = done(await exchange(server, client, code, verifier));
    expect((await server.get("/v1/gps", { token: access_token })).status).toBe(200);

    const visit = await openBridge(browser, server, user, { size: PHONE, at: "/me" });
    const { page } = visit;
    const card = page.locator(".card", { hasText: "Crew app" });
    await card.getByText("Read positions and hear new ones").waitFor();
    await card.getByText("Go on while you are away").waitFor();
    await expectAccessible(page);
    await card.getByRole("button", { name: "Take it back" }).click();
    const dialog = page.getByRole("dialog", { name: "Take back what Crew app may do" });
    await expectAccessible(page);
    await dialog.getByRole("button", { name: "Cancel" }).click();
    expect((await server.get("/v1/gps", { token: access_token })).status).toBe(200);
    await card.getByRole("button", { name: "Take it back" }).click();
    await dialog.getByRole("button", { name: "Take it back" }).click();
    await page.getByText("no application may do anything in your name").waitFor();
    expect((await server.get("/v1/gps", { token: access_token })).status).toBe(401);
    expectQuiet(visit);
  });

  test("that end elsewhere go from the page, in German too", async () => {
    // Whoever sees nothing that changes has no socket either.
    const user = await staff(server, "gps:read");
    const client = await newClient(server, { name: "Bordbuch" });
    await codeFor(server, client, user.token, { scope: "openid" });
    const visit = await openBridge(browser, server, user, { size: DESKTOP, at: "/me", language: "de" });
    const { page } = visit;
    const card = page.locator(".card", { hasText: "Bordbuch" });
    await card.getByText("Wissen, dass du es bist").waitFor();
    const { data } = (await server.get("/v1/users/me/consents", { token: user.token })).body;
    expect((await server.delete(`/v1/users/me/consents/${data[0].id}`, { token: user.token })).status).toBe(
      204,
    );
    await page.getByText("Keine Anwendung darf etwas in deinem Namen tun").waitFor();
    expectQuiet(visit);
  });
});

describe.skipIf(!chromium)("OAuth clients", () => {
  test("of others are approved by an administrator, permission by permission", async () => {
    const owner = await newUser(server);
    const scopes = ["openid", "gps:read", "devices:read"];
    const client = await newClient(
      server,
      { name: "Plotter", allowed_scopes: scopes },
      { token: owner.token },
    );
    const visit = await openBridge(browser, server, ADMIN, { size: DESKTOP, at: "/admin/clients" });
    const { page } = visit;
    const card = page.locator(".card", { hasText: "Plotter" });
    await card.getByText("2 permissions wait for approval").waitFor();
    await card.getByRole("button", { name: "Approve permissions" }).click();
    await card.getByRole("checkbox", { name: "Read positions and hear new ones (gps:read)" }).check();
    await expectAccessible(page);
    await card.getByRole("button", { name: "Save" }).click();
    await card.getByText("One permission waits for approval").waitFor();
    const stored = async () =>
      (await server.get(`/v1/oauth/clients/${client.id}`, { token: owner.token })).body.data;
    expect((await stored()).approved_scopes).toEqual(["gps:read"]);

    await card.getByRole("button", { name: "Change" }).click();
    await card.getByLabel("Addresses after a sign-out").fill("https://app.example/goodbye");
    await card.getByLabel("May ask for").fill("openid gps:read");
    await card.getByRole("checkbox", { name: /belongs to this installation/ }).check();
    await expectAccessible(page);
    await card.getByRole("button", { name: "Save" }).click();
    await card.getByText("first-party").waitFor();
    await card.getByText("https://app.example/goodbye").waitFor();
    expect(await stored()).toMatchObject({
      is_first_party: true,
      allowed_scopes: ["openid", "gps:read"],
      post_logout_redirect_uris: ["https://app.example/goodbye"],
    });
    expectQuiet(visit);
  });

  test("of one's own are registered with the scopes that they may ask for, and approved by somebody else", async () => {
    const user = await newUser(server);
    const token = await server.admin();
    const role = done(await server.post("/v1/roles", { token, body: { name: "Makes clients" } })).data.id;
    const { data: permissions } = (await server.get("/v1/permissions", { token })).body;
    for (const action of ["read", "write"]) {
      const { id } = permissions.find(
        (each: { resource: string; action: string }) =>
          each.resource === "oauth_clients" && each.action === action,
      );
      done(await server.post(`/v1/roles/${role}/permissions`, { token, body: { permission_id: id } }));
    }
    done(await server.post(`/v1/users/${user.id}/roles`, { token, body: { role_id: role } }));
    const visit = await openBridge(browser, server, user, {
      size: PHONE,
      at: "/admin/clients",
      language: "de",
    });
    const { page } = visit;
    await page.getByRole("button", { name: "Client anmelden" }).click();
    await page.getByLabel("Name").fill("Meiner");
    await page.getByLabel("Adressen, zu denen zurückgeschickt wird").fill("https://app.example/zurueck");
    await page.getByLabel("Darf verlangen").fill("openid gps:read");
    await page.getByRole("button", { name: "Client anmelden" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Fertig" }).click();
    const card = page.locator(".card", { hasText: "Meiner" });
    await card.getByText("Ein Recht wartet auf Freigabe").waitFor();
    expect(await card.getByRole("button", { name: "Rechte freigeben" }).count()).toBe(0);
    expect(await page.locator(".card", { hasText: "Plotter" }).count()).toBe(0);
    await expectAccessible(page);
    expectQuiet(visit);
  });
});
