import { retryWait } from "../../../kernel/http/outbound";
import { now } from "../../../kernel/time/clock";
import type { Outcome } from "../../../outbox/sender";
import type { TargetSettings } from "../../targets/table";
import type { Message } from "./outcome";
import { outcomeOf } from "./outcome";
import { postJson } from "./post";

/** Bytes of a message: ntfy makes an attachment of a longer one. */
const MAX_BYTES = 4_096;

const PRIORITY = { info: 3, warning: 4, alarm: 5 } as const;
const TAG = { info: "information_source", warning: "warning", alarm: "rotating_light" } as const;

/** Without vibration and sound. */
const SILENT = 2;

/** A priority that wakes is for news that are bad: whom an alarm has woken, its end doesn't wake again. */
function loudness({ type, severity }: Message): { priority: number; tags: string[] } {
  if (type === "alert.raised") return { priority: PRIORITY[severity], tags: [TAG[severity]] };
  // A test of the anchor watch is as loud as an alarm: people try whether it would wake them.
  if (type === "alert.test") return { priority: PRIORITY[severity], tags: ["wave"] };
  return { priority: SILENT, tags: ["white_check_mark"] };
}

/** Cuts a text to so many bytes of UTF-8, between two characters. */
export function cutToBytes(text: string, most: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= most) return text;
  let end = most - Buffer.byteLength("…");
  // A byte 10xxxxxx goes on with a character.
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return `${bytes.subarray(0, end).toString()}…`;
}

/** Publishes a message as JSON (ntfy's documentation, "Publish as JSON"). */
export async function sendToNtfy(
  { server_url = "", topic }: TargetSettings,
  [token]: string[],
  message: Message,
): Promise<Outcome> {
  const { title, body } = message;
  const { status, retryAfter } = await postJson(
    new URL(`${server_url}/`),
    JSON.stringify({
      topic,
      title,
      // An empty message would read "triggered".
      message: cutToBytes(body === "" ? title : body, MAX_BYTES),
      ...loudness(message),
    }),
    token === undefined ? {} : { authorization: `Bearer ${token}` },
  );
  return { ...outcomeOf(status), wait: retryWait(retryAfter, now()) };
}
