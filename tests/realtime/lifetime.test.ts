import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { OPCODE, RawClient } from "../support/raw-socket";
import { TestServer } from "../support/server";
import { Client } from "../support/socket";
import { connections } from "./support";

describe("the heartbeat", () => {
  let server: TestServer;
  let token: string;
  beforeAll(async () => {
    server = await TestServer.start({
      settings: { "websocket.heartbeat_interval_seconds": "1", "websocket.client_timeout_seconds": "2" },
    });
    token = await server.admin();
  });
  afterAll(() => server.stop());

  const pingsOf = ({ frames }: RawClient) => frames.filter(({ opcode }) => opcode === OPCODE.ping).length;

  test.concurrent("keeps a client that answers with pong frames, silent as it may be otherwise", async () => {
    const client = await Client.open(server, { token });
    await Bun.sleep(4_500);
    expect(await client.ask({ type: "ping" })).toEqual({ type: "pong" });
    await client.close();
  });

  test.concurrent("keeps a client that sends pong frames unasked", async () => {
    const client = await RawClient.open(server, { token });
    const timer = setInterval(() => client.send(OPCODE.pong), 300);
    await client.until(() => pingsOf(client) >= 4);
    expect(client.frames.every(({ opcode }) => opcode === OPCODE.ping)).toBe(true);
    clearInterval(timer);
    client.cut();
  });

  test.concurrent("closes one that sends no pong frame with 4408: neither JSON pings nor ping frames reset it", async () => {
    const started = performance.now();
    const client = await RawClient.open(server, { token });
    const timer = setInterval(() => {
      client.sendJson({ type: "ping" });
      client.send(OPCODE.ping, "x");
    }, 200);
    const { code } = await client.closed();
    clearInterval(timer);
    expect(code).toBe(4408);
    expect(performance.now() - started).toBeGreaterThan(1_900);
    // The server pinged it, and answered its pings until the end.
    expect(pingsOf(client)).toBeGreaterThan(0);
    expect(client.messages.length).toBeGreaterThan(3);
    expect(client.messages.every(({ type }) => type === "pong")).toBe(true);
    // And it is cut off though it never answers the close frame.
    await client.until(() => client.ended);
  });

  test.concurrent("comes from the server in ping frames alone, never as JSON", async () => {
    const client = await RawClient.open(server, { token });
    await client.until(() => pingsOf(client) >= 1);
    expect(client.messages).toEqual([]);
    client.cut();
  });
});

describe("a server that stood still for longer than a client may be silent", () => {
  test("reads what they sent meanwhile, and closes only those that don't answer now either", async () => {
    const server = await TestServer.start({
      settings: { "websocket.heartbeat_interval_seconds": "1", "websocket.client_timeout_seconds": "2" },
    });
    try {
      const token = await server.admin();
      const live = await Promise.all(Array.from({ length: 10 }, () => Client.open(server, { token })));
      const silent = await RawClient.open(server, { token });
      process.kill(server.pid, "SIGSTOP");
      await Bun.sleep(3_000);
      process.kill(server.pid, "SIGCONT");
      expect((await silent.closed()).code).toBe(4408);
      for (const client of live) {
        expect(await client.ask({ type: "ping" })).toEqual({ type: "pong" });
        await client.close();
      }
    } finally {
      await server.stop();
    }
  });
});

describe("clients that come and go all the time", () => {
  test("keep nobody from being asked whether they are alive", async () => {
    const server = await TestServer.start({
      settings: { "websocket.heartbeat_interval_seconds": "1", "websocket.client_timeout_seconds": "2" },
    });
    try {
      const token = await server.admin();
      const steady = await Client.open(server, { token });
      const counting = await RawClient.open(server, { token });
      const timer = setInterval(() => counting.send(OPCODE.pong), 300);
      const until = performance.now() + 3_500;
      const comeAndGo = async () => {
        while (performance.now() < until) {
          const guest = await RawClient.open(server, { token });
          await Bun.sleep(60);
          guest.cut();
        }
      };
      await Promise.all(Array.from({ length: 10 }, comeAndGo));
      clearInterval(timer);
      expect(counting.frames.map(({ opcode }) => opcode)).toEqual(counting.frames.map(() => OPCODE.ping));
      expect(counting.frames.length).toBeGreaterThanOrEqual(2);
      await Bun.sleep(300);
      expect(await steady.ask({ type: "ping" })).toEqual({ type: "pong" });
      await steady.close();
      counting.cut();
    } finally {
      await server.stop();
    }
  });
});

describe("a connection that breaks off", () => {
  test("without a close frame is forgotten", async () => {
    const server = await TestServer.start();
    try {
      const client = await RawClient.open(server, { token: await server.admin() });
      expect(await connections(server)).toBe(1);
      client.cut();
      while ((await connections(server)) > 0) await Bun.sleep(20);
    } finally {
      await server.stop();
    }
  });
});

describe("a subscriber that cannot keep up", () => {
  test("is closed, and the others hear everything", async () => {
    const server = await TestServer.start();
    try {
      const token = await server.admin();
      const device = await server.device();
      const ZONES = 10;
      const ROUNDS = 200;
      // Each event weighs 15 kB, each position 150 kB: all together more than any buffer on the way.
      const metadata = { pad: "x".repeat(15_000) };
      for (let zone = 0; zone < ZONES; zone++)
        await server.post("/v1/geofences", {
          token,
          body: { name: `Zone ${zone}`, latitude: 10, longitude: 10, radius_km: 1, metadata },
        });
      const slow = await RawClient.open(server, { token });
      slow.sendJson({ type: "subscribe", channel: "geofence" });
      await slow.until(() => slow.messages.length === 1);
      slow.stopReading();
      const other = await (await Client.open(server, { token })).subscribe("geofence");

      for (let round = 0; round < ROUNDS; round++) {
        const { status } = await server.post("/v1/gps", {
          token: device.key,
          body: {
            ...{ latitude: round % 2 === 0 ? 10 : 11, longitude: 10, timestamp: 1_000 + round },
            ...{ speed_kmh: 0, speed_mps: 0, speed_mph: 0, speed_knots: 0 },
          },
        });
        expect(status).toBe(201);
      }
      const heard = await other.heard();
      expect(heard).toHaveLength(ROUNDS * ZONES);
      expect(heard.at(-1).data.metadata).toEqual(metadata);
      // The server has given the slow client up, which never read on and so never saw a close frame.
      while ((await connections(server)) > 1) await Bun.sleep(20);
      slow.readAgain();
      // 1013 if the close frame still got through, 1006 if the connection was cut.
      expect([1013, 1006]).toContain((await slow.closed()).code);
      expect(slow.messages.length).toBeLessThan(ROUNDS * ZONES);
      expect(await other.ask({ type: "ping" })).toEqual({ type: "pong" });
      await other.close();
    } finally {
      await server.stop();
    }
  });
});

describe("a server that stops", () => {
  test("closes every socket with 1001 and ends with status 0, whether or not they answer", async () => {
    const server = await TestServer.start();
    const token = await server.admin();
    const clients = [
      await Client.open(server, { token }),
      await Client.open(server, { bearer: server.systemKey }),
    ];
    const silent = await RawClient.open(server, { token });
    const started = performance.now();
    const ended = server.stop();
    for (const client of clients) expect((await client.closed).code).toBe(1001);
    expect((await silent.closed()).code).toBe(1001);
    expect(await ended).toBe(0);
    // Earlier than the hard stop after the five seconds that requests under way get.
    expect(performance.now() - started).toBeLessThan(4_500);
    expect(server.output).not.toContain("error");
  });

  test("does so on SIGINT as well", async () => {
    const server = await TestServer.start();
    const client = await Client.open(server, { token: await server.admin() });
    const ended = server.stop("SIGINT");
    expect((await client.closed).code).toBe(1001);
    expect(await ended).toBe(0);
  });
});
