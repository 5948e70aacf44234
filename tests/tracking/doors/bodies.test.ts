import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { connect } from "node:net";
import { eventually } from "../../support/expectations";
import { LONGEST_HOLD, longestHold, memoryGrowth } from "../../support/pressure";
import { TestServer } from "../../support/server";
import { expectPrivate, newTracker, nextTime, positionsOf, readTracker } from "./support";

/** Bodies of every size at the doors: kept, read away, or cut off. */

const MB = 1024 * 1024;
const PATH = "/v1/ingest/generic";

let server: TestServer;
beforeAll(async () => {
  server = await TestServer.start({ compilers: "as shipped" });
});
afterAll(() => server.stop());

const position = () => `{"latitude":54,"longitude":13,"timestamp":${nextTime()}}`;

/** A position in a body of so many bytes. */
const padded = (bytes: number) => position() + " ".repeat(bytes - position().length);

test("a body of 2 MiB is read", async () => {
  const tracker = await newTracker(server, "generic");
  const answer = await server.post(PATH, { token: tracker.token, raw: padded(2 * MB) });
  expect(answer.body).toEqual({ stored: 1, duplicates: 0, rejected: 0 });
});

describe.each([2 * MB + 1, 16 * MB])("a body of %d bytes", (bytes) => {
  test("is read away, and counts as done", async () => {
    const tracker = await newTracker(server, "generic");
    const answer = await server.post(PATH, { token: tracker.token, raw: padded(bytes) });
    expect([answer.status, answer.body]).toEqual([200, { stored: 0, duplicates: 0, rejected: 1 }]);
    expectPrivate(answer);
    expect(await readTracker(server, tracker)).toMatchObject({
      rejected_total: 1,
      last_rejection: { reason: "too_large" },
    });
    expect(await positionsOf(server, tracker.deviceId)).toEqual([]);
  });

  test("is read away in chunks too", async () => {
    const tracker = await newTracker(server, "generic");
    const { status, rest } = await inChunks(tracker.token, bytes);
    expect([status, rest]).toEqual([200, '{"stored":0,"duplicates":0,"rejected":1}']);
    expect((await readTracker(server, tracker)).last_rejection.reason).toBe("too_large");
  });
});

/** Sends a body of so many bytes in chunks, and reads what comes until the answer or the end. */
async function inChunks(token: string, bytes: number): Promise<{ status: number; rest: string }> {
  const { hostname, port } = new URL(server.url);
  const socket = connect(Number(port), hostname);
  let text = "";
  let isOver = false;
  socket.on("data", (data) => {
    text += data.toString();
  });
  socket.on("error", () => {});
  socket.on("close", () => {
    isOver = true;
  });
  socket.write(
    `POST ${PATH} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${token}\r\ntransfer-encoding: chunked\r\n\r\n`,
  );
  const piece = Buffer.alloc(64 * 1024, " ");
  for (let sent = 0; sent < bytes && !isOver; ) {
    const chunk = piece.subarray(0, Math.min(piece.length, bytes - sent));
    sent += chunk.length;
    socket.write(`${chunk.length.toString(16)}\r\n`);
    socket.write(chunk);
    if (!socket.write("\r\n"))
      await Promise.race([new Promise((go) => socket.once("drain", go)), Bun.sleep(50)]);
  }
  socket.write("0\r\n\r\n");
  await eventually(() => isOver || /\r\n\r\n./.test(text));
  socket.destroy();
  const [head = "", rest = ""] = text.split("\r\n\r\n", 2);
  return { status: Number(head.split(" ")[1] ?? 0), rest };
}

test("of a body beyond 16 MiB the connection is closed, without an answer", async () => {
  const tracker = await newTracker(server, "generic");
  const request = server.post(PATH, { token: tracker.token, raw: padded(16 * MB + 1) });
  expect(
    await request.then(
      () => "answered",
      () => "closed",
    ),
  ).toBe("closed");
  expect(await inChunks(tracker.token, 17 * MB)).toEqual({ status: 0, rest: "" });
  expect((await readTracker(server, tracker)).rejected_total).toBe(0);
});

test("a body that becomes too large when it is decoded counts as done", async () => {
  const tracker = await newTracker(server, "generic");
  const raw = Bun.gzipSync(Buffer.from(padded(8 * MB)));
  const headers = { "content-encoding": "gzip" };
  const answer = await server.post(PATH, { token: tracker.token, raw, headers });
  expect(answer.status).toBe(200);
  expect((await readTracker(server, tracker)).last_rejection.reason).toBe("too_large");
});

test("a body of more values than any batch has counts as done, without being parsed", async () => {
  const tracker = await newTracker(server, "generic");
  const answer = await server.post(PATH, { token: tracker.token, raw: `[${"[],".repeat(500_000)}1]` });
  expect(answer.status).toBe(200);
  expect((await readTracker(server, tracker)).last_rejection.reason).toBe("too_large");
});

test("large bodies that are read away at once cost little memory", async () => {
  const tracker = await newTracker(server, "generic");
  const raw = padded(8 * MB);
  const grown = await memoryGrowth(server.pid, async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => server.post(PATH, { token: tracker.token, raw })),
    );
    // Beyond the share of an address they wait for room.
    for (const { status, headers } of answers) {
      expect([200, 503]).toContain(status);
      if (status === 503) expect(headers.get("retry-after")).not.toBeNull();
    }
  });
  expect(grown).toBeLessThan(100 * MB);
});

/** Announces a body of so many bytes, sends it until there is an answer, and resolves with the status; 0 for none. */
function pour(token: string, framing: "declared" | "chunked", bytes: number): Promise<number> {
  const { hostname, port } = new URL(server.url);
  const piece = Buffer.alloc(256 * 1024, " ");
  const chunk = Buffer.concat([Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from("\r\n")]);
  const head = framing === "chunked" ? "transfer-encoding: chunked" : `content-length: ${bytes}`;
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname);
    let left = bytes / piece.length;
    const send = () => {
      while (left > 0 && !socket.destroyed) {
        left--;
        if (!socket.write(framing === "chunked" ? chunk : piece)) return;
      }
      if (framing === "chunked" && left-- === 0) socket.write("0\r\n\r\n");
    };
    const end = (status: number) => {
      resolve(status);
      socket.destroy();
    };
    socket.on("data", (data) => end(Number(data.toString("latin1").split(" ")[1])));
    socket.on("error", () => {});
    socket.on("close", () => end(0));
    socket.on("drain", send);
    socket.write(
      `POST ${PATH} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${token}\r\n${head}\r\n\r\n`,
      send,
    );
  });
}

test.each(["declared", "chunked"] as const)(
  "hundreds of large bodies at once, %s, are few at a time, and keep nobody waiting",
  async (framing) => {
    const { token } = await newTracker(server, "generic");
    const statuses = new Set<number>();
    const grown = await memoryGrowth(server.pid, async () => {
      const held = await longestHold(server, async () => {
        const some = Array.from({ length: 200 }, () => pour(token, framing, 14 * MB));
        for (const status of await Promise.all(some)) statuses.add(status);
      });
      expect(held).toBeLessThan(LONGEST_HOLD);
    });
    expect(grown).toBeLessThan(220 * MB);
    expect(statuses).toContain(200);
    expect(statuses).toContain(503);
    expect([...statuses].filter((status) => ![0, 200, 503].includes(status))).toEqual([]);
  },
);

test("an app that leaves in the middle of a body is no failure, and none is logged", async () => {
  const { token } = await newTracker(server, "generic");
  const { hostname, port } = new URL(server.url);
  for (const head of [
    "content-length: 500",
    `content-length: ${MB}`,
    `content-length: ${3 * MB}`,
    "transfer-encoding: chunked",
  ]) {
    const socket = connect(Number(port), hostname);
    socket.write(
      `POST ${PATH} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${token}\r\n${head}\r\n\r\n5\r\n12`,
    );
    await Bun.sleep(50);
    socket.destroy();
  }
  await Bun.sleep(200);
  expect(server.output).not.toContain("a request failed");
});
