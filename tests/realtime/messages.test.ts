import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { OPCODE, RawClient } from "../support/raw-socket";
import { TestServer } from "../support/server";
import { Client } from "../support/socket";
import { adminSession } from "./support";

const MAX_SUBSCRIPTIONS = 3;
const MAX_MESSAGE_BYTES = 2_048;

let server: TestServer;
let session: string;
beforeAll(async () => {
  server = await TestServer.start({
    settings: {
      "websocket.max_subscriptions": String(MAX_SUBSCRIPTIONS),
      "websocket.max_message_bytes": String(MAX_MESSAGE_BYTES),
    },
  });
  session = await server.admin();
});
afterAll(() => server.stop());

const connect = async () => Client.open(server, { token: session });

describe("a client", () => {
  test("gets pong for ping, and nothing before it has asked", async () => {
    const client = await connect();
    expect(await client.heard()).toEqual([]);
    expect(await client.ask({ type: "ping" })).toEqual({ type: "pong" });
    await client.close();
  });

  test("gets a subscription confirmed, twice when it asks twice", async () => {
    const client = await connect();
    const confirmation = { type: "message", channel: "gps", data: "Subscribed to gps" };
    expect(await client.ask({ type: "subscribe", channel: "gps" })).toEqual(confirmation);
    expect(await client.ask({ type: "subscribe", channel: "gps" })).toEqual(confirmation);
    await client.close();
  });

  test("gets the end of a subscription confirmed, also of one that it never had", async () => {
    const client = await connect();
    await client.subscribe("public:news");
    for (const channel of ["public:news", "public:news", "geofence"])
      expect(await client.ask({ type: "unsubscribe", channel })).toEqual({
        type: "message",
        channel,
        data: `Unsubscribed from ${channel}`,
      });
    await client.close();
  });

  test("gets a refusal that names the channel", async () => {
    const client = await connect();
    expect(await client.ask({ type: "subscribe", channel: "community" })).toEqual({
      type: "error",
      message: "Access denied to channel: community",
    });
    await client.close();
  });

  test("may send fields that the server doesn't know", async () => {
    const client = await connect();
    expect(await client.ask({ type: "ping", channel: 5, id: "a" })).toEqual({ type: "pong" });
    await client.close();
  });
});

describe("a connection stays open, with an error message, after", () => {
  const mistakes: [name: string, message: unknown][] = [
    ["text that is no JSON", "{"],
    ["empty text", ""],
    ["null", "null"],
    ["a number", "5"],
    ["a string", '"ping"'],
    ["true", "true"],
    ["an array", []],
    ["an array of messages", [{ type: "ping" }]],
    ["an object without a type", {}],
    ["an unknown type", { type: "publish", channel: "gps" }],
    ["a type in upper case", { type: "PING" }],
    ["a server's type", { type: "pong" }],
    ["a type that is a number", { type: 1 }],
    ["a type that is null", { type: null }],
    ["a type that is an array", { type: ["ping"] }],
    ["the type __proto__", '{"type":"__proto__"}'],
    ["the type constructor", { type: "constructor" }],
    ["the type toString", { type: "toString" }],
    ["JSON that is nested 500 levels deep", "[".repeat(500) + "]".repeat(500)],
    ["a lone surrogate", '{"type":"\\ud800"}'],
    ["a subscribe without a channel", { type: "subscribe" }],
    ["a subscribe to null", { type: "subscribe", channel: null }],
    ["a subscribe to a number", { type: "subscribe", channel: 5 }],
    ["a subscribe to an array", { type: "subscribe", channel: ["gps"] }],
    ["a subscribe to an object", { type: "subscribe", channel: { toString: "gps" } }],
    ["a subscribe to the empty name", { type: "subscribe", channel: "" }],
    ["an unsubscribe without a channel", { type: "unsubscribe" }],
    ["an unsubscribe from a number", { type: "unsubscribe", channel: 5 }],
  ];
  for (const [name, message] of mistakes)
    test(name, async () => {
      const client = await connect();
      const answer = await client.ask(message);
      expect(answer).toEqual({ type: "error", message: expect.any(String) });
      expect(answer.message).not.toBe("Something went wrong");
      expect(await client.heard()).toEqual([]);
      await client.close();
    });

  test("a huge channel name, which the answer doesn't repeat in full", async () => {
    const client = await connect();
    const channel = "x".repeat(MAX_MESSAGE_BYTES - 100);
    const refusal = await client.ask({ type: "subscribe", channel });
    expect(refusal.type).toBe("error");
    expect(refusal.message).toStartWith("Access denied to channel: xxx");
    expect(refusal.message.length).toBeLessThan(500);
    const { data } = await client.ask({ type: "unsubscribe", channel });
    expect(data.length).toBeLessThan(200);
    await client.close();
  });

  test("mistakes leave the subscriptions as they were", async () => {
    const client = await (await connect()).subscribe("public:kept");
    const before = (await server.get("/health")).body.services.websocket;
    await client.ask("{");
    await client.ask({ type: "subscribe", channel: "community" });
    await client.ask({ type: "unsubscribe" });
    expect((await server.get("/health")).body.services.websocket).toEqual(before);
    await client.close();
  });
});

describe("a connection", () => {
  test("holds websocket.max_subscriptions channels and refuses one more", async () => {
    const client = await connect();
    await client.subscribe("gps", "geofence", "public");
    expect(await client.ask({ type: "subscribe", channel: "vessels" })).toEqual({
      type: "error",
      message: "Too many subscriptions: vessels",
    });
    // A channel that it already has, and the automatic one, don't count.
    await client.subscribe("gps", `user:${(await adminSession(server)).userId}`);
    await client.ask({ type: "unsubscribe", channel: "public" });
    await client.subscribe("vessels");
    await client.close();
  });

  test("takes a message of websocket.max_message_bytes, and is closed with 1009 after a larger one", async () => {
    const client = await connect();
    const ofSize = (bytes: number) => `{"type":"ping","pad":"${"x".repeat(bytes - 24)}"}`;
    expect(Buffer.byteLength(ofSize(MAX_MESSAGE_BYTES))).toBe(MAX_MESSAGE_BYTES);
    expect(await client.ask(ofSize(MAX_MESSAGE_BYTES))).toEqual({ type: "pong" });
    client.send(ofSize(MAX_MESSAGE_BYTES + 1));
    expect((await client.closed).code).toBe(1009);
  });

  test("answers a protocol ping with a pong of the same payload", async () => {
    const client = await RawClient.open(server, { token: session });
    client.send(OPCODE.ping, "are you there");
    await client.until(() => client.frames.some(({ opcode }) => opcode === OPCODE.pong));
    expect(client.heard.map(({ payload }) => payload.toString())).toEqual(["are you there"]);
    client.cut();
  });

  test("is closed by the server's answer when the client closes it", async () => {
    const client = await RawClient.open(server, { token: session });
    const code = Buffer.from([1000 >> 8, 1000 & 0xff]);
    client.send(OPCODE.close, code);
    expect((await client.closed()).code).toBe(1000);
    client.cut();
  });
});

describe("with websocket.max_messages_per_second, a client", () => {
  const LIMIT = 5;
  let limited: TestServer;
  let token: string;
  beforeAll(async () => {
    limited = await TestServer.start({ settings: { "websocket.max_messages_per_second": String(LIMIT) } });
    token = await limited.admin();
  });
  afterAll(() => limited.stop());

  test("that exceeds it is closed with 1008, and another one is not", async () => {
    const flooding = await Client.open(limited, { token });
    const other = await Client.open(limited, { token });
    for (let sent = 0; sent < 4 * LIMIT; sent++) flooding.send({ type: "ping" });
    expect((await flooding.closed).code).toBe(1008);
    expect(await other.ask({ type: "ping" })).toEqual({ type: "pong" });
    await other.close();
  });

  test("that keeps to it in every second stays", async () => {
    const client = await Client.open(limited, { token });
    for (let second = 0; second < 2; second++) {
      for (let sent = 0; sent < LIMIT; sent++)
        expect(await client.ask({ type: "ping" })).toEqual({ type: "pong" });
      await Bun.sleep(1_100);
    }
    await client.close();
  });
});
