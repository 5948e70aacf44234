import type { ServerWebSocket } from "bun";
import { config } from "../configuration/config";
import type { Caller } from "../identity/access/caller";
import { SECOND } from "../kernel/time/clock";
import { type Holder, holderOf, takesTooMuch } from "./capacity";

declare module "../kernel/db/events" {
  interface EventMap {
    /** A client's subscription to a channel was confirmed. */
    "channel.subscribed": { channel: string };
  }
}

/** Text frames hold JSON, binary ones Protobuf. */
export type Format = "json" | "protobuf";

/** The way in which a connection hears a channel. */
export interface Subscription {
  format: Format;
  /** It hears messages too that came after the first version, such as `gpsLate`. */
  isExtended: boolean;
  /** Its messages carry their cursor. */
  isFollowing: boolean;
}

/** The server's state of an open connection. */
export interface Connection {
  /** The credential's current rights; replaced when they change. */
  caller: Caller;
  /** The link by which it was opened; null for one with a credential. It hears what that shows, whatever the caller may. */
  readonly linkId: string | null;
  /** The holder that it counts for, fixed when the connection is opened. */
  readonly holder: Holder;
  /** The format of what comes on the automatic channel. */
  readonly format: Format;
  /**
   * Subscribed channels: those that the client asked for, and the automatic one until it is left.
   */
  channels: Map<string, Subscription>;
  /** When the last pong frame came, and when the next ping is due (performance.now milliseconds). */
  aliveAt: number;
  pingAt: number;
  /** True while a ping is unanswered: a pong that answers none counts as a message. */
  isPinged: boolean;
  /** Frames that the client sent in the second that began at `secondAt`. */
  secondAt: number;
  frames: number;
  /**
   * True once a message announced the end of its credential: it hears nothing more and is about to be closed.
   */
  ended: boolean;
}

export type Socket = ServerWebSocket<Connection>;

/** The initial state of a connection. */
export function newConnection(
  caller: Caller,
  format: Format = "json",
  linkId: string | null = null,
): Connection {
  const time = performance.now();
  // Many clients come at once, as after a restart: their pings are spread over the interval.
  const firstPing = config["websocket.heartbeat_interval_seconds"] * SECOND * Math.random();
  return {
    caller,
    linkId,
    holder: holderOf(caller),
    format,
    channels: new Map(),
    aliveAt: time,
    pingAt: time + firstPing,
    isPinged: false,
    secondAt: time,
    frames: 0,
    ended: false,
  };
}

/** Codes and reasons with which the server closes a connection (rule W6; RFC 6455, section 7.4.1). */
export const CLOSE = {
  goingAway: [1001, "server is shutting down"],
  tooManyMessages: [1008, "too many messages"],
  tooManyBytes: [1008, "too many bytes"],
  tooSlow: [1013, "cannot keep up"],
  credentialEnded: [4401, "credential ended"],
  heartbeatLapsed: [4408, "no pong in time"],
} as const;

/**
 * Counts a frame that the client sent. Returns the code and reason to close its connection with, or null
 * within the limits.
 */
export function floodOf(connection: Connection, bytes: number): readonly [number, string] | null {
  const time = performance.now();
  if (time - connection.secondAt >= SECOND) {
    connection.secondAt = time;
    connection.frames = 0;
  }
  if (++connection.frames > config["websocket.max_messages_per_second"]) return CLOSE.tooManyMessages;
  return takesTooMuch(connection.holder, bytes, time) ? CLOSE.tooManyBytes : null;
}

/**
 * Bun forgets the connection at once, calling the `close` handler, and goes on to send the unsent bytes with
 * the close frame behind them, for up to four seconds. A client that reads nothing meanwhile never sees the
 * code.
 */
export function close(socket: Socket, [code, reason]: readonly [number, string]): void {
  socket.close(code, reason);
}

/**
 * The topic on which a channel's messages are published in a format. Positions, zones and vessels are always
 * JSON text, and messages to the community bot always binary: these channels have one topic (rule W3).
 */
export const topicOf = (channel: string, format: Format): string =>
  format === "protobuf" && /^(user|admin):/.test(channel) ? `${channel} protobuf` : channel;

/** The topic of the positions that a link shows. */
export const topicOfLink = (id: string): string => `link ${id}`;

/** The topic of a channel whose messages carry their cursor. They are JSON text. */
export const fedTopicOf = (channel: string): string => `${channel} since`;

/** True for a channel that came after the first version: only the feed serves it. */
export const isFedAlone = (channel: string): boolean => ["trips", "devices", "alerts"].includes(channel);

/** True for a channel whose messages are numbered, so that a subscription may go on from a cursor. */
export const isNumbered = (channel: string): boolean =>
  /^(gps|geofence|trips|devices|alerts)(:|$)/.test(channel);

/** The topic of the messages of a channel that extended subscriptions alone hear. They are JSON text. */
export const extendedTopicOf = (channel: string): string => `${channel} extended`;

/**
 * The topic of the messages of a channel that carry no number and came after the first version. Extended subscriptions hear
 * them, and those with `since`. They are JSON text.
 */
export const unnumberedTopicOf = (channel: string): string => `${channel} unnumbered`;

/** All open connections. */
export const sockets = new Set<Socket>();

/** The channel of a user's own messages, to which a session is subscribed without asking. */
export function automaticChannel(caller: Caller): string | null {
  return caller.kind === "session" ? `user:${caller.userId}` : null;
}

/** Time of the last pass over all connections (performance.now milliseconds). */
export const heartbeat = { sweptAt: performance.now() };

export function socketCounts(): { connections: number; subscriptions: number } {
  let subscriptions = 0;
  for (const socket of sockets) subscriptions += socket.data.channels.size;
  return { connections: sockets.size, subscriptions };
}
