import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { connect } from "node:net";
import { done, expectStatus } from "../../support/expectations";
import { LONGEST_HOLD, longestHold, memoryGrowth } from "../../support/pressure";
import { holdCommits } from "../../support/rows";
import { TestServer } from "../../support/server";
import { newTracker, nextTime, positionsOf } from "./support";

/** Limits at the doors: of positions, and of wrong tokens. */

const PATH = "/v1/ingest/generic";

let server: TestServer;
beforeAll(async () => {
  server = await TestServer.start({ settings: { "rate_limit.enabled": "true" }, compilers: "as shipped" });
  const body = { value: 100 };
  const path = "/v1/system-config/ingest.positions_per_minute";
  done(await server.patch(path, { token: await server.admin(), body }));
});
afterAll(() => server.stop());

const positions = (count: number) => {
  const start = nextTime() - 100_000;
  return Array.from({ length: count }, (_, at) => ({ latitude: 54, longitude: 13, timestamp: start + at }));
};

describe("beyond the limit of positions", () => {
  test("a request is 503 with Retry-After, and nothing of it is stored", async () => {
    const { token, deviceId } = await newTracker(server, "generic");
    expectStatus(await server.post(PATH, { token, body: positions(60) }), 200);
    const refused = await server.post(PATH, { token, body: positions(60) });
    expect([refused.status, refused.body.error]).toEqual([503, "ServiceUnavailable"]);
    expect(Number(refused.headers.get("retry-after"))).toBeWithin(1, 61);
    expect(refused.headers.get("referrer-policy")).toBe("no-referrer");
    expect(await positionsOf(server, deviceId)).toHaveLength(60);
    expectStatus(await server.post(PATH, { token, body: positions(40) }), 200);
  });

  test("another tracker goes on, and one request larger than the whole limit passes", async () => {
    const { token } = await newTracker(server, "generic");
    const answer = await server.post(PATH, { token, body: positions(500) });
    expect(answer.body).toEqual({ stored: 500, duplicates: 0, rejected: 0 });
    expect((await server.post(PATH, { token, body: positions(1) })).status).toBe(503);
  });
});

test("while another process holds the database, an app gets 503 with Retry-After, and its position once it is sent again", async () => {
  const { token, deviceId } = await newTracker(server, "generic");
  const body = positions(1);
  const release = holdCommits(server);
  try {
    const refused = await server.post(PATH, { token, body });
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "5"]);
    expect(await positionsOf(server, deviceId)).toEqual([]);
  } finally {
    release();
  }
  expect((await server.post(PATH, { token, body })).body).toEqual({ stored: 1, duplicates: 0, rejected: 0 });
});

test("the general limit of writes doesn't count at the doors", async () => {
  const { token } = await newTracker(server, "owntracks");
  for (let at = 0; at < 50; at++) {
    const answer = await server.post("/v1/ingest/owntracks", { token, body: { _type: "lwt" } });
    expect([answer.status, answer.headers.get("ratelimit-limit")]).toEqual([200, null]);
  }
});

test("a flood of unknown tokens is all 401, keeps nobody waiting, and stops no right token of its address", async () => {
  const { token } = await newTracker(server, "owntracks");
  const wrong = () => `flt_${crypto.randomUUID().replaceAll("-", "")}xxxxxxxxxxx`;
  const flood = (count: number) =>
    Promise.all(
      Array.from({ length: count }, async () => {
        const answer = await fetch(`${server.url}/v1/ingest/owntracks/${wrong()}`, {
          method: "POST",
          body: "{}",
        });
        await answer.text();
        return answer.status;
      }),
    );
  const held = await longestHold(server, async () => {
    for (let wave = 0; wave < 4; wave++) {
      const flooding = flood(500);
      for (let at = 0; at < 5; at++)
        expectStatus(await server.post("/v1/ingest/owntracks", { token, body: { _type: "lwt" } }), 200);
      expect(new Set(await flooding)).toEqual(new Set([401]));
    }
  });
  expect(held).toBeLessThan(LONGEST_HOLD);
});

test("large bodies of a flood of unknown tokens take no memory while their turn to be refused comes", async () => {
  const { hostname, port } = new URL(server.url);
  const piece = Buffer.alloc(1024 * 1024, " ");
  const pour = () =>
    new Promise<string>((resolve) => {
      const socket = connect(Number(port), hostname);
      let left = 14;
      const send = () => {
        while (left-- > 0) if (!socket.write(piece)) return;
      };
      socket.on("data", (data) => {
        resolve(data.toString("latin1").slice(9, 12));
        socket.destroy();
      });
      socket.on("error", () => {});
      socket.on("close", () => resolve("closed"));
      socket.on("drain", send);
      socket.write(
        `POST ${PATH} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer x\r\ncontent-length: ${14 * piece.length}\r\n\r\n`,
        send,
      );
    });
  const grown = await memoryGrowth(server.pid, async () => {
    const answers = await Promise.all(Array.from({ length: 300 }, pour));
    expect(new Set(answers)).toEqual(new Set(["401"]));
  });
  expect(grown).toBeLessThan(100 * 1024 * 1024);
});
