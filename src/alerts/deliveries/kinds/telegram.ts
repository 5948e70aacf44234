import { config } from "../../../configuration/config";
import { retryWait } from "../../../kernel/http/outbound";
import { now } from "../../../kernel/time/clock";
import { isObject, type Json } from "../../../kernel/values/json";
import type { Outcome } from "../../../outbox/sender";
import type { TargetSettings } from "../../targets/table";
import type { Message } from "./outcome";
import { outcomeOf } from "./outcome";
import { postJson } from "./post";

/** Characters of a message (Telegram Bot API, sendMessage). */
const MAX_CHARACTERS = 4_096;

/** Sends a message to a chat (Telegram Bot API, sendMessage). */
export async function sendToTelegram(
  { chat_id }: TargetSettings,
  [token = ""]: string[],
  { type, title, body, severity }: Message,
): Promise<Outcome> {
  const characters = [...(body === "" ? title : `${title}\n\n${body}`)];
  const text =
    characters.length > MAX_CHARACTERS
      ? `${characters.slice(0, MAX_CHARACTERS - 1).join("")}…`
      : characters.join("");
  const { status, body: answer } = await postJson(
    new URL(`${config["notifications.telegram_api_url"]}/bot${token}/sendMessage`),
    JSON.stringify({
      chat_id,
      text,
      // Whom an alarm has woken, its end doesn't wake again.
      disable_notification: severity === "info" || type === "alert.acknowledged" || type === "alert.cleared",
      link_preview_options: { is_disabled: true },
    }),
    {},
    "operator",
  );
  const parsed = parse(answer);
  if (status === 200 && parsed?.ok !== true)
    return { result: "later", status, error: "status 200, but no confirmation of Telegram" };
  const parameters = isObject(parsed?.parameters) ? parsed.parameters : {};
  const seconds = Number(parameters.retry_after);
  return { ...outcomeOf(status), wait: retryWait(seconds > 0 ? String(Math.ceil(seconds)) : null, now()) };
}

function parse(answer: Buffer): Json | null {
  try {
    const value: unknown = JSON.parse(answer.toString());
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}
