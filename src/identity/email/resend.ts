import { config } from "../../configuration/config";
import { SECOND } from "../../kernel/time/clock";
import { DeliveryError } from "./delivery-error";
import type { Email } from "./templates";

/** Set explicitly: the SDK would look for an address in the environment otherwise. */
const PUBLIC_URL = "https://api.resend.com";
export const resendAddress = (): string => config["email.resend_base_url"] ?? PUBLIC_URL;

const TIMEOUT = 15 * SECOND;

/**
 * Statuses that are about the message (Resend's API reference, "Errors"). Every other one is about the key,
 * the domain, the quota or the service, and may pass; 409 too, since an idempotency key lapses after a day.
 */
const REFUSED = new Set([400, 413, 422, 451]);

/** Transport by Resend's API. A message sent twice with one key arrives once. Throws DeliveryError. */
export async function deliverThroughResend(email: Email, idempotencyKey: string): Promise<void> {
  const { Resend } = await import("resend");
  const client = new Resend(config["email.resend_api_key"] ?? "", { baseUrl: resendAddress() });
  // The SDK passes its options to fetch.
  const options = { idempotencyKey, signal: AbortSignal.timeout(TIMEOUT), redirect: "manual" };
  const { error } = await client.emails.send(
    {
      from: config["email.from"],
      to: [email.to],
      subject: email.subject,
      text: email.text,
      html: email.html,
      headers: { "Auto-Submitted": "auto-generated", "Content-Language": email.locale },
      tags: [{ name: "kind", value: email.kind }],
    },
    options,
  );
  if (!error) return;
  const { statusCode, name } = error;
  if (statusCode === null) throw new DeliveryError("resend: no answer", "down");
  const word = /^[a-z_]{1,64}$/.test(name) ? name : "unknown";
  const setback = REFUSED.has(statusCode) ? "refused" : statusCode === 409 ? "later" : "down";
  throw new DeliveryError(`resend: ${Number(statusCode)} ${word}`, setback);
}
