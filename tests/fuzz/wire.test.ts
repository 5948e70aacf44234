import { afterAll, afterEach, describe, expect, test } from "bun:test";
import { connect } from "node:net";
import fc from "fast-check";
import { memoryOf } from "../support/pressure";
import { TestServer } from "../support/server";
import { fix } from "../tracking/support";
import { claimDiscreet } from "./judge";
import { parameters, RUNS, reproducibly, tell } from "./settings";

const MEBIBYTE = 1_048_576;

/** Traffic that is not HTTP, or barely: it is refused or cut off, and nobody else notices. */
const server = await TestServer.start({ memory: "as shipped" });
const { hostname, port, host } = new URL(server.url);
const key = server.systemKey;
const started = memoryOf(server.pid) / MEBIBYTE;
let connections = 0;
afterAll(async () => {
  tell(`${connections} connections with garbage`);
  await server.stop();
});
afterEach(async () => {
  const answer = await server.get("/v1/gps?limit=1", { token: key });
  expect(answer.status).toBe(200);
  expect(server.output).not.toContain('"level":"error"');
  expect(memoryOf(server.pid) / MEBIBYTE).toBeLessThan(started + 300);
});

/**
 * Milliseconds of silence after which the test gives up on a connection: the server waits 30 seconds for the
 * rest.
 */
const TIMEOUT = 300;

type Bytes = string | Uint8Array;

/**
 * Sends bytes on a connection of their own. Returns all bytes that came back until the end, or until a pause.
 */
const send = (...parts: Bytes[]): Promise<string> => sendUntil(undefined, ...parts);

/** The same, or until an answer has this status, however long that takes. */
function sendUntil(status: number | undefined, ...parts: Bytes[]): Promise<string> {
  connections++;
  return new Promise((resolve) => {
    let received = "";
    const socket = connect(Number(port), hostname, () => {
      for (const part of parts) socket.write(part);
      socket.end();
    });
    if (status === undefined) socket.setTimeout(TIMEOUT, () => socket.destroy());
    socket.on("data", (data: Buffer) => {
      received += data.toString("latin1");
      if (status !== undefined && statusesIn(received).includes(status)) socket.destroy();
    });
    // The server may cut the connection: that is under test.
    socket.on("error", () => {});
    socket.on("close", () => resolve(received));
  });
}

const statusesIn = (received: string): number[] =>
  [...received.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));

/**
 * Throws unless the answer is refusals or nothing. The runtime answers another major version with 505, which
 * is the right status (RFC 9110, section 15.6.6).
 */
function claimRefused(sent: string, received: string, ...also: number[]): void {
  claimDiscreet(received);
  for (const status of statusesIn(received))
    if (!((status >= 400 && status < 500) || status === 505 || also.includes(status)))
      throw new Error(`${status} to ${JSON.stringify(sent.slice(0, 200))}`);
}

const request = (line: string, headers: string[] = [], body: Bytes = "") =>
  `${line}\r\nhost: ${host}\r\nauthorization: Bearer ${key}\r\n${headers.map((name) => `${name}\r\n`).join("")}\r\n${body}`;

const post = (headers: string[], body: Bytes) =>
  request("POST /v1/devices HTTP/1.1", ["content-type: application/json", ...headers], body);

const deviceCount = async (): Promise<number> =>
  (await server.get("/v1/devices?limit=1", { token: key })).body.pagination.total;

describe("refused or cut off:", () => {
  test("random bytes, and requests of which bytes were changed", async () => {
    const whole = Buffer.from(post(["content-length: 16"], '{"name":"Greif"}'));
    const changed = fc
      .array(fc.tuple(fc.nat({ max: whole.length - 1 }), fc.integer({ min: 0, max: 255 })), {
        minLength: 1,
        maxLength: 5,
      })
      .map((flips) => flips.reduce((bytes, [at, value]) => bytes.with(at, value), new Uint8Array(whole)));
    const random = fc.uint8Array({ minLength: 1, maxLength: 4_000 });
    const property = fc.asyncProperty(fc.oneof(random, changed), async (bytes) => {
      claimRefused(Buffer.from(bytes).toString("latin1"), await send(bytes), 200, 201, 302);
    });
    await reproducibly(() => fc.assert(property, parameters(20, RUNS * 5)));
  }, 3_600_000);

  test("other protocols", async () => {
    for (const sent of [
      "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\x12\x04\0\0\0\0\0",
      Buffer.from("1603010200010001fc0303", "hex"),
      "GET /\r\n",
      "GET /health HTTP/3.0\r\nhost: a\r\n\r\n",
      "GET /health HTTP/9\r\n\r\n",
      "SSH-2.0-OpenSSH_9.9\r\n",
      "EHLO example.org\r\n",
      "*1\r\n$4\r\nPING\r\n",
      "\r\n\r\n\r\n",
    ])
      claimRefused(String(sent), await send(sent));
  });

  test("request lines of other forms, and of a megabyte", async () => {
    const forms = [
      "CONNECT example.org:443",
      "GET http://example.org/health",
      "GET example.org:80",
      "GET *",
      "GET health",
      "GET  /health",
      "GET\t/health",
      "get /health",
      "G\0T /health",
      "GET /hea\0lth",
    ];
    for (const form of forms) {
      const received = await send(request(`${form} HTTP/1.1`));
      claimRefused(form, received, ...(form.includes("http://") ? [200] : []));
    }
    for (const line of [
      `GET /${"x".repeat(1_048_576)} HTTP/1.1`,
      `${"G".repeat(1_048_576)} / HTTP/1.1`,
      "x".repeat(1_048_576),
    ])
      claimRefused(line, await send(request(line)));
  });

  test("heads with thousands of headers, with huge ones, and with wrong ones", async () => {
    const many = Array.from({ length: 5_000 }, (_, at) => `x-${at}: y`);
    for (const headers of [
      many,
      [`x: ${"y".repeat(1_000_000)}`],
      [`${"x".repeat(100_000)}: y`],
      ["no colon"],
      [": no name"],
      ["a b: c"],
      ["a: b\0c"],
      [" folded: x"],
      ["x: y\r z"],
    ])
      claimRefused(String(headers).slice(0, 80), await send(request("GET /v1/gps HTTP/1.1", headers)), 200);
    claimRefused("two hosts", await send(`GET /health HTTP/1.1\r\nhost: a\r\nhost: b\r\n\r\n`));
    claimRefused("no host", await send("GET /health HTTP/1.1\r\n\r\n"));
  });

  test("bodies whose length is not told, or told in two ways: none is a record, nor a second request", async () => {
    const before = await deviceCount();
    const body = '{"name":"smuggled"}';
    const hidden = request(
      "POST /v1/devices HTTP/1.1",
      ["content-type: application/json", `content-length: ${body.length}`],
      body,
    );
    for (const headers of [
      ["content-length: 5", "transfer-encoding: chunked"],
      ["transfer-encoding: chunked", "content-length: 5"],
      ["content-length: 5", "content-length: 6"],
      ["content-length: -1"],
      ["content-length: 1e3"],
      ["content-length: +5"],
      ["content-length: 0x5"],
      ["content-length: 99999999999999999999999"],
      ["transfer-encoding: gzip, chunked"],
      ["transfer-encoding: chunked, identity"],
      ["transfer-encoding: xchunked"],
      ["transfer-encoding : chunked"],
    ])
      claimRefused(headers.join(), await send(post(headers, `0\r\n\r\n${hidden}`)));
    expect(await deviceCount()).toBe(before);
  });

  test("chunks that are none", async () => {
    const before = await deviceCount();
    for (const body of [
      "zz\r\n{}\r\n0\r\n\r\n",
      "-1\r\n{}\r\n0\r\n\r\n",
      "FFFFFFFFFFFFFFFFF\r\n{}",
      "2\r\n{}0\r\n\r\n",
      "2\n{}\n0\n\n",
      "7fffffff\r\n{}",
      "2;ext\r\n{",
      "1\r\n{\r\n1\r\n",
      `0\r\n${"x: y\r\n".repeat(20_000)}\r\n`,
      `${"0".repeat(100_000)}2\r\n{}\r\n0\r\n\r\n`,
    ])
      claimRefused(body.slice(0, 40), await send(post(["transfer-encoding: chunked"], body)));
    expect(await deviceCount()).toBe(before);
  });

  test("requests that are cut off anywhere, which store nothing", async () => {
    const before = await deviceCount();
    const whole = post(["content-length: 16"], '{"name":"Greif"}');
    const cuts = Array.from({ length: 30 }, (_, at) => Math.floor((at * (whole.length - 1)) / 30) + 1);
    await Promise.all(
      cuts.map(async (end) => claimRefused(`cut at ${end}`, await send(whole.slice(0, end)))),
    );
    expect(await deviceCount()).toBe(before);
  });

  test("upgrades to what isn't there, and frames that are none", async () => {
    const upgrade = (...headers: string[]) =>
      request("GET /v1/ws HTTP/1.1", ["connection: upgrade", ...headers]);
    const rightKey = "sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==";
    for (const headers of [
      ["upgrade: h2c", "http2-settings: AAMAAABkAAQAAP__"],
      ["upgrade: websocket"],
      ["upgrade: websocket", "sec-websocket-version: 13", "sec-websocket-key: short"],
      ["upgrade: websocket", "sec-websocket-version: 99", rightKey],
      [
        "upgrade: websocket",
        "sec-websocket-version: 13",
        rightKey,
        "sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==",
      ],
    ])
      claimRefused(headers.join(), await send(upgrade(...headers)), 101);
    const whole = upgrade("upgrade: websocket", "sec-websocket-version: 13", rightKey);
    const frames = [
      [0x81, 0x05, 1, 2, 3, 4, 5],
      [0xff, 0xff, 0xff, 0xff],
      [0x81, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff],
      [0x8f, 0x80, 0, 0, 0, 0],
      [0x09, 0x80, 0, 0, 0, 0],
      [0x88, 0x81, 0, 0, 0, 0, 3],
      [0xc1, 0x80, 0, 0, 0, 0],
    ];
    for (const frame of frames) expect(statusesIn(await send(whole, Buffer.from(frame)))).toEqual([101]);
  });
});

describe("served:", () => {
  /** Sends so many requests in one piece. Expects answers in order, and returns how many came. */
  const pipeline = (count: number) =>
    new Promise<number>((resolve, reject) => {
      const pipelined = Array.from({ length: count }, (_, at) =>
        request("GET /v1 HTTP/1.1", [`x-request-id: r${at}`]),
      ).join("");
      let text = "";
      const socket = connect(Number(port), hostname, () => socket.write(pipelined));
      socket.on("data", (data: Buffer) => {
        text += data.toString("latin1");
        if (statusesIn(text).length === count && text.endsWith("}")) socket.destroy();
      });
      socket.on("close", () => {
        try {
          const statuses = statusesIn(text);
          expect(statuses).toEqual(Array(statuses.length).fill(200));
          const ids = [...text.matchAll(/^x-request-id: (r\d+)/gim)].map(([, id]) => id);
          expect(ids).toEqual(Array.from({ length: statuses.length }, (_, at) => `r${at}`));
          resolve(statuses.length);
        } catch (error) {
          reject(error);
        }
      });
    });

  test("a few requests in one piece, however slow the machine is", async () => {
    // The very first request of a process is not answered at once.
    await pipeline(1);
    for (let n = 0; n < 20; n++) expect(await pipeline(60)).toBe(60);
  });

  // More than a few are all answered unless they take 20 ms of processor time, which a machine may need once.
  test("two hundred requests in one piece, in their order", async () => {
    const count = 200;
    let most = 0;
    for (let round = 0; round < 3 && most < count; round++) most = Math.max(most, await pipeline(count));
    expect(most).toBe(count);
  });

  // The runtime closes a connection on which a request comes while another one waits for its answer
  // (oven-sh/bun#38128).
  test("writes in one piece are refused before they act", async () => {
    const before = await deviceCount();
    const received = await send(post(["content-length: 16"], '{"name":"Greif"}').repeat(20));
    expect(statusesIn(received)).toEqual([]);
    expect(await deviceCount()).toBe(before);
  });

  test("a client that asks before it sends its body", async () => {
    const body = JSON.stringify(fix());
    const received = await sendUntil(
      201,
      request("POST /v1/gps HTTP/1.1", [
        "content-type: application/json",
        `content-length: ${body.length}`,
        "expect: 100-continue",
      ]),
      body,
    );
    expect(statusesIn(received).at(-1)).toBe(201);
  });

  test("everybody else, while hundreds of clients drip their heads and bodies", async () => {
    const slow = Array.from({ length: 300 }, (_, at) => {
      const socket = connect(Number(port), hostname);
      socket.on("error", () => {});
      const whole =
        at % 2 === 0
          ? request("GET /v1/gps HTTP/1.1")
          : post(["content-length: 1000000"], `{"name":"${"x".repeat(500)}`);
      let sent = 0;
      const timer = setInterval(() => {
        sent++;
        socket.write(whole.slice(sent - 1, sent));
      }, 5);
      connections++;
      return () => {
        clearInterval(timer);
        socket.destroy();
      };
    });
    try {
      const answers = await Promise.all(
        Array.from({ length: 200 }, () => server.post("/v1/gps", { token: key, body: fix() })),
      );
      expect(answers.map(({ status }) => status)).toEqual(Array(200).fill(201));
    } finally {
      for (const stop of slow) stop();
    }
  });

  test("everybody else, while others announce bodies and don't send them, or leave in the middle", async () => {
    const before = await deviceCount();
    const leaving = Array.from({ length: 200 }, async (_, at) => {
      const body = at % 2 === 0 ? "" : `{"name":"${"x".repeat(100_000)}`;
      // The room for unfinished bodies is bounded.
      claimRefused("left", await send(post(["content-length: 1000000"], body)), 503);
    });
    const answers = await Promise.all(
      Array.from({ length: 100 }, () => server.get("/v1/gps", { token: key })),
    );
    expect(answers.every(({ status }) => status === 200)).toBe(true);
    await Promise.all(leaving);
    expect(await deviceCount()).toBe(before);
  });
});
