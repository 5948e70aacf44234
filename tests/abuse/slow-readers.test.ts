import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { type Answered, address, ask, head, Stranger } from "../support/connections";
import { eventually } from "../support/expectations";
import { becomesQuiet, LONGEST_HOLD, longestHold, memoryGrowth } from "../support/pressure";
import { ADMIN, TestServer } from "../support/server";

const MB = 1024 * 1024;
const CONNECTIONS = 250;
/** Longer than the server takes to make all the answers. */
const STALL = 1_500;

let server: TestServer;
let list: string;
let strangers: Stranger[] = [];

beforeAll(async () => {
  server = await TestServer.start();
  const { user_id } = await server.login(ADMIN.username, ADMIN.password);
  const what = { event_type: "consent_granted", resource_type: "client", status: "success" };
  const event = { user_id, ...what, source_service: "api" };
  const written = Array.from({ length: 100 }, () =>
    server.post("/v1/internal/audit", {
      token: server.systemKey,
      body: { ...event, metadata: { note: "x".repeat(15_000) } },
    }),
  );
  for (const { status, body } of await Promise.all(written))
    expect([status, body.error]).toEqual([201, undefined]);
  list = head("GET /v1/admin/audit?limit=100", `authorization: Bearer ${await server.admin()}`);
});
afterEach(leave);
afterAll(() => server.stop());

function leave(): void {
  for (const stranger of strangers) stranger.leave();
  strangers = [];
}

/** Opens `count` connections, some at once, and sends the request on each. */
async function open(request: string, count: number, from?: string): Promise<void> {
  for (let at = 0; at < count; at++) {
    strangers.push(new Stranger(server, from).send(request));
    if (at % 2 === 1) await Bun.sleep(5);
  }
}

/**
 * Requests lists on many connections and reads none, until the server refuses one to `asker`. Returns the
 * refusal. The kernel's buffers take the first lists of each connection.
 */
async function leaveLists(count: number, from: string[], asker: string): Promise<Answered> {
  const first = strangers.length;
  for (const one of from) await open(list, count, one);
  for (let round = 0; round < 4; round++) {
    await becomesQuiet(server.pid);
    const answer = await ask(server, list, asker);
    if (answer.status === 503) return answer;
    for (const stranger of strangers.slice(first)) stranger.send(list);
  }
  throw new Error(`nothing is refused to ${asker}`);
}

describe("250 connections that ask and read nothing cost little memory, and nobody's time:", () => {
  const pages: [what: string, request: string][] = [
    ["GraphiQL, not compressed", head("GET /v1/graphql", "accept: text/html")],
    ["GraphiQL", head("GET /v1/graphql", "accept: text/html", "accept-encoding: gzip")],
    ["Swagger UI's script", head("GET /docs/assets/swagger-ui-bundle.js")],
    ["the OpenAPI document", head("GET /docs/json")],
  ];
  for (const [what, request] of pages)
    test(what, async () => {
      // The answer is made at the first request.
      expect((await ask(server, request)).status).toBe(200);
      const grown: number[] = [];
      const attack = async () => {
        leave();
        await open(request, CONNECTIONS);
        await Bun.sleep(STALL);
      };
      const held = await longestHold(server, async () => grown.push(await memoryGrowth(server.pid, attack)));
      expect(Math.max(...grown)).toBeLessThan(40 * MB);
      expect(held).toBeLessThan(LONGEST_HOLD);
      expect((await ask(server, request, address(200))).status).toBe(200);
    });
});

test("of lists of 1.5 MB one address may leave 32 MB unread, and all together 128 MB", async () => {
  const from = (who: string, request = list) => ask(server, request, who);
  expect((await from(address(1))).body.length).toBeGreaterThan(1_500_000);
  const small = head("GET /v1");
  const grown = await memoryGrowth(server.pid, async () => {
    const refused = await leaveLists(25, [address(2)], address(2));
    expect(refused.headers.get("retry-after")).toBe("5");
    expect(JSON.parse(refused.body.toString()).error).toBe("ServiceUnavailable");
    expect((await from(address(2), small)).status).toBe(200);
    expect((await from(address(200))).status).toBe(200);

    // Four times as much as all together may leave: each connection asks again for what its buffers took.
    for (const one of [3, 4, 5, 6].map(address)) await open(list, 25, one);
    for (let round = 0; round < 2; round++) {
      for (const stranger of strangers) stranger.send(list);
      await becomesQuiet(server.pid);
    }
    // A client that holds little finds room at the cost of those that hold most.
    for (const who of [200, 201, 200, 201]) {
      expect((await from(address(who))).status).toBe(200);
      expect((await from(address(who), small)).status).toBe(200);
    }
  });
  // Answers that were made, and sent or refused, remain as garbage for a while.
  expect(grown).toBeLessThan(400 * MB);
});

test("who reads all of it is not in the way of who comes next", async () => {
  const statuses = async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => ask(server, list, address(201))));
    return answers.map(({ status }) => status);
  };
  const allGood = Array(20).fill(200);
  // The connections of the test before have closed, which the server notices within a second or so.
  await eventually(async () => (await statuses()).join() === allGood.join());
  for (let round = 0; round < 3; round++) expect(await statuses()).toEqual(allGood);
});
