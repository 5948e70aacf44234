import { connect } from "node:net";
import type { Api } from "./api";

export interface RawRequest {
  method?: string;
  /** The path exactly as in the request line. */
  path: string;
  /** Pairs, so that a name may come twice; `host` is sent first unless it is among them. */
  headers?: [name: string, value: string][];
  body?: string | Uint8Array;
}

export interface RawAnswer {
  status: number;
  headers: Headers;
  body: string;
}

/** A request sent byte for byte as given, for requests that `fetch` refuses to send. */
export class RawConnection {
  readonly #socket: ReturnType<typeof connect>;
  #received = Buffer.alloc(0);
  #ended = false;
  #changed: () => void = () => {};

  constructor({ url }: Pick<Api, "url">) {
    const { hostname, port } = new URL(url);
    this.#socket = connect(Number(port), hostname);
    this.#socket.on("data", (data: Buffer) => {
      this.#received = Buffer.concat([this.#received, data]);
      this.#changed();
    });
    this.#socket.on("error", () => {});
    this.#socket.on("close", () => {
      this.#ended = true;
      this.#changed();
    });
  }

  write(bytes: string | Uint8Array): void {
    this.#socket.write(bytes);
  }

  /** Resolves once the first bytes of an answer are here; `answer` still returns them. */
  async answered(): Promise<void> {
    while (this.#received.length === 0 && !this.#ended)
      await new Promise<void>((resolve) => {
        this.#changed = resolve;
      });
  }

  /** The next answer on this connection; status 0 when it ends without one. */
  async answer(): Promise<RawAnswer> {
    for (;;) {
      const answer = this.#parse();
      if (answer) return answer;
      if (this.#ended) return { status: 0, headers: new Headers(), body: "" };
      await new Promise<void>((resolve) => {
        this.#changed = resolve;
      });
    }
  }

  close(): void {
    this.#socket.destroy();
  }

  #parse(): RawAnswer | null {
    const end = this.#received.indexOf("\r\n\r\n");
    if (end === -1) return null;
    const [line = "", ...fields] = this.#received.subarray(0, end).toString("latin1").split("\r\n");
    const headers = new Headers(
      fields.map((field): [string, string] => {
        const colon = field.indexOf(":");
        return [field.slice(0, colon), field.slice(colon + 1).trim()];
      }),
    );
    const length = Number(headers.get("content-length") ?? 0);
    const rest = this.#received.subarray(end + 4);
    if (rest.length < length) return null;
    this.#received = rest.subarray(length);
    return {
      status: Number(line.split(" ")[1]),
      headers,
      body: rest.subarray(0, length).toString(),
    };
  }
}

/** Sends one request on a connection of its own and returns its answer. */
export async function rawRequest(server: Pick<Api, "url">, request: RawRequest): Promise<RawAnswer> {
  const { method = "GET", path, headers = [], body = "" } = request;
  const names = new Set(headers.map(([name]) => name.toLowerCase()));
  const all = [...headers];
  if (!names.has("host")) all.unshift(["host", new URL(server.url).host]);
  if (!names.has("content-length") && !names.has("transfer-encoding") && body.length > 0)
    all.push(["content-length", String(Buffer.byteLength(body))]);
  const connection = new RawConnection(server);
  try {
    const head = all.map(([name, value]) => `${name}: ${value}\r\n`).join("");
    connection.write(Buffer.from(`${method} ${path} HTTP/1.1\r\n${head}\r\n`, "latin1"));
    if (body.length > 0) connection.write(body);
    return await connection.answer();
  } finally {
    connection.close();
  }
}
