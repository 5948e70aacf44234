import type { Server } from "bun";
import { Webhook } from "standardwebhooks";

/** A receiver of webhooks on loopback, as somebody would write one with the library of Standard Webhooks. */

export interface Received {
  id: string;
  headers: Record<string, string>;
  path: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests assert on its shape
  body: any;
  raw: string;
  /** Port of the connection that it came by. */
  port: number;
}

export class WebhookStandIn {
  readonly received: Received[] = [];
  readonly #server: Server<undefined>;
  #answer: (received: Received) => Response | Promise<Response> = () => new Response(null, { status: 204 });

  constructor(port = 0) {
    this.#server = Bun.serve({
      hostname: "127.0.0.1",
      port,
      fetch: async (request, server) => {
        const raw = await request.text();
        const received = {
          id: request.headers.get("webhook-id") ?? "",
          headers: Object.fromEntries(request.headers),
          path: new URL(request.url).pathname,
          body: JSON.parse(raw),
          raw,
          port: server.requestIP(request)?.port ?? 0,
        };
        this.received.push(received);
        return this.#answer(received);
      },
    });
  }

  /** Host and port, as `notifications.allowed_hosts` lists them. */
  get host(): string {
    return `127.0.0.1:${this.#server.port}`;
  }

  get url(): string {
    return `http://${this.host}/hook`;
  }

  get port(): number {
    return this.#server.port ?? 0;
  }

  /** Answers like this from now on; without an argument with 204. */
  answer(
    how: (received: Received) => Response | Promise<Response> = () => new Response(null, { status: 204 }),
  ) {
    this.#answer = how;
  }

  /** Bodies of what was received. */
  get bodies() {
    return this.received.map(({ body }) => body);
  }

  stop(): Promise<void> {
    return this.#server.stop(true);
  }
}

/** Verifies what was received with the library of the standard. Throws for a wrong signature. */
export const verify = (secret: string, { raw, headers }: Received): unknown =>
  new Webhook(secret).verify(raw, headers);
