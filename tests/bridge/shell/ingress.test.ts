import { afterAll, beforeAll, expect, test } from "bun:test";
import { ADMIN, TestServer } from "../../support/server";

/** The page in the frame of Home Assistant, whose ingress serves it below a path. */

const INGRESS = "/api/hassio_ingress/kq1L9fY6mB4tVhJ2-sNc";
let server: TestServer;
beforeAll(async () => {
  server = await TestServer.start({ settings: { "server.trusted_proxies": "127.0.0.1" } });
  await server.admin();
});
afterAll(() => server.stop());

const request = (path: string, headers: Record<string, string>, init: RequestInit = {}) =>
  fetch(server.url + path, { ...init, headers });
const signIn = (headers: Record<string, string>) =>
  request(
    "/bridge/session",
    { "content-type": "application/json", "x-fairlead-page": "1", ...headers },
    {
      method: "POST",
      body: JSON.stringify({ identifier: ADMIN.username, password: ADMIN.password }),
    },
  );
const policyOf = async (headers: Record<string, string>) =>
  (await request("/", headers)).headers.get("content-security-policy");

test("may be framed by its own origin there, and by nobody elsewhere", async () => {
  expect(await policyOf({ "x-ingress-path": INGRESS })).toContain("frame-ancestors 'self';");
  for (const path of ["", "/", "//evil.example", "/a;b", `/${"a".repeat(200)}`])
    expect(await policyOf({ "x-ingress-path": path })).toContain("frame-ancestors 'none';");
  expect(await policyOf({})).toContain("frame-ancestors 'none';");
});

test("keeps its session from the other add-ons of the origin", async () => {
  const https = { "x-ingress-path": INGRESS, "x-forwarded-proto": "https" };
  const cookie = (await signIn(https)).headers.get("set-cookie") ?? "";
  expect(cookie).toStartWith("fairlead_session=ses_");
  expect(cookie).toMatch(/; Path=\/api\/hassio_ingress\/kq1L9fY6mB4tVhJ2-sNc\/; Secure$/);
  const [pair = ""] = cookie.split(";");
  const page = { ...https, cookie: pair, "x-fairlead-page": "1" };
  expect((await request("/v1/users/me", page)).status).toBe(200);

  const out = await request("/bridge/session", page, { method: "DELETE" });
  expect(out.status).toBe(204);
  expect(out.headers.get("set-cookie")).toContain(`; Path=${INGRESS}/;`);
  // It would sign out of Home Assistant too.
  expect(out.headers.get("clear-site-data")).toBeNull();
  expect((await request("/v1/users/me", page)).status).toBe(401);
});

test("believes the path of a trusted proxy alone", async () => {
  const open = await TestServer.start();
  try {
    const { headers } = await fetch(open.url, { headers: { "x-ingress-path": INGRESS } });
    expect(headers.get("content-security-policy")).toContain("frame-ancestors 'none';");
  } finally {
    await open.stop();
  }
});
