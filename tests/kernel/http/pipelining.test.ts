import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { TestServer } from "../../support/server";

/**
 * Requests sent before the answer to the one before. The runtime closes the connection of a request that waits for its
 * answer when another one follows it: then the first one must not have been carried out.
 */

let server: TestServer;
beforeAll(async () => {
  server = await TestServer.start();
});
afterAll(() => server.stop());

const BODY = '{"name":"Greif"}';

const request = (line: string, body = "") =>
  `${line} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${server.systemKey}\r\n${
    body && `content-type: application/json\r\ncontent-length: ${body.length}\r\n`
  }\r\n${body}`;
const create = () => request("POST /v1/devices", BODY);
const read = () => request("GET /v1/devices?limit=1");

const deviceCount = async (): Promise<number> =>
  (await server.get("/v1/devices?limit=1", { token: server.systemKey })).body.pagination.total;

/**
 * Writes pieces on a connection of its own, `gap` milliseconds apart. Returns the statuses of the answers once all are
 * here or the server closed the connection. A socket of node:net would drop what it has received when a write fails.
 */
async function statusesOf(pieces: string[], gap = 0): Promise<number[]> {
  const count = pieces.join("").split(" HTTP/1.1\r\n").length - 1;
  const statusesIn = (text: string) =>
    [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
  const { promise: closed, resolve: close } = Promise.withResolvers<void>();
  let received = "";
  const socket = await Bun.connect({
    hostname: "127.0.0.1",
    port: Number(new URL(server.url).port),
    socket: {
      data(socket, data) {
        received += data;
        if (statusesIn(received).length === count) socket.end();
      },
      close: () => close(),
    },
  });
  socket.setNoDelay(true);
  for (const piece of pieces) {
    // The server closes the connection in the middle: that is under test, and a write then fails.
    socket.write(piece);
    const until = performance.now() + gap;
    // A timer has no fractions of a millisecond.
    while (performance.now() < until) await new Promise(setImmediate);
  }
  await closed;
  return statusesIn(received);
}

describe("in one piece", () => {
  test("reads are answered in order, and so is a write after them", async () => {
    const before = await deviceCount();
    expect(await statusesOf([read() + read() + create()])).toEqual([200, 200, 201]);
    expect(await deviceCount()).toBe(before + 1);
  });

  test.each([2, 20])("%d writes are refused before they act", async (count) => {
    const before = await deviceCount();
    expect(await statusesOf([create().repeat(count)])).toEqual([]);
    expect(await deviceCount()).toBe(before);
  });

  test("a write with a read after it is refused before it acts", async () => {
    const before = await deviceCount();
    expect(await statusesOf([create() + read()])).toEqual([]);
    expect(await deviceCount()).toBe(before);
  });

  test("writes without a body are refused before they act", async () => {
    const { body } = await server.post("/v1/devices", { token: server.systemKey, body: { name: "Greif" } });
    const remove = request(`DELETE /v1/devices/${body.data.id}`);
    expect(await statusesOf([remove + remove])).toEqual([]);
    expect(await statusesOf([remove])).toEqual([204]);
  });

  const LARGE = "x".repeat(20_000);
  test.each([
    ["in chunks", "transfer-encoding: chunked\r\n", "3\r\nabc\r\n0\r\n\r\n"],
    ["that is large", `content-length: ${LARGE.length}\r\n`, LARGE],
  ])("a write that takes no body, and has one %s, is refused before it acts", async (_, header, content) => {
    const { body } = await server.post("/v1/devices", { token: server.systemKey, body: { name: "Greif" } });
    const path = `/v1/devices/${body.data.id}`;
    const remove = request(`DELETE ${path}`).replace("\r\n\r\n", `\r\n${header}\r\n${content}`);
    expect(await statusesOf([remove + read()])).toEqual([]);
    expect((await server.get(path, { token: server.systemKey })).status).toBe(200);
    expect(await statusesOf([remove])).toEqual([204]);
  });

  test("sign-ins are refused before they act", async () => {
    const sessions = async () =>
      (await server.get("/v1/users/me/sessions", { token: await server.admin() })).body.sessions.length;
    const before = await sessions();
    const login = request(
      "POST /v1/auth/login",
      JSON.stringify({ identifier: "admin", password: "correct horse battery" }),
    );
    expect(await statusesOf([login + login])).toEqual([]);
    expect(await sessions()).toBe(before);
  });
});

test("as many writes are stored as answered, however long after each other they come", async () => {
  const before = await deviceCount();
  let answered = 0;
  for (const gap of [0, 0.1, 0.3, 0.5, 1, 2, 3])
    for (let time = 0; time < 5; time++) {
      const statuses = await statusesOf(
        Array.from({ length: 8 }, () => create()),
        gap,
      );
      expect(statuses).toEqual(statuses.map(() => 201));
      answered += statuses.length;
    }
  expect(answered).toBeGreaterThan(0);
  expect(await deviceCount()).toBe(before + answered);
});
