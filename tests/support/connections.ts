import { connect, type Socket } from "node:net";
import type { Api } from "./api";

/** Connections of strangers who send anything, and read at any pace. */

const LOOPBACK = "127.0.0.1";

/** Another address of this machine: each is another client to the server. */
export const address = (number: number): string => `127.0.0.${number}`;

export class Stranger {
  readonly #socket: Socket;
  readonly #received: Buffer[] = [];
  #length = 0;
  #isEnded = false;
  #changed: () => void = () => {};

  constructor({ url }: Pick<Api, "url">, from = LOOPBACK) {
    const { hostname, port } = new URL(url);
    this.#socket = connect({ host: hostname, port: Number(port), localAddress: from });
    this.#socket.on("data", (data: Buffer) => {
      this.#received.push(data);
      this.#length += data.length;
      this.#changed();
    });
    // Some of these tests provoke the server into cutting the connection.
    this.#socket.on("error", () => {});
    this.#socket.on("close", () => {
      this.#isEnded = true;
      this.#changed();
    });
    this.#socket.pause();
  }

  send(...parts: (string | Uint8Array)[]): this {
    for (const part of parts) this.#socket.write(part);
    return this;
  }

  /** Reads to the end of one answer, or of the connection. `bytesAtOnce` are taken, with a pause after them. */
  async answer(bytesAtOnce = Number.POSITIVE_INFINITY, pause = 0): Promise<Answered> {
    let pausedAt = 0;
    let isWhole: ((length: number) => boolean) | undefined;
    this.#socket.resume();
    for (;;) {
      isWhole ??= lengthOf(Buffer.concat(this.#received));
      if (this.#isEnded || isWhole?.(this.#length)) return answerIn(Buffer.concat(this.#received));
      if (this.#length - pausedAt >= bytesAtOnce) {
        pausedAt = this.#length;
        this.#socket.pause();
        await Bun.sleep(pause);
        this.#socket.resume();
      } else
        await new Promise<void>((resolve) => {
          this.#changed = resolve;
        });
    }
  }

  leave(): void {
    this.#socket.destroy();
  }
}

export interface Answered {
  /** 0 when the connection ended without an answer. */
  status: number;
  headers: Headers;
  body: Buffer;
}

/**
 * Returns a test for the length at which an answer that begins so is complete; undefined until its head is
 * here.
 */
function lengthOf(begin: Buffer): ((length: number) => boolean) | undefined {
  const end = begin.indexOf("\r\n\r\n");
  if (end === -1) return undefined;
  const whole = end + 4 + Number(answerIn(begin).headers.get("content-length") ?? 0);
  return (length) => length >= whole;
}

/** Parses the answer in the bytes received. */
function answerIn(received: Buffer): Answered {
  const end = received.indexOf("\r\n\r\n");
  if (end === -1) return { status: 0, headers: new Headers(), body: Buffer.alloc(0) };
  const [line = "", ...fields] = received.subarray(0, end).toString("latin1").split("\r\n");
  const headers = new Headers(
    fields.map((field): [string, string] => {
      const colon = field.indexOf(":");
      return [field.slice(0, colon), field.slice(colon + 1).trim()];
    }),
  );
  return { status: Number(line.split(" ")[1]), headers, body: received.subarray(end + 4) };
}

/** The head of a request. */
export const head = (line: string, ...headers: string[]): string =>
  `${line} HTTP/1.1\r\nhost: localhost\r\n${headers.map((header) => `${header}\r\n`).join("")}\r\n`;

/** Sends one request on a connection of its own, and reads to the end of the answer. */
export async function ask(
  server: Pick<Api, "url">,
  request: string | Uint8Array,
  from = LOOPBACK,
): Promise<Answered> {
  const stranger = new Stranger(server, from).send(request);
  try {
    return await stranger.answer();
  } finally {
    stranger.leave();
  }
}
