import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { iso, now } from "../../kernel/clock";
import { dataPath } from "../../kernel/data-dir";
import { writeWhole } from "../../kernel/disk";
import { DeliveryError } from "./delivery-error";
import type { Email } from "./templates";

/**
 * The transport of a machine without mail: one JSON file per message in `outbox/` of the data directory. Files
 * sort by time, appear whole and only once for an id, and are readable by the operator alone, since they hold tokens.
 */
export function deliverToOutbox(email: Email, id: string): void {
  const directory = dataPath.outbox();
  const file = join(directory, `${id}.json`);
  const message = { id, ...email, created_at: iso(now()) };
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    if (!existsSync(file)) writeWhole(file, `${JSON.stringify(message, null, 2)}\n`, 0o600);
  } catch (error) {
    throw new DeliveryError(`outbox: ${(error as { code?: string }).code ?? "unknown"}`, "down");
  }
}
