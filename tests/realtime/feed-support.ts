import type { TestServer } from "../support/server";
import { Client, type Credentials, type Message } from "../support/socket";

/** Subscriptions that read on from a cursor. */

/** Subscribes with `since`, and returns the cursor of the confirmation. */
export async function resume(client: Client, channel: string, since: string): Promise<string> {
  const answer = await client.ask({ type: "subscribe", channel, since });
  if (answer.type !== "message" || typeof answer.cursor !== "string")
    throw new Error(`subscribe answered ${JSON.stringify(answer)}`);
  return answer.cursor;
}

/** A connection that reads a channel on from a cursor. */
export async function resumed(
  server: TestServer,
  credentials: Credentials,
  channel: string,
  since: string,
): Promise<Client> {
  const client = await Client.open(server, credentials);
  await resume(client, channel, since);
  return client;
}

/** The next so many messages. */
export async function take(client: Client, count: number): Promise<Message[]> {
  const messages: Message[] = [];
  while (messages.length < count) messages.push(await client.next());
  return messages;
}

/** Messages as GET /v1/changes tells the same changes. */
export const asChanges = (messages: Message[]) =>
  messages.map(({ type, data, cursor }) => ({ cursor, type, data }));
