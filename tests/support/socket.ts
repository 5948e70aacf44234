import type { Api } from "./api";
import { seen } from "./seen";
import { type CheckMessage, socketContract } from "./socket-contract";

// biome-ignore lint/suspicious/noExplicitAny: tests assert on any message's shape
export type Message = any;

export interface Closed {
  code: number;
  reason: string;
}

export interface Credentials {
  /** Sent as `Authorization: Bearer`. */
  bearer?: string;
  /** Sent as the query parameter `token`. */
  token?: string;
  /** Sent as the query parameter `share`: the token of a link. */
  share?: string;
  headers?: Record<string, string>;
}

/** The path of the handshake. */
export const socketPath = ({ token, share }: Credentials): string =>
  share !== undefined
    ? `/v1/ws?share=${encodeURIComponent(share)}`
    : token === undefined
      ? "/v1/ws"
      : `/v1/ws?token=${encodeURIComponent(token)}`;

/** The headers of the handshake. */
export const socketHeaders = ({ bearer, headers }: Credentials): Record<string, string> => ({
  ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }),
  ...headers,
});

/**
 * A WebSocket client that keeps the messages it receives until they are taken, and holds the JSON ones against
 * the AsyncAPI document.
 */
export class Client {
  readonly #socket: WebSocket;
  readonly #unread: (Message | Uint8Array)[] = [];
  readonly closed: Promise<Closed>;
  #arrived: () => void = () => {};
  #ended: Closed | null = null;

  readonly #check: CheckMessage;

  private constructor(socket: WebSocket, check: CheckMessage) {
    this.#socket = socket;
    this.#check = check;
    socket.binaryType = "arraybuffer";
    socket.onmessage = ({ data }) => {
      this.#unread.push(typeof data === "string" ? JSON.parse(data) : new Uint8Array(data));
      this.#arrived();
    };
    this.closed = new Promise((resolve) => {
      socket.onclose = ({ code, reason }) => {
        this.#ended = { code, reason };
        resolve(this.#ended);
        this.#arrived();
      };
    });
  }

  static async open(server: Api, credentials: Credentials): Promise<Client> {
    const url = server.url.replace("http", "ws") + socketPath(credentials);
    // Bun's own option: the types of browsers, which graphql-yoga brings in, don't know it.
    const options = { headers: socketHeaders(credentials) } as unknown as string[];
    const check = await socketContract(server.url);
    const socket = new WebSocket(url, options);
    const client = new Client(socket, check);
    await new Promise<void>((resolve, reject) => {
      socket.onopen = () => {
        seen.add("openWebSocket 101");
        resolve();
      };
      client.closed.then(({ code }) => reject(new Error(`the socket closed with ${code}`)));
    });
    return client;
  }

  /** Sends text and bytes as they are, anything else as JSON. */
  send(message: unknown): void {
    const isFrame = typeof message === "string" || message instanceof Uint8Array;
    this.#socket.send(isFrame ? (message as string) : JSON.stringify(message));
  }

  /** The oldest message that was not taken yet; waits for it. Rejects when the connection has ended. */
  async next(): Promise<Message> {
    while (this.#unread.length === 0) {
      if (this.#ended) throw new Error(`the socket closed with ${this.#ended.code}`);
      await new Promise<void>((resolve) => {
        this.#arrived = resolve;
      });
    }
    const message = this.#unread.shift();
    if (!(message instanceof Uint8Array)) this.#check(message);
    return message;
  }

  /** Sends a message and takes the next one that comes. */
  ask(message: unknown): Promise<Message> {
    this.send(message);
    return this.next();
  }

  /** Everything that the server has sent to this client by now. Frames keep their order, so a pong ends it. */
  async heard(): Promise<Message[]> {
    this.send({ type: "ping" });
    const messages: Message[] = [];
    for (;;) {
      const message = await this.next();
      if (message.type === "pong") return messages;
      messages.push(message);
    }
  }

  /** Subscribes, and fails unless every channel is confirmed. */
  async subscribe(...channels: string[]): Promise<this> {
    for (const channel of channels) {
      const answer = await this.ask({ type: "subscribe", channel });
      if (answer.type !== "message") throw new Error(`subscribe answered ${JSON.stringify(answer)}`);
    }
    return this;
  }

  async close(): Promise<void> {
    this.#socket.close(1000);
    await this.closed;
  }
}
