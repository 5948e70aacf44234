import { connect, createServer, type Server, type Socket } from "node:net";
import { randomFrom } from "../support/random";

/** A bad line between a client and a server: it cuts, refuses sockets, and freezes. */

/**
 * `pass`: everything passes; `cut`: every connection is cut at random; `no sockets`: a handshake is refused, as by a proxy that
 * knows no WebSocket.
 */
type Mode = "pass" | "cut" | "no sockets";

const REFUSAL = "HTTP/1.1 403 Forbidden\r\ncontent-length: 6\r\nconnection: close\r\n\r\nSorry!";

export class BadLine {
  /** Connections that were cut. */
  cuts = 0;
  /** Cuts by their place: in the head of an answer or handshake, within a frame or a body, or by time. */
  readonly places = { request: 0, head: 0, body: 0, time: 0 };
  /** Connections that were made. */
  connections = 0;
  /** Connections that are open when cuts end are left alone. */
  mode: Mode = "pass";
  readonly #server: Server;
  /** The open connections, each by the function that ends it. */
  readonly #open = new Set<() => void>();
  readonly #sockets = new Set<() => void>();
  #frozen = new Set<() => void>();

  private constructor(server: Server) {
    this.#server = server;
  }

  /** Listens on a free port, and forwards to an address; `seed` makes other cuts. */
  static async start(to: string, seed: number): Promise<BadLine> {
    const { hostname, port } = new URL(to);
    const draw = randomFrom(seed);
    const server = createServer((near) => line.#forward(near, connect(Number(port), hostname), draw));
    const line = new BadLine(server);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return line;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as { port: number }).port}`;
  }

  /** Lets nothing more pass on the connections that are open, and doesn't end them. */
  freeze(): void {
    this.#frozen = new Set(this.#open);
  }

  /** The number of open sockets; connections of requests may be kept for others. */
  get openSockets(): number {
    return this.#sockets.size;
  }

  /** Ends all connections. */
  hangUp(): void {
    for (const end of [...this.#open]) end();
  }

  stop(): void {
    this.hangUp();
    this.#server.close();
  }

  #forward(near: Socket, far: Socket, draw: () => number): void {
    this.connections++;
    const end = () => {
      this.#open.delete(end);
      this.#sockets.delete(end);
      near.destroy();
      far.destroy();
    };
    this.#open.add(end);
    for (const socket of [near, far]) {
      socket.setNoDelay(true);
      socket.on("error", end);
      socket.on("close", end);
    }
    const plan = planOf(draw);
    const cut = (place: keyof BadLine["places"]) => {
      if (this.mode !== "cut" || !this.#open.has(end)) return false;
      this.cuts++;
      this.places[place]++;
      return true;
    };
    const timer = setTimeout(() => cut("time") && end(), plan.milliseconds);
    near.on("close", () => clearTimeout(timer));
    let [sent, came] = [0, 0];
    near.on("data", (bytes: Buffer) => {
      if (this.#frozen.has(end)) return;
      const isHandshake = /^upgrade: websocket/im.test(bytes.toString("latin1"));
      if (isHandshake) this.#sockets.add(end);
      if (isHandshake && this.mode === "no sockets") {
        near.end(REFUSAL);
        return;
      }
      const rest = plan.request - sent;
      sent += bytes.length;
      if (sent > plan.request && cut("request")) far.write(bytes.subarray(0, Math.max(0, rest)), end);
      else far.write(bytes);
    });
    far.on("data", (bytes: Buffer) => {
      if (this.#frozen.has(end)) return;
      const rest = plan.answer - came;
      came += bytes.length;
      if (came > plan.answer && cut(plan.answer < HEAD ? "head" : "body"))
        near.write(bytes.subarray(0, Math.max(0, rest)), end);
      else near.write(bytes);
    });
  }
}

/** Bytes that the head of an answer has at least. */
const HEAD = 250;

/** The bytes and the milliseconds after which a connection is cut; the first of them counts. */
function planOf(draw: () => number) {
  const kind = draw();
  return {
    request: kind < 0.1 ? draw() * 500 : Number.POSITIVE_INFINITY,
    answer: kind < 0.25 ? draw() * HEAD : HEAD + draw() ** 2 * 8_000,
    milliseconds: 50 + draw() ** 2 * 1_500,
  };
}
