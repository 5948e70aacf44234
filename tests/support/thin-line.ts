import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type AddressInfo, connect } from "node:net";

/**
 * A line between two servers as boats have it: thin, slow, and broken. It carries requests, and does to them what such lines do: it
 * cuts them on the way to or fro, tears them, lets them arrive twice or late, and is away for a while.
 */

/** Shares of requests, from 0 to 1, that meet with a mishap. */
export interface Mishaps {
  /** Cut before anything arrives. */
  lost: number;
  /** Cut in the middle: the first part arrives. */
  torn: number;
  /** The request arrives, and its answer doesn't. */
  unanswered: number;
  /** The request arrives once more, some time later. */
  doubled: number;
}

export const NO_MISHAPS: Mishaps = { lost: 0, torn: 0, unanswered: 0, doubled: 0 };

export interface LineOptions {
  /** Milliseconds from one end to the other. */
  delay: number;
  /** Bytes a second in each direction; Infinity for no bound. */
  bytesPerSecond: number;
  mishaps: Mishaps;
  random: () => number;
}

/** Bytes of a packet's head for each packet of 1,400 bytes. */
const sizeOf = (bytes: number): number => bytes + 40 * Math.ceil(Math.max(1, bytes) / 1_400);

const pass = (milliseconds: number) =>
  new Promise<void>((resume) => setTimeout(resume, Math.max(0, milliseconds)));

/** One direction: bytes wait for those before them. */
class Direction {
  bytes = 0;
  #freeAt = 0;

  async carry(bytes: number, { delay, bytesPerSecond }: LineOptions): Promise<void> {
    this.bytes += bytes;
    const begin = Math.max(performance.now(), this.#freeAt);
    this.#freeAt = begin + (bytes / bytesPerSecond) * 1_000;
    await pass(this.#freeAt + delay - performance.now());
  }
}

interface Carried {
  method: string;
  path: string;
  headers: [name: string, value: string][];
  body: Buffer;
}

interface Heard {
  status: number;
  headers: [name: string, value: string][];
  body: Buffer;
}

export class ThinLine {
  readonly options: LineOptions;
  readonly up = new Direction();
  readonly down = new Direction();
  readonly counts = { requests: 0, cuts: 0, lost: 0, torn: 0, unanswered: 0, doubled: 0, away: 0 };
  /** Sees each body that is sent. */
  onBody: (body: Uint8Array) => void = () => {};
  isUp = true;
  #target: string;
  readonly #server: ReturnType<typeof createServer>;
  /** Late arrivals that are under way. */
  readonly #late = new Set<Promise<unknown>>();

  private constructor(target: string, options: LineOptions) {
    this.#target = target;
    this.options = options;
    this.#server = createServer({ keepAlive: true }, (request, response) => {
      this.#take(request, response).catch(() => request.socket.destroy());
    });
  }

  static async open(target: string, options: LineOptions): Promise<ThinLine> {
    const line = new ThinLine(target, options);
    await new Promise<void>((resume) => line.#server.listen(0, "127.0.0.1", resume));
    return line;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Leads to another server from now on: the same one after a restart. */
  leadTo(target: string): void {
    this.#target = target;
  }

  /** Waits for all that is still under way. */
  async settled(): Promise<void> {
    while (this.#late.size > 0) await Promise.allSettled(this.#late);
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise<void>((resume) => this.#server.close(() => resume()));
    await this.settled();
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const carried: Carried = {
      method: request.method ?? "GET",
      path: request.url ?? "/",
      headers: pairsOf(request.rawHeaders),
      body: Buffer.concat(parts),
    };
    this.counts.requests++;
    this.onBody(carried.body);
    const size = sizeOf(headOf(carried).length + carried.body.length);
    const fate = this.#fate();
    if (fate === "lost" || fate === "away") {
      await this.up.carry(size * this.options.random(), this.options);
      return this.#cut(request, fate);
    }
    if (fate === "torn") {
      const share = this.options.random();
      await this.up.carry(size * share, this.options);
      await tear(this.#target, carried, share).catch(() => {});
      return this.#cut(request, fate);
    }
    // Whoever gives a request up doesn't call back what is on its way.
    await this.up.carry(size, this.options);
    if (fate === "doubled") this.#double(carried);
    const heard = await forward(this.#target, carried);
    if (fate === "unanswered" || !this.isUp) return this.#cut(request, "unanswered");
    await this.down.carry(sizeOf(answerHeadOf(heard) + heard.body.length), this.options);
    if (!this.isUp) return this.#cut(request, "unanswered");
    response.writeHead(heard.status, Object.fromEntries(heard.headers));
    response.end(heard.body);
  }

  #fate(): keyof Mishaps | "away" | "fine" {
    if (!this.isUp) return "away";
    let left = this.options.random();
    for (const [name, share] of Object.entries(this.options.mishaps) as [keyof Mishaps, number][]) {
      if (left < share) return name;
      left -= share;
    }
    return "fine";
  }

  #cut(request: IncomingMessage, fate: keyof Mishaps | "away"): void {
    this.counts.cuts++;
    this.counts[fate]++;
    request.socket.destroy();
  }

  #double(carried: Carried): void {
    this.counts.doubled++;
    const late = (async () => {
      await pass(this.options.random() * 3_000);
      await forward(this.#target, carried);
    })().catch(() => {});
    this.#late.add(late);
    late.finally(() => this.#late.delete(late));
  }
}

const pairsOf = (raw: readonly string[]): [string, string][] =>
  Array.from({ length: raw.length / 2 }, (_, at) => [raw[2 * at] as string, raw[2 * at + 1] as string]);

const headOf = ({ method, path, headers }: Carried): string =>
  `${method} ${path} HTTP/1.1\r\n${headers.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n`;

const answerHeadOf = ({ headers }: Heard): number =>
  headers.reduce((sum, [name, value]) => sum + name.length + value.length + 4, 20);

/** Headers of one connection alone (RFC 9110, section 7.6.1), and those that `fetch` sets itself. */
const OWN = ["connection", "keep-alive", "transfer-encoding", "content-length", "host"];

async function forward(target: string, { method, path, headers, body }: Carried): Promise<Heard> {
  const answer = await fetch(target + path, {
    method,
    headers: headers.filter(([name]) => !OWN.includes(name.toLowerCase())),
    ...(method === "GET" ? {} : { body: Uint8Array.from(body) }),
    redirect: "manual",
    decompress: false,
    keepalive: false,
  });
  const kept = [...answer.headers].filter(([name]) => !OWN.includes(name));
  return { status: answer.status, headers: kept, body: Buffer.from(await answer.arrayBuffer()) };
}

/** Sends a share of a request, and hangs up. */
async function tear(target: string, carried: Carried, share: number): Promise<void> {
  const { hostname, port } = new URL(target);
  const whole = Buffer.concat([Buffer.from(headOf(carried)), carried.body]);
  await new Promise<void>((resume, reject) => {
    const socket = connect(Number(port), hostname, () => {
      socket.write(whole.subarray(0, Math.floor(whole.length * share)), () => {
        socket.destroy();
        resume();
      });
    });
    socket.on("error", reject);
  });
}
