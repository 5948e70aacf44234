import { randomBytes } from "node:crypto";
import { connect, type Socket } from "node:net";
import type { Api } from "./api";
import { type Closed, type Credentials, type Message, socketHeaders, socketPath } from "./socket";

interface Frame {
  opcode: number;
  payload: Buffer;
}

export const OPCODE = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;

/** The bits before a frame's opcode: the end of a message, and compression. */
export const FLAG = { fin: 0x80, rsv1: 0x40 } as const;

/** A client's frame, of at most 65,535 bytes; without `FLAG.fin` others follow that continue its message. */
export function maskedFrame(
  opcode: number,
  payload: string | Uint8Array = "",
  flags: number = FLAG.fin,
): Buffer {
  const bytes = Buffer.from(payload);
  const mask = randomBytes(4);
  const masked = bytes.map((byte, at) => byte ^ (mask[at % 4] ?? 0));
  const length =
    bytes.length < 126
      ? Buffer.from([0x80 | bytes.length])
      : Buffer.from([0x80 | 126, bytes.length >> 8, bytes.length & 0xff]);
  return Buffer.concat([Buffer.from([flags | opcode]), length, mask, masked]);
}

/**
 * A minimal WebSocket client (RFC 6455): it masks its frames, and answers no ping and no close by itself. For
 * behaviour that well-behaved clients don't show.
 */
export class RawClient {
  readonly #socket: Socket;
  #buffer: Buffer = Buffer.alloc(0);
  #changed: () => void = () => {};
  /** All frames that came so far. */
  readonly frames: Frame[] = [];
  /** The status line and headers of the handshake's answer, and its body where it was refused. */
  head = "";
  ended = false;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on("data", (data: Buffer) => {
      this.#buffer = Buffer.concat([this.#buffer, data]);
      if (this.head === "") this.#readHead();
      if (this.head !== "") this.#readFrames();
      this.#changed();
    });
    // Some tests provoke the server into cutting the connection.
    socket.on("error", () => {});
    socket.on("close", () => {
      this.ended = true;
      this.#changed();
    });
  }

  /** Connects and sends a handshake; `headers` are added, and replace its own. */
  static async open(server: Api, credentials: Credentials): Promise<RawClient> {
    const { hostname, port, host } = new URL(server.url);
    const socket = connect(Number(port), hostname);
    const client = new RawClient(socket);
    const headers: Record<string, string> = {
      host,
      connection: "Upgrade",
      upgrade: "websocket",
      "sec-websocket-version": "13",
      "sec-websocket-key": randomBytes(16).toString("base64"),
      ...socketHeaders(credentials),
    };
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.write(`GET ${socketPath(credentials)} HTTP/1.1\r\n${lines.join("")}\r\n`);
    await client.until(() => client.head !== "");
    return client;
  }

  get status(): number {
    return Number(this.head.split(" ")[1]);
  }

  /** Waits until `holds`, looking again whenever something arrives or the connection ends. */
  async until(holds: () => boolean): Promise<void> {
    while (!holds()) {
      if (this.ended) throw new Error("the connection ended");
      await new Promise<void>((resolve) => {
        this.#changed = resolve;
      });
    }
  }

  /** Waits for a close frame, or for the end without one (code 1006). */
  async closed(): Promise<Closed> {
    const closing = () => this.frames.find(({ opcode }) => opcode === OPCODE.close);
    await this.until(() => this.ended || closing() !== undefined);
    const payload = closing()?.payload;
    return payload
      ? { code: payload.readUInt16BE(0), reason: payload.subarray(2).toString() }
      : { code: 1006, reason: "" };
  }

  /** Sends bytes as they are: frames, or a part of one. */
  write(bytes: Uint8Array): void {
    this.#socket.write(bytes);
  }

  send(opcode: number, payload: string | Uint8Array = "", flags?: number): void {
    this.write(maskedFrame(opcode, payload, flags));
  }

  sendJson(message: object): void {
    this.send(OPCODE.text, JSON.stringify(message));
  }

  /** The frames that came so far, without the server's pings, which may come at any moment. */
  get heard(): Frame[] {
    return this.frames.filter(({ opcode }) => opcode !== OPCODE.ping);
  }

  /** The JSON messages that came so far. */
  get messages(): Message[] {
    return this.frames
      .filter(({ opcode }) => opcode === OPCODE.text)
      .map(({ payload }) => JSON.parse(payload.toString()));
  }

  /** Reads nothing more from the network, so that the server's side fills up. */
  stopReading(): void {
    this.#socket.pause();
  }

  readAgain(): void {
    this.#socket.resume();
  }

  /** Ends the connection without a close frame. */
  cut(): void {
    this.#socket.destroy();
  }

  #readHead(): void {
    const end = this.#buffer.indexOf("\r\n\r\n");
    if (end === -1) return;
    this.head = this.#buffer.subarray(0, end).toString();
    this.#buffer = this.#buffer.subarray(end + 4);
  }

  #readFrames(): void {
    if (this.status !== 101) return;
    for (;;) {
      const buffer = this.#buffer;
      if (buffer.length < 2) return;
      const short = buffer.readUInt8(1) & 0x7f;
      const start = short === 126 ? 4 : short === 127 ? 10 : 2;
      if (buffer.length < start) return;
      const length =
        short === 126 ? buffer.readUInt16BE(2) : short === 127 ? Number(buffer.readBigUInt64BE(2)) : short;
      if (buffer.length < start + length) return;
      this.frames.push({
        opcode: buffer.readUInt8(0) & 0x0f,
        payload: Buffer.from(buffer.subarray(start, start + length)),
      });
      this.#buffer = buffer.subarray(start + length);
    }
  }
}
