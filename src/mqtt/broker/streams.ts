import { connect, isIP } from "node:net";
import { Duplex } from "node:stream";
import { connect as connectTls } from "node:tls";
import { Frames, LARGEST_PACKET } from "./frames";

/** The ways to a broker: TCP, TLS and WebSockets (MQTT 5, sections 4.2 and 6). */

const PORTS: Record<string, number> = { "mqtt:": 1883, "mqtts:": 8883 };

/** The port of a broker's address. */
export const portOf = ({ protocol, port }: URL): number =>
  Number(port) || (PORTS[protocol] ?? (protocol === "wss:" ? 443 : 80));

/** The host of a broker's address, without the brackets of IPv6. */
export const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, "");

/**
 * Opens the way to a broker. The stream carries whole packets of bounded size: see frames.ts. What goes wrong destroys it,
 * with the error.
 */
export async function openStream(url: URL, version: 4 | 5, onCut: () => void): Promise<Duplex> {
  const raw = await openRaw(url);
  return new Packets(raw, new Frames(version, onCut));
}

async function openRaw(url: URL): Promise<Duplex> {
  const [host, port] = [hostOf(url), portOf(url)];
  switch (url.protocol) {
    case "mqtt:":
      return connect({ host, port, noDelay: true });
    case "mqtts:":
      return connectTls({ host, port, ...(isIP(host) === 0 && { servername: host }) });
    default:
      return openWebSocket(url);
  }
}

/** The library of this name in Bun is Bun's own, which takes messages of any size into memory, compressed ones too. */
async function openWebSocket(url: URL): Promise<Duplex> {
  const { WebSocket, createWebSocketStream } = await import("npm-ws");
  const socket = new WebSocket(url.href, ["mqtt"], { perMessageDeflate: false, maxPayload: LARGEST_PACKET });
  const stream = createWebSocketStream(socket);
  // Its stream ends with the socket, but waits for the other direction to end too.
  socket.on("close", () => stream.destroy());
  return stream;
}

/** Both directions of a connection, of which the one that comes goes through `frames`. */
class Packets extends Duplex {
  readonly #raw: Duplex;
  readonly #frames: Frames;

  constructor(raw: Duplex, frames: Frames) {
    super();
    this.#raw = raw;
    this.#frames = frames;
    raw.on("error", (error) => this.destroy(error));
    raw.on("close", () => this.destroy());
    frames.on("error", (error) => this.destroy(error));
    frames.on("data", (chunk) => {
      if (!this.push(chunk)) frames.pause();
    });
    frames.on("end", () => this.push(null));
    raw.pipe(frames);
  }

  override _read(): void {
    this.#frames.resume();
  }

  /** Waits for the end of the turn: all that is written meanwhile leaves by `_writev`, in one system call. */
  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    setImmediate(() => {
      if (this.#raw.destroyed || this.#raw.write(chunk)) done();
      else this.#raw.once("drain", done);
    });
  }

  override _writev(chunks: { chunk: Buffer }[], done: () => void): void {
    this._write(Buffer.concat(chunks.map(({ chunk }) => chunk)), "", done);
  }

  override _final(done: () => void): void {
    this.#raw.end(done);
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#raw.destroy();
    this.#frames.destroy();
    done(error);
  }
}
