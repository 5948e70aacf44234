import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { rows } from "./rows";
import type { TestServer } from "./server";

/** The emails that a server writes into its outbox. */

/** A file of the outbox. In an email without a link, which few tests look at, token and link are null. */
export interface Mail {
  id: string;
  kind: string;
  to: string;
  locale: string;
  subject: string;
  text: string;
  html: string;
  token: string;
  link: string;
  created_at: string;
}

/** The messages in the outbox of a data directory, oldest first. */
export function outboxOf(dataDir: string): Mail[] {
  const directory = join(dataDir, "outbox");
  if (!existsSync(directory)) return [];
  return readdirSync(directory)
    .filter((name) => name.endsWith(".json"))
    .sort()
    .map((name) => JSON.parse(readFileSync(join(directory, name), "utf8")));
}

/** Waits until the server has delivered all its emails: it does so after its answer. */
export async function emailsOut(server: TestServer): Promise<void> {
  while (rows(server, "SELECT id FROM outbox WHERE lane = 'email' AND status = 'waiting'").length > 0)
    await Bun.sleep(2);
}

/** The outbox's messages to an address, oldest first, once the queue has nothing left to deliver. */
export async function mailsTo(server: TestServer, address: string): Promise<Mail[]> {
  await emailsOut(server);
  return outboxOf(server.dataDir).filter(({ to }) => to === address);
}

/** The newest message to an address. Throws when there is none. */
export async function newestMail(server: TestServer, address: string): Promise<Mail> {
  const mail = (await mailsTo(server, address)).at(-1);
  if (!mail) throw new Error(`no message went to ${address}`);
  return mail;
}

/** Waits until the outbox holds a message of this kind to an address, which a job may still have to write. */
export async function nextMail(server: TestServer, address: string, kind: string): Promise<Mail> {
  for (;;) {
    const mail = (await mailsTo(server, address)).find((message) => message.kind === kind);
    if (mail) return mail;
    await Bun.sleep(10);
  }
}
