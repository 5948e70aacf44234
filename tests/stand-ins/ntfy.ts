import type { Server } from "bun";

/**
 * A server of ntfy on loopback, as its documentation describes publishing as JSON (docs.ntfy.sh/publish), error answers
 * included.
 */

export interface Published {
  topic: string;
  title?: string;
  message?: string;
  priority?: number;
  tags?: string[];
}

const refusal = (http: number, code: number, error: string) =>
  Response.json({ code, http, error, link: "https://ntfy.sh/docs/publish/" }, { status: http });

export class NtfyStandIn {
  readonly token = "tk_0123456789abcdefghijklmnopqrs";
  /** Messages that were accepted. */
  readonly published: Published[] = [];
  readonly #server: Server<undefined>;
  #failures: Response[] = [];

  constructor() {
    this.#server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: (request) => this.#answer(request) });
  }

  get host(): string {
    return `127.0.0.1:${this.#server.port}`;
  }

  get url(): string {
    return `http://${this.host}`;
  }

  /** The next request fails: one too many. */
  limitNext(headers: Record<string, string> = {}): void {
    this.#failures.push(
      Response.json(
        { code: 42901, http: 429, error: "limit reached: too many requests" },
        { status: 429, headers },
      ),
    );
  }

  stop(): Promise<void> {
    return this.#server.stop(true);
  }

  async #answer(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url);
    if (pathname !== "/" || !["POST", "PUT"].includes(request.method))
      return refusal(404, 40401, "page not found");
    const failure = this.#failures.shift();
    if (failure) return failure;
    const raw = await request.text();
    const message = parse(raw);
    if (!message || !/^[-_A-Za-z0-9]{1,64}$/.test(message.topic ?? ""))
      return refusal(400, 40024, "invalid request: request body must be valid JSON");
    if (message.priority !== undefined && !(message.priority >= 1 && message.priority <= 5))
      return refusal(400, 40007, "invalid priority parameter");
    // Topics that begin like this are read and written by their owner alone.
    if (
      message.topic.startsWith("private") &&
      request.headers.get("authorization") !== `Bearer ${this.token}`
    )
      return refusal(403, 40301, "forbidden");
    if (Buffer.byteLength(message.message ?? "") > 4_096)
      return refusal(400, 40014, "invalid request: attachments not allowed");
    this.published.push(message);
    return Response.json({ id: "hwQ2YpKdmg", time: 1_700_000_000, event: "message", ...message });
  }
}

function parse(raw: string): Published | null {
  try {
    return JSON.parse(raw) as Published;
  } catch {
    return null;
  }
}
