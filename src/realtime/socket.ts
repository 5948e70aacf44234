import type { WebSocketHandler } from "bun";
import { config } from "../config";
import { type Caller, hasExpired, reloadCaller } from "../identity/access/caller";
import { SECOND } from "../kernel/clock";
import { subscribe as onEvent, publish } from "../kernel/events";
import { logFailure } from "../kernel/trouble";
import { createAuditEvent, recordModeration } from "./audit";
import { countClosed, countOpened, unsentAllowance } from "./capacity";
import { COMMUNITY, mayHear } from "./channels";
import { decode, encode, type Message, type PayloadName, type Payloads } from "./codec";
import {
  askedSettings,
  botJoined,
  botLeft,
  isAnswer,
  startCommunity,
  takeInTurn,
  takeSyncPart,
} from "./community";
import {
  automaticChannel,
  CLOSE,
  type Connection,
  close,
  type Format,
  heartbeat,
  isFlooding,
  type Socket,
  sockets,
  topicOf,
} from "./connections";
import { received } from "./figures";

/** Where Bun itself stops to keep messages for a client, and cuts it, when so much came before its next turn. */
const HARD_UNSENT_LIMIT = 16 * 1024 * 1024;

/**
 * Every connection is looked after four times a second, a fifth of them each time: a ping costs a system call, and
 * thousands in one go would hold up all else for many milliseconds.
 */
const SWEEP_INTERVAL = 50;
const SWEEPS_A_PASS = 5;
/** How long a client has to close by itself once a message told it that its credential ended (decisions 7.8). */
const FAREWELL = 5 * SECOND;

// --- Messages ---------------------------------------------------------------------------------------------

/** How a message is answered: in the format that it came in. */
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

const answersIn = (format: Format): Answers => (format === "json" ? inText : inBinary);

/** Longest channel name that an answer repeats. */
const MAX_ECHO = 128;

/** The automatic channel doesn't count (decisions 7.2). */
function isFull({ caller, channels }: Connection): boolean {
  const own = automaticChannel(caller);
  const counted = channels.size - (own !== null && channels.has(own) ? 1 : 0);
  return counted >= config["websocket.max_subscriptions"];
}

function join(socket: Socket, channel: string, format: Format): void {
  const { channels } = socket.data;
  const before = channels.get(channel);
  if (before !== undefined) socket.unsubscribe(topicOf(channel, before));
  channels.set(channel, format);
  socket.subscribe(topicOf(channel, format));
  if (channel === COMMUNITY && before === undefined) botJoined(socket);
}

function leave(socket: Socket, channel: string): void {
  const format = socket.data.channels.get(channel);
  if (format === undefined) return;
  socket.data.channels.delete(channel);
  socket.unsubscribe(topicOf(channel, format));
  if (channel === COMMUNITY) botLeft(socket);
}

/** Subscribing again changes the format. */
function subscribe(socket: Socket, channel: string, answer: Answers): void {
  const { caller, channels } = socket.data;
  const isNew = !channels.has(channel) && channel !== automaticChannel(caller);
  const name = channel.slice(0, MAX_ECHO);
  if (!mayHear(caller, channel)) answer.error(socket, `Access denied to channel: ${name}`);
  else if (isNew && isFull(socket.data)) answer.error(socket, `Too many subscriptions: ${name}`);
  else {
    if (channels.get(channel) !== answer.format) join(socket, channel, answer.format);
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
}

const TEXT_OPERATIONS: Record<string, (socket: Socket, message: ClientMessage) => void> = {
  subscribe(socket, { channel }) {
    if (typeof channel === "string") subscribe(socket, channel, inText);
    else inText.error(socket, "subscribe needs a channel");
  },
  unsubscribe(socket, { channel }) {
    if (typeof channel === "string") unsubscribe(socket, channel, inText);
    else inText.error(socket, "unsubscribe needs a channel");
  },
  ping: inText.pong,
};

type BinaryOperation<Name extends PayloadName> = (socket: Socket, payload: Payloads[Name]) => void;

const BINARY_OPERATIONS: { [Name in PayloadName]?: BinaryOperation<Name> } = {
  subscribe: (socket, { channel }) => subscribe(socket, channel, inBinary),
  unsubscribe: (socket, { channel }) => unsubscribe(socket, channel, inBinary),
  ping: inBinary.pong,
  pong() {},
  createAuditEvent(socket, event) {
    inBackground(
      createAuditEvent(socket.data.caller, event).then((answer) =>
        sendBinary(socket, "createAuditEventResponse", answer),
      ),
    );
  },
  moderationEvent(socket, event) {
    inBackground(
      recordModeration(socket.data.caller, event).then((answer) =>
        sendBinary(socket, "moderationEventResponse", answer),
      ),
    );
  },
  communitySyncResponse(socket, part) {
    const wrong = takeSyncPart(socket, part);
    if (wrong !== null) inBinary.error(socket, wrong);
  },
  communitySettingsRequest(socket, request) {
    const settings = askedSettings(socket, request);
    if (typeof settings === "string") inBinary.error(socket, settings);
    else sendBinary(socket, "communitySettings", settings);
  },
};

/** What answers after a commit. */
function inBackground(work: Promise<void>): void {
  work.catch((error) => logFailure("a socket message failed", error));
}

function dispatch(socket: Socket, frame: string | Buffer): void {
  // A frame that waited for its turn may be all that is left of a connection.
  if (!sockets.has(socket)) return;
  try {
    receive(socket, frame);
  } catch (error) {
    // Bun would swallow it, and the client would wait for an answer.
    logFailure("a socket message failed", error);
    answersIn(typeof frame === "string" ? "json" : "protobuf").error(socket, "Something went wrong");
  }
}

function receive(socket: Socket, frame: string | Buffer): void {
  const message = typeof frame === "string" ? null : decode(frame);
  const isAwaited = message !== null && isAnswer(socket, message);
  const answer = message === null ? inText : inBinary;
  received.add();
  if (!isAwaited && isFlooding(socket.data)) close(socket, CLOSE.tooManyMessages);
  else if (socket.data.ended) answer.error(socket, "The credential of this connection has ended");
  else if (typeof frame === "string") performText(socket, parse(frame));
  else if (message !== null) performBinary(socket, message);
}

/** The message in a text; undefined when it is no JSON. */
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

function performBinary(socket: Socket, message: Message | string): void {
  if (typeof message === "string") {
    inBinary.error(socket, message);
    return;
  }
  const operation = BINARY_OPERATIONS[message.name] as BinaryOperation<typeof message.name> | undefined;
  if (operation) operation(socket, message.payload);
  else inBinary.error(socket, `${message.name} is for the server to send`);
}

// --- Life of a connection ---------------------------------------------------------------------------------

/** Bun's handlers and limits for all connections; Elysia passes them on when the server starts to listen. */
export function socketHandlers(): WebSocketHandler<Connection> {
  return {
    // The heartbeat below is the server's own: Bun's pings only silent clients, and not every 5 seconds.
    idleTimeout: 0,
    sendPings: false,
    perMessageDeflate: false,
    maxPayloadLength: config["websocket.max_message_bytes"],
    backpressureLimit: HARD_UNSENT_LIMIT,
    closeOnBackpressureLimit: true,
    open(socket) {
      sockets.add(socket);
      countOpened(socket.data.holder);
      const own = automaticChannel(socket.data.caller);
      if (own !== null) join(socket, own, "json");
    },
    message(socket, frame) {
      if (!takeInTurn(socket, frame, dispatch)) close(socket, CLOSE.tooManyMessages);
    },
    // Bun answers it.
    ping: limitFlood,
    pong(socket) {
      const { data } = socket;
      data.aliveAt = performance.now();
      if (!data.isPinged) limitFlood(socket);
      data.isPinged = false;
    },
    close(socket, code) {
      sockets.delete(socket);
      countClosed(socket.data.holder, code);
      botLeft(socket);
    },
  };
}

/** Control frames cost as much as messages. */
function limitFlood(socket: Socket): void {
  if (isFlooding(socket.data)) close(socket, CLOSE.tooManyMessages);
}

/** The connections of the pass under way, how many fifths of them are done, and how many bytes it has found unsent. */
let pass: Socket[] = [];
let sharesDone = 0;
let unsentInPass = 0;

/** Bytes that may be unsent for one client, by what the pass before found. */
let allowance = unsentAllowance(0, 0);

/** Looks after the next share of the connections. */
function sweep(): void {
  const time = performance.now();
  heartbeat.sweptAt = time;
  // Those that come meanwhile have their turn in the next pass: else it might never end.
  if (sharesDone === 0) pass = [...sockets];
  const endOf = (shares: number) => Math.ceil((pass.length * shares) / SWEEPS_A_PASS);
  for (const socket of pass.slice(endOf(sharesDone), endOf(sharesDone + 1)))
    if (sockets.has(socket)) lookAfter(socket, time);
  sharesDone = (sharesDone + 1) % SWEEPS_A_PASS;
  if (sharesDone > 0) return;
  allowance = unsentAllowance(unsentInPass, pass.length);
  unsentInPass = 0;
}

/** Pings a connection when that is due; closes one that doesn't answer, is too slow or has expired. */
function lookAfter(socket: Socket, time: number): void {
  const { data } = socket;
  const unsent = socket.getBufferedAmount();
  unsentInPass += unsent;
  if (time - data.aliveAt >= config["websocket.client_timeout_seconds"] * SECOND)
    close(socket, CLOSE.heartbeatLapsed);
  else if (unsent > allowance) close(socket, CLOSE.tooSlow);
  else if (!data.ended && hasExpired(data.caller)) close(socket, CLOSE.credentialEnded);
  else if (time >= data.pingAt) {
    data.pingAt = time + config["websocket.heartbeat_interval_seconds"] * SECOND;
    data.isPinged = true;
    socket.ping();
  }
}

/** Takes from live connections what their callers may no longer hear; closes those whose credential ended. */
function reevaluate(which: (caller: Caller) => boolean, announced: boolean): void {
  const reloaded = new Map<string, Caller | null>();
  for (const socket of sockets) {
    const { data } = socket;
    if (data.ended || !which(data.caller)) continue;
    const { tokenHash } = data.caller;
    // Thousands may be connected with one key.
    if (!reloaded.has(tokenHash)) reloaded.set(tokenHash, reloadCaller(data.caller));
    const fresh = reloaded.get(tokenHash);
    if (!fresh) {
      end(socket, announced);
      continue;
    }
    data.caller = fresh;
    for (const [channel, format] of data.channels) {
      if (mayHear(fresh, channel)) continue;
      leave(socket, channel);
      answersIn(format).error(socket, `Access to channel ended: ${channel}`);
    }
  }
}

/** Ends a connection whose credential ended: at once, or a little later when a message told it why. */
function end(socket: Socket, announced: boolean): void {
  const own = automaticChannel(socket.data.caller);
  const wasTold = announced && own !== null && socket.data.channels.has(own);
  if (!wasTold) {
    close(socket, CLOSE.credentialEnded);
    return;
  }
  socket.data.ended = true;
  for (const channel of [...socket.data.channels.keys()]) leave(socket, channel);
  setTimeout(() => close(socket, CLOSE.credentialEnded), FAREWELL).unref();
}

let sweeper: ReturnType<typeof setInterval> | undefined;

export function startSockets(): void {
  sweeper = setInterval(sweep, SWEEP_INTERVAL);
  startCommunity();
  onEvent("access.changed", ({ which, announced }) => reevaluate(which, announced));
}

/** Says goodbye to every connection: the server stops. */
export function stopSockets(): void {
  clearInterval(sweeper);
  for (const socket of sockets) close(socket, CLOSE.goingAway);
}
