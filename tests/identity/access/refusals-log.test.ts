import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Token } from "../../support/api";
import { newUser } from "../../support/people";
import { ADMIN, TestServer } from "../../support/server";

const SETTINGS = {
  "log.level": "info",
  "log.format": "json",
  "security.id_app_key": "a".repeat(40),
  "auth.reauthentication_minutes": "10",
};

interface Line {
  message: string;
  path: string;
  status: number;
  request_id: string;
  address: string;
  refused?: string;
  credential?: string;
  credential_id?: string;
}

let server: TestServer;
let session: { session_token: Token; session_id: string };
let key: { id: string; key: Token };
const secrets: string[] = [];
beforeAll(async () => {
  server = await TestServer.start({ settings: SETTINGS, clock: "movable" });
  session = await server.login(ADMIN.username, ADMIN.password);
  key = await server.createKey("gps:read");
  secrets.push(session.session_token, key.key, server.systemKey);
});
afterAll(() => server.stop());

let asked = 0;

/** The line that the log has of a request. */
async function lineOf(ask: (headers: Record<string, string>) => Promise<unknown>): Promise<Line> {
  const id = `refusal-${asked++}`;
  await ask({ "x-request-id": id });
  for (;;) {
    const line = server.output.split("\n").find((text) => text.includes(`"request_id":"${id}"`));
    if (line) return JSON.parse(line);
    await Bun.sleep(10);
  }
}

describe("the log's line of a refused request names the credential:", () => {
  test("a key that lacks the permission", async () => {
    const line = await lineOf((headers) => server.get("/v1/roles", { token: key.key, headers }));
    expect(line).toMatchObject({
      ...{ message: "request", path: "/v1/roles", status: 403, address: "127.0.0.1" },
      ...{ credential: "key", credential_id: key.id, refused: "This needs the permission roles:read" },
    });
  });

  test("a session where a system key is needed, and a key where a session is", async () => {
    const body = {
      oauthProvider: "discord",
      oauthProviderId: "1",
      name: "A",
      email: "a@b.example",
      image: null,
    };
    const system = await lineOf((headers) =>
      server.post("/v1/users/oauth", { token: session.session_token, headers, body }),
    );
    expect([system.status, system.credential, system.credential_id]).toEqual([
      403,
      "session",
      session.session_id,
    ]);
    const own = await lineOf((headers) => server.post("/v1/auth/logout", { token: key.key, headers }));
    expect([own.status, own.credential, own.credential_id]).toEqual([401, "key", key.id]);
    expect(own.refused).toContain("session token");
  });

  test("a session that has ended, and a key that was deleted", async () => {
    const ended = await server.login(ADMIN.username, ADMIN.password);
    const off = await server.createKey("gps:read");
    secrets.push(ended.session_token, off.key);
    await server.patch(`/v1/api-keys/${off.id}`, { token: await server.admin(), body: { is_active: false } });
    const line = await lineOf((headers) => server.get("/v1/gps", { token: off.key, headers }));
    expect([line.status, line.credential, line.credential_id]).toEqual([401, "key", off.id]);
    await server.post("/v1/auth/logout", { token: ended.session_token });
    const gone = await lineOf((headers) => server.get("/v1/gps", { token: ended.session_token, headers }));
    expect([gone.status, gone.credential, gone.credential_id]).toEqual([401, "unknown", undefined]);
  });

  test("an unknown token, one that is none, and no token", async () => {
    const unknown = `flk_${"x".repeat(43)}`;
    secrets.push(unknown, "not-a-token");
    for (const [authorization, credential] of [
      [`Bearer ${unknown}`, "unknown"],
      ["Bearer not-a-token", "unknown"],
      [`Bearer ${"y".repeat(5_000)}`, "unknown"],
      ["Basic YTpi", "unknown"],
    ]) {
      const line = await lineOf((headers) =>
        server.get("/v1/gps", { headers: { ...headers, authorization: String(authorization) } }),
      );
      expect([line.status, line.credential, line.credential_id]).toEqual([401, credential, undefined]);
    }
    const none = await lineOf((headers) => server.get("/v1/gps", { headers }));
    expect([none.credential, none.refused]).toEqual([
      "none",
      expect.stringContaining("Authentication is required"),
    ]);
  });

  test("the key of another service", async () => {
    const wrong = "b".repeat(40);
    secrets.push(wrong);
    const line = await lineOf((headers) =>
      server.post("/v1/internal/audit", { headers: { ...headers, "x-id-app-key": wrong }, body: {} }),
    );
    expect([line.status, line.credential]).toEqual([401, "X-ID-App-Key"]);
  });

  test("a wrong password, whose request carries none", async () => {
    const body = { identifier: "nobody", password: "wrong password" };
    secrets.push(body.password);
    const line = await lineOf((headers) => server.post("/v1/auth/login", { headers, body }));
    expect([line.status, line.credential]).toEqual([401, "none"]);
  });

  test("in GraphQL, where the answer is a success", async () => {
    const line = await lineOf((headers) =>
      server.post("/v1/graphql", { token: key.key, headers, body: { query: "{ roles { name } }" } }),
    );
    expect([line.status, line.credential, line.credential_id, line.refused]).toEqual([
      ...[200, "key", key.id],
      "This needs the permission roles:read",
    ]);
  });

  test("in GraphQL, by the rules of an operation itself", async () => {
    const other = "019bd1a0-0000-7000-8000-000000000001";
    const wrong = { tempToken: `2fa_${"q".repeat(43)}`, code: "123456" };
    secrets.push(wrong.tempToken);
    const user = await newUser(server);
    for (const [query, why] of [
      [`{ twoFactorStatus(userId: "${other}") { enabled } }`, "two_factor:manage"],
      [`mutation { disableTwoFactor(input: { code: "123456", userId: "${other}" }) }`, "two_factor:manage"],
      [
        `mutation { verifyTwoFactorLogin(input: { tempToken: "${wrong.tempToken}", code: "123456" }) { userId } }`,
        "",
      ],
      ["mutation { setupTwoFactor { secret } }", "sign-in"],
    ] as const) {
      if (why === "sign-in") await server.advance(11 * 60_000);
      const line = await lineOf((headers) =>
        server.post("/v1/graphql", { token: user.token, headers, body: { query } }),
      );
      expect([line.status, line.credential, line.credential_id]).toEqual([200, "session", user.sessionId]);
      expect(line.refused).toContain(why);
    }
  });

  test("at the socket's handshake: by header, by parameter and by cookie", async () => {
    const parameter = await lineOf((headers) => server.get(`/v1/ws?token=${key.key}`, { headers }));
    expect([parameter.status, parameter.credential, parameter.credential_id]).toEqual([401, "key", key.id]);
    const unknown = `ses_${"z".repeat(43)}`;
    secrets.push(unknown);
    const cookie = { cookie: `fairlead_session=${session.session_token}`, origin: "https://evil.example" };
    const foreign = await lineOf((headers) => server.get("/v1/ws", { headers: { ...headers, ...cookie } }));
    expect([foreign.status, foreign.credential, foreign.credential_id]).toEqual([
      401,
      "session",
      session.session_id,
    ]);
    const wrong = await lineOf((headers) => server.get(`/v1/ws?token=${unknown}`, { headers }));
    expect([wrong.status, wrong.credential]).toEqual([401, "unknown"]);
  });
});

test("a request that is not refused is logged without its credential", async () => {
  const line = await lineOf((headers) => server.get("/v1/gps", { token: key.key, headers }));
  expect([line.status, "credential" in line, "refused" in line]).toEqual([200, false, false]);
});

test("no token, password or hash is in the log", () => {
  const hash = (token: string, form: "base64" | "base64url" | "hex") =>
    new Bun.CryptoHasher("sha256").update(token).digest(form);
  expect(secrets.length).toBeGreaterThan(5);
  for (const secret of secrets)
    for (const text of [secret, hash(secret, "base64"), hash(secret, "base64url"), hash(secret, "hex")])
      expect(server.output.includes(text)).toBe(false);
});
