import { afterAll, beforeAll, expect, test } from "bun:test";
import { connect } from "node:net";
import { ask, head } from "../support/connections";
import { newUser } from "../support/people";
import { LONGEST_HOLD, longestHold } from "../support/pressure";
import { onDatabase } from "../support/rows";
import { TestServer } from "../support/server";

/** Bursts of requests that are cheap to send and keep the server busy for long. */

/** A second, and what a timer may lack of it. */
const SECOND = 1_100;

let server: TestServer;
beforeAll(async () => {
  server = await TestServer.start({ settings: { "rate_limit.enabled": "true" }, compilers: "as shipped" });
});
afterAll(() => server.stop());

const answered = (text: string): number => text.match(/HTTP\/1\.1 \d{3} /g)?.length ?? 0;

/** Writes raw requests on a connection of its own; resolves with the answers once all are here or the connection ended. */
const pipeline = (request: string, count: number): Promise<string> =>
  new Promise((resolve) => {
    const socket = connect(Number(new URL(server.url).port), "127.0.0.1");
    let answers = "";
    socket.on("data", (data) => {
      answers += data;
      if (answered(answers) === count) socket.destroy();
    });
    socket.on("error", () => {});
    socket.on("close", () => resolve(answers));
    socket.write(request.repeat(count));
  });

test("thousands of pipelined requests end their connection, and keep nobody waiting", async () => {
  const request = "GET /a HTTP/1.1\r\nhost: a\r\n\r\n";
  const flood = () => Promise.all(Array.from({ length: 10 }, () => pipeline(request, 15_000)));
  const held = await longestHold(server, async () => {
    for (const answers of await flood()) expect(answered(answers)).toBeLessThan(15_000);
  });
  expect(held).toBeLessThan(LONGEST_HOLD);
});

test.each([
  ["few connections", 10, 900],
  ["many connections", 500, 32],
])("pipelined requests that cost more keep nobody waiting, on %s", async (_, connections, each) => {
  const request = "GET /v1/platforms HTTP/1.1\r\nhost: a\r\n\r\n";
  const held = await longestHold(server, async () => {
    const answers = await Promise.all(Array.from({ length: connections }, () => pipeline(request, each)));
    expect(answers.some((text) => answered(text) < each)).toBe(true);
    for (const text of answers) expect(text).not.toContain("HTTP/1.1 500 ");
  });
  expect(held).toBeLessThan(LONGEST_HOLD);
});

test("strangers' requests that come all at once, on a connection each, are answered and keep nobody waiting", async () => {
  const held = await longestHold(server, async () => {
    const answers = await Promise.all(
      Array.from({ length: 1_000 }, () => ask(server, head("GET /v1/platforms"))),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  });
  expect(held).toBeLessThan(LONGEST_HOLD);
});

test("a few pipelined requests are answered in order", async () => {
  const answers = await pipeline("GET /health/live HTTP/1.1\r\nhost: a\r\n\r\n", 30);
  expect(answers.match(/HTTP\/1\.1 200 /g)).toHaveLength(30);
});

/** Gives a user 50 OAuth clients, each with a description of so many characters. */
const giveClients = ({ id }: { id: string }, characters: number) =>
  onDatabase(server, (database) => {
    for (let made = 0; made < 50; made++)
      database.run(
        `INSERT INTO oauth_clients (id, owner_id, name, description, redirect_uris, allowed_scopes, client_type, is_active, is_first_party, created_at, updated_at)
         VALUES (?, ?, 'Large', ?, '["https://app.example/cb"]', '[]', 'public', 1, 0, 1, 1)`,
        [Bun.randomUUIDv7(), id, "x".repeat(characters)],
      );
  });

test("a user's lists that are asked for all at once, on a connection each, keep nobody waiting", async () => {
  const bert = await newUser(server);
  giveClients(bert, 600);
  const request = head("GET /v1/oauth/clients", `authorization: Bearer ${bert.token}`);
  const held = await longestHold(server, async () => {
    const answers = await Promise.all(Array.from({ length: 500 }, () => ask(server, request)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  });
  expect(held).toBeLessThan(LONGEST_HOLD);
});

test("one credential gets no more than some megabytes of large lists in a second", async () => {
  const anna = await newUser(server);
  giveClients(anna, 15_000);
  const path = `${server.url}/v1/oauth/clients`;
  const ask = () => fetch(path, { headers: { authorization: `Bearer ${anna.token}` } });
  const held = await longestHold(server, async () => {
    await Bun.sleep(SECOND);
    const answers = await Promise.all(Array.from({ length: 60 }, ask));
    const refused = answers.filter(({ status }) => status === 503);
    expect(refused.length).toBeGreaterThan(0);
    expect(refused[0]?.headers.get("retry-after")).toBe("1");
    expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(5);
  });
  expect(held).toBeLessThan(LONGEST_HOLD);
  await Bun.sleep(SECOND);
  expect((await ask()).status).toBe(200);
  // Small answers are nobody's loss.
  const bert = await newUser(server);
  for (let asked = 0; asked < 30; asked++) {
    const { status } = await server.get("/v1/users/me", { token: bert.token });
    expect(status).toBe(200);
  }
});
