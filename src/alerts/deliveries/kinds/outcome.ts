import { OutboundError } from "../../../kernel/http/outbound";
import { AddressRefused } from "../../../kernel/http/permitted-address";
import type { Outcome } from "../../../outbox/sender";

/** A message as every way sends it. */
export interface Message {
  /** Identifier of the delivery, the same at each attempt. */
  id: string;
  type: string;
  severity: "info" | "warning" | "alarm";
  title: string;
  body: string;
  /** Epoch milliseconds of the occasion. */
  at: number;
}

const WORDS: Record<string, string> = {
  TimeoutError: "no answer within 10 seconds",
  ECONNREFUSED: "the connection was refused",
  ECONNRESET: "the connection was cut",
  ENOTFOUND: "the name doesn't resolve",
  EAI_AGAIN: "the name can't be resolved now",
  ENETUNREACH: "the network can't be reached",
  EHOSTUNREACH: "the host can't be reached",
  ETIMEDOUT: "no connection in time",
};

/** Codes of certificates that prove nothing, or another name. */
const CERTIFICATE = /CERT|ALTNAME|SELF_SIGNED|ISSUER/;

const later = (error: string): Outcome => ({ result: "later", status: null, error });

/**
 * The outcome of an attempt that brought no answer. A name whose address is refused is tried again too: the net of a harbour
 * may answer for every name until somebody signs in there.
 */
export function failure(error: unknown): Outcome {
  if (error instanceof AddressRefused)
    return {
      result: error.mayChange ? "later" : "refused",
      status: null,
      error: `the address ${error.message}`,
    };
  const code = error instanceof OutboundError ? error.message : "";
  const known = /^[A-Za-z0-9_]{1,64}$/.test(code) ? code : "unknown";
  if (CERTIFICATE.test(known)) return later(`the certificate isn't valid (${known})`);
  return later(WORDS[known] ?? `no answer (${known})`);
}

/** The outcome of an answer, by its status alone. */
export function outcomeOf(status: number): Outcome {
  if (status >= 200 && status < 300) return { result: "delivered", status, error: null };
  const error =
    status >= 300 && status < 400
      ? `status ${status}: redirects are not followed`
      : `status ${status} in place of 2xx`;
  return { result: "later", status, error };
}
