import {
  decode,
  encode,
  type Head,
  type Message,
  type PayloadName,
  type Payloads,
} from "../../proto/fairlead/ws/v1/codec";
import { config } from "../configuration/config";
import { publish } from "../kernel/db/events";
import { logFailure } from "../kernel/errors/trouble";
import { shapeOf } from "../kernel/http/body";
import { createAuditEvent, recordModeration, withoutPermission } from "./audit";
import { COMMUNITY, hintFor, mayHear } from "./channels";
import {
  askedSettings,
  botJoined,
  botLeft,
  isAnswer,
  refusalOfPart,
  refusalOfRequest,
  takeSyncPart,
} from "./community";
import {
  automaticChannel,
  type Connection,
  close,
  extendedTopicOf,
  type Format,
  floodOf,
  type Socket,
  type Subscription,
  sockets,
  topicOf,
} from "./connections";
import { headOf, isSmall, NO_ENVELOPE, requestIdOf } from "./envelope";
import { received } from "./figures";

/** Clients' messages: each is counted, checked, and answered in its own format. */

/** Answers a message in the format that it came in. */
interface Answers {
  format: Format;
  error: (socket: Socket, message: string) => void;
  subscribed: (socket: Socket, channel: string) => void;
  unsubscribed: (socket: Socket, channel: string) => void;
  pong: (socket: Socket) => void;
}

const sendText = (socket: Socket, message: object): void => {
  socket.send(JSON.stringify(message));
};

const inText: Answers = {
  format: "json",
  error: (socket, message) => sendText(socket, { type: "error", message }),
  subscribed: (socket, channel) =>
    sendText(socket, { type: "message", channel, data: `Subscribed to ${channel}` }),
  unsubscribed: (socket, channel) =>
    sendText(socket, { type: "message", channel, data: `Unsubscribed from ${channel}` }),
  pong: (socket) => sendText(socket, { type: "pong" }),
};

const sendBinary = <Name extends PayloadName>(socket: Socket, name: Name, payload: Payloads[Name]): void => {
  socket.send(encode(name, payload));
};

const inBinary: Answers = {
  format: "protobuf",
  error: (socket, message) => sendBinary(socket, "error", { message }),
  subscribed: (socket, channel) => sendBinary(socket, "subscribe", { channel }),
  unsubscribed: (socket, channel) => sendBinary(socket, "unsubscribe", { channel }),
  pong: (socket) => sendBinary(socket, "pong", {}),
};

export const answersIn = (format: Format): Answers => (format === "json" ? inText : inBinary);

/** Characters of a channel name that an answer repeats. */
const MAX_ECHO = 128;

/** The automatic channel doesn't count (rule W2). */
function isFull({ caller, channels }: Connection): boolean {
  const own = automaticChannel(caller);
  const counted = channels.size - (own !== null && channels.has(own) ? 1 : 0);
  return counted >= config["websocket.max_subscriptions"];
}

export function join(socket: Socket, channel: string, format: Format, isExtended = false): void {
  const { channels } = socket.data;
  const before = channels.get(channel);
  const isSame = before?.format === format && before.isExtended === isExtended;
  if (isSame) return;
  if (before) unhear(socket, channel, before);
  channels.set(channel, { format, isExtended });
  socket.subscribe(topicOf(channel, format));
  if (isExtended) socket.subscribe(extendedTopicOf(channel));
  if (channel === COMMUNITY && before === undefined) botJoined(socket);
}

function unhear(socket: Socket, channel: string, { format, isExtended }: Subscription): void {
  socket.unsubscribe(topicOf(channel, format));
  if (isExtended) socket.unsubscribe(extendedTopicOf(channel));
}

export function leave(socket: Socket, channel: string): void {
  const subscription = socket.data.channels.get(channel);
  if (!subscription) return;
  socket.data.channels.delete(channel);
  unhear(socket, channel, subscription);
  if (channel === COMMUNITY) botLeft(socket);
}

/** Subscribing again changes the format, and whether it is extended. */
function subscribe(socket: Socket, channel: string, isExtended: boolean, answer: Answers): void {
  const { caller, channels } = socket.data;
  const isNew = !channels.has(channel) && channel !== automaticChannel(caller);
  const name = channel.slice(0, MAX_ECHO);
  if (!mayHear(caller, channel)) answer.error(socket, `Access denied to channel: ${name}${hintFor(channel)}`);
  else if (isNew && isFull(socket.data)) answer.error(socket, `Too many subscriptions: ${name}`);
  else {
    join(socket, channel, answer.format, isExtended);
    answer.subscribed(socket, channel);
    publish("channel.subscribed", { channel });
  }
}

function unsubscribe(socket: Socket, channel: string, answer: Answers): void {
  leave(socket, channel);
  answer.unsubscribed(socket, channel.slice(0, MAX_ECHO));
}

interface ClientMessage {
  type?: unknown;
  channel?: unknown;
  extended?: unknown;
}

const TEXT_OPERATIONS: Record<string, (socket: Socket, message: ClientMessage) => void> = {
  subscribe(socket, { channel, extended = false }) {
    if (typeof channel !== "string") inText.error(socket, "subscribe needs a channel");
    else if (typeof extended !== "boolean") inText.error(socket, "extended must be true or false");
    else subscribe(socket, channel, extended, inText);
  },
  unsubscribe(socket, { channel }) {
    if (typeof channel === "string") unsubscribe(socket, channel, inText);
    else inText.error(socket, "unsubscribe needs a channel");
  },
  ping: inText.pong,
};

interface BinaryOperation<Name extends PayloadName> {
  /** Refuses a message that this caller may not send, by its head alone. Returns true if it did. */
  refuse?: (socket: Socket, head: Head) => boolean;
  perform: (socket: Socket, payload: Payloads[Name]) => void;
}

/** Sends an error, if there is one. Returns true if it did. */
function refused(socket: Socket, error: string | null): boolean {
  if (error !== null) inBinary.error(socket, error);
  return error !== null;
}

const BINARY_OPERATIONS: { [Name in PayloadName]?: BinaryOperation<Name> } = {
  subscribe: {
    perform: (socket, { channel, extended }) => subscribe(socket, channel, extended === true, inBinary),
  },
  unsubscribe: { perform: (socket, { channel }) => unsubscribe(socket, channel, inBinary) },
  ping: { perform: inBinary.pong },
  pong: { perform() {} },
  createAuditEvent: {
    refuse(socket) {
      const refusal = withoutPermission(socket.data.caller, "audit:write");
      if (refusal) sendBinary(socket, "createAuditEventResponse", refusal);
      return refusal !== null;
    },
    perform(socket, event) {
      inBackground(
        createAuditEvent(socket.data.caller, event).then((answer) =>
          sendBinary(socket, "createAuditEventResponse", answer),
        ),
      );
    },
  },
  moderationEvent: {
    refuse(socket, head) {
      const refusal = withoutPermission(socket.data.caller, "community:sync");
      if (!refusal) return false;
      const requestId = requestIdOf(head);
      if (requestId === null) inBinary.error(socket, NO_ENVELOPE);
      else sendBinary(socket, "moderationEventResponse", { requestId, ...refusal });
      return true;
    },
    perform(socket, event) {
      inBackground(
        recordModeration(socket.data.caller, event).then((answer) =>
          sendBinary(socket, "moderationEventResponse", answer),
        ),
      );
    },
  },
  communitySyncResponse: {
    refuse: (socket, head) => refused(socket, refusalOfPart(socket, head)),
    perform: takeSyncPart,
  },
  communitySettingsRequest: {
    refuse: (socket) => refused(socket, refusalOfRequest(socket)),
    perform(socket, request) {
      const settings = askedSettings(request);
      if (typeof settings === "string") inBinary.error(socket, settings);
      else sendBinary(socket, "communitySettings", settings);
    },
  },
};

/** Work that answers after a commit. */
function inBackground(work: Promise<void>): void {
  work.catch((error) => logFailure("a socket message failed", error));
}

export function dispatch(socket: Socket, frame: string | Buffer): void {
  // The connection may have closed while its frame waited for its turn.
  if (!sockets.has(socket)) return;
  try {
    receive(socket, frame);
  } catch (error) {
    // Bun would swallow the error, and the client would wait for an answer.
    logFailure("a socket message failed", error);
    answersIn(typeof frame === "string" ? "json" : "protobuf").error(socket, "Something went wrong");
  }
}

/** Counts a frame, and then handles it. */
function receive(socket: Socket, frame: string | Buffer): void {
  received.add();
  const flood = isAnswer(socket, frame) ? null : floodOf(socket.data, Buffer.byteLength(frame));
  if (flood) close(socket, flood);
  else if (socket.data.ended)
    answersIn(typeof frame === "string" ? "json" : "protobuf").error(
      socket,
      "The credential of this connection has ended",
    );
  else if (typeof frame === "string") receiveText(socket, frame);
  else performBinary(socket, frame);
}

/** Depth and values of a text; messages have one level and two fields, and others may be added. */
const MAX_SHAPE = { depth: 8, values: 100 };

/** Parses a message only after its brackets and commas show that it is a small one. */
function receiveText(socket: Socket, frame: string): void {
  const { depth, values } = shapeOf(frame);
  if (depth > MAX_SHAPE.depth || values > MAX_SHAPE.values)
    inText.error(socket, "The message holds too many fields");
  else performText(socket, parse(frame));
}

/** The message in a text; undefined if it is no JSON. */
function parse(frame: string): ClientMessage | null | undefined {
  try {
    return JSON.parse(frame);
  } catch {
    return undefined;
  }
}

function performText(socket: Socket, message: ClientMessage | null | undefined): void {
  const type = message?.type;
  if (message === undefined) inText.error(socket, "Invalid JSON");
  else if (typeof type === "string" && Object.hasOwn(TEXT_OPERATIONS, type))
    TEXT_OPERATIONS[type]?.(socket, message as ClientMessage);
  else inText.error(socket, `Unknown message type; known are ${Object.keys(TEXT_OPERATIONS).join(", ")}`);
}

/** Decodes a message only after its head shows that the sender may send it and that it is not oversized. */
function performBinary(socket: Socket, frame: Buffer): void {
  const head = headOf(frame);
  if (typeof head === "string") {
    inBinary.error(socket, head);
    return;
  }
  const operation = BINARY_OPERATIONS[head.name] as BinaryOperation<typeof head.name> | undefined;
  if (!operation) inBinary.error(socket, `${head.name} is for the server to send`);
  else if (!operation.refuse?.(socket, head)) {
    const message = read(head);
    if (typeof message === "string") inBinary.error(socket, message);
    else operation.perform(socket, message.payload);
  }
}

/** The message with this head, or an error text for its sender. Parts of a sync's answer are long. */
function read(head: Head): Message | string {
  try {
    return head.name === "communitySyncResponse" || isSmall(head)
      ? decode(head)
      : "The payload holds too many fields";
  } catch {
    return NO_ENVELOPE;
  }
}
