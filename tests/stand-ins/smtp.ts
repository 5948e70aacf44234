import type { AddressInfo } from "node:net";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";

/** A mail server on loopback. */

export interface SmtpEmail {
  from: string;
  to: string[];
  secure: boolean;
  user: string | undefined;
  /** The message as received (RFC 5322). */
  raw: string;
}

type Step = "MAIL" | "RCPT" | "DATA";

const refusal = (code: number, message: string) => Object.assign(new Error(message), { responseCode: code });

export class SmtpStandIn {
  readonly user = "fairlead@mail";
  readonly password = "p:ss/wörd";
  readonly emails: SmtpEmail[] = [];
  readonly #server: SMTPServer;
  readonly #refusals: { step: Step; code: number }[] = [];

  private constructor(options: SMTPServerOptions) {
    this.#server = new SMTPServer({
      logger: false,
      closeTimeout: 100,
      onAuth: ({ username, password }, _session, done) =>
        username === this.user && password === this.password
          ? done(null, { user: username })
          : done(refusal(535, "5.7.8 Authentication credentials invalid")),
      onMailFrom: (address, _session, done) => done(this.#refusal("MAIL", address.address)),
      onRcptTo: (address, _session, done) => done(this.#refusal("RCPT", address.address)),
      onData: (stream, session, done) => {
        const chunks: Buffer[] = [];
        stream.on("data", (chunk: Buffer) => chunks.push(chunk));
        stream.on("end", () => {
          const raw = Buffer.concat(chunks).toString("utf8");
          const refused = this.#refusal("DATA", raw);
          if (!refused)
            this.emails.push({
              from: session.envelope.mailFrom ? session.envelope.mailFrom.address : "",
              to: session.envelope.rcptTo.map(({ address }) => address),
              secure: session.secure,
              user: typeof session.user === "string" ? session.user : undefined,
              raw,
            });
          done(refused);
        });
      },
      ...options,
    });
    // Some tests have the client break off.
    this.#server.on("error", () => {});
  }

  /** By default: STARTTLS with a self-signed certificate, and a password is required. */
  static async start(options: SMTPServerOptions = {}): Promise<SmtpStandIn> {
    const standIn = new SmtpStandIn(options);
    await new Promise<void>((listening) => {
      standIn.#server.listen(0, "127.0.0.1", () => listening());
    });
    return standIn;
  }

  get port(): number {
    return (this.#server.server.address() as AddressInfo).port;
  }

  url({ protocol = "smtp", password = this.password } = {}): string {
    const credentials = `${encodeURIComponent(this.user)}:${encodeURIComponent(password)}`;
    return `${protocol}://${credentials}@127.0.0.1:${this.port}`;
  }

  /** The settings that make Fairlead use this stand-in. */
  settings(url = this.url()) {
    return { "email.transport": "smtp", "email.smtp_url": url };
  }

  /** Refuses the next use of a command. The reply quotes the command, as real ones do. */
  refuseNext(step: Step, code: number): void {
    this.#refusals.push({ step, code });
  }

  /** The number of refusals that are still to come. */
  get refusalsLeft(): number {
    return this.#refusals.length;
  }

  async stop(): Promise<void> {
    await new Promise<void>((closed) => {
      this.#server.close(() => closed());
    });
  }

  #refusal(step: Step, subject: string): Error | null {
    const at = this.#refusals.findIndex((wanted) => wanted.step === step);
    const [wanted] = at === -1 ? [] : this.#refusals.splice(at, 1);
    return wanted ? refusal(wanted.code, `Not taken: <${subject}>`) : null;
  }
}

/** The body of a message part after its transfer encoding (quoted-printable, RFC 2045, section 6.7) is undone. */
export function decodeQuotedPrintable(text: string): string {
  const bytes = text
    .replaceAll(/=\r?\n/g, "")
    .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, "latin1").toString("utf8");
}
