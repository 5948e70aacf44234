import { Latencies } from "./latencies";
import type { Fixture } from "./prepare";
import { answerQuestions } from "./processes";
import { type RequestSource, scenarioNamed } from "./scenarios";

/**
 * The load generator, a process of its own. It shares two cores with the server, so it does as little as it can:
 * bare TCP, one request under way on each kept-alive connection, requests encoded beforehand, answers read
 * only as far as their status and length.
 */

export interface LoadOrder {
  scenario: string;
  fixture: Fixture;
  port: number;
  connections: number;
  seconds: number;
  /**
   * Milliseconds between an answer and the next request of its connection; 0 for as many requests as
   * possible.
   */
  pause: number;
}

export interface Load {
  /** Requests answered within the time, and that time. */
  answered: number;
  seconds: number;
  /** Requests answered in all: those under way at the end are waited for. */
  sent: number;
  /** Time at which the first request went out (epoch milliseconds). */
  startedAt: number;
  /** Latencies in milliseconds. */
  p50: number;
  p99: number;
}

/** The most that the last answers may take once the time is up. */
const GRACE_SECONDS = 10;

const HEAD_END = Buffer.from("\r\n\r\n");
const LENGTH = Buffer.from("\r\nContent-Length: ");
const ZERO = 0x30;
const NINE = 0x39;
/** Offset of the status in "HTTP/1.1 200 OK". */
const STATUS_AT = 9;

interface Exchange {
  sentAt: number;
  /** The bytes of an answer whose head isn't complete. */
  head: Buffer | null;
  /** Bytes of the answer's body still to come. */
  missing: number;
  /** The end of a request that the socket has not taken yet. */
  rest: Uint8Array;
}

/** The length of the body that a head announces. */
function bodyLength(head: Buffer): number {
  let at = head.indexOf(LENGTH) + LENGTH.length;
  if (at < LENGTH.length) throw new Error(`an answer without Content-Length: ${head}`);
  let length = 0;
  for (let digit = head[at] ?? 0; digit >= ZERO && digit <= NINE; digit = head[++at] ?? 0)
    length = length * 10 + (digit - ZERO);
  return length;
}

const digitAt = (head: Buffer, at: number): number => (head[at] ?? 0) - ZERO;
const statusOf = (head: Buffer): number =>
  digitAt(head, STATUS_AT) * 100 + digitAt(head, STATUS_AT + 1) * 10 + digitAt(head, STATUS_AT + 2);

async function generate(order: LoadOrder): Promise<Load> {
  const scenario = scenarioNamed(order.scenario);
  return await drive(await scenario.requests(order.fixture), scenario.status, order);
}

function drive(next: RequestSource, status: number, order: LoadOrder): Promise<Load> {
  const { promise, resolve, reject } = Promise.withResolvers<Load>();
  const latencies = new Latencies();
  let answered = 0;
  let sent = 0;
  let open = order.connections;
  const startedAt = Date.now();
  const deadline = performance.now() + order.seconds * 1_000;
  const timeout = setTimeout(
    () => reject(new Error(`${open} answers were still missing ${GRACE_SECONDS} s after the last request`)),
    (order.seconds + GRACE_SECONDS) * 1_000,
  );

  const ask = (socket: Bun.Socket<Exchange>): void => {
    const request = next();
    sent++;
    socket.data.sentAt = performance.now();
    // The request may change before the socket takes the rest.
    socket.data.rest = request.slice(socket.write(request));
  };

  const writeRest = (socket: Bun.Socket<Exchange>): void => {
    const { rest } = socket.data;
    if (rest.length > 0) socket.data.rest = rest.subarray(socket.write(rest));
  };

  const finish = (socket: Bun.Socket<Exchange>): void => {
    const time = performance.now();
    latencies.add(time - socket.data.sentAt);
    if (time < deadline) {
      answered++;
      if (order.pause === 0) ask(socket);
      else setTimeout(ask, order.pause, socket);
      return;
    }
    socket.end();
    if (--open > 0) return;
    clearTimeout(timeout);
    resolve({
      answered,
      seconds: order.seconds,
      sent,
      startedAt,
      p50: latencies.quantile(0.5),
      p99: latencies.quantile(0.99),
    });
  };

  const receive = (socket: Bun.Socket<Exchange>, chunk: Buffer): void => {
    const exchange = socket.data;
    if (exchange.missing > 0) {
      exchange.missing -= chunk.length;
      if (exchange.missing === 0) finish(socket);
      return;
    }
    const head = exchange.head === null ? chunk : Buffer.concat([exchange.head, chunk]);
    const end = head.indexOf(HEAD_END);
    if (end === -1) {
      exchange.head = Buffer.from(head);
      return;
    }
    exchange.head = null;
    if (statusOf(head) !== status) throw new Error(`${order.scenario} answered\n${head}`);
    exchange.missing = end + HEAD_END.length + bodyLength(head) - head.length;
    if (exchange.missing === 0) finish(socket);
  };

  for (let at = 0; at < order.connections; at++)
    Bun.connect<Exchange>({
      hostname: "127.0.0.1",
      port: order.port,
      data: { sentAt: 0, head: null, missing: 0, rest: new Uint8Array(0) },
      socket: {
        open: ask,
        drain: writeRest,
        data: receive,
        error: (_, error) => reject(error),
        close: () => {
          if (performance.now() < deadline) reject(new Error("the server closed a connection"));
        },
      },
    }).catch(reject);
  return promise;
}

if (import.meta.main) answerQuestions(generate);
