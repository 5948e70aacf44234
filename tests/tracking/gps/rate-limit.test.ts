import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { expectRefused, totalOf } from "../../support/expectations";
import { TestServer } from "../../support/server";
import { fix } from "../support";

const LIMIT = 30;
const WINDOW_SECONDS = 60;

let server: TestServer;
beforeAll(async () => {
  server = await TestServer.start({ clock: "movable", settings: { "rate_limit.enabled": "true" } });
});
afterAll(() => server.stop());

const post = (token: string, body: object = fix()) => server.post("/v1/gps", { token, body });
const numbers = (headers: Headers) =>
  ["limit", "remaining", "reset"].map((name) => Number(headers.get(`ratelimit-${name}`)));

/** Uses up a credential's window. */
async function exhaust(token: string): Promise<void> {
  for (let number = 0; number < LIMIT; number++) expect((await post(token)).status).toBe(201);
  expectRefused(await post(token), 429, "TooManyRequests");
}

describe("POST /v1/gps", () => {
  test("takes 30 requests in 60 seconds, tells how many are left, and stores none beyond", async () => {
    const key = await server.key("gps:write");
    for (let left = LIMIT - 1; left >= 0; left--) {
      const { status, headers } = await post(key);
      expect(status).toBe(201);
      const [limit, remaining, reset] = numbers(headers);
      expect([limit, remaining]).toEqual([LIMIT, left]);
      expect(reset).toBeGreaterThan(0);
      expect(reset).toBeLessThanOrEqual(WINDOW_SECONDS);
      expect(headers.has("retry-after")).toBe(false);
    }
    const before = await totalOf(server, "/v1/gps");
    const answer = await post(key);
    expectRefused(answer, 429, "TooManyRequests");
    const [limit, remaining, reset] = numbers(answer.headers);
    expect([limit, remaining]).toEqual([LIMIT, 0]);
    expect(Number(answer.headers.get("retry-after"))).toBe(reset as number);
    expect(await totalOf(server, "/v1/gps")).toBe(before);
  });

  test("counts a refused body too, and looks at the limit before the body", async () => {
    const key = await server.key("gps:write");
    for (let left = LIMIT - 1; left >= 0; left--) {
      const answer = await post(key, {});
      expect(answer.status).toBe(400);
      expect(numbers(answer.headers)[1]).toBe(left);
    }
    expectRefused(await post(key, {}), 429, "TooManyRequests");
  });

  test("counts each credential on its own: keys of one owner, devices and sessions", async () => {
    const [one, two] = [await server.device(), await server.device()];
    await exhaust(one.key);
    for (const token of [two.key, await server.key("gps:write"), server.systemKey, await server.admin()])
      expect((await post(token)).status).toBe(201);
    expectRefused(await post(one.key), 429, "TooManyRequests");
  });

  test("lets no more through when all come at once", async () => {
    const key = await server.key("gps:write");
    const answers = await Promise.all(Array.from({ length: LIMIT + 10 }, () => post(key)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(LIMIT);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(10);
  });

  test("takes nothing from the limit for a request that may not post", async () => {
    const reader = await server.key("gps:read");
    for (let number = 0; number <= LIMIT; number++) expectRefused(await post(reader), 403, "Forbidden");
  });

  test("starts anew when the window ends, and not before", async () => {
    const key = await server.key("gps:write");
    await exhaust(key);
    const retryAfter = Number((await post(key)).headers.get("retry-after"));
    await server.advance((retryAfter - 20) * 1_000);
    const answer = await post(key);
    expectRefused(answer, 429, "TooManyRequests");
    expect(Number(answer.headers.get("retry-after"))).toBeLessThanOrEqual(20);
    await server.advance(20_000);
    const { status, headers } = await post(key);
    expect(status).toBe(201);
    expect(numbers(headers)).toEqual([LIMIT, LIMIT - 1, WINDOW_SECONDS]);
  });
});

test("the other endpoints have no limit, also for a credential that used up that of posting", async () => {
  const { key } = await server.device();
  await exhaust(key);
  for (let number = 0; number <= LIMIT; number++) {
    const { status, headers } = await server.get("/v1/gps/current", { token: key });
    expect(status).toBe(200);
    expect(headers.has("ratelimit-limit")).toBe(false);
  }
});

test("rate_limit.enabled = false switches the limit off", async () => {
  const unlimited = await TestServer.start();
  const token = await unlimited.admin();
  for (let number = 0; number < LIMIT + 5; number++) {
    const { status, headers } = await unlimited.post("/v1/gps", { token, body: fix() });
    expect(status).toBe(201);
    expect(headers.has("ratelimit-limit")).toBe(false);
  }
  await unlimited.stop();
});
