import type { WebSocketHandler } from "bun";
import { Elysia } from "elysia";
import { config, publicUrl } from "../config";
import { authenticate, type Caller, reloadCaller } from "../identity/access/caller";
import { callerOf, guard } from "../identity/access/guard";
import { forwardedProtocol, listeningServer } from "../kernel/client";
import { now, SECOND } from "../kernel/clock";
import { AppError, badRequest, unauthorized } from "../kernel/errors";
import { subscribe as onEvent } from "../kernel/events";
import { describeError, log } from "../kernel/log";
import { errors, t } from "../kernel/schema";
import { mayHear } from "./channels";
import { automaticChannel, type Connection, type Socket, sockets } from "./connections";

/** Why the server closes a connection (decisions 7.8, 7.11; RFC 6455, section 7.4.1). */
const CLOSE = {
  goingAway: [1001, "server is shutting down"],
  tooManyMessages: [1008, "too many messages"],
  tooSlow: [1013, "cannot keep up"],
  credentialEnded: [4401, "credential ended"],
  heartbeatLapsed: [4408, "no pong in time"],
} as const;

/** A subscriber whose unsent messages pass this many bytes is closed, so that it costs the others nothing. */
const MAX_BUFFERED = 4 * 1024 * 1024;
/** Where Bun itself cuts a connection whose buffer grew past MAX_BUFFERED between two sweeps. */
const HARD_BUFFER_LIMIT = 16 * 1024 * 1024;

const SWEEP_INTERVAL = 250;
/** How long a client has to answer a close frame before the connection is cut. */
const CLOSE_GRACE = 1 * SECOND;
/** How long a client has to close by itself once a message told it that its credential ended (decisions 7.8). */
const FAREWELL = 5 * SECOND;

// --- Handshake --------------------------------------------------------------------------------------------

const COOKIE = /(?:^|;\s*)fairlead_session=([^;\s]+)/;

/**
 * The caller of a handshake. The Authorization header counts, else `token`, else the cookie; one that is
 * there and not valid is refused, whatever else is sent along (decisions 7.1).
 */
function callerOfHandshake(request: Request, token: string | undefined): Caller {
  if (request.headers.has("authorization")) return callerOf(request);
  // Keys stay out of URLs: `token` takes session tokens alone.
  if (token !== undefined) return sessionCaller(token);
  const cookie = COOKIE.exec(request.headers.get("cookie") ?? "")?.[1];
  if (cookie === undefined || !comesFromOwnPage(request))
    throw unauthorized(
      "Authentication is required: the Authorization header, the token parameter or the session cookie",
    );
  return sessionCaller(cookie);
}

function sessionCaller(token: string): Caller {
  const caller = token.startsWith("ses_") ? authenticate(token) : null;
  if (!caller) throw unauthorized("The session token is not valid, or has ended");
  return caller;
}

/** A browser sends the cookie for any page: it counts only for pages of ours or of an allowed origin. */
function comesFromOwnPage(request: Request): boolean {
  const origin = request.headers.get("origin");
  if (origin === null) return false;
  const own = `${forwardedProtocol(request) ?? "http"}://${request.headers.get("host")}`;
  return (
    origin === own ||
    origin === new URL(publicUrl()).origin ||
    config["server.cors_origins"].some((allowed) => allowed !== "*" && allowed === origin)
  );
}

const HandshakeQuery = t.Object({
  // Without a bound: a token that is too long is a wrong one (401), and doesn't count beside a header.
  token: t.Optional(t.String({ description: "A session token, for clients that can set no header" })),
});

export const socketRoutes = new Elysia({ tags: ["Realtime"] }).use(guard).get(
  "/v1/ws",
  ({ request, query, set }) => {
    const caller = callerOfHandshake(request, query.token);
    if (request.headers.get("upgrade")?.toLowerCase() !== "websocket")
      throw new AppError("UpgradeRequired", "Open this address as a WebSocket", {
        headers: { upgrade: "websocket" },
      });
    const started = performance.now();
    const data: Connection = {
      caller,
      channels: new Set(),
      aliveAt: started,
      pingAt: started + config["websocket.heartbeat_interval_seconds"] * SECOND,
      secondAt: started,
      messages: 0,
      ended: false,
      closing: false,
    };
    const headers = {
      "x-request-id": String(set.headers["x-request-id"]),
      "x-content-type-options": "nosniff",
    };
    if (!listeningServer()?.upgrade(request, { data, headers }))
      throw badRequest("The WebSocket handshake is not complete");
    // The connection is the socket's from here on; there is no response to send, the log alone reads the status.
    set.status = 101;
    return undefined as never;
  },
  {
    handshake: true,
    query: HandshakeQuery,
    response: { ...errors(400, 401, 426) },
    detail: {
      summary: "Open the WebSocket",
      description: [
        "Upgrades to a WebSocket. Authenticate with `Authorization: Bearer` (services, API keys), `?token=` (a session token) or the cookie `fairlead_session` (pages of the server's own or an allowed origin).",
        'Send JSON text: `{"type":"subscribe","channel":"gps"}`, `{"type":"unsubscribe","channel":"gps"}`, `{"type":"ping"}`.',
        "Channels: `gps` and `gps:<device id>` (gps:read), `geofence` and `geofence:<geofence id>` (geofences:read), `vessels` (gps:read), `public` and `public:<name>`, `user:<own id>`, `admin:<name>` (admin:read), `community` (API key with community:sync). A session hears its own `user:` channel without asking.",
        "Close codes: 1001 the server stops, 1008 too many messages, 1009 message too large, 1013 the client cannot keep up, 4401 the credential ended, 4408 no pong in time.",
      ].join("\n\n"),
    },
  },
);

// --- Messages ---------------------------------------------------------------------------------------------

const send = (socket: Socket, message: object): void => {
  socket.send(JSON.stringify(message));
};
const sendError = (socket: Socket, message: string) => send(socket, { type: "error", message });

/** Longest channel name that an answer repeats. */
const MAX_ECHO = 128;

/** The automatic channel doesn't count (decisions 7.2). */
function isFull({ caller, channels }: Connection): boolean {
  const own = automaticChannel(caller);
  const counted = channels.size - (own !== null && channels.has(own) ? 1 : 0);
  return counted >= config["websocket.max_subscriptions"];
}

function join(socket: Socket, channel: string): void {
  socket.data.channels.add(channel);
  socket.subscribe(channel);
}

interface ClientMessage {
  type?: unknown;
  channel?: unknown;
}

const OPERATIONS: Record<string, (socket: Socket, message: ClientMessage) => void> = {
  subscribe(socket, { channel }) {
    if (typeof channel !== "string") return sendError(socket, "subscribe needs a channel");
    const { caller, channels } = socket.data;
    if (!mayHear(caller, channel))
      return sendError(socket, `Access denied to channel: ${channel.slice(0, MAX_ECHO)}`);
    if (!channels.has(channel)) {
      if (channel !== automaticChannel(caller) && isFull(socket.data))
        return sendError(socket, `Too many subscriptions: ${channel.slice(0, MAX_ECHO)}`);
      join(socket, channel);
    }
    send(socket, { type: "message", channel, data: `Subscribed to ${channel}` });
  },

  unsubscribe(socket, { channel }) {
    if (typeof channel !== "string") return sendError(socket, "unsubscribe needs a channel");
    if (socket.data.channels.delete(channel)) socket.unsubscribe(channel);
    const name = channel.slice(0, MAX_ECHO);
    send(socket, { type: "message", channel: name, data: `Unsubscribed from ${name}` });
  },

  ping(socket) {
    send(socket, { type: "pong" });
  },
};

function receive(socket: Socket, frame: string | Buffer): void {
  if (isFlooding(socket.data)) close(socket, CLOSE.tooManyMessages);
  else if (socket.data.ended) sendError(socket, "The credential of this connection has ended");
  else if (typeof frame !== "string") sendError(socket, "Binary messages are not understood; send JSON text");
  else perform(socket, parse(frame));
}

function parse(frame: string): ClientMessage | null {
  try {
    return JSON.parse(frame);
  } catch {
    return null;
  }
}

function perform(socket: Socket, message: ClientMessage | null): void {
  const type = message?.type;
  if (message === null) sendError(socket, "Invalid JSON");
  else if (typeof type === "string" && Object.hasOwn(OPERATIONS, type)) OPERATIONS[type]?.(socket, message);
  else sendError(socket, `Unknown message type; known are ${Object.keys(OPERATIONS).join(", ")}`);
}

function isFlooding(connection: Connection): boolean {
  const time = performance.now();
  if (time - connection.secondAt >= SECOND) {
    connection.secondAt = time;
    connection.messages = 0;
  }
  return ++connection.messages > config["websocket.max_messages_per_second"];
}

// --- Life of a connection ---------------------------------------------------------------------------------

function close(socket: Socket, [code, reason]: readonly [number, string]): void {
  if (socket.data.closing) return;
  socket.data.closing = true;
  socket.close(code, reason);
  setTimeout(() => {
    if (sockets.has(socket)) socket.terminate();
  }, CLOSE_GRACE).unref();
}

/** Bun's handlers and limits for all connections; Elysia passes them on when the server starts to listen. */
export function socketHandlers(): WebSocketHandler<Connection> {
  return {
    // The heartbeat below is the server's own: Bun's pings only silent clients, and not every 5 seconds.
    idleTimeout: 0,
    sendPings: false,
    perMessageDeflate: false,
    maxPayloadLength: config["websocket.max_message_bytes"],
    backpressureLimit: HARD_BUFFER_LIMIT,
    closeOnBackpressureLimit: true,
    open(socket) {
      sockets.add(socket);
      const own = automaticChannel(socket.data.caller);
      if (own !== null) join(socket, own);
    },
    message(socket, frame) {
      try {
        receive(socket, frame);
      } catch (error) {
        // Bun would swallow it, and the client would wait for an answer.
        log.error("a socket message failed", describeError(error));
        sendError(socket, "Something went wrong");
      }
    },
    pong(socket) {
      socket.data.aliveAt = performance.now();
    },
    close(socket) {
      sockets.delete(socket);
    },
  };
}

/** Pings, closes what doesn't answer, is too slow or has expired. */
function sweep(): void {
  const time = performance.now();
  const wallTime = now();
  const interval = config["websocket.heartbeat_interval_seconds"] * SECOND;
  const timeout = config["websocket.client_timeout_seconds"] * SECOND;
  for (const socket of sockets) {
    const { data } = socket;
    if (data.closing) continue;
    if (time - data.aliveAt >= timeout) close(socket, CLOSE.heartbeatLapsed);
    else if (socket.getBufferedAmount() > MAX_BUFFERED) close(socket, CLOSE.tooSlow);
    else if (!data.ended && data.caller.expiresAt !== null && data.caller.expiresAt <= wallTime)
      close(socket, CLOSE.credentialEnded);
    else if (time >= data.pingAt) {
      data.pingAt = time + interval;
      socket.ping();
    }
  }
}

/** Takes from live connections what their callers may no longer hear; closes those whose credential ended. */
function reevaluate(which: (caller: Caller) => boolean, announced: boolean): void {
  for (const socket of sockets) {
    const { data } = socket;
    if (data.closing || data.ended || !which(data.caller)) continue;
    const fresh = reloadCaller(data.caller);
    if (!fresh) {
      end(socket, announced);
      continue;
    }
    data.caller = fresh;
    for (const channel of data.channels) {
      if (mayHear(fresh, channel)) continue;
      data.channels.delete(channel);
      socket.unsubscribe(channel);
      sendError(socket, `Access to channel ended: ${channel}`);
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
  for (const channel of socket.data.channels) socket.unsubscribe(channel);
  socket.data.channels.clear();
  setTimeout(() => close(socket, CLOSE.credentialEnded), FAREWELL).unref();
}

let sweeper: ReturnType<typeof setInterval> | undefined;

export function startSockets(): void {
  sweeper = setInterval(sweep, SWEEP_INTERVAL);
  onEvent("access.changed", ({ which, announced }) => reevaluate(which, announced));
}

/** Says goodbye to every connection: the server stops. */
export function stopSockets(): void {
  clearInterval(sweeper);
  for (const socket of sockets) close(socket, CLOSE.goingAway);
}
