import { answerQuestions } from "./processes";

/**
 * The WebSocket subscribers, a process of its own. It walks over the frames without decoding them, since it shares
 * the machine with the server: a WebSocket object would spend more on each message than the server does.
 */

export type ListenOrder =
  | { do: "open"; port: number; key: string; sockets: number; channel: string }
  /** Waits until so many messages have come since the last time. */
  | { do: "expect"; port: number; messages: number }
  | { do: "close"; port: number };

interface Listener {
  isOpen: boolean;
  /** What came of a frame whose header isn't complete. */
  rest: Buffer | null;
  /** Bytes of the current frame's payload still to come. */
  skip: number;
}

interface Group {
  sockets: Bun.Socket<Listener>[];
  /** Text messages received by all sockets. */
  messages: number;
}

const groups = new Map<number, Group>();

/** A client's frames are masked (RFC 6455, section 5.3); a mask of zeros leaves them as they are. */
const frame = (opcode: number, payload: string): Buffer =>
  Buffer.concat([Buffer.from([0x80 | opcode, 0x80 | payload.length, 0, 0, 0, 0]), Buffer.from(payload)]);
const TEXT = 1;
const CLOSE = 8;
const PING = 9;
const PONG = frame(10, "");

/** Length of a frame's header, or 0 when `at` is too near the end to tell or to hold it. */
function headerLength(chunk: Buffer, at: number): number {
  if (chunk.length - at < 2) return 0;
  const short = chunk[at + 1] ?? 0;
  const length = short < 126 ? 2 : short === 126 ? 4 : 10;
  return chunk.length - at < length ? 0 : length;
}

function payloadLength(chunk: Buffer, at: number): number {
  const short = chunk[at + 1] ?? 0;
  if (short < 126) return short;
  return short === 126 ? chunk.readUInt16BE(at + 2) : Number(chunk.readBigUInt64BE(at + 2));
}

function walk(socket: Bun.Socket<Listener>, group: Group, received: Buffer): void {
  const state = socket.data;
  const chunk = state.rest === null ? received : Buffer.concat([state.rest, received]);
  state.rest = null;
  let at = state.skip;
  while (at < chunk.length) {
    const header = headerLength(chunk, at);
    if (header === 0) {
      state.rest = Buffer.from(chunk.subarray(at));
      at = chunk.length;
      break;
    }
    const opcode = (chunk[at] ?? 0) & 0x0f;
    if (opcode === TEXT) group.messages++;
    else if (opcode === PING) socket.write(PONG);
    else if (opcode === CLOSE) throw new Error("the server closed a subscriber");
    at += header + payloadLength(chunk, at);
  }
  state.skip = at - chunk.length;
}

async function open(order: Extract<ListenOrder, { do: "open" }>): Promise<number> {
  const group: Group = { sockets: [], messages: 0 };
  groups.set(order.port, group);
  const handshake = `GET /v1/ws HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${order.key}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n`;
  const subscription = frame(TEXT, JSON.stringify({ type: "subscribe", channel: order.channel }));
  const subscribed = Promise.withResolvers<void>();
  const receive = (socket: Bun.Socket<Listener>, chunk: Buffer): void => {
    if (socket.data.isOpen) {
      walk(socket, group, chunk);
      // Each gets a confirmation first.
      if (group.messages === order.sockets) subscribed.resolve();
    } else if (chunk.includes(" 101 ")) {
      socket.data.isOpen = true;
      socket.write(subscription);
    } else subscribed.reject(new Error(`the WebSocket handshake was answered\n${chunk}`));
  };
  for (let at = 0; at < order.sockets; at++)
    group.sockets.push(
      await Bun.connect<Listener>({
        hostname: "127.0.0.1",
        port: order.port,
        data: { isOpen: false, rest: null, skip: 0 },
        socket: {
          open: (socket) => void socket.write(handshake),
          data: receive,
          error: (_, error) => subscribed.reject(error),
        },
      }),
    );
  await subscribed.promise;
  group.messages = 0;
  return order.sockets;
}

const PATIENCE_MS = 10_000;
const POLL_MS = 5;

async function expectMessages(group: Group, messages: number): Promise<number> {
  const deadline = performance.now() + PATIENCE_MS;
  while (group.messages < messages && performance.now() < deadline) await Bun.sleep(POLL_MS);
  if (group.messages !== messages)
    throw new Error(`the subscribers got ${group.messages} messages in place of ${messages}`);
  group.messages = 0;
  return messages;
}

async function obey(order: ListenOrder): Promise<number> {
  if (order.do === "open") return await open(order);
  const group = groups.get(order.port);
  if (!group) throw new Error(`nobody listens to port ${order.port}`);
  if (order.do === "expect") return await expectMessages(group, order.messages);
  for (const socket of group.sockets) socket.terminate();
  groups.delete(order.port);
  return group.sockets.length;
}

if (import.meta.main) answerQuestions(obey);
