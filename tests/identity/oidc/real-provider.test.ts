import { afterAll, beforeAll, expect, spyOn, test } from "bun:test";
import { RealOidc } from "../../stand-ins/real-oidc";
import { done } from "../../support/expectations";
import { newRole } from "../../support/roles";
import { TestServer } from "../../support/server";
import { Browser, newAccount } from "./support";

/** A provider that others wrote, to the standard: the way there and back, claims, roles, and a sign-in anew. */

let provider: RealOidc;
let server: TestServer;
let mistaken: TestServer;

beforeAll(async () => {
  // It warns of what it lacks for anything but a test.
  for (const kind of ["warn", "info"] as const) spyOn(console, kind).mockImplementation(() => {});
  provider = await RealOidc.start();
  server = await TestServer.start({
    settings: provider.settings("real", {
      allow_registration: "true",
      trust_email: "true",
      role_map: "crew=Crew 1",
    }),
  });
  await newRole(server, "gps:read");
  mistaken = await TestServer.start({
    settings: provider.settings("real", { client_secret: "another secret" }),
  });
  provider.serve([server, mistaken].map(({ url }) => `${url}/v1/auth/oidc/real/callback`));
});
afterAll(async () => {
  await Promise.all([server.stop(), mistaken.stop()]);
  await provider.stop();
});

/** Goes on at the provider from page to page until it sends the browser back, and opens the call-back. */
async function throughProvider(browser: Browser, address: string) {
  let url = address;
  for (let steps = 0; steps < 10 && !url.startsWith(`${browser.server.url}/`); steps++) {
    const step = await browser.open(url);
    if (!step.to) throw new Error(`the provider stops: ${step.status} ${step.html}`);
    url = new URL(step.to, url).href;
  }
  const step = await browser.open(url);
  return {
    code: /#\/elsewhere\/\w+\/([\w-]{43})$/.exec(step.to ?? "")?.[1] ?? null,
    reason: /<code>(\w+)<\/code>/.exec(step.html)?.[1] ?? null,
  };
}

test("signs a new user in with name, address and role, told by the endpoint about the user", async () => {
  provider.account = newAccount({ groups: ["crew"] });
  const browser = new Browser(server);
  const begun = await browser.begin("real");
  const { code, reason } = await throughProvider(browser, begun.to ?? "");
  expect(reason).toBeNull();
  const session = done(await browser.asPage("POST", "/bridge/session/oidc", { code }));
  const token = browser.cookies.get("fairlead_session") ?? "";
  const { data } = done(await server.get("/v1/users/me", { token }));
  expect(data).toMatchObject({ id: session.user_id, email: provider.account.email });
  expect(data.permissions).toContain("gps:read");
});

test("signs the user in again there, to prove who it is", async () => {
  provider.account = newAccount();
  const browser = new Browser(server);
  const first = await throughProvider(browser, (await browser.begin("real")).to ?? "");
  done(await browser.asPage("POST", "/bridge/session/oidc", { code: first.code }));
  const begun = done(await browser.asPage("POST", "/v1/auth/oidc/real/reauthenticate", {}));
  const { code, reason } = await throughProvider(browser, begun.authorization_url);
  expect(reason).toBeNull();
  expect((await browser.asPage("POST", "/v1/auth/reauthenticate", { oidc_code: code })).status).toBe(200);
});

test("refuses an installation whose secret is wrong, whose page says so", async () => {
  provider.account = newAccount();
  const browser = new Browser(mistaken);
  const { code, reason } = await throughProvider(browser, (await browser.begin("real")).to ?? "");
  expect([code, reason]).toEqual([null, "client_refused"]);
});
