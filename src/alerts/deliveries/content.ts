import type { OutboxRow } from "../../outbox/table";
import type { Message } from "./kinds/outcome";
import type { Occasion } from "./words";

/** The message of a delivery, as the outbox keeps it while it may go out. */

interface Content {
  title: string;
  body: string;
  /** Data of a webhook's body. */
  data: Record<string, unknown>;
}

export const pack = (content: Content): string => JSON.stringify(content);

/** The message of a delivery that waits, and the data of a webhook's body. */
export function unpack({ id, kind, severity, message, created_at }: OutboxRow): {
  message: Message & { type: Occasion };
  data: Record<string, unknown>;
} {
  const { title, body, data }: Content = JSON.parse(message ?? '{"title":"","body":"","data":{}}');
  const type = kind as Occasion;
  return { message: { id, type, severity: severity ?? "info", title, body, at: created_at }, data };
}
