import { config } from "../../configuration/config";
import { SECOND } from "../../kernel/time/clock";
import type { Outcome } from "../../outbox/sender";
import { DeliveryError } from "./delivery-error";
import { deliverToOutbox } from "./outbox";
import { deliverThroughResend } from "./resend";
import { deliverThroughSmtp } from "./smtp";
import type { Email } from "./templates";

/**
 * Hands a message to the configured transport now. `id` is a UUIDv7 of the occasion: sent again with it, a
 * message arrives only once if the transport supports that. Throws DeliveryError, whose message holds nothing
 * of the email.
 */
export async function sendEmail(email: Email, id: string): Promise<void> {
  switch (config["email.transport"]) {
    case "outbox":
      return deliverToOutbox(email, id);
    case "resend":
      return deliverThroughResend(email, id);
    case "smtp":
      return deliverThroughSmtp(email, id);
  }
}

/** Time for which a transport that accepts nothing at all is left alone. */
const DOWN_PAUSE = 5 * SECOND;

/** Makes one attempt to send a message, as `sendEmail` does. Never throws. */
export async function tryEmail(email: Email, id: string): Promise<Outcome> {
  try {
    await sendEmail(email, id);
    return { result: "delivered", status: null, error: null };
  } catch (error) {
    if (!(error instanceof DeliveryError))
      // No refusal but a mistake of ours: its message may hold anything.
      return { result: "later", status: null, error: `unexpected: ${nameOf(error)}` };
    return {
      result: error.setback === "refused" ? "refused" : "later",
      status: null,
      error: error.message,
      wait: error.setback === "down" ? DOWN_PAUSE : null,
    };
  }
}

const nameOf = (error: unknown): string => (error instanceof Error ? error.name : "unknown");
