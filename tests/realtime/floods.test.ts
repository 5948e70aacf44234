import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { storedEvents } from "../identity/audit-log/support";
import { frame, read } from "../support/protobuf";
import { FLAG, maskedFrame, OPCODE, RawClient } from "../support/raw-socket";
import { TestServer } from "../support/server";
import { Client } from "../support/socket";

/** Clients that send too much, or frames that no client sends (RFC 6455; rule W6). */
const PER_SECOND = 20;
const MAX_BYTES = 2_048;

let server: TestServer;
let token: string;
let service: string;
let witness: Client;
beforeAll(async () => {
  server = await TestServer.start({
    settings: {
      "websocket.max_messages_per_second": String(PER_SECOND),
      "websocket.max_message_bytes": String(MAX_BYTES),
      "websocket.heartbeat_interval_seconds": "1",
      "websocket.client_timeout_seconds": "3",
    },
  });
  token = await server.admin();
  service = await server.key("audit:write");
  witness = await (await Client.open(server, { token })).subscribe("gps");
});
afterAll(async () => {
  // It was served all the time.
  expect(await witness.ask({ type: "ping" })).toEqual({ type: "pong" });
  await witness.close();
  await server.stop();
});

const openRaw = () => RawClient.open(server, { bearer: service });

describe("a client that sends too much is closed with 1008", () => {
  const auditRequest = (description: string) =>
    frame("createAuditEvent", { eventType: "bot_command_executed", description });
  const floods: [name: string, flood: Buffer][] = [
    ["JSON messages", maskedFrame(OPCODE.text, '{"type":"ping"}')],
    ["text that is no JSON", maskedFrame(OPCODE.text, "{")],
    ["binary messages", maskedFrame(OPCODE.binary, frame("ping"))],
    ["bytes that are no envelope", maskedFrame(OPCODE.binary, "garbage")],
    ["empty messages", maskedFrame(OPCODE.text)],
    ["ping frames", maskedFrame(OPCODE.ping, "x")],
    ["pong frames that answer no ping", maskedFrame(OPCODE.pong, "x")],
  ];
  /** No more than in two seconds: the first may end while the server reads. */
  const answersOf = ({ frames }: RawClient) =>
    frames.filter(({ opcode }) => opcode !== OPCODE.close && opcode !== OPCODE.ping);
  for (const [name, flood] of floods)
    test.concurrent(`for ${name}`, async () => {
      const client = await openRaw();
      client.write(Buffer.concat(Array(1_000).fill(flood)));
      expect(await client.closed()).toEqual({ code: 1008, reason: "too many messages" });
      expect(answersOf(client).length).toBeLessThanOrEqual(2 * PER_SECOND);
      await client.until(() => client.ended);
    });

  test.concurrent("for audit events, and none beyond the limit is written", async () => {
    const client = await openRaw();
    const requests = Array.from({ length: 200 }, (_, at) =>
      maskedFrame(OPCODE.binary, auditRequest(`flood ${at}`)),
    );
    client.write(Buffer.concat(requests));
    expect((await client.closed()).code).toBe(1008);
    // The accepted ones are written, though their answers reach nobody; a later event of another client comes
    // after them.
    const other = await Client.open(server, { bearer: service });
    expect(read(await other.ask(auditRequest("after")))).toMatchObject({
      createAuditEventResponse: { success: true },
    });
    await other.close();
    const written = storedEvents(server)
      .map(({ description }) => description)
      .filter((description) => description?.startsWith("flood "));
    expect(written.length).toBeGreaterThanOrEqual(PER_SECOND);
    expect(written.length).toBeLessThan(2 * PER_SECOND);
    expect(written).toEqual(written.map((_, at) => `flood ${at}`));
  });

  test.concurrent("but not for the pong frames that it owes", async () => {
    const client = await openRaw();
    const pings = () => client.frames.filter(({ opcode }) => opcode === OPCODE.ping).length;
    await client.until(() => pings() >= 1);
    client.send(OPCODE.pong);
    for (let sent = 0; sent < PER_SECOND; sent++) client.sendJson({ type: "ping" });
    await client.until(() => client.messages.length === PER_SECOND);
    expect(client.frames.some(({ opcode }) => opcode === OPCODE.close)).toBe(false);
    client.cut();
  });
});

describe("a message in fragments", () => {
  const half = "x".repeat(MAX_BYTES / 2);

  test.concurrent("is one message, and may have control frames in between", async () => {
    const client = await openRaw();
    client.send(OPCODE.text, '{"type":', 0);
    client.send(OPCODE.ping, "between");
    client.send(OPCODE.continuation, '"pi', 0);
    client.send(OPCODE.continuation, 'ng"}');
    await client.until(() => client.messages.length === 1);
    expect(client.messages).toEqual([{ type: "pong" }]);
    expect(client.heard[0]).toEqual({ opcode: OPCODE.pong, payload: Buffer.from("between") });
    client.cut();
  });

  test.concurrent("is as long as websocket.max_message_bytes at most, all together", async () => {
    const client = await openRaw();
    client.send(OPCODE.text, half, 0);
    client.send(OPCODE.continuation, half, 0);
    client.send(OPCODE.continuation);
    await client.until(() => client.messages.length === 1);
    expect(client.messages).toEqual([{ type: "error", message: "Invalid JSON" }]);
    client.send(OPCODE.binary, half, 0);
    client.send(OPCODE.continuation, `${half}x`, 0);
    expect((await client.closed()).code).toBe(1009);
    expect(client.messages).toHaveLength(1);
  });

  test.concurrent("that never ends doesn't keep a client that answers no ping", async () => {
    const client = await openRaw();
    client.send(OPCODE.text, half, 0);
    expect((await client.closed()).code).toBe(4408);
  });

  test.concurrent("nor does half a frame", async () => {
    const client = await openRaw();
    client.write(maskedFrame(OPCODE.text, half).subarray(0, 100));
    expect((await client.closed()).code).toBe(4408);
  });
});

describe("a frame that no client may send closes the connection:", () => {
  const announcing = (bytes: bigint): Buffer => {
    const head = Buffer.alloc(14);
    head.writeUInt8(FLAG.fin | OPCODE.binary, 0);
    head.writeUInt8(0xff, 1);
    head.writeBigUInt64BE(bytes, 2);
    return head;
  };
  const PROTOCOL_ERROR = 1002;
  const NOT_UTF8 = 1007;
  const TOO_LARGE = 1009;
  const bad: [name: string, bytes: Buffer, code: number][] = [
    ["a compressed one", maskedFrame(OPCODE.text, "{}", FLAG.fin | FLAG.rsv1), PROTOCOL_ERROR],
    ["one without a mask", Buffer.from([FLAG.fin | OPCODE.text, 2, 0x7b, 0x7d]), PROTOCOL_ERROR],
    ["one of a reserved kind", maskedFrame(3, "{}"), PROTOCOL_ERROR],
    ["a continuation of nothing", maskedFrame(OPCODE.continuation, "{}"), PROTOCOL_ERROR],
    ["a ping of 126 bytes", maskedFrame(OPCODE.ping, "x".repeat(126)), PROTOCOL_ERROR],
    ["a ping in fragments", maskedFrame(OPCODE.ping, "x", 0), PROTOCOL_ERROR],
    ["text that is no UTF-8", maskedFrame(OPCODE.text, Buffer.from([0xff, 0xfe])), NOT_UTF8],
    ["one that announces one byte too many", announcing(BigInt(MAX_BYTES + 1)), TOO_LARGE],
    ["one that announces 4 GB", announcing(2n ** 32n), TOO_LARGE],
    ["one that announces more than there is", announcing(2n ** 64n - 1n), TOO_LARGE],
  ];
  for (const [name, bytes, code] of bad)
    test.concurrent(name, async () => {
      const client = await openRaw();
      client.write(bytes);
      expect((await client.closed()).code).toBe(code);
      await client.until(() => client.ended);
      expect(client.messages).toEqual([]);
    });

  test.concurrent("compression isn't agreed upon, though a client offers it", async () => {
    const client = await RawClient.open(server, {
      bearer: service,
      headers: { "sec-websocket-extensions": "permessage-deflate; client_max_window_bits" },
    });
    expect(client.status).toBe(101);
    expect(client.head.toLowerCase()).not.toContain("sec-websocket-extensions");
    client.cut();
  });
});
