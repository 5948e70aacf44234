import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { rawRequest } from "../../support/raw-http";
import { TestServer } from "../../support/server";

let trusting: TestServer;
let elsewhere: TestServer;
let plain: TestServer;
beforeAll(async () => {
  const start = (proxies: string) => TestServer.start({ settings: { "server.trusted_proxies": proxies } });
  [trusting, elsewhere, plain] = await Promise.all([
    start("127.0.0.0/8,10.0.0.0/8,2001:db8:ffff::/48"),
    start("10.0.0.0/8"),
    TestServer.start(),
  ]);
});
afterAll(() => Promise.all([trusting, elsewhere, plain].map((server) => server.stop())));

/** The client's address as GET /v1 tells it, with these X-Forwarded-For headers. */
async function seenBy(server: TestServer, ...forwarded: string[]): Promise<string> {
  const headers = forwarded.map((value): [string, string] => ["x-forwarded-for", value]);
  return JSON.parse((await rawRequest(server, { path: "/v1", headers })).body).client.ip;
}

describe("X-Forwarded-For is believed", () => {
  test("from a trusted proxy", async () => {
    expect(await seenBy(trusting, "203.0.113.9")).toBe("203.0.113.9");
    expect(await seenBy(trusting, "2001:db8::9")).toBe("2001:db8::9");
    expect(await seenBy(trusting, "::ffff:203.0.113.9")).toBe("203.0.113.9");
    expect(await seenBy(trusting, "  203.0.113.9  ")).toBe("203.0.113.9");
  });

  test("to the last hop that is no trusted proxy: what stands left of it may be made up", async () => {
    expect(await seenBy(trusting, "1.2.3.4, 203.0.113.9")).toBe("203.0.113.9");
    expect(await seenBy(trusting, "1.2.3.4,203.0.113.9,10.1.2.3, 10.9.9.9")).toBe("203.0.113.9");
    expect(await seenBy(trusting, "203.0.113.9, 2001:db8:ffff::1")).toBe("203.0.113.9");
    expect(await seenBy(trusting, "10.0.0.1, 10.0.0.2")).toBe("10.0.0.1");
  });

  test("when it comes in several headers, in their order", async () => {
    expect(await seenBy(trusting, "1.2.3.4", "203.0.113.9, 10.1.2.3")).toBe("203.0.113.9");
    expect(await seenBy(trusting, "203.0.113.9", "10.1.2.3")).toBe("203.0.113.9");
  });

  test("no further than it can be read", async () => {
    for (const value of ["", "unknown", "203.0.113.9:1234x", "<script>", "300.1.1.1", ","])
      expect([value, await seenBy(trusting, value)]).toEqual([value, "127.0.0.1"]);
    expect(await seenBy(trusting, "203.0.113.9, unknown, 10.1.2.3")).toBe("10.1.2.3");
  });

  test("from nobody else", async () => {
    for (const server of [elsewhere, plain]) {
      expect(await seenBy(server, "203.0.113.9")).toBe("127.0.0.1");
      expect(await seenBy(server, "203.0.113.9, 10.1.2.3")).toBe("127.0.0.1");
    }
  });
});

describe("X-Forwarded-Proto is believed", () => {
  /** True if the session cookie counts for a page loaded over https: the server must know that it was. */
  async function cookieCounts(server: TestServer, protocol: string | null): Promise<boolean> {
    const { host } = new URL(server.url);
    const headers: [string, string][] = [
      ["cookie", `fairlead_session=${await server.admin()}`],
      ["origin", `https://${host}`],
    ];
    if (protocol !== null) headers.push(["x-forwarded-proto", protocol]);
    // An authenticated request without the handshake's headers is 426.
    return (await rawRequest(server, { path: "/v1/ws", headers })).status === 426;
  }

  test("from a trusted proxy and from nobody else", async () => {
    expect(await cookieCounts(trusting, "https")).toBe(true);
    expect(await cookieCounts(trusting, "http, https")).toBe(true);
    expect(await cookieCounts(trusting, null)).toBe(false);
    expect(await cookieCounts(trusting, "http")).toBe(false);
    expect(await cookieCounts(elsewhere, "https")).toBe(false);
    expect(await cookieCounts(plain, "https")).toBe(false);
  });
});

describe("limits per address", () => {
  test("count the client's address behind a trusted proxy, and the peer's otherwise", async () => {
    const limited = { "rate_limit.enabled": "true", "rate_limit.login": "2/600" };
    const [behind, direct] = await Promise.all([
      TestServer.start({ settings: { ...limited, "server.trusted_proxies": "127.0.0.1" } }),
      TestServer.start({ settings: limited }),
    ]);
    try {
      const statuses = async (server: TestServer) => {
        const seen: number[] = [];
        for (const [at, address] of ["192.0.2.1", "192.0.2.1", "192.0.2.1", "192.0.2.2"].entries()) {
          const body = { identifier: `nobody${at}`, password: "x" };
          seen.push(
            (await server.post("/v1/auth/login", { body, headers: { "x-forwarded-for": address } })).status,
          );
        }
        return seen;
      };
      expect(await statuses(behind)).toEqual([401, 401, 429, 401]);
      expect(await statuses(direct)).toEqual([401, 401, 429, 429]);
    } finally {
      await Promise.all([behind.stop(), direct.stop()]);
    }
  });
});
