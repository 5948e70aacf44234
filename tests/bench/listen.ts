import { Latencies } from "./latencies";
import type { Fixture } from "./prepare";
import { answerQuestions } from "./processes";
import { POST } from "./scenarios";

/**
 * The WebSocket subscribers, a process of its own. It walks over the frames without decoding them, since it shares
 * the machine with the server: a WebSocket object would spend more on each message than the server does.
 */

export type ListenOrder =
  | { do: "open"; port: number; key: string; sockets: number; channel: string; since?: string }
  /**
   * Waits until that many messages have come since the last time, 10 s at most unless `seconds` says otherwise; `more` may come
   * where others post too.
   */
  | { do: "expect"; port: number; messages: number; seconds?: number; more?: boolean }
  /**
   * Posts positions at a rate of `perSecond`, and measures the time from each request to each of its
   * messages.
   */
  | { do: "pace"; port: number; fixture: Fixture; perSecond: number; points: number }
  | { do: "close"; port: number };

export interface Heard {
  /** Time of the last message (epoch milliseconds). */
  lastAt: number;
  /** From a request to each of its messages, in milliseconds; 0 where nothing was paced. */
  p50: number;
  p99: number;
}

interface Listener {
  isOpen: boolean;
  /** The bytes of a frame whose header isn't complete. */
  rest: Buffer | null;
  /** Bytes of the current frame's payload still to come. */
  skip: number;
}

interface Group {
  sockets: Bun.Socket<Listener>[];
  /** Text messages received by all sockets. */
  messages: number;
  lastAt: number;
  /** Called once the expected number has come. */
  wanted: number;
  complete: () => void;
  /** Counts latencies, from `postedAt` (performance.now milliseconds). */
  latencies: Latencies | null;
  postedAt: number;
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
  const before = group.messages;
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
  if (group.messages === before) return;
  group.lastAt = Date.now();
  group.latencies?.add(performance.now() - group.postedAt);
  if (group.messages >= group.wanted) group.complete();
}

/** Connections that are opened at once. */
const AT_ONCE = 100;

async function open(order: Extract<ListenOrder, { do: "open" }>): Promise<void> {
  const group: Group = {
    ...{ sockets: [], messages: 0, lastAt: 0, wanted: order.sockets },
    ...{ complete: () => {}, latencies: null, postedAt: 0 },
  };
  groups.set(order.port, group);
  const handshake = `GET /v1/ws HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${order.key}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n`;
  const subscription = frame(
    TEXT,
    JSON.stringify({ type: "subscribe", channel: order.channel, since: order.since }),
  );
  const subscribed = Promise.withResolvers<void>();
  // Each gets a confirmation first.
  group.complete = subscribed.resolve;
  const receive = (socket: Bun.Socket<Listener>, chunk: Buffer): void => {
    if (socket.data.isOpen) walk(socket, group, chunk);
    else if (chunk.includes(" 101 ")) {
      socket.data.isOpen = true;
      socket.write(subscription);
    } else subscribed.reject(new Error(`the WebSocket handshake was answered\n${chunk}`));
  };
  const connect = () =>
    Bun.connect<Listener>({
      hostname: "127.0.0.1",
      port: order.port,
      data: { isOpen: false, rest: null, skip: 0 },
      socket: {
        open: (socket) => void socket.write(handshake),
        data: receive,
        error: (_, error) => subscribed.reject(error),
      },
    });
  while (group.sockets.length < order.sockets) {
    const missing = Math.min(AT_ONCE, order.sockets - group.sockets.length);
    group.sockets.push(...(await Promise.all(Array.from({ length: missing }, connect))));
  }
  await subscribed.promise;
  // Those that were missed may be here already.
  group.messages -= order.sockets;
}

/** A machine that is busy elsewhere takes many times as long as it should: that shows in the figures, and ends no run. */
const TIMEOUT_SECONDS = 60;

/** Waits until that many messages have come, and restarts the count. */
async function expectMessages(
  group: Group,
  messages: number,
  { seconds = TIMEOUT_SECONDS, more = false }: { seconds?: number; more?: boolean } = {},
): Promise<void> {
  const complete = Promise.withResolvers<void>();
  group.wanted = messages;
  group.complete = complete.resolve;
  const timeout = setTimeout(complete.resolve, seconds * 1_000);
  if (group.messages < messages) await complete.promise;
  clearTimeout(timeout);
  if (group.messages < messages || (group.messages > messages && !more))
    throw new Error(`the subscribers got ${group.messages} messages in place of ${messages}`);
  group.messages = 0;
}

async function pace(group: Group, order: Extract<ListenOrder, { do: "pace" }>): Promise<Latencies> {
  const next = await POST.requests(order.fixture);
  // The answers are ignored: a position that isn't delivered is noticed as a missing message.
  const poster = await Bun.connect({ hostname: "127.0.0.1", port: order.port, socket: { data() {} } });
  const latencies = new Latencies();
  group.latencies = latencies;
  for (let at = 0; at < order.points; at++) {
    const pause = Bun.sleep(1_000 / order.perSecond);
    group.postedAt = performance.now();
    poster.write(next());
    await expectMessages(group, group.sockets.length);
    await pause;
  }
  group.latencies = null;
  poster.end();
  return latencies;
}

async function obey(order: ListenOrder): Promise<Heard> {
  if (order.do === "open") await open(order);
  const group = groups.get(order.port);
  if (!group) throw new Error(`nobody listens to port ${order.port}`);
  if (order.do === "expect") await expectMessages(group, order.messages, order);
  const latencies = order.do === "pace" ? await pace(group, order) : null;
  if (order.do === "close") {
    for (const socket of group.sockets) socket.terminate();
    groups.delete(order.port);
  }
  return {
    lastAt: group.lastAt,
    p50: latencies?.quantile(0.5) ?? 0,
    p99: latencies?.quantile(0.99) ?? 0,
  };
}

if (import.meta.main) answerQuestions(obey);
