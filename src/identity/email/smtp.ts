import { config } from "../../configuration/config";
import { SECOND } from "../../kernel/time/clock";
import { DeliveryError, type Setback } from "./delivery-error";
import type { Email } from "./templates";

/**
 * Transport by a mail server, one connection per message. `smtps://` is TLS from the start. `smtp://` uses
 * STARTTLS where it is offered, and requires it where a password would leave this machine. Sent twice, a
 * message keeps its Message-ID, by which mailboxes recognise it. Throws DeliveryError.
 */
export async function deliverThroughSmtp(email: Email, id: string): Promise<void> {
  const { createTransport } = await import("nodemailer");
  const transport = createTransport({
    ...smtpServer(config["email.smtp_url"] ?? ""),
    connectionTimeout: 10 * SECOND,
    greetingTimeout: 10 * SECOND,
    dnsTimeout: 10 * SECOND,
    socketTimeout: 20 * SECOND,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  try {
    await transport.sendMail({
      messageId: `<${id}@${senderDomain()}>`,
      from: config["email.from"],
      to: { name: "", address: email.to },
      subject: email.subject,
      text: email.text,
      html: email.html,
      headers: { "Auto-Submitted": "auto-generated", "Content-Language": email.locale },
    });
  } catch (error) {
    throw asDeliveryError(error as SmtpError);
  } finally {
    transport.close();
  }
}

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/** Options for the connection, from the address in the configuration. */
export function smtpServer(address: string) {
  const url = new URL(address);
  const secure = url.protocol === "smtps:";
  const hasPassword = url.username !== "";
  // A password is sent encrypted and only to a server that proves its name, except on this machine.
  const mustBeSafe = hasPassword && !LOOPBACK.test(url.hostname);
  return {
    host: url.hostname.replace(/^\[|\]$/g, ""),
    port: Number(url.port || (secure ? 465 : 587)),
    secure,
    requireTLS: !secure && mustBeSafe,
    tls: { rejectUnauthorized: secure || mustBeSafe },
    ...(hasPassword && {
      auth: { user: decodeURIComponent(url.username), pass: decodeURIComponent(url.password) },
    }),
  };
}

function senderDomain(): string {
  return /@([A-Za-z0-9.-]+)>?\s*$/.exec(config["email.from"])?.[1] ?? "localhost";
}

interface SmtpError {
  /** nodemailer's code for the failure, or the system's. */
  code?: string;
  /** The SMTP command that was refused. */
  command?: string;
  /** The reply (RFC 5321, section 4.2). */
  responseCode?: number;
}

/** A 5xx reply to the recipient or the message is final; one to the sender or the sign-in can be remedied. */
function asDeliveryError({ code, command, responseCode }: SmtpError): DeliveryError {
  const word = /^[A-Z0-9_]{1,64}$/.test(code ?? "") ? code : "unknown";
  const step = /^[A-Z]+(?: [A-Z]+)?/.exec(command ?? "")?.[0];
  const reason = ["smtp:", responseCode ?? word, step && `at ${step}`].filter(Boolean).join(" ");
  return new DeliveryError(reason, setbackOf(step, responseCode));
}

function setbackOf(step: string | undefined, responseCode: number | undefined): Setback {
  const isAboutMessage = step === "RCPT TO" || step === "DATA";
  if (!isAboutMessage || responseCode === undefined) return "down";
  return responseCode >= 500 ? "refused" : "later";
}
