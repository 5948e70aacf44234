import { createHmac } from "node:crypto";
import { retryWait } from "../../../kernel/http/outbound";
import { iso, now, SECOND } from "../../../kernel/time/clock";
import type { Outcome } from "../../../outbox/sender";
import type { Message } from "./outcome";
import { outcomeOf } from "./outcome";
import { postJson } from "./post";

/**
 * The signatures of a message, one for each secret that counts (Standard Webhooks, "Webhook signatures"): HMAC-SHA256 of
 * identifier, time (Unix seconds) and body, under the bytes that the secret has in base64.
 */
export function signatures(secrets: string[], id: string, timestamp: number, body: string): string {
  return secrets
    .map((secret) => {
      const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
      return `v1,${createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64")}`;
    })
    .join(" ");
}

/** Posts a message as Standard Webhooks describes it. `data` is what the maker of the target may see. */
export async function sendToWebhook(
  url: string,
  secrets: string[],
  { id, type, at }: Message,
  data: Record<string, unknown>,
): Promise<Outcome> {
  const body = JSON.stringify({ type, timestamp: iso(at), data });
  const timestamp = Math.floor(now() / SECOND);
  const { status, retryAfter } = await postJson(new URL(url), body, {
    "webhook-id": id,
    "webhook-timestamp": String(timestamp),
    "webhook-signature": signatures(secrets, id, timestamp, body),
  });
  if (status === 410)
    return { result: "gone", status, error: "status 410: the receiver wants no more deliveries" };
  return { ...outcomeOf(status), wait: retryWait(retryAfter, now()) };
}
