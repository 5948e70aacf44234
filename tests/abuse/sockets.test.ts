import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { newUser } from "../support/people";
import { LONGEST_HOLD, longestHold } from "../support/pressure";
import { frame, read } from "../support/protobuf";
import { maskedFrame, OPCODE, RawClient } from "../support/raw-socket";
import { TestServer } from "../support/server";

/** A user without any permission whose sockets send the costliest messages, all within every limit. */

const SOCKETS = 10;
/** Three rounds of them may fall into one second, and stay below the limit of messages. */
const FRAMES = 15;
const PAUSE = 20;
/** Repetitions in a binary frame of 64 KB. */
const MANY = 32_000;

const many = (...bytes: number[]) => Array(MANY).fill(bytes).flat();
/** A payload in an envelope without a type. */
const payload = (number: number, bytes: number[]) => {
  const varint = (value: number): number[] =>
    value < 128 ? [value] : [(value & 127) | 128, ...varint(value >> 7)];
  return new Uint8Array([...varint((number << 3) | 2), ...varint(bytes.length), ...bytes]);
};

const NOT_A_BOT = {
  type: 20,
  error: { message: "This needs an API key with the permission community:sync" },
};
const MEMBERS = frame("communitySyncResponse", { members: Array(MANY).fill({}) });

let server: TestServer;
let token: string;
afterAll(() => server.stop());

async function startServer(settings: Record<string, string>): Promise<void> {
  await server?.stop();
  server = await TestServer.start({ settings });
  ({ token } = await newUser(server));
}

const openAll = () => Promise.all(Array.from({ length: SOCKETS }, () => RawClient.open(server, { token })));

/** Sends a frame on all sockets, as often as each may. Returns how long that keeps the server from others. */
const flood = (clients: RawClient[], bytes: Buffer): Promise<number> =>
  longestHold(server, async () => {
    for (let sent = 0; sent < FRAMES; sent++) {
      for (const client of clients) client.write(bytes);
      await Bun.sleep(PAUSE);
    }
  });

describe("ten sockets of one user that send 64 KB again and again", () => {
  beforeAll(() => startServer({}));

  test("keep nobody waiting, and are closed", async () => {
    const clients = await openAll();
    expect(await flood(clients, maskedFrame(OPCODE.binary, MEMBERS))).toBeLessThan(LONGEST_HOLD);
    // 64 frames a second may come. They are all written at once: on a slow machine those before took longer than a second.
    for (const client of clients)
      for (let sent = 0; sent < 2 * FRAMES; sent++) client.write(maskedFrame(OPCODE.binary, MEMBERS));
    const closed = await Promise.all(clients.map((client) => client.closed()));
    const tooMuch = closed.filter(({ reason }) => reason === "too many bytes");
    expect(tooMuch.length).toBeGreaterThanOrEqual(SOCKETS - 2);
    expect(new Set(tooMuch.map(({ code }) => code))).toEqual(new Set([1008]));
  });
});

describe("where they may send so much", () => {
  beforeAll(() => startServer({ "websocket.max_bytes_per_second": "1000000000" }));

  const ATTACKS: [name: string, frame: Uint8Array, answer: object][] = [
    ["32,000 members in a part of a sync", MEMBERS, NOT_A_BOT],
    [
      "32,000 fields in an audit event",
      payload(100, many(0x12, 0)),
      { type: 101, createAuditEventResponse: { error: expect.stringContaining("audit:write") } },
    ],
    ["32,000 fields in a request for settings", payload(120, many(0x0a, 0)), NOT_A_BOT],
    [
      "32,000 fields in a moderation event",
      payload(140, many(0x12, 0)),
      { type: 20, error: { message: "The frame is no WsEnvelope" } },
    ],
    [
      "32,000 messages that the server sends",
      payload(121, many(0x0a, 0)),
      { type: 20, error: { message: "communitySettings is for the server to send" } },
    ],
    [
      "a channel 32,000 times over",
      payload(20, many(0x0a, 0)),
      { type: 20, error: { message: "The payload holds too many fields" } },
    ],
    [
      "32,000 payloads",
      new Uint8Array(many(0x52, 0)),
      { type: 20, error: { message: "The envelope holds too many fields" } },
    ],
  ];

  test.each(ATTACKS)("%s keep nobody waiting, and are answered", async (_, bytes, answer) => {
    const clients = await openAll();
    expect(await flood(clients, maskedFrame(OPCODE.binary, bytes))).toBeLessThan(LONGEST_HOLD);
    for (const client of clients) {
      const answers = () => client.frames.filter(({ opcode }) => opcode === OPCODE.binary);
      await client.until(() => answers().length >= FRAMES);
      expect(read(new Uint8Array(answers()[0]?.payload ?? []))).toMatchObject(answer);
      client.cut();
    }
  });

  const TEXTS: [name: string, text: string][] = [
    ["6,000 members", `{${Array.from({ length: 6_000 }, (_, at) => `"k${at}":0`).join()}}`],
    ["20,000 arrays", `[${Array(20_000).fill("[]").join()}]`],
    ["32,000 levels", "[".repeat(MANY) + "]".repeat(MANY)],
  ];

  test.each(TEXTS)("text messages of %s keep nobody waiting, and are answered", async (_, text) => {
    const bytes = maskedFrame(OPCODE.text, Buffer.from(text));
    const held = await longestHold(server, async () => {
      const clients = await openAll();
      for (const client of clients) for (let sent = 0; sent < FRAMES; sent++) client.write(bytes);
      for (const client of clients) {
        // A ping of the server may come in between.
        const answers = () => client.frames.filter(({ opcode }) => opcode === OPCODE.text);
        await client.until(() => answers().length === FRAMES);
        expect(JSON.parse(String(answers()[0]?.payload))).toEqual({
          type: "error",
          message: "The message holds too many fields",
        });
        client.cut();
      }
    });
    expect(held).toBeLessThan(LONGEST_HOLD);
  });
});
