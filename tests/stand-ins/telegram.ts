import type { Server } from "bun";

/** Telegram's Bot API on loopback: sendMessage, as its reference describes it (core.telegram.org/bots/api). */

export interface Sent {
  chat_id: string;
  text: string;
  disable_notification?: boolean;
}

const refusal = (error_code: number, description: string, parameters?: object) =>
  Response.json(
    { ok: false, error_code, description, ...(parameters && { parameters }) },
    { status: error_code },
  );

export class TelegramStandIn {
  readonly token = "110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw4";
  readonly chat = "-1001234567890";
  readonly sent: Sent[] = [];
  readonly #server: Server<undefined>;
  #failures: Response[] = [];

  constructor() {
    this.#server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: (request) => this.#answer(request) });
  }

  /** The settings that make Fairlead use this stand-in. */
  get settings() {
    return { "notifications.telegram_api_url": `http://127.0.0.1:${this.#server.port}` };
  }

  /** The next message is one too many; the next one may come after some seconds. */
  floodNext(retry_after: number): void {
    this.#failures.push(refusal(429, `Too Many Requests: retry after ${retry_after}`, { retry_after }));
  }

  /** The next answer is no answer of Telegram's. */
  breakNext(): void {
    this.#failures.push(new Response("<html>sign in to the harbour's net</html>"));
  }

  stop(): Promise<void> {
    return this.#server.stop(true);
  }

  async #answer(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url);
    const [, token, method] = /^\/bot([^/]+)\/(\w+)$/.exec(pathname) ?? [];
    if (token !== this.token) return refusal(401, "Unauthorized");
    if (method !== "sendMessage") return refusal(404, "Not Found");
    const failure = this.#failures.shift();
    if (failure) return failure;
    const message = (await request.json()) as Sent;
    if (message.chat_id !== this.chat) return refusal(400, "Bad Request: chat not found");
    if (!message.text) return refusal(400, "Bad Request: message text is empty");
    if ([...message.text].length > 4_096) return refusal(400, "Bad Request: message is too long");
    this.sent.push(message);
    return Response.json({ ok: true, result: { message_id: this.sent.length, text: message.text } });
  }
}
