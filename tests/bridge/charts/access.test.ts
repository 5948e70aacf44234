import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { chartsOf, png, twoTiles, writeMbtiles } from "../../support/charts";
import { expectRefused, expectStatus } from "../../support/expectations";
import { newUser } from "../../support/people";
import { ADMIN, TestServer } from "../../support/server";
import { newTracker } from "../../tracking/doors/support";

/** The built-in map is anybody's, the operator's charts are those of signed-in callers. */

let server: TestServer;
beforeAll(async () => {
  server = await TestServer.start();
  mkdirSync(join(server.dataDir, "charts"));
  writeMbtiles(join(server.dataDir, "charts", "harbour.mbtiles"), { tiles: twoTiles(png()) });
});
afterAll(() => server.stop());

const TILE = "/v1/charts/harbour/0/0/0";
const COAST = "/v1/charts/coast/0/0/0";
const PAGE = { "x-fairlead-page": "1" };

async function pageCookie(): Promise<string> {
  const answer = await server.post("/bridge/session", {
    headers: PAGE,
    body: { identifier: ADMIN.username, password: ADMIN.password },
  });
  return expectStatus(answer, 200).headers.get("set-cookie")?.split(";")[0] ?? "";
}

const namesFor = async (headers: Record<string, string>): Promise<string[]> =>
  expectStatus(await server.get("/v1/charts", { headers }), 200).body.data.map(
    ({ name }: { name: string }) => name,
  );

describe("a stranger", () => {
  test("sees the built-in map and its tiles", async () => {
    expect(await namesFor({})).toEqual(["coast"]);
    expectStatus(await server.get(COAST), 200);
  });

  test("gets no tile of another chart, and does not learn whether there is one", async () => {
    const refusal = expectStatus(await server.get(TILE), 401).body;
    for (const path of ["/v1/charts/none/0/0/0", "/v1/charts/harbour/2/3/3", "/v1/charts/harbour/9/0/0"])
      expect(expectStatus(await server.get(path), 401).body).toEqual(refusal);
  });

  test.each([
    ["an unknown session", `Bearer ses_${"x".repeat(43)}`],
    ["an unknown key", `Bearer flk_${"x".repeat(43)}`],
    ["the token of a link", `Share ${"x".repeat(43)}`],
    ["a password", `Basic ${btoa("admin:correct horse battery")}`],
  ])("with %s is refused, but for tiles of the built-in map", async (_, authorization) => {
    for (const path of ["/v1/charts", TILE])
      expectRefused(await server.get(path, { headers: { authorization } }), 401, "Unauthorized");
    expectStatus(await server.get(COAST, { headers: { authorization } }), 200);
  });
});

describe("a caller", () => {
  test("sees all charts with a session or a key, whatever it may do besides", async () => {
    const user = await newUser(server);
    const key = await server.key("gps:write");
    for (const token of [user.token, key, server.systemKey]) {
      expect([...(await chartsOf(server, token)).keys()]).toEqual(["coast", "harbour"]);
      expectStatus(await server.get(TILE, { token }), 200);
    }
  });

  test("sees none any more once the session has ended", async () => {
    const { token } = await newUser(server);
    expectStatus(await server.post("/v1/auth/logout", { token }), 200);
    expectRefused(await server.get("/v1/charts", { token }), 401, "Unauthorized");
    expectRefused(await server.get(TILE, { token }), 401, "Unauthorized");
  });

  test("with a tracker's token is refused", async () => {
    const { token } = await newTracker(server, "generic");
    expectRefused(await server.get(TILE, { token }), 401, "Unauthorized");
  });
});

describe("the cookie of a page", () => {
  test("counts beside the header of pages", async () => {
    const headers = { ...PAGE, cookie: await pageCookie() };
    expect(await namesFor(headers)).toEqual(["coast", "harbour"]);
    expectStatus(await server.get(TILE, { headers }), 200);
  });

  test("counts for nothing without that header, and on pages of others", async () => {
    const cookie = await pageCookie();
    for (const headers of [{ cookie }, { cookie, ...PAGE, origin: "https://evil.example" }]) {
      expect(await namesFor(headers)).toEqual(["coast"]);
      expectRefused(await server.get(TILE, { headers }), 401, "Unauthorized");
    }
  });
});
