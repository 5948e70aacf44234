import { afterAll, beforeAll, expect, test } from "bun:test";
import { connect } from "node:net";
import { head } from "../support/connections";
import { TestServer } from "../support/server";

const IDLE_SECONDS = 1;
/** The runtime looks at its connections every four seconds, and one look late. */
const CUT_WITHIN_SECONDS = IDLE_SECONDS + 8;

let server: TestServer;
beforeAll(async () => {
  server = await TestServer.start({ settings: { "server.idle_seconds": String(IDLE_SECONDS) } });
});
afterAll(() => server.stop());

/** The status of an answer, and the seconds from its last byte until the server ended the connection. */
function idleAfter(request: string): Promise<{ status: number; seconds: number }> {
  const { hostname, port } = new URL(server.url);
  const socket = connect({ host: hostname, port: Number(port) });
  let [status, answered] = [0, 0];
  socket.on("data", (data) => {
    status ||= Number(data.toString("latin1").split(" ")[1]);
    answered = performance.now();
  });
  socket.write(request);
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => socket.destroy(new Error("The connection is still open")), 20_000);
    socket.on("error", reject);
    socket.on("close", () => {
      clearTimeout(late);
      resolve({ status, seconds: (performance.now() - answered) / 1_000 });
    });
  });
}

test.concurrent("a connection is never cut before its idle time is over, whenever the runtime looks", async () => {
  // More than the time between two looks.
  const idle = Array.from({ length: 45 }, async (_, at) => {
    await Bun.sleep(at * 100);
    return idleAfter(head("GET /v1"));
  });
  for (const { status, seconds } of await Promise.all(idle)) {
    expect(status).toBe(200);
    expect(seconds).toBeGreaterThanOrEqual(IDLE_SECONDS);
    expect(seconds).toBeLessThan(CUT_WITHIN_SECONDS + 1);
  }
});

test.concurrent("a connection that was let wait is cut like others once its request is answered", async () => {
  const request = head(
    "POST /v1/community/guilds/1/members/sync",
    `authorization: Bearer ${await server.admin()}`,
    "content-length: 0",
  );
  const { status, seconds } = await idleAfter(request);
  expect(status).toBe(404);
  expect(seconds).toBeLessThan(CUT_WITHIN_SECONDS + 1);
});
