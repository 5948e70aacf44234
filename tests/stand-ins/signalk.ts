import type { Server, ServerWebSocket } from "bun";

/** A Signal K server on loopback, as the reference server streams: subscriptions to paths of the own vessel. */

export const SELF = "vessels.urn:mrn:signalk:uuid:0a5d3c52-6b1e-4f0b-9c55-2f1f6f3f7a01";

interface Connection {
  /** The patterns of paths that were subscribed to. */
  paths: string[];
}

const matches = (pattern: string, path: string): boolean =>
  pattern.endsWith("*") ? path.startsWith(pattern.slice(0, -1)) : path === pattern;

export class SignalkStandIn {
  readonly #token: string | null;
  readonly #server: Server<Connection>;
  readonly #sockets = new Set<ServerWebSocket<Connection>>();
  #changed: () => void = () => {};
  /** Number of subscriptions that were accepted. */
  subscriptions = 0;
  /** Number of handshakes that were refused for their token. */
  refusals = 0;

  private constructor(token: string | null) {
    this.#token = token;
    this.#server = Bun.serve<Connection>({
      hostname: "127.0.0.1",
      port: 0,
      fetch: (request, server) => this.#shake(request, server),
      websocket: {
        open: (socket) => {
          this.#sockets.add(socket);
          const hello = { name: "stand-in", version: "2.0.0", self: SELF, roles: ["master", "main"] };
          socket.send(JSON.stringify({ ...hello, timestamp: new Date().toISOString() }));
        },
        message: (socket, text) => {
          const { context, subscribe } = JSON.parse(String(text));
          if (context !== "vessels.self" || !Array.isArray(subscribe)) return;
          for (const { path, policy } of subscribe) if (policy === "instant") socket.data.paths.push(path);
          this.subscriptions++;
          this.#changed();
        },
        close: (socket) => {
          this.#sockets.delete(socket);
        },
      },
    });
  }

  /** With a token, it lets nobody in who has another one. */
  static start(token: string | null = null): SignalkStandIn {
    return new SignalkStandIn(token);
  }

  get url(): string {
    return `ws://127.0.0.1:${this.#server.port}`;
  }

  async subscribed(count = 1): Promise<void> {
    while (this.subscriptions < count)
      await new Promise<void>((changed) => {
        this.#changed = changed;
      });
  }

  /** Tells the values of one source to those who subscribed to their paths. */
  tell(values: Record<string, unknown>, time: number, context = SELF, $source = "gps.GP"): void {
    for (const socket of this.#sockets) {
      const told = Object.entries(values)
        .filter(([path]) => socket.data.paths.some((pattern) => matches(pattern, path)))
        .map(([path, value]) => ({ path, value }));
      if (told.length === 0) continue;
      const timestamp = new Date(time * 1_000).toISOString();
      socket.send(JSON.stringify({ context, updates: [{ $source, timestamp, values: told }] }));
    }
  }

  cut(): void {
    for (const socket of this.#sockets) socket.terminate();
  }

  async stop(): Promise<void> {
    await this.#server.stop(true);
  }

  #shake(request: Request, server: Server<Connection>): Response | undefined {
    const { pathname, searchParams } = new URL(request.url);
    if (pathname !== "/signalk/v1/stream" || searchParams.get("subscribe") !== "none")
      return new Response("no such path", { status: 404 });
    if (this.#token !== null && request.headers.get("authorization") !== `Bearer ${this.#token}`) {
      this.refusals++;
      return new Response("unauthorized", { status: 401 });
    }
    return server.upgrade(request, { data: { paths: [] } }) ? undefined : new Response("no", { status: 400 });
  }
}
