import { existsSync, mkdirSync } from "node:fs";
import { readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { config } from "../../configuration/config";
import { dataPath } from "../../kernel/process/data-dir";
import { UNFINISHED, writeWhole } from "../../kernel/process/disk";
import { DAY, iso, now } from "../../kernel/time/clock";
import { DeliveryError } from "./delivery-error";
import type { Email } from "./templates";

/**
 * Transport for a machine without mail: one JSON file per message in `outbox/` of the data directory (rule
 * P5). Files sort by time, appear whole and only once for an id, and are readable by the operator only, since
 * they hold tokens.
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

/** A message's file: its name is a UUIDv7 (RFC 9562, section 5.7), which begins with the time in milliseconds. */
const MESSAGE = /^([0-9a-f]{8})-([0-9a-f]{4})-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}\.json$/;

/** Time at which a message was queued, in epoch milliseconds; null for any other file. */
function promisedAt(name: string): number | null {
  const [, high = "", low = ""] = MESSAGE.exec(name) ?? [];
  return high === "" ? null : Number.parseInt(high + low, 16);
}

/** Files that are checked before requests are let in. */
const FILES_AT_ONCE = 200;

/** The files of the outbox, in steps; none if there is no outbox. */
async function* filesInSteps(): AsyncGenerator<string[]> {
  const names = await readdir(dataPath.outbox()).catch((error: { code?: string }) => {
    if (error.code === "ENOENT") return [];
    throw error;
  });
  for (let at = 0; at < names.length; at += FILES_AT_ONCE) {
    yield names.slice(at, at + FILES_AT_ONCE);
    await Bun.sleep(0);
  }
}

const remove = (name: string): Promise<void> => rm(join(dataPath.outbox(), name), { force: true });

/** The job: deletes messages older than `email.outbox_days`; 0 keeps all. */
export async function deleteOldEmails(): Promise<void> {
  const days = config["email.outbox_days"];
  if (days === 0) return;
  const before = now() - days * DAY;
  for await (const names of filesInSteps())
    for (const name of names) {
      const time = promisedAt(name);
      // A message is written without a pause: a half-written one was left by a failure.
      if (name.endsWith(UNFINISHED) || (time !== null && time < before)) await remove(name);
    }
}

/** Deletes the messages with these identifiers, and those queued for these addresses up to `until`. */
export async function deleteEmailsTo(addresses: string[], ids: string[], until: number): Promise<void> {
  for (const id of ids) await remove(`${id}.json`);
  for await (const names of filesInSteps())
    for (const name of names) {
      const time = promisedAt(name);
      const isMeant = time !== null && time <= until && addresses.includes(await recipientOf(name));
      if (name.endsWith(UNFINISHED) || isMeant) await remove(name);
    }
}

/** The address of a message; empty for one that is gone or damaged. */
async function recipientOf(name: string): Promise<string> {
  try {
    const message: Partial<Email> = JSON.parse(await readFile(join(dataPath.outbox(), name), "utf8"));
    return message.to?.toLowerCase() ?? "";
  } catch (error) {
    if (error instanceof SyntaxError || (error as { code?: string }).code === "ENOENT") return "";
    throw error;
  }
}
