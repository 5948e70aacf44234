import type { ServerWebSocket } from "bun";
import { config } from "../config";
import type { Caller } from "../identity/access/caller";
import { SECOND } from "../kernel/clock";
import { holderOf } from "./capacity";

declare module "../kernel/events" {
  interface EventMap {
    /** A client was confirmed that it hears a channel. */
    "channel.subscribed": { channel: string };
  }
}

/** Text frames hold JSON, binary ones Protobuf. */
export type Format = "json" | "protobuf";

/** What the server keeps of an open connection. */
export interface Connection {
  /** As its credential stands now; replaced when rights change. */
  caller: Caller;
  /** Among whose connections it counts. */
  readonly holder: string;
  /**
   * Channels that it hears, each in the format in which it was asked for: those that the client asked for, and the
   * automatic one until it is left.
   */
  channels: Map<string, Format>;
  /** When the last pong frame came, and when the next ping is due (performance.now milliseconds). */
  aliveAt: number;
  pingAt: number;
  /** Whether a ping is unanswered: a pong that answers none counts as a message. */
  isPinged: boolean;
  /** Frames that the client sent in the second that began at `secondAt`. */
  secondAt: number;
  frames: number;
  /** Whether its credential ended, which a message told: it hears nothing more and is about to be closed. */
  ended: boolean;
}

export type Socket = ServerWebSocket<Connection>;

/** What a connection is when it opens. */
export function newConnection(caller: Caller): Connection {
  const time = performance.now();
  // Many clients come at once, as after a restart: their pings are spread over the interval.
  const firstPing = config["websocket.heartbeat_interval_seconds"] * SECOND * Math.random();
  return {
    caller,
    holder: holderOf(caller),
    channels: new Map(),
    aliveAt: time,
    pingAt: time + firstPing,
    isPinged: false,
    secondAt: time,
    frames: 0,
    ended: false,
  };
}

/** Counts a frame that the client sent. True when it sends more than it may. */
export function isFlooding(connection: Connection): boolean {
  const time = performance.now();
  if (time - connection.secondAt >= SECOND) {
    connection.secondAt = time;
    connection.frames = 0;
  }
  return ++connection.frames > config["websocket.max_messages_per_second"];
}

/** Why the server closes a connection (decisions 7.8, 7.11; RFC 6455, section 7.4.1). */
export const CLOSE = {
  goingAway: [1001, "server is shutting down"],
  tooManyMessages: [1008, "too many messages"],
  tooSlow: [1013, "cannot keep up"],
  credentialEnded: [4401, "credential ended"],
  heartbeatLapsed: [4408, "no pong in time"],
} as const;

/**
 * Bun forgets the connection at once, calling the `close` handler, and goes on to send what is unsent with the close
 * frame behind it, for up to four seconds. To a client that reads nothing meanwhile the code can't be told.
 */
export function close(socket: Socket, [code, reason]: readonly [number, string]): void {
  socket.close(code, reason);
}

/**
 * The topic on which a channel's messages are published in a format. Positions, zones and vessels are JSON text always,
 * and what the community bot is told binary always: these channels have one topic (decisions 7.3).
 */
export const topicOf = (channel: string, format: Format): string =>
  format === "protobuf" && /^(user|admin):/.test(channel) ? `${channel} protobuf` : channel;

/** All open connections. */
export const sockets = new Set<Socket>();

/** The channel of a user's own messages, to which a session is subscribed without asking. */
export function automaticChannel(caller: Caller): string | null {
  return caller.kind === "session" ? `user:${caller.userId}` : null;
}

/** When all connections were last looked after (performance.now milliseconds). */
export const heartbeat = { sweptAt: performance.now() };

export function socketCounts(): { connections: number; subscriptions: number } {
  let subscriptions = 0;
  for (const socket of sockets) subscriptions += socket.data.channels.size;
  return { connections: sockets.size, subscriptions };
}
