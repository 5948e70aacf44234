import type { ServerWebSocket } from "bun";
import type { Caller } from "../identity/access/caller";

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
  /**
   * Channels that it hears, each in the format in which it was asked for: those that the client asked for, and the
   * automatic one until it is left.
   */
  channels: Map<string, Format>;
  /** When the last pong frame came, and when the next ping is due (performance.now milliseconds). */
  aliveAt: number;
  pingAt: number;
  /** Messages in the second that began at `secondAt`. */
  secondAt: number;
  messages: number;
  /** Whether its credential ended, which a message told: it hears nothing more and is about to be closed. */
  ended: boolean;
  closing: boolean;
}

export type Socket = ServerWebSocket<Connection>;

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

export function socketCounts(): { connections: number; subscriptions: number } {
  let subscriptions = 0;
  for (const socket of sockets) subscriptions += socket.data.channels.size;
  return { connections: sockets.size, subscriptions };
}
