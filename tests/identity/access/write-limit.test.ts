import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Token } from "../../support/api";
import { auditRows } from "../../support/events";
import { newUser, type User } from "../../support/people";
import { TestServer } from "../../support/server";

/**
 * The general limit of writes, `rate_limit.write`: for each credential, and ten times that for all of a
 * user's. It comes beside the limits of single routes, and does not count positions and services of the
 * installation.
 */

const toggle = (server: TestServer, { id }: User, token: Token, privacy_mode: boolean) =>
  server.patch(`/v1/users/${id}`, { token, body: { privacy_mode } });

describe("by default", () => {
  let server: TestServer;
  let anna: User;
  beforeAll(async () => {
    server = await TestServer.start({ clock: "movable", settings: { "rate_limit.enabled": "true" } });
    anna = await newUser(server);
  });
  afterAll(() => server.stop());

  test("700 changes there and back in a minute make 600 events, and then 429 until the minute is over", async () => {
    const other = (await server.login(anna.username, anna.password)).session_token;
    const statuses: number[] = [];
    for (let change = 0; change < 700; change++) {
      const { status, headers } = await toggle(server, anna, anna.token, change % 2 === 0);
      statuses.push(status);
      expect(headers.get("ratelimit-limit")).toBe("600");
      if (status !== 429) continue;
      expect(headers.get("ratelimit-remaining")).toBe("0");
      expect(Number(headers.get("retry-after"))).toBeWithin(1, 61);
    }
    expect(statuses).toEqual([...Array(600).fill(200), ...Array(100).fill(429)]);
    expect(auditRows(server, anna.id).filter((row) => row.event_type === "user_updated")).toHaveLength(600);

    // Reads are not counted, and neither are the writes of another credential.
    expect((await server.get("/v1/users/me", { token: anna.token })).status).toBe(200);
    expect((await toggle(server, anna, other, true)).status).toBe(200);
    await server.advance(61_000);
    expect((await toggle(server, anna, anna.token, false)).status).toBe(200);
  });
});

describe("with two writes a minute", () => {
  let server: TestServer;
  let anna: User;
  beforeAll(async () => {
    server = await TestServer.start({
      settings: {
        "rate_limit.enabled": "true",
        "rate_limit.write": "2/60",
        "rate_limit.login": "1000/60",
        "server.trusted_proxies": "127.0.0.1",
      },
    });
    anna = await newUser(server);
  });
  afterAll(() => server.stop());

  const session = async () => (await server.login(anna.username, anna.password)).session_token;

  test("all sessions of a user together have ten times as many", async () => {
    const statuses: number[] = [];
    for (let opened = 0; opened < 11; opened++) {
      const token = await session();
      for (const write of [1, 2]) statuses.push((await toggle(server, anna, token, write === 1)).status);
    }
    expect(statuses).toEqual([...Array(20).fill(200), 429, 429]);
  });

  test("what is refused for want of a permission is not counted, and PUT, POST and DELETE are like PATCH", async () => {
    const bert = await newUser(server);
    const ask = (method: string, path: string) =>
      server.request(method, path, { token: bert.token, ...(method !== "DELETE" && { body: { value: 1 } }) });
    for (let tried = 0; tried < 5; tried++) expect((await ask("PUT", "/v1/settings/x")).status).toBe(403);
    expect((await ask("POST", "/v1/oauth/clients")).status).toBe(400);
    expect((await ask("DELETE", `/v1/users/${bert.id}/email/pending`)).status).toBe(404);
    expect((await ask("PUT", `/v1/users/${bert.id}/accounts/${bert.id}/primary`)).status).toBe(429);
    expect((await ask("POST", "/v1/oauth/clients")).status).toBe(429);
    // A thief who exhausts the limit can't keep the owner from ending the stolen session.
    expect((await ask("DELETE", "/v1/users/me/sessions")).status).toBe(200);
    expect((await ask("POST", "/v1/auth/logout")).status).toBe(200);
  });

  test("positions count against their own limit alone", async () => {
    const { body: device } = await server.post("/v1/devices", {
      token: server.systemKey,
      body: { name: "Greif" },
    });
    expect(device.data.name).toBe("Greif");
    const token = await server.key("gps:*");
    const speeds = { speed_kmh: 0, speed_mps: 0, speed_mph: 0, speed_knots: 0 };
    const fix = { latitude: 54, longitude: 13, timestamp: Math.floor(Date.now() / 1_000), ...speeds };
    for (let posted = 0; posted < 5; posted++) {
      const { status, body, headers } = await server.post("/v1/gps", { token, body: fix });
      expect([status, headers.get("ratelimit-limit")]).toEqual([201, "30"]);
      expect((await server.delete(`/v1/gps/${body.data.id}`, { token })).status).toBe(204);
    }
  });

  test("system keys write for everybody, and are not counted", async () => {
    for (let write = 0; write < 5; write++) {
      const body = { key: `limit.${write}`, value: write };
      const { status, headers } = await server.post("/v1/settings", { token: server.systemKey, body });
      expect([status, headers.get("ratelimit-limit")]).toEqual([201, null]);
    }
  });

  test("what needs no credential counts for an address, where it has no limit of its own", async () => {
    const ask = (path: string, address: string, body: object) =>
      server.post(path, { body, headers: { "x-forwarded-for": address } });
    const token = { token: "x".repeat(43) };
    const reset = { ...token, password: "a long passphrase" };
    for (const [at, [path, body]] of [
      ["/v1/auth/register/verify", token] as const,
      ["/v1/auth/verify-email", token] as const,
      ["/v1/auth/reset-password/complete", reset] as const,
    ].entries()) {
      const address = `203.0.113.${at + 1}`;
      const statuses = [];
      for (let tried = 0; tried < 3; tried++) statuses.push((await ask(path, address, body)).status);
      expect(statuses.map((status) => status === 429)).toEqual([false, false, true]);
      expect((await ask(path, `198.51.100.${at + 1}`, body)).status).not.toBe(429);
    }
  });
});

test("each write says that it is limited, but for those of positions, boxes and services and what ends a credential", async () => {
  const server = await TestServer.start();
  try {
    const { body } = await server.get("/v1/openapi.json");
    const unlimited = Object.entries<Record<string, { responses: object }>>(body.paths).flatMap(
      ([path, methods]) =>
        // The doors of apps count positions.
        Object.entries(path.startsWith("/v1/ingest/") ? {} : methods)
          .filter(([method, { responses }]) => method !== "get" && !Object.hasOwn(responses, "429"))
          .map(([method]) => `${method} ${path}`),
    );
    expect(unlimited.toSorted()).toEqual([
      "delete /v1/api-keys/{id}",
      "delete /v1/gps/{id}",
      "delete /v1/sessions/{token}",
      "delete /v1/users/me/consents/{id}",
      "delete /v1/users/me/sessions",
      "delete /v1/users/me/sessions/{session_id}",
      "patch /v1/gps/{id}",
      "post /v1/auth/2fa/check",
      "post /v1/auth/logout",
      "post /v1/devices/{id}/import",
      "post /v1/sessions",
      "post /v1/sync/push",
      "post /v1/users/oauth",
    ]);
  } finally {
    await server.stop();
  }
});
