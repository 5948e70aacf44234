import { join } from "node:path";
import protobuf from "protobufjs";
import type { Client, Message } from "./socket";

/** Frames in Protobuf, written and read with nothing but proto/fairlead/ws/v1/ws.proto, as a client does. */
const root = protobuf.loadSync(join(import.meta.dir, "../../proto/fairlead/ws/v1/ws.proto"));
export const schema = root.lookup("fairlead.ws.v1") as protobuf.Namespace;
export const Envelope = schema.lookupType("WsEnvelope");
const types = schema.lookupEnum("WsMessageType").values;

/** A frame with a payload; its type is the payload's unless one is given. */
export function frame(payload: string, fields: object = {}, type = typeOf(payload)): Uint8Array {
  return Envelope.encode(Envelope.fromObject({ type, [payload]: fields })).finish();
}

/** The type that belongs to a payload, by its name. */
export const typeOf = (payload: string): number =>
  types[payload.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()] ?? Number.NaN;

/** The envelope in a binary frame: its type's number and its payload, with only the fields that are set. */
export function read(message: Message): { type: number } & Record<string, unknown> {
  if (!(message instanceof Uint8Array)) throw new Error(`expected bytes, got ${JSON.stringify(message)}`);
  const decoded = Envelope.decode(message);
  return Envelope.toObject(decoded, { longs: Number }) as { type: number } & Record<string, unknown>;
}

/** Epoch milliseconds of a `google.protobuf.Timestamp`. */
export const milliseconds = ({ seconds = 0, nanos = 0 }: { seconds?: number; nanos?: number }): number =>
  seconds * 1_000 + nanos / 1_000_000;

/** Subscribes in binary, and fails unless each channel is confirmed by an envelope with the same payload. */
export async function subscribeInBinary(client: Client, ...channels: string[]): Promise<Client> {
  for (const channel of channels) {
    const answer = read(await client.ask(frame("subscribe", { channel })));
    if (JSON.stringify(answer) !== JSON.stringify({ type: 10, subscribe: { channel } }))
      throw new Error(`subscribe answered ${JSON.stringify(answer)}`);
  }
  return client;
}
