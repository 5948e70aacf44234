import {
  decode,
  encode,
  type Head,
  type Message,
  type PayloadName,
  type Payloads,
} from "../../proto/fairlead/ws/v1/codec";
import { config } from "../configuration/config";
import { cursorOf, type Start } from "../feed/journal";
import { publish } from "../kernel/db/events";
import { logFailure } from "../kernel/errors/trouble";
import { shapeOf } from "../kernel/http/body";
import { createAuditEvent, recordModeration, withoutPermission } from "./audit";
import { COMMUNITY, hintFor, mayHear, mayHearPast } from "./channels";
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
  CLOSE,
  type Connection,
  close,
  extendedTopicOf,
  type Format,
  fedTopicOf,
  floodOf,
  isFedAlone,
  isNumbered,
  type Socket,
  type Subscription,
  sockets,
  topicOf,
  topicOfLink,
  unnumberedTopicOf,
} from "./connections";
import { headOf, isSmall, NO_ENVELOPE, requestIdOf } from "./envelope";
import { received } from "./figures";
import { hear, placeOf, presentNumber, presentOf, replay, unfollow } from "./follow";
import { hearLink } from "./links";

/** Clients' messages: each is counted, checked, and answered in its own format. */

type ResetReason = "expired" | "epoch";

/** Answers a message in the format that it came in. */
interface Answers {
  format: Format;
  error: (socket: Socket, message: string) => void;
  /** With the cursor at which the subscription begins, where it asked for one. */
  subscribed: (socket: Socket, channel: string, cursor: string | null) => void;
  /** Tells that the messages after a cursor are gone, and where they go on. */
  reset: (socket: Socket, channel: string, cursor: string, reason: ResetReason) => void;
  unsubscribed: (socket: Socket, channel: string) => void;
  pong: (socket: Socket) => void;
}

const sendText = (socket: Socket, message: object): void => {
  socket.send(JSON.stringify(message));
};

const inText: Answers = {
  format: "json",
  error: (socket, message) => sendText(socket, { type: "error", message }),
  subscribed: (socket, channel, cursor) =>
    sendText(socket, {
      type: "message",
      channel,
      data: `Subscribed to ${channel}`,
      ...(cursor !== null && { cursor }),
    }),
  reset: (socket, channel, cursor, reason) => sendText(socket, { type: "reset", channel, cursor, reason }),
  unsubscribed: (socket, channel) =>
    sendText(socket, { type: "message", channel, data: `Unsubscribed from ${channel}` }),
  pong: (socket) => sendText(socket, { type: "pong" }),
};

const sendBinary = <Name extends PayloadName>(
  socket: Socket,
  name: Name,
  payload: Payloads[Name],
  cursor: string | null = null,
): void => {
  socket.send(encode(name, payload, cursor));
};

const inBinary: Answers = {
  format: "protobuf",
  error: (socket, message) => sendBinary(socket, "error", { message }),
  subscribed: (socket, channel, cursor) => sendBinary(socket, "subscribe", { channel }, cursor),
  reset: (socket, channel, cursor, reason) => sendBinary(socket, "reset", { channel, cursor, reason }),
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

/** The wishes of a client that subscribes. */
interface Wish {
  isExtended?: boolean;
  /** The place to go on from; without one, the messages carry no cursor. */
  start?: Start | undefined;
}

/** Subscribes a connection to a channel it may hear. Returns the cursor at which it begins, if it asked for one. */
export function join(
  socket: Socket,
  channel: string,
  format: Format,
  { isExtended = false, start }: Wish = {},
): string | null {
  const { channels } = socket.data;
  const before = channels.get(channel);
  const isSame = before?.format === format && before.isExtended === isExtended && !before.isFollowing;
  if (isSame && !start) return null;
  if (before) unhear(socket, channel, before);
  if (socket.data.linkId !== null) return joinLink(socket, socket.data.linkId, channel, format);
  const subscription: Subscription = { format, isExtended, isFollowing: start !== undefined };
  channels.set(channel, subscription);
  if (isExtended || start) socket.subscribe(unnumberedTopicOf(channel));
  if (start) return readOn(socket, channel, subscription, start);
  if (isFedAlone(channel)) hear(socket, channel, subscription);
  else socket.subscribe(topicOf(channel, format));
  if (isExtended) socket.subscribe(extendedTopicOf(channel));
  if (channel === COMMUNITY && before === undefined) botJoined(socket);
  return null;
}

/** Subscribes a connection by a link to what that shows. */
function joinLink(socket: Socket, id: string, channel: string, format: Format): null {
  socket.data.channels.set(channel, { format, isExtended: false, isFollowing: false });
  socket.subscribe(topicOfLink(id));
  hearLink(id);
  return null;
}

/** Sends the messages after a cursor, once the subscription is confirmed. */
function readOn(socket: Socket, channel: string, subscription: Subscription, start: Start): string {
  const present = presentNumber();
  const from = "number" in start ? start.number : present;
  const answer = answersIn(subscription.format);
  const reset = (reason: ResetReason) => () =>
    answer.reset(socket, channel, cursorOf(presentNumber()), reason);
  queueMicrotask(() => {
    if ("gone" in start) reset(start.gone)();
    replay(socket, channel, subscription, from, reset("expired")).catch((error) => {
      logFailure("missed messages could not be sent", error);
      // It has its cursor, and goes on from there.
      close(socket, CLOSE.goingAway);
    });
  });
  return cursorOf(from);
}

function unhear(socket: Socket, channel: string, subscription: Subscription): void {
  const { format, isExtended } = subscription;
  unfollow(subscription);
  if (socket.data.linkId !== null) socket.unsubscribe(topicOfLink(socket.data.linkId));
  socket.unsubscribe(topicOf(channel, format));
  socket.unsubscribe(fedTopicOf(channel));
  socket.unsubscribe(unnumberedTopicOf(channel));
  if (isExtended) socket.unsubscribe(extendedTopicOf(channel));
}

export function leave(socket: Socket, channel: string): void {
  const subscription = socket.data.channels.get(channel);
  if (!subscription) return;
  socket.data.channels.delete(channel);
  unhear(socket, channel, subscription);
  if (channel === COMMUNITY) botLeft(socket);
}

/** Ends what the subscriptions of a connection that has closed cost. */
export function forgetSubscriptions({ data }: Socket): void {
  for (const subscription of data.channels.values()) unfollow(subscription);
}

/** Subscribing again changes the format, the place to go on from, and `extended`. */
function subscribe(socket: Socket, channel: string, wish: Wish, answer: Answers): void {
  const { caller, channels, linkId } = socket.data;
  const isNew = !channels.has(channel) && channel !== automaticChannel(caller);
  const name = channel.slice(0, MAX_ECHO);
  if (linkId !== null && channel !== "gps")
    answer.error(socket, `Access denied to channel: ${name} (a link shows gps alone)`);
  else if (linkId !== null && wish.start)
    answer.error(socket, `The channel ${name} has no cursors for a link`);
  else if (linkId === null && !mayHear(caller, channel))
    answer.error(socket, `Access denied to channel: ${name}${hintFor(channel)}`);
  else if (wish.start && !isNumbered(channel)) answer.error(socket, `The channel ${name} has no cursors`);
  else if (isNew && isFull(socket.data)) answer.error(socket, `Too many subscriptions: ${name}`);
  else {
    const start = mayHearPast(caller, channel) ? wish.start : presentOf(wish.start);
    const cursor = join(socket, channel, answer.format, { ...wish, start });
    answer.subscribed(socket, channel, cursor);
    publish("channel.subscribed", { channel });
  }
}

const NO_CURSOR = "since must be a cursor that this server gave, or now";

function unsubscribe(socket: Socket, channel: string, answer: Answers): void {
  leave(socket, channel);
  answer.unsubscribed(socket, channel.slice(0, MAX_ECHO));
}

interface ClientMessage {
  type?: unknown;
  channel?: unknown;
  extended?: unknown;
  since?: unknown;
}

const TEXT_OPERATIONS: Record<string, (socket: Socket, message: ClientMessage) => void> = {
  subscribe(socket, { channel, extended = false, since }) {
    const start = placeOf(since);
    if (typeof channel !== "string") inText.error(socket, "subscribe needs a channel");
    else if (typeof extended !== "boolean") inText.error(socket, "extended must be true or false");
    else if (start === null) inText.error(socket, NO_CURSOR);
    else subscribe(socket, channel, { isExtended: extended, start }, inText);
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
    perform(socket, { channel, extended, since }) {
      const start = placeOf(since);
      if (start === null) inBinary.error(socket, NO_CURSOR);
      else subscribe(socket, channel, { isExtended: extended === true, start }, inBinary);
    },
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
  const { depth, values } = shapeOf(Buffer.from(frame));
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
