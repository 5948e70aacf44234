import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { newUser } from "../support/people";
import { RawClient } from "../support/raw-socket";
import { TestServer } from "../support/server";
import { Client, type Credentials } from "../support/socket";
import { adminSession } from "./support";

const ALLOWED_ORIGIN = "https://app.example";

let server: TestServer;
let session: string;
let key: string;
beforeAll(async () => {
  server = await TestServer.start({ settings: { "server.cors_origins": `*,${ALLOWED_ORIGIN}` } });
  session = await server.admin();
  key = await server.key("gps:read");
});
afterAll(() => server.stop());

const INVALID = `ses_${"x".repeat(43)}`;
const INVALID_KEY = `flk_${"x".repeat(43)}`;
const cookie = (token: string, origin?: string): Credentials => ({
  headers: { cookie: `fairlead_session=${token}`, ...(origin !== undefined && { origin }) },
});

/** The status of a whole handshake; expects of a refused one that nothing was opened. */
async function handshake(credentials: Credentials): Promise<number> {
  const client = await RawClient.open(server, credentials);
  client.cut();
  return client.status;
}

describe("the WebSocket handshake takes", () => {
  test("an API key or a session token in the Authorization header", async () => {
    expect(await handshake({ bearer: key })).toBe(101);
    expect(await handshake({ bearer: session })).toBe(101);
    expect(await handshake({ bearer: server.systemKey })).toBe(101);
  });

  test("a session token in the query parameter token", async () => {
    expect(await handshake({ token: session })).toBe(101);
  });

  test("the session cookie with the server's own origin", async () => {
    const { host, port } = new URL(server.url);
    expect(await handshake(cookie(session, `http://${host}`))).toBe(101);
    // server.public_url, which is http://localhost:PORT by default.
    expect(await handshake(cookie(session, `http://localhost:${port}`))).toBe(101);
  });

  test("the session cookie with an origin of server.cors_origins, and beside other cookies", async () => {
    expect(await handshake(cookie(session, ALLOWED_ORIGIN))).toBe(101);
    const headers = { cookie: `theme=dark; fairlead_session=${session}; a=b`, origin: ALLOWED_ORIGIN };
    expect(await handshake({ headers })).toBe(101);
  });
});

describe("the WebSocket handshake refuses with 401", () => {
  const refused: [name: string, credentials: () => Credentials][] = [
    ["no credential at all", () => ({})],
    ["an unknown token in the Authorization header", () => ({ bearer: INVALID })],
    ["an unknown key in the Authorization header", () => ({ bearer: INVALID_KEY })],
    ["another scheme than Bearer", () => ({ headers: { authorization: `Basic ${session}` } })],
    ["an empty Authorization header", () => ({ headers: { authorization: "Bearer" } })],
    ["an unknown token in the query", () => ({ token: INVALID })],
    ["an empty token in the query", () => ({ token: "" })],
    ["a token of 5,000 letters in the query", () => ({ token: `ses_${"x".repeat(5_000)}` })],
    ["an API key in the query, since keys stay out of URLs", () => ({ token: key })],
    ["a system key in the query", () => ({ token: server.systemKey })],
    ["an unknown token in the cookie", () => cookie(INVALID, ALLOWED_ORIGIN)],
    ["an API key in the cookie", () => cookie(key, ALLOWED_ORIGIN)],
    ["the cookie without an origin", () => cookie(session)],
    [
      "the cookie with a foreign origin, though * is in server.cors_origins",
      () => cookie(session, "https://evil.example"),
    ],
    ["the cookie with the origin *", () => cookie(session, "*")],
    ["the cookie with the origin null of a sandboxed page", () => cookie(session, "null")],
    [
      "the cookie with an origin that begins with an allowed one",
      () => cookie(session, `${ALLOWED_ORIGIN}.evil.example`),
    ],
    ["the cookie with the allowed host under another scheme", () => cookie(session, "http://app.example")],
    ["the cookie with the server's own host on another port", () => cookie(session, "http://127.0.0.1:1")],
    [
      "a cookie of another name",
      () => ({ headers: { cookie: `session=${session}`, origin: ALLOWED_ORIGIN } }),
    ],
    [
      "a cookie whose name ends in the right one",
      () => ({ headers: { cookie: `x-fairlead_session=${session}`, origin: ALLOWED_ORIGIN } }),
    ],
  ];
  for (const [name, credentials] of refused)
    test(name, async () => {
      expect(await handshake(credentials())).toBe(401);
    });

  test("in the error shape, before the upgrade, with the challenge of RFC 9110", async () => {
    for (const path of ["/v1/ws", `/v1/ws?token=${INVALID}`, `/v1/ws?token=${"x".repeat(5_000)}`]) {
      const { status, body, headers } = await server.get(path);
      expect(status).toBe(401);
      expect(body.error).toBe("Unauthorized");
      expect(headers.get("www-authenticate")).toStartWith("Bearer");
    }
    const client = await RawClient.open(server, { token: INVALID });
    expect(client.head).toContain("application/json");
    client.cut();
  });

  test("whatever else is sent, once the credential that counts is not valid", async () => {
    const good = cookie(session, ALLOWED_ORIGIN).headers;
    expect(await handshake({ bearer: INVALID, token: session, ...(good && { headers: good }) })).toBe(401);
    expect(await handshake({ token: INVALID, ...(good && { headers: good }) })).toBe(401);
    expect(await handshake({ token: key, ...(good && { headers: good }) })).toBe(401);
  });

  test("a key as token or cookie, with the word that it goes into the header", async () => {
    for (const answer of [
      await server.get(`/v1/ws?token=${key}`),
      await server.get("/v1/ws", cookie(key, ALLOWED_ORIGIN)),
    ]) {
      expect(answer.status).toBe(401);
      expect(answer.body.message).toContain("goes into the header");
      expect(answer.body.message).not.toContain(key);
    }
  });

  test("a session that was signed out", async () => {
    const { token } = await adminSession(server);
    await server.post("/v1/auth/logout", { token });
    expect(await handshake({ token })).toBe(401);
  });
});

describe("of several credentials", () => {
  test("the Authorization header counts before token, and token before the cookie", async () => {
    const { headers = {} } = cookie(INVALID, ALLOWED_ORIGIN);
    expect(await handshake({ bearer: key, token: INVALID, headers })).toBe(101);
    expect(await handshake({ bearer: key, token: "x".repeat(5_000), headers })).toBe(101);
    expect(await handshake({ token: session, headers })).toBe(101);
  });

  test("the header's is the caller: its key may not hear what the token's session may", async () => {
    const client = await Client.open(server, { bearer: key, token: session });
    expect(await client.ask({ type: "subscribe", channel: "geofence" })).toEqual({
      type: "error",
      message: "Access denied to channel: geofence",
    });
    await client.subscribe("gps");
    await client.close();
  });
});

describe("GET /v1/ws", () => {
  test("answers 426 to a request that is no WebSocket handshake", async () => {
    const { status, body, headers } = await server.get("/v1/ws", { token: key });
    expect(status).toBe(426);
    expect(body.error).toBe("UpgradeRequired");
    expect(headers.get("upgrade")).toBe("websocket");
    expect(await handshake({ bearer: key, headers: { upgrade: "h2c" } })).toBe(426);
  });

  test("answers 426 with the version that it takes to a handshake of another, and to one that asks for no upgrade", async () => {
    const wrong: Record<string, string>[] = [
      { "sec-websocket-version": "8" },
      { "sec-websocket-version": "13, 8" },
      { "sec-websocket-version": "" },
      { connection: "keep-alive" },
      { connection: "" },
      { connection: "not-upgrade" },
    ];
    for (const headers of wrong) {
      const client = await RawClient.open(server, { bearer: key, headers });
      client.cut();
      expect([headers, client.status]).toEqual([headers, 426]);
      for (const part of [
        /^upgrade: websocket\r$/im,
        /^sec-websocket-version: 13\r$/im,
        /^content-type: application\/json/im,
      ])
        expect(client.head).toMatch(part);
    }
    expect(await handshake({ bearer: key, headers: { connection: "keep-alive, Upgrade" } })).toBe(101);
  });

  test("agrees to no subprotocol but its own", async () => {
    const agreed = async (offered: string) => {
      const headers = { "sec-websocket-protocol": offered };
      const client = await RawClient.open(server, { bearer: key, headers });
      client.cut();
      return [client.status, /^sec-websocket-protocol: (.*)\r$/im.exec(client.head)?.[1]];
    };
    for (const offered of ["graphql-ws", "chat, superchat", "FAIRLEAD.JSON", ""])
      expect([offered, await agreed(offered)]).toEqual([offered, [101, undefined]]);
    expect(await agreed("fairlead.json")).toEqual([101, "fairlead.json"]);
    expect(await agreed("chat, fairlead.protobuf,fairlead.json")).toEqual([101, "fairlead.protobuf"]);
  });

  test.each([
    ["fairlead.json", "object"],
    ["fairlead.protobuf", "bytes"],
  ])("sends what comes without asking in the format of the subprotocol %s", async (subprotocol, kind) => {
    const user = await newUser(server);
    const client = await Client.open(server, {
      token: user.token,
      headers: { "sec-websocket-protocol": subprotocol },
    });
    await server.post(`/v1/users/${user.id}/ban`, { token: session, body: {} });
    expect((await client.next()) instanceof Uint8Array ? "bytes" : "object").toBe(kind);
    await client.close();
  });

  test("answers 400 to a handshake that lacks its key", async () => {
    expect(await handshake({ bearer: key, headers: { "sec-websocket-key": "" } })).toBe(400);
  });

  test("takes credentials of REST in the header alone: neither token nor cookie opens another path", async () => {
    const headers = { cookie: `fairlead_session=${session}`, origin: server.url };
    expect((await server.get(`/v1/gps?token=${session}`, { headers })).status).toBe(401);
  });
});

test("the handshake refuses a session after 30 days", async () => {
  const aged = await TestServer.start({ clock: "movable" });
  try {
    const { token } = await adminSession(aged);
    const open = async () => {
      const client = await RawClient.open(aged, { token });
      client.cut();
      return client.status;
    };
    expect(await open()).toBe(101);
    await aged.advance(30 * 24 * 3_600_000 + 1_000);
    expect(await open()).toBe(401);
  } finally {
    await aged.stop();
  }
});
